//! The settings: one row each, in the order of the documentation.

use super::choices::{BranchMode, CheckLevel, OnBlocked, Permissions, Push, SecretFiles};
use super::row::SettingRule;
use super::row::ValueType::{
    self, Count, Dollars, Folder, Number, Paths, Percent, Subject, Switch, Text, Time, Tokens, Words,
};
use crate::suggest;

/// The prefix of our variables.
pub(super) const PREFIX: &str = "ARBORIST_";

/// Makes the settings from their rows: key, environment variable (empty for none), type, default and description.
macro_rules! settings {
    ($($name:ident $key:literal $env:literal : $value:expr, $default:expr, $about:literal;)+) => {
        /// One setting.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Setting {
            $(#[doc = $about] $name,)+
        }

        impl Setting {
            /// All settings, in the order of the documentation.
            pub const ALL: [Self; [$($key),+].len()] = [$(Self::$name),+];

            /// The row of the table.
            #[must_use]
            pub fn rule(self) -> SettingRule {
                match self {
                    $(Self::$name => SettingRule {
                        key: $key,
                        env: match $env {
                            "" => None,
                            env => Some(env),
                        },
                        value: $value,
                        default: $default,
                        about: $about,
                    },)+
                }
            }
        }
    };
}

/// What happens when a check of the work finds something.
const CHECK: ValueType = Words { of: &CheckLevel::WORDS, told: "off, warn or require" };

