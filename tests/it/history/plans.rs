//! Tests which steps belong to a plan: where its run begins, how it is followed through edits and moves, and how other
//! plans affect it.

use std::collections::BTreeMap;

use crate::support::repo::{Commit, Repo, id, tasks};
use git_arborist::history::{AnchorRule, Query, RepoPath, Run, StepValidity, read_run, read_steps};
use git_arborist::record::{CommitId, Doubt, Outdated};

const TREE: &str = "task-tree.json";
const LEAVES: [(&str, &str); 3] = [("T1", "p"), ("T2", "p"), ("T3", "p")];

/// A plan with tasks by id and name.
fn plan(spec: &str, names: &[(&str, &str)]) -> String {
    let node = |(id, name): &(&str, &str)| format!(r#""{id}": {{"id": "{id}", "name": "{name}"}}"#);
    let nodes: Vec<String> = names.iter().map(node).collect();
    format!(r#"{{"spec_id": "{spec}", "nodes": {{{}}}}}"#, nodes.join(", "))
}

const NAMES: [(&str, &str); 3] = [("T1", "one"), ("T2", "two"), ("T3", "three")];

/// A commit on these, with these files.
fn on(parents: &[usize], message: &str, files: &[(&str, Option<&str>)]) -> Commit {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned))).collect();
    Commit { parents: parents.to_vec(), time: 0, message: message.to_owned(), files }
}

fn complete(parent: usize, task: &str) -> Commit {
    complete_for(parent, task, "")
}

fn complete_for(parent: usize, task: &str, trailer: &str) -> Commit {
    let message = format!("task({task}): x\n\nArborist-Step: complete\nArborist-Result: pass\n{trailer}");
    on(&[parent], &message, &[])
}

struct History {
    repo: Repo,
    ids: Vec<CommitId>,
}

impl History {
    fn new(mut commits: Vec<Commit>) -> Self {
        for (time, commit) in (1_700_000_000..).zip(&mut commits) {
            commit.time = time;
        }
        let (repo, ids) = Repo::with(&commits);
        Self { repo, ids }
    }

    fn read_as(&self, path: &str, anchor: AnchorRule) -> Run {
        let (path, leaves) = (RepoPath::new(path.as_bytes()).unwrap(), tasks(&LEAVES));
        let query = Query { tree_file: Some(&path), anchor, tasks: &leaves };
        let head = *self.ids.last().unwrap();
        let run = read_run(&self.repo.open(), head, &query).unwrap();
        assert_eq!(read_run(&self.repo.open_with_program(), head, &query).unwrap(), run);
        for (task, _) in LEAVES {
            let steps = read_steps(&self.repo.open(), &run.range, &id(task)).unwrap();
            let latest = steps.iter().find(|step| step.validity == StepValidity::Counts);
            assert_eq!(latest.map(|step| step.step), run.tasks.get(task).copied(), "{task}");
        }
        run
    }

    fn read(&self, path: &str) -> Run {
        self.read_as(path, AnchorRule::Plan)
    }

    /// The places of the steps that count, by task.
    fn counted(&self, path: &str) -> BTreeMap<String, usize> {
        let place = |id| self.ids.iter().position(|other| *other == id).unwrap();
        self.read(path).tasks.into_iter().map(|(task, step)| (task.to_string(), place(step.id))).collect()
    }
}

fn expected(rows: &[(&str, usize)]) -> BTreeMap<String, usize> {
    rows.iter().map(|(task, place)| ((*task).to_owned(), *place)).collect()
}

#[test]
fn an_edit_of_the_plan_continues_the_run_and_another_spec_id_begins_a_new_one() {
    let first = plan("a", &NAMES);
    let edited = plan("a", &[("T1", "  one "), ("T2", "two"), ("T3", "three"), ("T4", "four")]);
    let history = |last: &str| {
        History::new(vec![
            on(&[], "plan", &[(TREE, Some(&first))]),
            complete(0, "T1"),
            on(&[1], "edit", &[(TREE, Some(last))]),
            complete(2, "T2"),
        ])
    };
    let goes_on = history(&edited);
    assert_eq!(goes_on.counted(TREE), expected(&[("T1", 1), ("T2", 3)]));
    assert_eq!(goes_on.read(TREE).range.anchor(), Some(goes_on.ids[0]));
    assert_eq!(goes_on.read(TREE).doubts, []);
    let by_file = goes_on.read_as(TREE, AnchorRule::File);
    assert_eq!(by_file.range.anchor(), Some(goes_on.ids[2]), "as the configuration may say");
    assert_eq!(by_file.tasks.len(), 1);
    let begins = history(&plan("b", &NAMES));
    assert_eq!(begins.counted(TREE), expected(&[("T2", 3)]));
    assert_eq!(begins.read(TREE).range.anchor(), Some(begins.ids[2]));
}

