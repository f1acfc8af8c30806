//! Tests that hooks which ours replace work as before: they keep their names, and find the files around them and behind
//! links.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::sandbox::Sandbox;

/// Refuses messages that do not begin with a capital letter.
const CAPITALS: &str = "grep -q '^[A-Z]' \"$1\" || { echo 'no capital letter' >&2; exit 1; }";

/// Everything in and below a folder: what links say, and the inode, the mode and the content of files.
fn everything_below(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            found.extend(everything_below(&path));
        }
        let content = match fs::read_link(&path) {
            Ok(target) => format!("-> {}", target.display()),
            Err(_) => fs::read_to_string(&path).unwrap_or_default(),
        };
        found.insert(path, format!("{} {:o} {content}", meta.ino(), meta.mode()));
    }
    found
}

/// Installs our hook beside the one that `lay_out` makes, which needs a capital letter; both refuse what they must, until
/// ours is removed and everything is as it was.
fn is_kept(lay_out: impl Fn(&Sandbox)) {
    let sandbox = Sandbox::with_repo();
    lay_out(&sandbox);
    sandbox.commit("Good\n").ok();
    let refuses = || {
        let said = sandbox.commit("bad\n").refused();
        assert!(said.err.contains("no capital letter"), "{said:?}");
    };
    refuses();
    let folders = [".git", ".husky", "team"].map(|name| sandbox.repo().join(name));
    let hooks = |path: &PathBuf| {
        let path = path.to_string_lossy();
        path.contains("hooks") || path.contains("/team") || path.contains(".husky")
    };
    let all = || -> BTreeMap<PathBuf, String> {
        folders.iter().flat_map(|folder| everything_below(folder)).filter(|(path, _)| hooks(path)).collect()
    };
    let before = all();
    for _ in 0..2 {
        sandbox.arborist(&["hooks", "install"]).ok();
        refuses();
        sandbox.commit("Good\n").ok();
        let said = sandbox.commit("Task(T1): no trailers\n\nArborist-Task: T1\n").refused();
        assert!(said.err.contains("error[A"), "{said:?}");
    }
    sandbox.arborist(&["hooks", "uninstall"]).ok();
    refuses();
    assert_eq!(all(), before);
}

/// A hook that is a link.
fn link(sandbox: &Sandbox, target: &str, name: &str) {
    symlink(target, sandbox.hook_path(name)).unwrap();
}

#[test]
fn one_script_under_many_names_is_called_by_the_name_of_the_hook() {
    is_kept(|sandbox| {
        sandbox.script(&sandbox.repo().join("checks/commit-msg"), CAPITALS);
        let dispatch = "name=$(basename \"$0\"); [ ! -x \"checks/$name\" ] || exec \"checks/$name\" \"$@\"";
        sandbox.script(&sandbox.hook_path("dispatch"), dispatch);
        for name in ["commit-msg", "pre-commit", "pre-push", "post-rewrite"] {
            link(sandbox, "dispatch", name);
        }
    });
}

#[test]
fn one_script_copied_under_many_names_may_start_itself_again() {
    is_kept(|sandbox| {
        sandbox.script(&sandbox.repo().join("checks/commit-msg"), CAPITALS);
        let copy = "if [ -z \"$AGAIN\" ]; then AGAIN=1 exec \"$0\" \"$@\"; fi\n\
                    name=$(basename \"$(readlink -f \"$0\")\"); \
                    [ ! -x \"checks/$name\" ] || exec \"checks/$name\" \"$@\"";
        for name in ["commit-msg", "master-hook", "post-rewrite"] {
            sandbox.script(&sandbox.hook_path(name), copy);
        }
    });
}

#[test]
fn a_hook_sources_a_script_beside_it_that_asks_for_its_name() {
    is_kept(|sandbox| {
        sandbox.script(&sandbox.hook_path("commit-msg"), ". \"$(dirname \"$0\")/husky.sh\"");
        let helper = format!(
            "[ \"$(basename \"$0\")\" = commit-msg ] || exit 0\n. \"$(dirname \"$0\")/husky.local.sh\"\n{CAPITALS}"
        );
        sandbox.script(&sandbox.hook_path("husky.sh"), &helper);
        sandbox.script(&sandbox.hook_path("husky.local.sh"), ":");
    });
}

