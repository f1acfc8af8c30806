//! Reads one object after another from a git that is left running.

use std::io::{Read, Write};

use super::running::Running;

/// A running `git cat-file --batch`, which is asked for one object after another.
#[derive(Debug)]
pub struct CatFile(pub(super) Running);

impl CatFile {
    /// Replaces the content of `into` with that of the object `name`, and returns its type.
    ///
    /// # Errors
    /// Git's message if the object is missing or cannot be read.
    pub fn read(&mut self, name: &str, into: &mut Vec<u8>) -> std::result::Result<String, String> {
        into.clear();
        self.copy(name, into)
    }

    /// Writes the content of the object `name`, which may be of any size, and returns its type.
    ///
    /// # Errors
    /// Git's message if the object is missing or cannot be read, or the reason why it cannot be written. Then no other
    /// object can be read.
    pub fn copy(&mut self, name: &str, into: &mut impl Write) -> std::result::Result<String, String> {
        let answer = self.answer(name, into);
        if let Ok(Some(kind)) = answer {
            return Ok(kind);
        }
        let words = self.0.end();
        let words = words.trim().trim_start_matches("fatal: ").trim_start_matches("error: ");
        Err(match answer {
            Err(error) if words.is_empty() => error.to_string(),
            Err(_) => words.to_owned(),
            Ok(_) => format!("it is missing\n{words}").trim().to_owned(),
        })
    }

    /// Asks for one object. Returns its type, or `None` if git has no such object.
    fn answer(&mut self, name: &str, into: &mut impl Write) -> std::io::Result<Option<String>> {
        let ended = || std::io::Error::other("git cat-file ended");
        self.0.ask(format!("{name}\n").as_bytes())?;
        let header = self.0.line().ok_or_else(ended)?;
        let mut words = header.split_ascii_whitespace();
        let (Some(_), Some(kind), size) = (words.next(), words.next(), words.next()) else {
            return Err(ended());
        };
        let Some(size) = size.and_then(|size| size.parse::<u64>().ok()) else { return Ok(None) };
        if std::io::copy(&mut self.0.output.by_ref().take(size), into)? < size {
            return Err(ended());
        }
        let mut line_end = [0];
        self.0.output.read_exact(&mut line_end)?;
        Ok(Some(kind.to_owned()))
    }
}
