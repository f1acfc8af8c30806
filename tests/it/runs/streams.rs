//! Tests runs with agents that report events: recorded streams of real agents are played back by scripts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::garden::{Ended, Garden, one_task, plan, side_by_side};

/// The steps of the task, and the end of its phase.
const STEPS: usize = 5;

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents")
}

/// A shell function `play SCENARIO` that prints what an agent printed in this scenario, and exits as it did.
fn play(agent: &str) -> String {
    let folder = recordings().join(agent);
    format!(
        "play() {{ cat '{0}'/$1.stdout; cat '{0}'/$1.stderr >&2; exit $(cat '{0}'/$1.status); }}",
        folder.display()
    )
}

/// A repository whose runner does `script`, in which `play` plays the stream of an agent.
fn with_stream(agent: &str, script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    runner(&garden, agent, script);
    garden.config("arborist.runner", agent);
    garden
}

fn runner(garden: &Garden, agent: &str, script: &str) {
    let file = garden.root().join(format!("play-{agent}.sh"));
    garden.program(&file, &format!("cat > /dev/null\n{}\n{script}", play(agent)));
    garden.config(&format!("arborist.runner.{agent}.command"), &file.display().to_string());
    let protocol = if agent == "qwen" { "claude" } else { agent };
    garden.config(&format!("arborist.runner.{agent}.protocol"), protocol);
}

/// Works, and approves.
const WORKS: &str =
    "case $ARBORIST_STEP in implement) echo done >> T001.txt; play success;; *) play review;; esac";

fn trailers(garden: &Garden, key: &str) -> Vec<String> {
    let format = format!("--format=%(trailers:key={key},valueonly)");
    garden
        .git(&["log", "--reverse", &format])
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

fn events(ended: &Ended, name: &str) -> Vec<Value> {
    let all = ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|event| event["event"] == name).collect()
}

#[test]
fn tokens_and_costs_of_agents_arrive_in_trailers_report_and_status() {
    side_by_side(["claude", "codex", "gemini", "opencode", "qwen"], |agent| {
        let garden = with_stream(agent, WORKS);
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.subjects().len(), STEPS, "{agent}");
        let tokens = trailers(&garden, "Arborist-Tokens");
        assert_eq!(tokens.len(), 2, "{agent}: {tokens:?}");
        assert!(tokens.iter().all(|tokens| tokens.contains("in=") && tokens.contains("out=")), "{tokens:?}");
        let has_costs = matches!(agent, "claude" | "opencode");
        assert_eq!(trailers(&garden, "Arborist-Cost").len(), if has_costs { 2 } else { 0 }, "{agent}");
        let status = garden.json(&["status", "--json"]);
        let output = &status["tasks"][0]["tokens"]["output"];
        assert!(output.as_u64() > Some(0), "{agent}: {status:#}");
        let report = garden.read(&trailers(&garden, "Arborist-Report")[0]);
        assert!(report.contains("\"tokens\""), "{agent}: {report}");
    });
}

#[test]
fn the_final_message_alone_is_the_body_and_the_verdict() {
    side_by_side(["claude", "codex", "gemini", "opencode"], |agent| {
        let garden = with_stream(
            agent,
            "case $ARBORIST_STEP in implement) echo done >> T001.txt; play success;; *) play interim;; esac",
        );
        // An interim message says APPROVED, the final one REJECTED.
        garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
        assert_eq!(trailers(&garden, "Arborist-Review"), ["rejected"], "{agent}");
        let body = garden.git(&["log", "-1", "--format=%B", "--grep", "implement \"", "--fixed-strings"]);
        assert!(!body.contains("{\"type\""), "{agent}: {body}");
    });
}

#[test]
fn what_is_not_the_agents_fault_makes_no_commit_and_uses_no_attempt() {
    let cases = [
        ("401", "is not logged in"),
        ("402", "has no credit left"),
        ("429", "has hit its usage limit"),
        ("limit", "has hit its usage limit"),
        ("drop", "does not answer"),
        ("503", "does not answer"),
        ("404", "refuses the request"),
        ("hang", ""),
    ];
    side_by_side(["claude", "codex", "gemini", "opencode"], |agent| {
        for (scenario, words) in cases {
            if !recordings().join(agent).join(format!("{scenario}.status")).exists() {
                println!("skipped: there is no recording of {agent} in the scenario {scenario}");
                continue;
            }
            // A recording that was ended from outside has no exit status of its own.
            let status =
                fs::read_to_string(recordings().join(agent).join(format!("{scenario}.status"))).unwrap();
            let script = match status.trim() {
                "killed" => format!("play {scenario} 2>/dev/null || sleep 60"),
                _ => format!("play {scenario}"),
            };
            let garden = with_stream(agent, &script);
            let ended =
                garden.run(&["gardener", "--no-wait", "--max-attempts", "1", "--runner-timeout", "3"]);
            assert_eq!(ended.status, 4, "{agent} {scenario}: {ended:?}");
            assert!(ended.stderr.contains("no attempt is used up"), "{agent} {scenario}: {ended:?}");
            if status.trim() != "killed" {
                assert!(ended.stderr.contains(words), "{agent} {scenario}: {ended:?}");
            }
            assert_eq!(garden.subjects(), Vec::<String>::new(), "{agent} {scenario}");
        }
    });
}

