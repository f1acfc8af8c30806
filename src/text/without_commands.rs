//! Takes advice for people out of messages that a model reads.

/// The text without the clauses that name a command of git, an option or a setting of ours. Commands that begin with one of
/// `allowed` stay.
#[must_use]
pub fn without_commands(text: &str, allowed: &[&str]) -> String {
    let mut kept = String::new();
    let mut end = "";
    for (clause, separator) in clauses(text) {
        if !is_for_people(clause, allowed) {
            let clause = clause.trim();
            match (kept.is_empty(), end) {
                (true, _) => kept.push_str(clause),
                (false, "." | "") => kept.push_str(&format!(" {}", capital(clause))),
                (false, _) => kept.push_str(&format!(" {clause}")),
            }
            kept.push_str(separator);
        } else if separator == "." && kept.ends_with([';', ',']) {
            kept.pop();
            kept.push('.');
        }
        end = separator;
    }
    let kept = kept.trim_end_matches([';', ',']);
    if text.chars().next().is_some_and(char::is_uppercase) { capital(kept) } else { kept.to_owned() }
}

/// The clauses of a text, each with the character that ends it, if there is one. What is between backticks is one word.
fn clauses(text: &str) -> Vec<(&str, &'static str)> {
    let (mut found, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let is_end = |mark: &str| {
            rest.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n']))
        };
        quoted ^= c == '`';
        let separator = match c {
            _ if quoted => continue,
            '.' if is_end(".") => ".",
            ';' if is_end(";") => ";",
            ',' if rest.starts_with(", or ") => ",",
            _ => continue,
        };
        found.push((&text[begin..at], separator));
        begin = at + 1;
    }
    if !text[begin..].trim().is_empty() {
        found.push((&text[begin..], ""));
    }
    found
}

fn is_for_people(clause: &str, allowed: &[&str]) -> bool {
    let quoted = clause.split('`').skip(1).step_by(2);
    let mut commands = quoted.filter(|words| {
        words.starts_with("git ") || words.starts_with("--") || words.starts_with("arborist.")
    });
    commands.any(|words| !allowed.iter().any(|allowed| words.starts_with(allowed)))
        || clause.split([' ', '(']).any(|word| word.starts_with("arborist."))
}

/// The text with a capital letter at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_with_commands_for_people_are_left_out() {
        let cases = [
            ("Nothing was committed. `git reset --hard` helps.", "Nothing was committed."),
            (
                "See why with `git arborist show T1`. Correct it and hand it in again; `git arborist garden` tries.",
                "Correct it and hand it in again.",
            ),
            ("Run it with `--allow-dirty`, or wait; the run ends soon.", "Or wait; the run ends soon."),
            ("Set it to `arborist.x` (arborist.trust=off).", ""),
            (
                "Give T1 a test, or vouch for it with `git arborist mark complete T1 -m WHY`.",
                "Give T1 a test.",
            ),
            ("the plan is at 1.5; look at `a.b; c`", "the plan is at 1.5; look at `a.b; c`"),
            ("Call `git arborist next --json`.", "Call `git arborist next --json`."),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(without_commands(text, &["git arborist next"]), expected, "{text}");
        }
    }
}
