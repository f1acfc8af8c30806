//! How a run with several tasks at the same time goes.

use crate::jobs::assert_integrated;
use crate::support::garden::{Garden, plan};

/// Three tasks of one phase, of which the last needs the others, and one of another phase.
fn four_tasks() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["test -f T001.txt && test -f T002.txt && test -f T003.txt"]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &[], &["test -f T002.txt"]),
        ("T003", "p1", &["T001", "T002"], &["test -f T001.txt && test -f T002.txt && test -f T003.txt"]),
        ("p2", "", &[], &[]),
        ("T004", "p2", &[], &["test -f T004.txt"]),
    ]));
    garden.config("arborist.review", "false");
    garden
}

const ALL: [&str; 4] = ["T001", "T002", "T003", "T004"];

#[test]
fn tasks_that_do_not_need_each_other_are_worked_on_at_the_same_time() {
    let garden = four_tasks();
    // Each of the first three waits until the two others have begun.
    garden.agent(
        r#"touch "$ROOT/began-$ARBORIST_TASK"
        case $ARBORIST_TASK in T003) ;; *)
            until test -e "$ROOT/began-T001" && test -e "$ROOT/began-T002" && test -e "$ROOT/began-T004"; do sleep 0.05; done;;
        esac"#,
    );
    let ended = garden.run(&["gardener", "--jobs", "3"]);
    ended.assert(0, &["T003 merge       pass"]);
    assert_integrated(&garden, &ALL);
    let subjects = garden.lines(&["log", "--format=%s", "main"]);
    let marked = subjects.iter().filter(|subject| subject.starts_with("phase(")).count();
    assert_eq!(marked, 2, "{subjects:#?}");
    // Nothing is left to do, so nothing is done.
    let head = garden.head();
    garden.run(&["gardener", "--jobs", "3"]).assert(0, &[]);
    assert_eq!(garden.head(), head);
}

#[test]
fn the_last_line_of_an_agent_that_tells_nothing_else_reaches_the_scheduler() {
    let garden = four_tasks();
    garden.agent("test $ARBORIST_TASK != T001 || { echo 'reads the schema'; until test -e \"$ROOT/seen\"; do sleep 0.05; done; }");
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2", "--json"]));
    garden.wait_until("no line came", || running.printed().contains("reads the schema"));
    std::fs::write(garden.root().join("seen"), "").unwrap();
    let ended = running.wait();
    ended.assert(0, &[]);
    let is_it = |line: &&str| {
        line.contains("\"event\":\"progress\"") && line.contains("\"line\":\"reads the schema\"")
    };
    assert_eq!(ended.stdout.lines().filter(is_it).count(), 1, "{ended:#?}");
}

#[test]
fn a_task_begins_where_everything_that_it_needs_is_merged() {
    let garden = four_tasks();
    garden.run(&["gardener", "--jobs", "4"]).assert(0, &[]);
    let implement = garden.git(&["log", "--format=%H", "--grep", "^task(T003): implement", "main"]);
    let files = garden.lines(&["ls-tree", "--name-only", &format!("{implement}^")]);
    assert!(["T001.txt", "T002.txt"].iter().all(|file| files.contains(&(*file).to_owned())), "{files:?}");
}

