//! Ignored files of the user that programs stage and commit, also in steps that are killed.

use crate::support::garden::{Garden, one_task, side_by_side};
use crate::support::harness;

/// What a program does that is killed then: it stages an ignored file of the user.
const STAGE_AND_WAIT: &str = "if ! test -e \"$ROOT/began\"; then git add -f mine.local; echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; exec sleep 3009; fi";

fn garden_of(test: &str) -> Garden {
    let garden = Garden::new(&one_task(&[test]));
    garden.write(".gitignore", "*.local\n.env\n");
    garden.commit("Ignore files");
    garden.write("mine.local", "of the user\n");
    garden
}

#[test]
fn an_ignored_file_that_a_killed_test_or_reviewer_staged_stays_on_disk_and_out_of_every_commit() {
    side_by_side(["test", "review"], |step| {
        let garden = garden_of(if step == "test" { STAGE_AND_WAIT } else { "true" });
        if step == "review" {
            garden.agent(&format!(
                "test $ARBORIST_STEP != review || {{ cd \"$ROOT/work\"; {STAGE_AND_WAIT}; }}"
            ));
        }
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("began");
        garden.kill_with_agent(running);
        assert_eq!(garden.status(), ["A  mine.local"], "{step}");
        garden.run(&["gardener"]).assert(0, &["git ignores them", "mine.local"]);
        assert_eq!(garden.read("mine.local"), "of the user\n", "{step}");
        assert_eq!(garden.status(), [""; 0], "{step}");
        assert_eq!(garden.lines(&["log", "--all", "--format=%h", "--", "mine.local"]), [""; 0], "{step}");
    });
}

/// Ignored files of the user in a repository with one task, and an agent that stages everything, and changes one of them.
fn with_ignored_files(then: &str) -> Garden {
    let script = format!(
        r#"if [ "$work" = T001.implement.0 ] && ! again; then
             echo work > work.txt; note work.txt; echo more >> changed.db; echo new > new.db; git add --force .; {then}
           fi"#
    );
    let garden = harness::one_task(&script);
    garden.write(".gitignore", "*.db\ndeps/\n.env*\n");
    garden.commit("Ignore what is private");
    for path in ["local.db", "changed.db", "deps/lib.so", ".envrc"] {
        garden.write(path, "mine\n");
    }
    garden
}

#[test]
fn ignored_files_of_the_user_that_an_interrupted_agent_staged_stay_on_disk_and_are_not_saved() {
    for (signal, gitignore) in [("KILL", ""), ("TERM", ""), ("KILL", ": > .gitignore; git add .gitignore;")] {
        let garden =
            with_ignored_files(&format!("{gitignore} : > \"$ROOT/started\"; while :; do sleep 0.05; done"));
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("started");
        running.signal(signal);
        let stopped = running.wait();
        garden.assert_nothing_runs();
        let next = garden.run(&["gardener"]);
        next.assert(0, &[]);
        let said = format!("{}{}", stopped.stderr, next.stderr);
        assert!(said.contains("stay on disk: .envrc, changed.db, deps/lib.so, local.db\n"), "{said}");
        for path in ["local.db", "deps/lib.so", ".envrc"] {
            assert!(garden.exists(path), "{signal} {gitignore}: {path} is gone");
            assert_eq!(garden.read(path), "mine\n");
        }
        let saved = garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue"]);
        let [saved] = &saved[..] else { panic!("{saved:?}") };
        let files = garden.git(&["diff-tree", "-r", "--name-only", &format!("{saved}^"), saved]);
        let files: Vec<&str> = files.lines().filter(|path| *path != ".gitignore").collect();
        assert_eq!(files, ["new.db", "work.txt"], "{signal}");
    }
}

#[test]
fn ignored_files_of_the_user_that_a_program_stages_are_in_no_commit_and_stay_on_disk() {
    let garden = with_ignored_files("");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["git ignores them", "stay on disk: .envrc, changed.db, deps/lib.so, local.db"]);
    let files = garden.git(&["log", "-1", "--format=", "--name-only", "--grep", "^Arborist-Step: implement"]);
    assert_eq!(files, "new.db\nshared.txt\nsrc/T001.txt\nwork.txt");
    assert_eq!(garden.read("local.db"), "mine\n");
    assert_eq!(garden.status(), [""; 0]);

    side_by_side(["test", "review"], |step| {
        let garden = garden_of(if step == "test" { "git add -f mine.local" } else { "true" });
        if step == "review" {
            garden.agent("test $ARBORIST_STEP != review || { cd \"$ROOT/work\"; git add -f mine.local; }");
        }
        garden.run(&["gardener"]).assert(0, &["git ignores them", "mine.local"]);
        assert_eq!(garden.status(), [""; 0], "{step}");
        assert_eq!(garden.read("mine.local"), "of the user\n", "{step}");
    });
}

#[test]
fn an_ignored_secret_in_a_commit_of_an_agent_stops_the_run_also_after_a_kill() {
    let commit = "git add -f . && git commit -q -m Everything";
    let waits = "echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; exec sleep 3011";
    side_by_side([false, true], |killed| {
        let garden = garden_of("true");
        garden.write(".env", "PASSWORD=1\n");
        if killed {
            garden.agent(&format!("test -e \"$ROOT/began\" || {{ {commit}; {waits}; }}"));
            let running = garden.start(garden.arborist(&["gardener"]));
            garden.wait_for("began");
            garden.kill_with_agent(running);
        } else {
            garden.agent(&format!("test $ARBORIST_STEP = review || {{ {commit}; }}"));
        }
        garden.run(&["gardener"]).assert(6, &["contains a secret", ".env", "git reset --keep"]);
    });
}

#[test]
fn a_conflict_with_no_version_of_the_other_side_does_not_stop_runs_for_ever() {
    let stages = "id=$(git hash-object -w .gitignore)
        zeros=$(echo $id | tr '0-9a-f' 0)
        for file in .gitignore new.txt; do
        printf '0 %s\\t%s\\n100644 %s 1\\t%s\\n100644 %s 2\\t%s\\n' $zeros $file $id $file $id $file | git update-index --index-info
        done";
    side_by_side(["implement", "test", "review"], |step| {
        let wait = "echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; exec sleep 3012";
        let once = format!("test -e \"$ROOT/began\" || {{ {stages}\n{wait}; }}");
        let garden = garden_of(if step == "test" { &once } else { "true" });
        if step != "test" {
            garden.agent(&format!("test $ARBORIST_STEP != {step} || {{ cd \"$ROOT/work\"; {once}; }}"));
        }
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("began");
        garden.kill_with_agent(running);
        assert_eq!(garden.status(), ["UD .gitignore", "UD new.txt"], "{step}");
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.read(".gitignore"), "*.local\n.env\n", "{step}");
        assert_eq!(garden.status(), [""; 0], "{step}");
    });
}
