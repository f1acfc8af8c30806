//! Joins the lines of a source to statements.

use std::ops::Range;

use super::super::language::Language;
use super::super::scan::{TEXT, is_listed, is_word, masked};

/// Words that may come before the one that says what is declared.
const MODIFIERS: &str =
    "pub export async static public private protected final default override unsafe crate internal";

/// Some lines that belong together.
pub(super) struct LineGroup {
    /// Its first line and its last one, counted from 0.
    pub(super) first: usize,
    pub(super) last: usize,
    /// It is neither the head of a block nor a field of a type.
    pub(super) may_act: bool,
}

/// What a bracket encloses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// Statements.
    Block,
    /// The fields of a type.
    Fields,
    /// A part of an expression.
    Group,
}

/// A source and its lines.
pub(super) struct Lines<'a> {
    pub(super) path: &'a str,
    pub(super) language: Option<Language>,
    pub(super) source: &'a [u8],
    pub(super) code: Vec<u8>,
    /// Where each line begins, and where the last one ends.
    pub(super) starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn read(path: &'a str, source: &'a [u8]) -> Self {
        let mut starts: Vec<usize> =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', source).map(|at| at + 1)).collect();
        if starts.last() != Some(&source.len()) {
            starts.push(source.len());
        }
        Self { path, language: Language::of(path), source, code: masked(path, source), starts }
    }

    /// The bytes of some lines.
    pub(super) fn range(&self, first: usize, last: usize) -> Range<usize> {
        self.starts[first]..self.starts[last + 1]
    }

    /// The line that a byte is on.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// The code of some lines, without what is blank around it.
    pub(super) fn code_of(&self, first: usize, last: usize) -> &[u8] {
        self.code[self.range(first, last)].trim_ascii()
    }

    pub(super) fn indent(&self, line: usize) -> usize {
        self.source[self.range(line, line)].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// The source with another text in a place.
    pub(super) fn with(&self, range: Range<usize>, text: &[u8]) -> Vec<u8> {
        [&self.source[..range.start], text, &self.source[range.end..]].concat()
    }

    /// Whether a line is an entry of a list that goes over several lines.
    pub(super) fn is_entry(&self, line: usize) -> bool {
        let code = self.code_of(line, line);
        let is_closed = depth_zero(code, |at| at + 1 == code.len()).is_some();
        let start = self.starts[line];
        let is_whole = start == 0 || self.code[start - 1] != TEXT;
        is_closed && code.len() > 1 && code.ends_with(b",") && is_whole
    }

    /// Everything that is code, in order.
    pub(super) fn groups(&self) -> Vec<LineGroup> {
        let mut groups: Vec<LineGroup> = Vec::new();
        let mut brackets: Vec<Bracket> = Vec::new();
        let mut begun: Option<(usize, bool)> = None;
        for line in 0..self.starts.len() - 1 {
            let code = self.code_of(line, line);
            if code.is_empty() {
                continue;
            }
            let is_deeper = |group: &LineGroup| self.indent(group.first) < self.indent(line);
            let (first, may_act) = match begun.take() {
                Some(begun) => begun,
                None => {
                    let last = groups.pop_if(|group| group.may_act && self.goes_on(group, code));
                    // What is indented below a line is its block.
                    if last.is_none()
                        && let Some(head) = groups.last_mut().filter(|group| is_deeper(group))
                    {
                        head.may_act = false;
                    }
                    let may_act = brackets.last() != Some(&Bracket::Fields);
                    last.map_or((line, may_act), |group| (group.first, group.may_act))
                }
            };
            let range = self.range(line, line);
            for at in range.clone() {
                match self.code[at] {
                    b'{' => brackets.push(self.bracket(first, at)),
                    b'(' | b'[' => brackets.push(Bracket::Group),
                    b')' | b']' | b'}' => drop(brackets.pop()),
                    _ => {}
                }
            }
            let in_text = self.code[range.end - 1] == TEXT && self.source[range.end - 1] == b'\n';
            if in_text || brackets.last() == Some(&Bracket::Group) || self.awaits_more(code) {
                begun = Some((first, may_act));
            } else {
                groups.push(LineGroup { first, last: line, may_act: may_act && !code.ends_with(b"{") });
            }
        }
        groups
    }

    /// What the brace at `at` encloses, in a statement that begins at the line `first`.
    fn bracket(&self, first: usize, at: usize) -> Bracket {
        // Its last bytes tell what a brace is; a table may have thousands of them.
        let head = &self.code[self.starts[first].max(at.saturating_sub(400))..at];
        let is_after_blank = head.last().is_none_or(u8::is_ascii_whitespace);
        let head = head.trim_ascii();
        let has = |list: &str| head.split(|byte| !is_word(*byte)).any(|word| is_listed(list, word));
        let last_word = &head[head.len() - head.iter().rev().take_while(|byte| is_word(**byte)).count()..];
        let is_literal = match self.language {
            Some(Language::Python) => true,
            // A literal follows its type at once, a block is set off by a blank.
            Some(Language::Go) => !is_after_blank,
            Some(Language::Rust) => {
                last_word.first().is_some_and(u8::is_ascii_uppercase)
                    && !has("fn impl trait match if while for mod struct enum union")
            }
            _ => false,
        };
        let is_value = head.last().is_some_and(|last| b"=([,:?&|$".contains(last))
            || is_listed("return default const let var import export", last_word);
        if head.ends_with(b"=>") || head.ends_with(b"|") && self.language == Some(Language::Rust) {
            Bracket::Block
        } else if is_value || is_literal {
            Bracket::Group
        } else if has("struct enum union interface") {
            Bracket::Fields
        } else {
            Bracket::Block
        }
    }

    /// Whether a line goes on with the statement of the lines before it. A brace may be on a line of its own.
    fn goes_on(&self, before: &LineGroup, code: &[u8]) -> bool {
        continues(code) || code == b"{" && !self.code_of(before.last, before.last).ends_with(b";")
    }

    /// Whether a statement cannot be over at the end of this line.
    pub(super) fn awaits_more(&self, code: &[u8]) -> bool {
        let is_sign = |last: &u8| b"+-%=&.^".contains(last) && !code.ends_with(&[*last, *last]);
        let is_open = code.last().is_some_and(is_sign) || code.ends_with(b"=>") || code.ends_with(b"||");
        code.ends_with(b"\\") || is_open && self.language != Some(Language::Python)
    }
}

