//! Tests agents that get into trouble after they have begun to work: what is not their work is no attempt, and what they have
//! made so far is offered to the next call.

use std::time::Instant;

use crate::support::agents::say;
use crate::support::garden::{Ended, Garden, one_task, side_by_side};
use crate::support::skip::has_proc;

/// The steps of the task, and the end of its phase.
const STEPS: usize = 5;

/// Shell functions for the streams of agents: `turn` prints an answer with a tool that has ended.
const TURN: &str = r#"
claude_turn() {
    printf '{"type":"system","subtype":"init","session_id":"s1"}\n'
    printf '{"type":"assistant","message":{"id":"t1","content":[{"type":"tool_use","id":"u1","name":"Bash","input":{}}]}}\n'
    printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"u1"}]}}\n'
}
codex_turn() {
    printf '{"type":"thread.started","thread_id":"t1"}\n'
    printf '{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls"}}\n'
    printf '{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls"}}\n'
}
gemini_turn() {
    printf '{"type":"init","session_id":"g1"}\n'
    printf '{"type":"tool_use","tool_name":"shell","tool_id":"u1","parameters":{}}\n'
    printf '{"type":"tool_result","tool_id":"u1","status":"success"}\n'
}
opencode_turn() {
    printf '{"type":"step_start","sessionID":"o1","part":{"messageID":"m0"}}\n'
    printf '{"type":"tool_use","sessionID":"o1","part":{"tool":"bash","state":{"status":"completed","input":{}}}}\n'
    printf '{"type":"step_finish","sessionID":"o1","part":{"messageID":"m0","reason":"tool-calls"}}\n'
}
"#;

/// A repository with one task, whose runner prints the stream of an agent. Its script knows `turn`, `say WORDS`, and `calls`, the
/// number of calls in this step so far; prompts are kept as `prompt-AGENT-STEP-CALL`.
fn garden(agents: &[(&str, &str)]) -> Garden {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    for (agent, script) in agents {
        let file = garden.root().join(format!("{agent}.sh"));
        let text = format!(
            "calls=$(($(cat \"$ROOT/calls-{agent}-$ARBORIST_STEP\" 2>/dev/null || echo 0) + 1))\n\
             echo $calls > \"$ROOT/calls-{agent}-$ARBORIST_STEP\"\n\
             cat > \"$ROOT/prompt-{agent}-$ARBORIST_STEP-$calls\"\n\
             {TURN}\n{}\nturn() {{ {agent}_turn; }}\n{script}",
            say(agent)
        );
        garden.program(&file, &text);
        garden.config(&format!("arborist.runner.{agent}.command"), &file.display().to_string());
        garden.config(&format!("arborist.runner.{agent}.protocol"), agent);
    }
    let names: Vec<&str> = agents.iter().map(|(agent, _)| *agent).collect();
    garden.config("arborist.runner", &names.join(","));
    garden
}

/// The script of an agent that does this in the implement step, and approves.
fn implements(script: &str) -> String {
    format!("if [ $ARBORIST_STEP = review ]; then say APPROVED; exit 0; fi\n{script}")
}

/// Ends the work well.
const WORKS: &str = "echo done > T001.txt; say Done";

fn run(garden: &Garden, args: &[&str], settings: &[(&str, &str)]) -> Ended {
    let mut command = garden.arborist(&[&["gardener"], args].concat());
    command.envs(settings.iter().copied());
    garden.finish(command)
}

fn prompt(garden: &Garden, name: &str) -> String {
    std::fs::read_to_string(garden.root().join(format!("prompt-{name}"))).unwrap()
}

/// No step was committed, and the error says why and that no attempt was used.
#[track_caller]
fn assert_no_attempt(garden: &Garden, ended: &Ended, words: &str) {
    ended.assert(4, &[words, "no attempt is used up"]);
    assert_eq!(garden.subjects(), [""; 0], "{ended:?}");
}

#[test]
fn a_limit_in_the_middle_of_the_work_is_no_attempt_and_the_next_run_is_offered_what_was_made() {
    let limit = r#"printf '{"type":"result","is_error":true,"api_error_status":429,"result":"You have hit your limit"}\n'; exit 1"#;
    let script =
        implements(&format!("[ $calls -gt 1 ] || {{ turn; echo half > half.txt; {limit}; }}\n{WORKS}"));
    let garden = garden(&[("claude", &script)]);
    assert_no_attempt(&garden, &run(&garden, &["--no-wait"], &[]), "claude has hit its usage limit");
    run(&garden, &[], &[]).assert(0, &["git arborist rescue show T001/"]);
    let brief = prompt(&garden, "claude-implement-2");
    assert!(
        brief.contains("## Saved work") && brief.contains("git show ") && brief.contains("half.txt"),
        "{brief}"
    );
    assert!(!prompt(&garden, "claude-implement-1").contains("Saved work"));
    assert_eq!(garden.subjects().len(), STEPS);
    let listed = garden.run(&["rescue"]).stdout;
    assert!(listed.contains("T001"), "{listed}");
}

