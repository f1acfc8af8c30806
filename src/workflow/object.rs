//! Finds JSON objects in what agents print.

use serde::de::DeserializeOwned;

use super::line::is_fence;
use crate::text::one_line;

/// How many objects of a text are looked at: the last ones.
const MOST: usize = 20;

/// The objects of a text, of which the last one ends it, and the text above the first one.
pub(super) struct Objects<'t, T> {
    pub(super) objects: Vec<T>,
    pub(super) above: &'t str,
}

/// The objects of one form in a text: alone, between two fences, or below sentences. Why they cannot be read, if the text has an
/// object with this `field`; `None` if it has none.
pub(super) fn objects<'t, T: DeserializeOwned>(
    text: &'t str,
    field: &str,
) -> Option<Result<Objects<'t, T>, String>> {
    let text = text.trim();
    let fence = text.lines().next_back().filter(|last| is_fence(last)).map_or(0, str::len);
    let text = text[..text.len() - fence].trim_end();
    let begins = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let mut found = Objects { objects: Vec::new(), above: "" };
    let mut error = None;
    let begun: Vec<usize> = text.match_indices('{').map(|(at, _)| at).filter(begins).collect();
    for at in begun[begun.len().saturating_sub(MOST)..].iter().copied() {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<T>();
        match values.next() {
            Some(Ok(object)) => {
                if found.objects.is_empty() {
                    found.above = &text[..at];
                }
                found.objects.push(object);
                let rest = text[at + values.byte_offset()..].trim();
                error = (!rest.is_empty()).then(|| "trailing characters below the object".to_owned());
            }
            Some(Err(why)) if found.objects.is_empty() && (at == 0 || text[at..].contains(field)) => {
                error = error.or(Some(one_line(&why.to_string())));
            }
            Some(Err(_)) | None => {}
        }
    }
    match error {
        Some(why) => Some(Err(why)),
        None => (!found.objects.is_empty()).then_some(Ok(found)),
    }
}
