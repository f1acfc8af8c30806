//! Rows A: agents that crash, hang, fork, print without end, or destroy the repository.

use std::fs;
use std::time::Duration;

use crate::support::agents::say;
use crate::support::garden::{Ended, Garden, Running, side_by_side};
use crate::support::harness::{assert_sound, assert_sound_after, garden, one_task};
use crate::support::skip::{has_proc, seen};

/// A garden whose agent misbehaves in its first implement step, and never again.
fn once(script: &str) -> Garden {
    one_task(&format!("if [ $work = T001.implement.0 ] && ! again; then :\n{script}\nfi"))
}

/// The same, but the misbehaviour lasts until the timeout. The later agents have to end within that time even on a
/// machine that is busy with other work.
fn until_timeout(script: &str) -> Garden {
    let garden = once(script);
    garden.config("arborist.runnerTimeout", "3");
    garden
}

/// Asserts that the attempt failed for this reason, which its commit names, and that the next one succeeded.
fn assert_one_failed_attempt(garden: &Garden, ended: &Ended, reason: &str) {
    ended.assert(0, &[]);
    let first = garden.git(&["log", "--reverse", "--format=%B%x00", "--grep", "Arborist-Step: implement"]);
    let first = first.split('\0').next().unwrap();
    assert!(first.contains("(failed, attempt 1/5)") && first.contains(reason), "{first}");
    assert_eq!(garden.steps().len(), 7, "{:#?}", garden.steps());
    assert_sound_after(garden, ended);
}

fn run(garden: &Garden) -> Ended {
    garden.run(&["gardener"])
}

#[test]
fn a01_an_agent_that_cannot_be_started_uses_up_no_attempt_and_the_error_says_why() {
    let garden = one_task("");
    let program = garden.root().join("agents/claude");
    garden.config("arborist.runner", "claude");
    let start = || {
        let mut command = garden.arborist(&["gardener"]);
        command.env("PATH", garden.path_with(program.parent().unwrap()));
        garden.finish(command)
    };
    start().assert(4, &["claude", "not installed"]);
    for (content, word) in [
        ("echo no first line\n", "begins with #!"),
        ("#!/nowhere/interpreter\n", "the interpreter \"/nowhere/interpreter\""),
        ("#!/usr/bin/env no-such-interpreter\n", "no-such-interpreter"),
    ] {
        garden.program(&program, "");
        fs::write(&program, content).unwrap();
        start().assert(4, &[word, "no attempt is used up"]);
    }
    garden.config("arborist.runner", "mine");
    for (command, word) in
        [("true && /nowhere/agent", "not found"), (&*format!("'{}'", garden.top().display()), "denied")]
    {
        garden.config("arborist.runner.mine.command", command);
        run(&garden).assert(4, &[word, "no attempt is used up"]);
    }
    assert_eq!(garden.steps().len(), 1);
    assert_sound(&garden);
}

#[test]
fn a02_an_agent_that_fails_has_failed_its_attempt_with_the_reason_in_the_commit() {
    let garden = once("exit 1");
    assert_one_failed_attempt(&garden, &run(&garden), "exit status 1");
}

#[test]
fn a02_an_agent_that_was_killed_is_called_again_and_uses_up_no_attempt() {
    side_by_side(["exit 137", "kill -SEGV $$"], |script| {
        let garden = once(script);
        let ended = run(&garden);
        ended.assert(0, &["T001: mine was killed by a signal; it is called again"]);
        assert_eq!(garden.steps().len(), 6, "{script}: {:#?}", garden.steps());
        assert_sound_after(&garden, &ended);
    });
}

#[test]
fn a03_an_agent_that_hangs_is_ended_at_its_timeout() {
    let garden = until_timeout("sleep 3000");
    assert_one_failed_attempt(&garden, &run(&garden), "ended after its timeout of 3 s");
}

/// The duration of the failed implement step.
fn first_attempt_took(garden: &Garden) -> f64 {
    let values = garden.lines(&[
        "log",
        "--reverse",
        "--grep",
        "Arborist-Step: implement",
        "--format=%(trailers:key=Arborist-Duration,valueonly)",
    ]);
    values[0].parse().unwrap()
}

#[test]
fn a04_an_agent_that_ignores_all_signals_is_killed_after_timeout_and_grace() {
    let garden = until_timeout("trap '' TERM INT HUP; while :; do sleep 0.1; done");
    assert_one_failed_attempt(&garden, &run(&garden), "ended after its timeout of 3 s");
    // A timeout of three seconds, and a grace of ten. Without them the agent would never end.
    let took = first_attempt_took(&garden);
    assert!(took >= 13.0, "{took}");
}

#[test]
fn a05_a_child_that_keeps_the_output_open_does_not_block_the_run() {
    let garden = once("sleep 3000 &");
    let ended = run(&garden);
    ended.assert(0, seen(&["left sleep (process", "it has been ended"]));
    assert_eq!(garden.steps().len(), 6);
    assert_sound_after(&garden, &ended);
}

