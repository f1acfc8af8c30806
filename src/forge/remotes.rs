//! Chooses the remote repositories of a request: the one to which the branch is pushed, and the one into which it is merged.

use super::address::RemoteAddress;
use super::place::{ForgeKind, ForgePlace};
use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::text::one_line;

/// A remote repository.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    /// Its name in this repository.
    pub(crate) name: String,
    pub(crate) address: RemoteAddress,
    /// Its place on a forge; `None` if it is on no host, or has no owner.
    pub(crate) place: Option<ForgePlace>,
}

/// The remote repositories of a request.
#[derive(Clone, Debug)]
pub(crate) struct ChosenRemotes {
    /// The branch is pushed to this one.
    pub(crate) push: Remote,
    /// The request is opened in this one. It differs from the other if that is a fork.
    pub(crate) base: Remote,
}

impl ChosenRemotes {
    /// Chooses as git does: the one that is named, `branch.*.pushRemote`, `remote.pushDefault`, `branch.*.remote`, the only
    /// one, `origin`. Requests of a fork are opened in `upstream` or `origin`, if these are on the same host.
    ///
    /// # Errors
    /// [`Kind::Repository`] if there is none, or it is not clear which one is meant.
    pub(crate) fn of(
        git: &Git,
        branch: &str,
        named: Option<&str>,
        stated: Option<ForgeKind>,
    ) -> Result<Self> {
        let names = git.remotes()?;
        let name = match named {
            Some(name) if names.iter().any(|known| known == name) => name.to_owned(),
            Some(name) => {
                return Err(Error::new(
                    Kind::Input,
                    format!("there is no remote repository {}", one_line(name)),
                    format!("{} `git remote` lists them.", listed(&names)),
                ));
            }
            None => push_remote(git, branch, &names)?,
        };
        let push = Remote::new(name.clone(), &git.push_url(&name)?, stated);
        let others = ["upstream", "origin"].into_iter().filter(|other| *other != name);
        for other in others.filter(|other| names.iter().any(|known| known == other)) {
            let other = Remote::new(other.to_owned(), &git.fetch_url(other)?, stated);
            let host = |remote: &Remote| remote.place.as_ref().map(|place| place.host.clone());
            // On the same host, one of them is a fork of the other. `origin` is the fork if there is an `upstream`.
            if host(&other).is_some() && host(&other) == host(&push) {
                return Ok(Self { push, base: other });
            }
        }
        Ok(Self { base: push.clone(), push })
    }

    /// The name of the remote repository to which git would push a branch; `None` if there is none, or it is not clear which one
    /// is meant.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub(crate) fn to_push(git: &Git, branch: &str) -> Result<Option<String>> {
        Ok(push_remote(git, branch, &git.remotes()?).ok())
    }
}

impl Remote {
    fn new(name: String, url: &str, stated: Option<ForgeKind>) -> Self {
        let address = RemoteAddress::parse(url);
        let place = ForgePlace::of(&address, stated);
        Self { name, address, place }
    }
}

fn push_remote(git: &Git, branch: &str, names: &[String]) -> Result<String> {
    let keys = [
        format!("branch.{branch}.pushRemote"),
        "remote.pushDefault".to_owned(),
        format!("branch.{branch}.remote"),
    ];
    for key in &keys {
        let name = git.setting(key)?.filter(|name| names.contains(name));
        if let Some(name) = name {
            return Ok(name);
        }
    }
    match names {
        [] => Err(Error::new(
            Kind::Repository,
            "there is no remote repository to which the branch could be pushed",
            "Nothing was done. Add one with `git remote add origin ADDRESS`, then run the same command again.",
        )),
        [only] => Ok(only.clone()),
        many if many.iter().any(|name| name == "origin") => Ok("origin".to_owned()),
        many => Err(Error::new(
            Kind::Repository,
            "it is not clear to which remote repository the branch is to be pushed",
            format!("{} Name one with --remote, or set remote.pushDefault.", listed(many)),
        )),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "There is none.".to_owned(),
        names => format!("There are {}.", one_line(&names.join(", "))),
    }
}