#[test]
fn repairing_a_broken_tree_file_begins_a_run_and_breaking_it_does_not() {
    let first = plan("a", &NAMES);
    let mut commits = vec![
        on(&[], "plan", &[(TREE, Some(&first))]),
        complete(0, "T1"),
        on(&[1], "break it", &[(TREE, Some("{"))]),
    ];
    let broken = History::new(commits.clone());
    assert_eq!(broken.counted(TREE), expected(&[("T1", 1)]));
    commits.push(on(&[2], "mend it", &[(TREE, Some(&first))]));
    let mended = History::new(commits);
    assert_eq!(mended.read(TREE).range.anchor(), Some(mended.ids[3]));
}

#[test]
fn a_renamed_task_starts_over_and_its_steps_count_again_with_its_old_name() {
    let (first, renamed) = (plan("a", &NAMES), plan("a", &[("T1", "uno"), ("T2", "two"), ("T3", "three")]));
    let mut commits = vec![
        on(&[], "plan", &[(TREE, Some(&first))]),
        complete(0, "T1"),
        complete(1, "T2"),
        on(&[2], "rename", &[(TREE, Some(&renamed))]),
    ];
    let history = History::new(commits.clone());
    assert_eq!(history.counted(TREE), expected(&[("T2", 2)]));
    let run = history.read(TREE);
    assert_eq!(run.range.anchor(), Some(history.ids[0]));
    let old = Doubt::OldPlan { task: id("T1"), step: history.ids[1], why: Outdated::OtherName };
    assert_eq!(run.doubts, [old]);
    let steps = read_steps(&history.repo.open(), &run.range, &id("T1")).unwrap();
    assert_eq!(steps[0].validity, StepValidity::Outdated);
    // Nothing was done under the other name: taking the edit back takes back what it did.
    let mut back = commits.clone();
    back.push(on(&[3], "take it back", &[(TREE, Some(&first))]));
    assert_eq!(History::new(back).counted(TREE), expected(&[("T1", 1), ("T2", 2)]));
    // The task of the other name was worked on, so the work on the first one is gone.
    commits.push(complete(3, "T1"));
    assert_eq!(History::new(commits.clone()).counted(TREE), expected(&[("T1", 4), ("T2", 2)]));
    commits.push(on(&[4], "take it back", &[(TREE, Some(&first))]));
    assert_eq!(History::new(commits.clone()).counted(TREE), expected(&[("T2", 2)]));
    // In a history with merges it is the same.
    commits.push(on(&[2], "side", &[("src", Some("x"))]));
    commits.push(on(&[5, 6], "merge", &[]));
    assert_eq!(History::new(commits).counted(TREE), expected(&[("T2", 2)]));
}

#[test]
fn a_step_of_a_task_that_was_not_in_the_plan_at_the_time_does_not_count() {
    let (small, large) = (plan("a", &NAMES[..2]), plan("a", &NAMES));
    let history = History::new(vec![
        on(&[], "plan", &[(TREE, Some(&small))]),
        complete(0, "T3"),
        complete(1, "T1"),
        on(&[2], "add a task", &[(TREE, Some(&large))]),
    ]);
    assert_eq!(history.counted(TREE), expected(&[("T1", 2)]));
    let old = Doubt::OldPlan { task: id("T3"), step: history.ids[1], why: Outdated::NotNamed };
    assert_eq!(history.read(TREE).doubts, [old]);
}

