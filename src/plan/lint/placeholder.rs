//! Finds placeholders that a template has left in a text.

/// Words that stand for something that is still to be written.
const WORDS: [&str; 5] = ["TODO", "TBD", "FIXME", "TBA", "XXX"];

/// The first placeholder in a text: a word such as `TODO`, or words in brackets such as `[Entity]` or `[FEATURE NAME]`.
pub(super) fn placeholder_in(text: &str) -> Option<String> {
    word_in(text).or_else(|| bracketed_in(text))
}

/// A word by itself, and not a part of a name such as `TODO.md` or `todo_list`.
fn word_in(text: &str) -> Option<String> {
    let joins = |c: char| c.is_alphanumeric() || "_-/`'\"".contains(c);
    let found = |word: &&&str| {
        text.match_indices(**word).any(|(at, _)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars());
            let mut after = after.take(2);
            let (next, second) = (after.next(), after.next());
            let is_name =
                next.is_some_and(joins) || (next == Some('.') && second.is_some_and(char::is_alphanumeric));
            !before.is_some_and(|c| joins(c) || c == '.') && !is_name
        })
    };
    WORDS.iter().find(found).map(|word| (*word).to_owned())
}

/// Words in brackets that begin with a capital letter, and are neither a link nor a label such as `[P]` or `[API]`.
fn bracketed_in(text: &str) -> Option<String> {
    text.match_indices('[').find_map(|(at, _)| {
        let inner = &text[at + 1..];
        let end = inner.find(|c: char| !c.is_ascii_alphabetic() && c != ' ')?;
        let (words, rest) = inner.split_at(end);
        let is_closed = rest.starts_with(']') && !rest.starts_with("](") && !rest.starts_with("][");
        let several = words.contains(' ');
        let is_named = words.starts_with(|c: char| c.is_ascii_uppercase())
            && words.len() >= 3
            && words.trim() == words
            && (several || words.contains(|c: char| c.is_ascii_lowercase()));
        let part_of_code = text[..at].ends_with(|c: char| c.is_alphanumeric() || "`\"'\\".contains(c));
        (is_closed && is_named && !part_of_code).then(|| format!("[{words}]"))
    })
}

#[cfg(test)]
mod tests {
    use super::placeholder_in;

    #[test]
    fn words_and_brackets_of_templates_are_found_and_names_and_labels_are_not() {
        for (text, expected) in [
            ("TODO", "TODO"),
            ("Write the parser (TODO: which one?)", "TODO"),
            ("The limit is TBD.", "TBD"),
            ("Create [Entity] in src/models", "[Entity]"),
            ("# [FEATURE NAME]", "[FEATURE NAME]"),
            ("Add [Entity1 Name] and [Service]", "[Service]"),
        ] {
            assert_eq!(placeholder_in(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "Read TODO.md and docs/TODO",
            "Print `TODO` for an empty list",
            "Remove the TODO-list and TODOs",
            "[P] [US1] [API] Do it",
            "See [Entities](docs/entities.md) and [Guide][1]",
            "items[Index] and \"[Entity]\"",
            "[x] Done, [link]",
            "[A-Z]+",
            "todo",
        ] {
            assert_eq!(placeholder_in(text), None, "{text}");
        }
    }
}
