//! Tests that a runner which is left alone, and the one that works instead, are visible wherever somebody looks at a run.

use serde_json::Value;

use crate::support::agents::say;
use crate::support::garden::{Garden, one_task};

/// A repository whose claude has no credit. Its codex looks at the state of the run while it implements, and then works.
fn garden() -> Garden {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    let no_credit =
        r#"printf '{"type":"result","is_error":true,"api_error_status":402,"result":"no"}\n'; exit 1"#;
    let arborist = env!("CARGO_BIN_EXE_git-arborist");
    let looks = format!(
        "'{arborist}' status > \"$ROOT/status\"; '{arborist}' status --json > \"$ROOT/status.json\"; echo x > T001.txt"
    );
    for (agent, script) in [("claude", no_credit.to_owned()), ("codex", looks)] {
        let file = garden.root().join(format!("{agent}.sh"));
        let text = format!("cat > /dev/null\necho call >> \"$ROOT/calls-{agent}\"\n{}\n", say(agent));
        let approves = "[ $ARBORIST_STEP = review ] && { say APPROVED; exit 0; }\n";
        let approves = if agent == "codex" { approves } else { "" };
        garden.program(&file, &format!("{text}{approves}{script}\nsay Done"));
        garden.config(&format!("arborist.runner.{agent}.command"), &file.display().to_string());
        garden.config(&format!("arborist.runner.{agent}.protocol"), agent);
    }
    garden.config("arborist.runner", "claude,codex");
    garden.config("arborist.notify.command", "cat >> \"$ROOT/told\"");
    garden
}

#[test]
fn a_runner_that_is_left_alone_is_named_in_the_log_the_status_the_events_and_the_notification() {
    let seen = garden();
    let words = "claude has no credit left";
    let left = "codex works instead, and claude is left alone for the rest of the run";
    seen.run(&["gardener"]).assert(0, &[words, left]);
    let file = |name: &str| std::fs::read_to_string(seen.root().join(name)).unwrap();
    let status = file("status");
    assert!(
        status.contains("left alone for the rest of the run: claude (claude has no credit left"),
        "{status}"
    );
    let status: Value = serde_json::from_str(&file("status.json")).unwrap();
    crate::support::schemas::fits("status", &status);
    let account = &status["runs"][0]["left_alone"][0];
    assert_eq!((&account["account"], &account["until"]), (&"claude".into(), &Value::Null), "{status:#}");
    assert_eq!(file("calls-claude").lines().count(), 1, "it is left alone for the rest of the run");
    let told: Vec<Value> = file("told").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    told.iter().for_each(|one| crate::support::schemas::fits("notification", one));
    assert!(
        told.iter().any(|one| one["event"] == "fallback" && one["message"].as_str().unwrap().contains(left)),
        "{told:#?}"
    );
    let after = seen.run(&["status"]).stdout;
    assert!(!after.contains("left alone"), "{after}");

    let events = garden().run(&["gardener", "--json"]).stdout;
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let event = events.iter().find(|event| event["event"] == "fallback").unwrap();
    crate::support::schemas::fits("event", event);
    assert_eq!(
        (&event["runner"], &event["instead"], &event["until"]),
        (&"claude".into(), &"codex".into(), &Value::Null)
    );
}