#[test]
fn the_number_of_the_slot_is_known_to_the_setup_the_agents_and_the_tests() {
    let garden = four_tasks();
    garden.config("arborist.worktree.setup", "echo \"setup $ARBORIST_SLOT\" >> \"$ROOT/slots\"");
    garden.agent(r#"echo "agent $ARBORIST_SLOT" >> "$ROOT/slots"; sleep 0.3"#);
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    let told = std::fs::read_to_string(garden.root().join("slots")).unwrap();
    let count = |line: &str| told.lines().filter(|told| *told == line).count();
    // A slot is made and set up once, and then used again.
    assert_eq!([count("setup 0"), count("setup 1")], [1, 1], "{told}");
    assert!(count("agent 0") >= 1 && count("agent 1") >= 1, "{told}");
    assert_eq!(told.lines().count(), 6, "{told}");
}

#[test]
fn a_setup_that_takes_long_keeps_no_other_task_from_going_on() {
    let garden = four_tasks();
    // The second slot is ready when the task in the first one has been merged, and no two are set up at the same time.
    std::fs::write(
        garden.root().join("setup"),
        r#"mkdir "$ROOT/alone" || exit 1
        if test "$ARBORIST_SLOT" = 1; then
            n=0; until git -C "$ROOT/work" log --format=%s main | grep -q '^Merge task'; do
                n=$((n+1)); test $n -lt 400 || exit 1; sleep 0.05
            done
        fi
        rmdir "$ROOT/alone""#,
    )
    .unwrap();
    garden.config("arborist.worktree.setup", "sh \"$ROOT/setup\"");
    let ended = garden.run(&["gardener", "--jobs", "3", "--verbose"]);
    ended.assert(0, &["slot 1 is prepared for T002", "T002 is worked on in slot 1"]);
    assert_integrated(&garden, &ALL);
}

#[test]
fn a_slot_is_set_up_again_when_the_command_or_a_lock_file_has_changed() {
    let garden = four_tasks();
    garden.config("arborist.worktree.setup", "echo first >> \"$ROOT/setups\"");
    garden.run(&["gardener", "--branches", "task", "--max-tasks", "1"]).assert(1, &["after 1 task"]);
    garden.forget_history();
    garden.config("arborist.worktree.setup", "echo second >> \"$ROOT/setups\"");
    garden.run(&["gardener", "--branches", "task", "--max-tasks", "1"]).assert(1, &["after 1 task"]);
    garden.forget_history();
    garden.write("package-lock.json", "{}");
    garden.commit("Need other packages");
    garden.run(&["gardener", "--branches", "task", "--max-tasks", "1"]).assert(1, &["after 1 task"]);
    let setups = std::fs::read_to_string(garden.root().join("setups")).unwrap();
    assert_eq!(setups, "first\nsecond\nsecond\n");
}

#[test]
fn a_warning_names_ignored_files_that_slots_will_lack() {
    let garden = four_tasks();
    garden.write(".gitignore", "node_modules/\n");
    garden.commit("Ignore packages");
    garden.write("node_modules/a", "a");
    garden.run(&["gardener", "--jobs", "2", "--max-tasks", "1"]).assert(1, &["will lack node_modules"]);
    garden.forget_history();
    garden.config("arborist.worktree.copy", "node_modules");
    let ended = garden.run(&["gardener", "--jobs", "2", "--max-tasks", "1"]);
    assert!(!ended.stderr.contains("will lack"), "{ended:?}");
}

#[test]
fn ignored_files_that_the_repository_or_the_settings_name_are_copied_into_slots() {
    let garden = four_tasks();
    garden.write(".gitignore", "*.secret\ncache/\nother/\n");
    garden.write(".worktreeinclude", "*.secret\n");
    garden.commit("Ignore some files");
    garden.write("a.secret", "a");
    garden.write("cache/b", "b");
    garden.write("other/c", "c");
    garden.config("arborist.worktree.copy", "cache");
    garden.agent("cat a.secret cache/b > /dev/null && test ! -e other/c || exit 1");
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert_integrated(&garden, &ALL);
}

#[test]
fn tasks_that_touch_the_same_files_never_run_at_the_same_time() {
    let mut tree = plan(&[
        ("T001", "", &[], &["test -f T001.txt"]),
        ("T002", "", &[], &["test -f T002.txt"]),
        ("T003", "", &[], &["test -f T003.txt"]),
    ]);
    for task in ["T001", "T002"] {
        tree["nodes"][task]["touches"] = serde_json::json!(["src/*.rs"]);
    }
    let garden = Garden::new(&tree);
    garden.config("arborist.review", "false");
    garden.agent(
        r#"case $ARBORIST_TASK in T003) ;; *)
            mkdir "$ROOT/alone" || exit 1; sleep 0.3; rmdir "$ROOT/alone";;
        esac"#,
    );
    garden.run(&["gardener", "--jobs", "3", "--max-attempts", "1"]).assert(0, &[]);
    assert_integrated(&garden, &["T001", "T002", "T003"]);
}

#[test]
fn a_task_that_fails_stays_on_its_branch_and_the_others_end_and_are_merged() {
    let garden = four_tasks();
    garden.agent("case $ARBORIST_TASK in T002) exit 1;; T001) sleep 0.5;; esac");
    let ended = garden.run(&["gardener", "--jobs", "4", "--max-attempts", "1"]);
    ended.assert(1, &["T002 failed", "T001 merge       pass"]);
    garden.forget_history();
    assert_eq!(
        garden.lines(&["branch", "--list", "arborist/*", "--format=%(refname:short)"]),
        ["arborist/trial/T002"]
    );
    assert!(!garden.exists("T002.txt") && garden.exists("T001.txt"));
    // On request it begins again, on the same branch.
    garden.agent("");
    garden.run(&["gardener", "--jobs", "4", "--failed"]).assert(0, &["T003 merge       pass"]);
    assert_integrated(&garden, &ALL);
}

#[test]
fn a_run_with_task_branches_goes_on_without_the_option_one_task_at_a_time() {
    let garden = four_tasks();
    garden.agent("case $ARBORIST_TASK in T002) exit 1;; esac");
    garden.run(&["gardener", "--jobs", "2", "--max-attempts", "1", "p1"]).assert(1, &["T002 failed"]);
    garden.forget_history();
    garden.agent(r#"mkdir "$ROOT/alone" || exit 1; sleep 0.1; rmdir "$ROOT/alone""#);
    garden.run(&["gardener", "--failed"]).assert(0, &["T002 merge       pass", "T004 merge       pass"]);
    assert_integrated(&garden, &ALL);
}

#[test]
fn changes_of_the_user_stay_in_the_work_tree() {
    let garden = four_tasks();
    garden.write("notes", "mine");
    garden.run(&["gardener", "--jobs", "2"]).assert(3, &["notes"]);
    garden.run(&["gardener", "--jobs", "2", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.read("notes"), "mine");
    assert_eq!(garden.status(), ["?? notes"]);
}

#[test]
fn a_commit_of_the_user_on_the_branch_of_the_run_is_kept() {
    let garden = four_tasks();
    garden.agent(
        r#"if test "$ARBORIST_TASK" = T001; then
            cd "$ROOT/work" && echo mine > mine && git add mine && git -c core.hooksPath=/dev/null commit -qm "Mine"
            cd "$OLDPWD"
        fi"#,
    );
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(0, &[]);
    assert_integrated(&garden, &ALL);
    assert!(garden.lines(&["log", "--first-parent", "--format=%s"]).contains(&"Mine".to_owned()));
}

#[test]
fn an_interrupted_run_ends_its_workers_and_goes_on_from_their_branches() {
    let garden = four_tasks();
    garden.agent(r#"echo $$ > "$ROOT/pid-$ARBORIST_TASK"; test -e "$ROOT/go" || sleep 600"#);
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "3"]));
    for task in ["T001", "T002", "T004"] {
        garden.wait_for(&format!("pid-{task}"));
    }
    running.signal("INT");
    let ended = running.wait();
    ended.assert(130, &["git arborist gardener --jobs 3"]);
    garden.assert_nothing_runs();
    garden.check_repository();
    std::fs::write(garden.root().join("go"), "").unwrap();
    garden.run(&["gardener", "--jobs", "3"]).assert(0, &[]);
    assert_integrated(&garden, &ALL);
}

#[test]
fn a_request_to_stop_lets_the_workers_end_their_steps() {
    let garden = four_tasks();
    garden.agent(r#"touch "$ROOT/began-$ARBORIST_TASK"; until test -e "$ROOT/go"; do sleep 0.05; done"#);
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2"]));
    garden.wait_for("began-T001");
    garden.wait_for("began-T002");
    garden.run(&["stop", "--now"]).assert(0, &[]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(1, &["git arborist stop"]);
    garden.forget_history();
    assert!(!garden.exists("T001.txt"));
    for task in ["T001", "T002"] {
        let branch = format!("arborist/trial/{task}");
        assert_eq!(
            garden.lines(&["log", "--format=%s", &format!("main..{branch}")]),
            [format!("task({task}): implement \"Do {task}\"")],
            "the step that was under way is committed, and nothing after it"
        );
    }
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert_integrated(&garden, &ALL);
}

#[test]
fn a_setting_of_this_call_holds_for_its_workers() {
    let garden = four_tasks();
    let mut call = garden.arborist(&["gardener", "--jobs", "2"]);
    call.env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "arborist.review")
        .env("GIT_CONFIG_VALUE_0", "false");
    garden.finish(call).assert(0, &[]);
    assert!(garden.steps().iter().all(|step| !step.contains("review")), "{:?}", garden.steps());
}
