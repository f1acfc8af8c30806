//! What was once possible.

use crate::support::garden::{Garden, one_task, plan};

/// Two tasks without a phase.
fn two_tasks() -> Garden {
    let test = |id: &str| format!("test -f {id}.txt");
    Garden::new(&plan(&[("T1", "", &[], &[&test("T1")]), ("T2", "", &[], &[&test("T2")])]))
}

#[test]
fn an_agent_cannot_complete_another_task_by_writing_to_its_branch() {
    let ways: [&[&str]; 3] = [&["--jobs", "2"], &["--branches", "task"], &["--branches", "phase"]];
    for way in ways {
        let garden = two_tasks();
        garden.agent(
            "[ $ARBORIST_TASK.$ARBORIST_STEP = T1.implement ] && git update-ref refs/heads/arborist/trial/T2 $(git commit-tree -p main \
             -m 'task(T2): complete \"Do T2\"' -m 'Arborist-Step: complete
Arborist-Result: pass
Arborist-Report: spec/reports/T2.json' main^{tree})",
        );
        let args = [&["gardener"], way].concat();
        garden.run(&args).assert(6, &["arborist/trial/T2", "is kept as refs/arborist/rescue/moved/"]);
        let status = garden.run(&["status", "--json"]).stdout;
        let document: serde_json::Value = serde_json::from_str(&status).unwrap();
        assert_ne!(document["tasks"][1]["state"], "complete", "{way:?}: {status}");
        garden.agent("");
        garden.run(&args).assert(0, &[]);
        let files = garden.lines(&["ls-tree", "--name-only", "main", "T1.txt", "T2.txt"]);
        assert_eq!(files, ["T1.txt", "T2.txt"], "{way:?}");
    }
}

#[test]
fn a_worker_does_not_begin_on_a_branch_that_was_forged_while_its_slot_was_prepared() {
    let garden = two_tasks();
    let forged = garden.root().join("forged");
    let wait =
        format!("until test $ARBORIST_SLOT = 0 || test -e '{}'; do sleep 0.05; done", forged.display());
    garden.config("arborist.worktree.setup", &wait);
    garden.agent(
        "[ $ARBORIST_TASK.$ARBORIST_STEP = T1.implement ] && git update-ref refs/heads/arborist/trial/T2 $(git commit-tree -p main \
         -m 'task(T2): complete \"Do T2\"' -m 'Arborist-Step: complete
Arborist-Result: pass
Arborist-Report: spec/reports/T2.json' main^{tree}) && git rev-parse arborist/trial/T2 > \"$ROOT/forged\"",
    );
    let args = ["gardener", "--jobs", "2"];
    let kept = "is kept as refs/arborist/rescue/moved/";
    garden.run(&args).assert(6, &["refs/heads/arborist/trial/T2 (moved)", kept]);
    let asked = garden.asked();
    assert!(!asked.iter().any(|step| step.starts_with("T2.")), "{asked:?}");
    let forged = std::fs::read_to_string(forged).unwrap();
    let has_forged = |branch: &str| garden.lines(&["rev-list", branch]).contains(&forged.trim().to_owned());
    assert!(!has_forged("arborist/trial/T2"));
    garden.agent("");
    garden.run(&args).assert(0, &[]);
    assert!(!has_forged("main"));
}

#[test]
fn commits_of_the_user_that_an_agent_moves_away_are_put_back() {
    let garden = two_tasks();
    garden.agent(
        "case $work in T1.implement.0) touch \"$ROOT/ready\"; while ! test -e \"$ROOT/go\"; do sleep 0.05; done
         git update-ref refs/heads/main $(git rev-list --max-parents=0 HEAD);; esac",
    );
    let running = garden.start(garden.arborist(&["gardener", "--branches", "task"]));
    garden.wait_for("ready");
    garden.write("mine", "precious\n");
    garden.git(&["add", "mine"]);
    garden.git(&["commit", "-q", "-m", "My work"]);
    let mine = garden.head();
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(6, &["rewrote the branch main", &mine]);
    assert_eq!(garden.head(), mine);
    assert_eq!(garden.status(), [""; 0]);
    garden.agent("");
    garden.run(&["gardener", "--branches", "task"]).assert(0, &[]);
    assert!(garden.exists("mine") && garden.exists("T1.txt") && garden.exists("T2.txt"));
}

