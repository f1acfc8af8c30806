//! Finds out which hooks a git command ran, and how each of them ended. git records this itself (`GIT_TRACE2_EVENT`),
//! so we know which hooks ran and need not guess from git's messages.

use super::{GitOutput, Variable, first_lines};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind};
use crate::files::{self, Folder};
use crate::record::SubjectForm;

/// The hooks whose failure makes git abort a commit or a push. The status of other hooks does not matter.
const DECIDING: [&str; 6] = [
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "reference-transaction",
    "pre-push",
];

/// A hook that git ran.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HookRun {
    name: String,
    /// Whether it ended with status 0.
    content: bool,
}

/// The hooks that a git command ran, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookRuns(Vec<HookRun>);

impl HookRuns {
    /// Their names, without duplicates.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for run in &self.0 {
            if !names.contains(&run.name.as_str()) {
                names.push(&run.name);
            }
        }
        names
    }

    /// The hook that made git abort, if one did.
    pub(super) fn refused(&self) -> Option<&str> {
        let deciding = |run: &&HookRun| !run.content && DECIDING.contains(&run.name.as_str());
        self.0.iter().find(deciding).map(|run| run.name.as_str())
    }

    /// The refusal of the hook that made git abort with this output, if one did.
    pub(super) fn refusal(&self, output: &GitOutput) -> Option<HookRefusal> {
        let hook = self.refused()?.to_owned();
        Some(HookRefusal { hook, output: crate::text::clean(output.stderr.as_bytes()) })
    }
}

/// A commit that a hook refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRefusal {
    /// The hook's name, for example `pre-commit`.
    pub hook: String,
    /// What it printed, as text.
    pub output: String,
}

/// The hooks that judge the message of a commit, in the order in which git runs them.
pub(super) const ABOUT_MESSAGES: [&str; 2] = ["prepare-commit-msg", "commit-msg"];

impl HookRefusal {
    /// Whether the hook may have refused the commit because of its files, so that whoever wrote them can do better.
    #[must_use]
    pub fn may_be_about_files(&self) -> bool {
        self.hook == "pre-commit"
    }

    /// The refusal as an error that quotes the hook.
    #[must_use]
    pub fn to_error(&self) -> Error {
        let hook = &self.hook;
        let advice = if ABOUT_MESSAGES.contains(&hook.as_str()) {
            format!(
                " If it asks for Conventional Commits, `git config arborist.subject '{}'` gives them to it.",
                SubjectForm::CONVENTIONAL
            )
        } else {
            String::new()
        };
        Error::new(
            Kind::Environment,
            format!("the hook {hook} refused the commit{}", self.quoted()),
            format!("Correct what the {hook} hook complains about, then run the same command again.{advice}"),
        )
    }

    /// What the hook has said, behind a colon; empty if that is nothing.
    #[must_use]
    pub fn quoted(&self) -> String {
        match first_lines(&self.output, 5) {
            nothing if nothing.is_empty() => nothing,
            said => format!(": {said}"),
        }
    }
}

/// A file in the git directory to which one git command writes what it runs. It is removed when this value is dropped.
pub(super) struct HookLog {
    file: PathBuf,
}

impl HookLog {
    pub(super) fn new(git_dir: &Path) -> Self {
        // Without the folder there is no log, and the words of git have to do.
        let _ = Folder::make_own(git_dir, "");
        let log = Self { file: git_dir.join("arborist").join(format!("hooks-{}", std::process::id())) };
        log.clear();
        log
    }

    /// The variables that make git write only the events that are needed to this file.
    pub(super) fn variables(&self) -> [Variable; 3] {
        let file = self.file.clone().into_os_string();
        [
            Variable { name: "GIT_TRACE2_EVENT", value: file },
            Variable { name: "GIT_TRACE2_EVENT_BRIEF", value: "1".into() },
            Variable { name: "GIT_TRACE2_EVENT_NESTING", value: "1".into() },
        ]
    }

    /// The hooks that the command ran; none if git could not write the file.
    pub(super) fn read(&self) -> HookRuns {
        let log = files::open(&self.file);
        log.map_or_else(|_| HookRuns::default(), |log| parse(BufReader::new(log.into_file())))
    }

    fn clear(&self) {
        // A file that cannot be removed does no harm: git appends to it, and its session has another id.
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Drop for HookLog {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The parts of an event that matter here.
#[derive(Deserialize)]
struct Event {
    event: String,
    sid: String,
    child_id: Option<i64>,
    hook_name: Option<String>,
    code: Option<i64>,
}

/// Reads the events of the first git process in the log, because hooks that call git write here too.
fn parse(log: impl BufRead) -> HookRuns {
    let mut session = None;
    let mut started: Vec<(i64, HookRun)> = Vec::new();
    for line in log.split(b'\n').map_while(Result::ok) {
        let Ok(event) = serde_json::from_slice::<Event>(&line) else { continue };
        if *session.get_or_insert_with(|| event.sid.clone()) != event.sid {
            continue;
        }
        match (event.event.as_str(), event.child_id, event.hook_name) {
            ("child_start", Some(id), Some(name)) => started.push((id, HookRun { name, content: false })),
            ("child_exit", Some(id), _) => {
                let run = started.iter_mut().find(|(started, _)| *started == id);
                run.into_iter().for_each(|(_, run)| run.content = event.code == Some(0));
            }
            _ => {}
        }
    }
    HookRuns(started.into_iter().map(|(_, run)| run).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of git 2.47, shortened: a hook that calls git, one that fails, one whose answer does not matter.
    const LOG: &str = r#"{"event":"version","sid":"A","evt":"4"}
{"event":"child_start","sid":"A","child_id":0,"child_class":"hook","hook_name":"pre-commit","argv":["x"]}
{"event":"version","sid":"A/B","evt":"4"}
{"event":"child_start","sid":"A/B","child_id":0,"child_class":"hook","hook_name":"commit-msg","argv":["x"]}
{"event":"child_exit","sid":"A/B","child_id":0,"pid":3,"code":1}
{"event":"child_exit","sid":"A","child_id":0,"pid":2,"code":0}
{"event":"child_start","sid":"A","child_id":1,"child_class":"?","argv":["gpg"]}
{"event":"child_exit","sid":"A","child_id":1,"pid":4,"code":2}
{"event":"child_start","sid":"A","child_id":2,"child_class":"hook","hook_name":"post-index-change","argv":["x"]}
{"event":"child_exit","sid":"A","child_id":2,"pid":5,"code":1}
"#;

    fn read(log: &str) -> HookRuns {
        parse(log.as_bytes())
    }

    #[test]
    fn only_hooks_of_the_first_git_count_and_only_those_that_decide_can_refuse() {
        let runs = read(LOG);
        assert_eq!(runs.names(), ["pre-commit", "post-index-change"]);
        assert_eq!(runs.refused(), None);
    }

    #[test]
    fn a_hook_that_fails_cannot_start_or_never_ends_is_the_one_that_refused() {
        let start = r#"{"event":"child_start","sid":"A","child_id":3,"hook_name":"commit-msg"}"#;
        for end in [r#"{"event":"child_exit","sid":"A","child_id":3,"pid":-1,"code":-1}"#, "{\"event\":"] {
            let runs = read(&format!("{LOG}{start}\n{end}\n"));
            assert_eq!(runs.refused(), Some("commit-msg"), "{end}");
        }
        assert_eq!(read("no event\n"), HookRuns::default());
    }
}
