//! Tests whole steps of the engine: that a new row in the table of steps needs no other code, and what the journal says of one.
//!
//! Programs run under a helper process, which is `git-arborist` itself: `cargo test` builds it before these tests run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::run_context::budget::Budget;
use super::run_context::context::{RunContext, RunPart, RunPrograms, Runners};
use super::run_context::limits::RunLimits;
use super::run_context::settings::{
    CommitSettings, CoverageSettings, RunnerSettings, Settings, TaskSettings, TestSettings, TrustSettings,
};
use super::run_loop::one_task::{Engine, TaskEnd};
use super::tree::preflight::DirtyTree;
use super::{EventLine, Observer};
use crate::agents::{Lookup, Patience, RunnerChain};
use crate::config::{CheckLevel, Config, Environment, OnBlocked, SecretFiles};
use crate::git::{ConfigEntry, DiscoveryStart, Git, WorkTree};
use crate::history::Repository;
use crate::plan::{NodeIx, PerTask};
use crate::process::{CallLimit, Cancel, EnvChange, Launch, Secrets};
use crate::record::{Role, Step};
use crate::run::{BriefSettings, JournalView, Plan, PlanFile};
use crate::workflow::{FailedTask, Gate, Pipeline, Policy};
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
        let plan =
            Plan::from_file(PlanFile::find(&config, &work_tree.top, &work_tree.top, |_| false).unwrap())
                .unwrap();
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
            settings: self.settings(policy),
            runners: PerTask::same(&self.plan.tree, Some(runners)),
            observer: &SilentObserver,
            limits: RunLimits::default(),
            programs: self.programs(cancel),
        }
    }

    fn settings(&self, policy: Policy) -> Settings {
        let minute = Duration::from_secs(60);
        Settings {
            tasks: PerTask::same(
                &self.plan.tree,
                TaskSettings { policy, runner_timeout: minute, budget: Budget::default() },
            ),
            runner: RunnerSettings {
                max_wait: Duration::ZERO,
                patience: Patience { limit: Duration::ZERO, silence: Duration::from_secs(1200) },
                on_blocked: OnBlocked::Wait,
            },
            tests: TestSettings {
                timeout: minute,
                confirm: 0,
                suite: None,
                coverage: CoverageSettings {
                    level: CheckLevel::Off,
                    lines: None,
                    branches: None,
                    functions: None,
                    statements: None,
                    diff: None,
                },
            },
            trust: TrustSettings {
                counts: CheckLevel::Require,
                protect: CheckLevel::Require,
                protected: Vec::new(),
                prove: CheckLevel::Off,
                prove_time: minute,
                suite: CheckLevel::Off,
            },
            commit: CommitSettings { hook_timeout: minute, subject: crate::record::SubjectForm::default() },
            secret_files: SecretFiles::Refuse,
            brief: BriefSettings {
                protects: true,
                suite: None,
                implement: None,
                red: None,
                review: None,
                extra: String::new(),
            },
            report_dir: "spec/reports".to_owned(),
            log_dir: "spec/logs".to_owned(),
            slot_folder: None,
            user_attributes: None,
        }
    }

    fn programs(&self, cancel: Cancel) -> RunPrograms {
        let minute = Duration::from_secs(60);
        let secrets = Secrets::of(std::iter::empty::<(&OsString, &OsString)>());
        let local_env = self.git.local_env_vars().unwrap();
        RunPrograms {
            launch: Launch {
                directory: self.work_tree.top.clone(),
                tag: tag_of(&self.work_tree),
                env: local_env.into_iter().map(|name| EnvChange::Remove(name.into())).collect(),
                grace: minute,
                cancel: cancel.clone(),
                secrets: Some(secrets.clone()),
                held: None,
                front: None,
            },
            shell: PathBuf::from("/bin/sh"),
            cancel,
            secrets,
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
                    cancel: Cancel::new(),
                    secrets: Secrets::default(),
                    sandbox: None,
                },
            },
            sandbox: None,
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

#[test]
fn those_who_only_read_the_journal_see_the_step_that_is_at_work() {
    let dir = repository();
    let fixture = Fixture::open(dir.path());
    let context = fixture.context(Pipeline::REVIEWED);
    let mut engine = Engine::open(&context, DirtyTree::Refuse).unwrap();
    let job = context.assignment(fixture.leaf(), Step::IMPLEMENT, 0);
    let unit = engine.workspace.begin(&engine.followed, job).unwrap();
    let step = JournalView::read(&fixture.work_tree.git_dir).unit.expect("the journal has the unit");
    assert_eq!(step.unit.begun, unit.begun());
    assert!(step.is_open() && step.plan().is_some() && step.began > 0);
    let prompt = unit.prompt.expect("an agent implements");
    assert!(prompt.starts_with("## Task\n\nImplement task T1: One\n"), "{prompt}");
    engine.close().unwrap();
}
