//! Tests commands that can start, that cannot, and that only a shell understands.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// The result for a command in a work tree with an executable `agent` and a plain `notes.sh`, with `tool` on PATH.
fn checked(command: &str) -> CommandCheck {
    let folder = tempfile::tempdir().unwrap();
    let (top, bin) = (folder.path().join("top"), folder.path().join("bin"));
    for (file, mode) in [(top.join("agent"), 0o755), (top.join("notes.sh"), 0o644), (bin.join("tool"), 0o755)]
    {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let home = top.display().to_string();
    let environment = Environment::of(&[("PATH", &path), ("HOME", &home)]);
    check_command(command, &environment, &Lookup::new(&environment, &top))
}

#[test]
fn a_command_whose_program_exists_is_found() {
    for command in [
        "tool --fast",
        "./agent",
        "~/agent",
        "exec './agent' x",
        "X=1 Y=2 tool",
        "env X=1 tool",
        "nohup tool",
        "sh notes.sh",
        "sh -c 'whatever'",
        "sh ./notes.sh && other",
        "cat > /dev/null; nothing",
        "  tool\t-x ",
        "tool | tee log",
        "tool # a comment",
        "tool 2>log",
        "sh notes.sh > $(mktemp)",
    ] {
        assert_eq!(checked(command), CommandCheck::Found, "{command}");
    }
}

#[test]
fn a_command_that_cannot_start_says_why() {
    let cases = [
        ("my-reviewer --strict", "there is no program my-reviewer on PATH"),
        ("exec my-reviewer", "there is no program my-reviewer on PATH"),
        ("X=1 my-reviewer", "there is no program my-reviewer on PATH"),
        ("/nowhere/reviewer", "there is no file /nowhere/reviewer"),
        ("'/no where/reviewer' -x", "there is no file /no where/reviewer"),
        ("./missing", "/top/./missing"),
        ("./notes.sh", "/top/./notes.sh is not executable"),
        ("sh missing.sh", "there is no file"),
        ("sh ./missing | tee log", "there is no file"),
        ("/tmp", "/tmp is not a file"),
    ];
    for (command, words) in cases {
        let CommandCheck::Missing(missing) = checked(command) else { panic!("{command} is said to start") };
        assert!(missing.to_string().contains(words), "{command}: {missing}");
    }
    let CommandCheck::Missing(missing) = checked("./notes.sh") else { panic!("it is not executable") };
    assert!(missing.remedy("mine").contains("chmod +x"), "{}", missing.remedy("mine"));
}

#[test]
fn a_command_that_only_a_shell_understands_is_not_reported_as_missing() {
    for command in [
        "cd tools && ./agent",
        "if true; then tool; fi",
        "case $ARBORIST_STEP in review) tool;; esac",
        "$(which agent)",
        "$AGENT --fast",
        ". ./settings; tool",
        "env -i tool",
        "while read line; do :; done",
        "(missing)",
        "~other/missing",
        "\"$HOME/missing\"",
        "'open",
        "<in missing",
        "missing$X",
    ] {
        assert_eq!(checked(command), CommandCheck::Unknown, "{command}");
    }
}
