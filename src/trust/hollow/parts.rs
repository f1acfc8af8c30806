//! Finds what can give an empty value.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use super::super::scan::{Source, first_of, is_listed, words};
use super::zero::{zero_of_go, zero_of_rust};
use crate::suite::Language;

/// A function, a constant or a field.
pub(super) struct Part {
    /// Empty for what has none, and `self.x` for a field.
    pub(super) name: String,
    pub(super) range: Range<usize>,
    /// What to write, and where, so that it gives an empty value. None if that is not known.
    pub(super) at: usize,
    pub(super) empty: Option<String>,
}

/// A source, and where its lines and brackets end.
pub(super) struct Outline<'a> {
    path: &'a str,
    language: Language,
    pub(super) text: &'a str,
    pub(super) code: &'a str,
    /// Where each line begins, and where the last one ends.
    starts: Vec<usize>,
    /// Where the bracket is closed that is open at a place.
    closed: HashMap<usize, usize>,
}

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?m){text}")).expect("a pattern of this file")
}

impl<'a> Outline<'a> {
    /// None if its language is not known.
    pub(super) fn of(Source { path, text, code }: &'a Source) -> Option<Self> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        let (mut open, mut closed) = (Vec::new(), HashMap::new());
        for (at, byte) in code.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => open.push(at),
                b')' | b']' | b'}' => closed.extend(open.pop().map(|open| (open, at))),
                _ => {}
            }
        }
        Some(Self { path, language: Language::of(path)?, text, code, starts, closed })
    }

    /// The line that a byte is on, counted from 1.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    pub(super) fn has_code(&self, line: usize) -> bool {
        let range = line.checked_sub(1).and_then(|at| self.starts.get(at..=line));
        range.is_some_and(|range| !self.code.as_bytes()[range[0]..range[1]].trim_ascii().is_empty())
    }

    /// The lines of a part that have code, counted from 1.
    pub(super) fn lines_of(&self, range: &Range<usize>) -> impl Iterator<Item = usize> {
        let lines = self.line_of(range.start)..=self.line_of(range.end.max(1) - 1);
        lines.filter(|line| self.has_code(*line))
    }

    /// In the order in which they begin.
    pub(super) fn parts(&self) -> Vec<Part> {
        let (heads, part): (_, fn(&Self, &Captures<'_>) -> Option<Part>) = match self.language {
            Language::Python => (r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)", Self::of_python),
            // A receiver comes before the name of a method.
            Language::Go => (r"^func[ \t]*(?:\([^)]*\)[ \t]*)?(\w+)", Self::of_go),
            Language::Rust => (r"\b(const[ \t]+)?(?:unsafe[ \t]+)?fn[ \t]+(\w+)", Self::of_rust),
            Language::Shell => {
                (r"^[ \t]*(?:function[ \t]+([\w-]+)(?:[ \t]*\(\))?|([\w-]+)[ \t]*\(\))\s*\{", Self::of_shell)
            }
            // Parameters in parentheses, or one without.
            Language::JavaScript => (r"\(|\w+[ \t]*=>", Self::of_javascript),
            Language::Other => return Vec::new(),
        };
        let heads = pattern(heads);
        let mut parts: Vec<Part> =
            heads.captures_iter(self.code).filter_map(|head| part(self, &head)).collect();
        parts.extend(self.values());
        if parts.iter().all(|part| part.empty.is_none()) && self.language == Language::Shell {
            // A program without functions is like one itself. Its first line may say what runs it.
            let at = if self.text.starts_with("#!") { self.starts[1] } else { 0 };
            parts.push(Part {
                name: String::new(),
                range: 0..self.text.len(),
                at,
                empty: Some("return 0 2>/dev/null || exit 0\n".to_owned()),
            });
        }
        parts.sort_by_key(|part| part.range.start);
        parts
    }

    /// Constants, and the fields of objects: a constructor goes on to make fields, but empty ones. Without fields, tests would fail
    /// that compare nothing.
    fn values(&self) -> Vec<Part> {
        // What is set in several places at once gets its value behind the last sign. Without a sign, it keeps its value.
        let (heads, empty) = match self.language {
            Language::Python => (
                r"^[ \t]*(self\.\w+|[A-Z][A-Z0-9_]*)(?:[ \t]*:[^=\n]+)?[ \t]*(=(?:[ \t]*[\w.]+[ \t]*=)*)[^=]|^(\w+)(?:[ \t]*:[^=\n]+)?[ \t]*=[^=]",
                " None if True else".to_owned(),
            ),
            Language::JavaScript => (
                r"^[ \t]*(?:(?:export[ \t]+)?const[ \t]+)?(this\.\w+|[A-Z][A-Z0-9_]*)(?:[ \t]*:[^=\n]+)?[ \t]*(=(?:[ \t]*[\w.]+[ \t]*=)*)[^=>]|^(?:export[ \t]+)?(?:const|let|var)[ \t]+(\w+)",
                format!(" true ? undefined{} :", self.any()),
            ),
            // A list is no word.
            Language::Shell => {
                (r"^(?:(?:export|readonly)[ \t]+)?(\w+)(=)(?:[^(]|$)|^(\w+)=", "''; : ".to_owned())
            }
            Language::Rust => (r"\b(?:const|static)[ \t]+(\w+)[ \t]*:", String::new()),
            Language::Go => (r"^(?:const|var)[ \t]+(\w+)", String::new()),
            Language::Other => return Vec::new(),
        };
        let value = |head: Captures<'_>| {
            let (whole, sign) = (head.get(0)?, head.get(2));
            let at = sign.map_or(whole.start(), |sign| sign.end());
            let gap = if self.code[at..].starts_with([' ', '\t']) || empty.ends_with(' ') { "" } else { " " };
            let range = whole.start()..sign.map_or(whole.end(), |sign| sign.end());
            Some(Part { name: self.name(&head), range, at, empty: sign.map(|_| format!("{empty}{gap}")) })
        };
        pattern(heads).captures_iter(self.code).filter_map(value).collect()
    }

    /// What lets TypeScript take an empty value for every type.
    fn any(&self) -> &'static str {
        if is_listed("ts tsx mts cts", self.path.rsplit('.').next().unwrap_or_default()) {
            " as any"
        } else {
            ""
        }
    }

    /// The first group that is there and not empty.
    fn name(&self, head: &Captures<'_>) -> String {
        let mut groups = head.iter().skip(1).flatten().map(|group| group.as_str().trim());
        groups.find(|group| !group.is_empty()).unwrap_or_default().to_owned()
    }

    /// The first of some bytes from a place on that is outside of brackets. Heads of functions are short.
    fn first(&self, from: usize, stops: &[u8]) -> usize {
        let code = self.code.as_bytes();
        first_of(&code[..code.len().min(from + 4000)], from, stops)
    }

    /// A function whose body begins at the brace `open`.
    fn block(&self, head: &Captures<'_>, open: usize, empty: Option<String>) -> Option<Part> {
        let range = head.get(0)?.start()..self.closed.get(&open)? + 1;
        Some(Part { name: self.name(head), range, at: open + 1, empty })
    }

    fn of_python(&self, head: &Captures<'_>) -> Option<Part> {
        let (start, margin, name) = (head.get(0)?.start(), head.get(1)?.len(), self.name(head));
        if is_listed("__new__ __init__ __post_init__", &name) {
            return None;
        }
        let colon = self.first(head.get(0)?.end(), b":") + 1;
        let line = self.line_of(colon - 1);
        let end = *self.starts.get(line)?;
        if !self.code.get(colon..end)?.trim().is_empty() {
            return Some(Part {
                name,
                range: start..end,
                at: colon,
                empty: Some(" return None;".to_owned()),
            });
        }
        let text = |line: usize| &self.text[self.starts[line - 1]..];
        let depth = |line: usize| text(line).len() - text(line).trim_start_matches([' ', '\t']).len();
        let below = (line + 1..self.starts.len()).filter(|line| self.has_code(*line));
        let body: Vec<usize> = below.take_while(|line| depth(*line) > margin).collect();
        let (first, last) = (*body.first()?, *body.last()?);
        let empty = Some(format!("{}return None\n", &text(first)[..depth(first)]));
        Some(Part { name, range: start..self.starts[last], at: self.starts[first - 1], empty })
    }

    fn of_go(&self, head: &Captures<'_>) -> Option<Part> {
        let parameters = self.closed.get(&self.first(head.get(0)?.end(), b"("))? + 1;
        let mut open = self.first(parameters, b"{");
        // A type may have braces.
        while [&b"interface"[..], b"struct"].iter().any(|word| self.code.as_bytes()[..open].ends_with(word)) {
            open = self.first(self.closed.get(&open)? + 1, b"{");
        }
        let zero = zero_of_go(self.text.get(parameters..open)?.trim());
        self.block(head, open, Some(returning(&zero) + ";"))
    }

    fn of_rust(&self, head: &Captures<'_>) -> Option<Part> {
        let from = head.get(0)?.end();
        let open = self.first(from, b"{;");
        let signature = &self.code.as_bytes()[from..open];
        // The bounds of generics may have parentheses and arrows, too.
        let mut depth = 0;
        let parameters = signature.iter().enumerate().position(|(at, byte)| {
            depth += i32::from(*byte == b'<') - i32::from(*byte == b'>' && !signature[..at].ends_with(b"-"));
            *byte == b'(' && depth == 0
        });
        let end = self.closed.get(&(from + parameters?))? + 1;
        let text = self.text.get(end..open)?;
        let result = &text[..words(text.as_bytes(), "where").next().unwrap_or(text.len())];
        let zero =
            result.trim().strip_prefix("->").map_or(Some(String::new()), |kind| zero_of_rust(kind.trim()));
        // What is computed when it is built can call no function of a trait.
        let zero = zero.filter(|_| head.get(1).is_none());
        self.block(head, open, zero.map(|zero| returning(&zero)))
    }

    fn of_shell(&self, head: &Captures<'_>) -> Option<Part> {
        self.block(head, head.get(0)?.end() - 1, Some(" return 0;".to_owned()))
    }

    fn of_javascript(&self, parameters: &Captures<'_>) -> Option<Part> {
        /// The name before the parameters, or that to which the function is assigned.
        static NAMED: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"(\w+)[ \t]*(?:<[^()]*>)?$|(\w+)(?:[ \t]*:[^=]*)?[ \t]*([=:])[ \t]*(?:async[ \t]*)?(?:function[ \t]*)?$",
            )
        });
        static IS_OTHER: LazyLock<Regex> = LazyLock::new(|| {
            pattern(r"\b(?:class|type)\b|\b(?:if|for|while|switch|catch|with|constructor)[ \t]*$")
        });
        /// A type may stand behind the parameters.
        static TAIL: LazyLock<Regex> =
            LazyLock::new(|| pattern(r"\A[ \t]*(?::[ \t]*\w[^={};\n]*)?(=>)?[ \t]*(\{)?"));
        let found = parameters.get(0)?;
        let start = found.start();
        let end = match found.as_str().strip_suffix("=>") {
            Some(name) => start + name.trim_end().len(),
            None => self.closed.get(&start)? + 1,
        };
        let line = self.starts[self.line_of(start) - 1];
        let before =
            self.code.get(line.max(start.saturating_sub(200))..start).unwrap_or(&self.code[line..start]);
        let name = NAMED.captures(before);
        let rest = self.code.get(end..end + 200).unwrap_or(&self.code[end..]);
        let tail = TAIL.captures(rest)?;
        let at = end + tail.get(0)?.end();
        let any = self.any();
        let sign = name.as_ref().and_then(|name| name.get(3)).map_or("", |sign| sign.as_str());
        let (last, empty) = match (tail.get(1), tail.get(2)) {
            _ if IS_OTHER.is_match(before) => return None,
            (_, Some(_)) => (self.closed.get(&(at - 1))? + 1, format!(" return undefined{any};")),
            // In a type, no value may stand.
            (Some(_), None) if sign == "=" || sign == ":" && any.is_empty() => {
                (self.first(at, b",;\n"), format!("true ? undefined{any} : "))
            }
            _ => return None,
        };
        let name = name.map(|name| self.name(&name)).unwrap_or_default();
        Some(Part { name, range: start..last, at, empty: Some(empty) })
    }
}

/// A plain return would make the rest unreachable, and some commands forbid that.
fn returning(zero: &str) -> String {
    format!(" if true {{ {} }}", format!("return {zero}").trim_end())
}
