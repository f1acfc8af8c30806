//! Blanks comments and quoted text in source, so that the rest can be read as words and brackets.

use super::language::Language;

/// What a byte of quoted text becomes, a line break in it too.
pub(super) const TEXT: u8 = b'"';

/// A source of the same length in which comments are blank and every byte of quoted text is [`TEXT`]. Line breaks of code
/// and of comments stay.
#[must_use]
pub(super) fn masked(path: &str, source: &[u8]) -> Vec<u8> {
    let language = Language::of(path).unwrap_or(Language::C);
    let mut scanner = Scanner { language, source, masked: source.to_vec(), at: 0 };
    while scanner.at < source.len() {
        scanner.step();
    }
    scanner.masked
}

struct Scanner<'a> {
    language: Language,
    source: &'a [u8],
    masked: Vec<u8>,
    at: usize,
}

impl Scanner<'_> {
    /// Reads a comment, a quoted text, or one byte of code.
    fn step(&mut self) {
        let rest = &self.source[self.at..];
        if let Some(length) = self.comment(rest) {
            for byte in &mut self.masked[self.at..self.at + length] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
            self.at += length;
        } else if let Some(length) = self.text(rest) {
            self.masked[self.at..self.at + length].fill(TEXT);
            self.at += length;
        } else {
            let is_escape = rest[0] == b'\\' && self.language == Language::Shell;
            self.at += if is_escape { 2 } else { 1 };
        }
    }

    fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).map(|at| self.source[at])
    }

    fn comment(&self, rest: &[u8]) -> Option<usize> {
        let line = || Some(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
        let (hash, slashes) = match self.language {
            Language::Python | Language::Elixir => (true, false),
            Language::Ruby | Language::Shell => {
                (self.before().is_none_or(|b| b.is_ascii_whitespace()), false)
            }
            Language::Php => (!rest.starts_with(b"#["), true),
            _ => (false, true),
        };
        if hash && rest[0] == b'#' || slashes && rest.starts_with(b"//") {
            return line();
        }
        if !slashes || !rest.starts_with(b"/*") {
            return None;
        }
        let mut depth = 1;
        let mut at = 2;
        while at < rest.len() && depth > 0 {
            match &rest[at..rest.len().min(at + 2)] {
                b"*/" => (depth, at) = (depth - 1, at + 2),
                b"/*" if self.language == Language::Rust => (depth, at) = (depth + 1, at + 2),
                _ => at += 1,
            }
        }
        Some(at)
    }

    fn text(&self, rest: &[u8]) -> Option<usize> {
        use Language::{CSharp, Elixir, Go, Java, JavaScript, Php, Python, Ruby, Rust, Shell, Swift};
        let quote = rest[0];
        let is_triple = matches!(self.language, Python | Java | Swift | CSharp | Elixir)
            && rest.len() > 2
            && rest[1] == quote
            && rest[2] == quote;
        match quote {
            b'"' | b'\'' if is_triple => {
                let close = [quote; 3];
                let end = memchr::memmem::find(&rest[3..], &close);
                Some(end.map_or(rest.len(), |end| end + 6))
            }
            b'r' if self.language == Rust => self.raw(rest),
            b'\'' if self.language == Rust => character(rest),
            b'\'' if self.language == Shell => Some(closed(rest, b'\'', None, true)),
            b'"' | b'\'' => {
                let spans_lines = matches!(self.language, Rust | Ruby | Php | Shell);
                Some(closed(rest, quote, Some(b'\\'), spans_lines))
            }
            b'`' if self.language == Go => Some(closed(rest, b'`', None, true)),
            b'`' if self.language == JavaScript => Some(template(rest)),
            b'/' if matches!(self.language, JavaScript | Ruby) => self.pattern(rest),
            _ => None,
        }
    }

    /// `r"..."` and `r#"..."#`.
    fn raw(&self, rest: &[u8]) -> Option<usize> {
        let before = &self.masked[..self.at];
        let before = before.strip_suffix(b"b").or_else(|| before.strip_suffix(b"c")).unwrap_or(before);
        if before.last().is_some_and(|byte| is_word(*byte)) {
            return None;
        }
        // Rust allows this many.
        let hashes = rest[1..].iter().take(255).take_while(|byte| **byte == b'#').count();
        (rest.get(1 + hashes) == Some(&b'"')).then_some(())?;
        let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
        let inside = 2 + hashes;
        let end = memchr::memmem::find(&rest[inside..], &close);
        Some(end.map_or(rest.len(), |end| inside + end + close.len()))
    }

    /// A regular expression between slashes, where there can be no division.
    fn pattern(&self, rest: &[u8]) -> Option<usize> {
        let before = self.masked[..self.at].trim_ascii_end();
        let word = before.len() - before.iter().rev().take(10).take_while(|byte| is_word(**byte)).count();
        let follows_word =
            matches!(&before[word..], b"return" | b"typeof" | b"case" | b"when" | b"if" | b"and");
        if !follows_word
            && !matches!(
                before.last(),
                None | Some(
                    b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b';' | b'~' | b'>'
                )
            )
        {
            return None;
        }
        let mut is_set = false;
        let mut at = 1;
        loop {
            match rest.get(at)? {
                b'\n' => return None,
                b'\\' => at += 1,
                b'[' => is_set = true,
                b']' => is_set = false,
                b'/' if !is_set => return Some(at + 1),
                _ => {}
            }
            at += 1;
        }
    }
}

