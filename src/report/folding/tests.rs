//! Tests which lines of a plan are shown.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::sync::LazyLock;

use super::*;
use crate::plan::{OpenBranches, PerTask, TaskTree};
use crate::record::{CommitId, Outcome, Step, StepCommit, StepRecord, TaskId};
use crate::report::document::Known;
use crate::workflow::{FailedTask, Gate, Pipeline, Policy};

static NO_PHASES: LazyLock<HashMap<TaskId, StepCommit>> = LazyLock::new(HashMap::new);
static NO_BRANCHES: OpenBranches =
    OpenBranches { base: None, phases: BTreeMap::new(), tasks: BTreeMap::new() };

/// A plan whose lines are `ID`, indented by two blanks a level; a task may be followed by `complete`, `failed`,
/// `skipped` or `active`.
struct Drawn {
    tree: TaskTree,
    steps: HashMap<TaskId, StepCommit>,
}

impl Drawn {
    fn of(plan: &str) -> Self {
        let mut nodes = serde_json::Map::new();
        let mut above: Vec<String> = Vec::new();
        let mut steps = HashMap::new();
        for line in plan.lines().filter(|line| !line.trim().is_empty()) {
            let depth = (line.len() - line.trim_start().len()) / 2;
            let (id, state) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            above.truncate(depth);
            let mut node = serde_json::json!({"id": id, "name": id});
            if let Some(parent) = above.last() {
                node["parent"] = parent.as_str().into();
            }
            nodes.insert(id.to_owned(), node);
            above.push(id.to_owned());
            let record = match state {
                "" => continue,
                "complete" => (Step::COMPLETE, Outcome::Pass),
                "failed" => (Step::COMPLETE, Outcome::Fail),
                "skipped" => (Step::COMPLETE, Outcome::Skip),
                "active" => (Step::IMPLEMENT, Outcome::Pass),
                other => panic!("there is no state {other}"),
            };
            let record = StepRecord::of_run(record.0, record.1, 0);
            let step = StepCommit { id: CommitId::from_bytes(&[0; 20]).unwrap(), time: 0, record };
            steps.insert(TaskId::parse(id).unwrap(), step);
        }
        let plan = serde_json::json!({ "nodes": nodes }).to_string();
        Self { tree: TaskTree::from_json(plan.as_bytes()).unwrap().tree, steps }
    }

    fn view(&self) -> RunDocument<'_> {
        let policy = Policy {
            max_attempts: NonZeroU32::MIN,
            merge_attempts: NonZeroU32::MIN,
            pipeline: Pipeline::REVIEWED,
            gate: Gate::Open,
            failed: FailedTask::Leave,
        };
        let policies = PerTask::same(&self.tree, policy);
        RunDocument::of(&self.tree, Known::new(&self.steps, &NO_BRANCHES, &NO_PHASES, policies, 0))
    }

    fn find(&self, id: &str) -> NodeIx {
        self.tree.find(id).unwrap_or_else(|| panic!("there is no {id}"))
    }

    fn folded(&self, extent: Extent, running: &[&str]) -> Vec<String> {
        let running: Vec<NodeIx> = running.iter().map(|id| self.find(id)).collect();
        self.drawn(&fold(&self.view(), extent, &running))
    }

    /// The rows with two blanks a level: `-` before a folded node, `+` before an open one, `\` behind the last one.
    fn drawn(&self, rows: &[TreeRow]) -> Vec<String> {
        let id = |ix: NodeIx| self.tree.node(ix).id.as_str();
        let line = |row: &TreeRow| {
            let text = match row.shown {
                ShownLine::Task(ix) => id(ix).to_owned(),
                ShownLine::Open(ix) => format!("+{}", id(ix)),
                ShownLine::Folded(ix) => format!("-{}", id(ix)),
                ShownLine::Several(first, last) => format!("{}..{}", id(first), id(last)),
            };
            format!("{}{text}{}", "  ".repeat(row.depth), if row.is_last { "\\" } else { "" })
        };
        rows.iter().map(line).collect()
    }
}

/// Ten phases of ten tasks. The first three phases and two tasks of the fourth are complete.
fn hundred() -> Drawn {
    let mut plan = String::new();
    for phase in 1..=10 {
        plan.push_str(&format!("P{phase:02}\n"));
        for task in 1..=10 {
            let number = (phase - 1) * 10 + task;
            let state = if number <= 32 { " complete" } else { "" };
            plan.push_str(&format!("  T{number:03}{state}\n"));
        }
    }
    Drawn::of(&plan)
}

#[test]
fn finished_phases_are_folded_on_every_level_and_the_rest_is_not() {
    let plan = Drawn::of(
        "A\n  A1 complete\n  A2 skipped\nB\n  B1\n    B11 complete\n    B12 complete\n  B2\n    B21 complete\n    B22\nC\n",
    );
    assert_eq!(
        plan.folded(Extent::Lines(40), &[]),
        ["-A", "+B", "  -B1", "  +B2\\", "    B21", "    B22\\", "C\\"]
    );
    assert_eq!(plan.folded(Extent::Everything, &[]).len(), 11);
    let finished = Drawn::of("A\n  A1 complete\nB\n  B1 complete\n");
    assert_eq!(finished.folded(Extent::Lines(40), &[]), ["-A", "-B\\"]);
}

