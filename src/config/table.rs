//! The table of settings: names, types, defaults, and a description of each.

use super::duration::{DURATION, parse_duration};
use crate::suggest;

/// The prefix of our variables.
pub(super) const PREFIX: &str = "ARBORIST_";

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Setting {
    /// The tree file.
    Tree,
    /// What begins a run.
    Anchor,
    /// The runner of all steps.
    Runner,
    /// The model of all steps.
    Model,
    /// The runner that implements.
    ImplementRunner,
    /// The model that implements.
    ImplementModel,
    /// The runner that reviews.
    ReviewRunner,
    /// The model that reviews.
    ReviewModel,
    /// How many attempts a task has.
    MaxAttempts,
    /// How long a runner may work.
    RunnerTimeout,
    /// How long a test command may take.
    TestTimeout,
    /// How long a call of git may take, with hooks, filters and signing.
    HookTimeout,
    /// What happens when a hook refuses a commit.
    HookRefusal,
    /// What happens to new files that look like a secret.
    SecretFiles,
    /// How long a program may take to end when it is told to, before it is killed.
    Grace,
    /// How much space must be free before a runner is started, in MiB.
    MinFree,
    /// Whether changes are reviewed.
    Review,
    /// Whether a person must approve tasks before they are complete.
    Approval,
    /// Whether the test commands of plans run without a confirmation.
    TrustPlan,
    /// The folder of reports.
    ReportDir,
    /// The folder of logs.
    LogDir,
    /// Whether warnings of the message check are errors.
    Strict,
    /// Additional values of `Arborist-Step`.
    ExtraStep,
    /// Whether the commit-msg hook corrects obvious mistakes.
    HookFix,
    /// The command that runs all tests of the repository.
    Suite,
}

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// One line of text that is not empty.
    Text,
    /// A folder inside the work tree, with `/`.
    Folder,
    /// A whole number from 1.
    Count,
    /// A length of time of at least a second: seconds, or with a unit as in `30m`.
    Time,
    /// `true` or `false`, in the words that git knows.
    Switch,
    /// One of these words.
    Words {
        /// The words.
        of: &'static [&'static str],
        /// The words, as messages list them.
        told: &'static str,
    },
}

/// The names that a setting had in earlier versions.
#[derive(Clone, Copy, Debug)]
pub struct FormerNames {
    /// The key.
    pub key: &'static str,
    /// The environment variable.
    pub env: &'static str,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct SettingRule {
    /// The key after `arborist.`, which is also the key in the committed file.
    pub key: &'static str,
    /// The environment variable.
    pub env: &'static str,
    /// The key and the variable of earlier versions, which are still read.
    pub former: Option<FormerNames>,
    /// The type of its value.
    pub value: ValueType,
    /// The default.
    pub default: Option<&'static str>,
    /// Its description, as one clause for help and documentation.
    pub about: &'static str,
}

impl Setting {
    /// All settings, in the order of the documentation.
    pub const ALL: [Self; 25] = [
        Self::Tree,
        Self::Anchor,
        Self::Runner,
        Self::Model,
        Self::ImplementRunner,
        Self::ImplementModel,
        Self::ReviewRunner,
        Self::ReviewModel,
        Self::MaxAttempts,
        Self::RunnerTimeout,
        Self::TestTimeout,
        Self::HookTimeout,
        Self::HookRefusal,
        Self::SecretFiles,
        Self::Grace,
        Self::MinFree,
        Self::Review,
        Self::Approval,
        Self::TrustPlan,
        Self::ReportDir,
        Self::LogDir,
        Self::Strict,
        Self::ExtraStep,
        Self::HookFix,
        Self::Suite,
    ];

