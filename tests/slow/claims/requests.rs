//! Runs whose branch nobody may push to: what is merged is collected for a pull request.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::field::Field;
use crate::support::garden::Ended;
use crate::support::repo::write_program;

/// Answers for a repository of GitHub: the request that was opened, if one was.
const GH: &str = r#"#!/bin/sh
case "$1" in auth) exit 0;; api) ;; *) exit 9;; esac
method=GET
while [ $# -gt 0 ]; do case "$1" in --method) method=$2; shift;; esac; shift; done
case $method in GET) cat "$ROOT/request" 2>/dev/null || echo '[]'; exit 0;; esac
echo $method >> "$ROOT/asked"
cat > "$ROOT/sent.$method"
one='{"number": 7, "html_url": "https://github.com/o/n/pull/7", "body": "", "head": {"ref": "arborist/trial/@merged"}, "base": {"ref": "main"}}'
echo "[$one]" > "$ROOT/request"
echo "$one"
"#;

/// Reaches the server as `git@github.com:o/n.git`.
const SSH: &str = "#!/bin/sh\nfor last; do :; done\nlast=${last%% *}\nexec git \"${last#git-}\" \"$BARE\"\n";

struct Protected {
    field: Field,
    bin: PathBuf,
}

impl Protected {
    /// A run whose branch only pull requests may move.
    fn of_three() -> Option<Self> {
        let field = Field::of_three()?;
        let bin = field.garden.root().join("bin");
        fs::create_dir(&bin).unwrap();
        write_program(&bin.join("gh"), GH.as_bytes());
        write_program(&bin.join("ssh-to-server"), SSH.as_bytes());
        field.garden.git(&["remote", "set-url", "origin", "git@github.com:o/n.git"]);
        field.hook(
            "pre-receive",
            "while read old new ref; do test $ref != refs/heads/main || { echo 'main is protected' >&2; exit 1; }; done",
        );
        Some(Self { field, bin })
    }

    fn run(&self, mut command: Command) -> Ended {
        let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
        let path = path.map_or_else(|| std::env::var_os("PATH").unwrap(), std::ffi::OsStr::to_owned);
        let path =
            std::env::join_paths(std::iter::once(self.bin.clone()).chain(std::env::split_paths(&path)));
        command.env("PATH", path.unwrap()).env("ROOT", self.field.garden.root());
        command.env("GIT_SSH", self.bin.join("ssh-to-server")).env("GIT_SSH_VARIANT", "simple");
        command.env("BARE", self.field.server.bare());
        self.field.garden.finish(command)
    }

    fn integrate(&self) -> Ended {
        let to = ["integrate", "--remote", "origin", "--branch", "main", "--to", "pull-request", "--yes"];
        self.run(self.field.garden.arborist(&to))
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.field.garden.root().join("asked")).unwrap_or_default()
    }
}

#[test]
fn what_is_merged_is_collected_for_a_request_where_nobody_may_push_to_the_branch_of_the_run() {
    let Some(protected) = Protected::of_three() else { return };
    let field = &protected.field;
    let began = field.there(&["rev-parse", "main"]);
    protected
        .run(field.work(&["T001"]))
        .assert(4, &["main is protected", "git arborist integrate --remote REMOTE --to pull-request"]);
    // The task is complete, and waits on its branch.
    let opened = protected.integrate();
    opened.assert(0, &["T001 merge pass", "arborist/trial/@merged moved to"]);
    assert!(opened.stdout.contains("https://github.com/o/n/pull/7"), "{opened:?}");
    assert_eq!(protected.asked(), "POST\n");
    let sent = fs::read_to_string(field.garden.root().join("sent.POST")).unwrap();
    assert!(sent.contains("\"base\":\"main\"") && sent.contains("arborist/trial/@merged"), "{sent}");
    // From now on, workers merge there by themselves, and what needs T001 begins with it.
    protected.run(field.work(&["--until-done"])).assert(0, &["T003 merge pass"]);
    assert_eq!(field.there(&["rev-parse", "main"]), began);
    let branches = field.there(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
    assert_eq!(branches, "arborist/trial/@merged\nmain");
    protected.integrate().assert(0, &[]);
    assert_eq!(protected.asked(), "POST\nPATCH\n");
    // The request is merged.
    field.there(&["update-ref", "refs/heads/main", "arborist/trial/@merged"]);
    protected.run(field.work(&["--until-done"])).assert(0, &[]);
    protected.integrate().assert(0, &[]);
    assert_eq!(protected.asked(), "POST\nPATCH\n");
    for task in ["T001", "T002", "T003"] {
        assert!(field.subjects("main").iter().any(|subject| subject.ends_with(&format!("/{task})"))));
    }
}