#[test]
fn another_agent_steps_in_for_a_limit_a_login_or_a_missing_program_and_never_after_a_failure() {
    side_by_side(["limit", "401", "missing"], |hindrance| {
        let script = if hindrance == "missing" { "exit 127".to_owned() } else { format!("play {hindrance}") };
        let garden = with_stream("claude", &script);
        runner(&garden, "codex", WORKS);
        garden.config("arborist.runner", "claude,codex");
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &["codex works instead"]);
        assert_eq!(trailers(&garden, "Arborist-Runner"), ["codex", "codex"], "{hindrance}");
        // One limit holds back all steps of the account: it is not asked again for the review.
        assert_eq!(ended.stderr.matches("codex works instead").count(), 1, "{hindrance}: {ended:?}");
    });
    let garden =
        with_stream("claude", "case $ARBORIST_STEP in implement) play success;; *) play review;; esac");
    runner(&garden, "codex", WORKS);
    garden.config("arborist.runner", "claude,codex");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(7, &["has changed nothing, does not say why"]);
    assert_eq!(trailers(&garden, "Arborist-Runner"), ["claude"]);
}

#[test]
fn a_service_that_does_not_answer_is_asked_again_within_the_step_and_not_for_ever() {
    let script =
        format!("echo x >> \"$ROOT/calls\"; [ $(wc -l < \"$ROOT/calls\") -gt 1 ] || play 503\n{WORKS}");
    let garden = with_stream("claude", &script);
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_LIMIT_PATIENCE", "10s");
    garden.finish(command).assert(0, &["waits 5 s", "the service of claude does not answer"]);
    assert_eq!(garden.subjects().len(), STEPS);

    let garden = with_stream("claude", "echo x >> \"$ROOT/calls\"; play 503");
    let mut command = garden.arborist(&["gardener", "--no-wait"]);
    command.env("ARBORIST_LIMIT_PATIENCE", "10s");
    garden.finish(command).assert(4, &["the service of claude does not answer", "no attempt is used up"]);
    assert_eq!(fs::read_to_string(garden.root().join("calls")).unwrap().lines().count(), 2);
}

#[test]
fn a_run_tells_what_its_agent_does_and_keeps_what_it_printed() {
    let garden = with_stream("claude", WORKS);
    let ended = garden.run(&["gardener", "--json"]);
    ended.assert(0, &[]);
    let progress = events(&ended, "progress");
    assert!(progress.iter().any(|event| event["turns"].as_u64() > Some(0)), "{progress:#?}");
    let shown = garden.run(&["show", "T001", "--raw"]);
    shown.assert(0, &[]);
    for words in
        ["T001.0.implement.out <==\n{", "T001.0.review.out <==\n{", "\"type\":\"result\"", "APPROVED"]
    {
        assert!(shown.stdout.contains(words), "{words}: {}", shown.stdout);
    }
    let is_line =
        |line: &str| (line.starts_with("==> ") && line.ends_with(".out <==")) || line.starts_with('{');
    assert!(shown.stdout.lines().all(is_line) && shown.stdout.ends_with("}\n"), "{}", shown.stdout);
    let nothing = "nothing is kept of what agents printed for T001";
    garden.run(&["show", "T001", "--raw", "--attempt", "2"]).assert(1, &[&format!("{nothing} in attempt 2")]);
    // It is evidence, never state.
    fs::remove_dir_all(garden.root().join("work/.git/arborist/output")).unwrap();
    garden.run(&["status"]).assert(0, &[]);
    garden.run(&["show", "T001", "--raw"]).assert(1, &[nothing]);
}

#[test]
fn an_agent_at_work_is_followed_in_the_words_of_its_events() {
    let waits =
        "[ $ARBORIST_STEP = review ] || { (play success); until [ -e \"$ROOT/go\" ]; do sleep 0.05; done; }";
    let garden = with_stream("claude", &format!("{waits}\n{WORKS}"));
    let running = garden.start(garden.arborist(&["gardener"]));
    let kept = garden.top().join(".git/arborist/output/T001.0.implement.out");
    garden.wait_until("something is printed", || fs::metadata(&kept).is_ok_and(|file| file.len() > 0));
    let mut follow = garden.command("sh");
    follow.args(["-c", "git arborist show --follow > \"$ROOT/followed\""]);
    let following = garden.start(follow);
    let followed = || fs::read_to_string(garden.root().join("followed")).unwrap_or_default();
    garden.wait_until("it is followed", || followed().contains("I will write the greeting."));
    fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
    following.wait().assert(0, &[]);
    let said = followed();
    assert!(said.starts_with("T001 implement, attempt 1 by claude\n"), "{said}");
    for line in ["\n  message   I will write the greeting.\n", "\n  tool      Write /tmp/project/greet.txt\n"]
    {
        assert!(said.contains(line), "{said}");
    }
    let implement = said.split("\nT001 review").next().unwrap();
    assert!(implement.contains("\n  final     I wrote the greeting"), "{said}");
}

