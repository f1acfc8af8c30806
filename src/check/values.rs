//! Checks whether the values of our trailers are valid (A012, A020, A021).

use crate::record::{
    CommitId, Cost, Origin, ProofRecord, TrailerKey, ValueKind, is_commit_range, task_ids, words_of,
};
use crate::suggest::nearest;

use super::Rule;
use super::finding::{Collector, quoted};
use super::message::{Message, OurTrailer};

/// Checks the values.
pub(super) fn check(message: &Message<'_>, findings: &mut Collector<'_>) {
    for ours in &message.ours {
        let Some(key) = ours.key else { continue };
        if ours.value.is_empty() {
            let what = format!("`{}` has no value", key.name());
            findings.at(
                Rule::BadValue,
                ours.key_bytes.clone(),
                what,
                "write one, or remove the line".to_owned(),
            );
            continue;
        }
        if check_odd_bytes(ours, findings) {
            check_value(key, ours, findings);
        }
    }
}

/// Reports the first character that is not allowed in our values. Returns true if there is none.
fn check_odd_bytes(ours: &OurTrailer<'_>, findings: &mut Collector<'_>) -> bool {
    if ours.value.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return true;
    }
    let odd = match std::str::from_utf8(&ours.value) {
        Err(_) => Some("it is not UTF-8".to_owned()),
        Ok(text) => text.chars().find(|c| is_odd(*c)).map(|c| format!("it contains U+{:04X}", u32::from(c))),
    };
    let Some(odd) = odd else { return true };
    let what = format!("the value of `{}` is not plain text: {odd}", quoted(ours.name));
    let help = "type it again: such characters come from copying and are invisible".to_owned();
    findings.at(Rule::BadBytes, ours.value_bytes(), what, help);
    false
}

/// Control characters, and characters that are invisible or look like an ordinary blank.
pub(super) fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{feff}')
}

fn check_value(key: TrailerKey, ours: &OurTrailer<'_>, findings: &mut Collector<'_>) {
    let text = ours.text();
    match key.rule().value {
        ValueKind::Step | ValueKind::Outcome | ValueKind::Words(_) => {
            check_word(key, &words_of(key), ours, findings);
        }
        ValueKind::Path if bad_path(&text).is_none() => {
            if key != TrailerKey::Plan {
                findings.names(&text, ours.value_bytes());
            }
        }
        kind => {
            if let Some(Mistake { rule, what, help }) = mistake(key, kind, &text) {
                let what = format!("`{}` {what}", quoted(&ours.value));
                findings.at(rule, ours.value_bytes(), what, help);
            }
        }
    }
}

/// What is wrong with a value.
struct Mistake {
    rule: Rule,
    /// The end of a clause that begins with the value.
    what: String,
    help: String,
}

/// What is wrong with a value that is not one of a few words; `None` if it is good.
fn mistake(key: TrailerKey, kind: ValueKind, text: &str) -> Option<Mistake> {
    let name = key.name();
    let found = |rule, what: &str, help: String| Some(Mistake { rule, what: what.to_owned(), help });
    match kind {
        ValueKind::Count if !is_integer(text) || text.parse::<u32>().is_err() => {
            found(Rule::BadValue, "is not a whole number", format!("{name} takes 0, 1, 2, ..."))
        }
        ValueKind::Seconds if !is_seconds(text) => {
            let help = format!("{name} takes a decimal number without a unit, for example 3.2");
            found(Rule::BadValue, "is not a number of seconds", help)
        }
        ValueKind::Dollars if Cost::parse(text).is_none() => {
            let help = format!("{name} takes US dollars without a unit, for example 0.42");
            found(Rule::BadValue, "is not an amount of money", help)
        }
        ValueKind::Path => {
            let what = format!("is not a path inside the repository: {}", bad_path(text)?);
            found(Rule::BadPath, &what, "write it from the top of the work tree, with `/`".to_owned())
        }
        ValueKind::Step
        | ValueKind::Outcome
        | ValueKind::Words(_)
        | ValueKind::Count
        | ValueKind::Seconds
        | ValueKind::Dollars
        | ValueKind::Text => None,
        composed => {
            let expected = check_composed(composed, text).err()?;
            found(Rule::BadValue, &format!("is not a value of `{name}`"), format!("it takes {expected}"))
        }
    }
}

