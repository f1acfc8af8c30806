//! Tests the sandboxes of agents and test commands with the real bubblewrap: what is protected, and that programs in them end
//! as all others do.

mod ending;
mod probe;
mod protected;

use std::path::Path;
use std::process::Command;

use crate::support::garden::{Garden, one_task};
use crate::support::skip::{has, skip};

/// Whether programs can run in bwrap here. If not, a test that needs it prints a message and ends.
fn bwrap_works() -> bool {
    let args = ["--unshare-user", "--ro-bind", "/", "/", "true"];
    let works =
        has("bwrap") && Command::new("bwrap").args(args).output().is_ok_and(|output| output.status.success());
    if !works {
        skip("programs must not make user namespaces here");
    }
    works
}

/// A repository with one task, whose agents run in bwrap. Its agent does what `script` says for the implement step, and
/// approves.
fn sandboxed(script: &str) -> Garden {
    let garden = Garden::on_disk(&one_task(&["test -f T001.txt"]));
    agent(&garden, script);
    garden.config("arborist.sandbox", "bwrap");
    garden
}

/// Makes this script the agent. It may use `try FILE NAME`, which says whether it could write to a file, in `tried.txt`.
fn agent(garden: &Garden, script: &str) {
    garden.runner(
        "mine",
        &format!(
            "cat > /dev/null\n{TRY}\ncase $ARBORIST_STEP in\nreview) echo APPROVED;;\n*)\n{script}\n;;\nesac"
        ),
    );
    garden.config("arborist.runner", "mine");
}

/// Asserts that there is no file.
#[track_caller]
fn assert_missing(file: &Path) {
    assert!(file.symlink_metadata().is_err(), "{} is there", file.display());
}

/// A function of the shell.
const TRY: &str = r#"try() { if (echo x >> "$1") 2> /dev/null; then echo "$2 written"; else echo "$2 refused"; fi >> tried.txt; }"#;
