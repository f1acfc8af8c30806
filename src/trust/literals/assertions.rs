//! Finds what an assertion expects.

use std::ops::Range;

use super::super::scan::{TEXT, closing, is_listed, is_word, line_start};
use super::replacement::last_literal;
use crate::suite::Framework;

/// Calls that compare.
struct ComparingCalls {
    /// The last parts of their names.
    names: &'static str,
    /// Which of their arguments are compared.
    compared: Range<usize>,
}

const fn calls(names: &'static str, compared: Range<usize>) -> ComparingCalls {
    ComparingCalls { names, compared }
}

const PYTHON: &[ComparingCalls] = &[calls(
    "assertEqual assertEquals assertAlmostEqual assertIs assertListEqual assertDictEqual assertTupleEqual \
     assertSetEqual assertSequenceEqual assertCountEqual assertMultiLineEqual assert_equal assert_allclose \
     assert_array_equal",
    0..2,
)];
const JAVASCRIPT: &[ComparingCalls] = &[
    calls("toBe toEqual toStrictEqual toHaveLength toBeCloseTo", 0..1),
    calls("equal strictEqual deepEqual deepStrictEqual equals eql is same", 0..2),
];
const GO: &[ComparingCalls] =
    &[calls("Equal EqualValues Exactly", 1..3), calls("Len", 2..3), calls("DeepEqual", 0..2)];
const RUST: &[ComparingCalls] = &[calls("assert_eq!", 0..2)];

/// The calls of a framework, by its preferred name. Others have none.
const ROWS: [(&[&str], &[ComparingCalls]); 4] = [
    (&["pytest", "unittest"], PYTHON),
    (&["node", "jest", "vitest", "tap"], JAVASCRIPT),
    (&["go"], GO),
    (&["cargo", "nextest"], RUST),
];

/// How the assertions of a framework are written.
pub(super) struct Assertions {
    framework: &'static str,
    calls: &'static [ComparingCalls],
}

impl Assertions {
    /// None if that is not known.
    pub(super) fn of(framework: Framework) -> Option<Self> {
        let name = framework.names()[0];
        let (_, calls) = ROWS.iter().find(|(names, _)| names.contains(&name))?;
        Some(Self { framework: name, calls })
    }

    /// The first literal in the body of a test that an assertion expects, and another one in its place.
    pub(super) fn expected(
        &self,
        text: &str,
        code: &[u8],
        body: Range<usize>,
    ) -> Option<(Range<usize>, String)> {
        body.clone().find_map(|start| last_literal(text, code, &self.compared(code, &body, start)?))
    }

    /// What the assertion at `start` compares, if there is one.
    pub(super) fn compared(
        &self,
        code: &[u8],
        body: &Range<usize>,
        start: usize,
    ) -> Option<Vec<Range<usize>>> {
        compared_by_call(code, body, start, self.calls)
            .or_else(|| compared_by_sign(code, body, start, self.framework))
    }
}

/// The arguments of the call whose name ends at the bracket at `open`, as far as they are compared.
fn compared_by_call(
    code: &[u8],
    body: &Range<usize>,
    open: usize,
    calls: &[ComparingCalls],
) -> Option<Vec<Range<usize>>> {
    (code[open] == b'(').then_some(())?;
    let before = &code[body.start..open];
    let length = before.iter().rev().take_while(|byte| is_word(**byte) || **byte == b'!').count();
    let name = &before[before.len() - length..];
    let wanted = &calls.iter().find(|calls| is_listed(calls.names, name))?.compared;
    if is_negative(&before[..before.len() - length]) {
        return None;
    }
    let all = split(code, open + 1..closing(code, open)?);
    let compared = all.into_iter().enumerate().filter(|(at, _)| wanted.contains(at));
    Some(compared.map(|(_, range)| range).collect())
}

/// Whether an assertion is turned around by what stands before it on its line.
fn is_negative(before: &[u8]) -> bool {
    let line = &before[line_start(before, before.len())..];
    [b".not.".as_slice(), b"not_to", b"to_not", b".isNot", b"notThrow", b"assert not "]
        .iter()
        .any(|word| memchr::memmem::find(line, word).is_some())
}