/// The word that a text begins with.
pub(super) fn word_at(code: &[u8]) -> &[u8] {
    &code[..code.iter().take_while(|byte| is_word(**byte)).count()]
}

/// The first word that is no modifier.
pub(super) fn first_word(mut code: &[u8]) -> &[u8] {
    loop {
        let word = word_at(code);
        if word.is_empty() || !is_listed(MODIFIERS, word) {
            return word;
        }
        code = code[word.len()..].trim_ascii_start();
    }
}

/// The first place outside of brackets for which `is_it` holds.
pub(super) fn depth_zero(code: &[u8], is_it: impl Fn(usize) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate() {
        if depth == 0 && is_it(at) {
            return Some(at);
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Where the sign of an assignment is.
pub(super) fn assignment(code: &[u8]) -> Option<usize> {
    depth_zero(code, |at| {
        let is_part = |byte: Option<&u8>, signs: &[u8]| byte.is_some_and(|byte| signs.contains(byte));
        code[at] == b'='
            && !is_part(code.get(at + 1), b"=>~")
            && !is_part(code[..at].last(), b"=!<>+-*/%&|^~")
    })
}

/// Whether a line goes on with the statement of the line before it.
pub(super) fn continues(code: &[u8]) -> bool {
    let word = code.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    is_listed("&& || + - / ? : = == |> and or | where", word)
        || code.starts_with(b"?.")
        || code.starts_with(b".") && !code.starts_with(b"..")
}
