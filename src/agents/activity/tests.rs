//! Tests the sum of what an agent has told.

use super::*;

fn error(message: &str) -> AgentError {
    AgentError { message: message.to_owned(), ..AgentError::default() }
}

#[test]
fn an_answer_ends_what_kept_the_agent_waiting() {
    let mut activity = Activity::default();
    [AgentEvent::Retries(error("busy")), AgentEvent::Limit { resets: None }]
        .iter()
        .for_each(|event| activity.add(event));
    assert_eq!((activity.retries, activity.retrying.is_some(), activity.limit.is_some()), (1, true, true));
    activity.add(&AgentEvent::Turn);
    assert_eq!((activity.turns, activity.retries), (1, 1));
    assert_eq!((activity.retrying, activity.limit), (None, None));
}

#[test]
fn an_agent_has_either_failed_or_ended_well() {
    let mut activity = Activity::default();
    activity.add(&AgentEvent::Final("done".to_owned()));
    activity.add(&AgentEvent::Error(error("no")));
    assert_eq!((activity.final_message.as_deref(), activity.error.is_some()), (None, true));
    activity.add(&AgentEvent::Final("done".to_owned()));
    assert_eq!((activity.final_message.as_deref(), activity.error), (Some("done"), None));
}

#[test]
fn the_usage_is_the_last_that_was_told_and_files_and_denied_tools_are_bounded() {
    let mut activity = Activity::default();
    let usage = |input| Usage { tokens: crate::record::Tokens { input, ..Default::default() }, cost: None };
    [AgentEvent::Usage(usage(Some(1))), AgentEvent::Usage(usage(Some(5)))]
        .iter()
        .for_each(|event| activity.add(event));
    assert_eq!(activity.usage, usage(Some(5)));
    for number in 0..5000 {
        activity.add(&AgentEvent::FileChanged(format!("file {}", number / 2)));
        activity.add(&AgentEvent::Denied(format!("tool {number}")));
    }
    assert_eq!((activity.files.len(), activity.denied.len()), (MOST_NAMES, MOST_NAMES));
}

#[test]
fn the_last_call_of_a_tool_and_the_last_message_are_kept() {
    let mut activity = Activity::default();
    for number in ["one", "two"] {
        activity.add(&AgentEvent::Tool { name: number.to_owned(), subject: String::new() });
        activity.add(&AgentEvent::Message(number.to_owned()));
        activity.add(&AgentEvent::Session(number.to_owned()));
    }
    assert_eq!(activity.tools, 2);
    assert_eq!(activity.last_tool.expect("there was one").name, "two");
    assert_eq!((activity.last_message.as_deref(), activity.session.as_deref()), (Some("two"), Some("two")));
}

#[test]
fn commands_that_make_git_skip_hooks_are_kept() {
    let mut activity = Activity::default();
    for subject in [
        "git commit -m 'x' --no-verify",
        "cd web && git push --no-verify;",
        "git -c core.hooksPath=/dev/null commit -m x",
        "git commit -m verify",
        "npm publish --no-verify",
        "src/no-verify.rs",
    ] {
        activity.add(&AgentEvent::Tool { name: "Bash".to_owned(), subject: subject.to_owned() });
    }
    let kept: Vec<&str> = activity.skipped_hooks.iter().map(String::as_str).collect();
    assert_eq!(
        kept,
        [
            "cd web && git push --no-verify;",
            "git -c core.hooksPath=/dev/null commit -m x",
            "git commit -m 'x' --no-verify"
        ]
    );
}
