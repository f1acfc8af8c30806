//! Finds the program that talks to the forge of a repository, and is logged in there.

use super::place::{ForgeKind, ForgePlace};
use super::program::{ForgeProgram, Login};
use crate::error::Result;
use crate::text::one_line;

/// Finds the program of a kind of forge, if it is installed.
pub(crate) type FindProgram<'a> = &'a dyn Fn(ForgeKind) -> Result<Option<ForgeProgram>>;

/// A program that is logged in.
#[derive(Clone, Debug)]
pub(crate) struct LoggedIn {
    pub(crate) program: ForgeProgram,
    /// The name of its login, if it has several.
    pub(crate) login: Option<String>,
}

/// Why no forge can be asked from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The remote repository is not on a forge that we know.
    NoForge,
    /// The program for this kind of forge is not installed.
    NotInstalled(ForgeKind),
    /// The program is not logged in; what it says, and how to log in.
    NotLoggedIn {
        /// The kind of forge.
        kind: ForgeKind,
        /// What the program says.
        said: String,
        /// The command that logs in.
        command: String,
    },
}

impl Obstacle {
    /// The obstacle as a clause.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::NoForge => "the remote repository is not on a known forge".to_owned(),
            Self::NotInstalled(kind) => format!("{} is not installed", kind.program()),
            Self::NotLoggedIn { kind, said, .. } => {
                let said = one_line(said);
                let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
                format!("{} is not logged in{said}", kind.program())
            }
        }
    }

    /// What to do about it, as a sentence.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::NoForge => "If it is on a forge, `git config arborist.pr.forge github|gitlab|gitea` says which kind it is.".to_owned(),
            Self::NotInstalled(kind) => format!("Install {}, and log in with it.", kind.program()),
            Self::NotLoggedIn { command, .. } => format!("Log in with `{command}`."),
        }
    }
}

/// The program for the forge of a place. Where the name of the host does not tell the kind, a program that is logged in
/// there does.
///
/// # Errors
/// If a program cannot be run.
pub(crate) fn logged_in(
    place: Option<&ForgePlace>,
    find: FindProgram<'_>,
) -> Result<std::result::Result<LoggedIn, Obstacle>> {
    let Some(place) = place else { return Ok(Err(Obstacle::NoForge)) };
    let kinds = place.kind.map_or(ForgeKind::ALL.to_vec(), |kind| vec![kind]);
    let mut obstacle = Obstacle::NoForge;
    for kind in kinds {
        let Some(program) = find(kind)? else {
            if place.kind.is_some() {
                obstacle = Obstacle::NotInstalled(kind);
            }
            continue;
        };
        match program.login(place)? {
            Login::Is(login) => return Ok(Ok(LoggedIn { program, login })),
            Login::IsNot(said) if place.kind.is_some() => {
                obstacle = Obstacle::NotLoggedIn { kind, said, command: program.login_command(place) };
            }
            Login::IsNot(_) => {}
        }
    }
    Ok(Err(obstacle))
}