    /// The row of the table.
    #[must_use]
    pub fn rule(self) -> SettingRule {
        use ValueType::{Count, Folder, Switch, Text, Time, Words};
        let row =
            |key, env, value, default, about| SettingRule { key, env, former: None, value, default, about };
        match self {
            Self::Tree => row("tree", "ARBORIST_TREE", Text, None, "the tree file"),
            Self::Anchor => row(
                "anchor",
                "ARBORIST_ANCHOR",
                Words { of: &["plan", "file"], told: "plan or file" },
                Some("plan"),
                "what begins a new run: `plan` for a new plan in the tree file, `file` for any change of that file",
            ),
            Self::Runner => row("runner", "ARBORIST_RUNNER", Text, None, "the runner of all steps"),
            Self::Model => row("model", "ARBORIST_MODEL", Text, None, "the model of all steps"),
            Self::ImplementRunner => row(
                "implement.runner",
                "ARBORIST_STEP_IMPLEMENT_RUNNER",
                Text,
                None,
                "the runner that implements",
            ),
            Self::ImplementModel => row(
                "implement.model",
                "ARBORIST_STEP_IMPLEMENT_MODEL",
                Text,
                None,
                "the model that implements",
            ),
            Self::ReviewRunner => {
                row("review.runner", "ARBORIST_STEP_REVIEW_RUNNER", Text, None, "the runner that reviews")
            }
            Self::ReviewModel => {
                row("review.model", "ARBORIST_STEP_REVIEW_MODEL", Text, None, "the model that reviews")
            }
            Self::MaxAttempts => SettingRule {
                former: Some(FormerNames { key: "maxRetries", env: "ARBORIST_MAX_RETRIES" }),
                ..row(
                    "maxAttempts",
                    "ARBORIST_MAX_ATTEMPTS",
                    Count,
                    Some("5"),
                    "how many attempts a task has",
                )
            },
            Self::RunnerTimeout => row(
                "runnerTimeout",
                "ARBORIST_RUNNER_TIMEOUT",
                Time,
                Some("30m"),
                "how long a runner may work",
            ),
            Self::TestTimeout => row(
                "testTimeout",
                "ARBORIST_TEST_TIMEOUT",
                Time,
                Some("5m"),
                "how long a test command may take",
            ),
            Self::HookTimeout => row(
                "hookTimeout",
                "ARBORIST_HOOK_TIMEOUT",
                Time,
                Some("10m"),
                "how long git may take, including hooks, filters and signing",
            ),
            Self::HookRefusal => row(
                "hookRefusal",
                "ARBORIST_HOOK_REFUSAL",
                Words { of: &["stop", "attempt"], told: "stop or attempt" },
                Some("stop"),
                "what happens when a hook refuses a commit for the first time: `stop` ends the run, `attempt` fails \
                 the attempt",
            ),
            Self::SecretFiles => row(
                "secretFiles",
                "ARBORIST_SECRET_FILES",
                Words { of: &["refuse", "warn", "off"], told: "refuse, warn or off" },
                Some("refuse"),
                "what happens to new files that look like a secret: `refuse` fails the attempt, `warn` names them, \
                 `off` does not look for them",
            ),
            Self::Grace => row(
                "grace",
                "ARBORIST_GRACE",
                Time,
                Some("10s"),
                "how long a program may take to end when it is told to, before it is killed",
            ),
            Self::MinFree => row(
                "minFree",
                "ARBORIST_MIN_FREE",
                Count,
                Some("200"),
                "how many MiB must be free on the disk before a runner is started",
            ),
            Self::Review => {
                row("review", "ARBORIST_REVIEW", Switch, Some("true"), "whether changes are reviewed")
            }
            Self::Approval => row(
                "approval",
                "ARBORIST_APPROVAL",
                Switch,
                Some("false"),
                "whether you must approve each task before it is complete",
            ),
            Self::TrustPlan => row(
                "trustPlan",
                "ARBORIST_TRUST_PLAN",
                Switch,
                Some("false"),
                "whether the test commands of every plan run without a confirmation",
            ),
            Self::ReportDir => {
                row("reportDir", "ARBORIST_REPORT_DIR", Folder, Some("spec/reports"), "the folder of reports")
            }
            Self::LogDir => {
                row("logDir", "ARBORIST_LOG_DIR", Folder, Some("spec/logs"), "the folder of logs")
            }
            Self::Strict => row(
                "strict",
                "ARBORIST_STRICT",
                Switch,
                Some("false"),
                "whether `git arborist check` treats warnings as errors",
            ),
            Self::ExtraStep => row(
                "extraStep",
                "ARBORIST_EXTRA_STEP",
                Text,
                None,
                "additional values that are allowed for Arborist-Step, separated by spaces",
            ),
            Self::HookFix => row(
                "hook.fix",
                "ARBORIST_HOOK_FIX",
                Switch,
                Some("false"),
                "whether the commit-msg hook corrects obvious mistakes",
            ),
            Self::Suite => row(
                "suite",
                "ARBORIST_SUITE",
                Text,
                None,
                "the command that runs all tests; `git arborist build` gives it to tasks that have none",
            ),
        }
    }

