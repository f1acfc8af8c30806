//! Tests what is read from the recorded output of real agents (`tests/fixtures/agents`): all of them were told to do the
//! same work, and their service answered in the same ways.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use git_arborist::agents::{Activity, AgentEvent, Cause, EventStream, Protocol, Secrets};
use git_arborist::workflow::{AskAgain, Review, Verdict, read_review};

/// The agents that print a stream, and its protocol.
const AGENTS: &[(&str, Protocol)] = &[
    ("claude", Protocol::Claude),
    ("codex", Protocol::Codex),
    ("gemini", Protocol::Gemini),
    ("kilo", Protocol::Opencode),
    ("opencode", Protocol::Opencode),
    ("qwen", Protocol::Claude),
];

/// The final message of all agents that were told to implement the task.
const DONE: &str = "I wrote the greeting to greet.txt.\n\nNothing else was necessary.";

/// What an agent printed in one situation.
struct Recording {
    agent: &'static str,
    protocol: Protocol,
    scenario: String,
    output: Vec<u8>,
    exited_well: bool,
}

impl Recording {
    /// All recordings of agents that print a stream.
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents");
        let mut all = Vec::new();
        for (agent, protocol) in AGENTS {
            let Ok(entries) = folder.join(agent).read_dir() else { continue };
            let mut outputs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
            outputs.retain(|path| path.extension().is_some_and(|extension| extension == "stdout"));
            outputs.sort();
            all.extend(outputs.iter().map(|path| Self {
                agent,
                protocol: *protocol,
                scenario: path.file_stem().unwrap().to_str().unwrap().to_owned(),
                output: std::fs::read(path).unwrap(),
                exited_well: std::fs::read_to_string(path.with_extension("status")).unwrap().trim() == "0",
            }));
        }
        assert!(all.len() > 100, "{} recordings", all.len());
        all
    }

    fn of_scenarios(scenarios: &[&str]) -> Vec<Self> {
        let mut all = Self::all();
        all.retain(|recording| scenarios.contains(&recording.scenario.as_str()));
        all
    }

    fn events(&self) -> Vec<AgentEvent> {
        self.events_in_pieces(usize::MAX)
    }

    fn events_in_pieces(&self, length: usize) -> Vec<AgentEvent> {
        let mut stream = EventStream::new(self.protocol, &Secrets::default());
        let mut events: Vec<AgentEvent> =
            self.output.chunks(length).flat_map(|piece| stream.push(piece)).collect();
        events.extend(stream.end(self.exited_well));
        events
    }

    fn activity(&self) -> Activity {
        let mut activity = Activity::default();
        self.events().iter().for_each(|event| activity.add(event));
        activity
    }

    fn name(&self) -> String {
        format!("{} in {}", self.agent, self.scenario)
    }
}

#[test]
fn every_agent_that_did_its_work_tells_its_answers_tools_files_tokens_and_its_final_message() {
    for recording in Recording::of_scenarios(&["success", "commit"]) {
        let (name, activity) = (recording.name(), recording.activity());
        assert_eq!(activity.final_message.as_deref(), Some(DONE), "{name}");
        assert_eq!((&activity.error, &activity.limit, activity.retries), (&None, &None, 0), "{name}");
        let least = if recording.scenario == "commit" { 3 } else { 2 };
        // codex does not tell of a tool that its sandbox refuses.
        assert!(
            activity.turns >= least - u64::from(recording.agent == "codex"),
            "{name}: {}",
            activity.turns
        );
        assert!(activity.tools >= 1 && activity.last_tool.is_some(), "{name}");
        assert!(activity.session.is_some(), "{name}");
        let files: Vec<&String> = activity.files.iter().collect();
        assert!(matches!(files[..], [file] if file.ends_with("greet.txt")), "{name}: {files:?}");
        let tokens = activity.usage.tokens;
        // Every answer reads 1200 tokens, of which 1000 come from a cache, and writes 34.
        let output = tokens.output.unwrap();
        assert!(output % 34 == 0 && output >= 34 * least, "{name}: {tokens:?}");
        assert_eq!(
            (tokens.input, tokens.cached),
            (Some(output / 34 * 200), Some(output / 34 * 1000)),
            "{name}"
        );
        let tells_cost = ["claude", "kilo", "opencode"].contains(&recording.agent);
        assert_eq!(activity.usage.cost.is_some(), tells_cost, "{name}: {:?}", activity.usage);
    }
}

#[test]
fn the_verdict_of_every_agent_is_that_of_its_final_message() {
    for recording in Recording::of_scenarios(&["review", "reject", "interim"]) {
        if !recording.exited_well {
            continue;
        }
        let name = recording.name();
        let expected = if recording.scenario == "review" { Verdict::Approved } else { Verdict::Rejected };
        let message = recording.activity().final_message;
        let message = message.unwrap_or_else(|| panic!("{name} has no final message"));
        assert_eq!(read_review(message.as_bytes()).verdict, expected, "{name}: {message}");
    }
}

