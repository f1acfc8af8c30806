//! Finished tasks that cannot be merged: their next attempt resolves that.

use crate::jobs::assert_integrated;
use crate::support::garden::{Garden, plan};
use crate::support::mcp::Server;

/// Two tasks whose agents do this, each in turn with the other on its way.
fn two(tests: [&str; 2], agent: &str) -> Garden {
    let garden = Garden::new(&plan(&[
        ("p", "", &[], &[]),
        ("T001", "p", &[], &[tests[0]]),
        ("T002", "p", &[], &[tests[1]]),
    ]));
    garden.config("arborist.review", "false");
    // The second one ends after the first one, and both begin at the same commit.
    garden.agent(&format!(
        r#"touch "$ROOT/began-$ARBORIST_TASK"
        until test -e "$ROOT/began-T001" && test -e "$ROOT/began-T002"; do sleep 0.05; done
        case $work in T002.implement.0) sleep 1;; esac
        {agent}"#
    ));
    garden
}

const BOTH: [&str; 2] = ["T001", "T002"];

/// The steps of a task on the branch of the run, oldest first.
fn steps_of(garden: &Garden, task: &str) -> Vec<String> {
    let mut subjects =
        garden.lines(&["log", "--topo-order", "--format=%s", "--grep", &format!("^task({task}):"), "main"]);
    subjects.reverse();
    subjects
}

#[test]
fn two_tasks_that_edit_the_same_line_are_merged_by_another_attempt_of_the_second() {
    let garden = two(
        ["grep -q T001 shared", "grep -q T002 shared"],
        r#"if grep -q '^<<<<<<<' shared 2>/dev/null; then
            sed -i '/^<<<<<<<\|^=======\|^>>>>>>>/d' shared
        else
            echo "$ARBORIST_TASK" > shared
        fi; exit 0"#,
    );
    garden
        .run(&["gardener", "--jobs", "2"])
        .assert(0, &["T002 merge", "conflicts in shared", "T002 merge       pass"]);
    assert_integrated(&garden, &BOTH);
    assert_eq!(
        steps_of(&garden, "T002"),
        [
            "task(T002): implement \"Do T002\"",
            "task(T002): tests pass for \"Do T002\"",
            "task(T002): complete \"Do T002\"",
            "task(T002): implement \"Do T002\"",
            "task(T002): tests pass for \"Do T002\"",
            "task(T002): complete \"Do T002\"",
        ]
    );
    let merge =
        garden.git(&["log", "-1", "--merges", "--format=%H", "--grep", "^task(T002): implement", "main"]);
    let body = garden.git(&["log", "-1", "--format=%B", &merge]);
    assert!(body.contains("conflicts in shared"), "{body}");
    for trailer in ["Arborist-Retry: 0", "Arborist-Merge: 0"] {
        assert!(body.lines().any(|line| line == trailer), "a conflict is nobody's fault: {body}");
    }
    let carried = garden.lines(&["log", "--format=%(trailers:key=Arborist-Merge,valueonly)", "main"]);
    assert_eq!(carried.iter().filter(|value| *value == "0").count(), 3, "implement, test and complete");
    let mut lines: Vec<String> = garden.read("shared").lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["T001", "T002"]);
    let prompt = garden.prompt("T002.implement.0.merge0");
    assert!(prompt.contains("+T001") && prompt.contains("+T002") && prompt.contains("- shared"), "{prompt}");
    for told in ["- T001: Do T001\n  What T001 is for.", "make both sides work together", "lock files"] {
        assert!(prompt.contains(told), "{told}: {prompt}");
    }
    assert!(!prompt.contains("NOTHING LEFT TO DO"), "{prompt}");
    let task_one = garden.prompt("T001.implement.0");
    assert!(!task_one.contains("merge"), "{task_one}");
}

