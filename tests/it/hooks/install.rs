//! Tests that our hooks are installed beside existing ones, and removed without a trace.

use std::fs;

use crate::support::hooks::{both_run, foreign, snapshot};
use crate::support::sandbox::Sandbox;

#[test]
fn installing_and_removing_hooks_leaves_no_trace_and_may_be_repeated() {
    let sandbox = Sandbox::with_repo();
    let hooks = sandbox.repo().join(".git/hooks");
    let before = snapshot(&hooks);
    let said = sandbox.arborist(&["hooks", "install"]).ok();
    assert!(said.out.contains("commit-msg: installed in"), "{said:?}");
    let installed = snapshot(&hooks);
    assert!(sandbox.arborist(&["hooks", "install"]).ok().out.contains("commit-msg: is in"));
    assert_eq!(snapshot(&hooks), installed);
    assert!(sandbox.arborist(&["hooks", "status"]).ok().out.contains("pre-push: is in"));
    sandbox.commit("task(T1): no trailers\n").refused();
    sandbox.arborist(&["hooks", "uninstall"]).ok();
    assert_eq!(snapshot(&hooks), before);
    assert!(sandbox.arborist(&["hooks", "uninstall"]).ok().out.contains("commit-msg: not installed"));
}

#[test]
fn an_existing_hook_runs_first_and_is_restored() {
    let sandbox = Sandbox::with_repo();
    let hooks = sandbox.repo().join(".git/hooks");
    sandbox.script(&hooks.join("commit-msg"), &foreign(&sandbox));
    sandbox.script(&hooks.join("pre-push"), "cat > \"$HOME/pushed\"; echo \"$1\" >> \"$HOME/pushed\"");
    let before = snapshot(&hooks);
    let said = sandbox.arborist(&["hooks", "install"]).ok();
    assert!(said.out.contains("the hook that was there runs first"), "{said:?}");
    sandbox.arborist(&["hooks", "install"]).ok();
    both_run(&sandbox);
    let bare = sandbox.root().join("origin.git");
    sandbox.git(&["init", "-q", "--bare", bare.to_str().unwrap()]).ok();
    sandbox.git(&["push", "-q", bare.to_str().unwrap(), "main"]).ok();
    let pushed = fs::read_to_string(sandbox.home().join("pushed")).unwrap();
    assert!(pushed.starts_with("refs/heads/main ") && pushed.ends_with("origin.git\n"), "{pushed}");
    // A foreign hook runs first, and if it refuses, that counts.
    let replaced = sandbox.repo().join(".git/hooks.pre-arborist/commit-msg");
    sandbox.script(&replaced, "echo no >&2; exit 3");
    assert_eq!(sandbox.commit("a person's\n").refused().err, "no\n");
    sandbox.script(&replaced, &foreign(&sandbox));
    sandbox.arborist(&["hooks", "uninstall"]).ok();
    assert_eq!(snapshot(&hooks), before);
}

#[test]
fn two_foreign_hooks_in_one_place_are_left_alone() {
    let sandbox = Sandbox::with_repo();
    sandbox.script(&sandbox.hook_path("commit-msg"), "true");
    sandbox.script(&sandbox.hook_path("../hooks.pre-arborist/commit-msg"), "true");
    let both = || [".git/hooks", ".git/hooks.pre-arborist"].map(|name| snapshot(&sandbox.repo().join(name)));
    let before = both();
    let said = sandbox.arborist(&["hooks", "install"]).refused();
    assert!(said.err.contains("hooks.pre-arborist/commit-msg"), "{said:?}");
    assert_eq!(both(), before);
}

#[test]
fn a_hooks_folder_shared_with_other_repositories_is_refused_with_a_hint() {
    let sandbox = Sandbox::with_repo();
    let shared = sandbox.root().join("shared");
    sandbox.git(&["config", "--global", "core.hooksPath", shared.to_str().unwrap()]).ok();
    let said = sandbox.arborist(&["hooks", "install"]);
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.err.contains("outside of this repository") && said.err.contains("--global"), "{said:?}");
    assert!(!shared.exists());
    sandbox.arborist(&["hooks", "install", "--global"]).ok();
    sandbox.commit("task(T1): no trailers\n").refused();
    sandbox.arborist(&["hooks", "uninstall", "--global"]).ok();
    assert_eq!(snapshot(&shared), []);
}

