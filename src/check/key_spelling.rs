//! Checks whether the keys of our trailers are known, spelt correctly and unique (A010, A011, A017, W110).

use crate::record::TrailerKey;
use crate::record::block::Part;
use crate::suggest;
use crate::text::advice;

use super::Rule;
use super::finding::{Collector, quoted};
use super::message::{Message, OurTrailer};
use super::scan::{Disguise, Line};

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
        if first.value == ours.value {
            let what = format!("`{}` appears twice", key.name());
            findings.at(Rule::SameTwice, ours.key_bytes.clone(), what, "remove one of them".to_owned());
        } else {
            let (one, other) = (quoted(&first.value), quoted(&ours.value));
            let what = format!("`{}` has two values, `{one}` and `{other}`", key.name());
            findings.at(Rule::Duplicate, ours.key_bytes.clone(), what, "keep the correct one".to_owned());
        }
    }
}

/// Reports keys in the block that are nearly ours: with a slip in the prefix, or with characters that only look right.
fn check_near_misses(message: &Message<'_>, findings: &mut Collector<'_>) {
    for part in &message.parts {
        match part {
            Part::Trailer(trailer) if !super::scan::is_our_prefix(trailer.key()) => {
                let name = quoted(trailer.key());
                // Only keys with the shape of ours are compared: others, such as `Acked-by`, are too far from all of
                // them.
                if let Some(near) = suggest::slip_of(&name, known()) {
                    let what = format!("`{name}` is not a key of git-arborist");
                    findings.at(
                        Rule::UnknownKey,
                        trailer.key_bytes(),
                        what,
                        format!("did you mean `{near}`?"),
                    );
                }
            }
            Part::Prose(lines) => look_alike(message, lines.bytes.clone(), findings),
            Part::Trailer(_) | Part::CherryPick(_) | Part::Comment(_) => {}
        }
    }
}

/// Looks for keys with characters that only look right, in a message whose block git does not see, perhaps because of
/// them.
pub(super) fn check_look_alikes(message: &Message<'_>, findings: &mut Collector<'_>) {
    let mut start = 0;
    for line in crate::record::lines(message.text) {
        look_alike(message, start..start + line.len(), findings);
        start += line.len();
    }
}

fn look_alike(message: &Message<'_>, bytes: std::ops::Range<usize>, findings: &mut Collector<'_>) {
    let line = &message.text[bytes.clone()];
    let Line::Disguised(key, disguise @ (Disguise::Spelling | Disguise::LookAlike(_))) = Line::of(line)
    else {
        return;
    };
    let end = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
    let what = format!("this is not the key `{}`: {}", key.name(), disguise.why());
    let help = format!("write `{}`", key.name());
    findings.at(Rule::UnknownKey, bytes.start..bytes.start + end, what, help);
}