#[test]
fn another_agent_goes_on_with_what_is_in_the_work_tree_after_every_cause() {
    let causes = [
        ("\"api_error_status\":429", "has hit its usage limit"),
        ("\"api_error_status\":401", "is not logged in"),
        ("\"api_error_status\":402", "has no credit left"),
        ("\"api_error_status\":404", "refuses the request"),
        ("\"api_error_status\":503", "does not answer"),
    ];
    side_by_side(causes, |(status, words)| {
        let fails = format!(
            "printf '{{\"type\":\"result\",\"is_error\":true,{status},\"result\":\"no\"}}\\n'; exit 1"
        );
        let first = implements(&format!("turn; echo half > half.txt; {fails}"));
        let second = implements(WORKS);
        let garden = garden(&[("claude", &first), ("codex", &second)]);
        let ended = run(&garden, &[], &[]);
        ended.assert(0, &[words, "codex works instead"]);
        let brief = prompt(&garden, "codex-implement-1");
        assert!(
            brief.contains("## In the work tree already") && brief.contains("- half.txt"),
            "{status}: {brief}"
        );
        assert_eq!(garden.subjects().len(), STEPS, "{status}: {:?}", garden.subjects());
        assert!(garden.subjects().iter().all(|subject| !subject.contains("failed")), "{status}");
    });
}

#[test]
fn an_agent_that_is_killed_is_called_again_twice_in_a_run_and_then_the_run_stops() {
    side_by_side(["claude", "codex", "gemini", "opencode"], |agent| {
        let script = implements(&format!(
            "[ $calls -gt 2 ] || {{ turn; echo half > half.txt; kill -9 $$; }}\n{WORKS}"
        ));
        let recovers = garden(&[(agent, &script)]);
        run(&recovers, &[], &[]).assert(0, &["was killed by a signal; it is called again"]);
        assert!(prompt(&recovers, &format!("{agent}-implement-2")).contains("- half.txt"), "{agent}");
        assert_eq!(recovers.subjects().len(), STEPS, "{agent}");

        let stays = garden(&[(agent, &implements("turn; kill -9 $$"))]);
        assert_no_attempt(&stays, &run(&stays, &[], &[]), "was killed by a signal");
        prompt(&stays, &format!("{agent}-implement-3"));
    });
}

#[test]
fn a_program_that_waits_hours_for_a_limit_is_ended_at_once_with_the_time_of_the_reset() {
    let waits = "echo 'Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 2h5m0s.. \
                 Retrying after 8515281ms...' >&2; exec sleep 300";
    let garden = garden(&[("gemini", &implements(&format!("turn; {waits}")))]);
    let began = Instant::now();
    let ended = run(&garden, &["--no-wait"], &[]);
    assert_no_attempt(&garden, &ended, "gemini has hit its usage limit");
    assert!(ended.stderr.contains("It resets at") && ended.stderr.contains("in 2 h"), "{ended:?}");
    assert!(began.elapsed().as_secs() < 150, "the wait of the agent was not waited for");
}

#[test]
fn a_program_that_only_calls_its_service_again_is_ended_when_the_patience_is_over() {
    let waits = "echo 'timestamp=2026-11-21T12:00:00Z level=ERROR error.error=\"Rate limit exceeded\"' >&2; exec sleep 300";
    let garden = garden(&[("opencode", &implements(&format!("turn; {waits}")))]);
    let ended = run(&garden, &["--no-wait"], &[("ARBORIST_LIMIT_PATIENCE", "1s")]);
    assert_no_attempt(&garden, &ended, "opencode has hit its usage limit");
}

#[test]
fn a_service_that_hangs_in_the_middle_of_the_work_is_no_attempt() {
    side_by_side(["claude", "codex", "gemini", "opencode"], |agent| {
        // The stream of opencode does not tell whether a tool is at work.
        if agent == "opencode" && !has_proc() {
            return;
        }
        let script = implements("turn; exec sleep 300");
        let ended_early = garden(&[(agent, &script)]);
        let ended = run(&ended_early, &["--no-wait"], &[("ARBORIST_SILENCE", "2s")]);
        assert_no_attempt(&ended_early, &ended, "does not answer");

        let timed_out = garden(&[(agent, &script)]);
        let ended = run(&timed_out, &["--no-wait", "--runner-timeout", "6"], &[("ARBORIST_SILENCE", "8s")]);
        assert_no_attempt(&timed_out, &ended, "does not answer");
    });
}

