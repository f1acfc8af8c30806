//! Which commits a commit reverts, told from the line that `git revert` writes.

use std::collections::HashMap;

use super::bits::Bits;
use crate::task::{CommitId, carries_step};

const LINE: &str = "This reverts commit ";

/// The commits that the commit with this message reverts: one for each line that is exactly
/// `This reverts commit <full id>.` None for a message that carries an `Arborist-Step`: the body of a step is what a
/// runner or a test printed, and no word of it may change the state of a task.
#[must_use]
pub fn reverted_by(message: &[u8]) -> Vec<CommitId> {
    if !mentions(message) || carries_step(message) {
        return Vec::new();
    }
    message.split(|&byte| byte == b'\n').filter_map(reverted_in_line).collect()
}

fn reverted_in_line(line: &[u8]) -> Option<CommitId> {
    CommitId::from_hex(line.strip_prefix(LINE.as_bytes())?.strip_suffix(b".")?)
}

/// Whether it is worth looking closer. Most messages are UTF-8, for which the standard library searches many bytes at
/// a time; this runs over every message of a history.
fn mentions(message: &[u8]) -> bool {
    std::str::from_utf8(message).map_or(true, |text| text.contains(LINE))
}

/// Which commits of a history with merges are reverted: by a commit that descends from them and counts itself.
/// Commits are asked for with children before parents.
pub(super) struct Reversals {
    /// The numbers of the counting commits that revert a commit.
    numbers: HashMap<CommitId, Vec<usize>>,
    next: usize,
}

impl Reversals {
    /// Nothing is reverted; the numbers from `first_free` on may be entered into sets of descendants.
    pub(super) fn new(first_free: usize) -> Self {
        Self { numbers: HashMap::new(), next: first_free }
    }

    /// Whether none of the commit's descendants, whose set this is, reverts it.
    pub(super) fn counts(&self, id: &CommitId, descendants: &Bits) -> bool {
        let reverts = self.numbers.get(id);
        !reverts.is_some_and(|numbers| numbers.iter().any(|&number| descendants.contains(number)))
    }

    /// Enters a counting commit that reverts others.
    pub(super) fn enter(&mut self, reverted: &[CommitId], descendants: &mut Bits) {
        let number = self.fresh();
        descendants.insert(number);
        reverted.iter().for_each(|id| self.numbers.entry(*id).or_default().push(number));
    }

    /// A number that was never given before.
    pub(super) fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_line_with_a_full_id_reverts() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let sha256 = "ab".repeat(32);
        let reverts = |message: &str| reverted_by(message.as_bytes()).len();
        assert_eq!(reverts(&format!("Revert \"x\"\n\nThis reverts commit {id}.\n")), 1);
        assert_eq!(reverts(&format!("Revert \"x\"\n\nThis reverts commit {sha256}.")), 1);
        assert_eq!(reverts(&format!("two\n\nThis reverts commit {id}.\nThis reverts commit {sha256}.\n")), 2);
        for not in [
            format!("x\n\nThis reverts commit {id}\n"),
            format!("x\n\n This reverts commit {id}.\n"),
            format!("x\n\n> This reverts commit {id}.\n"),
            format!("x\n\nThis reverts commit {}.\n", &id[..12]),
            format!("x\n\nThis reverts commit {id}, reversing\nchanges made to {id}.\n"),
        ] {
            assert_eq!(reverts(&not), 0, "{not}");
        }
        let mut latin = format!("x\n\nThis reverts commit {id}.\n").into_bytes();
        latin.push(0xe9);
        assert_eq!(reverted_by(&latin), [id.parse().unwrap()]);
    }

    #[test]
    fn the_body_of_a_step_commit_reverts_nothing() {
        let id = "ab".repeat(20);
        let message = format!("task(T1): x\n\nThis reverts commit {id}.\n\nArborist-Step: implement\n");
        assert_eq!(reverted_by(message.as_bytes()), []);
    }
}