#[test]
fn a06_a_daemon_that_ignores_all_signals_and_holds_the_output_is_ended_in_time_and_named() {
    if !has_proc() {
        return;
    }
    let daemon = "setsid sh -c '(trap \"\" TERM HUP INT; while :; do sleep 0.1; done) & exit' &";
    let garden = once(&format!("{daemon}\n sleep 0.2"));
    let ended = run(&garden);
    ended.assert(0, &["left sh (process", "it has been ended"]);
    assert_sound_after(&garden, &ended);

    let garden = until_timeout(&format!("trap '' TERM\n{daemon}\nwhile :; do sleep 0.1; done"));
    let ended = run(&garden);
    assert_one_failed_attempt(&garden, &ended, "ended after its timeout of 3 s");
    let took = first_attempt_took(&garden);
    println!("a stubborn daemon was gone after {took} s, with a timeout of 3 s and a grace of 10 s");
}

#[test]
fn a07_two_processes_that_restart_each_other_are_ended() {
    // There are never more than a few at once, because each starts its successor and ends.
    let garden = once(
        r#"cat > "$ROOT/respawn.sh" <<'END'
trap '' TERM
echo >> "$ROOT/lives"
test "$(wc -l < "$ROOT/lives")" -gt 3000 && exit
sleep 0.02
sh "$ROOT/respawn.sh" > /dev/null 2>&1 &
END
sh "$ROOT/respawn.sh" > /dev/null 2>&1 &
sh "$ROOT/respawn.sh" > /dev/null 2>&1 &
sleep 0.3"#,
    );
    let ended = run(&garden);
    ended.assert(0, seen(&["it has been ended"]));
    assert_sound_after(&garden, &ended);
    let lives = || fs::read_to_string(garden.root().join("lives")).unwrap().len();
    let before = lives();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(lives(), before, "somebody lives");
}

/// Waits for the end of a run, and returns its peak memory in kB; 0 where the system does not tell.
fn peak(running: &mut Running) -> u64 {
    let mut peak = 0;
    while running.child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", running.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
        peak = peak.max(line.trim().trim_end_matches(" kB").trim().parse().unwrap());
        std::thread::sleep(Duration::from_millis(10));
    }
    peak
}

/// Prints empty lines, and one line that has no end.
const ENDLESS: &str = "cat /dev/zero | tr '\\0' '\\n' & cat /dev/zero | tr '\\0' 'x' >&2";

/// The agent fails for this reason, and takes less than 50 MB of our memory.
fn assert_flood_is_bounded(garden: &Garden, reason: &str) {
    let mut running = garden.start(garden.arborist(&["gardener"]));
    let peak = peak(&mut running);
    println!("{peak} kB at most");
    assert!(peak < 50_000 && (peak > 0 || !has_proc()), "{peak} kB");
    assert_one_failed_attempt(garden, &running.wait(), reason);
}

#[test]
#[ignore = "takes minutes: a gigabyte of output"]
fn a08_an_agent_that_prints_a_gigabyte_is_ended() {
    let garden = once(ENDLESS);
    // A busy machine needs minutes to print that much.
    garden.config("arborist.runnerTimeout", "20m");
    assert_flood_is_bounded(&garden, "ended because it printed more than 1024 MiB");
}

#[test]
fn a08_an_agent_that_prints_without_end_takes_little_memory() {
    assert_flood_is_bounded(&until_timeout(ENDLESS), "ended ");
}

#[test]
fn a09_a_line_without_an_end_takes_little_memory() {
    assert_flood_is_bounded(&until_timeout("exec cat /dev/zero"), "ended ");
}

