//! Notices when a program pushes that may only commit, and prevents it as far as possible.

use super::changed_by::{ChangedBy, SnapshotSource};
use super::settings::EffectiveSettings;
use crate::error::Result;
use crate::process::EnvChange;
use crate::record::{Check, CommitId, Finding, Severity};
use crate::worktree::moved_ref::MovedRef;
use crate::worktree::scratch::is_slot;

/// In place of the beginning of an address to which a program must not push. git takes it for a folder, which is not there, and names
/// it.
const NOWHERE: &str = "agents-must-not-push/";

/// The finding about what was pushed from the history of this work tree; `None` if nothing was. `moved` are the references to what
/// other repositories have that were moved since.
///
/// # Errors
/// If git cannot be called.
pub(super) fn pushed(
    moved: Vec<MovedRef<'_>>,
    settings: &EffectiveSettings,
    source: SnapshotSource<'_>,
    changed_by: ChangedBy<'_>,
) -> Result<Option<Finding>> {
    let (git, ChangedBy { who, head, .. }) = (source.git, changed_by);
    let folders: Vec<(&str, &str)> = settings.remotes().filter(|(_, address)| is_folder(address)).collect();
    if moved.is_empty() && folders.is_empty() {
        return Ok(None);
    }
    let made = git.made_since(&head.commit)?;
    let mut places = Vec::new();
    let is_of_here = |pushed: &CommitId| -> Result<bool> {
        let now = git.commit_named("HEAD")?;
        let mut is_here = false;
        for tip in made.iter().chain(&now) {
            is_here = is_here || git.is_ancestor(pushed, tip)?;
        }
        // The scheduler pushes what the run has committed, while its agents are at work.
        Ok(is_here && !(is_slot(source.work_tree) && git.is_ancestor(pushed, &head.commit)?))
    };
    for MovedRef { name, wanted, .. } in moved {
        for pushed in git.pushed_since(name, wanted.as_ref())? {
            if is_of_here(&pushed)? {
                places.push(format!("{name} ({})", pushed.short()));
                break;
            }
        }
    }
    // A push to an address, and not to a remote by its name, leaves no trace here.
    for (remote, address) in folders.into_iter().filter(|_| !made.is_empty()) {
        let there = git.references_of(address)?;
        let of_step = there.into_iter().filter(|(_, tip)| made.contains(tip));
        places.extend(of_step.map(|(name, tip)| format!("{name} of {remote} ({})", tip.short())));
    }
    let seen = format!("While {who} was at work, commits were pushed from here, which no step may do");
    let finding = Finding::new(Check::Pushed, Severity::Warning, &seen);
    Ok((!places.is_empty()).then(|| finding.at(places)))
}

/// The variables with settings of git with which pushes to the remotes fail. Pushes elsewhere, as in tests that make repositories of
/// their own, are left alone, so there are none for a remote with whose address almost any path begins.
pub(super) fn variables_against(settings: &EffectiveSettings) -> Vec<EnvChange> {
    // git replaces the beginning of an address, no matter how that goes on.
    let is_long = |(_, address): &(&str, &str)| !address.bytes().all(|byte| matches!(byte, b'.' | b'/'));
    let replaced = |how: &str, address: &str| (format!("url.{NOWHERE}.{how}"), address.to_owned());
    let fetched = settings.remotes().filter(is_long);
    let mut all: Vec<_> = fetched.map(|(_, address)| replaced("pushInsteadOf", address)).collect();
    // git applies that only to remotes without an address for pushes.
    for (remote, address) in settings.push_remotes().filter(is_long) {
        match settings.remotes().any(|(_, fetched)| fetched.starts_with(address)) {
            false => all.push(replaced("insteadOf", address)),
            // What replaces it would be fetched as well. The empty address takes the place of all before it, since git 2.46.
            true => all.extend(["", NOWHERE].map(|to| (format!("remote.{remote}.pushurl"), to.to_owned()))),
        }
    }
    let set = |name: String, value: String| EnvChange::Set(name.into(), value.into());
    let count = all.len();
    let setting = |(number, (key, value))| {
        [set(format!("GIT_CONFIG_KEY_{number}"), key), set(format!("GIT_CONFIG_VALUE_{number}"), value)]
    };
    let mut variables: Vec<EnvChange> = all.into_iter().enumerate().flat_map(setting).collect();
    variables.extend((count > 0).then(|| set("GIT_CONFIG_COUNT".to_owned(), count.to_string())));
    variables
}

/// Whether an address is a path, as git decides it.
fn is_folder(address: &str) -> bool {
    let before_slash = address.split('/').next().unwrap_or_default();
    address.starts_with("file://") || (!address.contains("://") && !before_slash.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::ConfigEntry;

    #[test]
    fn a_remote_whose_address_begins_most_paths_is_not_replaced() {
        let entry = |key: &str, value: &str| ConfigEntry {
            scope: "local".to_owned(),
            origin: "file:.git/config".to_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
        };
        let count = |addresses: &[&str]| {
            let fetched = addresses.iter().map(|address| entry("remote.a.url", address));
            let pushed = addresses.iter().map(|address| entry("remote.b.pushurl", address));
            let settings = EffectiveSettings::of(fetched.chain(pushed).collect());
            variables_against(&settings).len()
        };
        assert_eq!(count(&["", ".", "..", "./", "../", "../..", "/"]), 0);
        // The variables are the key and the value of each setting, and how many there are.
        assert_eq!(count(&["../a.git"]), 7);
        assert_eq!(count(&[".", "../a.git", "https://host/a.git"]), 13);
    }

    #[test]
    fn only_paths_are_looked_into() {
        for path in ["/srv/a.git", "../a.git", "a", "./a:b", "file:///srv/a.git"] {
            assert!(is_folder(path), "{path}");
        }
        for address in ["https://host/a.git", "git@host:a.git", "host:a", "ssh://host/a"] {
            assert!(!is_folder(address), "{address}");
        }
    }
}