#[test]
fn a_hook_runs_the_scripts_of_a_folder_with_its_name_above_which_is_the_git_directory() {
    is_kept(|sandbox| {
        let delegate = "name=$(basename \"$0\")\n\
                        for hook in \"$(dirname \"$0\")/../hooks/$name.d\"/* \"$0.d\"/*; do\n\
                        \"$hook\" \"$@\" || exit\ndone";
        sandbox.script(&sandbox.hook_path("commit-msg"), delegate);
        sandbox.script(&sandbox.hook_path("commit-msg.d/capitals"), CAPITALS);
    });
}

#[test]
fn an_existing_hook_finds_the_work_tree_above_its_folder() {
    is_kept(|sandbox| {
        sandbox.script(&sandbox.repo().join("tools/capitals"), CAPITALS);
        let hook = "exec \"$(cd \"$(dirname \"$0\")/../..\" && pwd)/tools/capitals\" \"$@\"";
        sandbox.script(&sandbox.hook_path("commit-msg"), hook);
    });
}

#[test]
fn a_hook_that_is_a_link_into_the_work_tree_finds_what_is_beside_its_target() {
    is_kept(|sandbox| {
        sandbox.script(&sandbox.repo().join("tools/capitals"), CAPITALS);
        let hook = "exec \"$(dirname \"$0\")/$(dirname \"$(readlink \"$0\")\")/capitals\" \"$@\"";
        sandbox.script(&sandbox.repo().join("tools/commit-msg"), hook);
        link(sandbox, "../../tools/commit-msg", "commit-msg");
    });
}

#[test]
fn husky_before_its_ninth_version_finds_its_script_below_the_folder_of_the_hooks() {
    is_kept(|sandbox| {
        sandbox.git(&["config", "core.hooksPath", ".husky"]).ok();
        let hook = format!(". \"$(dirname -- \"$0\")/_/husky.sh\"\n{CAPITALS}");
        sandbox.script(&sandbox.repo().join(".husky/commit-msg"), &hook);
        let husky = "if [ -z \"$husky_skip_init\" ]; then\n[ \"$(basename -- \"$0\")\" = commit-msg ] || exit 0\n\
                     export husky_skip_init=1\nsh -e \"$0\" \"$@\"\nexit\nfi";
        sandbox.script(&sandbox.repo().join(".husky/_/husky.sh"), husky);
    });
}

#[test]
fn links_lead_to_the_same_places_if_the_hooks_folder_is_a_link_or_ends_in_a_slash() {
    is_kept(|sandbox| {
        sandbox.script(&sandbox.repo().join("tools/capitals"), CAPITALS);
        fs::create_dir_all(sandbox.repo().join("team/hooks")).unwrap();
        symlink("../../tools/capitals", sandbox.repo().join("team/hooks/commit-msg")).unwrap();
        fs::remove_dir_all(sandbox.repo().join(".git/hooks")).unwrap();
        symlink("../team/hooks", sandbox.repo().join(".git/hooks")).unwrap();
    });
    for folder in ["team/hooks", "team/hooks/", "./team/hooks//", "team/hooks/."] {
        is_kept(|sandbox| {
            sandbox.git(&["config", "core.hooksPath", folder]).ok();
            let hook = format!("[ \"$(basename \"$0\")\" = commit-msg ] || exit 0\n{CAPITALS}");
            sandbox.script(&sandbox.repo().join("team/hooks/commit-msg"), &hook);
        });
    }
}

