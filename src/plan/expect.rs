//! What kind of change a task makes, and so what proves it.

use super::words::words;

words! {
    /// The kind of change that a task makes (the field `expect`).
    #[derive(Default)]
    Expect {
        /// Behaviour changes: a test fails without the change.
        #[default]
        Change = "change",
        /// Behaviour stays: the same tests give the same results before and after.
        Refactor = "refactor",
        /// Tests are written. They may fail until a later task writes the code.
        Tests = "tests",
        /// Only documentation changes, or declarations without behaviour.
        Docs = "docs",
        /// The environment is set up: dependencies, tools, settings.
        Config = "config",
    }
}

impl Expect {
    /// Whether a task of this kind is complete although nothing was proven, because no test can tell anything about it.
    pub fn needs_no_proof(self) -> bool {
        matches!(self, Self::Docs | Self::Config)
    }
}
