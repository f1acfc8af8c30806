//! The language of shells: splits a command line into simple commands and those into words, without expanding anything, and
//! quotes words in advice, so that people can copy them.

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

/// A word as a POSIX shell reads it, in quotes if necessary.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%,=:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A path from the top of the work tree, as a pathspec that means this path in every folder, without the option
/// `--literal-pathspecs`.
pub(crate) fn pathspec_word(path: &str) -> String {
    let begins_plainly = path.starts_with(|c: char| c.is_alphanumeric() || "._".contains(c));
    let is_pattern = path.contains(['*', '?', '[', '\\']);
    let magic = if begins_plainly && !is_pattern { ":/" } else { ":(top,literal)" };
    shell_word(&format!("{magic}{path}"))
}

/// With more paths than this, the command would be too long to read.
const NAMED: usize = 20;

/// The command that stashes only these paths, for messages.
pub(crate) fn stash_command<'p>(paths: impl Iterator<Item = &'p [u8]>) -> String {
    let mut words: Vec<String> = paths.map(|path| pathspec_word(&String::from_utf8_lossy(path))).collect();
    words.sort();
    if words.len() > NAMED {
        words = vec!["PATH...".to_owned()];
    }
    format!("`git stash push -u -- {}`", words.join(" "))
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

    #[test]
    fn a_word_is_quoted_only_if_a_shell_would_change_it() {
        let cases = [
            ("src/a-b_c.rs", "src/a-b_c.rs"),
            (":/a", ":/a"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("ü", "'ü'"),
        ];
        for (word, expected) in cases {
            assert_eq!(shell_word(word), expected);
        }
    }

    #[test]
    fn a_path_begins_at_the_top_and_is_no_pattern() {
        let cases = [
            ("src/b.rs", ":/src/b.rs"),
            ("a b", "':/a b'"),
            ("x[1]", "':(top,literal)x[1]'"),
            ("!x", "':(top,literal)!x'"),
            (":x", "':(top,literal):x'"),
        ];
        for (path, expected) in cases {
            assert_eq!(pathspec_word(path), expected);
        }
    }

    #[test]
    fn paths_are_quoted_for_git_and_the_shell_and_too_many_are_left_out() {
        let paths: [&[u8]; 3] = [b"src/b.rs", b"a b", b"x[1]"];
        let expected = "`git stash push -u -- ':(top,literal)x[1]' ':/a b' :/src/b.rs`";
        assert_eq!(stash_command(paths.into_iter()), expected);
        assert_eq!(stash_command(std::iter::repeat_n(&b"a"[..], 21)), "`git stash push -u -- PATH...`");
    }
}
