//! The entry that the holder of a lock writes into its file, so that others can name it and tell whether it is alive.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;

use chrono::{SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::git::WorkTree;
use crate::process::Instance;

/// A limit for reading the file, larger than anything that a holder writes.
const LIMIT: u64 = 2000;

/// The entry that a holder wrote into the file.
pub(super) struct HolderEntry {
    /// The command, its process and the time since when it holds the lock, for messages; empty if that is not written yet.
    pub(super) shown: String,
    /// `None` if it was not (or not yet) written.
    pub(super) instance: Option<Instance>,
    /// The name of its machine, for messages; `None` if it was not written.
    pub(super) host: Option<String>,
}

/// The second line of the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    instance: Instance,
    host: Option<String>,
}

impl HolderEntry {
    /// The entry of this process.
    pub(super) fn own(command: &str) -> Self {
        let instance = Instance::own();
        let since = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
        let shown = format!("{command} (process {}) since {since}", instance.pid);
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { shown, instance: Some(instance), host: Some(host) }
    }

    /// Replaces the content of the file.
    pub(super) fn write(&self, mut file: &File) -> std::io::Result<()> {
        let Self { shown, instance, host } = self;
        let entry = instance.clone().map(|instance| Entry { instance, host: host.clone() });
        let entry = serde_json::to_string(&entry).expect("numbers and texts can be written as JSON");
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(format!("{shown}\n{entry}\n").as_bytes())
    }

    /// Reads the entry in the file.
    pub(super) fn read(mut file: &File) -> Self {
        let mut text = String::new();
        // The entry only informs. What cannot be read counts as not written yet.
        let _ = file.rewind().and_then(|()| file.take(LIMIT).read_to_string(&mut text));
        let (shown, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let shown = crate::text::one_line(shown);
        let entry: Option<Entry> = serde_json::from_str(rest).ok();
        let (instance, host) = entry.map(|Entry { instance, host }| (instance, host)).unzip();
        let host = host.flatten().map(|host| crate::text::one_line(&host));
        Self { shown, instance, host }
    }

    /// Whether the holder has certainly ended. If the lock is still held, the command was killed, and something that it
    /// started still runs.
    pub(super) fn is_provably_gone(&self) -> bool {
        self.instance.as_ref().is_some_and(Instance::is_provably_gone)
    }

    /// Whether the last holder has released the lock, or the next one has not yet written its entry.
    pub(super) fn is_nobody(&self) -> bool {
        self.shown.is_empty()
    }
}

/// The present holder of the lock of a work tree; `None` if the lock is free. The lock is not taken.
pub(super) fn holder_of(work_tree: &WorkTree) -> Option<HolderEntry> {
    let file = files::open(&lock_path(work_tree)).ok()?.into_file();
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(HolderEntry::read(&file)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// The lock of a work tree.
pub(super) fn lock_path(work_tree: &WorkTree) -> PathBuf {
    work_tree.git_dir.join("arborist").join("lock")
}
