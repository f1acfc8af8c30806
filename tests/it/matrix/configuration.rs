//! Tests git's configuration, hooks, filters and signing (rows G).

use std::fs;
use std::path::Path;

use super::{STEPS, plain, planted, works};
use crate::support::garden::{Garden, one_task, programs, side_by_side};

fn hook(garden: &Garden, name: &str, script: &str) {
    garden.program(&garden.top().join(".git/hooks").join(name), script);
}

/// What a hook that never ends does, and what it started.
const HANG: &str = "echo $$ > \"$ROOT/hung\"; sleep 3000 & sleep 3000";

#[test]
fn g01_a_refusal_is_kept_apart_from_failure_and_the_next_run_goes_on() {
    let garden = plain();
    hook(&garden, "pre-commit", "test -e \"$ROOT/pass\" || { echo 'house rules say no'; exit 1; }");
    garden.run(&["gardener"]).assert(4, &["house rules say no", "hook"]);
    assert_eq!(garden.status(), ["?? T001.txt"], "the work is kept, and not staged");
    fs::write(garden.root().join("pass"), "").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
}

#[test]
fn g02_a_hook_that_hangs_is_ended_with_everything_that_it_started() {
    side_by_side(["pre-commit", "commit-msg", "post-commit"], |name| {
        let garden = plain();
        garden.config("arborist.hookTimeout", "1");
        hook(&garden, name, HANG);
        let ended = garden.run(&["gardener"]);
        ended.assert(4, &["1 s", "hook", "arborist.hookTimeout"]);
        garden.assert_nothing_runs();
        assert!(garden.root().join("hung").exists());
        // The hook for messages is tried before the agent is asked.
        assert_eq!(garden.exists("T001.txt"), name != "commit-msg", "the work is kept");
        fs::remove_file(garden.top().join(".git/hooks").join(name)).unwrap();
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.steps(), STEPS, "{name}");
    });
}

#[test]
fn g02_a_program_that_a_hook_leaves_running_does_not_delay_the_run() {
    let garden = plain();
    hook(&garden, "post-commit", "sleep 3000 & echo $! >> \"$ROOT/left\"");
    works(&garden);
    let left = fs::read_to_string(garden.root().join("left")).unwrap();
    // They may have ended with the run.
    std::process::Command::new("/bin/kill")
        .args(left.lines())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
}

#[test]
fn g04_files_that_a_hook_reformats_are_committed_and_others_that_it_leaves_are_named() {
    let garden = plain();
    let format = "git diff --cached --quiet -- T001.txt || { echo formatted >> T001.txt; git add T001.txt; }";
    hook(&garden, "pre-commit", &format!("{format}; echo x > beside.txt"));
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["beside.txt"]);
    assert_eq!(garden.git(&["show", "HEAD~4:T001.txt"]), "T001.implement.0\nformatted");
    assert_eq!(garden.status(), ["?? beside.txt"]);
}

#[test]
fn g04_a_file_that_a_hook_adds_to_the_commit_stops_the_run_and_is_named() {
    let garden = plain();
    hook(&garden, "pre-commit", "test -e added.txt || { echo x > added.txt; git add added.txt; }");
    garden.run(&["gardener"]).assert(6, &["added.txt", "pre-commit", "git reset"]);
}