/// The length of a quoted text up to its end, or to the end of its line if it cannot span lines.
fn closed(rest: &[u8], quote: u8, escape: Option<u8>, spans_lines: bool) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match *byte {
            byte if Some(byte) == escape => at += 1,
            byte if byte == quote => return at + 1,
            b'\n' if !spans_lines => return at,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// A template of JavaScript, with the code in it.
fn template(rest: &[u8]) -> usize {
    // How many braces are open in each `${` around.
    let mut open: Vec<usize> = Vec::new();
    let mut in_text = vec![true];
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        let is_text = in_text.last() == Some(&true);
        match byte {
            b'\\' => at += 1,
            b'`' if is_text => {
                in_text.pop();
                if in_text.is_empty() {
                    return at + 1;
                }
            }
            b'`' => in_text.push(true),
            b'$' if is_text && rest.get(at + 1) == Some(&b'{') => {
                open.push(0);
                in_text.push(false);
                at += 1;
            }
            b'{' if !is_text => *open.last_mut().expect("code is only read inside of braces") += 1,
            b'}' if !is_text => match open.last_mut() {
                Some(0) | None => {
                    open.pop();
                    in_text.pop();
                }
                Some(depth) => *depth -= 1,
            },
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// A character of Rust, and not a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        return Some(closed(rest, b'\'', Some(b'\\'), false));
    }
    let end = rest.iter().take(6).skip(2).position(|byte| *byte == b'\'')? + 2;
    let is_one = std::str::from_utf8(&rest[1..end]).is_ok_and(|text| text.chars().count() == 1);
    is_one.then_some(end + 1)
}

/// Whether a byte can be part of a name.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a list of words with blanks between them has this one.
pub(super) fn is_listed(list: &str, word: impl AsRef<[u8]>) -> bool {
    list.split_ascii_whitespace().any(|listed| listed.as_bytes() == word.as_ref())
}

/// Where `word` occurs in `text`, but not as a part of a longer name.
pub(super) fn words<'a>(text: &'a [u8], word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_edge = |byte: Option<&u8>, own: Option<&u8>| {
        !(byte.is_some_and(|byte| is_word(*byte)) && own.is_some_and(|byte| is_word(*byte)))
    };
    memchr::memmem::find_iter(text, word.as_bytes()).filter(move |at| {
        let end = at + word.len();
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        is_edge(before, word.as_bytes().first()) && is_edge(text.get(end), word.as_bytes().last())
    })
}

/// The place of the bracket that closes the one at `open`.
pub(super) fn closing(masked: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in masked.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The beginning of the line that `at` is on.
pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1)
}

/// The open braces around a place, the innermost first.
pub(super) fn open_braces(code: &[u8], at: usize) -> Vec<usize> {
    let mut open = Vec::new();
    for (at, byte) in code[..at].iter().enumerate() {
        match byte {
            b'{' => open.push(at),
            b'}' => drop(open.pop()),
            _ => {}
        }
    }
    open.reverse();
    open
}

/// Whether the name of a test begins with the path of its file.
pub(super) fn names_path(test: &str, path: &str) -> bool {
    let file = test.split("::").next().unwrap_or(test);
    let file = file.split(" > ").next().unwrap_or(file).trim_start_matches("./");
    file.contains('.') && path.strip_suffix(file).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_quoted_text_of_rust_are_told_from_code() {
        let hashes = "#".repeat(21);
        for (source, expected) in [
            ("a // b\nc /* d /* e */ f */ g", "a c g"),
            ("x(\"a \\\" // b\", 'c', '\\'', '\"', b'x', 'ä') y", "x(\", \", \", \", b\", \") y"),
            (
                "fn f<'a>(x: &'a str) -> &'static str { r#\"a\" }\"# }",
                "fn f<'a>(x: &'a str) -> &'static str { \" }",
            ),
            ("let r#type = br\"\\\"; c(b\"x\\\n\")", "let r#type = b\"; c(b\")"),
            ("for x in y { 'l: loop { break 'l } }", "for x in y { 'l: loop { break 'l } }"),
            (&format!("r{hashes}\"\" /* \"{hashes} f()"), "\" f()"),
            ("m!(abr\"x\"); g()", "m!(abr\"); g()"),
        ] {
            let code = masked("a.rs", source.as_bytes());
            assert_eq!(code.len(), source.len());
            let mut code = String::from_utf8(code).unwrap();
            while code.contains("\"\"") {
                code = code.replace("\"\"", "\"");
            }
            assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{source}");
        }
    }
}