#[test]
fn a_review_that_is_bound_to_a_schema_is_read_with_its_places_and_a_broken_one_is_asked_about() {
    let mut agents = Vec::new();
    for recording in Recording::of_scenarios(&["verdict", "verdict-broken"]) {
        let name = recording.name();
        let message = recording.activity().final_message.unwrap_or_else(|| panic!("{name} has no answer"));
        let Review { verdict, remarks, doubt, .. } = read_review(message.as_bytes());
        let remarks: Vec<String> = remarks.iter().map(ToString::to_string).collect();
        if recording.scenario == "verdict" {
            assert_eq!((verdict, doubt), (Verdict::Rejected, None), "{name}: {message}");
            assert_eq!(remarks, ["greet.txt:1: must: The greeting does not ask how the world is."], "{name}");
        } else {
            assert!(matches!(doubt, Some(AskAgain::Invalid(_))), "{name}: {doubt:?}: {message}");
        }
        agents.push(recording.agent);
    }
    assert_eq!(agents, ["claude", "claude", "codex", "codex", "qwen", "qwen"]);
}

#[test]
fn no_agent_that_failed_has_a_final_message() {
    let good = ["success", "commit", "review", "reject", "interim", "verdict", "verdict-broken", "root"];
    for recording in Recording::all() {
        if !good.contains(&recording.scenario.as_str()) {
            let activity = recording.activity();
            assert_eq!(activity.final_message, None, "{}", recording.name());
            assert!(activity.turns == 0 || recording.scenario.ends_with("-mid"), "{}", recording.name());
        }
    }
}

#[test]
fn the_error_of_every_agent_that_tells_one_has_the_right_kind() {
    let kinds = BTreeMap::from([
        ("401", Cause::NotLoggedIn),
        ("402", Cause::NoCredit),
        ("403", Cause::NotLoggedIn),
        ("404", Cause::Refused),
        ("429", Cause::LIMIT),
        ("429-retry-after", Cause::LIMIT),
        ("limit", Cause::LIMIT),
        ("500", Cause::Service),
        ("503", Cause::Service),
        ("529", Cause::Service),
        ("drop", Cause::Service),
        ("drop-mid", Cause::Service),
        ("empty", Cause::Service),
        ("malformed", Cause::Service),
    ]);
    let mut wrong = Vec::new();
    let mut with = BTreeMap::new();
    for recording in Recording::of_scenarios(&kinds.keys().copied().collect::<Vec<_>>()) {
        // Without one, it was still trying when the recording ended, or tells errors on standard error only.
        if let Some(error) = recording.activity().error {
            let expected = kinds[recording.scenario.as_str()];
            let cause = error.cause.map(without_time);
            if cause != Some(expected) || error.message.is_empty() {
                wrong.push(format!("{}: {error:?}", recording.name()));
            }
            *with.entry(recording.agent).or_insert(0) += 1;
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    for (agent, _) in AGENTS.iter().filter(|(agent, _)| *agent != "kilo") {
        assert!(with.get(agent).is_none_or(|count| *count >= 5), "{agent}: {with:?}");
    }
}

#[test]
fn the_recorded_streams_give_the_same_events_however_they_arrive() {
    for recording in Recording::all() {
        let whole = without_times(recording.events());
        for length in [1, 7, 4096] {
            let in_pieces = without_times(recording.events_in_pieces(length));
            assert_eq!(in_pieces, whole, "{}", recording.name());
        }
    }
}

/// The events without the times that depend on when an error is read.
fn without_times(mut events: Vec<AgentEvent>) -> Vec<AgentEvent> {
    for event in &mut events {
        if let AgentEvent::Error(error) = event {
            error.cause = error.cause.map(without_time);
        }
    }
    events
}

/// A cause without the time at which a limit resets.
fn without_time(cause: Cause) -> Cause {
    match cause {
        Cause::Limit { .. } => Cause::LIMIT,
        other => other,
    }
}

#[test]
fn a_recorded_stream_that_breaks_off_approves_nothing_that_the_whole_one_does_not() {
    for mut recording in Recording::of_scenarios(&["review", "reject", "interim", "verdict"]) {
        let whole = recording.activity().final_message;
        let output = std::mem::take(&mut recording.output);
        let ends = output.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
        for end in ends.flat_map(|end| [end, end.saturating_sub(9), end + 1]) {
            recording.output = output[..end].to_vec();
            let message = recording.activity().final_message;
            assert!(message.is_none() || message == whole, "{} at {end}: {message:?}", recording.name());
        }
    }
}
