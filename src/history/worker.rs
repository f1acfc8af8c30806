//! Looks at messages on a thread of its own, while the next commits are read.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, scope};

use super::between::Stored;
use super::raw::RawCommit;
use crate::record::CommitId;

/// So many bytes of messages are handed over at once.
const BATCH: usize = 1 << 16;
/// So many batches may wait.
const WAITING: usize = 4;

/// What `read` gives, and what `look` makes of the commits that it hands over, by the numbers that they got. `None` if no
/// thread can be started.
pub(super) fn beside<T: Send, R>(
    look: impl Fn(&Stored<'_>) -> Option<T> + Send,
    read: impl FnOnce(&Desk) -> R,
) -> Option<(R, Vec<Option<T>>)> {
    scope(|scope| {
        let (sender, batches) = sync_channel::<Batch>(WAITING);
        let look_at_all = move || {
            let mut seen = Vec::new();
            batches.into_iter().for_each(|batch| seen.extend(batch.stored().map(|commit| look(&commit))));
            seen
        };
        let looking = Builder::new().spawn_scoped(scope, look_at_all).ok()?;
        let desk = Desk { sender, open: RefCell::default() };
        let result = read(&desk);
        desk.close();
        Some((result, looking.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}

/// Where the reader puts commits.
pub(super) struct Desk {
    sender: SyncSender<Batch>,
    open: RefCell<(usize, Batch)>,
}

impl Desk {
    /// Hands a commit over, and gives its number.
    pub(super) fn put(&self, id: CommitId, commit: &RawCommit<'_>) -> usize {
        let (count, batch) = &mut *self.open.borrow_mut();
        batch.put(id, commit);
        if batch.messages.len() >= BATCH {
            self.send(std::mem::replace(batch, Batch::with_room()));
        }
        *count += 1;
        *count - 1
    }

    fn send(&self, batch: Batch) {
        // Who looks takes all that comes, unless it has panicked, which is heard of at the end.
        let _ = self.sender.send(batch);
    }

    fn close(self) {
        let (_, batch) = self.open.take();
        self.send(batch);
    }
}

/// Commits with their messages, one behind the other.
#[derive(Default)]
struct Batch {
    messages: Vec<u8>,
    commits: Vec<Put>,
}

struct Put {
    id: CommitId,
    parents: usize,
    is_recoded: bool,
    /// Where its message ends.
    end: usize,
}

impl Batch {
    fn with_room() -> Self {
        Self { messages: Vec::with_capacity(2 * BATCH), commits: Vec::with_capacity(BATCH / 256) }
    }

    fn put(&mut self, id: CommitId, commit: &RawCommit<'_>) {
        let end = memchr::memchr(0, commit.message).unwrap_or(commit.message.len());
        self.messages.extend_from_slice(&commit.message[..end]);
        self.commits.push(Put {
            id,
            parents: commit.parents().count(),
            is_recoded: commit.has_encoding,
            end: self.messages.len(),
        });
    }

    fn stored(&self) -> impl Iterator<Item = Stored<'_>> {
        let mut start = 0;
        self.commits.iter().map(move |&Put { id, parents, is_recoded, end }| {
            let message = &self.messages[start..end];
            start = end;
            Stored { id, parents, message, is_recoded }
        })
    }
}
