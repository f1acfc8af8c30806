//! Splits a shell command line into simple commands and those into words, without expanding anything.

/// The simple commands of `line`, between `;`, `&`, `|`, newlines and parentheses. Quotes are resolved, and
/// redirections and comments are left out.
pub(crate) fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = Commands::default();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => commands.quoted(&mut chars, '\''),
            '"' => commands.quoted(&mut chars, '"'),
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => commands.push(escaped),
            },
            '#' if commands.word.is_none() => while chars.next_if(|&c| c != '\n').is_some() {},
            '<' | '>' => {
                // A file descriptor may precede it, and a file follows it.
                commands.word.take_if(|word| word.chars().all(|c| c.is_ascii_digit()));
                commands.end_word();
                while chars.next_if(|&c| matches!(c, '<' | '>' | '&' | '|')).is_some() {}
                commands.next_is_file = true;
            }
            ';' | '&' | '|' | '\n' | '(' | ')' => commands.end_command(),
            ' ' | '\t' | '\r' => commands.end_word(),
            other => commands.push(other),
        }
    }
    commands.end_command();
    commands.done
}

#[derive(Default)]
struct Commands {
    done: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    next_is_file: bool,
}

impl Commands {
    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn quoted(&mut self, chars: &mut impl Iterator<Item = char>, quote: char) {
        let word = self.word.get_or_insert_default();
        while let Some(c) = chars.next() {
            match c {
                c if c == quote => return,
                '\\' if quote == '"' => word.extend(chars.next()),
                c => word.push(c),
            }
        }
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.next_is_file)
        {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.next_is_file = false;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.done.push(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_like_a_shell_does() {
        for (line, expected) in [
            ("a b", vec![vec!["a", "b"]]),
            ("a && b; c | d & e\nf", vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"], vec!["e"], vec!["f"]]),
            (
                "(cd x && make 'a b' \"c \\\"d\" e\\ f)",
                vec![vec!["cd", "x"], vec!["make", "a b", "c \"d", "e f"]],
            ),
            ("a 2>&1 >out x2>y <in | b &> all", vec![vec!["a", "x2"], vec!["b"]]),
            ("a # pytest\nb#c", vec![vec!["a"], vec!["b#c"]]),
            ("a '' \\\n b 'open", vec![vec!["a", "", "b", "open"]]),
            (" ;; ", vec![]),
        ] {
            assert_eq!(simple_commands(line), expected, "{line:?}");
        }
    }
}