settings! {
    Tree "tree" "ARBORIST_TREE": Text, None, "the file of the plan";
    Anchor "anchor" "ARBORIST_ANCHOR": Words { of: &crate::record::AnchorRule::WORDS, told: "plan or file" }, Some("plan"),
        "what begins a new run: `plan` for a new plan in its file, `file` for any change of that file";
    Branches "branches" "ARBORIST_BRANCHES": Words { of: &BranchMode::WORDS, told: "none, phase or task" }, Some("none"),
        "on which branches a run commits: `none` on the one that is checked out, `phase` on one for each phase, which is merged when the phase is complete";
    Base "base" "ARBORIST_BASE": Text, None,
        "the branch into which phases are merged; otherwise the one that is checked out when the run begins";
    Push "push" "ARBORIST_PUSH": Words { of: &Push::WORDS, told: "steps or ends" }, Some("steps"),
        "when `work` pushes what it has committed: after each of the `steps`, or rarely and when the work on the task `ends`";
    Patience "patience" "ARBORIST_PATIENCE": Time, Some("3m"),
        "for how long the remote repository may fail to answer before `work` gives up";
    ProtectDefaultBranch "protectDefaultBranch" "ARBORIST_PROTECT_DEFAULT_BRANCH": Switch, Some("false"),
        "whether a run refuses to commit on the default branch, such as `main`, instead of warning";
    BranchPattern "branchPattern" "ARBORIST_BRANCH_PATTERN": Text, Some("{spec}/task-{id}-{slug}"),
        "the branch that `autopilot` makes, with the `spec_id` of the plan (`{spec}` or `{tag}`), the id of the task and a short form of its name";
    FormatCommand "format.command" "ARBORIST_FORMAT_COMMAND": Text, None,
        "the command by which `autopilot` formats the finished work; its changes become a commit";
    LintCommand "lint.command" "ARBORIST_LINT_COMMAND": Text, None,
        "the command by which `autopilot` checks the finished work; its changes become a commit";
    LandTemplate "land.template" "ARBORIST_LAND_TEMPLATE": Text, Some("{name} ({id})\\n\\n{summary}\\n\\n{evidence}"),
        "the message of a landed commit, in which `\\n` ends a line, or `conventional`";
    LandType "land.type" "ARBORIST_LAND_TYPE": Text, Some("feat"), "what `{type}` stands for in the message of a landed commit";
    LandScope "land.scope" "ARBORIST_LAND_SCOPE": Text, None,
        "what `{scope}` stands for in the message of a landed commit; otherwise the `spec_id` of the plan";
    LandSignOff "land.signOff" "ARBORIST_LAND_SIGN_OFF": Switch, Some("false"),
        "whether you sign off landed commits, as `git commit --signoff` does";
    Runner "runner" "ARBORIST_RUNNER": Text, None, "the runner of all steps; those after a comma step in where the first has hit a limit, is not logged in or is missing";
    Model "model" "ARBORIST_MODEL": Text, None, "the model of all steps";
    ImplementRunner "implement.runner" "ARBORIST_STEP_IMPLEMENT_RUNNER": Text, None, "the runner that implements";
    ImplementModel "implement.model" "ARBORIST_STEP_IMPLEMENT_MODEL": Text, None, "the model that implements";
    ReviewRunner "review.runner" "ARBORIST_STEP_REVIEW_RUNNER": Text, None, "the runner that reviews; of several that are separated by commas, all must approve, and one after a `|` steps in for the one before it";
    ReviewModel "review.model" "ARBORIST_STEP_REVIEW_MODEL": Text, None, "the model that reviews: one for all reviewers, or one for each, separated by commas";
    Effort "effort" "ARBORIST_EFFORT": Text, None,
        "how much the models of claude, codex and opencode think, in their words, for example `high`";
    ReviewEffort "review.effort" "ARBORIST_STEP_REVIEW_EFFORT": Text, None, "the same for reviews";
    Permissions "permissions" "ARBORIST_PERMISSIONS": Words { of: &Permissions::WORDS, told: "edits or bypass" }, Some("edits"),
        "what claude may do without a question: everything but edits outside of the work tree, or, with `bypass`, everything; an older version that knows no difference always gets `bypass`";
    RedRunner "red.runner" "ARBORIST_STEP_RED_RUNNER": Text, None,
        "the runner that writes failing tests; otherwise the one that implements";
    RedModel "red.model" "ARBORIST_STEP_RED_MODEL": Text, None, "the model that writes failing tests";
    TestFirst "testFirst" "ARBORIST_TEST_FIRST": Switch, Some("false"),
        "whether an agent writes failing tests before the code";
    MaxAttempts "maxAttempts" "ARBORIST_MAX_ATTEMPTS": Count, Some("5"),
        "how many attempts a task has";
    MergeAttempts "mergeAttempts" "ARBORIST_MERGE_ATTEMPTS": Count, Some("3"),
        "how many attempts a finished task has that could not be merged with what others have done";
    TaskMaxCost "task.maxCost" "ARBORIST_TASK_MAX_COST": Dollars, None,
        "how many US dollars the steps of a task may cost, as far as the runners report it";
    TaskMaxTokens "task.maxTokens" "ARBORIST_TASK_MAX_TOKENS": Tokens, None,
        "how many tokens the steps of a task may use, as far as the runners report them, for example `500k`";
    TaskMaxTime "task.maxTime" "ARBORIST_TASK_MAX_TIME": Time, None,
        "how long the runners and tests of a task may work, all attempts together";
    RunnerTimeout "runnerTimeout" "ARBORIST_RUNNER_TIMEOUT": Time, Some("30m"), "how long a runner may work";
    TestTimeout "testTimeout" "ARBORIST_TEST_TIMEOUT": Time, Some("5m"), "how long a test command may take";
    HookTimeout "hookTimeout" "ARBORIST_HOOK_TIMEOUT": Time, Some("10m"),
        "how long git may take, including hooks, filters and signing";
    OnBlocked "onBlocked" "ARBORIST_ON_BLOCKED":
        Words { of: &OnBlocked::WORDS, told: "wait, ask or fail" }, Some("wait"),
        "what happens when an agent says that it is blocked: `wait` records its question and goes on with other tasks, `ask` puts it to you on a terminal, `fail` fails the attempt";
    SecretFiles "secretFiles" "ARBORIST_SECRET_FILES":
        Words { of: &SecretFiles::WORDS, told: "refuse, warn or off" }, Some("refuse"),
        "what happens to new files that look like a secret: `refuse` fails the attempt, `warn` names them, `off` does not look for them";
    LimitPatience "limitPatience" "ARBORIST_LIMIT_PATIENCE": Time, Some("2m"),
        "for how long an agent may wait for a limit, or call its service again, before it is ended; a step calls an agent again for as long";
    Silence "silence" "ARBORIST_SILENCE": Time, Some("20m"),
        "for how long an agent that reports events may print nothing, with no tool at work, before it is ended; after half of it, it counts as stalled";
    Review "review" "ARBORIST_REVIEW": Switch, Some("true"), "whether changes are reviewed";
    Approval "approval" "ARBORIST_APPROVAL": Switch, Some("false"),
        "whether you must approve each task before it is complete";
    TrustPlan "trustPlan" "ARBORIST_TRUST_PLAN": Switch, Some("false"),
        "whether the test commands of every plan run without a confirmation";
    TrustCounts "trust.counts" "ARBORIST_TRUST_COUNTS": CHECK, Some("require"),
        "what happens if no test ran, or fewer tests or more skipped ones than before the task; failed tests behind exit status 0 are always an error";
    TrustProtect "trust.protect" "ARBORIST_TRUST_PROTECT": CHECK, Some("require"),
        "what happens if tests from before a task fail with its change, or an agent changes instructions for agents";
    TrustCoverage "trust.coverage" "ARBORIST_TRUST_COVERAGE": CHECK, Some("warn"),
        "what happens if the tests cover less than they must";
    TrustProve "trust.prove" "ARBORIST_TRUST_PROVE": CHECK, Some("warn"),
        "what happens if a task cannot be proven before it is complete; `off` leaves that to `git arborist prove`";
    ProveTime "prove.time" "ARBORIST_PROVE_TIME": Time, Some("10m"),
        "how long the proof of a task may take; what is not proven by then stays unproven";
    PromptImplement "prompt.implement" "ARBORIST_PROMPT_IMPLEMENT": Text, None,
        "the file with your own template for the briefs of agents that implement";
    PromptRed "prompt.red" "ARBORIST_PROMPT_RED": Text, None,
        "the same for agents that write failing tests";
    PromptReview "prompt.review" "ARBORIST_PROMPT_REVIEW": Text, None, "the same for reviewers";
    PromptExtra "prompt.extra" "ARBORIST_PROMPT_EXTRA": Text, None,
        "the file with what is added to every brief, for example the conventions of a team";
    TrustSuite "trust.suite" "ARBORIST_TRUST_SUITE": CHECK, Some("warn"),
        "when the suite must pass: `warn` runs it after each phase, `require` also before each task is complete";
    Protect "protect" "ARBORIST_PROTECT": Paths, None,
        "further files that an agent must not change: patterns, separated by spaces; may be set several times";
    Confirm "confirm" "ARBORIST_CONFIRM": Number, Some("1"),
        "how often a failed test command is run again, because some tests fail at random";
    CoverageLines "coverage.lines" "ARBORIST_COVERAGE_LINES": Percent, None, "how many percent of all lines must be covered";
    CoverageBranches "coverage.branches" "ARBORIST_COVERAGE_BRANCHES": Percent, None,
        "how many percent of all branches must be covered";
    CoverageFunctions "coverage.functions" "ARBORIST_COVERAGE_FUNCTIONS": Percent, None,
        "how many percent of all functions must be covered";
    CoverageStatements "coverage.statements" "ARBORIST_COVERAGE_STATEMENTS": Percent, None,
        "how many percent of all statements must be covered";
    CoverageDiff "coverage.diff" "ARBORIST_COVERAGE_DIFF": Percent, None,
        "how many percent of the changed lines must be covered";
    WorktreeSetup "worktree.setup" "ARBORIST_WORKTREE_SETUP": Text, None,
        "the command that prepares a slot or a clean checkout, for example `npm ci`";
    WorktreeDir "worktree.dir" "ARBORIST_WORKTREE_DIR": Text, None,
        "the folder of the slots in which tasks are worked on at the same time, by default `NAME.arborist` beside the work tree; and of the clones of `git arborist work`, by default `TMPDIR`";
    WorktreeCopy "worktree.copy" "ARBORIST_WORKTREE_COPY": Paths, None,
        "ignored files and folders that a slot or a clean checkout gets, separated by spaces; may be set several times";
    Sandbox "sandbox" "ARBORIST_SANDBOX": Text, Some("none"),
        "the sandbox of agents: `none`, `bwrap`, `sandbox-exec`, or a command that is put before the agent";
    TestSandbox "test.sandbox" "ARBORIST_TEST_SANDBOX": Text, Some("none"),
        "the sandbox of test commands, of the suite and of `worktree.setup`: the same values";
    ReportDir "reportDir" "ARBORIST_REPORT_DIR": Folder, Some("spec/reports"), "the folder of reports";
    LogDir "logDir" "ARBORIST_LOG_DIR": Folder, Some("spec/logs"), "the folder of logs";
    Subject "subject" "ARBORIST_SUBJECT": Subject, Some("task({id}): {summary}"),
        "the subject of step commits, for example `chore({id}): {summary}` where a hook asks for Conventional Commits; `{id}` is that of the task or the phase";
    NotifyCommand "notify.command" "": Text, None,
        "the command that is told when a run needs you, when a task has failed, when a run waits for a usage limit, when a runner steps in for another, when an agent is stalled and when a run is done";
    PrEnabled "pr.enabled" "ARBORIST_PR_ENABLED": Switch, Some("true"), "whether pull requests are opened";
    PrBase "pr.base" "ARBORIST_PR_BASE": Text, Some("default"),
        "the branch into which pull requests are merged; `default` for the default branch of the remote repository";
    PrDraft "pr.draft" "ARBORIST_PR_DRAFT": Switch, Some("true"), "whether pull requests are opened as drafts";
    PrTemplate "pr.template" "ARBORIST_PR_TEMPLATE": Text, None,
        "the file in the work tree that is the text of pull requests, with `{report}` where the report belongs; otherwise that of the forge";
    PushRecord "push.record" "ARBORIST_PUSH_RECORD": Switch, None,
        "whether `pr`, `autopilot` and `land --push` also push the commits of the run, with attempts and the output of tests, to a reference that no branch shows; otherwise the first push asks";
    PrForge "pr.forge" "ARBORIST_PR_FORGE": Words { of: &["github", "gitlab", "gitea"], told: "github, gitlab or gitea" }, None,
        "the kind of forge, if the name of its host does not tell";
    Suite "suite" "ARBORIST_SUITE": Text, None,
        "the command that runs all tests: on a clean checkout after each phase, and for tasks to which `git arborist build` gives no other";
}

