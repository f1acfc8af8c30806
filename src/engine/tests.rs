//! Tests whole steps of the engine: that a new row in the table of steps needs no other code, and that one process can
//! settle a unit that another one began.
//!
//! Programs run under a helper process, which is `git-arborist` itself: `cargo test` builds it before these tests run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::run_loop::run::Engine;
use super::run_loop::run::TaskEnd;
use super::step::budget::{Budget, Reached};
use super::step::context::{RunContext, RunPart, Runners};
use super::step::limits::{Pause, TimeLimits};
use super::step::settings::{
    Backoff, CoverageSettings, FirstRefusal, OnBlocked, ReviewSettings, SecretFiles, TrustSettings,
};
use super::step::settings::{Settings, TaskSettings};
use super::tree::journal::Journal;
use super::tree::preflight::DirtyTree;
use super::{EventLine, Observer};
use crate::agents::{Independence, Lookup, RunnerChain};
use crate::config::{CheckLevel, Config, Environment};
use crate::engine::tree::handover::Handover;
use crate::error::Kind;
use crate::git::{ConfigEntry, DiscoveryStart, Git, WorkTree};
use crate::history::Repository;
use crate::plan::{NodeIx, PerTask};
use crate::process::{CallLimit, Cancel, Secrets};
use crate::record::{Cost, Role, TaskId, Tokens, Usage};
use crate::run::{BriefSettings, JournalView, Plan};
use crate::workflow::{BriefLimits, FailedTask, Gate, Pipeline, Policy};
use crate::worktree::{ScratchPlaces, ScratchPrograms, Scratches, tag_of};

const TREE: &str = r#"{"nodes": {"T1": {"id": "T1", "name": "One", "test_commands": [{"type": "unit", "command": "test -f T1.txt"}]}}}"#;

/// Implements, approves reviews, and rejects the first audit. It keeps its prompts in the git directory.
const AGENT: &str = r#"
attempt=$ARBORIST_ATTEMPT
cat > "$(git rev-parse --path-format=absolute --git-common-dir)/prompt-$ARBORIST_STEP-$attempt"
case $ARBORIST_STEP in
implement) echo "attempt $attempt" > "$ARBORIST_TASK.txt" ;;
audit) if [ "$attempt" = 0 ]; then echo 'It is too short.'; echo REJECTED; else echo APPROVED; fi ;;
*) echo APPROVED ;;
esac
"#;

/// An observer that ignores all events.
struct SilentObserver;

impl Observer for SilentObserver {
    fn receive(&self, _: EventLine) {}
}

/// A repository with a plan of one task.
struct Fixture {
    top: PathBuf,
    git: Git,
    repository: Repository,
    work_tree: WorkTree,
    config: Config,
    plan: Plan,
}

fn git_in(top: &Path, args: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(top).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path();
    git_in(top, &["init", "--quiet", "--initial-branch=main"]);
    for (key, value) in [("user.name", "A U Thor"), ("user.email", "author@example.com")] {
        git_in(top, &["config", key, value]);
    }
    std::fs::write(top.join("task-tree.json"), TREE).unwrap();
    git_in(top, &["add", "."]);
    git_in(top, &["commit", "--quiet", "--message=plan"]);
    dir
}

impl Fixture {
    fn open(top: &Path) -> Self {
        let git = Git::find(top).unwrap().discovering_from_folder_alone();
        let work_tree = git.work_tree().unwrap();
        let repository = Repository::open(DiscoveryStart::Folder(top.to_owned()), git.program()).unwrap();
        let entry = |key: &str, value: &str| ConfigEntry {
            scope: "local".to_owned(),
            origin: "file:.git/config".to_owned(),
            key: format!("arborist.{key}"),
            value: value.to_owned(),
        };
        let entries = [entry("runner", "mine"), entry("runner.mine.command", AGENT)];
        let config = Config::load(&Environment::default(), &entries, &work_tree.top, &[]).unwrap();
        let plan = Plan::load(&config, &work_tree.top, &work_tree.top).unwrap();
        let git = git.in_dir(&work_tree.top);
        Self { top: work_tree.top.clone(), git, repository, work_tree, config, plan }
    }

    fn leaf(&self) -> NodeIx {
        self.plan.tree.find("T1").unwrap()
    }

