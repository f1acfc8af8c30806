//! Streams that arrive in pieces, broken, or with fields that no agent prints.

use proptest::prelude::*;
use serde_json::Value;

use super::samples::{ALL, LAST_WORD};
use super::*;
use crate::workflow::{Verdict, read_review};

/// All events of an output that arrives in pieces that end at these places.
fn in_pieces(protocol: Protocol, output: &[u8], cuts: &[usize]) -> Vec<AgentEvent> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (output.len() + 1)).collect();
    cuts.extend([0, output.len()]);
    cuts.sort_unstable();
    let mut stream = EventStream::new(protocol, &Secrets::default());
    let mut events = Vec::new();
    for ends in cuts.windows(2) {
        events.extend(stream.push(&output[ends[0]..ends[1]]));
    }
    events.extend(stream.end(true));
    events
}

fn final_messages(events: &[AgentEvent]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Final(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// What can happen to the lines of a stream.
#[derive(Clone, Debug)]
enum Damage {
    Break(usize, usize),
    Scramble(usize, Vec<u8>),
    Lose(usize),
}

impl Damage {
    /// Lines that are cut off or hold bytes that do not belong there.
    fn of_lines() -> impl Strategy<Value = Self> {
        prop_oneof![
            any::<(usize, usize)>().prop_map(|(line, at)| Self::Break(line, at)),
            (any::<usize>(), prop::collection::vec(any::<u8>(), 1..9))
                .prop_map(|(at, bytes)| Self::Scramble(at, bytes)),
        ]
    }

    /// Several of one sort, or one line that is missing.
    fn any() -> impl Strategy<Value = Vec<Self>> {
        prop_oneof![
            prop::collection::vec(Self::of_lines(), 0..6),
            any::<usize>().prop_map(|line| vec![Self::Lose(line)]),
        ]
    }

    fn harm(&self, lines: &mut Vec<Vec<u8>>) {
        let count = lines.len();
        match self {
            Self::Lose(line) => {
                lines.remove(line % count);
            }
            Self::Break(line, at) => {
                let line = &mut lines[line % count];
                let length = line.len();
                line.truncate(1 + at % length);
            }
            Self::Scramble(at, bytes) => {
                let line = &mut lines[at % count];
                let at = (at / count) % (line.len() + 1);
                line.splice(at..at, bytes.iter().copied().chain([0]));
            }
        }
    }
}

/// Any JSON value.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9 {}]{0,12}".prop_map(Value::from),
        Just(Value::from("APPROVED")),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,8}", inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Replaces the `nth` value within `tree`, counted from its root.
fn replace(tree: &mut Value, nth: &mut usize, with: &Value) {
    if *nth == 0 {
        *tree = with.clone();
    }
    *nth = nth.wrapping_sub(1);
    match tree {
        Value::Array(elements) => elements.iter_mut().for_each(|element| replace(element, nth, with)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, nth, with)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn any_cut_into_pieces_gives_the_same_events(
        which in 0..ALL.len(),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        let (protocol, lines) = ALL[which];
        let output = lines.join("\n");
        let whole = events_of(protocol, output.as_bytes());
        prop_assert_eq!(in_pieces(protocol, output.as_bytes(), &cuts), whole);
    }

    #[test]
    fn a_stream_that_is_cut_off_has_no_last_word_but_the_true_one(which in 0..ALL.len(), end in any::<usize>()) {
        let (protocol, lines) = ALL[which];
        let output = lines.join("\n");
        let cut = &output.as_bytes()[..end % output.len()];
        let all = events_of(protocol, cut);
        prop_assert!(final_messages(&all).iter().all(|text| *text == LAST_WORD), "{:?}", all);
    }

    #[test]
    fn damaged_streams_never_approve(
        which in 0..ALL.len(),
        damages in Damage::any(),
    ) {
        let (protocol, lines) = ALL[which];
        let mut damaged: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        damages.iter().for_each(|damage| damage.harm(&mut damaged));
        let all = events_of(protocol, &damaged.join(&b'\n'));
        for text in final_messages(&all) {
            prop_assert_ne!(read_review(text.as_bytes()).verdict, Verdict::Approved, "{:?}", all);
        }
    }

    #[test]
    fn fields_of_any_type_cause_no_panic_and_at_most_one_end(
        which in 0..ALL.len(),
        changes in prop::collection::vec((any::<usize>(), any::<usize>(), value()), 1..6),
    ) {
        let (protocol, lines) = ALL[which];
        let mut objects: Vec<Value> =
            lines.iter().map(|line| serde_json::from_str(line).expect("the samples are JSON")).collect();
        for (line, place, with) in &changes {
            let count = objects.len();
            replace(&mut objects[line % count], &mut (place % 30), with);
        }
        let output = objects.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        let all = events_of(protocol, output.as_bytes());
        let ends = |event: &&AgentEvent| matches!(event, AgentEvent::Final(_) | AgentEvent::Error(_));
        prop_assert!(all.iter().filter(ends).count() <= 1);
    }

    #[test]
    fn any_bytes_are_read_without_panic(
        which in 0..Protocol::NAMES.len(),
        output in prop::collection::vec(any::<u8>(), 0..300),
        cuts in prop::collection::vec(any::<usize>(), 0..5),
    ) {
        let protocol = Protocol::named(Protocol::NAMES[which]).expect("it is a name");
        let all = in_pieces(protocol, &output, &cuts);
        prop_assert!(protocol == Protocol::Text || final_messages(&all).is_empty());
    }
}