#[test]
fn a_folder_of_hooks_inside_the_repository_is_used() {
    let sandbox = Sandbox::with_repo();
    sandbox.git(&["config", "core.hooksPath", ".githooks"]).ok();
    sandbox.arborist(&["hooks", "install", "--type", "commit-msg"]).ok();
    assert!(sandbox.repo().join(".githooks/commit-msg").is_file());
    sandbox.commit("task(T1): no trailers\n").refused();
}

#[test]
fn linked_work_trees_and_folders_below_the_top_find_the_same_hooks() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit("first\n").ok();
    let below = sandbox.repo().join("a/b");
    fs::create_dir_all(&below).unwrap();
    sandbox.git_in(&below, &["arborist", "hooks", "install", "--type", "commit-msg"]).ok();
    assert!(sandbox.hook_path("commit-msg").is_file());
    sandbox.git(&["worktree", "add", "-q", "../linked"]).ok();
    let linked = sandbox.root().join("linked");
    assert!(sandbox.git_in(&linked, &["arborist", "hooks", "status"]).ok().out.contains("commit-msg: is in"));
    let args = ["commit", "-q", "--allow-empty", "-m", "task(T1): no trailers"];
    sandbox.git_in(&linked, &args).refused();
}

/// `git arborist hooks`, under a git that says that it is new enough for hooks in settings, and is the old one otherwise.
fn with_new_git(sandbox: &Sandbox) -> std::process::Command {
    let git = sandbox.root().join("bin/git");
    let path = std::env::var_os("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|dir| dir.join("git")).find(|path| path.is_file()).unwrap();
    sandbox.script(
        &git,
        &format!(
            "case \" $* \" in *' version '*) echo git version 2.54.0;; *) exec '{}' \"$@\";; esac",
            real.display()
        ),
    );
    let mut hooks = sandbox.command(&sandbox.repo(), env!("CARGO_BIN_EXE_git-arborist-hooks"));
    let path = std::env::var("PATH").unwrap();
    hooks.env("PATH", format!("{}:{path}", git.parent().unwrap().display()));
    hooks
}

#[test]
fn the_command_of_a_hook_in_settings_gets_the_arguments_of_git() {
    let sandbox = Sandbox::with_repo();
    let mut install = with_new_git(&sandbox);
    let before = snapshot(&sandbox.repo().join(".git/hooks"));
    assert!(sandbox.run(install.arg("install")).ok().out.contains("hook.arborist-commit-msg"));
    assert_eq!(snapshot(&sandbox.repo().join(".git/hooks")), before);
    let command = sandbox.git(&["config", "hook.arborist-commit-msg.command"]).ok().out;
    assert_eq!(sandbox.git(&["config", "hook.arborist-commit-msg.event"]).ok().out, "commit-msg\n");
    let message = sandbox.write("message", "task(T1): no trailers\n");
    // As git runs a command of several words: with the arguments of the hook behind it.
    let mut shell = sandbox.command(&sandbox.repo(), "sh");
    shell.args(["-c", &format!("{} \"$@\"", command.trim_end()), "hook", message.to_str().unwrap()]);
    assert!(sandbox.run(&mut shell).refused().err.contains("A005"));
}

#[test]
fn outside_of_a_repository_only_hooks_for_all_repositories_can_be_installed() {
    let sandbox = Sandbox::new();
    let hooks = |args: &[&str]| {
        let mut command = sandbox.command(sandbox.root(), env!("CARGO_BIN_EXE_git-arborist"));
        sandbox.run(command.arg("hooks").args(args))
    };
    for action in ["install", "uninstall", "status"] {
        let said = hooks(&[action]);
        assert_eq!((said.status, said.out.as_str()), (3, ""), "{said:?}");
        assert!(said.err.contains("is not in a git repository") && said.err.contains("git init"), "{said:?}");
    }
    let folder = sandbox.root().join("all-hooks");
    sandbox.git_in(sandbox.root(), &["config", "--global", "core.hooksPath", folder.to_str().unwrap()]).ok();
    let said = hooks(&["install", "--global"]).ok();
    assert!(said.out.contains("commit-msg: installed in"), "{said:?}");
    assert!(!sandbox.root().join(".git").exists());
}
