//! The trace context of the programs of a run (W3C Trace Context): telemetry of agents and tests that understand it belongs
//! to one trace for the whole run, with a span for each step.

use sha1_smol::Sha1;

/// How many hexadecimal digits the id of a trace has.
const TRACE_DIGITS: usize = 32;
/// How many hexadecimal digits the id of a span has.
const SPAN_DIGITS: usize = 16;

/// The trace of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    trace: String,
}

impl TraceContext {
    /// The trace of the run with these properties. If there is a valid `TRACEPARENT` in our own environment, the run is a
    /// part of that trace.
    #[must_use]
    pub fn new(inherited: Option<&str>, run: &[&str]) -> Self {
        let inherited = inherited.and_then(trace_of).map(str::to_owned);
        Self { trace: inherited.unwrap_or_else(|| id(run, TRACE_DIGITS)) }
    }

    /// The value of `TRACEPARENT` for a step with these properties.
    pub(crate) fn traceparent(&self, step: &[&str]) -> String {
        format!("00-{}-{}-01", self.trace, id(step, SPAN_DIGITS))
    }
}

/// An id of this many digits that follows from these words alone.
fn id(words: &[&str], digits: usize) -> String {
    let mut id = Sha1::from(words.join("\0")).digest().to_string();
    id.truncate(digits);
    not_zero(id)
}

/// An id in which not all digits are zeros, which would mean that there is none.
fn not_zero(id: String) -> String {
    if is_zero(&id) { format!("{:0>1$}", 1, id.len()) } else { id }
}

/// The trace that a valid value names.
fn trace_of(text: &str) -> Option<&str> {
    let mut parts = text.split('-');
    let [version, trace, span, flags] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    // Later versions may have further parts.
    let is_complete = version != "00" || parts.next().is_none();
    let is_valid = is_hexadecimal(version, 2)
        && version != "ff"
        && is_hexadecimal(trace, TRACE_DIGITS)
        && is_hexadecimal(span, SPAN_DIGITS)
        && is_hexadecimal(flags, 2);
    (is_complete && is_valid && !is_zero(trace) && !is_zero(span)).then_some(trace)
}

/// Whether a text consists of this many digits in small letters.
fn is_hexadecimal(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(id: &str) -> bool {
    id.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    fn traceparent(inherited: Option<&str>, run: &[&str], step: &[&str]) -> String {
        TraceContext::new(inherited, run).traceparent(step)
    }

    #[test]
    fn a_run_has_one_trace_and_each_step_a_span_of_its_own() {
        let (run, step) = (["anchor", "plan", "main"], ["T1", "implement", "0", "head"]);
        let first = traceparent(None, &run, &step);
        assert_eq!(first, "00-80f78d68e114bd49240b1efce6712fca-91c48056a4665aaa-01");
        assert_eq!(first, traceparent(None, &run, &step));
        for (place, _) in step.iter().enumerate() {
            let mut other = step;
            other[place] = "other";
            let other = traceparent(None, &run, &other);
            assert_eq!(other[..35], first[..35], "the same trace");
            assert_ne!(other, first);
        }
        for (place, _) in run.iter().enumerate() {
            let mut other = run;
            other[place] = "other";
            assert_ne!(traceparent(None, &other, &step)[..35], first[..35], "another trace");
        }
    }

    #[test]
    fn the_trace_of_a_valid_value_is_kept() {
        let zeros = "0".repeat(32);
        let table = [
            (format!("00-{TRACE}-{SPAN}-01"), true),
            (format!("00-{TRACE}-{SPAN}-00"), true),
            (format!("cc-{TRACE}-{SPAN}-01-what-comes-later"), true),
            (format!("00-{TRACE}-{SPAN}-01-more"), false),
            (format!("ff-{TRACE}-{SPAN}-01"), false),
            (format!("0-{TRACE}-{SPAN}-01"), false),
            (format!("00-{zeros}-{SPAN}-01"), false),
            (format!("00-{TRACE}-{}-01", &zeros[..16]), false),
            (format!("00-{}-{SPAN}-01", TRACE.to_uppercase()), false),
            (format!("00-{TRACE}-{SPAN}"), false),
            (format!("00-{TRACE}-{SPAN}-1"), false),
            (format!("00-{TRACE}0-{SPAN}-01"), false),
            (format!(" 00-{TRACE}-{SPAN}-01"), false),
            (String::new(), false),
        ];
        for (value, is_kept) in &table {
            let ours = traceparent(Some(value), &["run"], &["step"]);
            assert_eq!(ours.starts_with(&format!("00-{TRACE}-")), *is_kept, "{value}");
            assert!(!ours.contains(SPAN), "{value}");
        }
    }

    #[test]
    fn an_id_is_never_all_zeros() {
        for [id, expected] in [["0000", "0001"], ["0010", "0010"]] {
            assert_eq!(not_zero(id.to_owned()), expected);
        }
    }

    proptest! {
        #[test]
        fn every_value_is_valid(run in ".*", step in ".*", inherited in ".*") {
            let value = traceparent(Some(&inherited), &[&run], &[&step]);
            prop_assert!(trace_of(&value).is_some(), "{}", value);
        }
    }
}
