//! Joins the lines of a source to what can be taken out of it: statements, and the heads of blocks.

use super::super::language::Language;
use super::super::scan::{TEXT, closing, is_listed, is_word, masked};

/// Some lines that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineGroup {
    /// Its first line and its last one, counted from 0.
    pub(super) first: usize,
    pub(super) last: usize,
    /// It begins a block, whose lines follow.
    pub(super) is_head: bool,
    /// It declares a field or a variant and does nothing.
    pub(super) is_field: bool,
}

/// A source and its lines.
pub(super) struct Lines<'a> {
    pub(super) language: Option<Language>,
    pub(super) source: &'a [u8],
    pub(super) code: Vec<u8>,
    /// Where each line begins, and where the last one ends.
    starts: Vec<usize>,
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

impl<'a> Lines<'a> {
    pub(super) fn read(path: &str, source: &'a [u8]) -> Self {
        let ends = source.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        if starts.last() != Some(&source.len()) {
            starts.push(source.len());
        }
        Self { language: Language::of(path), source, code: masked(path, source), starts }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of some lines.
    pub(super) fn range(&self, first: usize, last: usize) -> std::ops::Range<usize> {
        self.starts[first]..self.starts[last + 1]
    }

    /// The code of some lines, without what is blank around it.
    pub(super) fn code_of(&self, first: usize, last: usize) -> &[u8] {
        self.code[self.range(first, last)].trim_ascii()
    }

    pub(super) fn indent(&self, line: usize) -> usize {
        self.source[self.range(line, line)].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Whether blocks are between braces. Otherwise the indentation or words such as `end` show where they end.
    pub(super) fn has_braces(&self) -> bool {
        !matches!(self.language, Some(Language::Python | Language::Ruby | Language::Elixir | Language::Shell))
    }

    /// Whether a compiler reads the language before it runs.
    pub(super) fn is_compiled(&self) -> bool {
        use Language::{C, CSharp, Go, Java, Rust, Swift};
        matches!(self.language, Some(C | CSharp | Go | Java | Rust | Swift))
    }

    /// Everything that is code, in order.
    pub(super) fn units(&self) -> Vec<LineGroup> {
        let mut units: Vec<LineGroup> = Vec::new();
        let mut brackets: Vec<Bracket> = Vec::new();
        let mut begun: Option<(usize, bool)> = None;
        for line in 0..self.count() {
            let code = self.code_of(line, line);
            if code.is_empty() {
                continue;
            }
            let is_field = brackets.last() == Some(&Bracket::Fields);
            let continues_last =
                begun.is_none() && continues(code) && !units.last().is_some_and(|unit| unit.is_head);
            let (first, is_field) = match begun.take() {
                Some(begun) => begun,
                None if continues_last => {
                    units.pop().map_or((line, is_field), |unit| (unit.first, unit.is_field))
                }
                None => (line, is_field),
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
            let is_open = brackets.last() == Some(&Bracket::Group);
            let is_bare_head = self.has_braces() && awaits_statement(self.code_of(first, line));
            if in_text || is_open || is_bare_head || awaits_more(self.language, code) {
                begun = Some((first, is_field));
            } else {
                let is_head = self.is_head(self.code_of(first, line));
                units.push(LineGroup { first, last: line, is_head, is_field });
            }
        }
        units
    }

    fn is_head(&self, code: &[u8]) -> bool {
        let last = code.last().copied();
        match self.language {
            Some(Language::Python) => last == Some(b':'),
            Some(Language::Ruby | Language::Elixir | Language::Shell) => {
                let word = word_at(code);
                let is_closed = [b" end".as_slice(), b" fi", b" done", b" esac", b"}"]
                    .iter()
                    .any(|end| code.ends_with(end));
                let ends_in_do = code.ends_with(b" do") || code.ends_with(b" then") || last == Some(b'|');
                (is_listed(HEADS, word) && !is_closed) || ends_in_do || last == Some(b'{')
            }
            _ => last == Some(b'{'),
        }
    }

    /// What the brace at `at` encloses, in a statement that begins at the line `first`.
    fn bracket(&self, first: usize, at: usize) -> Bracket {
        // Its last bytes tell what a brace is; a table may have thousands of them.
        let head = self.code[self.starts[first].max(at.saturating_sub(400))..at].trim_ascii();
        let has = |words: &[&[u8]]| head.split(|byte| !is_word(*byte)).any(|word| words.contains(&word));
        if !self.has_braces() {
            return if head.ends_with(b")") && self.language == Some(Language::Shell) {
                Bracket::Block
            } else {
                Bracket::Group
            };
        }
        let follows = |signs: &[u8]| head.last().is_some_and(|last| signs.contains(last));
        let last_word = &head[head.len() - head.iter().rev().take_while(|byte| is_word(**byte)).count()..];
        if head.ends_with(b"=>") || head.ends_with(b"->") {
            return Bracket::Block;
        }
        if matches!(word_at(head), b"case" | b"default") {
            return Bracket::Block;
        }
        if has(&[b"struct", b"enum", b"union", b"interface"]) && !follows(b"=(,[&|?)") {
            return Bracket::Fields;
        }
        if self.language == Some(Language::Rust) && follows(b"|?") {
            return Bracket::Block;
        }
        if follows(b"=([,:?&|$")
            || matches!(
                last_word,
                b"return" | b"default" | b"const" | b"let" | b"var" | b"import" | b"export"
            )
        {
            return Bracket::Group;
        }
        let is_value = match self.language {
            // A literal follows its type at once, a block is set off by a blank.
            Some(Language::Go) => at > 0 && !self.code[at - 1].is_ascii_whitespace(),
            Some(Language::Rust) => {
                last_word.first().is_some_and(u8::is_ascii_uppercase)
                    && !has(&[b"fn", b"impl", b"trait", b"match", b"if", b"while", b"for", b"mod", b"extern"])
            }
            _ => false,
        };
        if is_value { Bracket::Group } else { Bracket::Block }
    }
}

/// Words that begin a block which `end` or its like closes.
const HEADS: &str = "def class module if unless while until for case begin function defmodule";

/// The word that a text begins with.
pub(super) fn word_at(code: &[u8]) -> &[u8] {
    &code[..code.iter().take_while(|byte| is_word(**byte)).count()]
}

/// Whether a line goes on with the statement of the line before it.
fn continues(code: &[u8]) -> bool {
    let starts: [&[u8]; 15] = [
        b"?.", b"&& ", b"|| ", b"+ ", b"- ", b"/ ", b"? ", b": ", b"= ", b"== ", b"|> ", b"and ", b"or ",
        b"| ", b"where ",
    ];
    starts.iter().any(|start| code.starts_with(start))
        || code.starts_with(b".") && !code.starts_with(b"..")
        || code == b"where"
}

/// Whether this is a head without a brace, whose block is the next statement.
fn awaits_statement(code: &[u8]) -> bool {
    let code = code.strip_prefix(b"}").unwrap_or(code).trim_ascii_start();
    let tail = code.strip_prefix(b"else ").unwrap_or(code).trim_ascii_start();
    let is_head = matches!(word_at(tail), b"if" | b"for" | b"while" | b"foreach");
    let open =
        memchr::memchr(b'(', tail).filter(|open| tail[..*open].split(|byte| *byte == b' ').count() <= 2);
    let ends_head = is_head && open.is_some_and(|open| closing(tail, open) == Some(tail.len() - 1));
    ends_head || code == b"else"
}

/// Whether a statement cannot be over at the end of this line.
fn awaits_more(language: Option<Language>, code: &[u8]) -> bool {
    let Some(last) = code.last() else { return false };
    let is_doubled = code.len() > 1 && code[code.len() - 2] == *last && matches!(last, b'+' | b'-');
    match last {
        b'\\' => true,
        _ if language == Some(Language::Python) => false,
        b'+' | b'-' | b'%' | b'=' | b'&' | b'.' | b'^' => !is_doubled,
        b':' => code.starts_with(b"? "),
        b'>' => code.ends_with(b"=>"),
        // In Rust and Ruby, `|x|` begins what follows.
        b'|' => code.ends_with(b"||"),
        _ => false,
    }
}
