//! Finds verbs that announce a change of what tests expect: at the beginning of a name or of a sentence.

/// The verbs.
const VERBS: [&str; 5] = ["change", "rename", "remove", "migrate", "deprecate"];

/// What follows `change` where it is a noun.
const NOUNS: [&str; 10] =
    ["log", "logs", "detection", "set", "sets", "request", "requests", "tracking", "history", "feed"];

/// The first such verb in a name or in a description, as it is written.
pub(super) fn changing_verb<'t>(name: &'t str, description: &'t str) -> Option<&'t str> {
    let is_capital = |verb: &&str| verb.starts_with(char::is_uppercase);
    verb_of(name).or_else(|| sentences(description).filter_map(verb_of).find(is_capital))
}

/// The verb at the beginning of a text.
fn verb_of(text: &str) -> Option<&str> {
    let is_mark = |c: char| c.is_whitespace() || "-*+>_`".contains(c);
    let text = text.trim_start_matches(is_mark);
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(text.len());
    let (verb, rest) = text.split_at(end);
    let next =
        rest.trim_start_matches(is_mark).split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_noun =
        verb.eq_ignore_ascii_case("change") && NOUNS.iter().any(|noun| next.eq_ignore_ascii_case(noun));
    let is_verb = VERBS.iter().any(|known| verb.eq_ignore_ascii_case(known)) && rest.starts_with([' ', '\t']);
    (is_verb && !is_noun).then_some(verb)
}

/// The sentences and lines of a text. A full stop without a blank after it ends no sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let parts = line.split_inclusive(['.', '!', '?']).enumerate();
        parts.filter(|(at, part)| *at == 0 || part.starts_with(' ')).map(|(_, part)| part)
    })
}

#[cfg(test)]
mod tests {
    use super::changing_verb;

    #[test]
    fn only_verbs_at_the_beginning_of_a_name_or_a_sentence_count() {
        for (name, description, verb) in [
            ("Rename `foo` to `bar`", "", Some("Rename")),
            ("remove the flag", "", Some("remove")),
            ("Export", "Write the file. Change the message to \"done\".", Some("Change")),
            ("Export", "- Deprecate the old call", Some("Deprecate")),
            ("Migrate to v2", "", Some("Migrate")),
            ("Change log for users", "", None),
            ("Remove-me button", "", None),
            ("Removed users stay away", "", None),
            ("Export", "Users can change the name. They remove it later.", None),
            ("Export", "Use config.Remove in v1.Change it", None),
            ("Change", "", None),
        ] {
            assert_eq!(changing_verb(name, description), verb, "{name}: {description}");
        }
    }
}