#[test]
fn g05_a_hook_that_is_not_executable_does_not_run() {
    let garden = plain();
    fs::write(garden.top().join(".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n").unwrap();
    works(&garden);
}

#[test]
fn g05_a_hook_that_cannot_run_refuses_and_is_named() {
    for (name, text) in [("shebang", "#!/nowhere/sh\n"), ("CRLF", "#!/bin/sh\r\nexit 0\r\n")] {
        let garden = plain();
        let file = garden.top().join(".git/hooks/pre-commit");
        hook(&garden, "pre-commit", "");
        fs::write(&file, text).unwrap();
        garden.run(&["gardener"]).assert(4, &["pre-commit", "hook"]);
        assert_eq!(garden.subjects(), [""; 0], "{name}");
        assert!(garden.exists("T001.txt"));
    }
}

/// Turns signing on with a program of ours: a shell script that gets what gpg gets.
fn signed_by(garden: &Garden, script: &str) {
    let program = garden.root().join("gpg");
    garden.program(&program, script);
    garden.config("gpg.program", program.to_str().unwrap());
    garden.config("commit.gpgSign", "true");
    garden.config("user.signingKey", "0123456789ABCDEF");
}

#[test]
fn g06_every_commit_is_signed_if_signing_is_on() {
    let garden = plain();
    signed_by(
        &garden,
        "cat > /dev/null; echo '[GNUPG:] SIG_CREATED D 1 8 00 0 X' >&2
         printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nabc\\n-----END PGP SIGNATURE-----\\n'",
    );
    works(&garden);
    let raw = garden.git(&["log", "--format=raw", "-5"]);
    assert_eq!(raw.matches("\ngpgsig ").count(), 5, "{raw}");
}

#[test]
fn g06_a_signature_that_fails_or_wants_a_terminal_commits_nothing() {
    for script in
        ["echo 'gpg: signing failed: No secret key' >&2; exit 2", "cat > /dev/null; : < /dev/tty || exit 2"]
    {
        let garden = plain();
        signed_by(&garden, script);
        garden.run(&["gardener"]).assert(4, &["sign", "commit.gpgsign", "No agent was asked"]);
        assert_eq!(garden.subjects(), [""; 0]);
        assert_eq!(garden.asked(), [""; 0]);
    }
}

#[test]
fn g06_a_signature_that_never_comes_is_given_up() {
    let garden = plain();
    garden.config("arborist.hookTimeout", "1");
    signed_by(&garden, HANG);
    garden.run(&["gardener"]).assert(4, &["1 s", "signing", "arborist.hookTimeout", "No agent was asked"]);
    assert_eq!(garden.subjects(), [""; 0]);
    garden.assert_nothing_runs();
    assert_eq!(garden.asked(), [""; 0]);
}

#[test]
fn g07_without_an_identity_no_agent_is_started() {
    let garden = plain();
    let mut command = garden.arborist(&["gardener"]);
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env_remove(name);
    }
    garden.config("user.useConfigOnly", "true");
    garden.finish(command).assert(4, &["git config user.name", "git config user.email"]);
    assert_eq!(garden.asked(), [""; 0]);
}

#[test]
fn g08_line_ends_that_git_refuses_to_convert_fail_the_attempt_by_name() {
    let garden = plain();
    garden.config("core.autocrlf", "input");
    garden.config("core.safecrlf", "true");
    garden.agent("case $work in *implement.0) printf 'a\\r\\nb\\r\\n' > windows.txt;; esac");
    garden.run(&["gardener", "--max-attempts", "3"]).assert(1, &["T001 failed"]);
    let first = garden.git(&["log", "-1", "--format=%B", "HEAD~3"]);
    assert!(first.contains("Failed:\n- git: CRLF would be replaced by LF in windows.txt"), "{first}");
    assert_eq!(garden.files_of("HEAD~3"), ["T001.txt"]);
    // A file that an agent does not repair fails its next attempts too.
    assert!(garden.steps().iter().all(|step| !step.contains("pass")), "{:?}", garden.steps());
    assert_eq!(garden.read("windows.txt"), "a\r\nb\r\n");
    garden.agent("case $work in *implement.*) printf 'a\\nb\\n' > windows.txt;; esac");
    garden.run(&["garden", "T001"]).assert(0, &[]);
    assert_eq!(garden.git(&["show", "HEAD:windows.txt"]), "a\nb");
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn g08_line_ends_are_converted_as_configured() {
    let garden = plain();
    garden.config("core.autocrlf", "true");
    garden.agent("printf 'a\\r\\nb\\r\\n' > windows.txt");
    works(&garden);
    assert_eq!(garden.git(&["cat-file", "-s", "HEAD:windows.txt"]), "4");
}

#[test]
fn g09_unfiltered_bytes_are_never_committed_if_a_filter_is_required() {
    for clean in ["git-lfs-that-is-missing clean", "exit 1"] {
        let garden = plain();
        garden.write(".gitattributes", "*.txt filter=lfs\n");
        garden.commit("Attributes");
        garden.config("filter.lfs.clean", clean);
        garden.config("filter.lfs.required", "true");
        garden.run(&["gardener"]).assert(4, &["filter", "lfs", "T001.txt"]);
        assert_eq!(garden.subjects(), ["Attributes"]);
        assert!(garden.exists("T001.txt"));
    }
}

#[test]
fn g09_a_filter_that_works_is_used() {
    let garden = plain();
    garden.write(".gitattributes", "*.txt filter=caps\n");
    garden.commit("Attributes");
    garden.config("filter.caps.clean", "tr a-z A-Z");
    garden.config("filter.caps.smudge", "tr A-Z a-z");
    garden.config("filter.caps.required", "true");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.git(&["show", "HEAD:T001.txt"]), "T001.IMPLEMENT.0");
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn g10_pagers_templates_and_aliases_are_not_used() {
    let garden = plain();
    let canary = |name: &str| format!("touch {}", garden.root().join(format!("canary-{name}")).display());
    for key in ["core.pager", "pager.log", "core.editor", "sequence.editor", "core.askPass", "diff.external"]
    {
        garden.config(key, &canary(key));
    }
    garden.config("alias.status", &format!("!{}", canary("alias")));
    garden.config("commit.template", "/nowhere/template");
    garden.config("core.abbrev", "no");
    works(&garden);
    let found: Vec<_> = canaries(garden.root());
    assert_eq!(found, [""; 0]);
}

/// The canaries that were run.
pub(super) fn canaries(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("canary")).collect()
}

