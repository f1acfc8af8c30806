//! Defines rules: their names, their levels, and the rows of the table that describe them.

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
    /// The rule.
    pub rule: Rule,
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

macro_rules! rules {
    ($($name:ident $about:literal)+) => {
        /// A rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $(#[doc = $about] $name),+ }

        impl Rule {
            /// All rules, by id.
            pub const ALL: &[Self] = &[$(Self::$name),+];
        }
    };
}

rules! {
    BlockNotSeen "A001" BlockSplit "A002" BlockDirty "A003" NoSubject "A004" NoTrailers "A005" BadSubject "A006"
    StepMissing "A007" PhaseMismatch "A008" UnknownKey "A010" KeyCase "A011" BadValue "A012" NotInteger "A013"
    NotNumber "A014" EmptyValue "A015" Folded "A016" Duplicate "A017" Required "A018" NotForStep "A019" BadPath "A020"
    BadBytes "A021" AgentAtWork "A022" OpenPhase "A023"
    Divider "W101" MissingFile "W102" PassWithFailures "W103" Sparse "W104" UnseenTrailer "W105" Autosquash "W106"
    UnknownTask "W107" GitDisagrees "W108" Contradiction "W109" SameTwice "W110" OddRetry "W111"
    StepOrder "H201" RetryJump "H202" ArtifactNotCommitted "H203" Interleaved "H204" AfterComplete "H205"
    StepsLost "H206" SideBySide "H207" UnclearRevert "H208" OldPlan "H209" PassedWithError "H210" ChangedAfterReview "H211"
    UnfoundedLanding "H212" NotAttested "H213" JudgesChanged "H214"
}
