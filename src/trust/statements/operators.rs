//! What can be done to a statement.

use std::ops::Range;

use super::super::language::Language;
use super::super::scan::{is_listed, is_word, words};
use super::lines::{LineGroup, Lines};
use super::place::{Place, SourceEdit, Value};
use super::{conditions, values};

/// A way to take out or change a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// The statement is taken out.
    Remove,
    /// A condition becomes its opposite.
    Negate,
    /// `<` becomes `<=`, and so on.
    ShiftBound,
    /// `+` becomes `-`, and `-` becomes `+`.
    SwapSign,
    /// A value becomes the empty one.
    EmptyValue,
    /// A call is dropped, and what it is applied to stays.
    DropCall,
}

/// What to try with a unit, the best first.
pub(super) fn edits(lines: &Lines<'_>, units: &[LineGroup], at: usize) -> Vec<(Operator, SourceEdit)> {
    let unit = &units[at];
    let whole = lines.range(unit.first, unit.last);
    let code = &lines.code[whole.clone()];
    let start = whole.start + (code.len() - code.trim_ascii_start().len());
    let next = units.get(at + 1).map_or(&b""[..], |next| lines.code_of(next.first, next.last));
    let is_last = next.starts_with(b"}");
    let place = Place { lines, range: start..start + code.trim_ascii().len(), is_last };
    let changes = [
        (Operator::Negate, conditions::negated(&place)),
        (Operator::ShiftBound, conditions::swapped(&place, &conditions::BOUNDS)),
        (Operator::SwapSign, conditions::swapped(&place, &conditions::SIGNS)),
    ];
    let mut edits: Vec<(Operator, SourceEdit)> =
        changes.into_iter().filter_map(|(operator, edit)| Some((operator, edit?))).collect();
    if unit.is_head {
        let declares = ["fn", "func", "fun", "def", "class", "function", "impl", "trait"];
        if declares.iter().any(|word| place.find(word).is_some()) {
            edits.clear();
        }
        return edits;
    }
    let value = Value::of(&place);
    let emptied = value.as_ref().and_then(|value| {
        let empty = values::empty(&place, value)?;
        Some((Operator::EmptyValue, SourceEdit::new(value.range.clone(), empty)))
    });
    let dropped = value.as_ref().and_then(|value| values::without_call(&place, value));
    let dropped = dropped.map(|(range, text)| (Operator::DropCall, SourceEdit::new(range, text)));
    let removal = removal_among(lines, units, at);
    let is_arm = lines.language == Some(Language::Rust) && values::is_arm(place.code());
    let is_result = is_arm || value.as_ref().is_some_and(|value| value.is_result);
    let is_needed = is_needed(&place);
    if is_result {
        edits.splice(0..0, emptied);
    } else {
        edits.extend(emptied);
    }
    edits.extend(dropped);
    // Without a declaration or a result, a compiler finds an error; other languages find it when they run.
    match (is_needed || is_result, lines.is_compiled()) {
        (true, true) => {}
        (true, false) => edits.push(removal),
        (false, _) => edits.insert(0, removal),
    }
    edits
}

/// The lines taken out. Where a block must not be empty, a statement that does nothing takes their place.
fn removal_among(lines: &Lines<'_>, units: &[LineGroup], at: usize) -> (Operator, SourceEdit) {
    let unit = &units[at];
    let indent = lines.indent(unit.first);
    let is_first = at
        .checked_sub(1)
        .is_none_or(|before| units[before].is_head && lines.indent(units[before].first) < indent);
    let is_only = is_first && units.get(at + 1).is_none_or(|next| lines.indent(next.first) < indent);
    let nothing: &[u8] = match lines.language {
        Some(Language::Python) => b"pass\n",
        Some(Language::Shell) => b":\n",
        _ => b"",
    };
    if nothing.is_empty() || !is_only || indent == 0 {
        return removal(lines, unit.first, unit.last);
    }
    let whole = lines.range(unit.first, unit.last);
    let blank = &lines.source[whole.start..whole.start + indent];
    (Operator::Remove, SourceEdit::new(whole, [blank, nothing].concat()))
}

/// The lines taken out.
pub(super) fn removal(lines: &Lines<'_>, first: usize, last: usize) -> (Operator, SourceEdit) {
    (Operator::Remove, SourceEdit::new(lines.range(first, last), ""))
}

/// The name that a statement without a keyword assigns for the first time, if it may: `first` is its first word, and `equals`
/// where its sign of assignment is.
fn first_assigned<'p>(place: &'p Place<'p>, equals: &Range<usize>, first: &'p [u8]) -> Option<&'p [u8]> {
    let left = place.code()[..equals.start].trim_ascii_end();
    // An attribute or an element is there without this statement.
    if left.ends_with(b"]") || left.contains(&b'.') && !left.contains(&b' ') {
        return None;
    }
    let is_typed = matches!(place.lines.language, Some(Language::Java | Language::C | Language::CSharp));
    let is_set_again =
        is_typed && left == first || place.lines.language == Some(Language::Go) && equals.len() == 1;
    let from = left.len() - left.iter().rev().take_while(|byte| is_word(**byte)).count();
    (!is_set_again).then_some(if is_typed { &left[from..] } else { first })
}

/// Words that may come before the one that says what is declared.
const MODIFIERS: &str =
    "pub export async static public private protected final mut crate default override unsafe";

/// Whether the statement declares what is used after it, or is a function in one line.
fn is_needed(place: &Place<'_>) -> bool {
    let code = place.code();
    let says_something = |word: &&[u8]| !word.is_empty() && !is_listed(MODIFIERS, word);
    let mut words_of = code.split(|byte| !is_word(*byte)).filter(says_something);
    let first = words_of.next().unwrap_or_default();
    if matches!(first, b"def" | b"fn" | b"func" | b"fun" | b"function" | b"class") {
        return true;
    }
    let Some(equals) = values::assignment(code) else { return false };
    let name = match first {
        b"let" | b"const" | b"var" | b"val" | b"local" => words_of.next(),
        _ => first_assigned(place, &equals, first),
    };
    let Some(name) = name else { return false };
    let Ok(name) = std::str::from_utf8(name) else { return true };
    let (before, behind) = (&place.lines.code[..place.range.start], &place.lines.code[place.range.end..]);
    let is_first =
        first == b"let" || first == b"const" || words(before, name).next().is_none() || equals.len() > 1;
    !name.is_empty() && is_first && words(behind, name).next().is_some()
}