/// Checks a value that has several parts.
///
/// # Errors
/// The values that are possible, for a sentence.
fn check_composed(kind: ValueKind, text: &str) -> Result<(), String> {
    let parts: Vec<&str> = text.split(' ').collect();
    match kind {
        ValueKind::Proof if ProofRecord::parse(text).is_none() => {
            Err("what each run has shown, for example `clean=pass old=none red=pass canary=na evidence=3 is=proven`".to_owned())
        }
        ValueKind::Percentages(names) => check_named(names, &parts, "PERCENT", |text| {
            is_seconds(text) && text.parse::<f64>().is_ok_and(|percent| percent <= 100.0)
        }),
        ValueKind::Numbers(names) => {
            check_named(names, &parts, "NUMBER", |text| is_integer(text) && text.parse::<u64>().is_ok())
        }
        ValueKind::CountedWord(words, names) => {
            let is_word = words.contains(&parts[0]);
            let is_number = |text: &str| is_integer(text) && text.parse::<u32>().is_ok();
            match check_named(names, &parts[1..], "NUMBER", is_number) {
                _ if is_word && parts.len() == 1 => Ok(()),
                Ok(()) if is_word => Ok(()),
                _ => Err(format!(
                    "`{}`, perhaps followed by numbers: {}",
                    words.join("` or `"),
                    named(names, "NUMBER")
                )),
            }
        }
        ValueKind::Fraction => {
            let number = |text: &str| text.parse::<u32>().ok().filter(|_| is_integer(text));
            let fits = text
                .split_once('/')
                .is_some_and(|(part, whole)| matches!((number(part), number(whole)), (Some(part), Some(whole)) if part <= whole));
            if fits { Ok(()) } else { Err("two numbers, for example 37/41".to_owned()) }
        }
        ValueKind::TaskIds if task_ids(text.as_bytes()).is_none() => {
            Err("ids of tasks, separated by spaces, for example T001 T002".to_owned())
        }
        ValueKind::Commit if CommitId::from_hex(text.as_bytes()).is_none() => {
            Err("a commit by its full id".to_owned())
        }
        ValueKind::Origin if Origin::parse(text).is_none() => {
            Err("`ID@TIME` of a thread, `check:NAME@COMMIT` or `merge:BASE@COMMIT`".to_owned())
        }
        ValueKind::CommitRange if !is_commit_range(text.as_bytes()) => {
            Err("two commits by their full ids, with `..` between them".to_owned())
        }
        _ => Ok(()),
    }
}

/// `in=NUMBER out=NUMBER`.
fn named(names: &[&str], what: &str) -> String {
    names.iter().map(|name| format!("{name}={what}")).collect::<Vec<_>>().join(" ")
}

/// Checks the parts of a value that are names with a value each, as in `in=1200 out=340`.
///
/// # Errors
/// The values that are possible, for a sentence; they are called `what` in it.
fn check_named(names: &[&str], parts: &[&str], what: &str, fits: fn(&str) -> bool) -> Result<(), String> {
    let pairs: Option<Vec<(&str, &str)>> = parts.iter().map(|part| part.split_once('=')).collect();
    let all_fit = pairs.is_some_and(|pairs| {
        let given: Vec<&str> = pairs.iter().map(|(name, _)| *name).collect();
        are_in_order(names, &given) && pairs.iter().all(|(_, value)| fits(value))
    });
    if all_fit { Ok(()) } else { Err(format!("some of these, in this order: {}", named(names, what))) }
}

/// Whether all of `given` are among these names, in this order and without duplicates.
fn are_in_order(names: &[&str], given: &[&str]) -> bool {
    let places: Option<Vec<usize>> =
        given.iter().map(|name| names.iter().position(|known| known == name)).collect();
    places.is_some_and(|places| places.is_sorted_by(|one, next| one < next))
}

fn is_integer(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn check_word(key: TrailerKey, words: &[&str], ours: &OurTrailer<'_>, findings: &mut Collector<'_>) {
    let text = ours.text();
    if words.contains(&text.as_ref()) {
        return;
    }
    let what = format!("`{}` is not a value of {}", quoted(&ours.value), key.name());
    let mut help = words.join(", ");
    if let Some(meant) = meant(&text, words) {
        help.push_str(&format!(" (did you mean `{meant}`?)"));
    }
    findings.at(Rule::BadValue, ours.value_bytes(), what, help);
}

/// The word that `text` is most likely meant to be.
fn meant<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    const OTHER_WORDS: &[(&str, &str)] = &[
        ("ok", "pass"),
        ("success", "pass"),
        ("true", "pass"),
        ("error", "fail"),
        ("failure", "fail"),
        ("false", "fail"),
        ("accepted", "approved"),
        ("lgtm", "approved"),
        ("pass", "approved"),
        ("fail", "rejected"),
        ("denied", "rejected"),
        ("done", "complete"),
        ("implementation", "implement"),
        ("tests", "test"),
        ("phase", "phase-complete"),
        ("integ", "integration"),
        ("end-to-end", "e2e"),
    ];
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace(['_', ' '], "-");
    let other =
        OTHER_WORDS.iter().filter(|(other, _)| *other == text).find_map(|(_, word)| find(words, word));
    find(words, &text).or(other).or_else(|| nearest(&text, words.iter().copied()))
}

fn find<'w>(words: &[&'w str], word: &str) -> Option<&'w str> {
    words.iter().find(|known| **known == word).copied()
}

/// Digits with an optional fraction and exponent, as common languages print a number, and finite.
fn is_seconds(text: &str) -> bool {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    let starts = text.starts_with(|c: char| c.is_ascii_digit());
    plain && starts && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Why `text` is not the path of a file inside the repository.
fn bad_path(text: &str) -> Option<&'static str> {
    if text.starts_with('/') {
        return Some("it is absolute");
    }
    if text.starts_with('~') {
        return Some("`~` means a different folder for every user");
    }
    if text.contains('\\') {
        return Some("it contains a backslash");
    }
    let drive = text.as_bytes().get(..2).is_some_and(|head| head[0].is_ascii_alphabetic() && head[1] == b':');
    if drive {
        return Some("it names a drive");
    }
    let mut depth = 0_usize;
    for part in text.split('/') {
        match part {
            "" => return Some("a part of it is empty"),
            "." => {}
            ".." => match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return Some("it leads out of the repository"),
            },
            _ => depth += 1,
        }
    }
    (depth == 0).then_some("it names no file")
}
