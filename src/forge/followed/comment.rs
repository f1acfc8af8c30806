//! A comment on a request.

use serde::Deserialize;

use crate::record::{Origin, OriginKind};
use crate::text::{CUT_MARK, clean};

/// How many characters of a comment an agent is told.
const LONGEST_COMMENT: usize = 4_000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Comment {
    pub(crate) author: String,
    /// Whether the author may write to the repository. What is not known is a no.
    pub(crate) may_write: bool,
    pub(crate) bot: bool,
    pub(crate) text: String,
    /// When it was written or last edited.
    pub(crate) at: String,
}

impl Comment {
    /// Whether its author may say what is to be done.
    pub(in crate::forge) fn counts(&self) -> bool {
        self.may_write && !self.bot
    }

    /// Whether it is an answer of ours in this thread. Somebody who writes such a mark says nothing with it.
    pub(super) fn is_answer_of(&self, thread: &str) -> bool {
        self.text.lines().map(str::trim).rfind(|line| !line.is_empty()).is_some_and(|last| {
            let inner = last.strip_prefix("<!-- git-arborist: ").and_then(|rest| rest.strip_suffix(" -->"));
            let origin = inner.and_then(Origin::parse);
            origin.is_some_and(|origin| origin.kind == OriginKind::Thread && origin.id == thread)
        })
    }

    pub(super) fn shown(&self) -> String {
        let text = clean(self.text.replace("\r\n", "\n").as_bytes());
        match text.trim().char_indices().nth(LONGEST_COMMENT) {
            None => text.trim().to_owned(),
            Some((end, _)) => format!("{}\n{CUT_MARK}", &text.trim()[..end]),
        }
    }
}
