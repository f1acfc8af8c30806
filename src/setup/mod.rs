//! Prepares a repository: what is found there, what is missing, and what is written. `init` prepares its parts.

pub(crate) mod change;
pub(crate) mod checks;
pub(crate) mod commit_hook;
pub(crate) mod dialogue;
pub(crate) mod files;
pub(crate) mod found;
pub(crate) mod ignore;
pub(crate) mod integrations;
pub(crate) mod packages;
pub(crate) mod place;
pub(crate) mod settings;
pub(crate) mod suite;
pub(crate) mod test_files;

use std::path::Path;

use self::files::{FileSet, NewFile};
use self::integrations::{CLIENTS, Client, Edit, SKILL, SKILL_FILES, clients_here};
use self::place::{Request, completions, man_pages};
use crate::error::{Error, Kind, Result};
use crate::text::advice;

/// Something that `init` prepares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The word on the command line.
    pub(crate) name: &'static str,
    pub(crate) work: Work,
}

/// How a part is prepared.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// By asking for settings and for the plan.
    Settings,
    /// By installing the git hooks.
    Hooks,
    /// By writing these files.
    Files(fn(&Request<'_>) -> Result<FileSet>),
    /// By writing these files into the work tree.
    Repository(fn(&Path) -> FileSet),
    /// By changing files of the user.
    Edits(fn(&Path, &[&'static Client]) -> Result<Vec<Edit>>),
}

/// All parts, in the order in which they are prepared.
pub(crate) const PARTS: [Part; 7] = [
    Part { name: "settings", work: Work::Settings },
    Part { name: "hooks", work: Work::Hooks },
    Part { name: "man", work: Work::Files(man_pages) },
    Part { name: "completions", work: Work::Files(completions) },
    Part { name: "skill", work: Work::Repository(skill) },
    Part { name: "agents-md", work: Work::Edits(agents_md) },
    Part { name: "mcp", work: Work::Edits(mcp) },
];

/// The names of parts and of the clients that may follow `mcp`.
pub(crate) fn words() -> Vec<&'static str> {
    PARTS.map(|part| part.name).into_iter().chain(CLIENTS.map(|client| client.name)).collect()
}

/// The files of the skill.
fn skill(top: &Path) -> FileSet {
    let file = |path: &str| NewFile { path: path.to_owned(), content: SKILL.to_owned() };
    let advice = "Commit them, so that all who work on this repository have them.".to_owned();
    FileSet {
        what: "files of the skill",
        folder: top.to_owned(),
        files: SKILL_FILES.map(file).into(),
        advice,
    }
}

fn agents_md(top: &Path, _: &[&'static Client]) -> Result<Vec<Edit>> {
    Ok(vec![Edit::of_agents_md(top)?])
}

/// The entries of the named clients or, if there are none, of those that are used here.
fn mcp(top: &Path, named: &[&'static Client]) -> Result<Vec<Edit>> {
    let here: Vec<&Client> = match named {
        [] => clients_here(top).collect(),
        named => named.to_vec(),
    };
    if here.is_empty() {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(Error::new(
            Kind::Input,
            "say which client gets an entry: nothing here shows which ones are used",
            format!(
                "For example {init_mcp}. These are known: {}.",
                names.join(", "),
                init_mcp = advice::init_mcp("claude")
            ),
        ));
    }
    here.into_iter().map(|client| Edit::of_client(top, client)).collect()
}
