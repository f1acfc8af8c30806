//! Finds the program that talks to the forge of a repository, and is logged in there.

use super::place::{ForgeKind, ForgePlace};
use super::program::ForgeProgram;
use crate::error::Result;
use crate::text::one_line;

/// Finds the program of a kind of forge, if it is installed.
pub(crate) type FindProgram<'a> = &'a dyn Fn(ForgeKind) -> Result<Option<ForgeProgram>>;

/// Why no forge can be asked from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The remote repository is not on a forge that we know.
    NoForge,
    /// No program opens requests on this kind of forge: the branch is pushed, and a person does it.
    ByHand(ForgeKind),
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
            Self::ByHand(kind) => format!("no program opens requests on {} from here", kind.word()),
            Self::NotInstalled(kind) => format!("{} is not installed", kind.program().unwrap_or_default()),
            Self::NotLoggedIn { kind, said, .. } => {
                let said = one_line(said);
                let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
                format!("{} is not logged in{said}", kind.program().unwrap_or_default())
            }
        }
    }

    /// What to do about it, as a sentence.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::NoForge => "If it is on a forge, `git config arborist.pr.forge github|gitlab|gitea` says which kind it is.".to_owned(),
            Self::ByHand(_) => "Open it by hand.".to_owned(),
            Self::NotInstalled(kind) => format!("Install {}, and log in with it.", kind.program().unwrap_or_default()),
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
) -> Result<std::result::Result<ForgeProgram, Obstacle>> {
    let Some(place) = place else { return Ok(Err(Obstacle::NoForge)) };
    if let Some(kind) = place.kind.filter(|kind| kind.program().is_none()) {
        return Ok(Err(Obstacle::ByHand(kind)));
    }
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
            Ok(()) => return Ok(Ok(program)),
            Err(said) if place.kind.is_some() => {
                obstacle = Obstacle::NotLoggedIn { kind, said, command: program.login_command(place) };
            }
            Err(_) => {}
        }
    }
    Ok(Err(obstacle))
}
