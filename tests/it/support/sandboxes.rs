//! Repositories whose agents run in a sandbox, and what is seen of it.

use super::garden::{Ended, Garden, one_task};

/// A repository whose agents run in this sandbox, and may not run at all.
pub(crate) fn refusing(sandbox: &str) -> Garden {
    let garden = Garden::on_disk(&one_task(&["true"]));
    garden.agent("");
    garden.config("arborist.sandbox", sandbox);
    garden
}

/// Asserts that nothing has run, and that nothing is left of the attempt to start a sandbox.
#[track_caller]
pub(crate) fn assert_refused(garden: &Garden, ended: &Ended, words: &[&str]) {
    ended.assert(4, words);
    assert_eq!(garden.asked(), Vec::<String>::new());
    assert_eq!(garden.subjects(), Vec::<String>::new());
    assert_eq!(garden.status(), Vec::<String>::new());
    for folder in ["work", "work/.git", "home", "."] {
        let probe = garden.root().join(folder).join(".git-arborist-sandbox-probe");
        assert!(!probe.exists(), "{}", probe.display());
    }
}

/// What `doctor` says about sandboxes. It runs no command of the configuration of the repository, but that of `.git/mine`.
pub(crate) fn doctor(garden: &Garden) -> String {
    let mut command = garden.arborist(&["doctor"]);
    if garden.exists(".git/mine") {
        command.env("GIT_CONFIG_GLOBAL", garden.top().join(".git/mine"));
    }
    let said = garden.finish(command);
    let lines = said.stdout.lines().filter(|line| line.contains("sandbox")).map(str::to_owned);
    lines.collect::<Vec<String>>().join("\n")
}
