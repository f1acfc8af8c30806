//! Splits a command line into words, as far as possible without a shell.

use std::iter::Peekable;
use std::str::Chars;

/// A word after the shell has removed quotes and expanded variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether any part of it was quoted. Then it cannot be a reserved word of the shell.
    pub(super) quoted: bool,
}

/// How many words are read. Later ones do not matter.
const ENOUGH: usize = 2;

/// The words of the first simple command, or the first few of them; `None` if only a shell can know them.
pub(super) fn first_command<'v>(line: &str, variable: impl Fn(&str) -> Option<&'v str>) -> Option<Vec<Word>> {
    let mut reader = Reader { rest: line.chars().peekable(), words: Vec::new(), open: None };
    if reader.read(&variable).is_none() && reader.words.len() < ENOUGH {
        return None;
    }
    reader.end_word();
    Some(reader.words)
}

struct Reader<'l> {
    rest: Peekable<Chars<'l>>,
    words: Vec<Word>,
    /// The word that is being read.
    open: Option<Word>,
}

impl Reader<'_> {
    /// Reads to the end of the command; `None` if a shell would be needed to continue.
    fn read<'v>(&mut self, variable: &impl Fn(&str) -> Option<&'v str>) -> Option<()> {
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                ';' | '|' | '&' | '\n' => return Some(()),
                '#' if self.open.is_none() => return Some(()),
                '\'' => self.until_quote()?,
                '"' => self.until_double_quote(variable)?,
                '\\' => {
                    let next = self.rest.next()?;
                    self.push_quoted(next);
                }
                '$' => self.expand(variable)?,
                '~' if self.open.is_none() => self.home(variable)?,
                // The words before a redirection are known. A digit directly before it belongs to the redirection.
                '<' | '>' if !self.words.is_empty() => {
                    self.open = None;
                    return Some(());
                }
                '(' | ')' | '`' | '*' | '?' | '[' | '{' | '}' | '<' | '>' => {
                    self.open = None;
                    return None;
                }
                _ => self.word().text.push(c),
            }
        }
        Some(())
    }

    fn word(&mut self) -> &mut Word {
        self.open.get_or_insert_with(|| Word { text: String::new(), quoted: false })
    }

    fn push_quoted(&mut self, c: char) {
        let word = self.word();
        word.text.push(c);
        word.quoted = true;
    }

    fn end_word(&mut self) {
        self.words.extend(self.open.take());
    }

    fn until_quote(&mut self) -> Option<()> {
        self.word().quoted = true;
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                c => self.push_quoted(c),
            }
        }
    }

    fn until_double_quote<'v>(&mut self, variable: &impl Fn(&str) -> Option<&'v str>) -> Option<()> {
        self.word().quoted = true;
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '`' => return None,
                '$' => self.expand(variable)?,
                '\\' => {
                    let next = self.rest.next()?;
                    if !matches!(next, '"' | '\\' | '$' | '`') {
                        self.push_quoted('\\');
                    }
                    self.push_quoted(next);
                }
                c => self.push_quoted(c),
            }
        }
    }

    /// Expands `$NAME` and `${NAME}`. A value with a blank in it could become several words.
    fn expand<'v>(&mut self, variable: &impl Fn(&str) -> Option<&'v str>) -> Option<()> {
        let braces = self.rest.next_if_eq(&'{').is_some();
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
        }
        if braces {
            self.rest.next_if_eq(&'}')?;
        }
        let value = variable(&name).filter(|value| !value.contains([' ', '\t', '\n', '*', '?', '[']))?;
        self.word().text.push_str(value);
        Some(())
    }

    /// Expands `~` and `~/`, but not `~user`.
    fn home<'v>(&mut self, variable: &impl Fn(&str) -> Option<&'v str>) -> Option<()> {
        if self.rest.peek().is_some_and(|next| !matches!(next, '/' | ' ' | '\t')) {
            return None;
        }
        let home = variable("HOME")?;
        self.word().text.push_str(home);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<Vec<String>> {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/me"),
            "AGENT" => Some("my-agent"),
            "OPTIONS" => Some("-a -b"),
            _ => None,
        };
        first_command(line, variable).map(|words| words.into_iter().map(|word| word.text).collect())
    }

    #[test]
    fn plain_words_are_read_as_a_shell_reads_them() {
        let cases: [(&str, &[&str]); 16] = [
            ("agent --fast", &["agent", "--fast"]),
            ("  agent\t-x ", &["agent", "-x"]),
            ("'/my tools/agent' -x", &["/my tools/agent", "-x"]),
            ("\"/my tools/agent\"", &["/my tools/agent"]),
            ("/my\\ tools/agent", &["/my tools/agent"]),
            ("~/bin/agent", &["/home/me/bin/agent"]),
            ("$HOME/bin/agent", &["/home/me/bin/agent"]),
            ("\"${HOME}/bin/agent\"", &["/home/me/bin/agent"]),
            ("$AGENT run", &["my-agent", "run"]),
            ("agent | tee log", &["agent"]),
            ("agent && other", &["agent"]),
            ("agent # a comment", &["agent"]),
            ("X=1 agent", &["X=1", "agent"]),
            ("cat > log", &["cat"]),
            ("agent 2>log", &["agent"]),
            ("sh run.sh > $(mktemp)", &["sh", "run.sh"]),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line).unwrap_or_default(), expected, "{line}");
        }
    }

    #[test]
    fn words_that_only_a_shell_can_know_are_not_guessed() {
        for line in [
            "$(which agent)",
            "`which agent`",
            "(agent)",
            "{ agent; }",
            "$UNSET/agent",
            "${AGENT:-other}",
            "$OPTIONS",
            "~other/agent",
            "agent*",
            "[ -x agent ]",
            "'open",
            "\"open",
            "<in agent",
            "\\",
        ] {
            assert_eq!(words(line), None, "{line}");
        }
    }
}