#[test]
fn of_a_runner_that_stepped_in_only_its_own_output_is_followed() {
    let garden = with_stream("claude", "play limit");
    let waits = "(play success); until [ -e \"$ROOT/go\" ]; do sleep 0.05; done; exit 1";
    runner(&garden, "codex", waits);
    garden.config("arborist.runner", "claude,codex");
    let running = garden.start(garden.arborist(&["gardener", "--max-attempts", "1"]));
    let kept = garden.top().join(".git/arborist/output/T001.0.implement.out");
    let printed = || fs::read_to_string(&kept).unwrap_or_default();
    garden.wait_until("codex has printed", || printed().contains("turn.completed"));
    let mut follow = garden.command("sh");
    follow.args(["-c", "git arborist show --follow > \"$ROOT/followed\""]);
    let following = garden.start(follow);
    let followed = || fs::read_to_string(garden.root().join("followed")).unwrap_or_default();
    garden.wait_until("it is followed", || followed().contains("I wrote the greeting"));
    fs::write(garden.root().join("go"), "").unwrap();
    running.wait();
    following.wait().assert(0, &[]);
    let said = followed();
    assert!(said.starts_with("T001 implement, attempt 1 by codex\n  session   00000000-"), "{said}");
    assert!(!said.contains("  limit"), "{said}");
}

#[test]
fn what_agents_printed_in_slots_is_shown_from_the_work_tree_of_the_run() {
    let garden =
        Garden::new(&plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &[]), ("T002", "p1", &[], &[])]));
    garden.agent("echo done > $ARBORIST_TASK.txt; echo \"I have done $ARBORIST_TASK.\"");
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    for task in ["T001", "T002"] {
        let shown = garden.run(&["show", task, "--raw"]);
        shown.assert(0, &[]);
        assert!(shown.stdout.contains(&format!("I have done {task}.\n")), "{shown:?}");
    }
}

#[test]
fn an_agent_without_progress_is_reported_as_stalled_and_its_step_goes_on() {
    let script = format!("[ $ARBORIST_STEP = review ] || sleep 6\n{WORKS}");
    let garden = with_stream("claude", &script);
    let mut command = garden.arborist(&["gardener", "--json"]);
    command.env("ARBORIST_SILENCE", "8s");
    let ended = garden.finish(command);
    ended.assert(0, &[]);
    let stalled = events(&ended, "stalled");
    assert_eq!(stalled.len(), 1, "{stalled:#?}");
    assert_eq!(stalled[0]["step"], "implement");
}

#[test]
fn an_unknown_protocol_is_named_with_the_nearest() {
    let garden = with_stream("claude", WORKS);
    garden.config("arborist.runner.claude.protocol", "cluade");
    garden
        .run(&["gardener"])
        .assert(2, &["arborist.runner.claude.protocol is `cluade`", "Did you mean claude?"]);
}

#[test]
fn what_an_agent_leaves_behind_for_itself_is_neither_committed_nor_in_the_way() {
    let script = "touch .aider.chat.history.md; mkdir -p .aider.tags.cache.v4; touch .aider.tags.cache.v4/x";
    let garden = with_stream("claude", &format!("{script}\n{WORKS}"));
    fs::write(garden.root().join("work/.aider.input.history"), "mine").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.files_of("HEAD~4"), ["T001.txt"]);
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn the_commit_names_the_tools_that_the_agent_was_not_allowed_to_use() {
    let garden = with_stream(
        "claude",
        r#"echo done >> T001.txt
printf '{"type":"system","subtype":"init","session_id":"s1"}\n'
printf '{"type":"result","subtype":"success","is_error":false,"result":"APPROVED","permission_denials":['
printf '{"tool_name":"Edit"},{"tool_name":"Bash"},{"tool_name":"Edit"},{"tool_name":"a\\nArborist-Result: fail"}]}\n'"#,
    );
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let implement = "--grep=Arborist-Step: implement";
    let body = garden.git(&["log", implement, "--format=%B"]);
    let sentence = "The runner was not allowed to use: Bash, Edit, a Arborist-Result: fail.";
    assert!(body.contains(sentence), "{body}");
    assert_eq!(
        trailers(&garden, "Arborist-Result").iter().filter(|result| *result == "fail").count(),
        0,
        "{body}"
    );
    let garden = with_stream("claude", WORKS);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(!garden.git(&["log", "--format=%B"]).contains("not allowed"));
}
