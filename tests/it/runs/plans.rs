//! Tests runs in repositories with more than one plan, and with plans that are edited and moved.

use crate::support::garden::{Garden, one_task, plan, side_by_side};
use serde_json::json;

const ONE_DONE: &str = "1/1 OK  0 ...  0 FAIL  complete\n";
const NOTHING_DONE: &str = "0/1 OK  0 ...  0 FAIL  next T001\n";

/// The plans that the newest steps name, in the order of the history; `-` for none.
fn named_plans(garden: &Garden) -> Vec<String> {
    let format = "--format=-%(trailers:key=Arborist-Plan,valueonly,separator=%x2C)";
    garden.lines(&["log", "--reverse", "--grep=^Arborist-Step: ", format])
}

fn short(garden: &Garden, tree: &str) -> String {
    garden.run(&["status", "--short", "--tree", tree]).stdout
}

#[test]
fn two_plans_with_the_same_ids_are_each_carried_out_in_either_order() {
    for order in [["task-tree.json", "specs/other.json"], ["specs/other.json", "task-tree.json"]] {
        let garden = Garden::new(&one_task(&["true"]));
        garden.write("specs/other.json", &garden.read("task-tree.json"));
        garden.write("package.json", "{\"name\": \"x\"}");
        garden.commit("Add a second plan");
        for (done, tree) in order.iter().enumerate() {
            assert_eq!(short(&garden, tree), NOTHING_DONE, "{order:?}");
            garden.run(&["gardener", "--tree", tree]).assert(0, &[]);
            assert_eq!(short(&garden, tree), ONE_DONE, "{order:?}");
            let plans = named_plans(&garden);
            assert!(plans[plans.len() - 4..].iter().all(|plan| *plan == format!("-{tree}")), "{plans:?}");
            assert_eq!(garden.asked().len(), 2 * (done + 1), "implemented and reviewed once for each plan");
            let check = garden.run(&["check", "--run", "--strict", "--tree", tree]);
            assert_eq!(check.status, 0, "{check:#?}");
        }
        for tree in order {
            assert_eq!(short(&garden, tree), ONE_DONE);
        }
        let range = garden.run(&["check", "--strict", "main~4..main"]);
        assert_eq!(range.status, 0, "{range:#?}");
        let all = garden.run(&["check", "main"]);
        assert_eq!(all.status, 0, "{all:#?}");
    }
}

#[test]
fn what_is_advised_acts_on_the_plan_of_the_command_line() {
    let tree = "my plans/p 2.json";
    let garden = Garden::new(&one_task(&["true"]));
    garden.write(tree, &garden.read("task-tree.json"));
    garden.commit("Add a second plan");
    let gardener = "`git arborist gardener --tree 'my plans/p 2.json'`";
    let status = garden.run(&["status", "--tree", tree]).stdout;
    assert!(status.contains(gardener), "{status}");
    garden.run(&["gardener", "--tree", tree]).assert(0, &["`git arborist land --tree 'my plans/p 2.json'`"]);
    garden.config("arborist.tree", tree);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("`git arborist land`"), "{status}");
}

#[test]
fn the_steps_of_the_only_plan_do_not_name_it() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("package.json", "{\"nodes\": 1}");
    garden.write("other.json", "{\"nodes\": {}}");
    garden.commit("Add files that are no plans");
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(named_plans(&garden).iter().all(|plan| plan == "-"), "{:?}", named_plans(&garden));
}

#[test]
fn steps_from_before_the_second_plan_belong_to_the_first() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    garden.write("other.json", &garden.read("task-tree.json"));
    garden.commit("Add a second plan");
    assert_eq!(short(&garden, "task-tree.json"), ONE_DONE);
    assert_eq!(short(&garden, "other.json"), NOTHING_DONE);
    garden.run(&["gardener", "--tree", "other.json"]).assert(0, &[]);
    for tree in ["task-tree.json", "other.json"] {
        assert_eq!(short(&garden, tree), ONE_DONE);
        let check = garden.run(&["check", "--run", "--strict", "--tree", tree]);
        assert_eq!(check.status, 0, "{check:#?}");
    }
}

#[test]
fn a_moved_plan_continues_its_run() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    std::fs::create_dir(garden.top().join("specs")).unwrap();
    garden.git(&["mv", "task-tree.json", "specs/plan.json"]);
    garden.commit("Move the plan");
    assert_eq!(short(&garden, "specs/plan.json"), ONE_DONE);
    garden.run(&["gardener", "--tree", "specs/plan.json"]).assert(0, &[]);
    assert_eq!(garden.asked().len(), 2, "nothing was done again");
}

