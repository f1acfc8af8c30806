//! Finds the lines of a message file that git reads as comments: those that begin with the value of `core.commentChar`.
//!
//! With `auto`, git chooses a character that begins no line of the message before the user edits it, and does not
//! record its choice. The template that git then writes shows the character. If git writes no template, we choose a
//! character in the same way.

use crate::record::block::text_range;
use crate::record::lines;

/// The line that git writes above text that is not part of the message, after the comment string and a space.
pub(super) const SCISSORS: &[u8] = b" ------------------------ >8 ------------------------";

/// The characters from which git chooses the first free one.
const CANDIDATES: &[u8] = b"#;@!$%^&|:";

/// The string that begins a comment line of `file`, given the value of git's configuration.
pub(super) fn comment_string(file: &[u8], configured: Option<&str>) -> Vec<u8> {
    match configured {
        Some(text) if text.eq_ignore_ascii_case("auto") => {
            vec![of_template(file).or_else(|| of_scissors(file)).unwrap_or_else(|| free(file))]
        }
        Some(text) if !text.is_empty() => text.as_bytes().to_vec(),
        _ => b"#".to_vec(),
    }
}

/// The character of the template at the end of the file. Every template contains an empty comment line.
fn of_template(file: &[u8]) -> Option<u8> {
    let mut template = lines(file).rev().map(without_end).skip_while(|line| line.is_empty());
    let mark = *template.clone().next()?.first().filter(|mark| CANDIDATES.contains(mark))?;
    template
        .by_ref()
        .take_while(|line| line.first() == Some(&mark))
        .any(|line| line.len() == 1)
        .then_some(mark)
}

/// The character of the scissors line. Below it, git explains that line in comments.
fn of_scissors(file: &[u8]) -> Option<u8> {
    let mut below: &[u8] = b"";
    lines(file).map(without_end).rev().find_map(|line| {
        let explanation = std::mem::replace(&mut below, line);
        let (mark, rest) = line.split_first()?;
        let is_written_by_git =
            rest == SCISSORS && CANDIDATES.contains(mark) && explanation.first() == Some(mark);
        is_written_by_git.then_some(*mark)
    })
}

/// A line without its line feed.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The first character that begins no line. Comments at the end do not count.
fn free(file: &[u8]) -> u8 {
    let end = without_comments_at_the_end(&file[..text_range(file).end]).len();
    // git also looks at the first character of the part that is left out.
    let message = &file[..file.len().min(end + 1)];
    let begins_line = |mark: &u8| {
        let first = file.first() == Some(mark);
        first || message.windows(2).any(|pair| matches!(pair[0], b'\n' | b'\r') && pair[1] == *mark)
    };
    // If none is free, git refuses to edit the message at all.
    CANDIDATES.iter().copied().find(|mark| !begins_line(mark)).unwrap_or(b'#')
}

fn without_comments_at_the_end(text: &[u8]) -> &[u8] {
    let ignored = |line: &&[u8]| *line == b"\n" || line.starts_with(b"#");
    let length: usize = lines(text).rev().take_while(ignored).map(<[u8]>::len).sum();
    &text[..text.len() - length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_auto_the_template_or_the_message_shows_the_character() {
        let scissors = String::from_utf8_lossy(SCISSORS).into_owned();
        let cases: &[(String, u8)] = &[
            ("task(T1): x\n\n# Please enter\n#\n# On branch main\n".into(), b'#'),
            ("# heading\n\n; Please enter\n;\n; On branch main\n\n".into(), b';'),
            (
                format!("# heading\n;{scissors}\n; Do not modify\ndiff --git a/x b/x\n+#{scissors}\n+# x\n"),
                b';',
            ),
            (format!("a\n\n#{scissors}\nbody\n"), b'#'),
            (format!("a\n\n#{scissors}\nbody\n\n; Please\n;\n; On branch\n"), b';'),
            ("# heading\n\nbody\n".into(), b';'),
            ("a\n\n#1\n;2\n@3\nbody\n".into(), b'!'),
            ("a # b\n".into(), b'#'),
            // A comment at the end does not count if it follows a blank line.
            ("a\n\nbody\n# comment\n".into(), b';'),
            ("a\n\nbody\n\n# comment\n".into(), b'#'),
            ("#\n".into(), b'#'),
            (String::new(), b'#'),
            (
                CANDIDATES.iter().map(|mark| format!("{}x\n", char::from(*mark))).collect::<String>() + "x\n",
                b'#',
            ),
        ];
        for (file, expected) in cases {
            for word in ["auto", "Auto"] {
                let found = comment_string(file.as_bytes(), Some(word));
                assert_eq!(found, [*expected], "{file:?}");
            }
        }
        assert_eq!(comment_string(b"# x\n", Some("//")), b"//");
        assert_eq!(comment_string(b"; x\n", None), b"#");
    }
}
