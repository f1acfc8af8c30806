//! Tests the reading of histories that people and agents make: one behaviour per test, on real repositories.

use std::collections::HashMap;

use crate::support::repo::{Commit, Repo, fixture, id, tasks};
use git_arborist::history::{
    AnchorRule, Backend, Query, RepoPath, Run, StepValidity, pick_steps, read_run, read_steps,
};
use git_arborist::record::{CommitId, CommitKind, Outcome, Step, TaskId};

const TREE: &str = "task-tree.json";

/// A history in a line, oldest first.
#[derive(Default)]
struct Line(Vec<Commit>);

impl Line {
    /// Begins with a commit that adds the tree file.
    fn with_tree() -> Self {
        Self::default().change("add the plan", TREE, "plan")
    }

    fn commit(mut self, message: &str, files: &[(&str, Option<&str>)]) -> Self {
        let place = self.0.len();
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned))).collect();
        let time = 1_700_000_000 + i64::try_from(place).unwrap();
        let parents = place.checked_sub(1).into_iter().collect();
        self.0.push(Commit { parents, time, message: message.to_owned(), files });
        self
    }

    fn change(self, message: &str, path: &str, text: &str) -> Self {
        self.commit(message, &[(path, Some(text))])
    }

    fn note(self, message: &str) -> Self {
        self.commit(message, &[])
    }

    fn step(self, task: &str, trailers: &str) -> Self {
        self.note(&step(task, trailers))
    }

    fn complete(self, task: &str) -> Self {
        self.step(task, "Arborist-Step: complete\nArborist-Result: pass")
    }
}

fn step(task: &str, trailers: &str) -> String {
    format!("task({task}): did something\n\nThe body.\n\n{trailers}\n")
}

fn read(repo: &Repo, pairs: &[(&str, &str)]) -> Run {
    read_at(repo, TREE, pairs)
}

fn read_at(repo: &Repo, path: &str, pairs: &[(&str, &str)]) -> Run {
    let repository = repo.open();
    let (path, tasks) = (RepoPath::new(path.as_bytes()).unwrap(), tasks(pairs));
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &tasks };
    let run = read_run(&repository, repo.head(), &query).unwrap();
    let other = repo.open_with_program();
    assert_eq!(other.backend(), Backend::Program);
    assert_eq!(run, read_run(&other, repo.head(), &query).unwrap(), "both backends say the same");
    run
}

/// The latest steps by name.
fn states(run: &Run) -> HashMap<&str, (Step, Outcome, u32)> {
    let tasks = run.tasks.iter();
    tasks
        .map(|(id, step)| (id.as_str(), (step.record.step, step.record.outcome, step.record.attempt)))
        .collect()
}

const COMPLETE: (Step, Outcome, u32) = (Step::COMPLETE, Outcome::Pass, 0);

#[test]
fn the_latest_step_of_each_task_is_its_state() {
    let line = Line::with_tree()
        .step("T001", "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0")
        .step("T001", "Arborist-Step: test\nArborist-Test: fail\nArborist-Retry: 0")
        .step("T001", "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 1")
        .complete("T002");
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &[("T001", "p"), ("T002", "p"), ("T003", "p")]);
    let expected = HashMap::from([("T001", (Step::IMPLEMENT, Outcome::Pass, 1)), ("T002", COMPLETE)]);
    assert_eq!(states(&run), expected);
    assert_eq!(run.range.anchor(), Some(ids[0]));
    assert_eq!(run.range.head(), ids[4]);
    assert_eq!((run.tasks["T001"].id, run.tasks["T001"].time), (ids[3], 1_700_000_003));
}

#[test]
fn a_task_is_never_confused_with_one_of_a_similar_id_or_with_a_mention() {
    let line = Line::with_tree()
        .complete("T0010")
        .note("mention task(T001): in a subject\n\nArborist-Step: complete\n")
        .note("plain\n\ntask(T001): in a body\n\nArborist-Step: complete\n");
    let (repo, _) = Repo::with(&line.0);
    let run = read(&repo, &[("T001", "p"), ("T0010", "p")]);
    assert_eq!(states(&run), HashMap::from([("T0010", COMPLETE)]));
}