    /// The setting with this key, compared as git compares keys.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|setting| setting.rule().keys().any(|known| known.eq_ignore_ascii_case(key)))
    }

    /// The setting that an environment variable of this name was most likely meant for.
    #[must_use]
    pub fn misspelt_as(variable: &str) -> Option<Self> {
        let wanted = variable.strip_prefix(PREFIX)?;
        let rules = || Self::ALL.into_iter().map(Self::rule);
        let variables = rules().flat_map(SettingRule::variables).filter_map(|name| name.strip_prefix(PREFIX));
        // People also write the key in capitals, as in ARBORIST_REVIEW_RUNNER.
        let meant = suggest::slip_of(wanted, variables.chain(rules().map(|rule| rule.key)))?;
        Self::ALL.into_iter().find(|setting| {
            let rule = setting.rule();
            rule.key == meant || rule.variables().any(|name| name.strip_prefix(PREFIX) == Some(meant))
        })
    }
}

impl SettingRule {
    /// The keys that set it; the preferred one comes first.
    pub fn keys(self) -> impl Iterator<Item = &'static str> + Clone {
        std::iter::once(self.key).chain(self.former.map(|former| former.key))
    }

    /// The environment variables that set it; the preferred one comes first.
    pub fn variables(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.env).chain(self.former.map(|former| former.env))
    }
}

impl ValueType {
    /// The text in its canonical form.
    ///
    /// # Errors
    /// What the text must be, if it is not valid: the words after "It must be".
    pub fn check(self, text: &str) -> Result<String, &'static str> {
        match self {
            Self::Text if text.trim().is_empty() || text.contains(['\n', '\0']) => Err("one line of text"),
            Self::Text => Ok(text.to_owned()),
            Self::Folder => folder(text).ok_or("a folder inside the work tree, for example spec/logs"),
            Self::Count => number(text).ok_or("a whole number from 1"),
            Self::Time => parse_duration(text).map(|time| time.as_secs().to_string()).ok_or(DURATION),
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Ok("true".to_owned()),
                "false" | "no" | "off" | "0" | "" => Ok("false".to_owned()),
                _ => Err("true or false"),
            },
            Self::Words { of, told } => {
                let word = of.iter().find(|word| word.eq_ignore_ascii_case(text.trim()));
                word.map(|word| (*word).to_owned()).ok_or(told)
            }
        }
    }
}

fn number(text: &str) -> Option<String> {
    text.trim().parse::<std::num::NonZeroU32>().ok().map(|number| number.to_string())
}

/// A relative path without `.`, `..` or empty parts, and not inside a git directory.
fn folder(text: &str) -> Option<String> {
    let path = text.strip_suffix('/').unwrap_or(text);
    let part = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    let plain = !path.chars().any(|c| c.is_control() || c == '\\' || c == ':');
    (plain && path.split('/').all(part)).then(|| path.to_owned())
}
