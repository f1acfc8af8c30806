//! What a call that could not go on has left for the next call of the same step: a session, and files in the work tree.

use crate::agents::{PastSession, Runner};

/// How many files are named.
const NAMED: usize = 50;

/// What the last call of a step has left.
#[derive(Clone, Debug, Default)]
pub(super) struct LeftWork {
    /// The runner, followed by a slash and its model if it has one.
    pub(super) runner: String,
    /// The session that it can continue; `None` if it cannot, or if the call did not get that far.
    pub(super) session: Option<PastSession>,
    /// The session of the last call, whatever its role; `None` if it has none.
    pub(super) ended: Option<PastSession>,
    /// The files that differ from the state before the step, as messages show them.
    pub(super) files: Vec<String>,
}

impl LeftWork {
    /// The session, if this runner has made it and can continue it.
    pub(super) fn session_for(&self, runner: &Runner) -> Option<&PastSession> {
        self.session.as_ref().filter(|_| runner.label() == self.runner && runner.resumes())
    }

    /// The section of the brief about it; empty if there is nothing in the work tree.
    pub(super) fn section(&self) -> String {
        if self.files.is_empty() {
            return String::new();
        }
        let named: String = self.files.iter().take(NAMED).map(|file| format!("- {file}\n")).collect();
        let more = match self.files.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("\nand {more} more, which `git status` lists.\n"),
        };
        format!(
            "\n## In the work tree already\n\nAn earlier call of this step was interrupted, not because of its work. It has changed \
             these files, and they are as it left them. Look at them first, keep what is right, and go on from there.\n\n{named}{more}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_names_the_files_and_counts_the_rest() {
        assert_eq!(LeftWork::default().section(), "");
        let files: Vec<String> = (0..53).map(|number| format!("f{number}.rs")).collect();
        let section = LeftWork { files, ..LeftWork::default() }.section();
        assert!(section.starts_with("\n## In the work tree already\n"), "{section}");
        assert!(section.contains("- f49.rs\n") && !section.contains("f50.rs"), "{section}");
        assert!(section.ends_with("and 3 more, which `git status` lists.\n"), "{section}");
    }
}
