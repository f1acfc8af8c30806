//! Finds and reads the tree file, and stores what is known about a plan as long as neither the file nor HEAD changes.

use std::path::{Path, PathBuf};

use super::branch_rule::BranchRule;
use super::found::how_to_begin;
use crate::config::{Config, Origin, Setting, TREE_FILE};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::history::{AnchorRule, RepoPath};
use crate::text::{one_line, shell_word};

/// The tree file of a work tree, whose content was not checked yet.
#[derive(Clone, Debug)]
pub struct PlanFile {
    pub(crate) path: PathBuf,
    /// The name of the file in messages: its path from the top of the work tree, if it is inside.
    pub(crate) shown: String,
    pub(crate) in_repository: Option<RepoPath>,
    pub(crate) anchor: AnchorRule,
    pub(crate) branches: BranchRule,
    pub(crate) top: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl PlanFile {
    /// Finds and reads the tree file of the work tree at `top`. `--tree` is taken from `current_dir`, other settings
    /// from the top. `is_in_head` says whether HEAD has a file.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is none, or if it cannot be read.
    pub fn find(
        config: &Config,
        top: &Path,
        current_dir: &Path,
        is_in_head: impl Fn(&RepoPath) -> bool,
    ) -> Result<Self> {
        let chosen = config.value(Setting::Tree);
        let option = chosen.as_ref().filter(|value| matches!(value.origin, Origin::CommandLine(_)));
        let option = option.map(|value| value.text.clone());
        let path = match (&option, chosen) {
            (Some(given), _) => current_dir.join(given),
            (None, Some(value)) => top.join(value.text),
            (None, None) => top.join(TREE_FILE),
        };
        let inside = path_in(top, &path);
        let shown = inside.clone().unwrap_or_else(|| path.display().to_string());
        let in_repository = inside.and_then(|path| RepoPath::new(path.as_bytes()));
        let bytes = match read(&path, top, PlanFileName { shown: &shown, option: option.as_deref() }) {
            Err(_) if !path.exists() && in_repository.as_ref().is_some_and(is_in_head) => {
                let from_top = if current_dir == top { "" } else { ":/" };
                let word = shell_word(&format!("{from_top}{shown}"));
                return Err(Error::new(
                    Kind::Input,
                    format!("the plan {} is not in the work tree any more", one_line(&shown)),
                    format!(
                        "`git restore --source=HEAD --staged --worktree {word}` brings it back from the last commit."
                    ),
                ));
            }
            bytes => bytes?,
        };
        let anchor = config.choice(Setting::Anchor, AnchorRule::from_word);
        let branches = BranchRule::of(config);
        Ok(Self { path, shown, in_repository, anchor, branches, top: top.to_path_buf(), bytes })
    }

    /// The name of the file in messages: its path from the top of the work tree, if it is in there.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The content.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The path of `file` from `top`, with `/`, if the file is below `top`. Links to folders on the way are followed, but a
/// link at the end is not: git knows the link, not its target.
fn path_in(top: &Path, file: &Path) -> Option<String> {
    if file.parent()? == top {
        return file.file_name()?.to_str().map(str::to_owned);
    }
    let Ok(folder) = file.parent()?.canonicalize() else {
        // Its folder is missing, and so is the file. All we know is where it would be.
        return file.strip_prefix(top).ok()?.to_str().map(str::to_owned);
    };
    let path = folder.join(file.file_name()?);
    let inside = path.strip_prefix(top.canonicalize().ok()?).ok()?;
    inside.to_str().map(str::to_owned)
}

fn read(file: &Path, top: &Path, named: PlanFileName<'_>) -> Result<Vec<u8>> {
    let PlanFileName { shown, option } = named;
    files::read(file, files::LARGE).map_err(|error| {
        let (what, remedy) = match (error.kind(), option) {
            (std::io::ErrorKind::NotFound, None) => {
                (format!("there is no {shown} in this work tree"), how_to_begin(top))
            }
            (std::io::ErrorKind::NotFound, Some(given)) => {
                (format!("there is no {}", one_line(given)), ELSEWHERE.to_owned())
            }
            (_, given) if file.is_dir() => {
                let what = format!("{} is a folder, not a file", one_line(given.unwrap_or(shown)));
                (what, FOLDER.to_owned())
            }
            _ => (
                format!("{shown} cannot be read: {error}"),
                "Make it readable, or name another file with --tree.".to_owned(),
            ),
        };
        Error::new(Kind::Input, what, remedy)
    })
}

/// How the file of a plan is named.
#[derive(Clone, Copy)]
struct PlanFileName<'a> {
    /// In messages.
    shown: &'a str,
    /// By the option `--tree`.
    option: Option<&'a str>,
}

/// The advice if the file that was named is not there.
const ELSEWHERE: &str = "--tree takes a path from the current folder; without it, task-tree.json at the top of the work tree \
                         is the plan.";

/// The advice if a folder was named.
const FOLDER: &str = "Name the file in it, as in `--tree path/to/task-tree.json`.";
