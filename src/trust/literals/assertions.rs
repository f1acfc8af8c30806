//! Finds what an assertion expects.

use std::ops::Range;

use super::super::scan::{TEXT, closing, is_word};
use super::replacement::last_literal;
use crate::suite::Framework;

/// A call that compares.
#[derive(PartialEq)]
struct ComparingCall {
    /// The last part of its name.
    name: &'static str,
    /// Which of its arguments are compared.
    compared: Range<usize>,
}

const fn call(name: &'static str, compared: Range<usize>) -> ComparingCall {
    ComparingCall { name, compared }
}

const PYTHON: &[ComparingCall] = &[
    call("assertEqual", 0..2),
    call("assertEquals", 0..2),
    call("assertAlmostEqual", 0..2),
    call("assertIs", 0..2),
    call("assertListEqual", 0..2),
    call("assertDictEqual", 0..2),
    call("assertTupleEqual", 0..2),
    call("assertSetEqual", 0..2),
    call("assertSequenceEqual", 0..2),
    call("assertCountEqual", 0..2),
    call("assertMultiLineEqual", 0..2),
    call("assert_equal", 0..2),
    call("assert_allclose", 0..2),
    call("assert_array_equal", 0..2),
];
const JAVASCRIPT: &[ComparingCall] = &[
    call("toBe", 0..1),
    call("toEqual", 0..1),
    call("toStrictEqual", 0..1),
    call("toHaveLength", 0..1),
    call("toBeCloseTo", 0..1),
    call("equal", 0..2),
    call("strictEqual", 0..2),
    call("deepEqual", 0..2),
    call("deepStrictEqual", 0..2),
    call("equals", 0..2),
    call("eql", 0..2),
    call("is", 0..2),
    call("same", 0..2),
];
const GO: &[ComparingCall] = &[
    call("Equal", 1..3),
    call("EqualValues", 1..3),
    call("Exactly", 1..3),
    call("Len", 2..3),
    call("DeepEqual", 0..2),
];
const RUST: &[ComparingCall] = &[call("assert_eq!", 0..2)];
const RUBY: &[ComparingCall] =
    &[call("eq", 0..1), call("eql", 0..1), call("be", 0..1), call("assert_equal", 0..2)];
const JVM: &[ComparingCall] =
    &[call("assertEquals", 0..2), call("assertSame", 0..2), call("isEqualTo", 0..1)];
const PHP: &[ComparingCall] = &[call("assertSame", 0..2), call("assertEquals", 0..2)];

/// The calls of a framework, by its preferred name. Others have none.
const ROWS: [(&[&str], &[ComparingCall]); 7] = [
    (&["pytest", "unittest"], PYTHON),
    (&["node", "jest", "vitest", "mocha", "tap"], JAVASCRIPT),
    (&["go"], GO),
    (&["cargo", "nextest"], RUST),
    (&["rspec", "minitest"], RUBY),
    (&["surefire"], JVM),
    (&["phpunit"], PHP),
];

/// How the assertions of a framework are written.
pub(super) struct Assertions {
    framework: &'static str,
    calls: &'static [ComparingCall],
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

/// The arguments of the call that ends at the bracket or blank at `open`, as far as they are compared.
fn compared_by_call(
    code: &[u8],
    body: &Range<usize>,
    open: usize,
    calls: &[ComparingCall],
) -> Option<Vec<Range<usize>>> {
    (code[open] == b'(' || code[open] == b' ' && calls == RUBY).then_some(())?;
    let before = &code[body.start..open];
    let length = before.iter().rev().take_while(|byte| is_word(**byte) || **byte == b'!').count();
    let name = &before[before.len() - length..];
    let wanted = &calls.iter().find(|call| call.name.as_bytes() == name)?.compared;
    if is_negative(&before[..before.len() - length]) {
        return None;
    }
    let end = if code[open] == b'(' {
        closing(code, open)?
    } else {
        // Ruby needs no brackets.
        let line = memchr::memchr(b'\n', &code[open..]).map_or(code.len(), |end| open + end);
        if matches!(code.get(open + 1), None | Some(b'=' | b'{')) {
            return None;
        }
        line
    };
    let all = split(code, open + 1..end);
    // With three, one of them is a message or a tolerance, first or last.
    if name.starts_with(b"assert") && all.len() > 2 && calls == JVM {
        return None;
    }
    let compared = all.into_iter().enumerate().filter(|(at, _)| wanted.contains(at));
    Some(compared.map(|(_, range)| range).collect())
}

/// Whether an assertion is turned around by what stands before it on its line.
fn is_negative(before: &[u8]) -> bool {
    let line = &before[memchr::memrchr_iter(b'\n', before).next().map_or(0, |end| end + 1)..];
    [b".not.".as_slice(), b"not_to", b"to_not", b".isNot", b"notThrow", b"assert not "]
        .iter()
        .any(|word| memchr::memmem::find(line, word).is_some())
}

/// The two sides of a comparison at `sign` in an `assert` of a language, or in the condition of an `if` of Go that fails.
fn compared_by_sign(
    code: &[u8],
    body: &Range<usize>,
    sign: usize,
    framework: &str,
) -> Option<Vec<Range<usize>>> {
    let is_go = framework == "go";
    let rest = &code[sign..body.end];
    let width = if rest.starts_with(b"===") {
        3
    } else if rest.starts_with(if is_go { b"!=" } else { b"==" })
        || !is_go && rest.starts_with(b"is ") && !rest.starts_with(b"is not")
    {
        2
    } else {
        return None;
    };
    if sign.checked_sub(1).is_none_or(|before| code[before] != b' ') || code.get(sign + width) != Some(&b' ')
    {
        return None;
    }
    let start = sign
        - code[body.start..sign].iter().rev().take_while(|byte| !matches!(byte, b'\n' | b';' | b'{')).count();
    let head = code[start..sign].trim_ascii_start();
    let begins: &[&[u8]] = match framework {
        "pytest" | "unittest" => &[b"assert ", b"self.assertTrue("],
        "cargo" | "nextest" => &[b"assert!("],
        "go" => &[b""],
        "phpunit" | "surefire" => &[b"assertTrue(", b"$this->assertTrue(", b"assert "],
        _ => &[b"assert(", b"assert.ok(", b"ok(", b"expect("],
    };
    let words: [&[u8]; 7] = [b" or ", b" not ", b"||", b" if ", b" for ", b"any(", b"(!"];
    let is_assertion = begins.iter().any(|begin| head.starts_with(begin));
    if !is_assertion || words.iter().any(|word| memchr::memmem::find(head, word).is_some()) {
        return None;
    }
    if is_go && !fails_then(code, body, sign) {
        return None;
    }
    // `expect(a === b).toBe(...)` has its own expected value.
    if head.starts_with(b"expect(") {
        return None;
    }
    let right = sign + width..operand_end(code, sign + width, body.end);
    let after = &code[right.end..body.end];
    if after.trim_ascii_start().starts_with(b"or ") || after.trim_ascii_start().starts_with(b"||") {
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
    let line_start = code[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let is_if = code[line_start.max(body.start)..at].trim_ascii_start().starts_with(b"if ");
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