#[test]
fn a10_bytes_that_mean_something_to_terminals_reach_no_terminal_and_no_commit() {
    let evil = r#"printf 'nul \0 esc \033[31m osc \033]52;c;aGk=\007 latin \351\377 bidi \342\200\256 cr \r end\n'
        cp /dev/null 'a
b.txt'; printf 'x' > "$(printf 'c\033[31m.txt')""#;
    let garden = once(&format!("{evil}\n{}", evil.replace("printf 'nul", "1>&2 printf 'nul")));
    let ended = garden.run(&["gardener", "-v"]);
    ended.assert(0, &[]);
    for text in [&ended.stdout, &ended.stderr, &garden.git(&["log", "--format=%B"])] {
        let bad =
            |c: &char| (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(c);
        assert_eq!(text.chars().find(bad), None, "{text:?}");
    }
    assert_sound_after(&garden, &ended);
}

#[test]
fn a11_an_agent_gets_no_terminal_and_the_end_of_its_input() {
    let garden =
        once("cat; if (exec < /dev/tty) 2> /dev/null; then echo has a terminal; else echo has none; fi");
    let file = garden.root().join("in-terminal");
    garden.program(&file, "git-arborist-gardener; echo $? > \"$ROOT/status\"");
    let mut terminal = garden.command("script");
    terminal.args(["-qec", file.to_str().unwrap(), "/dev/null"]);
    garden.start(terminal).wait();
    assert_eq!(fs::read_to_string(garden.root().join("status")).unwrap(), "0\n");
    assert!(garden.git(&["log", "--format=%B"]).contains("has none"));
    assert_sound(&garden);
}

#[test]
fn a12_a_prompt_of_megabytes_reaches_the_agent_completely() {
    let mut plan = crate::support::garden::one_task(&[]);
    plan["nodes"]["T001"]["description"] = format!("{}THE END", "word ".repeat(400_000)).into();
    let garden = garden(&plan, "");
    garden.agent("");
    let ended = run(&garden);
    ended.assert(0, &[]);
    let prompt = garden.prompt("T001.implement.0");
    assert!(prompt.len() > 2_000_000 && prompt.contains("THE END"), "{}", prompt.len());
    assert_sound_after(&garden, &ended);
}

#[test]
fn a13_an_agent_that_changes_nothing_and_prints_nothing_has_failed_its_attempt() {
    let garden = once("exit 0");
    let ended = run(&garden);
    assert_one_failed_attempt(&garden, &ended, "Failed:\n- nothing was changed");
    assert!(ended.stderr.contains("nothing was changed"), "{ended:#?}");
}

#[test]
fn a14_an_agent_that_closes_its_output_and_continues_is_waited_for() {
    let garden = once("exec > /dev/null 2>&1; sleep 0.5; echo late > late.txt; note late.txt; exit 0");
    let ended = run(&garden);
    ended.assert(0, &[]);
    assert_eq!(garden.files_of("HEAD~4"), ["late.txt"]);
    assert_sound_after(&garden, &ended);
}

#[test]
fn a15_files_of_terabytes_are_not_committed_and_stay_where_they_are() {
    let garden = once("truncate -s 4T sparse.bin; head -c 11000000 /dev/zero > large.bin; exit 0");
    garden.config("arborist.maxAttempts", "1");
    // To read the larger file would take longer than the test waits for the end of the run.
    let ended = run(&garden);
    ended.assert(1, &["T001 failed"]);
    let body = garden.git(&["log", "--format=%B", "--grep", "Arborist-Step: implement"]);
    assert!(
        body.contains("sparse.bin is over 10 MiB") && body.contains("large.bin is over 10 MiB"),
        "{body}"
    );
    assert!(garden.exists("sparse.bin") && garden.exists("large.bin"));
    assert_sound_after(&garden, &ended);
}

#[test]
fn a16_an_agent_that_deletes_the_repository_ends_the_run_at_once_and_nothing_takes_its_place() {
    for target in [".git", "..\"/work\"/.git/objects", ".git/HEAD", ".git/refs"] {
        let garden = once(&format!("rm -rf {target}; exit 0"));
        let ended = garden.start(garden.arborist(&["gardener"])).wait();
        assert!([3, 4, 6].contains(&ended.status), "{target}: {ended:#?}");
        assert!(!ended.stderr.contains("panicked"), "{target}: {ended:#?}");
        assert!(ended.stderr.lines().count() > 1, "{target}: {ended:#?}");
        assert!(target != ".git" || ended.status == 6, "{ended:#?}");
        assert!(target != ".git" || !garden.exists(".git"), "nothing is made in its place");
        garden.assert_nothing_runs();
    }
    let garden = once("cd ..; rm -rf work; exit 0");
    let ended = garden.start(garden.arborist(&["gardener"])).wait();
    ended.assert(6, &["removed"]);
    assert!(!garden.top().exists());
    garden.assert_nothing_runs();
}

#[test]
fn a17_a_usage_limit_or_a_missing_login_is_no_attempt() {
    for (said, status) in
        [("Claude AI usage limit reached|1893456000", 1), ("Invalid API key · Please run /login", 0)]
    {
        let garden = one_task("");
        let program = garden.root().join("agents/claude");
        garden.program(&program, &format!("cat > /dev/null; echo '{said}'; exit {status}"));
        garden.config("arborist.runner", "claude");
        let mut command = garden.arborist(&["gardener", "--no-wait"]);
        command.env("PATH", garden.path_with(program.parent().unwrap()));
        let ended = garden.finish(command);
        ended.assert(4, &["claude"]);
        assert_eq!(garden.steps().len(), 1, "{said}: {:#?}", garden.steps());
        assert_sound_after(&garden, &ended);
    }
}

#[test]
fn a18_an_agent_that_replaces_its_own_program_does_not_disturb_the_step_that_runs() {
    let garden = one_task("");
    let program = garden.root().join("agents/claude");
    let script = r#"cat > /dev/null
        if [ $ARBORIST_STEP = implement ]; then
          echo x > x.txt; cp "$0" "$0.new"; echo '# newer' >> "$0.new"; mv "$0.new" "$0"
          mkdir -p "$ROOT/work/bin"; cp "$0" "$ROOT/work/bin/claude"
        fi; say APPROVED"#;
    garden.program(&program, &format!("{}\n{script}", say("claude")));
    garden.config("arborist.runner", "claude");
    let mut command = garden.arborist(&["gardener"]);
    command.env("PATH", garden.path_with(program.parent().unwrap()));
    let ended = garden.finish(command);
    ended.assert(0, &["the program of claude has changed"]);
    assert_eq!(garden.steps().len(), 6);
    assert_sound_after(&garden, &ended);
}
