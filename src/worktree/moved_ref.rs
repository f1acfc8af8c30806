//! Puts a reference of a run back that something else has moved, and keeps what it named.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Kind};
use crate::git::Git;
use crate::record::CommitId;
use crate::text::{listed, shell_word};

/// A reference that does not name what it has to name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovedRef<'a> {
    /// Its full name.
    pub(crate) name: &'a str,
    /// What it has to name; `None` if it must not exist.
    pub(crate) wanted: Option<CommitId>,
    /// What it names; `None` if it is gone or broken.
    pub(crate) now: Option<CommitId>,
}

impl MovedRef<'_> {
    /// How it was changed.
    pub(crate) fn verb(&self) -> &'static str {
        match (self.wanted, self.now) {
            (None, _) => "made",
            (_, None) => "deleted",
            _ => "moved",
        }
    }

    /// Puts it back, and keeps what it named. No hook is run. Returns a sentence about that.
    pub(crate) fn put_back(&self, git: &Git) -> String {
        let Self { name, wanted, now } = *self;
        let kept = now.filter(|now| Some(*now) != wanted).and_then(|now| {
            let kept = keep(git, &now)?;
            Some(format!("; what it named, {}, is kept as {kept}", now.short()))
        });
        let kept = kept.unwrap_or_default();
        let word = shell_word(name);
        match (git.set_reference(name, wanted.as_ref()), wanted) {
            (Ok(()), Some(wanted)) => format!("{name} names {wanted} again{kept}."),
            (Ok(()), None) => format!("{name} was removed{kept}."),
            (Err(_), Some(wanted)) => {
                format!(
                    "{name} could not be put back{kept}: `git update-ref --no-deref {word} {wanted}` does that."
                )
            }
            (Err(_), None) => {
                format!("{name} could not be removed{kept}: `git update-ref --no-deref -d {word}` does that.")
            }
        }
    }
}

/// The references that do not name what they have to name, in the order of their names.
pub(crate) fn moved_refs<'a>(
    wanted: &'a BTreeMap<String, CommitId>,
    now: &'a BTreeMap<String, CommitId>,
) -> impl Iterator<Item = MovedRef<'a>> {
    let names: BTreeSet<&String> = wanted.keys().chain(now.keys()).collect();
    let of = move |name: &'a String| MovedRef {
        name,
        wanted: wanted.get(name).copied(),
        now: now.get(name).copied(),
    };
    names.into_iter().map(of).filter(|moved| moved.wanted != moved.now)
}

/// Keeps a commit. Returns the reference, if it can be made.
pub(crate) fn keep(git: &Git, commit: &CommitId) -> Option<String> {
    git.keep(commit, "moved").ok()
}

/// Puts references back, what is too much first: a branch `a/b` is in the way of a branch `a`.
pub(crate) fn refused(git: &Git, mut strange: Vec<MovedRef<'_>>, who: &str) -> Error {
    strange.sort_by_key(|moved| moved.wanted.is_some());
    let told: Vec<String> = strange.iter().map(|moved| moved.put_back(git)).collect();
    let names: Vec<String> =
        strange.iter().map(|moved| format!("{} ({})", moved.name, moved.verb())).collect();
    Error::new(
        Kind::Unsafe,
        format!("branches of the run were changed while {who} was at work: {}", listed(&names)),
        format!("None of that counts. {} Run the same command again.", told.join(" ")),
    )
}
