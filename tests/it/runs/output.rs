//! Tests what runs print and where, and that a dry run changes nothing.

use std::process::Stdio;

use crate::support::garden::{Garden, one_task, plan};

#[test]
fn a_reader_that_goes_away_and_a_full_disk_end_a_run_without_a_panic() {
    let garden = Garden::new(&one_task(&[]));
    for options in ["", "--dry-run", "--json", "-h", "--version"] {
        let mut shell = garden.command("/bin/sh");
        shell.args(["-c", &format!("git-arborist-gardener {options} | true")]);
        garden.finish(shell).assert(0, &[]);
        let mut closed = garden.command("/bin/sh");
        closed.args(["-c", &format!("exec git-arborist-gardener {options} >&-")]);
        let ended = garden.finish(closed);
        assert!([0, 4].contains(&ended.status), "{options}: {ended:#?}");
    }
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): complete", "the run itself went on to its end");
    if std::path::Path::new("/dev/full").exists() {
        for options in
            [&["gardener"][..], &["gardener", "--json"], &["gardener", "--dry-run"], &["gardener", "-h"]]
        {
            let mut command = garden.arborist(options);
            command.stdout(Stdio::from(std::fs::File::create("/dev/full").unwrap()));
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(4), "{options:?}: {output:?}");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("standard output") && !said.contains("panicked"), "{said}");
        }
    }
}

#[test]
fn a_dry_run_says_what_would_happen_and_changes_nothing() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T002", "p1", &["T001"], &["make check"]),
        ("T001", "p1", &[], &[]),
    ]));
    let before = [garden.head(), garden.status().concat()];
    let ended = garden.run(&["gardener", "--dry-run"]);
    ended.assert(0, &[]);
    for word in [
        "1. T001 Do T001: implement, test, review, complete\n2. T002 Do T002: implement, test, review, complete\n",
        "test       (untested)  (T001)\n",
        "test       make check  (T002)\n",
        "review     exec /bin/sh",
    ] {
        assert!(ended.stdout.contains(word), "{word}: {}", ended.stdout);
    }
    assert_eq!([garden.head(), garden.status().concat()], before);
    assert_eq!(garden.asked(), [""; 0]);
    assert!(!garden.exists(".git/arborist"), "not even a lock");
}

#[test]
fn a_dry_run_needs_no_agent_and_says_that_there_is_none() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.git(&["config", "--unset", "arborist.runner"]);
    garden.git(&["config", "--remove-section", "arborist.runner.mine"]);
    for args in [&["gardener", "--dry-run"][..], &["garden", "T001", "--dry-run"]] {
        let ended = garden.run(args);
        ended.assert(0, &[]);
        assert!(ended.stdout.contains("1. T001 Do T001"), "{ended:#?}");
        assert!(ended.stdout.contains("no runner"), "{ended:#?}");
    }
    // The run itself does.
    garden.run(&["gardener"]).assert(4, &["claude"]);
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn events_are_one_json_document_per_line_and_nothing_else_is_on_standard_output() {
    let garden = Garden::new(&one_task(&["echo x > left; grep -q implement.1 T001.txt"]));
    let ended = garden.run(&["gardener", "--json"]);
    ended.assert(0, &[]);
    let events: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps: Vec<String> = events
        .iter()
        .filter(|event| event["event"] == "step")
        .map(|event| format!("{} {} {}", event["step"], event["outcome"], event["attempt"]).replace('"', ""))
        .collect();
    assert_eq!(
        steps,
        [
            "implement pass 0",
            "test fail 0",
            "implement pass 1",
            "test pass 1",
            "review approved 1",
            "complete pass 1",
            "phase-complete pass 0",
        ]
    );
    assert_eq!(events.last().unwrap()["event"], "end");
    assert!(events.iter().any(|event| event["event"] == "warning"), "{events:#?}");
}
