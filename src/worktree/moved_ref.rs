//! Puts a reference of a run back that something else has moved, and keeps what it named.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Kind, Result};
use crate::git::{Git, MOVED, OwedReference, WANTED};
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

    /// Puts it back, and keeps what it named. If that fails, what it has to name is kept instead, and noted for the next run. No hook
    /// is run.
    pub(crate) fn put_back(&self, git: &Git) -> PutBack {
        let Self { name, wanted, now } = *self;
        let strange = now.filter(|now| Some(*now) != wanted);
        let moved = strange.map(|strange| (strange, keep(git, &strange)));
        let kept = match &moved {
            Some((strange, Some(kept))) => format!("; what it named, {}, is kept as {kept}", strange.short()),
            _ => String::new(),
        };
        if let Err(error) = git.move_reference(name, now.as_ref(), wanted.as_ref()) {
            let kept = match wanted {
                Some(wanted) => git.keep(&wanted, WANTED).ok(),
                None => moved.and_then(|(_, kept)| kept),
            };
            let owed = OwedReference { name: name.to_owned(), wanted, found: now, kept };
            let told =
                format!("{} The next run does that before anything else.", told(&owed, &reason(&error)));
            // Where it must not exist, it still names what it named.
            let is_kept = owed.kept.is_some() || owed.wanted.is_none();
            git.owed().note(owed);
            return PutBack { told, is_done: false, is_kept };
        }
        git.owed().forget(name);
        let told = match wanted {
            Some(wanted) => format!("{name} names {wanted} again{kept}."),
            None => format!("{name} was removed{kept}."),
        };
        PutBack { told, is_done: true, is_kept: moved.is_none_or(|(_, kept)| kept.is_some()) }
    }
}

/// What came of putting a reference back.
pub(crate) struct PutBack {
    /// Sentences that say it.
    pub(crate) told: String,
    /// Whether it names what it has to name.
    pub(crate) is_done: bool,
    /// Whether some reference leads to each commit that it named or has to name.
    pub(crate) is_kept: bool,
}

/// Why git could not move a reference, and what to do about a lock file that is in the way.
fn reason(error: &Error) -> String {
    let what = error.what().trim_end_matches('.');
    if error.kind() == Kind::Busy && what.contains(".lock ") {
        format!("{what}. {}", error.remedy())
    } else {
        format!("{what}.")
    }
}

/// What is to be done about a reference that could not be put back, and how it is now.
fn told(owed: &OwedReference, why: &str) -> String {
    let OwedReference { name, wanted, found, kept } = owed;
    let word = shell_word(name);
    let is_now = match found {
        Some(found) => format!("{name} names {}", found.short()),
        None => format!("{name} is gone or damaged"),
    };
    let Some(wanted) = wanted else {
        return format!(
            "{name} could not be removed: {why} {is_now}. `git update-ref --no-deref -d {word}` removes it."
        );
    };
    let kept = match kept {
        Some(kept) => format!("{wanted} is kept as {kept}"),
        None => format!("no reference could be made that keeps {wanted}, so write that down"),
    };
    format!(
        "{name} could not be put back: {why} {is_now}, and {kept}. `git update-ref --no-deref {word} {wanted}` puts it back."
    )
}

/// Puts back what earlier runs could not put back. Nothing may read these references before. Returns messages.
///
/// # Errors
/// [`Kind::Unsafe`], naming those that still cannot be put back.
pub(crate) fn put_back_owed(git: &Git) -> Result<Vec<String>> {
    let (mut warnings, mut still) = (Vec::new(), Vec::new());
    for owed in git.owed().all() {
        let now = git.commit_named(&owed.name)?;
        let (name, wanted) = (owed.name.as_str(), owed.wanted);
        if now == wanted || is_moved_on(git, &owed, now.as_ref()) {
            git.owed().forget(name);
        } else if owed
            .kept
            .as_ref()
            .is_some_and(|kept| git.commit_named(kept).is_ok_and(|there| there.is_none()))
        {
            git.owed().forget(name);
            warnings.push(format!("{name} was not put back, because what keeps its commit was removed"));
        } else if now == owed.found {
            match git.move_reference(name, now.as_ref(), wanted.as_ref()) {
                Ok(()) => {
                    git.owed().forget(name);
                    warnings.push(match wanted {
                        Some(wanted) => {
                            format!("{name}, which an earlier run could not put back, names {wanted} again")
                        }
                        None => format!("{name}, which an earlier run could not remove, is removed"),
                    });
                }
                Err(error) => still.push(told(&owed, &reason(&error))),
            }
        } else {
            let owed = OwedReference { found: now, ..owed };
            let way_out = owed.kept.as_ref().map(|kept| {
                format!(
                    " To leave it as it is, remove what is kept: `git update-ref -d {}`.",
                    shell_word(kept)
                )
            });
            still.push(format!(
                "{}{}",
                told(&owed, "it was moved again since."),
                way_out.unwrap_or_default()
            ));
        }
    }
    if still.is_empty() {
        return Ok(warnings);
    }
    Err(Error::new(
        Kind::Unsafe,
        "references that were moved during an earlier run could still not be put back",
        format!("{} Then run the same command again.", still.join(" ")),
    ))
}

/// Whether somebody has put a reference back and gone on from there.
fn is_moved_on(git: &Git, owed: &OwedReference, now: Option<&CommitId>) -> bool {
    let (Some(wanted), Some(now)) = (&owed.wanted, now) else { return false };
    let is_free = owed.found.is_none_or(|found| git.is_ancestor(&found, now).is_ok_and(|contains| !contains));
    is_free && git.is_ancestor(wanted, now).unwrap_or(false)
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
    git.keep(commit, MOVED).ok()
}

/// Puts references back, what is too much first: a branch `a/b` is in the way of a branch `a`.
pub(crate) fn refused(git: &Git, mut strange: Vec<MovedRef<'_>>, who: &str) -> Error {
    strange.sort_by_key(|moved| moved.wanted.is_some());
    let told: Vec<String> = strange.iter().map(|moved| moved.put_back(git).told).collect();
    let names: Vec<String> =
        strange.iter().map(|moved| format!("{} ({})", moved.name, moved.verb())).collect();
    Error::new(
        Kind::Unsafe,
        format!("branches of the run were changed while {who} was at work: {}", listed(&names)),
        format!("None of that counts. {} Run the same command again.", told.join(" ")),
    )
}