    fn context(&self, pipeline: Pipeline) -> RunContext<'_> {
        let minute = Duration::from_secs(60);
        let policy = Policy {
            max_attempts: std::num::NonZeroU32::new(3).unwrap(),
            merge_attempts: std::num::NonZeroU32::new(3).unwrap(),
            pipeline,
            gate: Gate::Open,
            failed: FailedTask::Leave,
        };
        let cancel = Cancel::new();
        let lookup = Lookup::new(&Environment::of_process(), &self.top);
        let choose = |role| RunnerChain::choose(&self.config, &lookup, role).unwrap();
        let (implement, reviewers) = (choose(Role::Implementer), vec![choose(Role::Reviewer)]);
        let runners = Runners { implement, red: None, reviewers };
        RunContext {
            git: self.git.clone().with_limit(CallLimit::new(minute, &cancel)),
            work_tree: self.work_tree.clone(),
            repository: &self.repository,
            plan: &self.plan,
            phases: None,
            part: RunPart::Whole,
            settings: Settings {
                slot_folder: None,
                tasks: PerTask::same(
                    &self.plan.tree,
                    TaskSettings { policy, runner_timeout: minute, budget: Budget::default() },
                ),
                test_timeout: minute,
                confirm: 0,
                trust: TrustSettings {
                    tests: CheckLevel::Warn,
                    counts: CheckLevel::Require,
                    baseline: CheckLevel::Off,
                    protect: CheckLevel::Require,
                    rewritten_tests: CheckLevel::Warn,
                    merge: CheckLevel::Require,
                    protected: Vec::new(),
                    prove: CheckLevel::Off,
                    prove_time: minute,
                    suite: CheckLevel::Off,
                },
                coverage: CoverageSettings {
                    level: CheckLevel::Off,
                    lines: None,
                    branches: None,
                    functions: None,
                    statements: None,
                    diff: None,
                },
                suite: None,
                hook_timeout: minute,
                grace: minute,
                min_free: 0,
                attribution: None,
                records_runner: true,
                report_dir: "spec/reports".to_owned(),
                log_dir: "spec/logs".to_owned(),
                first_refusal: FirstRefusal::Stop,
                on_blocked: OnBlocked::Wait,
                secret_files: SecretFiles::Refuse,
                backoff: Backoff::None,
                limit_margin: Duration::from_secs(1),
                retries: 0,
                retry_pause: Duration::from_secs(1),
                stall: Duration::from_secs(600),
                resume_session: false,
                transcripts: 9,
                review: ReviewSettings { fixes: false, probe: false },
                brief: BriefSettings {
                    limits: BriefLimits {
                        diff: 60_000,
                        feedback: 20_000,
                        done_before: 6000,
                        not_yours: 3000,
                    },
                    protects: true,
                    suite: None,
                    implement: None,
                    red: None,
                    review: None,
                    extra: String::new(),
                },
                independence: Independence::default(),
                user_attributes: None,
            },
            runners: PerTask::same(&self.plan.tree, Some(runners)),
            shell: PathBuf::from("/bin/sh"),
            observer: &SilentObserver,
            cancel,
            secrets: Secrets::of(std::iter::empty::<(&OsString, &OsString)>()),
            tag: tag_of(&self.work_tree),
            time: TimeLimits::default(),
            budget: Budget::default(),
            lock: None,
            local_env: self.git.local_env_vars().unwrap(),
            sandbox: None,
            trace: super::step::trace_context::TraceContext::new(None, &[]),
            scratches: Scratches {
                git: self.git.clone(),
                work_tree: self.work_tree.clone(),
                places: ScratchPlaces::beside(&self.work_tree, []),
                copy: Vec::new(),
                setup: None,
                setup_timeout: minute,
                programs: ScratchPrograms {
                    shell: PathBuf::from("/bin/sh"),
                    local_env: Vec::new(),
                    grace: minute,
                    cancel: Cancel::new(),
                    secrets: Secrets::default(),
                    sandbox: None,
                },
            },
        }
    }

    fn subjects(&self) -> Vec<String> {
        let log = git_in(&self.top, &["log", "--reverse", "--format=%s"]);
        log.lines().skip(1).map(str::to_owned).collect()
    }
}

