//! Tests agents that could not work at all: there is no attempt and no commit, and the run continues with the same step
//! (row A17).

use std::fs;
use std::time::{Duration, Instant};

use crate::support::agents::say;
use crate::support::garden::{Ended, Garden, Running, one_task, side_by_side};

/// The four steps of the task, and the end of its phase.
const STEPS: usize = 5;

/// The work of the agent if nothing hinders it.
const WORK: &str = "cat > /dev/null
case $ARBORIST_STEP in
implement) echo done >> T001.txt; say I wrote it.;;
review) say APPROVED;;
esac";

/// The answer of an agent that is asked for its options.
const NO_HELP: &str = "case $* in *--help) exit;; esac";

/// A repository in which the agent `name` is installed, and does `script` before it works.
pub(super) fn with_agent(name: &str, script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    garden.config("arborist.runner", name);
    garden.program(
        &garden.root().join("bin").join(name),
        &format!("{NO_HELP}\n{}\n{script}\n{WORK}", say(name)),
    );
    garden
}

fn start(garden: &Garden, args: &[&str]) -> Running {
    let mut command = garden.arborist(args);
    command.env("PATH", garden.path_with(&garden.root().join("bin"))).env("TZ", "UTC");
    garden.start(command)
}

pub(super) fn run(garden: &Garden, args: &[&str]) -> Ended {
    let ended = start(garden, args).wait();
    garden.check(&ended);
    ended
}

#[test]
fn a_missing_login_is_not_an_attempt_regardless_of_the_exit_status() {
    let cases = [
        ("claude", "echo 'Invalid API key · Please run /login'; exit 0", "type `/login`"),
        ("claude", "echo 'Not logged in · Please run /login'; exit 1", "type `/login`"),
        (
            "codex",
            "echo 'ERROR: unexpected status 401 Unauthorized: Missing bearer' >&2; exit 1",
            "codex login",
        ),
        (
            "gemini",
            "echo 'Please set an Auth method in your settings.json or' >&2; exit 41",
            "GEMINI_API_KEY",
        ),
        (
            "opencode",
            "echo 'Error: AI_APICallError: No auth credentials found' >&2; exit 0",
            "opencode auth login",
        ),
    ];
    side_by_side(cases, |(name, script, remedy)| {
        let garden = with_agent(name, &format!("test -e \"$ROOT/ok\" || {{ {script}; }}"));
        let ended = run(&garden, &["gardener", "--max-attempts", "1"]);
        ended.assert(4, &[&format!("{name} is not logged in"), remedy, "no attempt is used up"]);
        assert_eq!(garden.subjects(), Vec::<String>::new(), "{name}");
        let waited = run(&garden, &["gardener", "--max-attempts", "1", "--no-wait"]);
        waited.assert(4, &["not logged in"]);

        fs::write(garden.root().join("ok"), "").unwrap();
        run(&garden, &["gardener", "--max-attempts", "1"]).assert(0, &[]);
        let steps = garden.steps();
        assert_eq!(steps.len(), STEPS, "{name}: {steps:?}");
        assert!(garden.git(&["log", "-2", "--format=%B"]).contains("after 1 attempt"), "{name}");
    });
}

#[test]
fn claude_as_root_is_not_an_attempt_and_the_error_names_the_check_that_has_the_remedies() {
    let refusal = "echo '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons' >&2";
    let script = format!("test \"$IS_SANDBOX\" = 1 || {{ {refusal}; exit 1; }}");
    let garden = with_agent("claude", &script);
    for args in [&["gardener"][..], &["gardener", "--no-wait"]] {
        let words = ["cannot be used with root", "git arborist doctor agents", "no attempt is used up"];
        run(&garden, args).assert(4, &words);
        assert_eq!(garden.subjects(), [""; 0]);
    }
    let mut command = garden.arborist(&["gardener"]);
    command.env("PATH", garden.path_with(&garden.root().join("bin"))).env("IS_SANDBOX", "1");
    garden.finish(command).assert(0, &[]);
    assert_eq!(garden.steps().len(), STEPS);
}