#[test]
fn a_link_to_a_script_of_another_branch_is_kept_and_comes_back() {
    for target in ["../../tools/commit-msg", "tools/commit-msg", "commit-msg"] {
        let sandbox = Sandbox::with_repo();
        link(&sandbox, target, "commit-msg");
        let is_there = || {
            let found = fs::read_link(sandbox.hook_path("commit-msg")).ok();
            found.as_deref() == Some(Path::new(target))
        };
        assert!(sandbox.arborist(&["hooks", "status"]).ok().out.contains("commit-msg: not installed"));
        sandbox.arborist(&["hooks", "uninstall"]).ok();
        assert!(is_there());
        let said = sandbox.arborist(&["hooks", "install"]).ok();
        assert!(said.out.contains("the hook that was there runs first"), "{said:?}");
        sandbox.commit("task(T1): no trailers\n").refused();
        if target != "commit-msg" {
            sandbox.script(&sandbox.repo().join(".git/hooks").join(target), CAPITALS);
            sandbox.commit("Good\n").ok();
            let said = sandbox.commit("bad\n").refused();
            assert!(said.err.contains("no capital letter"), "{said:?}");
        }
        sandbox.arborist(&["hooks", "uninstall"]).ok();
        assert!(is_there());
        assert!(!sandbox.hook_path("../hooks.pre-arborist").exists());
    }
}

#[test]
fn a_link_to_our_hook_of_another_name_is_kept() {
    let sandbox = Sandbox::with_repo();
    sandbox.arborist(&["hooks", "install", "--type", "pre-push"]).ok();
    link(&sandbox, "pre-push", "commit-msg");
    sandbox.arborist(&["hooks", "uninstall", "--type", "commit-msg"]).ok();
    sandbox.arborist(&["hooks", "install", "--type", "commit-msg"]).ok();
    sandbox.arborist(&["hooks", "uninstall", "--type", "commit-msg"]).ok();
    assert_eq!(fs::read_link(sandbox.hook_path("commit-msg")).unwrap(), Path::new("pre-push"));
}

#[test]
fn an_existing_hook_is_restored_even_if_ours_was_deleted_by_hand() {
    let sandbox = Sandbox::with_repo();
    sandbox.script(&sandbox.hook_path("commit-msg"), CAPITALS);
    sandbox.arborist(&["hooks", "install"]).ok();
    fs::remove_file(sandbox.hook_path("commit-msg")).unwrap();
    assert!(sandbox.arborist(&["hooks", "uninstall"]).ok().out.contains("is as it was"));
    assert!(sandbox.commit("bad\n").refused().err.contains("no capital letter"));
}

#[test]
fn existing_hooks_find_each_other_while_some_of_ours_are_installed_and_removed() {
    let sandbox = Sandbox::with_repo();
    sandbox.script(&sandbox.hook_path("commit-msg"), "exec \"$(dirname \"$0\")/pre-push\" \"$@\"");
    sandbox.script(&sandbox.hook_path("pre-push"), CAPITALS);
    let refuses = || assert!(sandbox.commit("bad\n").refused().err.contains("no capital letter"));
    for types in [&["commit-msg"][..], &["pre-push"], &["commit-msg", "pre-push"]] {
        sandbox.arborist(&["hooks", "install"]).ok();
        refuses();
        sandbox.arborist(&[&["hooks", "uninstall", "--type"], types].concat()).ok();
        refuses();
    }
    assert!(!sandbox.hook_path("../hooks.pre-arborist").exists());
}

#[test]
fn on_a_server_an_existing_hook_finds_its_folder_and_standard_input() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit("first\n").ok();
    let bare = sandbox.root().join("bare.git");
    sandbox.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]).ok();
    let delegate = "name=$(basename \"$0\"); GIT_DIR=${GIT_DIR:-$(dirname \"$0\")/..}\n\
                    for hook in \"${GIT_DIR}/hooks/${name}.d\"/*; do \"$hook\" || exit; done";
    sandbox.script(&bare.join("hooks/pre-receive"), delegate);
    let protect = "! grep -q refs/heads/protected || { echo protected >&2; exit 1; }";
    sandbox.script(&bare.join("hooks/pre-receive.d/protect"), protect);
    sandbox.git_in(&bare, &["arborist", "hooks", "install"]).ok();
    let push = |branch: &str| sandbox.git(&["push", "-q", bare.to_str().unwrap(), &format!("main:{branch}")]);
    push("other").ok();
    assert!(push("protected").refused().err.contains("protected"));
}
