//! Tests the order in which a run is landed.

use super::*;

fn id(number: u8) -> CommitId {
    CommitId::from_bytes(&[number; 20]).expect("twenty bytes")
}

fn task(name: &str) -> TaskId {
    TaskId::parse(name).expect("an id")
}

fn commit(number: u8, role: CommitRole) -> LineCommit {
    LineCommit { id: id(number), parents: vec![id(number - 1)], role, merged: Vec::new() }
}

fn works(number: u8, name: &str) -> LineCommit {
    commit(number, CommitRole::Works(task(name)))
}

fn completes(number: u8, name: &str) -> LineCommit {
    commit(number, CommitRole::Completes(task(name)))
}

fn shown(items: &[Item]) -> Vec<String> {
    let number = |id: &CommitId| id.as_bytes()[0];
    let changes = |changes: &[Change]| {
        changes
            .iter()
            .map(|change| format!("{}-{}", number(&change.from), number(&change.to)))
            .collect::<Vec<_>>()
            .join("+")
    };
    let show = |item: &Item| {
        let what = match &item.what {
            Landed::Task(task, _) => task.to_string(),
            Landed::Kept(commit, others) => {
                format!("kept {}{}", number(commit), "+".repeat(others.len()))
            }
        };
        let content = match &item.content {
            LandedContent::FilesOf(commit) => format!("files {}", number(commit)),
            LandedContent::ChangesOf(all) => format!("changes {}", changes(all)),
            LandedContent::ChangesOr(all, commit) => {
                format!("changes {} or files {}", changes(all), number(commit))
            }
            LandedContent::FilesWith(commit, all) => {
                format!("files {} with {}", number(commit), changes(all))
            }
        };
        format!("{what}: {content}")
    };
    items.iter().map(show).collect()
}

fn landed(line: &[LineCommit], left_out: &[&str]) -> Vec<String> {
    shown(&order(line, left_out.iter().map(|name| task(name)).collect(), Rework::Folded))
}

#[test]
fn each_task_is_one_commit_with_the_files_of_its_completion() {
    let line = [
        works(1, "A"),
        works(2, "A"),
        completes(3, "A"),
        works(4, "B"),
        completes(5, "B"),
        commit(6, CommitRole::Ours),
    ];
    assert_eq!(landed(&line, &[]), ["A: files 3", "B: files 5"]);
}

#[test]
fn a_task_that_was_done_again_is_landed_before_those_that_build_on_it() {
    let completed = |number: u8, name: &str| commit(number, CommitRole::Completed(task(name)));
    let line = [works(1, "A"), completed(2, "A"), works(3, "A"), completes(4, "A"), completes(5, "B")];
    assert_eq!(landed(&line, &[]), ["A: files 4", "B: files 5"]);
    let line = [completed(1, "A"), works(2, "B"), completes(3, "B"), works(4, "A"), completes(5, "A")];
    assert_eq!(landed(&line, &[]), ["A: files 1 with 3-4+4-5", "B: files 3"]);
    assert_eq!(
        shown(&order(&line, HashSet::new(), Rework::Apart)),
        ["A: files 1", "B: files 3", "A: files 5"]
    );
    assert_eq!(landed(&line, &["A"]), ["B: changes 1-2+2-3"]);
    // It was reverted since, or its landed commit counts.
    assert_eq!(landed(&line[..3], &[]), ["B: files 3"]);
    let line = [works(1, "L"), completed(2, "A"), completes(3, "B"), completed(4, "A"), completes(5, "A")];
    assert_eq!(landed(&line, &["L"]), ["A: changes 1-2+3-4+4-5", "B: changes 2-3"]);
}

#[test]
fn commits_of_people_are_kept_where_they_are_without_half_finished_work() {
    let line = [
        commit(1, CommitRole::Person),
        works(2, "A"),
        commit(3, CommitRole::Person),
        completes(4, "A"),
        commit(5, CommitRole::Skips(task("B"))),
    ];
    assert_eq!(
        landed(&line, &[]),
        ["kept 1: files 1", "kept 3: changes 2-3 or files 3", "A: files 4", "kept 5: files 5"]
    );
}

#[test]
fn what_follows_work_that_is_left_out_is_landed_by_its_own_changes() {
    let line = [
        works(1, "A"),
        completes(2, "A"),
        works(3, "B"),
        works(4, "C"),
        completes(5, "C"),
        commit(6, CommitRole::Person),
    ];
    assert_eq!(landed(&line, &["B"]), ["A: files 2", "C: changes 3-4+4-5", "kept 6: changes 5-6"]);
}

#[test]
fn a_task_that_merged_the_branch_of_the_run_is_landed_by_what_differs_from_that() {
    let merging = LineCommit { parents: vec![id(4), id(8)], ..works(9, "B") };
    let line = [works(1, "L"), completes(4, "A"), works(5, "B"), merging, completes(10, "B")];
    assert_eq!(landed(&line, &["L"]), ["A: changes 3-4", "B: changes 8-9+9-10"]);
}

#[test]
fn a_merge_of_a_task_that_is_done_again_is_part_of_its_later_work() {
    let merge = LineCommit { parents: vec![id(3), id(9)], ..works(4, "A") };
    let completed = commit(2, CommitRole::Completed(task("A")));
    let line = [works(1, "L"), completed, completes(3, "B"), merge, completes(5, "A")];
    let landed = |rework| shown(&order(&line, HashSet::from([task("L")]), rework));
    assert_eq!(landed(Rework::Folded), ["A: changes 1-2+9-4+4-5", "B: changes 2-3"]);
    assert_eq!(landed(Rework::Apart), ["A: changes 1-2", "B: changes 2-3", "A: changes 9-4+4-5"]);
}

#[test]
fn what_a_person_merges_while_a_task_is_at_work_is_landed_without_the_task() {
    let merge = LineCommit {
        parents: vec![id(2), id(5)],
        merged: vec![MergedLine { commits: vec![commit(5, CommitRole::Person)], is_on_top: false }],
        ..commit(6, CommitRole::Person)
    };
    let line = [works(2, "A"), merge, completes(7, "A")];
    assert_eq!(landed(&line, &[]), ["kept 5: changes 4-5 or files 6", "A: files 7"]);
}

#[test]
fn a_branch_is_landed_at_the_place_of_its_merge() {
    let merge = |is_on_top| LineCommit {
        parents: vec![id(2), id(6)],
        merged: vec![MergedLine {
            commits: vec![works(4, "B"), completes(5, "B"), works(6, "C"), completes(7, "C")],
            is_on_top,
        }],
        ..commit(8, CommitRole::Ours)
    };
    let line = |is_on_top| [completes(2, "A"), merge(is_on_top), completes(9, "D")];
    assert_eq!(landed(&line(true), &[]), ["A: files 2", "B: files 5", "C: files 8", "D: files 9"]);
    assert_eq!(landed(&line(false), &[]), ["A: files 2", "B: changes 3-4+4-5", "C: files 8", "D: files 9"]);
}
