//! Tests messages and output (rows M).

use std::fs::{self, File};
use std::process::Stdio;

use super::{STEPS, plain, works};
use crate::support::garden::{Garden, one_task};

#[test]
fn m01_output_with_a_meaning_for_git_is_committed_as_shortened_text() {
    let garden = Garden::new(&one_task(&["cat \"$ROOT/noise\"; grep -q implement.1 T001.txt"]));
    let noise =
        ["# comment\n", "# ------------------------ >8 ------------------------\n", "nul \0 byte\n", "---\n"];
    fs::write(garden.root().join("noise"), noise.concat().repeat(50_000)).unwrap();
    garden.agent("[ $ARBORIST_STEP = review ] || tail -c 1500 \"$ROOT/noise\"");
    garden.run(&["gardener"]).assert(0, &[]);
    let body = garden.git(&["log", "-1", "--format=%B", "--grep=tests fail"]);
    assert!(body.contains("# comment") && body.contains(">8") && body.contains("nul  byte"), "{body}");
    assert!(body.len() < 3000 && !body.contains('\0'));
}

#[test]
fn m02_invalid_utf_8_and_a_legacy_commit_encoding_are_handled() {
    let garden = plain();
    garden.config("i18n.commitEncoding", "latin1");
    garden.config("i18n.logOutputEncoding", "latin1");
    garden.agent("[ $ARBORIST_STEP = review ] || printf 'caf\\303\\251 \\377\\376 \\355\\240\\200 end\\n'");
    works(&garden);
    let raw = garden.git(&["cat-file", "commit", "HEAD~4"]);
    assert!(!raw.contains("\nencoding ") && raw.contains("café") && raw.contains("end"), "{raw}");
}

#[test]
fn m03_a_closed_pipe_and_a_full_device_cause_no_panic() {
    let garden = plain();
    for command in [&["status"][..], &["next"], &["status", "--json"], &["gardener", "--dry-run"]] {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let status = garden.arborist(command).stdout(full()).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(4), "{command:?}");
        let mut shell = garden.command("/bin/sh");
        let ours = garden.arborist(command);
        let line = format!("{} {}", ours.get_program().to_str().unwrap(), command.join(" "));
        shell.args(["-c", &format!("{{ {line} || echo $? >&2; }} | true")]);
        let said = String::from_utf8(shell.output().unwrap().stderr).unwrap();
        assert!(said.is_empty() || said.trim() == "141", "{command:?}: {said}");
        shell = garden.command("/bin/sh");
        shell.args(["-c", &format!("{line} >&-; echo $?")]);
        let output = shell.output().unwrap();
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
    }
}

#[test]
fn m03_a_run_continues_when_nobody_reads_its_output() {
    let garden = plain();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    garden.arborist(&["gardener"]).stdout(full()).stderr(full()).status().unwrap();
    assert_eq!(garden.steps(), STEPS);
}

#[test]
fn m04_without_a_terminal_text_is_plain() {
    let garden = plain();
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("COLUMNS", "20"), ("TERM", "xterm-256color")]
    {
        for command in [&["status"][..], &["next"], &["gardener", "--dry-run"]] {
            let mut command = garden.arborist(command);
            command.env(name, value);
            let ended = garden.finish(command);
            assert!(!format!("{}{}", ended.stdout, ended.stderr).contains(['\u{1b}', '\r']), "{ended:#?}");
        }
    }
    let ended = garden.run(&["gardener"]);
    assert!(!format!("{}{}", ended.stdout, ended.stderr).contains(['\u{1b}', '\r']), "{ended:#?}");
}

#[test]
fn m07_standard_output_is_pure_json_despite_warnings() {
    let mut tree = one_task(&[]);
    tree["execution_order"] = serde_json::json!(["T009"]);
    tree["nodes"]["T001"]["is_leaf"] = false.into();
    let garden = Garden::new(&tree);
    for command in [&["status", "--json"][..], &["next", "--json"]] {
        let ended = garden.run(command);
        ended.assert(0, &["warning"]);
        let _: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    }
    let ended = garden.run(&["gardener", "--json"]);
    ended.assert(0, &[]);
    for line in ended.stdout.lines() {
        let _: serde_json::Value = serde_json::from_str(line).unwrap();
    }
    assert!(!ended.stdout.is_empty());
}
