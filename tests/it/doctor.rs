//! Tests `git arborist doctor`: nothing that cannot work is ticked, and every problem comes with a remedy.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::garden::{Ended, Garden, one_task, plan};
use crate::support::skip::skip;

/// The output of `doctor` under a heading: the health, the description and the remedy, one line each.
fn rows(garden: &Garden, args: &[&str]) -> Vec<String> {
    rows_of(&garden.run(&[&["doctor", "--json"], args].concat()))
}

/// The rows that a call of `doctor` printed.
fn rows_of(ended: &Ended) -> Vec<String> {
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let rows = document["diagnoses"].as_array().unwrap().iter();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.map(|row| ["what", "health", "words", "remedy"].map(|key| text(row, key)).join(" | ")).collect()
}

/// The row under this heading, the first of several.
#[track_caller]
fn row(garden: &Garden, what: &str) -> String {
    let all = rows(garden, &[]);
    let found = all.iter().find(|row| row.starts_with(&format!("{what} | ")));
    found.unwrap_or_else(|| panic!("nothing about {what}: {all:#?}")).clone()
}

#[test]
fn if_nothing_is_wrong_everything_is_ticked() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.runner("strict", "cat > /dev/null; echo APPROVED");
    garden.config("arborist.review.runner", "strict");
    let ended = garden.run(&["doctor"]);
    ended.assert(0, &[]);
    assert!(ended.stdout.lines().all(|line| line.starts_with("OK ")), "{}", ended.stdout);
}

#[test]
fn a_runner_that_cannot_start_is_not_ticked() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("review.sh", "#!/bin/sh\necho APPROVED\n");
    garden.commit("Add a reviewer");
    garden.config("arborist.review.runner", "strict");
    let cases = [
        (
            "my-reviewer --strict",
            "there is no program my-reviewer on PATH",
            "git config arborist.runner.strict.command",
        ),
        (
            "/nowhere/reviewer",
            "there is no file /nowhere/reviewer",
            "git config arborist.runner.strict.command",
        ),
        ("./review.sh", "review.sh is not executable", "chmod +x"),
        ("sh missing.sh", "missing.sh", "git config arborist.runner.strict.command"),
    ];
    for (command, words, remedy) in cases {
        garden.config("arborist.runner.strict.command", command);
        let row = row(&garden, "reviewer");
        assert!(row.starts_with("reviewer | bad | ") && row.contains(words) && row.contains(remedy), "{row}");
        assert_eq!(garden.run(&["doctor"]).status, 1, "{command}");
    }
    garden.config("arborist.runner.strict.command", "test -n x && echo APPROVED");
    assert!(row(&garden, "reviewer").starts_with("reviewer | note | "), "{}", row(&garden, "reviewer"));
    garden.run(&["doctor"]).assert(0, &[]);
    garden.config("arborist.runner.strict.command", "sh review.sh");
    assert!(row(&garden, "reviewer").starts_with("reviewer | good | "));
    garden.config("arborist.review.runner", "strcit");
    assert!(row(&garden, "reviewer").contains("Did you mean strict?"), "{}", row(&garden, "reviewer"));
}

#[test]
fn a_git_folder_that_cannot_be_written_to_keeps_a_run_from_working() {
    let garden = Garden::new(&one_task(&["true"]));
    let folder = garden.top().join(".git");
    let mode = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let found = rows(&garden, &[]);
    mode(0o755);
    let about =
        |row: &&String| row.starts_with("git folder | bad | ") && row.contains(".git cannot be written to");
    assert!(found.iter().any(|row| about(&row)), "{found:#?}");
}

#[test]
fn claude_as_the_superuser_is_not_ticked_outside_a_sandbox() {
    if !rustix_is_root() {
        skip("these tests do not run as root");
        return;
    }
    let garden = Garden::new(&one_task(&["true"]));
    let agents = garden.root().join("agents");
    garden.program(&agents.join("claude"), "cat > /dev/null");
    let doctor = |sandbox: Option<&str>| {
        let mut command = garden.arborist(&["doctor"]);
        command.env("PATH", format!("{}:{}", agents.display(), garden.path_with(&agents)));
        command.env("ARBORIST_RUNNER", "claude").envs(sandbox.map(|value| ("IS_SANDBOX", value)));
        garden.finish(command)
    };
    let ended = doctor(None);
    assert_eq!(ended.status, 1);
    assert!(ended.stdout.contains("refuses to run as root"), "{}", ended.stdout);
    assert!(ended.stdout.contains("IS_SANDBOX=1"), "{}", ended.stdout);
    doctor(Some("1")).assert(0, &[]);
}

