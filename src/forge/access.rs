//! Who may write to a repository, as its forge says, and what they have written. No answer is a no.

use std::collections::HashMap;

use serde_json::Value;

use super::asking::Asked;
use super::followed::Comment;

/// What a forge says about somebody.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Person {
    pub(super) may_write: bool,
    pub(super) bot: bool,
}

/// What is known about people so far.
pub(super) struct Access<'a> {
    asked: &'a Asked<'a>,
    /// Asks about the one with this id, or this name where names are unique.
    ask: fn(&Asked<'_>, &str) -> Person,
    known: HashMap<String, Person>,
}

impl<'a> Access<'a> {
    pub(super) fn new(asked: &'a Asked<'a>, ask: fn(&Asked<'_>, &str) -> Person) -> Self {
        Self { asked, ask, known: HashMap::new() }
    }

    /// The author of something.
    pub(super) fn of(&mut self, author: &Value) -> Person {
        if author["__typename"] == "Bot" {
            return Person { may_write: false, bot: true };
        }
        let id = author["id"].as_u64().map(|id| id.to_string());
        let Some(key) = id.or_else(|| author["login"].as_str().map(str::to_owned)) else {
            return Person::default();
        };
        *self.known.entry(key).or_insert_with_key(|key| (self.ask)(self.asked, key))
    }

    /// Whether the author may say what is to be done.
    pub(super) fn counts(&mut self, author: &Value) -> bool {
        let Person { may_write, bot } = self.of(author);
        may_write && !bot
    }

    /// A comment, or a note. The first of these fields that it has says when it was written or last edited.
    pub(super) fn comment(&mut self, comment: &Value, times: &[&str]) -> Comment {
        let author = &comment["author"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let Person { may_write, bot } = self.of(author);
        Comment {
            author: author["login"].as_str().or(author["username"].as_str()).unwrap_or_default().to_owned(),
            may_write,
            bot,
            text: text(&comment["body"]),
            at: times.iter().map(|time| text(&comment[*time])).find(|at| !at.is_empty()).unwrap_or_default(),
        }
    }
}
