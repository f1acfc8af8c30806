//! One run per work tree: a lock in its git directory, held by the operating system for as long as we live.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};

use chrono::{SecondsFormat, Utc};

use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;

/// The lock; it is given back when this is dropped, or when the process ends in whatever way.
#[derive(Debug)]
pub struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// Takes the lock of a work tree for a command, at once or not at all. On a file system without locks there is
    /// none, and the caller hears of it.
    ///
    /// # Errors
    /// [`Kind::Busy`], naming the holder, if somebody has it.
    pub fn take(work_tree: &WorkTree, command: &str) -> Result<(Self, Option<String>)> {
        let folder = work_tree.git_dir.join("arborist");
        let path = folder.join("lock");
        let open = || {
            std::fs::create_dir_all(&folder)?;
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)
        };
        let mut file = open().map_err(|error| {
            Error::new(
                Kind::Surroundings,
                format!("{} cannot be opened: {error}", path.display()),
                "Nothing was touched. Make the git directory writable, then run the same command again.",
            )
        })?;
        match file.try_lock() {
            Ok(()) => {
                // Who holds it is only for the message of the next one; the lock itself is what counts.
                let holder = format!("{} (process {}) since {}", command, std::process::id(), now());
                let _ = file
                    .set_len(0)
                    .and_then(|()| file.rewind())
                    .and_then(|()| file.write_all(holder.as_bytes()));
                Ok((Self { _file: Some(file) }, None))
            }
            Err(TryLockError::WouldBlock) => Err(busy(&mut file)),
            Err(TryLockError::Error(error)) => {
                let warning =
                    format!("{} cannot be locked ({error}): do not start a second run here", path.display());
                Ok((Self { _file: None }, Some(warning)))
            }
        }
    }
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn busy(file: &mut File) -> Error {
    let mut holder = String::new();
    let _ = file.take(200).read_to_string(&mut holder);
    let holder = if holder.is_empty() { "another run".to_owned() } else { crate::task::one_line(&holder) };
    Error::new(
        Kind::Busy,
        format!("already at work in this work tree: {holder}"),
        "Wait until it has ended, or stop it. `git arborist status` shows how far it is.",
    )
}
