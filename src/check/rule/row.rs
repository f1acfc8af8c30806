//! Defines the levels of rules, and the rows of the table that describe them.

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It is not reported.
    Off,
    /// It is reported, but does not fail the check.
    Warning,
    /// It fails the check.
    Error,
}

impl Level {
    /// The level with this name, as written in git's configuration.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Off, Self::Warning, Self::Error].into_iter().find(|level| level.word() == word)
    }

    /// Its name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Its id, which never changes.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its default level.
    pub level: Level,
    /// What it finds, as a clause.
    pub about: &'static str,
    /// Why this matters, and what to do, in sentences.
    pub why: &'static str,
    /// A message or a history that breaks it.
    pub wrong: &'static str,
    /// The same, corrected.
    pub right: &'static str,
}

/// Makes the rules, and a row for each of them, from one list.
macro_rules! rules {
    ($($rule:ident $id:literal $name:literal $level:ident {
        about: $about:literal, why: $why:literal, wrong: $wrong:expr, right: $right:expr,
    })+) => {
        /// A rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $about] $rule),+
        }

        impl Rule {
            /// All rules, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$rule),+];
        }

        /// The rows of all rules: what a message must not do, what it should not do, and what a history shows.
        pub const RULES: &[RuleInfo] = &[$(RuleInfo {
            id: $id,
            name: $name,
            level: Level::$level,
            about: $about,
            why: $why,
            wrong: $wrong,
            right: $right,
        }),+];
    };
}
pub(super) use rules;