#[test]
fn autosquash_commits_and_commits_without_a_step_do_not_count() {
    let failed = "Arborist-Step: implement\nArborist-Result: fail\nArborist-Retry: 0";
    let line = Line::with_tree()
        .complete("T1")
        .note(&format!("fixup! {}", step("T1", failed)))
        .note(&format!("squash! {}", step("T1", failed)))
        .note(&format!("amend! {}", step("T1", failed)))
        .note("task(T1): by hand, without trailers\n");
    let (repo, _) = Repo::with(&line.0);
    assert_eq!(states(&read(&repo, &[("T1", "p")])), HashMap::from([("T1", COMPLETE)]));
}

#[test]
fn steps_before_the_last_change_of_the_tree_file_belong_to_an_older_run() {
    let line = Line::with_tree().complete("T1").change("new plan", TREE, "other").complete("T2");
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &[("T1", "p"), ("T2", "p")]);
    assert_eq!(states(&run), HashMap::from([("T2", COMPLETE)]));
    assert_eq!(run.range.anchor(), Some(ids[2]));
}

#[test]
fn a_step_commit_that_touches_the_tree_file_does_not_begin_a_new_run() {
    let touching = step("T2", "arborist-step: implement\nArborist-Result: pass");
    let line = Line::with_tree().complete("T1").change(&touching, TREE, "changed by an agent");
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &[("T1", "p"), ("T2", "p")]);
    assert_eq!(run.range.anchor(), Some(ids[0]));
    assert_eq!(run.tasks.len(), 2);
    let line = line.change("squash! x\n\nArborist-Step: implement\n", TREE, "changed again");
    let (repo, ids) = Repo::with(&line.0);
    assert_eq!(read(&repo, &[("T1", "p")]).range.anchor(), Some(ids[0]));
}

#[test]
fn without_a_tree_file_in_history_the_whole_history_is_the_run() {
    let line = Line::default().note("first").complete("T1").change("src", "src/a", "1");
    let (repo, _) = Repo::with(&line.0);
    let run = read(&repo, &[("T1", "p"), ("T2", "p")]);
    assert_eq!(states(&run), HashMap::from([("T1", COMPLETE)]));
    assert_eq!(run.range.anchor(), None);
}

#[test]
fn removing_the_tree_file_ends_the_run_that_it_began() {
    let line = Line::with_tree().complete("T1").commit("remove the plan", &[(TREE, None)]);
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &[("T1", "p")]);
    assert_eq!(states(&run), HashMap::new());
    assert_eq!(run.range.anchor(), Some(ids[2]), "as git log -1 names it");
}

#[test]
fn a_tree_file_deep_in_folders_is_followed_and_its_neighbours_are_not() {
    let path = "specs/a b/ü/task-tree.json";
    let line = Line::default()
        .change("plan", path, "plan")
        .complete("T1")
        .change("beside", "specs/a b/ü/other.json", "1")
        .change("above", "specs/x", "1");
    let (repo, ids) = Repo::with(&line.0);
    let run = read_at(&repo, path, &[("T1", "p")]);
    assert_eq!(run.range.anchor(), Some(ids[0]));
    assert_eq!(
        read_at(&repo, "specs", &[("T1", "p")]).range.anchor(),
        Some(ids[3]),
        "a folder is a path too"
    );
    assert_eq!(read_at(&repo, "specs/x/y", &[("T1", "p")]).range.anchor(), None);
}

#[test]
fn a_change_of_permissions_begins_no_run() {
    let repo = Repo::init(&[]);
    repo.import(&Line::with_tree().complete("T1").0);
    repo.git(&["reset", "-q", "--hard"]);
    repo.git(&["update-index", "--chmod=+x", TREE]);
    let plan = repo.id_of("HEAD~1");
    repo.git(&["commit", "-q", "-m", "chmod"]);
    let run = read(&repo, &[("T1", "p")]);
    assert_eq!(run.range.anchor(), Some(plan));
    assert_eq!(states(&run), HashMap::from([("T1", COMPLETE)]));
}