#[test]
fn a_finished_phase_whose_tests_are_running_has_its_line() {
    let plan = Drawn::of("A\n  A1 complete\nB\n  B1\n");
    assert_eq!(plan.folded(Extent::Lines(1), &["A"]), ["-A"]);
}

#[test]
fn in_a_long_plan_the_work_is_shown_first_then_the_phases_then_what_comes_next() {
    let plan = hundred();
    let lines = plan.folded(Extent::Lines(19), &["T033"]);
    let expected = [
        "-P01",
        "-P02",
        "-P03",
        "+P04",
        "  T031",
        "  T032",
        "  T033",
        "  T034",
        "  T035",
        "  T036",
        "  T037",
        "  T038",
        "  T039..T040\\",
        "-P05",
        "-P06",
        "-P07",
        "-P08",
        "-P09",
        "-P10\\",
    ];
    assert_eq!(lines, expected);
    let lines = plan.folded(Extent::Lines(9), &["T033"]);
    assert_eq!(
        lines,
        [
            "P01..P03",
            "+P04",
            "  T031",
            "  T032",
            "  T033",
            "  T034",
            "  T035",
            "  T036..T040\\",
            "P05..P10\\"
        ]
    );
}

#[test]
fn failed_and_begun_tasks_are_shown_wherever_they_are() {
    let plan = Drawn::of(
        "A\n  A1\n  A2\n  A3 failed\n  A4\n  A5\n  A6\nB\n  B1\n  B2\n  B3\nC\n  C1\n  C2 active\n  C3\n",
    );
    let lines = plan.folded(Extent::Lines(10), &[]);
    for id in ["    A3", "    C2"] {
        assert!(lines.iter().any(|line| line.trim() == id.trim()), "{lines:#?}");
    }
}

#[test]
fn the_lines_never_exceed_the_room_and_the_running_task_is_always_among_them() {
    for plan in [hundred(), Drawn::of("A\n  B\n    C\n      D\n        E\n        F\n        G\n")] {
        for task in plan.tree.order() {
            let id = plan.tree.node(*task).id.as_str();
            for most in 1..30 {
                let lines = plan.folded(Extent::Lines(most), &[id]);
                assert!(lines.len() <= most, "{id} in {most}: {lines:#?}");
                let found = lines.iter().any(|line| line.trim().trim_end_matches('\\') == id);
                assert!(found, "{id} in {most}: {lines:#?}");
            }
        }
    }
    assert_eq!(hundred().folded(Extent::Lines(0), &["T001"]), [""; 0]);
    assert_eq!(hundred().folded(Extent::Lines(1), &["T050", "T060"]).len(), 1);
}

#[test]
fn what_stays_of_a_short_tree_is_never_below_a_node_that_it_does_not_belong_to() {
    let plan = Drawn::of("A\n  A1\n  A2\nB\n  B1\n");
    assert_eq!(plan.folded(Extent::Lines(3), &["A1"]), ["+A", "  A1", "-B\\"]);
    assert_eq!(plan.folded(Extent::Lines(2), &["A1"]), ["+A", "  A1"]);
    assert_eq!(plan.folded(Extent::Lines(1), &["A1"]), ["A1"]);
    assert_eq!(plan.folded(Extent::Lines(2), &["A1", "B1"]), ["A1", "B1\\"]);
}

#[test]
fn more_room_shows_more_tasks() {
    let plan = hundred();
    let mut before = 0;
    for most in 1..110 {
        let lines = plan.folded(Extent::Lines(most), &["T055"]);
        let tasks = lines.iter().filter(|line| line.trim().starts_with('T') && !line.contains("..")).count();
        assert!(tasks >= before, "{most}: {lines:#?}");
        before = tasks;
    }
}

#[test]
fn only_the_tasks_that_were_asked_for_are_shown_below_their_parents() {
    let plan = Drawn::of("A\n  A1\n  A2\nB\n  B1\n  B2\n    B21\n    B22\n  B3\nC\n  C1\n");
    let tasks = ["A2", "B1", "B22"].map(|id| plan.find(id));
    assert_eq!(
        plan.drawn(&only(&plan.view(), &tasks)),
        ["+A", "  A2\\", "+B\\", "  B1", "  +B2\\", "    B22\\"]
    );
}

#[test]
fn with_two_lines_the_running_task_and_what_comes_later_are_shown() {
    let plan = Drawn::of("A\nB\nC\nD\nE\n");
    assert_eq!(plan.folded(Extent::Lines(2), &["C"]), ["C", "D..E\\"]);
    assert_eq!(plan.folded(Extent::Lines(2), &["E"]), ["A..D", "E\\"]);
    assert_eq!(plan.folded(Extent::Lines(1), &["C"]), ["C"]);
}
