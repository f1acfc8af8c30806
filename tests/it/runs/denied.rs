//! Tests that an agent which was not allowed to use a tool and has changed nothing costs no attempt: another one works instead, or the
//! task waits for a person while others go on.

use crate::support::agents::say;
use crate::support::garden::{Garden, plan};

const DENIED: &str = r#"printf '{"type":"system","subtype":"init","session_id":"s1"}\n'
printf '{"type":"result","subtype":"success","is_error":false,"result":"I may not write.","permission_denials":[{"tool_name":"Write"}]}\n'"#;

/// Two tasks. claude may not write for the first of them.
fn garden(runner: &str, before: &str) -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
    ]));
    let denied =
        format!("[ $ARBORIST_TASK.$ARBORIST_STEP = T001.implement ] && {{ {before}\n{DENIED}\nexit 0; }}\n");
    for (agent, denied) in [("claude", denied.as_str()), ("codex", "")] {
        let file = garden.root().join(format!("{agent}.sh"));
        let script = format!(
            "cat >> \"$ROOT/prompts\"\n{}\n{denied}[ $ARBORIST_STEP = review ] && {{ say APPROVED; exit 0; }}\n\
             echo {agent} > $ARBORIST_TASK.txt\nsay Done",
            say(agent)
        );
        garden.program(&file, &script);
        garden.config(&format!("arborist.runner.{agent}.command"), &file.display().to_string());
        garden.config(&format!("arborist.runner.{agent}.protocol"), agent);
    }
    garden.config("arborist.runner", runner);
    garden
}

#[test]
fn a_task_of_which_nothing_was_done_for_a_denied_tool_waits_for_a_person_and_others_go_on() {
    let garden = garden("claude", ":");
    let ended = garden.run(&["gardener"]);
    ended.assert(7, &["claude was not allowed to use Write, and has changed nothing"]);
    assert!(garden.subjects().iter().any(|subject| subject.starts_with("task(T002): complete")));
    let failed = garden.lines(&["log", "--format=%s", "--grep=(failed, "]);
    assert_eq!(failed, [""; 0], "no attempt is used up");
    assert_eq!(garden.trailers("Arborist-Reason"), ["denied-tool"]);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("Its own settings, or the options of its command, may allow that."), "{status}");
    garden.run(&["note", "T001", "-m", "It may write now."]).assert(0, &[]);
    garden.config("arborist.runner", "codex");
    garden.run(&["gardener"]).assert(0, &[]);
    let prompts = std::fs::read_to_string(garden.root().join("prompts")).unwrap();
    assert!(
        prompts.contains("It may write now.") && !prompts.contains("was not allowed to use"),
        "{prompts}"
    );
}

#[test]
fn the_run_ends_when_a_tool_is_denied_for_the_next_task_too() {
    let garden = garden("claude", ":");
    let file = garden.root().join("claude.sh");
    let script =
        std::fs::read_to_string(&file).unwrap().replace("T001.implement ]", "${ARBORIST_TASK}.implement ]");
    std::fs::write(&file, script).unwrap();
    garden
        .run(&["gardener"])
        .assert(4, &["T002 ends with the same answer as T001", "not allowed to use Write"]);
}

#[test]
fn another_runner_works_instead_of_one_that_may_not_write() {
    let garden = garden("claude,codex", ":");
    garden.run(&["gardener"]).assert(0, &["claude was not allowed to use Write", "codex works instead"]);
    assert_eq!(garden.read("T001.txt"), "codex\n");
}

#[test]
fn an_agent_that_has_worked_beside_a_denied_tool_is_judged_by_its_work() {
    let garden = garden("claude,codex", "echo x > T001.txt");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.read("T001.txt"), "x\n");
}

#[test]
fn a_patch_that_codex_has_refused_is_a_denied_tool_although_only_its_standard_error_says_so() {
    let refused = "codex_core::tools::router: error=patch rejected: writing outside of the project";
    let garden = garden("codex", ":");
    let file = garden.root().join("codex.sh");
    let says = format!(
        "[ $ARBORIST_TASK.$ARBORIST_STEP = T001.implement ] && {{ echo 'ERROR {refused}' >&2; say \"I may not. $$\"; exit 0; }}"
    );
    let script = std::fs::read_to_string(&file).unwrap();
    let script =
        script.replace("[ $ARBORIST_STEP = review ]", &format!("{says}\n[ $ARBORIST_STEP = review ]"));
    std::fs::write(&file, script).unwrap();
    garden
        .run(&["gardener"])
        .assert(7, &["codex was not allowed to use apply_patch, and has changed nothing"]);
    let failed = garden.lines(&["log", "--format=%s", "--grep=(failed, "]);
    assert_eq!(failed, [""; 0], "no attempt is used up");
    assert_eq!(garden.trailers("Arborist-Reason"), ["denied-tool"]);
}