#[test]
fn without_waiting_a_limit_stops_the_run_with_the_time_at_which_it_resets() {
    let limit = "case $ARBORIST_STEP.$(ls \"$ROOT\" | grep -c over) in
        implement.0) echo 'half' > half.txt; echo \"You've hit your session limit · resets 11:59pm (UTC)\"; exit 1;;
        review.1) echo 'ERROR'; echo 'API Error: 529 {\"type\":\"error\"}'; exit 1;; esac";
    let garden = with_agent("claude", limit);
    let ended = run(&garden, &["garden", "T001", "--no-wait"]);
    ended.assert(
        4,
        &[
            "claude has hit its usage limit (it says: You've hit your session limit",
            "It resets at ",
            "Run the same command again then",
        ],
    );
    assert_eq!((garden.subjects().len(), garden.read("half.txt")), (0, "half\n".to_owned()));

    fs::write(garden.root().join("over-1"), "").unwrap();
    let ended = run(&garden, &["garden", "T001", "--no-wait"]);
    ended.assert(4, &["the service of claude does not answer", "Run the same command again later"]);
    assert_eq!(garden.subjects().len(), 2, "a reviewer that could not review has not reviewed");
    fs::write(garden.root().join("over-2"), "").unwrap();
    run(&garden, &["garden", "T001"]).assert(0, &[]);
    assert_eq!(garden.subjects().len(), STEPS);
    assert!(garden.git(&["log", "-2", "--format=%B"]).contains("after 1 attempt"));
}

/// Hits a limit once that resets within two seconds.
pub(super) const SHORT_LIMIT: &str = "test -e \"$ROOT/hit\" || { touch \"$ROOT/hit\"; echo half > half.txt
    echo \"Claude AI usage limit reached|$(($(date +%s) + 1))\"; exit 1; }";

#[test]
fn the_run_waits_and_continues_when_the_limit_has_reset() {
    side_by_side([("-v", "T001 implement waits"), ("--json", "")], |(form, words)| {
        let garden = with_agent("claude", SHORT_LIMIT);
        // Without the time of the reset it would have to wait for five minutes, which is more than it may.
        let ended = run(&garden, &["gardener", "--max-wait", "1m", form]);
        ended.assert(0, &[words]);
        assert_eq!(ended.stdout.contains("\"event\":\"wait\""), form == "--json", "{ended:?}");
        assert_eq!(garden.subjects().len(), STEPS);
        assert_eq!(
            garden.files_of("HEAD~4"),
            ["T001.txt", "half.txt"],
            "what it did before belongs to the step"
        );
    });
}

#[test]
fn a_wait_that_would_last_too_long_does_not_begin() {
    let garden = with_agent("claude", "echo 'Claude usage limit reached. Try again in 5 hours.'; exit 0");
    let ended = run(&garden, &["gardener", "--max-wait", "30m"]);
    ended.assert(4, &["in 5 h, but --max-wait allows only 30 min"]);
    run(&garden, &["gardener", "--max-wait", "30m", "--no-wait"]).assert(2, &["--no-wait"]);
    run(&garden, &["gardener", "--max-wait", "soon"]).assert(2, &["a length of time"]);
}

#[test]
fn a_wait_ends_at_once_when_it_is_interrupted() {
    let garden =
        with_agent("codex", "echo \"ERROR: You've hit your usage limit. Try again later.\" >&2; exit 1");
    let running = start(&garden, &["gardener"]);
    garden.wait_until("it does not wait", || running.said().contains("waits 5 min"));
    let status = garden.run(&["status"]);
    status.assert(0, &[]);
    assert!(status.stdout.contains("T001 waits until 20"), "{status:?}");
    let asked = Instant::now();
    running.signal("INT");
    let ended = running.wait();
    // Far less than the five minutes, and far more than a busy machine needs.
    assert!(asked.elapsed() < Duration::from_secs(120), "{:?}", asked.elapsed());
    ended.assert(130, &["waits 5 min, then tries again: codex has hit its usage limit", "Stopped"]);
    assert_eq!(garden.subjects().len(), 0);
}