#[test]
fn a_branch_from_before_a_plan_change_counts_only_for_tasks_that_are_unchanged() {
    let first = plan("a", &NAMES);
    let merged = |changed: &str| {
        History::new(vec![
            on(&[], "plan", &[(TREE, Some(&first))]),
            complete(0, "T1"),
            complete(1, "T2"),
            on(&[0], "change the plan", &[(TREE, Some(changed))]),
            complete(3, "T3"),
            on(&[4, 2], "merge", &[]),
        ])
    };
    let renamed = merged(&plan("a", &[("T1", "uno"), ("T2", "two"), ("T3", "three")]));
    assert_eq!(renamed.counted(TREE), expected(&[("T2", 2), ("T3", 4)]));
    let old = Doubt::OldPlan { task: id("T1"), step: renamed.ids[1], why: Outdated::OtherName };
    assert_eq!(renamed.read(TREE).doubts, [old]);
    let replaced = merged(&plan("b", &NAMES));
    assert_eq!(replaced.counted(TREE), expected(&[("T3", 4)]));
    let run = replaced.read(TREE);
    let old = |task, place: usize| Doubt::OldPlan {
        task: id(task),
        step: replaced.ids[place],
        why: Outdated::OtherRun,
    };
    assert_eq!(run.doubts, [old("T1", 1), old("T2", 2)]);
    assert_eq!(run.range.anchor(), Some(replaced.ids[3]));
    let steps = read_steps(&replaced.repo.open(), &run.range, &id("T1")).unwrap();
    assert!(steps.iter().all(|step| step.validity == StepValidity::Outdated), "{steps:?}");
}

#[test]
fn work_under_another_name_on_a_branch_whose_edit_a_merge_drops_takes_nothing_back() {
    let (first, renamed) = (plan("a", &NAMES), plan("a", &[("T1", "uno"), ("T2", "two"), ("T3", "three")]));
    let with_merge = |merged: &str| {
        vec![
            on(&[], "plan", &[(TREE, Some(&first))]),
            complete(0, "T1"),
            on(&[1], "rename", &[(TREE, Some(&renamed))]),
            complete(2, "T1"),
            on(&[1], "main", &[("src", Some("x"))]),
            on(&[4, 3], "merge", &[(TREE, Some(merged))]),
        ]
    };
    let dropped = with_merge(&first);
    assert_eq!(History::new(dropped).counted(TREE), expected(&[("T1", 1)]), "it kept its name on main");
    let mut kept = with_merge(&renamed);
    assert_eq!(History::new(kept.clone()).counted(TREE), expected(&[("T1", 3)]));
    // The merge brought the other name and the work for it in, so the first work is gone.
    kept.push(on(&[5], "take it back", &[(TREE, Some(&first))]));
    assert_eq!(History::new(kept).counted(TREE), expected(&[]));
}

#[test]
fn the_next_step_of_a_task_resolves_doubts_about_an_earlier_plan() {
    let first = plan("a", &NAMES);
    let history = History::new(vec![
        on(&[], "plan", &[(TREE, Some(&first))]),
        complete(0, "T1"),
        on(&[0], "replace the plan", &[(TREE, Some(&plan("b", &NAMES)))]),
        on(&[2, 1], "merge", &[]),
        complete(3, "T1"),
    ]);
    assert_eq!(history.counted(TREE), expected(&[("T1", 4)]));
    assert_eq!(history.read(TREE).doubts, []);
}

#[test]
fn a_moved_tree_file_continues_its_run_with_and_without_edits() {
    let first = plan("a", &NAMES);
    let edited = plan("a", &[("T1", "uno"), ("T2", "two"), ("T3", "three")]);
    let moved = |text: &str, path: &str| {
        History::new(vec![
            on(&[], "plan", &[(TREE, Some(&first)), ("package.json", Some("{}"))]),
            complete_for(0, "T1", "Arborist-Plan: task-tree.json\n"),
            complete(1, "T2"),
            on(&[2], "move", &[(TREE, None), ("package.json", None), (path, Some(text))]),
            complete_for(3, "T3", &format!("Arborist-Plan: {path}\n")),
        ])
    };
    for path in ["plan.json", "specs/deep/task-tree.json", "a plan"] {
        let history = moved(&first, path);
        assert_eq!(history.counted(path), expected(&[("T1", 1), ("T2", 2), ("T3", 4)]), "{path}");
        assert_eq!(history.read(path).range.anchor(), Some(history.ids[0]));
        let by_file = history.read_as(path, AnchorRule::File);
        assert_eq!(by_file.range.anchor(), Some(history.ids[3]));
        let with_edits = moved(&edited, path);
        assert_eq!(with_edits.counted(path), expected(&[("T2", 2), ("T3", 4)]), "{path}");
        let another = moved(&plan("b", &NAMES), path);
        assert_eq!(another.counted(path), expected(&[("T3", 4)]), "{path}");
    }
}

