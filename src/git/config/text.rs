//! Parses a configuration file, as long as every version of git reads it in the same way.

/// A key and its value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// Its section and variable are in small letters.
    pub(super) key: String,
    /// A key may have none.
    pub(super) value: Option<String>,
}

/// The settings of a file, in order; `None` if git itself should read it because it is damaged, includes other files,
/// or contains something that versions of git read differently.
pub(super) fn read(content: &[u8]) -> Option<Vec<Pair>> {
    let text = std::str::from_utf8(content).ok()?;
    // Byte order marks, carriage returns and similar characters are too rare to imitate what git does with them.
    if text.starts_with('\u{feff}')
        || text.bytes().any(|byte| byte.is_ascii_control() && !b"\n\t".contains(&byte))
    {
        return None;
    }
    let mut reader = Reader { rest: text, section: String::new() };
    let mut pairs = Vec::new();
    while let Some(pair) = reader.next()? {
        pairs.push(pair);
    }
    Some(pairs)
}

struct Reader<'t> {
    rest: &'t str,
    /// The section and a dot: the beginning of its keys.
    section: String,
}

impl Reader<'_> {
    /// The next key. The inner `None` means the end, the outer one that git has to read the file.
    fn next(&mut self) -> Option<Option<Pair>> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
            match self.rest.chars().next() {
                None => return Some(None),
                Some('#' | ';') => self.rest = self.rest.split_once('\n').map_or("", |(_, behind)| behind),
                Some('[') => self.section = self.section_head()?,
                Some(_) if self.section.is_empty() => return None,
                Some(_) => {
                    let name = self.name()?;
                    let key = format!("{}{name}", self.section);
                    return Some(Some(Pair { key, value: self.value()? }));
                }
            }
        }
    }

    /// `[section]` or `[section "subsection"]`
    fn section_head(&mut self) -> Option<String> {
        let (head, _) = self.rest[1..].split_at(self.rest[1..].find(|c: char| !is_of_name(c))?);
        let mut section = head.to_ascii_lowercase();
        // Included files may be anywhere, and includes may be conditional.
        if section.is_empty() || section == "include" || section == "includeif" {
            return None;
        }
        self.rest = &self.rest[1 + head.len()..];
        if let Some(quoted) = self.rest.trim_start_matches([' ', '\t']).strip_prefix('"') {
            section.push('.');
            let mut chars = quoted.chars();
            loop {
                match chars.next()? {
                    '"' => break,
                    '\n' => return None,
                    '\\' => section.push(chars.next().filter(|&c| c != '\n')?),
                    c => section.push(c),
                }
            }
            self.rest = chars.as_str();
        }
        // The outdated form `[section.subsection]` is left to git too.
        self.rest = self.rest.strip_prefix(']')?;
        section.push('.');
        Some(section)
    }

    fn name(&mut self) -> Option<String> {
        let (name, rest) = self.rest.split_at(self.rest.find(|c| !is_of_name(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| name.to_ascii_lowercase())
    }

    /// The value that follows a name. The inner `None` means that there is no `=`.
    fn value(&mut self) -> Option<Option<String>> {
        let rest = self.rest.trim_start_matches([' ', '\t']);
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        self.rest = behind;
        if line.is_empty() {
            return Some(None);
        }
        value_of(line.strip_prefix('=')?).map(Some)
    }
}

/// The value in the rest of a line, without quotation marks, comments and the spaces at its ends.
fn value_of(line: &str) -> Option<String> {
    let mut value = String::new();
    let mut is_quoted = false;
    // The length of the value without the spaces at its end.
    let mut kept = 0;
    let mut has_tab = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' if !is_quoted => {
                if !value.is_empty() {
                    value.push(c);
                    has_tab |= c == '\t';
                }
                continue;
            }
            '#' | ';' if !is_quoted => break,
            '"' => is_quoted = !is_quoted,
            // At the end of a line, no character follows, and the next line continues this one.
            '\\' => value.push(match chars.next()? {
                't' => '\t',
                'n' => '\n',
                'b' => '\u{8}',
                c @ ('\\' | '"') => c,
                _ => return None,
            }),
            c => value.push(c),
        }
        // Some versions turn a tab between words into a space.
        if has_tab {
            return None;
        }
        kept = value.len();
    }
    value.truncate(kept);
    (!is_quoted).then_some(value)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Option<Vec<(String, Option<String>)>> {
        Some(read(text.as_bytes())?.into_iter().map(|pair| (pair.key, pair.value)).collect())
    }

    #[test]
    fn sections_keys_and_values_are_read() {
        let text = "# c\n[Core] editor = vi ; x\n\tBare\n[a \"B \\\"x\"]\n k-1= \"  a \" b # c\n\n[e]\nv =\nw = a\\tb\\\\";
        let expected = [
            ("core.editor", Some("vi")),
            ("core.bare", None),
            ("a.B \"x.k-1", Some("  a  b")),
            ("e.v", Some("")),
            ("e.w", Some("a\tb\\")),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.map(str::to_owned)));
        assert_eq!(pairs(text).unwrap(), expected);
        assert_eq!(pairs("").unwrap(), []);
    }

    #[test]
    fn rare_doubtful_and_wrong_files_are_left_to_git() {
        for text in [
            "[include]\npath = x",
            "[includeIf \"gitdir:x\"]\npath = x",
            "[INCLUDE]",
            "k = v",
            "[a.b]\nk = v",
            "[a\nk = v",
            "[]\nk = v",
            "[ a]\nk = v",
            "[a \"b\" ]\nk = v",
            "[a \"b\nk = v",
            "[a]\n1k = v",
            "[a]\nk v",
            "[a]\nk # c",
            "[a]\nk = \"v",
            "[a]\nk = v\\",
            "[a]\nk = v\\\nw",
            "[a]\nk = \\x",
            "[a]\nk = v\tw",
            "[a]\r\nk = v",
            "\u{feff}[a]\nk = v",
            "[a]\nk = \0",
        ] {
            assert_eq!(pairs(text), None, "{text:?}");
        }
        assert_eq!(read(b"[a]\nk = \xff"), None);
    }
}
