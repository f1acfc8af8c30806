//! Tries a sandbox: a program in it writes to the work tree, to the git directories, and next to the work tree. Whether it
//! could is seen from outside.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Sandbox;
use super::paths::Rules;
use super::tool::SandboxProblem;
use crate::agents::AgentState;
use crate::error::{Error, Result};
use crate::git::WorkTree;
use crate::process::{ExitReason, JobResult, Launch};

/// How long the tool may take to start a program.
const LIMIT: Duration = Duration::from_secs(60);

/// Reads the first path, and tries to write to the others.
const SCRIPT: &str = r#"test -r "$1" && shift || exit 97
for file do (: > "$file") 2> /dev/null; done
exit 0"#;

/// The exit status of the script if it cannot read the git directory.
const UNREADABLE: i32 = 97;

/// The name of the files that it writes. A later probe removes one that was left behind.
const NAME: &str = ".git-arborist-sandbox-probe";

/// What the sandbox must do with a file.
struct FileTrial {
    file: PathBuf,
    /// What the file belongs to, for messages; `None` for the work tree, which must be writable.
    protected: Option<String>,
}

impl Sandbox {
    /// Whether a program starts in it. Nothing is written.
    #[must_use]
    pub fn starts(&self, tree: &WorkTree, launch: Launch) -> bool {
        let launch = Launch { front: Some(self.front(tree, &[])), ..launch };
        let result = launch.job(&self.shell, LIMIT).args(["-c", ":"].map(OsString::from)).run();
        matches!(result.exit_reason, ExitReason::Exited(0))
    }

    /// Tries the sandbox. `launch` says how programs are run in this work tree.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if it does not start programs, keeps them from writing to the
    /// work tree, or lets them write elsewhere.
    pub fn probe(&self, tree: &WorkTree, launch: Launch) -> Result<()> {
        let states = AgentState::of_all(&self.environment);
        let front = self.front(tree, &states);
        let attempts = self.attempts(tree, &self.rules(tree, &states));
        for attempt in &attempts {
            remove(&attempt.file);
        }
        let head = tree.git_dir.join("HEAD").into_os_string();
        let args = ["-c".into(), SCRIPT.into(), "sh".into(), head].into_iter();
        let files = attempts.iter().map(|attempt| attempt.file.clone().into_os_string());
        let args: Vec<OsString> = args.chain(files).collect();
        let launch = Launch { front: Some(front), ..launch };
        let result = launch.job(&self.shell, LIMIT).args(args).run();
        let written: Vec<&FileTrial> = attempts.iter().filter(|attempt| remove(&attempt.file)).collect();
        if matches!(result.exit_reason, ExitReason::Cancelled) {
            return Err(Error::stopped(None, "Nothing was started."));
        }
        let problem = self.problem(tree, &result, &written);
        problem.map_or(Ok(()), |problem| Err(problem.error(self.setting, &self.origin)))
    }

    /// The files that a program in the sandbox tries to write.
    fn attempts(&self, tree: &WorkTree, rules: &Rules) -> Vec<FileTrial> {
        let top = tree.top.canonicalize().unwrap_or_else(|_| tree.top.clone());
        let mut attempts = vec![FileTrial { file: top.join(NAME), protected: None }];
        let mut protect = |folder: &Path, what: &str| {
            let file = folder.join(NAME);
            if !attempts.iter().any(|attempt| attempt.file == file) {
                let protected = Some(format!("{what} ({})", folder.display()));
                attempts.push(FileTrial { file, protected });
            }
        };
        protect(&tree.git_dir, "the git directory");
        protect(&tree.common_dir, "the git directory of all work trees");
        if let Some(parent) = top.parent() {
            protect(parent, "the folder around the work tree");
        }
        let home = self.environment.path("HOME").and_then(|home| home.canonicalize().ok());
        if let Some(home) = home.filter(|home| !rules.may_write_in(home)) {
            protect(&home, "your home folder");
        }
        attempts
    }

    /// What is wrong with the sandbox, if anything is.
    fn problem(&self, tree: &WorkTree, result: &JobResult, written: &[&FileTrial]) -> Option<SandboxProblem> {
        let (name, remedy) = (self.tool.name(), self.tool.remedy());
        if let Some(protected) = written.iter().find_map(|attempt| attempt.protected.as_ref()) {
            return Some(SandboxProblem::new(
                format!("in `{name}`, programs can write to {protected}"),
                remedy,
            ));
        }
        match &result.exit_reason {
            ExitReason::Exited(0) if !written.is_empty() => None,
            ExitReason::Exited(0) => {
                let top = tree.top.display();
                Some(SandboxProblem::new(
                    format!("in `{name}`, programs cannot write to the work tree {top}"),
                    remedy,
                ))
            }
            ExitReason::Exited(UNREADABLE) => {
                let git_dir = tree.git_dir.display();
                Some(SandboxProblem::new(format!("in `{name}`, programs cannot read {git_dir}"), remedy))
            }
            reason => {
                let said = result.last_line().map(|said| format!(" (it says: {said})")).unwrap_or_default();
                Some(SandboxProblem::new(format!("`{name}` starts no program: {reason}{said}"), remedy))
            }
        }
    }
}

/// Removes a file, and says whether it was there.
fn remove(file: &Path) -> bool {
    std::fs::remove_file(file).is_ok()
}