#[test]
fn a_renamed_task_is_done_again_and_status_check_and_the_run_say_why() {
    let rows: [(&str, &str, &[&str], &[&str]); 3] =
        [("p1", "", &[], &[]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &[], &["true"])];
    let mut tree = plan(&rows);
    let garden = Garden::new(&tree);
    garden.run(&["gardener"]).assert(0, &[]);
    tree["nodes"]["T001"]["name"] = json!("Do something else");
    tree["nodes"]["T002"]["description"] = json!("The same, told better.");
    garden.write("task-tree.json", &format!("{tree:#}\n"));
    garden.commit("Edit the plan");
    assert_eq!(short(&garden, "task-tree.json"), "1/2 OK  0 ...  0 FAIL  next T001\n");
    let why = "T001 had another name in the plan when";
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains(why), "{status}");
    let check = garden.run(&["check", "--run", "--format", "short"]).stdout;
    assert!(check.contains("H209") && check.contains(why), "{check}");
    let show = garden.run(&["show", "T001"]).stdout;
    assert!(show.contains("under an earlier plan"), "{show}");
    let asked = garden.asked().len();
    garden.run(&["gardener"]).assert(0, &[why]);
    assert_eq!(garden.asked().len(), asked + 2, "T001 alone was done again");
    assert!(!garden.run(&["status"]).stdout.contains(why));
    for what in ["--run", "main"] {
        let check = garden.run(&["check", what]);
        assert_eq!(check.status, 0, "{check:#?}");
    }
}

#[test]
fn a_branch_from_before_a_plan_change_does_not_complete_the_task_that_the_plan_has_now() {
    let mut tree = one_task(&["true"]);
    let garden = Garden::new(&tree);
    garden.git(&["switch", "-q", "-c", "stale"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    tree["spec_id"] = json!("another");
    garden.write("task-tree.json", &format!("{tree:#}\n"));
    garden.commit("Make another plan");
    garden.git(&["merge", "-q", "--no-edit", "stale"]);
    assert_eq!(short(&garden, "task-tree.json"), NOTHING_DONE);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("was made under an earlier plan"), "{status}");
    garden.run(&["gardener"]).assert(0, &["was made under an earlier plan"]);
    assert_eq!(short(&garden, "task-tree.json"), ONE_DONE);
    let check = garden.run(&["check", "--run", "--strict"]);
    assert_eq!(check.status, 0, "{check:#?}");
}

#[test]
fn the_configuration_may_let_any_change_of_the_tree_file_begin_a_run() {
    let mut tree = one_task(&["true"]);
    let garden = Garden::new(&tree);
    garden.run(&["gardener"]).assert(0, &[]);
    tree["nodes"]["T001"]["description"] = json!("Told better.");
    garden.write("task-tree.json", &format!("{tree:#}\n"));
    garden.commit("Edit the plan");
    assert_eq!(short(&garden, "task-tree.json"), ONE_DONE);
    garden.config("arborist.anchor", "file");
    assert_eq!(short(&garden, "task-tree.json"), NOTHING_DONE);
    garden
        .run(&["gardener"])
        .assert(0, &["a new run begins there: the tasks that were complete (T001) will be done again"]);
}

#[test]
fn an_uncommitted_edit_of_the_plan_is_refused_even_with_allow_dirty() {
    let edits: [fn(&Garden); 4] = [
        // A new task, whose steps would not count once the edit is committed.
        |garden| {
            garden.write(
                "task-tree.json",
                &plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &[]), ("T002", "p1", &[], &[])])
                    .to_string(),
            );
        },
        |garden| garden.write("task-tree.json", &garden.read("task-tree.json").replace("Do T001", "Do more")),
        |garden| {
            garden.write("task-tree.json", &garden.read("task-tree.json").replace("Do T001", "Do more"));
            garden.git(&["add", "task-tree.json"]);
        },
        |garden| {
            garden.git(&["rm", "-q", "--cached", "task-tree.json"]);
            garden.git(&["commit", "-q", "-m", "Remove the plan"]);
        },
    ];
    side_by_side(edits, |edit| {
        let garden = Garden::new(&one_task(&[]));
        edit(&garden);
        garden.write("notes.txt", "mine");
        let count = garden.lines(&["log", "--format=%h"]).len();
        for allowed in [&["gardener", "--allow-dirty"][..], &["gardener"][..]] {
            garden
                .run(allowed)
                .assert(3, &["task-tree.json has changes that are not committed", "Commit it first"]);
        }
        assert_eq!((garden.asked(), garden.lines(&["log", "--format=%h"]).len()), (Vec::new(), count));
        let folder = garden.top().join("below");
        std::fs::create_dir(&folder).unwrap();
        let mut advised = garden.command("sh");
        let command = "git add -- :/task-tree.json && git commit -m \"Change the plan\" -- :/task-tree.json";
        advised.args(["-c", command]).current_dir(folder);
        garden.finish(advised).assert(0, &[]);
        garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
        assert_eq!(garden.status(), ["?? notes.txt"]);
        let status = garden.run(&["status"]).stdout;
        assert!(status.contains("complete: `git arborist land`"), "{status}");
    });
}

#[test]
fn a_plan_that_git_ignores_need_not_be_committed() {
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["mv", "task-tree.json", "other.json"]);
    garden.write(".gitignore", "/mine.json\n");
    garden.commit("Ignore a plan");
    std::fs::copy(garden.top().join("other.json"), garden.top().join("mine.json")).unwrap();
    garden.run(&["gardener", "--tree", "mine.json"]).assert(0, &[]);
}