#[test]
fn a_task_that_deletes_what_another_edits_is_merged_by_another_attempt() {
    let garden = two(
        ["test -f T001.txt", "test -f T002.txt"],
        r#"case $work in
            T001.implement.0) echo edited >> file;;
            T002.implement.0) rm file;;
            T002.implement.*) test -f file || exit 1; echo both > file;;
        esac"#,
    );
    garden.write("file", "first\n");
    garden.commit("Add a file");
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &["conflicts in file", "T002 merge       pass"]);
    assert_integrated(&garden, &BOTH);
    assert_eq!(garden.read("file"), "both\n");
}

#[test]
fn tasks_whose_tests_pass_alone_and_fail_together_are_merged_by_another_attempt() {
    let garden = two(
        ["test -f a && test ! -f b || test -f c", "test -f b"],
        r#"case $work in
            T001.implement.0) touch a;;
            T002.implement.0) touch b;;
            T002.implement.0.merge0) test -f a && test -f b && touch c;;
        esac
        exit 0"#,
    );
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(0, &["T002 merge", "fails on the merged tree", "T002 merge       pass"]);
    assert_integrated(&garden, &BOTH);
    assert!(garden.exists("c"));
}

#[test]
fn an_attempt_that_leaves_conflict_markers_fails_and_nothing_of_the_merge_is_committed() {
    let garden = two(
        ["grep -q T001 shared", "grep -q T002 shared"],
        r#"case $work in
            *.implement.0) echo "$ARBORIST_TASK" > shared;;
            T002.implement.0.merge0) echo kept > extra;;
            T002.implement.0.merge1) test ! -e extra && sed -i '/^<<<<<<<\|^=======\|^>>>>>>>/d' shared;;
        esac; exit 0"#,
    );
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &["T002 merge       pass"]);
    assert_integrated(&garden, &BOTH);
    let failed = garden.git(&["log", "-1", "--format=%H", "--grep", "failed, attempt 1/5", "main"]);
    assert_eq!(garden.git(&["rev-list", "--parents", "-1", &failed]).split(' ').count(), 2, "it is no merge");
    assert_eq!(garden.git(&["diff", "--name-only", &format!("{failed}^"), &failed]), "");
    // What the agent had done is saved.
    let saved = garden.git(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue/T002"]);
    assert_eq!(garden.git(&["show", &format!("{saved}:extra")]), "kept");
    assert!(!garden.exists("extra"));
}

#[test]
fn a_task_that_can_never_be_merged_fails_after_its_attempts_and_the_branch_of_the_run_stays_sound() {
    let garden = two(
        ["grep -q T001 shared", "grep -q T002 shared"],
        r#"case $work in *.0) echo "$ARBORIST_TASK" > shared;; esac; exit 0"#,
    );
    garden.config("arborist.mergeAttempts", "2");
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(1, &["T002 failed", "T001 merge       pass"]);
    garden.forget_history();
    assert_eq!(garden.read("shared"), "T001\n");
    let steps = garden.lines(&["log", "--format=%s", "arborist/trial/T002"]);
    assert_eq!(steps.first().map(String::as_str), Some("task(T002): failed \"Do T002\" after 5 retries"));
    assert!(steps.contains(&"task(T002): complete \"Do T002\"".to_owned()));
    let merges =
        garden.lines(&["log", "--format=%(trailers:key=Arborist-Merge,valueonly)", "arborist/trial/T002"]);
    let merges: Vec<&str> = merges.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    assert_eq!(merges, ["1", "1", "0"], "and what says that it has failed");
    garden.run(&["check", "--run"]).assert(0, &[]);
    let shown = garden.run(&["show", "T002"]).stdout;
    assert!(shown.contains("Attempt 1\n") && shown.contains("Attempt 2 to merge\n"), "{shown}");
}

