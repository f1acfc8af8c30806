//! Checks whether the keys of our trailers are known, spelt correctly and unique (A010, A011, A017).

use crate::record::TrailerKey;
use crate::record::block::Part;
use crate::suggest;
use crate::text::advice;

use super::Rule;
use super::finding::{Collector, quoted};
use super::message::{Message, OurTrailer};

/// Checks the keys.
pub(super) fn check(message: &Message<'_>, findings: &mut Collector<'_>) {
    for ours in &message.ours {
        let Some(key) = ours.key else {
            unknown(ours.name, ours.key_bytes.clone(), findings);
            continue;
        };
        if ours.name != key.name().as_bytes() {
            let what = format!("`{}` has the wrong capitalisation", String::from_utf8_lossy(ours.name));
            findings.at(Rule::KeyCase, ours.key_bytes.clone(), what, format!("write `{}`", key.name()));
        }
    }
    check_duplicates(message, findings);
    if message.title.is_ours() || !message.ours.is_empty() {
        check_near_misses(message, findings);
    }
}

fn unknown(name: &[u8], bytes: std::ops::Range<usize>, findings: &mut Collector<'_>) {
    let name = quoted(name);
    let near = if findings.only_counts(Rule::UnknownKey) { None } else { suggest::nearest(&name, known()) };
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{} lists the keys", advice::explain("A010")),
    };
    findings.at(Rule::UnknownKey, bytes, format!("`{name}` is not a key of git-arborist"), help);
}

/// The names of all known keys.
fn known() -> impl Iterator<Item = &'static str> + Clone {
    TrailerKey::ALL.into_iter().map(TrailerKey::name)
}

fn check_duplicates(message: &Message<'_>, findings: &mut Collector<'_>) {
    let mut firsts: [Option<&OurTrailer<'_>>; TrailerKey::ALL.len()] = [None; _];
    for ours in &message.ours {
        let Some(key) = ours.key.filter(|key| !key.may_be_repeated()) else { continue };
        let Some(first) = firsts[key as usize] else {
            firsts[key as usize] = Some(ours);
            continue;
        };
        if first.value != ours.value {
            let (one, other) = (quoted(&first.value), quoted(&ours.value));
            let what = format!("`{}` has two values, `{one}` and `{other}`", key.name());
            findings.at(Rule::Duplicate, ours.key_bytes.clone(), what, "keep the correct one".to_owned());
        }
    }
}

/// Reports keys in the block that are nearly ours, with a slip in the prefix.
fn check_near_misses(message: &Message<'_>, findings: &mut Collector<'_>) {
    let trailers = message.parts.iter().filter_map(Part::trailer);
    for trailer in trailers.filter(|trailer| !super::scan::is_our_prefix(trailer.key())) {
        let name = quoted(trailer.key());
        // Only keys with the shape of ours are compared: others, such as `Acked-by`, are too far from all of them.
        if let Some(near) = suggest::slip_of(&name, known()) {
            let what = format!("`{name}` is not a key of git-arborist");
            findings.at(Rule::UnknownKey, trailer.key_bytes(), what, format!("did you mean `{near}`?"));
        }
    }
}