/// The length of the sign of comparison that is at `sign`, between blanks.
fn sign_width(code: &[u8], body: &Range<usize>, sign: usize, is_go: bool) -> Option<usize> {
    let rest = &code[sign..body.end];
    let is_equality = rest.starts_with(if is_go { b"!=" } else { b"==" });
    let is_identity = !is_go && rest.starts_with(b"is ") && !rest.starts_with(b"is not");
    let width = match () {
        () if rest.starts_with(b"===") => 3,
        () if is_equality || is_identity => 2,
        () => return None,
    };
    let before = sign.checked_sub(1)?;
    (code[before] == b' ' && code.get(sign + width) == Some(&b' ')).then_some(width)
}

/// The two sides of a comparison at `sign` in an `assert` of a language, or in the condition of an `if` of Go that fails.
fn compared_by_sign(
    code: &[u8],
    body: &Range<usize>,
    sign: usize,
    framework: &str,
) -> Option<Vec<Range<usize>>> {
    let is_go = framework == "go";
    let width = sign_width(code, body, sign, is_go)?;
    let start = sign
        - code[body.start..sign].iter().rev().take_while(|byte| !matches!(byte, b'\n' | b';' | b'{')).count();
    let head = code[start..sign].trim_ascii_start();
    let begins: &[&[u8]] = match framework {
        "pytest" | "unittest" => &[b"assert ", b"self.assertTrue("],
        "cargo" | "nextest" => &[b"assert!("],
        "go" => &[b""],
        // `expect(a === b).toBe(...)` has its own expected value.
        _ => &[b"assert(", b"assert.ok(", b"ok("],
    };
    let words: [&[u8]; 7] = [b" or ", b" not ", b"||", b" if ", b" for ", b"any(", b"(!"];
    let is_assertion = begins.iter().any(|begin| head.starts_with(begin));
    if !is_assertion || words.iter().any(|word| memchr::memmem::find(head, word).is_some()) {
        return None;
    }
    if is_go && !fails_then(code, body, sign) {
        return None;
    }
    let right = sign + width..operand_end(code, sign + width, body.end);
    let after = code[right.end..body.end].trim_ascii_start();
    if after.starts_with(b"or ") || after.starts_with(b"||") {
        return None;
    }
    let left = start.max(operand_start(code, sign));
    let first_word = if is_go { b"if ".as_slice() } else { b"assert " };
    let skipped = code[left..sign].trim_ascii_start();
    let left = if skipped.starts_with(first_word) { sign - skipped.len() + first_word.len() } else { left };
    Some(vec![left..sign, right])
}

/// Whether the block of the `if` around `at` says that the test failed.
fn fails_then(code: &[u8], body: &Range<usize>, at: usize) -> bool {
    let line_end = memchr::memchr(b'\n', &code[at..]).map_or(code.len(), |end| at + end);
    let is_if = code[line_start(code, at).max(body.start)..at].trim_ascii_start().starts_with(b"if ");
    let open = at + code[at..line_end].trim_ascii_end().len() - 1;
    let Some(close) = closing(code, open).filter(|_| code[open] == b'{' && is_if) else { return false };
    [b"t.Error".as_slice(), b"t.Fatal", b"t.Fail"]
        .iter()
        .any(|call| memchr::memmem::find(&code[open..close], call).is_some())
}

/// Where the left side of a comparison at `end` begins.
fn operand_start(code: &[u8], end: usize) -> usize {
    let mut depth = 0usize;
    for at in (0..end).rev() {
        match code[at] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' | b',' | b';' | b'&' | b'|' | b'\n' if depth == 0 => return at + 1,
            b'(' | b'[' | b'{' => depth -= 1,
            _ => {}
        }
    }
    0
}

/// Where the right side of a comparison ends.
fn operand_end(code: &[u8], start: usize, end: usize) -> usize {
    let mut depth = 0usize;
    for at in start..end {
        match code[at] {
            // A block begins behind a blank, a list at once.
            b'{' if depth == 0
                && code[at + 1..end].first().is_none_or(|next| *next == b'\n')
                && at > start + 1 =>
            {
                return at;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' | b',' | b'\n' | b';' | b'&' | b'|' | b'?' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            b' ' if depth == 0
                && (code[at..].starts_with(b" and ")
                    || code[at..].starts_with(b" or ")
                    || code[at..].starts_with(b" == ")) =>
            {
                return at;
            }
            _ => {}
        }
    }
    end
}

/// The arguments between brackets.
pub(super) fn split(code: &[u8], inside: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (inside.start, 0i32);
    for at in inside.clone() {
        match code[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..inside.end);
    parts.retain(|part| code[part.clone()].iter().any(|byte| is_word(*byte) || *byte == TEXT));
    parts
}
