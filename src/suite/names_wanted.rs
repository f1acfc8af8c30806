//! Asks test programs for the names of all their tests, and to run to their end, without changing what they test.

use std::ffi::OsString;
use std::path::Path;

use super::frameworks::asking;
use crate::plan::TestCommand;

/// The shell script that asks by variables, and then runs the command, its second argument, in the shell that is its
/// first. What the variables hold already stays, also what `go env -w` has written; go is asked for it only where its file is,
/// because starting it takes longer than many tests. The lines that pytest prints of failed tests come last, because a log is
/// cut at its beginning. Without the other option, it runs nothing if one file with tests cannot be loaded.
const ASKING: &str = "\
PYTEST_ADDOPTS=\"${PYTEST_ADDOPTS:+$PYTEST_ADDOPTS }-rpsxXEf --continue-on-collection-errors\"
if test -f \"${GOENV:-${XDG_CONFIG_HOME:-$HOME/.config}/go/env}\" || test -f \"$HOME/Library/Application Support/go/env\"
then GOFLAGS=\"${GOFLAGS-$(go env GOFLAGS 2>/dev/null)}\"
fi
GOFLAGS=\"${GOFLAGS:+$GOFLAGS }-v\"
export PYTEST_ADDOPTS GOFLAGS
exec \"$0\" -c \"$1\"";

/// The arguments with which `shell` runs a command. If it judges, they ask by the variables of test programs, and in the one simple
/// command of a framework by an argument. So the programs also go on after the first failure.
pub(super) fn arguments(command: &TestCommand, shell: &Path) -> Vec<OsString> {
    let line = &command.command;
    if !command.kind.judges() {
        return vec!["-c".into(), line.into()];
    }
    let line = asking(line).unwrap_or_else(|| line.clone());
    vec!["-c".into(), ASKING.into(), shell.into(), line.into()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TestType;

    #[test]
    fn only_the_simple_command_of_a_framework_gets_an_argument() {
        for (line, expected) in [
            ("cargo test", Some("cargo test --no-fail-fast")),
            (
                "cargo +nightly test -p x -- --nocapture",
                Some("cargo +nightly test --no-fail-fast -p x -- --nocapture"),
            ),
            ("cargo test --no-fail-fast", None),
            ("cargo nextest run -p x", Some("cargo nextest run --no-fail-fast -p x")),
            ("python3 -m unittest discover -s tests", Some("python3 -m unittest discover -s tests -v")),
            ("cargo test | tail", None),
            ("cd x && cargo test", None),
            ("make test", None),
            ("pytest -x", None),
        ] {
            assert_eq!(asking(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn only_commands_that_judge_the_work_are_asked() {
        let mut command = TestCommand::suite("cargo test");
        let shell = Path::new("/bin/sh");
        assert_eq!(arguments(&command, shell)[2..], ["/bin/sh", "cargo test --no-fail-fast"]);
        command.kind = TestType::Mutation;
        assert_eq!(arguments(&command, shell), ["-c", "cargo test"]);
    }
}