#[test]
fn finished_tasks_are_tested_together_and_the_one_that_breaks_something_is_found() {
    let tasks = ["T001", "T002", "T003", "T004"];
    let rows: Vec<_> = tasks
        .iter()
        .map(|task| (*task, "", &[][..], &["echo run >> \"$ROOT/runs\"; test ! -f bad"][..]))
        .collect();
    let garden = Garden::new(&plan(&rows));
    garden.config("arborist.review", "false");
    let base = garden.git(&["rev-parse", "HEAD"]);
    for task in tasks {
        garden.git(&["switch", "-q", "-c", &format!("arborist/trial/{task}"), &base]);
        garden.write(if task == "T003" { "bad" } else { task }, "work");
        let message = format!(
            "task({task}): complete \"Do {task}\"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-By: user"
        );
        garden.commit(&message);
    }
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    garden.agent("rm bad; exit 0");
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(0, &["T003 merge", "T003 merge       pass"]);
    assert_integrated(&garden, &tasks);
    assert!(!garden.exists("bad"));
    let merged = |task: &str| ended.stderr.find(&format!("{task} merge       pass")).unwrap();
    assert!(merged("T004") < merged("T003"), "the others do not wait for it: {ended:?}");
}

#[test]
fn tests_that_fail_on_the_branch_of_the_run_anyway_keep_nobody_from_being_merged() {
    let garden = two(["test ! -f broken", "test -f T002.txt"], "");
    garden.agent(
        r#"touch "$ROOT/began-$ARBORIST_TASK"
        until test -e "$ROOT/began-T001" && test -e "$ROOT/began-T002"; do sleep 0.05; done
        if test "$ARBORIST_TASK" = T002; then
            until git -C "$ROOT/work" log -1 --format=%s main | grep -q T001; do sleep 0.1; done
            (cd "$ROOT/work" && touch broken && git add broken && git commit -qm "Break the test of another task")
        fi"#,
    );
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    let told = [
        "fails on the branch of the run even without T002",
        "T002 merge       pass",
        "The tests of T001 fail",
    ];
    ended.assert(1, &told);
}

#[test]
fn a_plan_that_is_changed_while_a_task_has_to_be_merged_is_the_plan_of_its_next_attempt() {
    let garden = Garden::new(&plan(&[
        ("T001", "", &[], &["test -f T001.txt"]),
        ("T002", "", &[], &["test -f T002.txt"]),
    ]));
    garden.config("arborist.review", "false");
    let longer = plan(&[
        ("T001", "", &[], &["test -f T001.txt"]),
        ("T002", "", &[], &["test -f T002.txt"]),
        ("T003", "", &["T002"], &["grep -q T002 shared"]),
    ]);
    std::fs::write(garden.root().join("longer.json"), longer.to_string()).unwrap();
    // Both change the same line, and somebody adds a task while the second one is at work.
    garden.agent(
        r#"if test "$ARBORIST_TASK" = T002 && mkdir "$ROOT/once" 2>/dev/null; then
            until git -C "$ROOT/work" log --format=%s main | grep -q '^Merge task'; do sleep 0.05; done
            cp "$ROOT/longer.json" "$ROOT/work/task-tree.json"
            git -C "$ROOT/work" -c core.hooksPath=/dev/null commit -qam 'Plan more'
        fi
        if grep -q '^<<<<<<<' shared; then sed -i '/^<<<<<<<\|^=======\|^>>>>>>>/d' shared
        else echo "$ARBORIST_TASK" >> shared; fi"#,
    );
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(3, &["the plan task-tree.json was changed during the run", "T002 complete"]);
    garden.forget_history();
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(0, &["T002 merge       fail", "T002 merge       pass", "T003 merge       pass"]);
    assert_integrated(&garden, &["T001", "T002", "T003"]);
    let took = garden.lines(&["log", "--format=%s", "--grep", "^Take over task-tree.json from main", "main"]);
    assert_eq!(took.len(), 1, "{took:?}");
    garden.run(&["check", "--run"]).assert(0, &[]);
}

