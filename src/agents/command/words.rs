//! Splits a command line into words, as far as that is certain without a shell.

/// A word after the shell has removed quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShellWord {
    pub(super) text: String,
    /// Whether it was quoted. Then it cannot be a reserved word of the shell.
    pub(super) quoted: bool,
}

/// How many words are read. Later ones do not matter.
const ENOUGH: usize = 8;
/// What ends the first simple command, or the words of it that are known.
const ENDS: [char; 7] = [';', '|', '&', '\n', '#', '<', '>'];
/// What only a shell understands.
const SPECIAL: [char; 12] = ['$', '`', '\\', '(', ')', '*', '?', '[', '{', '}', '\'', '"'];

/// The first words of the first simple command; `None` if only a shell can know the first of them.
pub(super) fn first_command(line: &str, home: Option<&str>) -> Option<Vec<ShellWord>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start_matches([' ', '\t']);
    while !rest.is_empty() && !rest.starts_with(ENDS) && words.len() < ENOUGH {
        let Some((word, after)) = first_word(rest, home) else { break };
        words.push(word);
        rest = after.trim_start_matches([' ', '\t']);
    }
    (!words.is_empty()).then_some(words)
}

fn first_word<'l>(line: &'l str, home: Option<&str>) -> Option<(ShellWord, &'l str)> {
    let ends = |c: char| c == ' ' || c == '\t' || ENDS.contains(&c);
    if let Some(quote) = line.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let (text, after) = line[1..].split_once(quote)?;
        let is_certain = quote == '\'' || !text.contains(['$', '`', '\\']);
        let is_whole = after.is_empty() || after.starts_with(ends);
        return (is_certain && is_whole).then(|| (ShellWord { text: text.to_owned(), quoted: true }, after));
    }
    let (word, after) = line.split_at(line.find(ends).unwrap_or(line.len()));
    // A digit before a redirection belongs to it.
    let is_redirected = after.starts_with(['<', '>']) && word.bytes().all(|byte| byte.is_ascii_digit());
    let text = match word.strip_prefix('~') {
        Some(below) if below.is_empty() || below.starts_with('/') => format!("{}{below}", home?),
        Some(_) => return None,
        None => word.to_owned(),
    };
    (!is_redirected && !text.contains(SPECIAL)).then_some((ShellWord { text, quoted: false }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<Vec<String>> {
        first_command(line, Some("/home/me")).map(|words| words.into_iter().map(|word| word.text).collect())
    }

    #[test]
    fn plain_words_are_read_as_a_shell_reads_them_and_others_are_not_guessed() {
        for (line, expected) in [
            ("  agent\t-x ", Some(&["agent", "-x"][..])),
            ("'/my tools/agent' -x", Some(&["/my tools/agent", "-x"])),
            ("~/bin/agent", Some(&["/home/me/bin/agent"])),
            ("agent | tee log", Some(&["agent"])),
            ("agent # a comment", Some(&["agent"])),
            ("X=1 agent", Some(&["X=1", "agent"])),
            ("agent 2>log", Some(&["agent"])),
            ("sh run.sh > $(mktemp)", Some(&["sh", "run.sh"])),
            ("$(which agent)", None),
            ("(agent)", None),
            ("$AGENT", None),
            ("~other/agent", None),
            ("\"$HOME/agent\"", None),
            ("'open", None),
            ("<in agent", None),
        ] {
            assert_eq!(
                words(line).as_deref(),
                expected
                    .map(|words| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
                    .as_deref(),
                "{line}"
            );
        }
    }
}
