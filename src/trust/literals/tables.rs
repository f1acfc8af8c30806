//! Finds what a test with a table of cases expects: the column that an assertion compares, if nothing else in the test uses
//! it. A value that is used elsewhere, too, is an input, and a test that gets it back still passes with another one.

use std::ops::Range;

use super::super::scan::{closing, is_word, line_start, words};
use super::assertions::{Assertions, split};
use super::replacement::last_literal;

/// A table of cases: the names of its columns, and where its rows are.
struct CaseTable {
    columns: Vec<String>,
    rows: Vec<Range<usize>>,
    /// Where the names of its columns are declared, which is no use of them.
    head: Range<usize>,
}

/// The expected value in the last row of a test's table, and another one in its place.
pub(super) fn expected(
    text: &str,
    code: &[u8],
    body: Range<usize>,
    assertions: &Assertions,
) -> Option<(Range<usize>, String)> {
    body.clone().find_map(|start| {
        let sides = assertions.compared(code, &body, start)?;
        sides.iter().rev().find_map(|side| {
            let (of, column) = name_in(code, side)?;
            let table = match of {
                Some(case) => table_of_go(text, code, &body, case)?,
                None => {
                    parametrized(text, code, body.start).or_else(|| looped(text, code, &body, side.start))?
                }
            };
            let cell = table.cell(code, column)?;
            let used = words(&code[body.clone()], column).map(|at| body.start + at);
            let used = used.filter(|at| !table.head.contains(at) && !is_shown(code, *at));
            (used.count() == 1).then(|| last_literal(text, code, &[cell])).flatten()
        })
    })
}

/// The name that one side of a comparison is: `expected`, `pytest.approx(expected)`, or `want` of the case `c` for `c.want`.
fn name_in<'a>(code: &'a [u8], side: &Range<usize>) -> Option<(Option<&'a str>, &'a str)> {
    let text = std::str::from_utf8(&code[side.clone()]).ok()?.trim();
    let text = text.rsplit_once("approx(").map_or(text, |(_, inside)| inside.trim_end_matches(')'));
    let text = text.trim_start_matches(['&', '*']);
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(is_word) && !name.as_bytes()[0].is_ascii_digit();
    match text.split_once('.') {
        Some((case, column)) => (is_name(case) && is_name(column)).then_some((Some(case), column)),
        None => is_name(text).then_some((None, text)),
    }
}

/// Whether a value is only shown there, in the message of a test of Go.
fn is_shown(code: &[u8], at: usize) -> bool {
    let line = code[line_start(code, at)..at].trim_ascii_start();
    [b"t.Error".as_slice(), b"t.Fatal", b"t.Log", b"t.Run"].iter().any(|call| line.starts_with(call))
}

/// The table of `@pytest.mark.parametrize` above the function at `at`.
fn parametrized(text: &str, code: &[u8], at: usize) -> Option<CaseTable> {
    let found = words(&code[..at], "parametrize").last()?;
    let open = found + "parametrize".len();
    let close = (code.get(open) == Some(&b'(')).then(|| closing(code, open)).flatten()?;
    // Between the decorator and the name of the function is no other function.
    (close < at && words(&code[close..at], "def").count() == 1).then_some(())?;
    let parts = split(code, open + 1..close);
    let [names, rows, ..] = parts.as_slice() else { return None };
    let signature = at + memchr::memchr(b'(', &code[at..])?;
    let head = at..closing(code, signature)?;
    Some(CaseTable { columns: names_in(&text[names.clone()]), rows: rows_in(code, rows)?, head })
}

/// The table of a loop with a list: `for a, b in [...]`, `for (const [a, b] of [...])`, `for (a, b) in [...]`. It is the last one
/// before `at`.
fn looped(text: &str, code: &[u8], body: &Range<usize>, at: usize) -> Option<CaseTable> {
    let start = body.start + words(&code[body.start..at], "for").last()?;
    let rest = &code[start..at];
    let (word, names) = ["in", "of"].iter().find_map(|word| {
        let end = words(rest, word).next()?;
        Some((start + end + word.len(), start + "for".len()..start + end))
    })?;
    let open = word + code[word..at].iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b'&')?;
    let close = closing(code, open)?;
    let columns =
        names_in(&text[names]).into_iter().filter(|name| name != "const" && name != "let").collect();
    Some(CaseTable { columns, rows: rows_in(code, &(open..close + 1))?, head: start..close })
}

/// The table of a test of Go: `cases := []struct{ ... }{ ... }` with `for _, CASE := range cases`.
fn table_of_go(text: &str, code: &[u8], body: &Range<usize>, case: &str) -> Option<CaseTable> {
    let range = words(&code[body.clone()], "range").map(|at| body.start + at).find(|at| {
        let before = code[body.start..*at].trim_ascii_end();
        before.strip_suffix(b":=").is_some_and(|names| names.trim_ascii_end().ends_with(case.as_bytes()))
    })?;
    let name = text[range + "range".len()..].split_whitespace().next()?;
    let declared = words(&code[body.start..range], name).next()? + body.start;
    let fields = body.start
        + words(&code[body.start..range], "struct").last().filter(|at| body.start + at > declared)?;
    let open = fields + code[fields..].iter().position(|byte| *byte == b'{')?;
    let close = closing(code, open)?;
    let rows = close + 1 + code[close + 1..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let end = closing(code, rows)?;
    // The words of a line of fields are their names and, last, their type.
    let columns = text[open + 1..close].split(['\n', ';']).flat_map(|line| {
        let fields = line.split("//").next().unwrap_or_default().trim();
        names_in(fields.rsplit_once(' ').map_or("", |(names, _)| names))
    });
    Some(CaseTable {
        columns: columns.collect(),
        rows: rows_in(code, &(rows..end + 1))?,
        head: declared..end,
    })
}

impl CaseTable {
    /// Where the value of a column is in the last row.
    fn cell(&self, code: &[u8], column: &str) -> Option<Range<usize>> {
        let row = self.rows.last()?;
        let at = self.columns.iter().position(|name| name == column)?;
        if self.columns.len() == 1 {
            return Some(row.clone());
        }
        let open =
            row.start + code[row.clone()].iter().position(|byte| matches!(byte, b'(' | b'[' | b'{'))?;
        let cells = split(code, open + 1..closing(code, open)?);
        let named = cells.iter().find_map(|cell| {
            let key = words(&code[cell.clone()], column).next()? + cell.start + column.len();
            let is_key =
                code[cell.start..key].trim_ascii() == column.as_bytes() && code.get(key) == Some(&b':');
            is_key.then(|| key + 1..cell.end)
        });
        named.or_else(|| cells.get(at).cloned())
    }
}

fn names_in(text: &str) -> Vec<String> {
    text.split(|sign: char| !sign.is_alphanumeric() && sign != '_')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The rows of a list. None if this is no list.
fn rows_in(code: &[u8], list: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let open = list.start + code[list.clone()].iter().position(|byte| !byte.is_ascii_whitespace())?;
    matches!(code[open], b'[' | b'{' | b'(').then_some(())?;
    let rows = split(code, open + 1..closing(code, open)?);
    (!rows.is_empty()).then_some(rows)
}
