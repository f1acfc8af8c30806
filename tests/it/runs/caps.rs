//! Tests what a single step may use.

use crate::support::garden::{Ended, Garden, one_task};

/// Prints the end of an answer of opencode that has used 120 tokens and has cost $0.25.
const STEP: &str = r#"
step() {
    printf '{"type":"step_start","sessionID":"o1","part":{"messageID":"m%s"}}\n' "$1"
    printf '{"type":"tool_use","sessionID":"o1","part":{"tool":"bash","state":{"status":"completed","input":{}}}}\n'
    printf '{"type":"step_finish","sessionID":"o1","part":{"messageID":"m%s","reason":"tool-calls",' "$1"
    printf '"tokens":{"input":100,"output":20,"reasoning":0,"cache":{"read":0,"write":0}},"cost":0.25}}\n'
}
"#;

fn garden(agent: &str, script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    let file = garden.root().join("agent.sh");
    let text = format!("cat > /dev/null\n{}\n{STEP}\n{script}", crate::support::agents::say(agent));
    garden.program(&file, &text);
    garden.config(&format!("arborist.runner.{agent}.command"), &file.display().to_string());
    garden.config(&format!("arborist.runner.{agent}.protocol"), agent);
    garden.config("arborist.runner", agent);
    garden
}

fn run(garden: &Garden, settings: &[(&str, &str)]) -> Ended {
    let mut command = garden.arborist(&["gardener"]);
    command.envs(settings.iter().copied());
    garden.finish(command)
}

fn last_message(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B"])
}

#[test]
fn a_step_that_uses_more_than_is_left_for_its_task_is_ended_and_the_run_stops() {
    for (setting, value, said) in [
        (
            "ARBORIST_TASK_MAX_TOKENS",
            "300",
            "has used 360 tokens, and 300 were left (arborist.task.maxTokens)",
        ),
        ("ARBORIST_TASK_MAX_COST", "0.60", "has cost $0.75, and $0.60 was left (arborist.task.maxCost)"),
    ] {
        let garden = garden("opencode", "echo x > T001.txt; step 1; step 2; step 3; exec sleep 300");
        run(&garden, &[(setting, value)]).assert(1, &["the steps of T001 have"]);
        assert_eq!(garden.subjects().len(), 1, "{:?}", garden.subjects());
        let message = last_message(&garden);
        assert!(message.contains("it spent all that it may") && message.contains(said), "{message}");
        assert!(message.contains("Arborist-Tokens: in=300 out=60"), "{message}");
    }
}

#[test]
fn claude_is_told_what_its_task_may_still_cost() {
    let garden = Garden::new(&one_task(&["true"]));
    let script = format!(
        "case $* in *--help) echo --json-schema; exit;; esac\ncat > /dev/null\necho \"$ARBORIST_STEP $*\" >> \"$ROOT/calls\"\n{}\n\
         case $ARBORIST_STEP in implement) echo x > T001.txt; say done;; *) say APPROVED;; esac",
        crate::support::agents::say("claude")
    );
    let bin = garden.root().join("bin");
    garden.program(&bin.join("claude"), &script);
    garden.config("arborist.runner", "claude");
    let mut command = garden.arborist(&["gardener"]);
    command.env("PATH", garden.path_with(&bin)).env("ARBORIST_TASK_MAX_COST", "1.50");
    garden.finish(command).assert(0, &[]);
    let calls = std::fs::read_to_string(garden.root().join("calls")).unwrap();
    let implement = calls.lines().find(|line| line.starts_with("implement ")).unwrap();
    assert!(implement.contains("--permission-mode bypassPermissions --max-budget-usd 1.50 "), "{calls}");
}
