//! Reads the committed file `.arborist/config.json` into keys and texts.

use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::text::advice;

/// The committed file of settings, relative to the top of the work tree.
pub const CONFIG_FILE: &str = ".arborist/config.json";

pub(super) struct FileEntry {
    /// The key, with dots between its parts.
    pub(super) key: String,
    /// The value as text.
    pub(super) text: String,
}

/// All entries of the file in the work tree at `top`; empty if there is no such file.
///
/// # Errors
/// [`Kind::Input`] if it cannot be read, is not a JSON object, or holds a list.
pub(super) fn read(top: &Path) -> Result<Vec<FileEntry>> {
    let bytes = match files::read(&top.join(CONFIG_FILE), files::SMALL) {
        Ok(bytes) => bytes,
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(bad(format!("{CONFIG_FILE} cannot be read: {error}"))),
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        bad(format!("{CONFIG_FILE}:{}:{}: this is not JSON", error.line(), error.column()))
    })?;
    let Value::Object(map) = value else {
        return Err(bad(format!("{CONFIG_FILE} is not a JSON object")));
    };
    let mut entries = Vec::new();
    for (key, value) in map {
        flatten(key, value, &mut entries)?;
    }
    Ok(entries)
}

/// `{"implement": {"runner": "x"}}` and `{"implement.runner": "x"}` say the same.
fn flatten(key: String, value: Value, entries: &mut Vec<FileEntry>) -> Result<()> {
    match value {
        Value::Object(map) => {
            for (inner, value) in map {
                flatten(format!("{key}.{inner}"), value, entries)?;
            }
        }
        Value::String(text) => entries.push(FileEntry { key, text }),
        Value::Bool(_) | Value::Number(_) => {
            entries.push(FileEntry { key, text: value.to_string() });
        }
        Value::Null => {}
        Value::Array(_) => {
            let what = format!("{CONFIG_FILE}: the key {key} holds a list");
            return Err(Error::new(Kind::Input, what, "Write one text; patterns are separated by spaces."));
        }
    }
    Ok(())
}

fn bad(what: String) -> Error {
    Error::new(Kind::Input, what, format!("Correct the file; {} names the settings.", advice::help("config")))
}
