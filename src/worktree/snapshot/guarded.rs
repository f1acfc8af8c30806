//! Lists the settings of git that must not change while agents and tests are at work: those that make git run a
//! program, and those that lead it to another repository or another version of a file.

/// Sections in which every setting is guarded. `include` and `includeIf` bring in files with settings of any kind.
const SECTIONS: &[&str] = &[
    "alias",
    "arborist",
    "browser",
    "credential",
    "diff",
    "difftool",
    "filter",
    "gpg",
    "guitool",
    "hook",
    "include",
    "includeif",
    "instaweb",
    "man",
    "mergetool",
    "pager",
    "protocol",
    "sendemail",
    "trailer",
    "web",
];

/// Single settings: section and variable, with any subsection.
const VARIABLES: &[(&str, &str)] = &[
    ("commit", "gpgsign"),
    ("core", "alternaterefscommand"),
    ("core", "askpass"),
    ("core", "attributesfile"),
    ("core", "bare"),
    ("core", "editor"),
    ("core", "fsmonitor"),
    ("core", "gitproxy"),
    ("core", "hookspath"),
    ("core", "ignorestat"),
    ("core", "pager"),
    ("core", "sshcommand"),
    ("core", "worktree"),
    ("gc", "recentobjectshook"),
    ("imap", "tunnel"),
    ("init", "templatedir"),
    ("interactive", "difffilter"),
    ("lfs", "standalonetransferagent"),
    ("merge", "driver"),
    ("remote", "receivepack"),
    ("remote", "uploadpack"),
    ("remote", "vcs"),
    ("sequence", "editor"),
    ("tar", "command"),
    ("uploadpack", "packobjectshook"),
];

/// Whether a setting must not change. `values` are its present and former values, because `update` of a submodule may
/// name a command.
pub(super) fn is_guarded<'a>(key: &str, mut values: impl Iterator<Item = &'a str>) -> bool {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let (subsection, variable) = rest.rsplit_once('.').unwrap_or(("", rest));
    let section = section.to_ascii_lowercase();
    let variable = variable.to_ascii_lowercase();
    SECTIONS.contains(&section.as_str())
        || VARIABLES.contains(&(section.as_str(), variable.as_str()))
        || section == "submodule" && variable == "update" && values.any(|value| value.starts_with('!'))
        || section == "lfs"
            && ["customtransfer.", "extension."].iter().any(|start| subsection.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::is_guarded;

    #[test]
    fn settings_that_make_git_run_a_program_are_guarded() {
        for key in [
            "core.hookspath",
            "core.fsmonitor",
            "core.sshcommand",
            "filter.x.clean",
            "filter.a.b.c.process",
            "alias.st",
            "include.path",
            "includeif.gitdir:/x/.path",
            "credential.https://example.com.helper",
            "gpg.program",
            "gpg.ssh.program",
            "diff.external",
            "diff.x.textconv",
            "merge.x.driver",
            "arborist.runner",
            "arborist.runner.x.command",
            "trailer.sign.cmd",
            "hook.x.command",
            "pager.log",
            "remote.origin.uploadpack",
            "lfs.customtransfer.x.path",
            "core.worktree",
        ] {
            assert!(is_guarded(key, std::iter::empty()), "{key}");
        }
        assert!(is_guarded("submodule.x.update", ["checkout", "!sh evil"].into_iter()));
    }

    #[test]
    fn settings_that_people_often_change_are_not_guarded() {
        for key in [
            "branch.mine.remote",
            "branch.mine.merge",
            "branch.filter.remote",
            "remote.origin.url",
            "remote.origin.fetch",
            "user.name",
            "push.default",
            "core.autocrlf",
            "merge.conflictstyle",
            "lfs.https://example.com/.access",
            "extensions.worktreeconfig",
            "maintenance.auto",
            "submodule.x.url",
        ] {
            assert!(!is_guarded(key, std::iter::empty()), "{key}");
        }
        assert!(!is_guarded("submodule.x.update", ["rebase"].into_iter()));
    }
}