#[test]
fn a_branch_from_before_a_move_that_is_merged_after_it_counts() {
    let first = plan("a", &NAMES);
    let history = History::new(vec![
        on(&[], "plan", &[(TREE, Some(&first))]),
        complete_for(0, "T1", "Arborist-Plan: task-tree.json\n"),
        on(&[0], "move", &[(TREE, None), ("plan.json", Some(&first))]),
        complete(2, "T2"),
        on(&[3, 1], "merge", &[]),
    ]);
    assert_eq!(history.counted("plan.json"), expected(&[("T1", 1), ("T2", 3)]));
}

#[test]
fn two_plans_with_the_same_ids_each_see_only_their_own_steps() {
    let text = plan("a", &NAMES);
    let other = "specs/other.json";
    let (first, second) = ("Arborist-Plan: task-tree.json\n", "Arborist-Plan: specs/other.json\n");
    let history = History::new(vec![
        on(&[], "plan", &[(TREE, Some(&text))]),
        complete(0, "T1"),
        on(&[1], "a copy", &[(other, Some(&text))]),
        complete_for(2, "T2", first),
        complete_for(3, "T1", second),
        complete_for(4, "T3", second),
    ]);
    assert_eq!(history.counted(TREE), expected(&[("T1", 1), ("T2", 3)]));
    assert_eq!(history.counted(other), expected(&[("T1", 4), ("T3", 5)]));
    for path in [TREE, other] {
        assert_eq!(history.read(path).doubts, [], "the steps of another plan leave nothing open");
    }
    let run = history.read(TREE);
    assert_eq!(read_steps(&history.repo.open(), &run.range, &id("T3")).unwrap(), []);
}

#[test]
fn a_plan_outside_of_the_work_tree_has_the_steps_that_name_no_plan() {
    let history = History::new(vec![
        on(&[], "plan", &[(TREE, Some(&plan("a", &NAMES)))]),
        complete(0, "T1"),
        complete_for(1, "T2", "Arborist-Plan: task-tree.json\n"),
    ]);
    let leaves = tasks(&LEAVES);
    let query = Query { tree_file: None, anchor: AnchorRule::Plan, tasks: &leaves };
    let run = read_run(&history.repo.open(), history.ids[2], &query).unwrap();
    assert_eq!(run.tasks.keys().collect::<Vec<_>>(), [&id("T1")]);
}

#[test]
fn a_step_that_changes_the_tree_file_does_not_discard_the_run() {
    let (first, other) = (plan("a", &NAMES), plan("b", &[("T1", "uno")]));
    let step = "task(T2): x\n\nArborist-Step: implement\nArborist-Result: pass\n";
    for text in [Some(other.as_str()), Some("{"), None] {
        let history = History::new(vec![
            on(&[], "plan", &[(TREE, Some(&first))]),
            complete(0, "T1"),
            on(&[1], step, &[(TREE, text)]),
            on(&[2], "plain", &[("src", Some("x"))]),
        ]);
        assert_eq!(history.counted(TREE), expected(&[("T1", 1), ("T2", 2)]), "{text:?}");
    }
}

#[test]
fn no_version_of_the_tree_file_is_read_unless_it_changed() {
    let mut commits = vec![on(&[], "plan", &[(TREE, Some(&plan("a", &NAMES)))])];
    for place in 1..400 {
        commits.push(if place % 2 == 0 { complete(place - 1, "T1") } else { on(&[place - 1], "plain", &[]) });
    }
    let history = History::new(commits);
    let repository = history.repo.open();
    let (path, leaves) = (RepoPath::new(TREE.as_bytes()).unwrap(), tasks(&LEAVES));
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
    read_run(&repository, history.ids[399], &query).unwrap();
    // The commits, and one tree.
    assert_eq!(repository.reads(), 401);
}

#[test]
fn the_plan_is_not_read_at_commits_before_the_first_step() {
    let mut commits = vec![on(&[], "plan", &[(TREE, Some(&plan("a", &NAMES)))])];
    let mut tip = 0;
    for place in 0..100 {
        let number = place.to_string();
        let side = commits.len();
        commits.push(on(&[tip], "side", &[("side", Some(&number))]));
        commits.push(on(&[tip, side], "merge what is not kept", &[]));
        tip = side + 1;
    }
    let history = History::new(commits);
    let repository = history.repo.open();
    let (path, leaves) = (RepoPath::new(TREE.as_bytes()).unwrap(), tasks(&LEAVES));
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
    let run = read_run(&repository, *history.ids.last().unwrap(), &query).unwrap();
    assert_eq!(run.range.anchor(), Some(history.ids[0]));
    // The commits, and one tree.
    assert_eq!(repository.reads(), 202);
}