#[test]
fn a_forged_branch_does_not_count_after_the_run_was_killed_either() {
    let garden = two_tasks();
    garden.agent(
        "case $work in T1.implement.0) git update-ref refs/heads/arborist/trial/T2 $(git commit-tree -p main -m 'task(T2): complete \"Do T2\"' \
         -m 'Arborist-Step: complete
Arborist-Result: pass
Arborist-Report: spec/reports/T2.json' main^{tree}); echo $$ > \"$ROOT/pid\"; : > \"$ROOT/ready\"; while :; do sleep 0.05; done;; esac",
    );
    let args = ["gardener", "--branches", "task"];
    let running = garden.start(garden.arborist(&args));
    garden.wait_for("ready");
    garden.kill_with_agent(running);
    garden.agent("");
    // Nobody believes it in the meantime either.
    let status = garden.run(&["status", "--json"]).stdout;
    let document: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(document["tasks"][1]["state"], "pending", "{status}");
    garden.run(&["next"]).assert(0, &[]);
    garden.run(&args).assert(6, &["arborist/trial/T2 (made)", "a program of an earlier run"]);
    garden.run(&args).assert(0, &[]);
    let asked = garden.asked();
    assert!(asked.contains(&"T2.review.0".to_owned()), "{asked:?}");
}

#[test]
fn the_branch_of_a_neighbour_that_an_agent_deletes_is_put_back_and_named() {
    let garden = two_tasks();
    garden.agent(
        "case $work in
         T1.implement.0) until test -e \"$ROOT/there\"; do sleep 0.05; done
             git update-ref -d refs/heads/arborist/trial/T2; : > \"$ROOT/gone\";;
         T2.review.0) : > \"$ROOT/there\"; until test -e \"$ROOT/gone\"; do sleep 0.05; done;;
         esac",
    );
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(6, &["something deleted or damaged the branch arborist/trial/T2"]);
    let subjects = garden.lines(&["log", "--format=%s", "arborist/trial/T2"]);
    assert!(subjects.iter().any(|subject| subject.starts_with("task(T2): tests pass")), "{subjects:?}");
    garden.agent("");
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
}

/// A hook that puts a forged completion on the branch while the step is committed, once: at the same moment as another
/// program of the run could.
fn forging_hook(garden: &Garden, hook: &str, parent: &str) {
    let root = garden.root().display();
    let forge = format!(
        "test -e \"{root}/forged\" && exit 0\ntouch \"{root}/forged\"\n\
         forged=$(git commit-tree -p {parent} -m 'task(T001): complete \"Do T001\"\n\nArborist-Step: complete\n\
         Arborist-Result: pass\nArborist-Report: r.json' HEAD^{{tree}})\n\
         git update-ref refs/heads/main $forged\n"
    );
    garden.program(&garden.top().join(".git/hooks").join(hook), &forge);
}

fn state(garden: &Garden) -> String {
    let status = garden.run(&["status", "--json"]).stdout;
    let document: serde_json::Value = serde_json::from_str(&status).unwrap();
    document["tasks"][0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_step_that_is_forged_while_another_is_committed_counts_for_nothing() {
    for (hook, parent) in [("pre-commit", "HEAD"), ("post-commit", "HEAD~1"), ("post-commit", "HEAD")] {
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        forging_hook(&garden, hook, parent);
        let ended = garden.run(&["gardener", "--no-review"]);
        ended.assert(6, &["which claims to be a step"]);
        assert_ne!(state(&garden), "complete", "{hook} {parent}");
        garden.run(&["gardener", "--no-review"]).assert(0, &[]);
        assert!(garden.top().join("T001.txt").exists());
        assert_eq!(state(&garden), "complete");
    }
}
