//! Tests how programs start, and the errors if they do not.

use super::*;
use crate::support::skip::has_proc;
use git_arborist::process::{ExitReason, StartError};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;

impl Place {
    /// A file with this content and these permissions.
    fn file(&self, name: &str, content: &str, mode: u32) -> PathBuf {
        self.write(name, content);
        let path = self.dir.path().join(name);
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    /// The error of starting `program`.
    fn start_error(&self, program: PathBuf) -> StartError {
        let ended = self.job(program, ms(60_000)).run();
        match ended.exit_reason {
            ExitReason::CouldNotStart(error) => error,
            other => panic!("it ended as {other:?}"),
        }
    }
}

#[test]
fn every_obstacle_to_a_start_has_its_own_error() {
    use StartError as E;
    let place = Place::new();
    let root = place.dir.path();
    let plain = place.file("plain", "#!/bin/sh\n", 0o644);
    let bare = place.file("bare", "echo hello\n", 0o755);
    let empty = place.file("empty", "", 0o755);
    let lost = place.file("lost", "#! /no/such/shell -x\necho\n", 0o755);
    let carriage = place.file("carriage", "#!/bin/sh\r\necho\r\n", 0o755);
    let error = |program: PathBuf| place.start_error(program);
    assert!(matches!(error(root.join("none")), E::NotFound(path) if path == root.join("none")));
    assert!(matches!(error(plain.join("below")), E::NotFound(_)));
    assert!(matches!(error("plain".into()), E::NotAbsolute(_)));
    assert!(matches!(error(plain), E::NotExecutable(_)));
    assert!(matches!(error(root.to_owned()), E::NotExecutable(_)));
    assert!(matches!(error(bare), E::NoShebang(_)));
    assert!(matches!(error(empty), E::NoShebang(_)));
    let interpreter = |program| match error(program) {
        E::BadInterpreter { interpreter, .. } => interpreter.unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(interpreter(lost), "/no/such/shell");
    assert_eq!(interpreter(carriage), "/bin/sh\r");
}

#[test]
fn a_directory_that_cannot_be_entered_is_not_a_missing_program() {
    let place = Place::new();
    let file = place.file("file", "", 0o644);
    for directory in [place.dir.path().join("none"), file] {
        let launch = Launch { directory: directory.clone(), ..place.launch.clone() };
        let ended = launch.job("/bin/true", ms(60_000)).run();
        let ExitReason::CouldNotStart(StartError::NoDirectory(path)) = ended.exit_reason else {
            panic!("{:?}", ended.exit_reason)
        };
        assert_eq!(path, directory);
    }
}

#[test]
fn arguments_that_the_system_refuses_have_their_own_errors() {
    let place = Place::new();
    let ended = place.sh("exit 0").args(["x".repeat(4 << 20)]).run();
    assert!(
        matches!(ended.exit_reason, ExitReason::CouldNotStart(StartError::ArgumentsTooLong)),
        "{:?}",
        ended.exit_reason
    );
    let ended = place.sh("exit 0").args(["a\0b"]).run();
    assert!(
        matches!(ended.exit_reason, ExitReason::CouldNotStart(StartError::NulByte)),
        "{:?}",
        ended.exit_reason
    );
}

#[test]
fn start_errors_read_well() {
    let lost = StartError::BadInterpreter { program: "/a/b".into(), interpreter: Some("/bin/sh\r".into()) };
    assert_eq!(lost.to_string(), r#"the interpreter "/bin/sh\r" of "/a/b" does not exist"#);
}

#[test]
fn a_program_that_is_just_being_replaced_is_tried_again() {
    let place = Place::new();
    let program = place.file("agent", "#!/bin/sh\nexit 8\n", 0o755);
    let writing = File::options().append(true).open(&program).unwrap();
    let writer = thread::spawn(move || {
        thread::sleep(ms(150));
        drop(writing);
    });
    let ended = place.job(program, ms(60_000)).run();
    writer.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(8)), "{:?}", ended.exit_reason);
}

#[test]
fn exit_statuses_and_signals_are_told_apart() {
    let place = Place::new();
    assert!(matches!(place.sh("exit 0").run().exit_reason, ExitReason::Exited(0)));
    assert!(matches!(place.sh("exit 137").run().exit_reason, ExitReason::Exited(137)));
    assert!(matches!(place.sh("kill -9 $$").run().exit_reason, ExitReason::Signalled(9)));
}

#[test]
fn the_program_leads_a_session_of_its_own_without_a_terminal() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let script = "echo $$; read -r pid name state parent group session rest < /proc/$$/stat; echo $session; \
                  (exec 3< /dev/tty) 2>&1 | sed 's/.*: //' >&2";
    let ended = place.sh(script).run();
    let ids = numbers(&ended.stdout);
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ended.stderr.tail_lossy(99).trim_end(), "No such device or address");
}

#[test]
fn the_environment_is_ours_with_the_changes() {
    let place = Place::new();
    let changes = [
        EnvChange::Set("ONE".into(), "1".into()),
        EnvChange::Set("TWO".into(), "2".into()),
        EnvChange::Remove("TWO".into()),
        EnvChange::Remove("HOME".into()),
    ];
    let ended = place.sh("echo ${ONE-no} ${TWO-no} ${HOME-no}; test -n \"$PATH\"").env(changes).run();
    assert_eq!(ended.stdout.tail_lossy(99), "1 no no\n");
    assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
}

#[test]
fn it_runs_in_its_directory() {
    let place = Place::new();
    let ended = place.sh("pwd -P").run();
    let real = place.dir.path().canonicalize().unwrap();
    assert_eq!(ended.stdout.tail_lossy(999).trim_end(), real.to_str().unwrap());
}