fn rustix_is_root() -> bool {
    let said = std::process::Command::new("id").arg("-u").output().unwrap();
    said.stdout.trim_ascii() == b"0"
}

#[test]
fn a_dirty_work_tree_is_not_ticked() {
    let garden = Garden::new(&one_task(&["true"]));
    assert!(row(&garden, "changes").starts_with("changes | good | "));
    garden.write("notes.txt", "mine");
    let row = row(&garden, "changes");
    assert!(
        row.starts_with("changes | bad | ") && row.contains("notes.txt") && row.contains("git stash"),
        "{row}"
    );
}

#[test]
fn without_an_identity_the_commands_to_set_one_are_named() {
    let garden = Garden::new(&one_task(&["true"]));
    assert!(row(&garden, "identity").contains("A <a@example.com>"), "{}", row(&garden, "identity"));
    garden.config("user.useConfigOnly", "true");
    let mut command = garden.arborist(&["doctor"]);
    for role in ["AUTHOR", "COMMITTER"] {
        command.env_remove(format!("GIT_{role}_NAME")).env_remove(format!("GIT_{role}_EMAIL"));
    }
    let ended = garden.finish(command);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stdout.contains("FAIL identity") && ended.stdout.contains("git config user.email"),
        "{ended:?}"
    );
}

#[test]
fn signing_that_has_to_ask_for_a_passphrase_is_not_ticked_and_leaves_nothing_behind() {
    let garden = Garden::new(&one_task(&["true"]));
    assert!(row(&garden, "signing").starts_with("signing | good | off"));
    let signer = garden.root().join("signer");
    garden.program(&signer, "exec 3</dev/tty || exit 2\necho '[GNUPG:] SIG_CREATED ' >&2; cat");
    garden.config("commit.gpgSign", "true");
    garden.config("gpg.program", signer.to_str().unwrap());
    let untried = row(&garden, "signing");
    assert!(
        untried.starts_with("signing | note | not tried") && untried.contains("gpg.program"),
        "{untried}"
    );
    garden.git(&["config", "--unset", "gpg.program"]);
    let objects = garden.git(&["count-objects"]);
    // The user's own program.
    let user = garden.root().join("home/signing");
    std::fs::write(&user, format!("[gpg]\n\tprogram = {}\n", signer.display())).unwrap();
    let row = |garden: &Garden, name: &str| {
        let mut command = garden.arborist(&["doctor", "--json"]);
        command.env("GIT_CONFIG_GLOBAL", &user);
        let rows = rows_of(&garden.finish(command));
        rows.into_iter().find(|row| row.starts_with(&format!("{name} | "))).unwrap()
    };
    let asks = row(&garden, "signing");
    assert!(
        asks.starts_with("signing | bad | git cannot sign") && asks.contains("commit.gpgSign false"),
        "{asks}"
    );
    garden.program(&signer, "cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo signature");
    assert!(row(&garden, "signing").starts_with("signing | good | works"), "{}", row(&garden, "signing"));
    assert_eq!(garden.git(&["count-objects"]), objects);
    let left: Vec<_> = std::fs::read_dir(garden.top().join(".git/arborist")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn tasks_without_tests_and_tests_without_their_program_are_noted() {
    let garden = Garden::new(&one_task(&[]));
    let none = rows(&garden, &[]);
    assert!(none.iter().any(|row| row.contains("T001 has no test command")), "{none:#?}");
    garden.run(&["doctor"]).assert(0, &[]);

    let some = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["no-such-framework -q"]),
        ("T002", "p1", &[], &[]),
        ("T003", "p1", &[], &["./written-by-a-task.sh"]),
    ]));
    let all = rows(&some, &[]);
    assert!(all.iter().any(|row| row.contains("T002 has no test command")), "{all:#?}");
    let missing = "the tests of T001 need the program no-such-framework, which is not on PATH";
    assert!(all.iter().any(|row| row.contains(missing)), "{all:#?}");
    assert!(!all.iter().any(|row| row.contains("written-by-a-task")), "{all:#?}");
}

