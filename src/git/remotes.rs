//! Asks about remote repositories, and pushes to them.

use super::output::text_of;
use super::{Git, RemoteTips};
use crate::error::Result;
use crate::record::CommitId;
use crate::text::clean;

/// What a remote repository says of its branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteBranches {
    /// Its default branch.
    pub default: Option<String>,
    tips: RemoteTips,
}

impl RemoteBranches {
    /// The newest commit of a branch, if it was asked for and exists.
    #[must_use]
    pub fn tip(&self, branch: &str) -> Option<CommitId> {
        self.tips.get(branch).copied()
    }

    fn parse(text: &str) -> Self {
        let mut found = Self::default();
        for line in text.lines() {
            let Some((value, name)) = line.split_once('\t') else { continue };
            let target = value.strip_prefix("ref: refs/heads/").filter(|_| name == "HEAD");
            if let Some(default) = target {
                found.default = Some(default.to_owned());
            } else if let (Some(branch), Some(tip)) =
                (name.strip_prefix("refs/heads/"), CommitId::from_hex(value.as_bytes()))
            {
                found.tips.insert(branch.to_owned(), tip);
            }
        }
        found
    }
}

/// How a push ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pushing {
    /// The branch is there.
    Done,
    /// The remote repository has commits that would be lost.
    NotFastForward,
    /// It was refused; what git and the remote repository said.
    Refused(String),
}

/// How long the name of a user is at least that may be a token, as in `https://TOKEN@host/`.
const TOKEN: usize = 20;

/// The address without the user and the password in it; `None` if there is no password, and no token in its place.
#[must_use]
pub fn without_password(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split('/').next()?;
    let (login, _) = host.rsplit_once('@')?;
    let plain = rest.get(login.len() + 1..)?;
    let is_token = scheme.starts_with("http") && login.len() >= TOKEN;
    (login.contains(':') || is_token).then(|| format!("{scheme}://{plain}"))
}

impl Git {
    /// The names of the remote repositories.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn remotes(&self) -> Result<Vec<String>> {
        Ok(text_of(&self.demand(["remote"])?).lines().map(str::to_owned).collect())
    }

    /// The address from which a remote repository is fetched, after the replacements of `url.*.insteadOf`.
    ///
    /// # Errors
    /// If there is no such remote.
    pub fn fetch_url(&self, remote: &str) -> Result<String> {
        Ok(text_of(&self.demand(["remote", "get-url", remote])?)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned())
    }

    /// The address to which a remote repository is pushed.
    ///
    /// # Errors
    /// If there is no such remote.
    pub fn push_url(&self, remote: &str) -> Result<String> {
        let text = text_of(&self.demand(["remote", "get-url", "--push", remote])?);
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }

    /// Asks a remote repository for its default branch and for some branches. This needs the network.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn ask_remote(&self, remote: &str, branches: &[&str]) -> Result<RemoteBranches> {
        let mut args =
            vec!["ls-remote".to_owned(), "--symref".to_owned(), remote.to_owned(), "HEAD".to_owned()];
        args.extend(branches.iter().map(|branch| format!("refs/heads/{branch}")));
        Ok(RemoteBranches::parse(&text_of(&self.demand(args)?)))
    }

    /// The commits at which a branch of a remote repository was lately, as far as that is known here.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn tips_seen(&self, remote: &str, branch: &str) -> Result<Vec<CommitId>> {
        let name = format!("refs/remotes/{remote}/{branch}");
        let seen = text_of(&self.call(["log", "--walk-reflogs", "-50", "--format=%H", &name, "--"])?.stdout);
        let seen = seen.lines().filter_map(|id| CommitId::from_hex(id.as_bytes()));
        Ok(seen.chain(self.commit_named(&name)?).collect())
    }

    /// Pushes a branch under its own name, with the user's hooks. Nothing is overwritten.
    ///
    /// # Errors
    /// If git does not end.
    pub fn push(&self, remote: &str, branch: &str) -> Result<Pushing> {
        self.push_references(remote, &[format!("refs/heads/{branch}:refs/heads/{branch}")])
    }

    /// Pushes what these refspecs say.
    pub(super) fn push_references(&self, remote: &str, refspecs: &[String]) -> Result<Pushing> {
        let mut args = vec!["push", "--porcelain", "--no-progress", "--no-follow-tags", remote];
        args.extend(refspecs.iter().map(String::as_str));
        let output = self.command(args).with_hooks_of_user().output()?;
        if output.status.success() {
            return Ok(Pushing::Done);
        }
        let answer = clean(&output.stdout);
        let rejected = answer.lines().find(|line| line.starts_with('!')).unwrap_or_default();
        if ["(non-fast-forward)", "(fetch first)"].iter().any(|reason| rejected.ends_with(reason)) {
            return Ok(Pushing::NotFastForward);
        }
        let reason = rejected.rsplit('\t').next().unwrap_or_default().to_owned();
        let said = clean(output.stderr.as_bytes());
        let is_news = |line: &&str| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with("error: failed to push") && !line.starts_with("hint:")
        };
        let said: Vec<&str> = said.lines().filter(is_news).map(str::trim).collect();
        let parts: Vec<String> =
            [reason, said.join("\n")].into_iter().filter(|part| !part.is_empty()).collect();
        Ok(Pushing::Refused(parts.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_a_remote_repository_is_read() {
        let one = "1".repeat(40);
        let text = format!("ref: refs/heads/trunk\tHEAD\n{one}\tHEAD\n{one}\trefs/heads/topic/x\n");
        let read = RemoteBranches::parse(&text);
        assert_eq!(read.default.as_deref(), Some("trunk"));
        assert_eq!(read.tip("topic/x"), CommitId::from_hex(one.as_bytes()));
        assert_eq!(read.tip("x"), None);
        assert_eq!(RemoteBranches::parse(""), RemoteBranches::default());
    }
}