#[test]
fn a_run_that_was_killed_while_it_waited_asks_again() {
    let garden = with_agent(
        "codex",
        "test -e \"$ROOT/over\" || { echo \"ERROR: You've hit your usage limit. Try again later.\" >&2; exit 1; }",
    );
    let running = start(&garden, &["gardener"]);
    garden.wait_until("it does not wait", || running.said().contains("waits 5 min"));
    running.signal("KILL");
    running.wait();
    assert!(!garden.run(&["status"]).stdout.contains("waits until"));
    fs::write(garden.root().join("over"), "").unwrap();
    let ended = run(&garden, &["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("waits"), "{ended:?}");
    assert_eq!(garden.subjects().len(), STEPS);
}

/// A repository whose runner is a command that nobody knows, which does `script` before it works.
fn with_command(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {script}; fi"));
    garden
}

#[test]
fn a_command_that_speaks_of_a_limit_and_does_nothing_is_waited_for() {
    let soon = "Please try again in 1 second.";
    let rows = [
        ("Usage limit reached.", 0),
        ("You have exceeded your current quota", 0),
        ("error: API rate limit exceeded (id 17)", 1),
        ("HTTP error 429 from the gateway", 1),
        ("", 3),
    ];
    side_by_side(rows, |(words, status)| {
        let script = format!(
            "test -e \"$ROOT/hit\" || {{ touch \"$ROOT/hit\"; echo Working; echo '{words}'; echo '{soon}'; exit {status}; }}"
        );
        let garden = with_command(&script);
        let ended = garden.run(&["gardener", "--max-attempts", "1"]);
        ended.assert(0, &["T001 implement waits", "until 20", "has hit its usage limit"]);
        assert_eq!(garden.subjects().len(), STEPS, "{words}: {ended:?}");
    });
    let garden = with_command("echo 'rate limit reached'; exit 0");
    garden.run(&["gardener", "--no-wait"]).assert(4, &["has hit its usage limit", "no attempt is used up"]);
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn words_about_a_limit_beside_work_or_an_answer_are_no_limit() {
    let rows = [
        (
            "echo done > T001.txt; echo 'The client now answers 429 when the rate limit is exceeded.'; exit 0",
            0,
        ),
        (
            "echo 'Which rate limit is to be reached?'; echo 'BLOCKED: which limit must not be exceeded: usage limit or quota?'; exit 0",
            7,
        ),
    ];
    side_by_side(rows, |(script, status)| {
        let garden = with_command(script);
        let ended = garden.run(&["gardener", "--no-wait"]);
        ended.assert(status, &[]);
        assert!(!ended.stderr.contains("has hit"), "{ended:?}");
    });
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    garden.agent("if [ $ARBORIST_STEP = review ]; then echo 'It answers 429.'; echo APPROVED; exit 0; fi");
    garden.run(&["gardener", "--no-wait"]).assert(0, &[]);
}

#[test]
fn the_option_that_asked_for_a_wait_is_answered() {
    let garden = with_command("true");
    garden.run(&["gardener", "--wait"]).assert(2, &["--wait", "A run waits by itself", "--no-wait"]);
}

#[test]
fn a_changed_hook_stops_the_run_even_if_the_agent_then_hits_its_limit() {
    let hook = "echo '#!/bin/sh' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    let garden = with_agent("claude", &format!("{hook}; echo 'Not logged in · Please run /login'; exit 1"));
    run(&garden, &["gardener"]).assert(6, &["pre-commit"]);
}

#[test]
fn an_agent_that_only_mentions_limits_has_worked() {
    let garden = with_agent("claude", "echo 'The client now shows: You have hit your limit · resets 3pm'");
    run(&garden, &["gardener"]).assert(0, &[]);
    assert_eq!(garden.subjects().len(), STEPS);
}