#[test]
fn a_variable_that_is_not_a_setting_is_noted() {
    let garden = Garden::new(&one_task(&["true"]));
    let mut command = garden.arborist(&["doctor"]);
    command.env("ARBORIST_OF_ANOTHER_PROGRAM", "x");
    let ended = garden.finish(command);
    ended.assert(0, &[]);
    assert!(
        ended.stdout.contains("ARBORIST_OF_ANOTHER_PROGRAM in the environment is not a setting"),
        "{ended:?}"
    );
}

#[test]
fn a_probe_asks_nothing_during_a_run_and_no_run_begins_during_a_probe() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("echo \"$ARBORIST_STEP\" >> \"$ROOT/asked\"; : > \"$ROOT/started\"; while test ! -e \"$ROOT/go\"; do sleep 0.05; done");
    let go = garden.root().join("go");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    let found = rows(&garden, &["--probe"]);
    let told = found.iter().find(|row| row.starts_with("probe | ")).unwrap();
    assert!(
        told.starts_with("probe | note | no runner was asked: another run is active in this work tree"),
        "{told}"
    );
    std::fs::write(&go, "").unwrap();
    running.wait().assert(0, &[]);
    let asked = || std::fs::read_to_string(garden.root().join("asked")).unwrap();
    assert!(!asked().contains("probe"), "{}", asked());

    std::fs::remove_file(&go).unwrap();
    std::fs::remove_file(garden.root().join("started")).unwrap();
    let probing = garden.start(garden.arborist(&["doctor", "--probe"]));
    garden.wait_for("started");
    garden.run(&["gardener", "--failed"]).assert(5, &["doctor --probe"]);
    std::fs::write(&go, "").unwrap();
    probing.wait();
    assert!(asked().contains("probe"), "{}", asked());
}

#[test]
fn a_probe_finds_settings_hooks_and_commits_of_a_runner_and_runs_none_of_them() {
    let ways = [
        "git config core.fsmonitor \"$ROOT/evil\"",
        "cp \"$ROOT/evil\" .git/hooks/pre-commit",
        "git commit -q --allow-empty -m 'A commit'",
        "git checkout -q -b other",
    ];
    for way in ways {
        let garden = Garden::new(&one_task(&["true"]));
        garden.program(&garden.root().join("evil"), ": > \"$ROOT/evil-ran\"");
        garden.runner("meddler", &format!("cat > /dev/null; {way}; echo READY"));
        garden.config("arborist.runner", "meddler");
        garden.runner("next", ": > \"$ROOT/next-ran\"");
        garden.config("arborist.review.runner", "next");
        // Without a look at the repository afterwards, which would run the program itself.
        let rows = rows_of(&garden.start(garden.arborist(&["doctor", "--json", "--probe"])).wait());
        let found: Vec<&String> = rows.iter().filter(|row| row.starts_with("probe | ")).collect();
        assert!(matches!(found.as_slice(), [only] if only.starts_with("probe | bad | ")), "{way}: {found:?}");
        for name in ["evil-ran", "next-ran"] {
            assert!(!garden.root().join(name).exists(), "{way}: {name}");
        }
    }
}

#[test]
fn a_probe_says_what_a_task_costs_in_runs_of_the_suite_and_their_time() {
    let garden = Garden::new(&one_task(&["true"]));
    let cost = |args: &[&str]| rows(&garden, args).into_iter().find(|row| row.starts_with("cost | "));
    garden.config("arborist.suite", "echo run >> \"$ROOT/suite\"; echo '3 passed in 0.01s'");
    let untried = cost(&[]).unwrap();
    assert!(
        untried.contains(" and 1 run of `echo run ") && !untried.contains("when it was tried"),
        "{untried}"
    );
    let tried = cost(&["--probe"]).unwrap();
    assert!(tried.contains("` (0.") && tried.contains(" s when it was tried) if "), "{tried}");
    assert_eq!(std::fs::read_to_string(garden.root().join("suite")).unwrap(), "run\n", "it ran once");
}