#[test]
fn reverting_a_step_undoes_it_and_reverting_the_revert_restores_it() {
    let repo = Repo::init(&[]);
    let implemented = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0";
    let line = Line::with_tree()
        .step("T1", implemented)
        .commit(&step("T1", "Arborist-Step: complete\nArborist-Result: pass"), &[("report", Some("1"))]);
    repo.import(&line.0);
    repo.git(&["reset", "-q", "--hard"]);
    let complete = repo.head().to_string();
    let implement = HashMap::from([("T1", (Step::IMPLEMENT, Outcome::Pass, 0))]);
    repo.git(&["revert", "--no-edit", &complete]);
    assert_eq!(states(&read(&repo, &[("T1", "p")])), implement);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(states(&read(&repo, &[("T1", "p")])), HashMap::from([("T1", COMPLETE)]));
    repo.git(&["revert", "--no-edit", "HEAD"]);
    let run = read(&repo, &[("T1", "p")]);
    assert_eq!(states(&run), implement);
    let validities: Vec<_> = read_steps(&repo.open(), &run.range, &id("T1"))
        .unwrap()
        .into_iter()
        .map(|step| step.validity)
        .collect();
    assert_eq!(validities, [StepValidity::Reverted, StepValidity::Counts]);
}

#[test]
fn the_output_of_a_runner_reverts_nothing() {
    let (repo, ids) = Repo::with(&Line::with_tree().complete("T1").0);
    let body = format!("task(T2): x\n\nThis reverts commit {}.\n\nArborist-Step: implement\n", ids[1]);
    repo.import(&Line::with_tree().complete("T1").note(&body).0);
    assert_eq!(states(&read(&repo, &[("T1", "p"), ("T2", "p")]))["T1"], COMPLETE);
}

#[test]
fn a_phase_stays_marked_until_one_of_its_tasks_continues() {
    let marker = "phase(p1): complete\n\nArborist-Step: phase-complete\nArborist-Result: pass\n";
    let pairs = [("T1", "p1"), ("T2", "p2")];
    let line = Line::with_tree().complete("T1").note(marker).complete("T2");
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &pairs);
    assert_eq!(run.phases.len(), 1);
    assert_eq!(run.phases["p1"].id, ids[2]);
    let (repo, _) = Repo::with(&line.complete("T1").0);
    assert_eq!(read(&repo, &pairs).phases, HashMap::new());
}

#[test]
fn a_step_of_a_later_version_is_reported_and_does_not_count() {
    let line =
        Line::with_tree().complete("T1").step("T1", "Arborist-Step: deploy").step("T2", "Arborist-Step: x");
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &[("T1", "p"), ("T2", "p")]);
    assert_eq!(states(&run), HashMap::from([("T1", COMPLETE)]));
    let unknown: Vec<_> =
        run.unknown.iter().map(|step| (step.id, step.task.as_str(), step.word.as_str())).collect();
    assert_eq!(unknown, [(ids[3], "T2", "x"), (ids[2], "T1", "deploy")]);
    let (repo, _) = Repo::with(&line.complete("T1").complete("T2").0);
    assert_eq!(read(&repo, &[("T1", "p"), ("T2", "p")]).unknown, [], "a known step came later");
}

#[test]
fn histories_of_more_than_five_hundred_commits_are_read_to_their_start() {
    let mut line = Line::with_tree();
    let names: Vec<_> = (0..700).map(|number| format!("T{number}")).collect();
    for name in &names {
        line = line.complete(name);
    }
    let (repo, _) = Repo::with(&line.0);
    let pairs: Vec<_> = names.iter().map(|name| (name.as_str(), "p")).collect();
    assert_eq!(read(&repo, &pairs).tasks.len(), 700);
}

