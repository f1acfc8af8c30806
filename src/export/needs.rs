//! Says what a job file still needs before its engine can run it.

use super::engine::{JobEngine, Place};
use super::job::JobFile;
use crate::text::one_line;

/// The names in job files that the user has to replace.
const TO_REPLACE: [(&str, &str); 2] = [
    ("registry.example/", "the name of your image, which the Dockerfile of git arborist can make"),
    ("OWNER/git-arborist@", "who publishes git-arborist for you"),
];

/// The branch of the run on the remote repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunBranch {
    /// It has the newest commit.
    Pushed,
    /// It does not have the newest commit.
    Behind,
    /// There is none.
    Missing,
    /// The remote repository does not answer; what git says.
    Silent(String),
}

/// What is known besides what the file is made from.
#[derive(Clone, Debug)]
pub(crate) struct KnownPlace<'a> {
    /// The branch of the run.
    pub(crate) branch: RunBranch,
    /// The text of the file, if it was written already.
    pub(crate) file: Option<&'a str>,
    /// A file that says that packages have to be installed before tests can run.
    pub(crate) lock_file: Option<&'a str>,
}

impl JobEngine {
    /// What is missing, as whole sentences.
    pub(crate) fn needs(&self, job: &JobFile<'_>, known: &KnownPlace<'_>) -> Vec<String> {
        let (branch, remote) = (one_line(job.branch), one_line(job.remote));
        let mut needs = Vec::new();
        if job.runners.is_empty() {
            needs
                .push("No agent is chosen: `git config arborist.runner NAME`, then export again.".to_owned());
        }
        match &known.branch {
            RunBranch::Pushed => {}
            RunBranch::Behind => needs.push(format!(
                "The branch {branch} of {remote} does not have the newest commit: push it, because workers know nothing else."
            )),
            RunBranch::Missing => needs.push(format!("{remote} has no branch {branch}: push it.")),
            RunBranch::Silent(said) => needs.push(format!(
                "{remote} does not answer, so it is not known whether the branch is there: {}.",
                one_line(said.trim_end_matches('.'))
            )),
        }
        if self.place == Place::Address && self.is_elsewhere && job.remote.starts_with('/') {
            needs.push(format!(
                "{remote} is a folder of this machine: every machine needs it at the same place."
            ));
        }
        if let (None, Some(lock)) = (job.setup, known.lock_file) {
            needs.push(format!(
                "There is a file {lock}, but nothing installs packages on a machine: `git config arborist.worktree.setup COMMAND`, \
                 then export again."
            ));
        }
        let text = known.file.unwrap_or_default();
        for (name, what) in TO_REPLACE.iter().filter(|(name, _)| text.contains(name)) {
            needs.push(format!("Replace `{name}` in the file: {what}."));
        }
        needs
    }

    /// What has to be there and cannot be seen from here, as whole sentences.
    pub(crate) fn unseen(&self, job: &JobFile<'_>) -> Vec<String> {
        let secrets = match job.secrets().as_slice() {
            [] => "the login of the agent".to_owned(),
            secrets => format!("the login of the agent ({})", secrets.join(", ")),
        };
        self.logins.iter().map(|login| login.replace("LOGIN", &secrets)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{ENGINES, JobRunner};

    #[test]
    fn whatever_is_missing_is_named_and_nothing_else() {
        let runners = [JobRunner { name: "claude".to_owned(), install: Some("npm"), secret: Some("A_KEY") }];
        let good = JobFile {
            plan: "p",
            slug: "p",
            remote: "https://h/r",
            branch: "main",
            commit: "0",
            variables: &[],
            runners: &runners,
            author: None,
            setup: None,
            version: "1",
        };
        let known = KnownPlace { branch: RunBranch::Pushed, file: None, lock_file: None };
        for engine in ENGINES {
            assert_eq!(engine.needs(&good, &known), [""; 0], "{}", engine.word);
            assert!(engine.unseen(&good).concat().contains("A_KEY"), "{}", engine.word);
        }
        let bad = JobFile { runners: &[], remote: "/srv/r", ..good };
        let known = KnownPlace {
            branch: RunBranch::Missing,
            file: Some("image: registry.example/git-arborist-worker"),
            lock_file: Some("package-lock.json"),
        };
        let kubernetes = JobEngine::from_word("k8s").unwrap();
        let words = [
            "arborist.runner",
            "no branch main",
            "folder of this machine",
            "package-lock.json",
            "registry.example/",
        ];
        for (need, word) in kubernetes.needs(&bad, &known).iter().zip(words) {
            assert!(need.contains(word), "{need}");
        }
        assert_eq!(kubernetes.needs(&bad, &known).len(), words.len());
    }
}