#[test]
fn the_engine_runs_a_new_row_of_the_table_of_steps_like_any_other() {
    let dir = repository();
    let fixture = Fixture::open(dir.path());
    let context = fixture.context(Pipeline::AUDITED);
    let mut engine = Engine::open(&context, DirtyTree::Refuse).unwrap();
    assert_eq!(engine.run_task(fixture.leaf(), FailedTask::Leave).unwrap(), TaskEnd::Done);
    engine.close().unwrap();
    assert_eq!(
        fixture.subjects(),
        [
            r#"task(T1): implement "One""#,
            r#"task(T1): tests pass for "One""#,
            r#"task(T1): review approved for "One""#,
            r#"task(T1): audit failed for "One" (attempt 1/3)"#,
            r#"task(T1): implement "One""#,
            r#"task(T1): tests pass for "One""#,
            r#"task(T1): review approved for "One""#,
            r#"task(T1): audit passed for "One""#,
            r#"task(T1): complete "One""#,
        ]
    );
    let trailers = git_in(&fixture.top, &["log", "-1", "--skip=1", "--format=%(trailers:only)"]);
    assert!(trailers.starts_with("Arborist-Step: audit\nArborist-Review: approved\nArborist-Retry: 1\n"));
    let prompt = |name: &str| std::fs::read_to_string(fixture.top.join(".git").join(name)).unwrap();
    assert!(prompt("prompt-audit-0").starts_with("## Task\n\nReview the change for task T1: One\n"));
    assert!(prompt("prompt-audit-0").contains("+attempt 0"), "a prompt that asks for the diff shows it");
    assert!(prompt("prompt-implement-1").contains("It is too short."));
}

/// Names the variable with the repository in which the other process begins a unit.
const BEGIN_IN: &str = "GIT_ARBORIST_TEST_BEGINS_A_UNIT_IN";

/// Runs as the other process of the tests below. It does nothing unless they start it.
#[test]
#[ignore = "other tests run it in a process of its own"]
fn begin_a_unit() {
    let top = std::env::var_os(BEGIN_IN).expect("other tests start this one and set the variable");
    let fixture = Fixture::open(Path::new(&top));
    let context = fixture.context(Pipeline::REVIEWED);
    let mut engine = Engine::open(&context, DirtyTree::Refuse).unwrap();
    engine.hand_out(fixture.leaf()).unwrap();
}