#[test]
fn nothing_older_than_the_anchor_is_read() {
    let mut line = Line::default();
    for number in 0..2_000 {
        line = line.note(&format!("old work {number}"));
    }
    line = line.change("plan", TREE, "plan");
    for _ in 0..10 {
        line = line.complete("T1");
    }
    let (repo, _) = Repo::with(&line.0);
    let repository = repo.open();
    let (path, leaves) = (RepoPath::new(TREE.as_bytes()).unwrap(), tasks(&[("T1", "p"), ("T2", "p")]));
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
    read_run(&repository, repo.head(), &query).unwrap();
    assert!(repository.reads() < 20, "{} objects read", repository.reads());
}

#[test]
fn the_steps_of_a_task_come_newest_first_with_their_whole_messages() {
    let failed = "Arborist-Step: test\nArborist-Test: fail\nArborist-Retry: 0";
    let line = Line::with_tree().step("T1", failed).complete("T2").complete("T1");
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &[("T1", "p"), ("T2", "p")]);
    let steps = read_steps(&repo.open(), &run.range, &id("T1")).unwrap();
    assert_eq!(steps.iter().map(|step| step.step.id).collect::<Vec<_>>(), [ids[3], ids[1]]);
    assert_eq!(steps[1].message, step("T1", failed).into_bytes());
    assert_eq!(steps[1].step.record.outcome, Outcome::Fail);
}

#[test]
fn all_step_commits_of_a_range_are_listed() {
    let line = Line::default().complete("T0").change("plan", TREE, "plan").complete("T1").note("human");
    let line =
        line.note("phase(p): complete\n\nArborist-Step: phase-complete\n").step("TX", "Arborist-Step: new");
    let (repo, ids) = Repo::with(&line.0);
    let run = read(&repo, &[("T1", "p")]);
    let name = |kind: &CommitKind, _: &[u8]| match kind {
        CommitKind::Task(id, _) | CommitKind::Phase(id, _) | CommitKind::UnknownStep(id, _) => {
            Some(id.clone())
        }
        CommitKind::Other => None,
    };
    let picked = pick_steps(&repo.open(), &run.range, name).unwrap();
    let found: Vec<(CommitId, TaskId)> = picked.into_iter().map(|commit| (commit.id, commit.value)).collect();
    assert_eq!(found, [(ids[5], id("TX")), (ids[4], id("p")), (ids[2], id("T1"))]);
    let whole = git_arborist::history::Range::whole(repo.head());
    assert_eq!(pick_steps(&repo.open(), &whole, name).unwrap().len(), 4);
}

#[test]
fn the_repositories_of_the_older_system_are_read() {
    let cases = [
        ("agent-arborist-anchor", "feature/demo", "specs/feature/demo/task-tree.json"),
        ("agent-arborist-branch", "feature/demo", "specs/feature/demo/task-tree.json"),
        ("agent-arborist-newest", "os-47-demo--v1", "openspec/changes/os-47/task-tree.json"),
    ];
    let pairs = [("T001", "phase1"), ("T002", "phase1"), ("T003", "phase2"), ("T004", "phase2")];
    for (bundle, branch, tree) in cases {
        let file = fixture("reference").join(format!("{bundle}.bundle"));
        let repo = Repo::clone_of(file.to_str().unwrap(), &["-b", branch]);
        let run = read_at(&repo, tree, &pairs);
        let complete = pairs.iter().map(|(leaf, _)| (*leaf, COMPLETE)).collect();
        assert_eq!(states(&run), complete, "{bundle}");
        assert!(run.range.anchor().is_some(), "{bundle}");
        let failures = |task: &str, step: Step| {
            let steps = read_steps(&repo.open(), &run.range, &id(task)).unwrap();
            let is = |record: git_arborist::record::StepRecord| {
                record.step == step && record.outcome == Outcome::Fail
            };
            steps.iter().filter(|found| is(found.step.record)).count()
        };
        assert_eq!((failures("T002", Step::TEST), failures("T003", Step::REVIEW)), (1, 1), "{bundle}");
        assert_eq!((failures("T001", Step::TEST), failures("T004", Step::REVIEW)), (0, 0), "{bundle}");
    }
}