/// What the second task does in its first attempt to merge it: it waits until the third one is merged too, and resolves the
/// conflict wrongly. In the next attempt, it needs the work of the third one.
fn waits_for_third(is_merged: &str) -> String {
    format!(
        r#"touch "$ROOT/began-$ARBORIST_TASK"
        until test -e "$ROOT/began-T001" && test -e "$ROOT/began-T002"; do sleep 0.05; done
        case $work in
            T001.implement.0) echo T001 > shared;;
            T002.implement.0) sleep 1; echo T002 > shared;;
            T003.implement.0) until test -e "$ROOT/merging"; do sleep 0.05; done; touch T003.txt;;
            T002.implement.0.merge0) touch "$ROOT/merging"; echo wrong > shared
                until {is_merged}; do sleep 0.05; done;;
            T002.implement.0.merge1) test -f T003.txt && printf 'T001\nT002\n' > shared;;
        esac
        exit 0"#
    )
}

pub(crate) fn three_with_conflict(is_merged: &str) -> (serde_json::Value, String) {
    let tree = plan(&[
        ("p", "", &[], &[]),
        ("T001", "p", &[], &["grep -q T001 shared"]),
        ("T002", "p", &[], &["grep -q T002 shared"]),
        ("T003", "p", &[], &["test -f T003.txt"]),
    ]);
    (tree, waits_for_third(is_merged))
}

#[test]
fn each_attempt_to_merge_a_task_begins_with_the_newest_commit_of_the_branch_of_the_run() {
    let (tree, agent) = three_with_conflict("git cat-file -e main:T003.txt 2>/dev/null");
    let garden = Garden::new(&tree);
    garden.config("arborist.review", "false");
    garden.agent(&agent);
    garden.run(&["gardener", "--jobs", "3"]).assert(0, &["T002 merge       pass"]);
    assert_integrated(&garden, &["T001", "T002", "T003"]);
    assert_eq!(garden.read("shared"), "T001\nT002\n");
    let merges =
        garden.lines(&["log", "--merges", "--format=%s", "--grep", "^task(T002): implement", "main"]);
    assert_eq!(merges.len(), 2, "{merges:?}");
    let prompt = garden.prompt("T002.implement.0.merge1");
    assert!(prompt.contains("- T003: Do T003"), "{prompt}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_unit_that_is_part_of_a_merge_says_what_is_merged_with_what() {
    let garden = two(
        ["grep -q T001 shared", "grep -q T002 shared"],
        r#"case $work in
            *.implement.0) echo "$ARBORIST_TASK" > shared;;
            T002.implement.0.merge0) echo wrong > shared;;
            T002.implement.0.merge1) echo $$ > "$ROOT/pid"; touch "$ROOT/there"; exec sleep 300;;
        esac
        exit 0"#,
    );
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2"]));
    garden.wait_for("there");
    garden.kill_with_agent(running);
    let ended = garden.run(&["next", "T002", "--json"]);
    ended.assert(0, &[]);
    let unit: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    crate::support::schemas::fits("next", &unit);
    let merge = &unit["merge"];
    assert_eq!(
        (&merge["attempt"], &merge["made"], &merge["branch"]),
        (&1.into(), &true.into(), &"main".into())
    );
    assert_eq!(merge["tasks"], serde_json::json!([{"task": "T001", "name": "Do T001"}]), "{unit:#}");
    assert_eq!(merge["conflicts"], serde_json::json!(["shared"]));
    assert_eq!(merge["commit"], garden.head());
    assert!(unit["prompt"].as_str().unwrap().contains("- T001: Do T001"), "{unit:#}");
    let prompt = garden.run(&["next", "T002", "--prompt"]).stdout;
    assert_eq!(unit["prompt"], prompt);
    assert!(garden.run(&["next", "T002"]).stdout.starts_with("T002 Do T002: implement"));
    let said = Server::start(&garden).tool("unit_next", &serde_json::json!({"task": "T002"}));
    assert_eq!(said["merge"]["tasks"], serde_json::json!([{"task": "T001"}]), "{said:#}");
    assert_eq!(said["merge"]["conflicts"], serde_json::json!(["shared"]), "{said:#}");
}
