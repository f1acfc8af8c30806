//! The table of the lint rules.

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LintLevel {
    /// The plan cannot be used.
    Error,
    /// It can be used, but it will probably not do what was meant.
    Warning,
}

impl LintLevel {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A rule for plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LintRule {
    /// The file is not a valid plan.
    Invalid,
    /// A value has no effect, or is ignored because it contradicts another.
    DoubtfulValue,
    /// A task has no test command.
    NoTests,
    /// A text still contains a placeholder.
    Placeholder,
    /// A description says too little.
    ShortDescription,
    /// Two tasks without an order touch the same files.
    SameFiles,
    /// A field is not known.
    UnknownField,
    /// A phase has no tasks.
    EmptyPhase,
    /// Two ids differ only in case.
    Twins,
    /// A test framework is not known.
    UnknownFramework,
    /// Nothing acts on a field in this version.
    NoEffect,
    /// The tests of a task pass before its first step.
    PassingTests,
    /// A task that changes what tests expect may not change tests.
    OldTests,
    /// The tests of a task may fail, but its commands do not name them.
    NamelessTests,
    /// A document cannot be read.
    Document,
}

/// What is known about a rule.
struct Row {
    id: &'static str,
    name: &'static str,
    level: LintLevel,
    about: &'static str,
    why: &'static str,
}

impl LintRule {
    /// All rules, in the order of their ids.
    pub const ALL: [Self; 15] = [
        Self::Invalid,
        Self::DoubtfulValue,
        Self::NoTests,
        Self::Placeholder,
        Self::ShortDescription,
        Self::SameFiles,
        Self::UnknownField,
        Self::EmptyPhase,
        Self::Twins,
        Self::UnknownFramework,
        Self::NoEffect,
        Self::PassingTests,
        Self::OldTests,
        Self::NamelessTests,
        Self::Document,
    ];

    fn row(self) -> Row {
        let row = |id, name, level, about, why| Row { id, name, level, about, why };
        let warning = |id, name, about, why| row(id, name, LintLevel::Warning, about, why);
        match self {
            Self::Invalid => row(
                "P001",
                "invalid-plan",
                LintLevel::Error,
                "the file is not a valid plan",
                "No task of the plan can run before this is corrected: the JSON is broken, an id is used twice or not \
                 at all, parents and children contradict each other, or the dependencies form a cycle.",
            ),
            Self::DoubtfulValue => warning(
                "P002",
                "doubtful-value",
                "a value is ignored because it contradicts others",
                "git-arborist computes what follows from the rest of the plan, for example the order of execution. A \
                 different value in the file has no effect, and whoever reads the file expects something else.",
            ),
            Self::NoTests => warning(
                "P003",
                "no-tests",
                "a task has no command that tests it",
                "The tests of a task judge the work of the agent. Without them, only the review stands between a wrong \
                 change and a complete task.",
            ),
            Self::Placeholder => warning(
                "P004",
                "placeholder",
                "a text still contains a placeholder",
                "Templates of plans contain words such as TODO or [Entity]. An agent takes them literally, or guesses.",
            ),
            Self::ShortDescription => warning(
                "P005",
                "short-description",
                "the description of a task has fewer than 20 characters",
                "The description is all that an agent knows about a task besides its name and its tests.",
            ),
            Self::SameFiles => warning(
                "P006",
                "same-files",
                "two tasks touch the same files, and neither waits for the other",
                "Tasks without an order may run in any order, or at the same time. If both change the same files, the \
                 second one changes what the first has just written, or conflicts with it.",
            ),
            Self::UnknownField => warning(
                "P007",
                "unknown-field",
                "a field is not known and has no effect",
                "Fields that git-arborist does not know are ignored, so that other tools may have their own. A misspelt \
                 field is ignored in the same way.",
            ),
            Self::EmptyPhase => warning(
                "P008",
                "empty-phase",
                "a phase has no tasks",
                "A node without children is a task and is executed, even if is_leaf says that it is not one.",
            ),
            Self::Twins => warning(
                "P009",
                "ids-differ-in-case",
                "two ids differ only in case",
                "Ids become names of files and branches, and some file systems do not distinguish upper case from lower \
                 case.",
            ),
            Self::UnknownFramework => warning(
                "P010",
                "unknown-framework",
                "the framework of a test command is not known",
                "The counts of passed and failed tests are read from the output of the framework. If its name is not \
                 known, no counts are recorded.",
            ),
            Self::NoEffect => warning(
                "P011",
                "no-effect",
                "a field is known, but nothing acts on it in this version",
                "The format of plans has fields that this version of git-arborist reads and checks, but does not \
                 obey. Do not rely on them: files outside of may_change may be changed.",
            ),
            Self::PassingTests => warning(
                "P012",
                "passing-tests",
                "the tests of a task pass before anything was done for it (only with --run)",
                "Tests that pass without the work cannot show that it was done: an agent that changes nothing useful \
                 passes them as well. Only `lint --run` looks for this, because it executes the test commands.",
            ),
            Self::OldTests => warning(
                "P013",
                "old-tests",
                "a task changes, renames, removes, migrates or deprecates something, and may_change is empty",
                "Such a task often contradicts tests that are there already. The agent must not change them, so the \
                 attempt fails. `may_change` names the tests that the task may change.",
            ),
            Self::NamelessTests => warning(
                "P014",
                "nameless-tests",
                "the tests that a task writes may fail, but its test commands do not name all that fail",
                "A test that is written before its code is awaited by its name. A command that ends at the first \
                 failure, or names no tests, or says nothing if a test does not build, does not tell which tests these are.",
            ),
            Self::Document => warning(
                "P015",
                "document",
                "a document does not exist, leads out of the repository or cannot be read",
                "Agents are told to read the documents of a task before they begin. What does not exist, is not text, has \
                 more than 1 MiB, or is reached by a link that leads out of the repository is not named to them.",
            ),
        }
    }

    /// Its id, for example `P003`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How serious its findings are.
    #[must_use]
    pub fn level(self) -> LintLevel {
        self.row().level
    }

    /// What it finds, as a clause.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.row().about
    }

    /// Why it exists, in whole sentences.
    #[must_use]
    pub fn why(self) -> &'static str {
        self.row().why
    }

    /// The rule with this id or name, in any case.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.id().eq_ignore_ascii_case(id) || rule.name() == id)
    }
}