#[test]
fn a_probe_asks_each_runner_for_one_word() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.runner(
        "ready",
        "read -r line; echo \"asked for $ARBORIST_STEP: $line\" >> \"$ROOT/asked\"; echo READY",
    );
    garden.runner("silent", "cat > /dev/null");
    garden.config("arborist.runner", "ready");
    let probes = |garden: &Garden| -> Vec<String> {
        rows(garden, &["--probe"]).into_iter().filter(|row| row.starts_with("probe | ")).collect()
    };
    let found = probes(&garden);
    assert_eq!(found.len(), 1, "the same command is asked once: {found:?}");
    assert!(found[0].starts_with("probe | good | runner ready answered `READY` after "), "{found:?}");
    let asked = std::fs::read_to_string(garden.root().join("asked")).unwrap();
    assert!(asked.starts_with("asked for probe: This is a test"), "{asked}");

    garden.config("arborist.review.runner", "silent");
    let found = probes(&garden);
    assert!(
        found[1].starts_with("probe | bad | reviewer silent: it succeeded, but printed nothing"),
        "{found:?}"
    );
    garden.runner("silent", "cat > /dev/null; echo 'no such model' >&2; exit 3");
    let found = probes(&garden);
    assert!(found[1].contains("exit status 3; its last line is `no such model`"), "{found:?}");
    garden.runner("silent", "cat > /dev/null; echo READY; echo x > made.txt");
    let found = probes(&garden);
    assert!(found[1].contains("changed files, although it was told not to: made.txt"), "{found:?}");
    assert_eq!(garden.subjects(), [""; 0], "nothing is committed");

    // An agent has a folder of its own, and what it leaves there is gone.
    let folder = garden.root().join("agents");
    std::fs::create_dir(&folder).unwrap();
    let answer = r#"echo notes > left.log; printf '{"type":"result","is_error":false,"result":"READY"}\n'"#;
    garden.program(&folder.join("claude"), &format!("cat > /dev/null; pwd > \"$ROOT/place\"; {answer}"));
    garden.write(".gitignore", "*.log\n");
    garden.commit("Ignore logs");
    let probe = || {
        let mut command = garden.arborist(&["doctor", "--probe", "--json"]);
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", folder.display())).env("IS_SANDBOX", "1");
        command.env("ARBORIST_RUNNER", "claude").env("ARBORIST_STEP_REVIEW_RUNNER", "claude");
        rows_of(&garden.finish(command))
    };
    let found = probe();
    assert!(
        found.iter().any(|row| row.contains("probe | good | runner claude answered `READY`")),
        "{found:?}"
    );
    let place = std::fs::read_to_string(garden.root().join("place")).unwrap();
    assert!(!place.starts_with(&garden.top().display().to_string()), "{place}");
    assert!(!garden.top().join("left.log").exists() && !std::path::Path::new(place.trim()).exists());
    for (status, said) in [
        (401, "is not logged in"),
        (402, "has no credit left"),
        (429, "usage limit"),
        (503, "does not answer"),
    ] {
        let fails = format!(
            r#"printf '{{"type":"result","is_error":true,"api_error_status":{status},"result":"no"}}\n'; exit 1"#
        );
        garden.program(&folder.join("claude"), &format!("cat > /dev/null; {fails}"));
        let found = probe();
        let row = found.iter().find(|row| row.starts_with("probe | bad | ")).unwrap();
        assert!(row.contains(said) && !row.ends_with("| "), "{status}: {row}");
    }
}

#[test]
fn what_is_doubtful_in_a_plan_is_named_and_a_run_says_nothing_of_it() {
    let garden = Garden::new(&json!({"suite": "make test", "nodes": {
        "P1": {"id": "P1", "name": "First", "children": ["T1", "t1"]},
        "T1": {"id": "T1", "name": "One", "test_commands": [{"command": "true"}], "touches": ["src/model.py"]},
        "t1": {"id": "t1", "name": "Two", "depends_on": ["T3"], "touches": ["src/"]},
        "P2": {"id": "P2", "name": "Second", "children": ["T3"]},
        "T3": {"id": "T3", "name": "After T1", "test_commands": [{"command": "no-such-program"}]},
    }}));
    let doctor = garden.run(&["doctor"]).stdout;
    for doubt in [
        "t1 has no test command",
        "the tests of T3 need the program no-such-program, which is not on PATH",
        "the ids T1 and t1 differ only in case",
        "T3 speaks of T1, and only the order of the plan puts T1 first",
        "T1 and t1 touch the same files, and neither waits for the other: src",
        "t1 needs T3 of a later phase, so P1 cannot be finished before that",
        "nothing acts on `suite` in this version",
    ] {
        assert!(doctor.contains(doubt), "{doubt}\n{doctor}");
    }
    let ended = garden.run(&["gardener", "--dry-run"]);
    assert!(!ended.stderr.contains("doubtful"), "{}", ended.stderr);
}