fn begin_in_another_process(top: &Path) {
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", "engine::tests::begin_a_unit", "--ignored"]).env(BEGIN_IN, top);
    let output = other.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

#[test]
fn a_unit_that_one_process_began_is_settled_by_another() {
    let dir = repository();
    begin_in_another_process(dir.path());
    let fixture = Fixture::open(dir.path());
    let context = fixture.context(Pipeline::REVIEWED);
    let refused = Engine::open(&context, DirtyTree::Refuse).err().unwrap();
    assert_eq!(refused.kind(), Kind::Busy, "{refused}");
    std::fs::write(fixture.top.join("T1.txt"), "by hand\n").unwrap();
    let (mut engine, unit) = Engine::resume(&context).unwrap();
    let step = JournalView::read(&fixture.work_tree.git_dir).unit.expect("the journal has the unit");
    assert_eq!(step.unit.begun, unit.begun(), "those who only read the journal see the same step");
    assert!(step.is_open() && step.plan().is_some() && step.began.is_some());
    assert!(
        unit.prompt.as_ref().is_some_and(|prompt| prompt.starts_with("## Task\n\nImplement task T1: One\n"))
    );
    engine.settle(&unit, &Handover::by_hand("me", b"I wrote it.", Duration::from_secs(5))).unwrap();
    engine.close().unwrap();
    assert_eq!(fixture.subjects(), [r#"task(T1): implement "One""#]);
    assert_eq!(git_in(&fixture.top, &["show", "--name-only", "--format="]), "T1.txt\n");
    let body = git_in(&fixture.top, &["log", "-1", "--format=%b"]);
    assert!(
        body.contains("I wrote it.") && body.contains("Arborist-Runner: me\nArborist-Duration: 5\n"),
        "{body}"
    );
    assert_eq!(Journal::read(&fixture.work_tree.git_dir), Journal::default());
}

#[test]
fn what_a_worker_has_used_is_recorded_and_counts_for_the_budget_of_the_task() {
    let dir = repository();
    let fixture = Fixture::open(dir.path());
    let mut context = fixture.context(Pipeline::REVIEWED);
    let limit = Cost::from_dollars(1.0);
    context.settings.tasks = context
        .settings
        .tasks
        .map(|task| TaskSettings { budget: Budget { max_cost: limit, ..Budget::default() }, ..*task });
    let mut engine = Engine::open(&context, DirtyTree::Refuse).unwrap();
    let unit = engine.hand_out(fixture.leaf()).unwrap();
    std::fs::write(fixture.top.join("T1.txt"), "written\n").unwrap();
    let tokens = Tokens { input: Some(1200), output: Some(340), cached: None };
    let usage = Usage { tokens, cost: Cost::from_dollars(1.25) };
    let handover = Handover { usage, ..Handover::by_hand("mine", b"Done.", Duration::from_secs(5)) };
    engine.settle(&unit, &handover).unwrap();
    let trailers = git_in(&fixture.top, &["log", "-1", "--format=%(trailers:only)"]);
    assert!(trailers.contains("Arborist-Tokens: in=1200 out=340\nArborist-Cost: 1.25\n"), "{trailers}");
    let end = engine.run_task(fixture.leaf(), FailedTask::Leave).unwrap();
    let reached = Reached::Cost { limit: limit.unwrap(), used: usage.cost.unwrap() };
    assert_eq!(end, TaskEnd::Paused(Pause::TaskBudget(TaskId::parse("T1").unwrap(), reached)));
    assert_eq!(fixture.subjects().len(), 1, "no step has begun");
    engine.close().unwrap();
}

#[test]
fn an_outside_worker_may_write_failing_tests() {
    let dir = repository();
    let fixture = Fixture::open(dir.path());
    let context = fixture.context(Pipeline::TEST_FIRST);
    let mut engine = Engine::open(&context, DirtyTree::Refuse).unwrap();
    let unit = engine.hand_out(fixture.leaf()).unwrap();
    assert!(
        unit.prompt
            .as_ref()
            .is_some_and(|prompt| prompt.starts_with("## Task\n\nWrite failing tests for task T1: One\n"))
    );
    std::fs::create_dir(fixture.top.join("tests")).unwrap();
    std::fs::write(fixture.top.join("tests/check.sh"), "test -f T1.txt\n").unwrap();
    engine.settle(&unit, &Handover::by_hand("me", b"I wrote a test.", Duration::from_secs(5))).unwrap();
    assert_eq!(fixture.subjects(), [r#"task(T1): failing tests for "One""#]);
    let body = git_in(&fixture.top, &["log", "-1", "--format=%b"]);
    assert!(body.contains("I wrote a test.") && body.contains("Arborist-Red: test\n"), "{body}");
    let unit = engine.hand_out(fixture.leaf()).unwrap();
    assert!(unit.prompt.is_some_and(|prompt| prompt.contains("- tests/check.sh\n")));
}

#[test]
fn a_planted_setting_is_found_even_if_another_process_began_the_unit() {
    let dir = repository();
    begin_in_another_process(dir.path());
    let fixture = Fixture::open(dir.path());
    std::fs::write(fixture.top.join("T1.txt"), "by hand\n").unwrap();
    git_in(&fixture.top, &["config", "core.hooksPath", "elsewhere"]);
    let context = fixture.context(Pipeline::REVIEWED);
    let (mut engine, unit) = Engine::resume(&context).unwrap();
    let error = engine.settle(&unit, &Handover::by_hand("me", b"", Duration::ZERO)).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsafe, "{error}");
    assert!(error.to_string().contains("core.hookspath"), "{error}");
    assert_eq!(fixture.subjects(), [""; 0]);
}

#[test]
fn the_work_on_an_abandoned_unit_is_saved() {
    let dir = repository();
    begin_in_another_process(dir.path());
    let fixture = Fixture::open(dir.path());
    std::fs::write(fixture.top.join("T1.txt"), "half done\n").unwrap();
    let context = fixture.context(Pipeline::REVIEWED);
    let (mut engine, _) = Engine::resume(&context).unwrap();
    engine.abandon("abandoned").unwrap();
    engine.close().unwrap();
    assert!(!fixture.top.join("T1.txt").exists());
    let saved = git_in(&fixture.top, &["for-each-ref", "--format=%(refname)", "refs/arborist/rescue/"]);
    assert_eq!(git_in(&fixture.top, &["show", &format!("{}:T1.txt", saved.trim())]), "half done\n");
    assert_eq!(fixture.subjects(), [""; 0]);
    Engine::open(&context, DirtyTree::Refuse).unwrap().close().unwrap();
}