#[test]
fn g11_names_that_differ_in_case_or_normal_form_are_all_kept() {
    let names = ["readme", "README", "caf\u{e9}", "cafe\u{301}"];
    let script = format!("for name in {}; do echo \"$name\" > \"$name\"; done", names.join(" "));
    let garden = plain();
    garden.agent(&script);
    garden.run(&["gardener"]).assert(0, &[]);
    let files = garden.lines(&["-c", "core.quotePath=false", "ls-tree", "--name-only", "HEAD"]);
    for name in names {
        assert!(files.iter().any(|file| file == name), "{name} is missing: {files:?}");
    }
}

#[test]
fn g11_names_that_differ_only_in_case_are_both_committed_despite_ignorecase() {
    let garden = plain();
    garden.config("core.ignoreCase", "true");
    garden.agent("echo small > readme; echo capital > README");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.git(&["show", "HEAD:README"]), "capital");
    assert_eq!(garden.git(&["show", "HEAD:readme"]), "small");
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn g12_a_hooks_path_of_the_user_is_honoured() {
    for path in ["house/hooks", "./house/hooks"] {
        let garden = plain();
        garden.program(
            &garden.top().join("house/hooks/commit-msg"),
            "grep -q '([TP]000)' \"$1\" || echo ran >> \"$ROOT/hooked\"",
        );
        garden.commit("House hooks");
        garden.config("core.hooksPath", path);
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(fs::read_to_string(garden.root().join("hooked")).unwrap().lines().count(), 5);
    }
}

#[test]
fn g13_variables_of_a_hook_or_an_alias_mean_what_they_mean_to_git() {
    let garden = plain();
    garden.agent("test -z \"$GIT_DIR$GIT_INDEX_FILE$GIT_CONFIG_COUNT$GIT_CONFIG_PARAMETERS\" || exit 9");
    let mut command = garden.arborist(&["gardener"]);
    command
        .env("GIT_DIR", garden.top().join(".git"))
        .env("GIT_WORK_TREE", garden.top())
        .env("GIT_INDEX_FILE", garden.top().join(".git/index"))
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "arborist.reportDir")
        .env("GIT_CONFIG_VALUE_0", "elsewhere")
        .env("GIT_CONFIG_PARAMETERS", "'arborist.logdir'='logs'")
        .current_dir(garden.root());
    garden.finish(command).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
    assert!(garden.exists("elsewhere") && garden.exists("logs"));
}

#[test]
fn g13_variables_that_change_how_git_reads_paths_do_not_reach_our_calls_but_do_reach_hooks() {
    for name in ["LITERAL", "GLOB", "NOGLOB", "ICASE"].map(|how| format!("GIT_{how}_PATHSPECS")) {
        let garden = planted(&[], &one_task(&["false"]));
        hook(&garden, "pre-commit", "env | grep PATHSPECS > \"$ROOT/seen\"; true");
        let run = |args: &[&str]| {
            let mut command = garden.arborist(args);
            command.env(&name, "1");
            garden.finish(command)
        };
        run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
        let seen = fs::read_to_string(garden.root().join("seen")).unwrap();
        assert_eq!(seen, format!("{name}=1\n"));
        run(&["prune"]).assert(0, &[]);
        run(&["status"]).assert(0, &[]);
        run(&["rescue"]).assert(0, &[]);
        assert_eq!(garden.status(), [""; 0]);
    }
}

#[test]
fn g14_a_git_that_is_missing_or_too_old() {
    let garden = plain();
    let with_path = |path: &Path| {
        let mut command = garden.command(programs().join("git-arborist-gardener").to_str().unwrap());
        command.env("PATH", path);
        garden.finish(command)
    };
    let empty = garden.root().join("empty");
    fs::create_dir(&empty).unwrap();
    with_path(&empty).assert(4, &["git was not found on PATH"]);
    let old = garden.root().join("old");
    garden.program(
        &old.join("git"),
        "case $* in *version) echo 'git version 2.25.1';; *) exec \"$ROOT/git/git\" \"$@\";; esac",
    );
    with_path(&old).assert(4, &["2.25.1", "git 2.36 or newer"]);
    assert_eq!(garden.asked(), [""; 0]);
}

#[test]
fn g14_a_wrapper_of_git_is_as_good_as_git() {
    let garden = plain();
    garden.program(&garden.root().join("wrapped/git"), "exec \"$ROOT/git/git\" \"$@\"");
    let mut command = garden.arborist(&["gardener"]);
    command.env("PATH", garden.path_with(&garden.root().join("wrapped")));
    garden.finish(command).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
}
