//! Goes through a file byte by byte.

use super::class::Class;
use super::strings::{self, Literal};
use crate::trust::language::Language;

/// How a language writes comments.
struct Comments {
    line: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
    nested: bool,
}

const fn slashes(nested: bool) -> Comments {
    Comments { line: &["//"], block: Some(("/*", "*/")), nested }
}

const HASH: Comments = Comments { line: &["#"], block: None, nested: false };

impl Comments {
    const fn of(language: Language) -> Self {
        match language {
            Language::C | Language::CSharp | Language::Go | Language::JavaScript => slashes(false),
            Language::Java | Language::Rust | Language::Swift => slashes(true),
            Language::Php => Self { line: &["//", "#"], ..slashes(false) },
            Language::Elixir | Language::Python | Language::Ruby | Language::Shell => HASH,
        }
    }
}

pub(super) struct Scanner<'a> {
    language: Language,
    comments: Comments,
    bytes: &'a [u8],
    at: usize,
    classes: Vec<Class>,
    /// For each `${` of a JavaScript template that is open: how many braces are open inside.
    templates: Vec<usize>,
    /// Before this place, no `/` begins a regular expression.
    no_pattern_before: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(language: Language, bytes: &'a [u8]) -> Self {
        Self {
            language,
            comments: Comments::of(language),
            bytes,
            at: 0,
            classes: Vec::with_capacity(bytes.len()),
            templates: Vec::new(),
            no_pattern_before: 0,
        }
    }

    pub(super) fn run(mut self) -> Vec<Class> {
        while self.at < self.bytes.len() {
            if self.language == Language::JavaScript && self.bytes[self.at] == b'`' {
                self.template(1);
            } else if let Some(end) = self.comment() {
                self.take(end, Class::Comment);
            } else if let Some(end) = self.text() {
                self.take(end, Class::Text);
            } else {
                self.code();
            }
        }
        self.classes
    }

    /// Everything up to `end` has this class; at least one byte is taken.
    fn take(&mut self, end: usize, class: Class) {
        let end = end.clamp(self.at + 1, self.bytes.len());
        self.classes.resize(end, class);
        self.at = end;
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// A byte of code. In a template, the brace that ends `${` leads back into the text.
    fn code(&mut self) {
        let byte = self.bytes[self.at];
        match (byte, self.templates.last_mut()) {
            (b'{', Some(open)) => *open += 1,
            (b'}', Some(0)) => {
                self.templates.pop();
                self.take(self.at + 1, Class::Code);
                return self.template(0);
            }
            (b'}', Some(open)) => *open -= 1,
            _ => {}
        }
        self.take(self.at + 1, Class::Code);
    }

    /// The end of the comment that begins here.
    fn comment(&self) -> Option<usize> {
        let rest = self.rest();
        let is_word = self.language == Language::Shell && !self.follows_space();
        if !is_word && self.comments.line.iter().any(|sign| rest.starts_with(sign.as_bytes())) {
            return Some(self.at + strings::line_length(rest));
        }
        let (open, close) = self.comments.block?;
        if !rest.starts_with(open.as_bytes()) {
            return None;
        }
        let mut at = open.len();
        let mut depth = 1;
        while at < rest.len() && depth > 0 {
            if rest[at..].starts_with(close.as_bytes()) {
                depth -= 1;
                at += close.len();
            } else if self.comments.nested && rest[at..].starts_with(open.as_bytes()) {
                depth += 1;
                at += open.len();
            } else {
                at += 1;
            }
        }
        Some(self.at + at)
    }

    fn follows_space(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        before.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b'(' | b'&' | b'|'))
    }

    /// The end of the text in quotes that begins here.
    fn text(&mut self) -> Option<usize> {
        if self.language == Language::JavaScript && self.bytes[self.at] == b'/' {
            return self.pattern();
        }
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        let literal = Literal { language: self.language, rest: self.rest(), before };
        literal.length().map(|length| self.at + length)
    }

    /// The text of a template, up to its end or to the next `${`; `skip` bytes open it.
    fn template(&mut self, skip: usize) {
        let mut at = self.at + skip;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'`' => return self.take(at + 1, Class::Text),
                b'$' if self.bytes.get(at + 1) == Some(&b'{') => {
                    if at > self.at {
                        self.take(at, Class::Text);
                    }
                    self.take(at + 2, Class::Code);
                    self.templates.push(0);
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        if self.at < self.bytes.len() {
            self.take(self.bytes.len(), Class::Text);
        }
    }

    /// The end of the regular expression that begins at this `/`; none if it is a division.
    fn pattern(&mut self) -> Option<usize> {
        if self.at < self.no_pattern_before || !self.may_begin_pattern() {
            return None;
        }
        let mut in_class = false;
        let mut at = self.at + 1;
        loop {
            match self.bytes.get(at) {
                None | Some(b'\n') => {
                    self.no_pattern_before = at;
                    return None;
                }
                Some(b'\\') => at += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                Some(b'/') if !in_class => return Some(at + 1),
                Some(_) => {}
            }
            at += 1;
        }
    }

    /// Whether an expression may begin here, by the code before it.
    fn may_begin_pattern(&self) -> bool {
        let space = |at: &usize| self.bytes[*at].is_ascii_whitespace();
        // More than this many spaces are no code that a person wrote.
        let Some(last) = (0..self.at).rev().take(200).find(|at| !space(at)) else { return true };
        if self.classes[last] != Class::Code {
            return self.classes[last] == Class::Comment;
        }
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        let byte = self.bytes[last];
        if !is_word(byte) {
            return !matches!(byte, b')' | b']' | b'}');
        }
        let start = (0..last).rev().take(12).take_while(|at| is_word(self.bytes[*at])).last().unwrap_or(last);
        [
            "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "yield", "await",
            "else", "do",
        ]
        .iter()
        .any(|word| word.as_bytes() == &self.bytes[start..=last])
    }
}