impl Setting {
    /// Those that a night needs, in the order in which people need them; all others are for special cases.
    pub const EVERYDAY: [Self; 10] = [
        Self::Runner,
        Self::Model,
        Self::ReviewRunner,
        Self::Suite,
        Self::WorktreeSetup,
        Self::MaxAttempts,
        Self::RunnerTimeout,
        Self::TestTimeout,
        Self::TaskMaxCost,
        Self::NotifyCommand,
    ];

    /// Those that define commands, permissions or sandboxes, trust plans, switch off the search for secrets, or name what is outside of the
    /// repository. The committed file must not set them: an agent can write that file, and it comes with a clone.
    pub const NOT_IN_FILE: [Self; 12] = [
        Self::Suite,
        Self::FormatCommand,
        Self::LintCommand,
        Self::NotifyCommand,
        Self::WorktreeSetup,
        Self::WorktreeDir,
        Self::WorktreeCopy,
        Self::Permissions,
        Self::Sandbox,
        Self::TestSandbox,
        Self::TrustPlan,
        Self::SecretFiles,
    ];

    /// All but those of [`Self::EVERYDAY`], by their keys.
    #[must_use]
    pub fn advanced() -> Vec<Self> {
        let mut others: Vec<Self> =
            Self::ALL.into_iter().filter(|setting| !Self::EVERYDAY.contains(setting)).collect();
        others.sort_by_key(|setting| setting.rule().key.to_ascii_lowercase());
        others
    }

    /// The setting with this key, compared as git compares keys.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.rule().key.eq_ignore_ascii_case(key))
    }

    /// The setting that an environment variable of this name was most likely meant for.
    #[must_use]
    pub fn misspelt_as(variable: &str) -> Option<Self> {
        let wanted = variable.strip_prefix(PREFIX)?;
        let rules = || Self::ALL.into_iter().map(Self::rule);
        let variables = rules().filter_map(|rule| rule.env?.strip_prefix(PREFIX));
        // People also write the key in capitals, as in ARBORIST_REVIEW_RUNNER.
        let meant = suggest::slip_of(wanted, variables.chain(rules().map(|rule| rule.key)))?;
        Self::ALL.into_iter().find(|setting| {
            let rule = setting.rule();
            rule.key == meant || rule.env.is_some_and(|name| name.strip_prefix(PREFIX) == Some(meant))
        })
    }

    /// Whether the value is one of a check, and weaker than its default.
    pub(super) fn is_weaker(self, text: &str) -> bool {
        let SettingRule { value, default, .. } = self.rule();
        let strength = |word: &str| CheckLevel::WORDS.iter().position(|known| *known == word);
        value == CHECK && strength(text) < default.and_then(strength)
    }
}
