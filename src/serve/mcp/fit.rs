//! Makes answers small enough for a conversation.

use serde_json::Value;

/// Marks the place where a text or a list was cut.
const CUT: &str = "[...]";
/// The fields that are of no use in part.
const WHOLE: [&str; 5] = ["unit", "prompt_file", "task", "id", "commit"];
/// A text is not cut to fewer characters than this.
const SHORTEST: usize = 40;
/// To how many items lists are cut, until the document is small enough.
const FEWER: [usize; 3] = [4, 2, 1];

/// Shortens the longest texts of a document until it has at most `limit` bytes as JSON, and its lists if that is not enough.
/// The end of a text is kept, because the last lines of an output say most.
pub fn fit(document: &mut Value, limit: usize) {
    let is_too_long = |document: &Value| document.to_string().len() > limit;
    while is_too_long(document) {
        let Some(longest) = longest(document) else { break };
        let count = longest.chars().count();
        if count <= SHORTEST {
            break;
        }
        let kept = (count / 2).max(SHORTEST - CUT.len());
        let end: String = longest.chars().skip(count - kept).collect();
        *longest = format!("{CUT}{end}");
    }
    for most in FEWER {
        if is_too_long(document) {
            cut_lists(document, most);
        }
    }
}

fn cut_lists(document: &mut Value, most: usize) {
    match document {
        Value::Array(items) => {
            if items.len() > most {
                items.truncate(most);
                items.push(CUT.into());
            }
            items.iter_mut().for_each(|item| cut_lists(item, most));
        }
        Value::Object(fields) => fields.values_mut().for_each(|value| cut_lists(value, most)),
        _ => {}
    }
}

/// The longest text of a document.
fn longest(document: &mut Value) -> Option<&mut String> {
    let texts: Vec<&mut String> = match document {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter_mut().filter_map(longest).collect(),
        Value::Object(fields) => {
            let fields = fields.iter_mut().filter(|(name, _)| !WHOLE.contains(&name.as_str()));
            fields.filter_map(|(_, value)| longest(value)).collect()
        }
        _ => Vec::new(),
    };
    texts.into_iter().max_by_key(|text| text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_longest_texts_are_cut_and_keep_their_end() {
        let path = format!("/{}", "long/".repeat(50));
        let mut document = json!({"prompt_file": path, "name": "short", "output": ["x".repeat(5000) + "the end", "\u{1f333}".repeat(900)]});
        fit(&mut document, 1000);
        assert!(document.to_string().len() <= 1000, "{document}");
        assert_eq!((&document["name"], &document["prompt_file"]), (&json!("short"), &json!(path)));
        let output = document["output"][0].as_str().unwrap();
        assert!(output.starts_with(CUT) && output.ends_with("the end"), "{output}");
    }

    #[test]
    fn lists_are_cut_where_short_texts_are_still_too_long_and_what_fits_is_not_touched() {
        let mut document = json!({"found": [{"places": vec!["a.rs"; 1000], "seen": "x".repeat(500)}]});
        fit(&mut document, 200);
        let found = json!({"places": ["a.rs", "a.rs", "a.rs", "a.rs", CUT], "seen": format!("{CUT}{}", "x".repeat(35))});
        assert_eq!(document, json!({"found": [found]}));
        let mut document = json!({"a": "b".repeat(100)});
        let before = document.clone();
        fit(&mut document, 1000);
        assert_eq!(document, before);
    }
}
