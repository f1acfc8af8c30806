//! Tests that nothing runs if a sandbox is missing, fails or does not protect, and how it is chosen. Those with the real bubblewrap
//! are in tests/tools.

use std::fs;

use crate::support::garden::programs;
use crate::support::sandboxes::{assert_refused, doctor, refusing};

#[test]
fn nothing_runs_if_bwrap_is_missing_or_fails() {
    let garden = refusing("bwrap");
    let run = |path: String| {
        let mut run = garden.arborist(&["gardener"]);
        run.env("PATH", path);
        garden.finish(run)
    };
    let bin = garden.root().join("bin");
    for program in ["sh", "cat", "mkdir", "touch"] {
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(format!("/bin/{program}"), bin.join(program)).unwrap();
    }
    let off = "git config --local --unset arborist.sandbox";
    let path =
        [programs(), &garden.root().join("git"), &bin].map(|folder| folder.display().to_string()).join(":");
    assert_refused(
        &garden,
        &run(path.clone()),
        &["there is no program bwrap on PATH", "package bubblewrap", off],
    );
    garden.program(&bin.join("bwrap"), "echo 'bwrap: No permissions to create new namespace' >&2; exit 1");
    let words = [
        "`bwrap` starts no program: exit status 1",
        "No permissions to create new namespace",
        "user namespaces",
        off,
    ];
    assert_refused(&garden, &run(path), &words);
}

#[test]
fn nothing_runs_if_the_command_of_a_sandbox_does_not_exist_or_does_not_protect() {
    let cases: [(&str, &[&str]); 3] = [
        ("no-such-jail --strict", &["exit status 127", "not found", "ARBORIST_SANDBOX_WRITABLE"]),
        ("env", &["programs can write to the git directory", "git config --local --unset arborist.sandbox"]),
        ("true", &["programs cannot write to the work tree"]),
    ];
    for (command, words) in cases {
        let garden = refusing(command);
        let words: Vec<&str> =
            ["the sandbox of arborist.sandbox (git config (local"].iter().chain(words).copied().collect();
        assert_refused(&garden, &garden.run(&["gardener"]), &words);
    }
}

#[test]
fn a_sandbox_of_another_system_is_refused_by_its_name() {
    let garden = refusing("sandbox-exec");
    assert_refused(
        &garden,
        &garden.run(&["gardener"]),
        &["sandbox-exec exists only on macOS", "choose bwrap"],
    );
}

#[test]
fn a_sandbox_of_tests_is_tried_as_well() {
    let garden = refusing("none");
    garden.config("arborist.test.sandbox", "env");
    for args in [&["gardener"][..], &["garden"]] {
        let words = ["arborist.test.sandbox", "programs can write to"];
        assert_refused(&garden, &garden.run(args), &words);
    }
}

#[test]
fn the_environment_chooses_a_sandbox_and_the_error_says_how_to_leave_it_out() {
    let garden = refusing("none");
    let mut run = garden.arborist(&["gardener"]);
    run.env("ARBORIST_TEST_SANDBOX", "env");
    assert_refused(&garden, &garden.finish(run), &["unset ARBORIST_TEST_SANDBOX"]);
}

#[test]
fn a_committed_file_cannot_choose_a_sandbox() {
    for key in ["sandbox", "test.sandbox"] {
        let garden = refusing("none");
        garden.write(".arborist/config.json", &format!("{{\"{key}\": \"none\"}}\n"));
        garden.commit("Choose a sandbox");
        let words = format!("sets {key}, which a committed file must not do");
        garden.run(&["gardener"]).assert(2, &[words.as_str()]);
    }
}

#[test]
fn a_dry_run_names_the_sandboxes() {
    let garden = refusing("bwrap");
    let said = garden.run(&["gardener", "--dry-run"]);
    assert!(
        said.stdout.contains("Agents run in the sandbox `bwrap`, test commands without a sandbox."),
        "{said:#?}"
    );
    garden.config("arborist.sandbox", "none");
    assert!(!garden.run(&["garden", "--dry-run"]).stdout.contains("sandbox"));
}

#[test]
fn doctor_tries_the_sandboxes() {
    let garden = refusing("none");
    assert!(doctor(&garden).starts_with("OK"), "{}", doctor(&garden));
    garden.config("arborist.sandbox", "env");
    let said = doctor(&garden);
    assert!(said.contains("was not tried") && said.contains("names the command: env"), "{said}");
    garden.git(&["config", "--unset-all", "arborist.sandbox"]);
    garden.write(".git/mine", "[arborist]\n\tsandbox = env\n");
    let said = doctor(&garden);
    assert!(said.contains("programs can write to the git directory"), "{said}");
}

#[test]
fn runners_that_are_asked_outside_of_a_run_are_in_the_sandbox_too() {
    let garden = refusing("env");
    let ended = garden.run(&["doctor", "--probe"]);
    assert_refused(&garden, &ended, &["programs can write to the git directory"]);
}