#[test]
fn an_agent_whose_tool_is_at_work_is_not_silent() {
    // The stream of claude tells that a tool has begun. That of opencode does not, but its process is there.
    let begins = r#"printf '{"type":"assistant","message":{"id":"t1","content":[{"type":"tool_use","id":"u1","name":"Bash","input":{}}]}}\n'"#;
    side_by_side([("claude", begins), ("opencode", "turn")], |(agent, begins)| {
        if agent == "opencode" && !cfg!(target_os = "linux") {
            println!("skipped: only Linux tells which processes have started");
            return;
        }
        // What starts in the first second belongs to the agent.
        let script = implements(&format!("sleep 1.2; {begins}; sleep 7\n{WORKS}"));
        let garden = garden(&[(agent, &script)]);
        run(&garden, &[], &[("ARBORIST_SILENCE", "4s")]).assert(0, &[]);
        assert_eq!(garden.subjects().len(), STEPS, "{agent}");
    });
}

#[test]
fn a_line_that_cannot_be_read_costs_nothing_if_a_complete_message_follows() {
    side_by_side(["codex", "gemini", "opencode"], |agent| {
        let noise = r#"printf '{"type":"broken\n'; echo 'wrapper: cleaned up {everything}'"#;
        let good =
            garden(&[(agent, &implements(&format!("{noise}; turn; {WORKS}; echo 'wrapper: done {{all}}'")))]);
        run(&good, &[], &[]).assert(0, &[]);
        assert_eq!(good.subjects().len(), STEPS, "{agent}");

        let cut = garden(&[(agent, &implements("turn; printf '{\"type\":\"broken'; exit 0"))]);
        assert_no_attempt(&cut, &run(&cut, &[], &[]), "could not be read");
    });
}

#[test]
fn a_conversation_that_is_too_long_is_begun_again_once() {
    let too_long = r#"printf '{"type":"result","is_error":true,"api_error_status":400,"result":"prompt is too long"}\n'; exit 1"#;
    let script = implements(&format!("[ $calls -gt 1 ] || {{ turn; {too_long}; }}\n{WORKS}"));
    let garden = garden(&[("claude", &script)]);
    run(&garden, &[], &[]).assert(0, &["refuses the request", "it begins a new session"]);
    assert_eq!(garden.subjects().len(), STEPS);
}

#[test]
fn a_review_without_an_answer_is_asked_once_more_and_is_never_an_attempt_of_the_implementer() {
    side_by_side(["turn; exit 0", "say", "turn; kill -9 $$"], |broken| {
        let script = |ends: &str| format!("if [ $ARBORIST_STEP = review ]; then {ends}; exit 0; fi\n{WORKS}");
        let recovers = garden(&[(
            "opencode",
            &script(&format!("if [ $calls = 1 ]; then {broken}; else say APPROVED; fi")),
        )]);
        run(&recovers, &[], &[]).assert(0, &["T001: "]);
        assert_eq!(recovers.subjects().len(), STEPS, "{broken}: {:?}", recovers.subjects());

        let stays = garden(&[("opencode", &script(broken))]);
        run(&stays, &[], &[]).assert(4, &["no attempt is used up"]);
        assert!(
            stays.subjects().iter().all(|subject| !subject.contains("review")),
            "{broken}: {:?}",
            stays.subjects()
        );
    });
}

#[test]
fn an_agent_that_ends_without_a_final_message_is_called_again_and_then_the_run_stops() {
    side_by_side(["codex", "gemini", "opencode"], |agent| {
        let script =
            implements(&format!("[ $calls -gt 1 ] || {{ turn; echo half > half.txt; exit 0; }}\n{WORKS}"));
        let recovers = garden(&[(agent, &script)]);
        run(&recovers, &[], &[]).assert(0, &["ended without a final message; it is called again"]);
        assert!(prompt(&recovers, &format!("{agent}-implement-2")).contains("- half.txt"), "{agent}");
        assert_eq!(recovers.subjects().len(), STEPS, "{agent}");

        let stays = garden(&[(agent, &implements("turn; exit 0"))]);
        assert_no_attempt(&stays, &run(&stays, &[], &[]), "ended without a final message");
    });
}

#[test]
fn an_agent_that_gets_one_empty_answer_after_the_other_is_ended_when_the_patience_is_over() {
    let empty = r#"printf '{"type":"step_start","sessionID":"o1","part":{"messageID":"m1"}}\n'
printf '{"type":"step_finish","sessionID":"o1","part":{"messageID":"m1","reason":"unknown"}}\n'"#;
    let script = implements(&format!("turn; while sleep 0.2; do {empty}; done"));
    let garden = garden(&[("opencode", &script)]);
    let ended = run(&garden, &["--no-wait"], &[("ARBORIST_LIMIT_PATIENCE", "1s")]);
    assert_no_attempt(&garden, &ended, "the service of opencode does not answer");
}
