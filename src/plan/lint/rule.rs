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

/// What is known about a rule.
struct Row {
    id: &'static str,
    name: &'static str,
    level: LintLevel,
    about: &'static str,
    why: &'static str,
}

/// Makes the rules from their rows, in the order of their ids.
macro_rules! rules {
    ($($rule:ident $id:literal $name:literal $level:ident { about: $about:literal, why: $why:literal, })+) => {
        /// A rule for plans.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LintRule {
            $(#[doc = $about] $rule,)+
        }

        impl LintRule {
            /// All rules, in the order of their ids.
            pub const ALL: [Self; [$($id),+].len()] = [$(Self::$rule),+];

            fn row(self) -> Row {
                match self {
                    $(Self::$rule => Row { id: $id, name: $name, level: LintLevel::$level, about: $about, why: $why },)+
                }
            }
        }
    };
}

rules! {
    Invalid "P001" "invalid-plan" Error {
        about: "the file is not a valid plan",
        why: "No task of the plan can run before this is corrected: the JSON is broken, an id is used twice or not \
            at all, parents and children contradict each other, or the dependencies form a cycle.",
    }
    DoubtfulValue "P002" "doubtful-value" Warning {
        about: "a value is ignored because it contradicts others",
        why: "git-arborist computes what follows from the rest of the plan, for example the order of execution. A \
            different value in the file has no effect, but readers of the file will expect it to have one.",
    }
    NoTests "P003" "no-tests" Warning {
        about: "a task has no command that tests it",
        why: "The tests of a task judge the work of the agent. Without them, only the review stands between a wrong \
            change and a complete task.",
    }
    Placeholder "P004" "placeholder" Warning {
        about: "a text still contains a placeholder",
        why: "Templates of plans contain words such as TODO or [Entity]. An agent takes them literally, or guesses.",
    }
    ShortDescription "P005" "short-description" Warning {
        about: "the description of a task has fewer than 20 characters",
        why: "The description is all that an agent knows about a task besides its name and its tests.",
    }
    SameFiles "P006" "same-files" Warning {
        about: "two tasks touch the same files, and neither waits for the other",
        why: "Tasks without an order may run in any order, or at the same time. If both change the same files, the \
            second one changes what the first has just written, or conflicts with it.",
    }
    UnknownField "P007" "unknown-field" Warning {
        about: "a field is not known and has no effect",
        why: "Fields that git-arborist does not know are ignored, so that other tools may have their own. A misspelt \
            field is ignored in the same way.",
    }
    EmptyPhase "P008" "empty-phase" Warning {
        about: "a phase has no tasks",
        why: "An entry without children is a task and is executed, even if is_leaf says that it is not one.",
    }
    Twins "P009" "ids-differ-in-case" Warning {
        about: "two ids differ only in case",
        why: "Ids become names of files and branches, and some file systems do not distinguish upper case from lower \
            case.",
    }
    UnknownFramework "P010" "unknown-framework" Warning {
        about: "the framework of a test command is not known",
        why: "The counts of passed and failed tests are read from the output of the framework. If its name is not \
            known, no counts are recorded.",
    }
    NoEffect "P011" "no-effect" Warning {
        about: "a field is known, but nothing acts on it in this version",
        why: "The format of plans has fields that this version of git-arborist reads and checks, but does not \
            obey. Do not rely on them.",
    }
    PassingTests "P012" "passing-tests" Warning {
        about: "the tests of a task pass before anything was done for it (only with --run)",
        why: "Tests that pass without the work cannot show that it was done: an agent that changes nothing useful \
            passes them as well. Only `lint --run` looks for this, because it executes the test commands.",
    }
    OldTests "P013" "old-tests" Warning {
        about: "a task changes, renames, removes, migrates or deprecates something, and `may_change` is empty",
        why: "Such a task often contradicts tests that are there already. The agent must not change them, so the \
            attempt fails. `may_change` names the tests that the task may change.",
    }
    NamelessTests "P014" "nameless-tests" Warning {
        about: "the tests that a task writes may fail, but its test commands do not name all that fail",
        why: "A test that is written before its code is awaited by its name. A command that ends at the first \
            failure, or names no tests, or says nothing if a test does not build, does not tell which tests these are.",
    }
    Document "P015" "document" Warning {
        about: "a document does not exist, leads out of the repository or cannot be read",
        why: "Agents are told to read the documents of a task before they begin. What does not exist, is not text, has \
            more than 1 MiB, or is reached by a link that leads out of the repository is not named to them.",
    }
}

impl LintRule {
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
