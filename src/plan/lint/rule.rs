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
    rule: LintRule,
    id: &'static str,
    name: &'static str,
    level: LintLevel,
    about: &'static str,
    why: &'static str,
}

/// What most rules have in common.
const WARNING: Row =
    Row { rule: LintRule::Invalid, id: "", name: "", level: LintLevel::Warning, about: "", why: "" };

/// All rules, in the order of their ids, which is that of [`LintRule`].
const TABLE: [Row; 15] = [
    Row {
        rule: LintRule::Invalid,
        id: "P001",
        name: "invalid-plan",
        level: LintLevel::Error,
        about: "the file is not a valid plan",
        why: "No task of the plan can run before this is corrected: the JSON is broken, an id is used twice or not \
         at all, parents and children contradict each other, or the dependencies form a cycle.",
    },
    Row {
        rule: LintRule::DoubtfulValue,
        id: "P002",
        name: "doubtful-value",
        about: "a value is ignored because it contradicts others",
        why: "git-arborist computes what follows from the rest of the plan, for example the order of execution. A \
         different value in the file has no effect, and whoever reads the file expects something else.",
        ..WARNING
    },
    Row {
        rule: LintRule::NoTests,
        id: "P003",
        name: "no-tests",
        about: "a task has no command that tests it",
        why: "The tests of a task judge the work of the agent. Without them, only the review stands between a wrong \
         change and a complete task.",
        ..WARNING
    },
    Row {
        rule: LintRule::Placeholder,
        id: "P004",
        name: "placeholder",
        about: "a text still contains a placeholder",
        why: "Templates of plans contain words such as TODO or [Entity]. An agent takes them literally, or guesses.",
        ..WARNING
    },
    Row {
        rule: LintRule::ShortDescription,
        id: "P005",
        name: "short-description",
        about: "the description of a task has fewer than 20 characters",
        why: "The description is all that an agent knows about a task besides its name and its tests.",
        ..WARNING
    },
    Row {
        rule: LintRule::SameFiles,
        id: "P006",
        name: "same-files",
        about: "two tasks touch the same files, and neither waits for the other",
        why: "Tasks without an order may run in any order, or at the same time. If both change the same files, the \
         second one changes what the first has just written, or conflicts with it.",
        ..WARNING
    },
    Row {
        rule: LintRule::UnknownField,
        id: "P007",
        name: "unknown-field",
        about: "a field is not known and has no effect",
        why: "Fields that git-arborist does not know are ignored, so that other tools may have their own. A misspelt \
         field is ignored in the same way.",
        ..WARNING
    },
    Row {
        rule: LintRule::EmptyPhase,
        id: "P008",
        name: "empty-phase",
        about: "a phase has no tasks",
        why: "An entry without children is a task and is executed, even if is_leaf says that it is not one.",
        ..WARNING
    },
    Row {
        rule: LintRule::Twins,
        id: "P009",
        name: "ids-differ-in-case",
        about: "two ids differ only in case",
        why: "Ids become names of files and branches, and some file systems do not distinguish upper case from lower \
         case.",
        ..WARNING
    },
    Row {
        rule: LintRule::UnknownFramework,
        id: "P010",
        name: "unknown-framework",
        about: "the framework of a test command is not known",
        why: "The counts of passed and failed tests are read from the output of the framework. If its name is not \
         known, no counts are recorded.",
        ..WARNING
    },
    Row {
        rule: LintRule::NoEffect,
        id: "P011",
        name: "no-effect",
        about: "a field is known, but nothing acts on it in this version",
        why: "The format of plans has fields that this version of git-arborist reads and checks, but does not \
         obey. Do not rely on them: files outside of may_change may be changed.",
        ..WARNING
    },
    Row {
        rule: LintRule::PassingTests,
        id: "P012",
        name: "passing-tests",
        about: "the tests of a task pass before anything was done for it (only with --run)",
        why: "Tests that pass without the work cannot show that it was done: an agent that changes nothing useful \
         passes them as well. Only `lint --run` looks for this, because it executes the test commands.",
        ..WARNING
    },
    Row {
        rule: LintRule::OldTests,
        id: "P013",
        name: "old-tests",
        about: "a task changes, renames, removes, migrates or deprecates something, and may_change is empty",
        why: "Such a task often contradicts tests that are there already. The agent must not change them, so the \
         attempt fails. `may_change` names the tests that the task may change.",
        ..WARNING
    },
    Row {
        rule: LintRule::NamelessTests,
        id: "P014",
        name: "nameless-tests",
        about: "the tests that a task writes may fail, but its test commands do not name all that fail",
        why: "A test that is written before its code is awaited by its name. A command that ends at the first \
         failure, or names no tests, or says nothing if a test does not build, does not tell which tests these are.",
        ..WARNING
    },
    Row {
        rule: LintRule::Document,
        id: "P015",
        name: "document",
        about: "a document does not exist, leads out of the repository or cannot be read",
        why: "Agents are told to read the documents of a task before they begin. What does not exist, is not text, has \
         more than 1 MiB, or is reached by a link that leads out of the repository is not named to them.",
        ..WARNING
    },
];

impl LintRule {
    /// All rules, in the order of their ids.
    pub const ALL: [Self; TABLE.len()] = {
        let mut rules = [Self::Invalid; TABLE.len()];
        let mut at = 0;
        while at < rules.len() {
            rules[at] = TABLE[at].rule;
            assert!(rules[at] as usize == at, "the table has the rules in their order");
            at += 1;
        }
        rules
    };

    fn row(self) -> &'static Row {
        static ROWS: [Row; TABLE.len()] = TABLE;
        &ROWS[self as usize]
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
