//! Fills the templates of prompts.
//!
//! A template is text in paragraphs, with placeholders such as `{name}`. A paragraph is left out if a placeholder in it
//! has no value. `{?name}` at the beginning of a paragraph shows nothing, but the paragraph still depends on this
//! value.

/// The template with its values, ending in a newline. Values may contain braces: they are never read as placeholders.
pub(super) fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let paragraphs: Vec<String> =
        template.trim_end().split("\n\n").filter_map(|paragraph| fill_paragraph(paragraph, &value)).collect();
    let mut text = paragraphs.join("\n\n");
    text.push('\n');
    text
}

fn fill_paragraph(paragraph: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut text = String::new();
    for piece in pieces(paragraph) {
        match piece {
            Piece::Text(words) => text.push_str(words),
            Piece::Value(name) | Piece::Condition(name) => {
                let value = value(name).expect("a test fills every placeholder of every template");
                if value.is_empty() {
                    return None;
                }
                if matches!(piece, Piece::Value(_)) {
                    text.push_str(value.trim_end_matches('\n'));
                }
            }
        }
    }
    Some(text)
}

#[derive(Clone, Copy)]
enum Piece<'t> {
    Text(&'t str),
    Value(&'t str),
    Condition(&'t str),
}

fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(braced) = rest.strip_prefix('{') else {
            let end = rest.find('{').unwrap_or(rest.len());
            let text;
            (text, rest) = rest.split_at(end);
            return Some(Piece::Text(text));
        };
        let (name, after) =
            braced.split_once('}').expect("a template closes its braces: tests fill each one");
        rest = after;
        Some(name.strip_prefix('?').map_or(Piece::Value(name), Piece::Condition))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str) -> String {
        fill(template, |name| match name {
            "name" => Some("Ada".to_owned()),
            "brace" => Some("{name}\n".to_owned()),
            "none" => Some(String::new()),
            _ => None,
        })
    }

    #[test]
    fn values_replace_placeholders_and_are_not_searched_for_others() {
        assert_eq!(filled("Dear {name},\nhere is {brace}."), "Dear Ada,\nhere is {name}.\n");
    }

    #[test]
    fn a_paragraph_without_its_value_is_left_out() {
        assert_eq!(filled("one\n\ntwo {none}\nthree\n\nfour"), "one\n\nfour\n");
        assert_eq!(filled("{?none}one\n\n{?name}two"), "two\n");
    }
}
