//! Finds and reads the tree file. The files of the repository on which its content depends are the file itself and every link on the
//! way to it. With what the settings say about branches.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::found::how_to_begin;
pub use crate::config::BranchMode;
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

/// The largest number of links that are followed, as in Linux.
const MAX_LINKS: usize = 40;

/// The paths below `top` of the links on the way to `file` and of the file to which they lead.
pub(crate) fn files_behind(top: &Path, file: &Path) -> Vec<Vec<u8>> {
    let (Ok(top), Ok(file)) = (top.canonicalize(), std::path::absolute(file)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut note = |place: &Path| {
        if let Ok(path) = place.strip_prefix(&top) {
            found.push(path.as_os_str().as_bytes().to_vec());
        }
    };
    let (mut place, mut links) = (PathBuf::new(), 0);
    let mut ahead = parts(&file);
    while let Some(part) = ahead.pop() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => {
                place.pop();
            }
            Some(Component::CurDir) | None => {}
            Some(Component::RootDir | Component::Prefix(_)) => place = PathBuf::from(&part),
            Some(Component::Normal(name)) => {
                let next = place.join(name);
                match std::fs::read_link(&next) {
                    Ok(target) if links < MAX_LINKS => {
                        links += 1;
                        note(&next);
                        ahead.extend(parts(&target));
                    }
                    _ => place = next,
                }
            }
        }
    }
    note(&place);
    found
}

/// The parts of a path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

/// The folder of all branches of runs.
pub const BRANCH_FOLDER: &str = "arborist";

/// The name of the branch that holds the claim of the integration, in the folder of the branches of a plan.
pub const INTEGRATION_BRANCH: &str = "@integrate";

/// The name of the branch, in the folder of the branches of a plan, that collects what is merged where the branch of the run itself is
/// moved only by pull requests.
pub const MERGED_BRANCH: &str = "@merged";

/// What the settings say about branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchRule {
    /// The mode; `None` if the user has not chosen one. Then a run that has branches of phases goes on with them.
    pub(crate) chosen: Option<BranchMode>,
    /// The base branch, without `refs/heads/`, if the user names one.
    pub(crate) base: Option<String>,
}

impl BranchRule {
    /// What a configuration says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let chosen = config.value(Setting::Branches).filter(|value| value.origin != Origin::Default);
        let chosen = chosen.map(|_| config.choice(Setting::Branches, BranchMode::from_word));
        let base = config.optional(Setting::Base);
        let base = base.map(|name| name.strip_prefix("refs/heads/").map(str::to_owned).unwrap_or(name));
        Self { chosen, base }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_on_the_way_is_named_and_what_is_outside_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("work");
        std::fs::create_dir_all(top.join("plans")).unwrap();
        for file in [top.join("plans/x.json"), dir.path().join("outside.json")] {
            std::fs::write(file, "{}").unwrap();
        }
        symlink("plans", top.join("specs")).unwrap();
        symlink("specs/../specs/x.json", top.join("plan.json")).unwrap();
        symlink(dir.path().join("outside.json"), top.join("out.json")).unwrap();
        let behind = |file: &str| {
            let found = files_behind(&top, &top.join(file)).into_iter();
            found.map(|path| String::from_utf8(path).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(behind("plans/x.json"), ["plans/x.json"]);
        assert_eq!(behind("./specs/x.json"), ["specs", "plans/x.json"]);
        assert_eq!(behind("plan.json"), ["plan.json", "specs", "specs", "plans/x.json"]);
        assert_eq!(behind("out.json"), ["out.json"]);
        assert_eq!(behind("../outside.json"), [""; 0]);
    }
}
