//! What tells other programs about git-arborist: a skill, a part of AGENTS.md, and entries of clients of the Model Context
//! Protocol. `init` writes them, and `doctor` says which are out of date.

mod clients;
mod json_text;

pub(crate) use clients::{CLIENTS, Client};

use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::text::advice;

pub(crate) const SKILL: &str = include_str!("skill.md");
/// The files with the skill: the place that most agents share, and that of Claude Code.
pub(crate) const SKILL_FILES: [&str; 2] =
    [".agents/skills/git-arborist/SKILL.md", ".claude/skills/git-arborist/SKILL.md"];
/// The file with our part.
const AGENTS_MD: &str = "AGENTS.md";
const AGENTS_PART: &str = include_str!("agents.md");
fn begin() -> String {
    format!(
        "<!-- git-arborist: begin. {} writes this part again; changes are lost. -->",
        advice::init_agents_md()
    )
}
/// The beginning of [`begin`], in all versions.
const BEGIN_MARK: &str = "<!-- git-arborist: begin";
const END: &str = "<!-- git-arborist: end -->";

/// A file of the user, and how it would be with our part.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// The file, from the top of the work tree.
    pub(crate) file: &'static str,
    /// Its text; empty if it is not there.
    before: String,
    /// Its text with our part.
    pub(crate) after: String,
    /// Whether it had our part before, perhaps an old one.
    pub(crate) was_there: bool,
}

impl Edit {
    /// Our part of AGENTS.md.
    ///
    /// # Errors
    /// If the file cannot be read, or its markers do not fit together.
    pub(crate) fn of_agents_md(top: &Path) -> Result<Self> {
        let before = read(top, AGENTS_MD)?;
        let part = format!("{}\n{AGENTS_PART}{END}\n", begin());
        let after = with_part(&before, &part).map_err(|why| wrong(AGENTS_MD, &why))?;
        Ok(Self { file: AGENTS_MD, was_there: before.contains(BEGIN_MARK), before, after })
    }

    /// The entry of a client.
    ///
    /// # Errors
    /// If its file cannot be read or understood.
    pub(crate) fn of_client(top: &Path, client: &Client) -> Result<Self> {
        let before = read(top, client.file)?;
        let after = client.with_entry(&before).map_err(|why| wrong(client.file, &why))?;
        Ok(Self { file: client.file, was_there: client.is_in(&before), before, after })
    }

    /// What the client of the file asks before it uses our part; empty if it asks nothing.
    pub(crate) fn asks(&self) -> &'static str {
        CLIENTS.iter().find(|client| client.file == self.file).map_or("", |client| client.asks)
    }

    /// Whether it would change the file.
    pub(crate) fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self, top: &Path) -> Result<()> {
        let place = top.join(self.file);
        let folder = place.parent().expect("every file is below the top");
        let written =
            std::fs::create_dir_all(folder).and_then(|()| files::write_whole(&place, self.after.as_bytes()));
        written.map_err(|error| Error::not_written(self.file, &error))
    }
}

/// The clients that seem to be used here.
pub(crate) fn clients_here(top: &Path) -> impl Iterator<Item = &'static Client> {
    CLIENTS.iter().filter(move |client| client.traces().iter().any(|trace| top.join(trace).exists()))
}

/// What is out of date, with the words after `git arborist init` that write it again.
pub(crate) fn outdated(top: &Path) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for file in SKILL_FILES {
        // What cannot be read is not ours.
        let text = read(top, file).unwrap_or_default();
        if text.contains("Written by git-arborist") && text != SKILL {
            found.push((file, "skill".to_owned()));
        }
    }
    let is_outdated = |edit: &Edit| edit.was_there && edit.is_needed();
    found.extend(
        Edit::of_agents_md(top).ok().filter(is_outdated).map(|edit| (edit.file, "agents-md".to_owned())),
    );
    for client in &CLIENTS {
        let edit = Edit::of_client(top, client).ok().filter(is_outdated);
        found.extend(edit.map(|edit| (edit.file, format!("mcp {}", client.name))));
    }
    found
}

fn read(top: &Path, file: &str) -> Result<String> {
    let place = top.join(file);
    let bytes = match files::read(&place, files::SMALL) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound && place.symlink_metadata().is_err() => {
            return Ok(String::new());
        }
        Err(error) => return Err(wrong(file, &error.to_string())),
    };
    String::from_utf8(bytes).map_err(|_| wrong(file, "it is not valid UTF-8"))
}

fn wrong(file: &str, why: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("{file} cannot be changed: {why}"),
        "Nothing was changed in it. With `--print`, the same command prints what belongs there, so that you can add it yourself.",
    )
}

/// The text with our part in place of the one that it has, or at its end.
fn with_part(text: &str, part: &str) -> std::result::Result<String, String> {
    let begin = text.find(BEGIN_MARK);
    let end = text.find(END);
    match (begin, end) {
        (None, None) if text.trim().is_empty() => Ok(part.to_owned()),
        (None, None) => Ok(format!("{}\n\n{part}", text.trim_end())),
        (Some(begin), Some(end)) if begin < end => {
            let rest = &text[end + END.len()..];
            Ok(format!("{}{}{rest}", &text[..begin], part.trim_end()))
        }
        _ => Err(format!("its markers `{BEGIN_MARK} ... -->` and `{END}` do not belong together")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_part_of_a_file_is_replaced_and_the_rest_stays() {
        let part = format!("{}\nnew\n{END}\n", begin());
        assert_eq!(with_part("", &part).unwrap(), part);
        let text = with_part("# Mine\n\ntext\n\n\n", &part).unwrap();
        assert_eq!(text, format!("# Mine\n\ntext\n\n{part}"));
        let more = format!("{}\n# After\n", text.replace("new", "old"));
        assert_eq!(with_part(&more, &part).unwrap(), format!("{text}\n# After\n"));
        assert_eq!(with_part(&text, &part).unwrap(), text, "a second time changes nothing");
        assert!(with_part(&format!("{END}\n{}\n", begin()), &part).is_err());
        assert!(with_part(&begin(), &part).is_err());
    }

    #[test]
    fn the_description_of_the_skill_is_short() {
        let line = SKILL.lines().find_map(|line| line.strip_prefix("description: ")).unwrap();
        assert!(line.len() < 300, "{}", line.len());
        assert!(SKILL.starts_with("---\nname: git-arborist\n"));
        // A colon followed by a blank would need quotation marks in YAML.
        assert!(!line.contains(": ") && !line.contains(" #"), "{line}");
    }
}
