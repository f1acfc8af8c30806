//! Reports the slots of the repository: work trees that runs keep for one task after the other (docs/parallel.md).

use std::path::{Path, PathBuf};

use crate::config::Setting;
use crate::engine::Journal;
use crate::error::{Kind, Result};
use crate::report::Diagnosis;
use crate::session::Session;
use crate::text::{advice, counted};
use crate::worktree::{LockedSlot, SlotLeft, slots_left};

/// What becomes of slots that are not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdleSlots {
    /// They stay.
    Keep,
    /// They are removed.
    Remove,
}

/// What is found in a slot.
enum Content {
    /// Everything in it is committed.
    Committed,
    /// A step was interrupted there.
    OpenStep,
    /// Files that are not committed.
    Changes(usize),
}

/// A diagnosis for each slot.
pub(crate) fn diagnose(session: &Session, idle: IdleSlots) -> Result<Vec<Diagnosis>> {
    slots_left(&session.work_tree).iter().map(|slot| of_slot(session, slot, idle)).collect()
}

fn of_slot(session: &Session, slot: &SlotLeft, idle: IdleSlots) -> Result<Diagnosis> {
    let what = "slot";
    let folder = slot.folder.display();
    let named = session.config.optional(Setting::WorktreeDir).map(PathBuf::from);
    let held = match LockedSlot::lock(&session.git, &session.work_tree, named.as_deref(), slot) {
        Ok(Some(held)) => held,
        Ok(None) => return Ok(Diagnosis::good(what, &format!("{folder} is gone"))),
        Err(error) if error.kind() == Kind::Busy => {
            return Ok(Diagnosis::good(what, &format!("{folder}: {}", error.what())));
        }
        Err(error) => return Ok(Diagnosis::bad(what, error.what(), error.remedy())),
    };
    if !held.is_ready {
        let words = format!("{folder} was not completely prepared, so no work was done there");
        return Ok(keep_or_remove(held, &words, idle));
    }
    let size = size_words(size_below(&slot.folder));
    let branch = match held.git.symbolic_head()? {
        Some(branch) => format!(", on {}", branch.strip_prefix("refs/heads/").unwrap_or(&branch)),
        None => String::new(),
    };
    let words = format!("{folder} ({size}{branch})");
    Ok(match content(&held)? {
        Content::Committed => keep_or_remove(held, &format!("{words} is idle"), idle),
        Content::OpenStep => Diagnosis::note(
            what,
            &format!("{words} has an interrupted step"),
            &format!("The next {} continues there.", advice::gardener()),
        ),
        Content::Changes(count) => Diagnosis::note(
            what,
            &format!("{words} has uncommitted changes of {}", counted(count, "file")),
            &format!("Before the next run uses it, they are saved ({}).", advice::rescue_list()),
        ),
    })
}

fn content(held: &LockedSlot) -> Result<Content> {
    if Journal::read(&held.work_tree.git_dir).has_open_work() {
        return Ok(Content::OpenStep);
    }
    let changes = held.git.status()?.len();
    Ok(if changes == 0 { Content::Committed } else { Content::Changes(changes) })
}

fn keep_or_remove(held: LockedSlot, words: &str, idle: IdleSlots) -> Diagnosis {
    let what = "slot";
    if idle == IdleSlots::Keep {
        let remedy = format!(
            "A run uses it again, and removes it when the plan is complete. {} removes it now.",
            advice::doctor_fix()
        );
        return Diagnosis::note(what, words, &remedy);
    }
    let folder = held.work_tree.top.clone();
    match held.remove() {
        Ok(()) => Diagnosis::good(what, &format!("removed {}", folder.display())),
        Err(error) => Diagnosis::bad(what, error.what(), error.remedy()),
    }
}

/// How many bytes the files below a folder have. What cannot be read does not count.
fn size_below(folder: &Path) -> u64 {
    let (mut size, mut folders) = (0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => size += meta.len(),
                Err(_) => {}
            }
        }
    }
    size
}

fn size_words(bytes: u64) -> String {
    match bytes {
        0..=0x3ff => format!("{bytes} bytes"),
        0x400..=0xf_ffff => format!("{} KiB", bytes >> 10),
        0x10_0000..=0x3fff_ffff => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}
