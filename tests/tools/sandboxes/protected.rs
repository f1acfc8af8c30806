use std::fs;

use super::{TRY, assert_missing, bwrap_works, sandboxed};
use crate::support::garden::{Garden, one_task, programs};
use crate::support::repo::fixture;

/// What an agent tries to write to.
const EVERYTHING: &str =
    "try .git/config config; try .git/hooks/pre-commit hook; try .git/refs/heads/other branch
    try ../next next; try \"$HOME/.profile\" home; try \"$HOME/.config/git/config\" settings
    try \"$HOME/.cache/file\" cache; try \"$TMPDIR/file\" temporary; try /dev/null null; try src.txt tree";

#[test]
fn an_agent_can_write_to_the_work_tree_and_to_caches_and_to_nothing_else() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed(&format!(
        "{EVERYTHING}\ngrep -q T001 \"$ARBORIST_PROMPT_FILE\" && echo prompt read >> tried.txt\n: > T001.txt"
    ));
    let home = garden.root().join("home");
    fs::create_dir_all(home.join(".cache")).unwrap();
    fs::create_dir_all(home.join(".config/git")).unwrap();
    let config = garden.read(".git/config");
    garden.run(&["garden"]).assert(0, &[]);
    assert_eq!(
        garden.read("tried.txt"),
        "config refused\nhook refused\nbranch refused\nnext refused\nhome refused\nsettings refused\n\
         cache written\ntemporary written\nnull written\ntree written\nprompt read\n"
    );
    assert_eq!(garden.read(".git/config"), config);
    assert_missing(&garden.root().join("next"));
    assert_missing(&garden.top().join(".git/hooks/pre-commit"));
    assert!(home.join(".cache/file").exists());
}

/// Makes a script a known agent, which prints what the real one has printed.
fn known_agent(garden: &Garden, name: &str, script: &str) {
    let printed = fixture("agents").join(name).join("success.stdout");
    let script = format!("cat > /dev/null\n{TRY}\n{script}\ncat '{}'", printed.display());
    garden.program(&garden.root().join("bin").join(name), &script);
}

#[test]
fn a_known_agent_can_write_to_its_own_state_and_not_to_that_of_others() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("");
    let home = garden.root().join("home");
    fs::create_dir_all(home.join(".gemini")).unwrap();
    let script = "try ~/.codex/session own; try ~/.gemini/session other; : > T001.txt";
    known_agent(&garden, "codex", script);
    let mut run = garden.arborist(&["garden", "--runner", "codex", "--no-review"]);
    let path = format!("{}:{}", garden.root().join("bin").display(), garden.path_with(programs()));
    run.env("PATH", path);
    garden.finish(run).assert(0, &[]);
    assert_eq!(garden.read("tried.txt"), "own written\nother refused\n");
    assert!(home.join(".codex/session").exists(), "the folder was made");
}

#[test]
fn the_folder_for_temporary_files_is_writable_and_what_is_next_to_a_work_tree_in_it_is_not() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("try \"$ROOT.shared\" \"$TMPDIR\"; try ../next next; : > T001.txt");
    let temporary = garden.root().parent().unwrap();
    let mut run = garden.arborist(&["garden"]);
    run.env("TMPDIR", temporary);
    garden.finish(run).assert(0, &[]);
    let expected = format!("{} written\nnext refused\n", temporary.display());
    assert_eq!(garden.read("tried.txt"), expected);
    fs::remove_file(garden.root().with_extension("shared")).unwrap();
}

#[test]
fn a_work_tree_that_is_directly_in_the_folder_for_temporary_files_gets_another_such_folder() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed(
        "try \"$TMPDIR/file\" temporary; try ../next next; echo \"$TMPDIR\" > folder; : > T001.txt",
    );
    let mut run = garden.arborist(&["garden"]);
    run.env("TMPDIR", garden.root());
    garden.finish(run).assert(0, &[]);
    assert_eq!(garden.read("tried.txt"), "temporary written\nnext refused\n");
    let folder = garden.read("folder");
    assert!(folder.starts_with(garden.root().join("git-arborist-sandbox-").to_str().unwrap()), "{folder}");
}

#[test]
fn the_folders_of_a_known_agent_and_the_common_cache_are_made_if_they_are_missing() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("");
    let script = "try ~/.local/share/opencode/a data; try ~/.config/opencode/a settings; try ~/.cache/a cache; try ~/.codex other; : > T001.txt";
    known_agent(&garden, "opencode", script);
    let mut run = garden.arborist(&["garden", "--runner", "opencode", "--no-review"]);
    run.env("PATH", format!("{}:{}", garden.root().join("bin").display(), garden.path_with(programs())));
    garden.finish(run).assert(0, &[]);
    assert_eq!(garden.read("tried.txt"), "data written\nsettings written\ncache written\nother refused\n");
}

#[test]
fn a_program_can_make_a_sandbox_of_its_own() {
    if !bwrap_works() {
        return;
    }
    let inner = "bwrap --unshare-user --ro-bind / / --dev /dev --bind \"$PWD\" \"$PWD\"";
    let garden = sandboxed(&format!("{inner} sh -c ': > T001.txt; (echo > .git/file) || true'"));
    garden.run(&["garden"]).assert(0, &[]);
    assert_missing(&garden.top().join(".git/file"));
}

#[test]
fn root_cannot_change_the_system_from_a_sandbox() {
    if !bwrap_works() {
        return;
    }
    let setting = "/proc/sys/kernel/printk_delay";
    let garden =
        sandboxed(&format!("try {setting} setting; mkdir /dev/own; try /dev/shm/own shared; : > T001.txt"));
    garden.run(&["garden"]).assert(0, &[]);
    assert_eq!(garden.read("tried.txt"), "setting refused\nshared written\n");
    assert_missing(std::path::Path::new("/dev/shm/own"));
}

#[test]
fn an_agent_in_a_linked_work_tree_cannot_write_to_the_common_git_directory_or_move_its_own() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed(
        "try \"$ROOT/work/.git/config\" common; try \"$ROOT/work/.git/worktrees/side/HEAD\" own
         try .git link; rm -f .git; try \"$ROOT/work/file\" main; : > T001.txt",
    );
    garden.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let mut run = garden.arborist(&["garden"]);
    let side = garden.root().join("side");
    run.current_dir(&side);
    garden.finish(run).assert(0, &[]);
    let tried = fs::read_to_string(side.join("tried.txt")).unwrap();
    assert_eq!(tried, "common refused\nown refused\nlink refused\nmain refused\n");
    garden.git(&["-C", side.to_str().unwrap(), "status"]);
}

#[test]
fn a_reviewer_can_write_to_its_scratch_work_tree_and_not_to_that_of_the_run() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed(": > T001.txt");
    garden.runner(
        "strict",
        "cat > /dev/null
         if (echo x >> T001.txt) 2> /dev/null; then echo scratch written; fi
         if ! (echo x >> \"$ROOT/work/T001.txt\") 2> /dev/null; then echo work is protected; fi
         if ! (echo x >> \"$ROOT/work/.git/config\") 2> /dev/null; then echo config is protected; fi
         echo APPROVED",
    );
    garden.config("arborist.review.runner", "strict");
    garden.run(&["garden"]).assert(0, &[]);
    let said = garden.git(&["log", "--format=%B"]);
    for words in ["scratch written", "work is protected", "config is protected"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn an_agent_that_commits_is_refused_by_git_and_its_change_is_committed_by_the_run() {
    if !bwrap_works() {
        return;
    }
    let garden =
        sandboxed(": > T001.txt; git add T001.txt && git commit -m mine; git status --short > seen.txt");
    garden.run(&["garden"]).assert(0, &[]);
    assert_eq!(garden.read("seen.txt"), "?? T001.txt\n?? seen.txt\n");
    assert!(garden.files_of("HEAD~4").contains(&"T001.txt".to_owned()), "{:?}", garden.steps());
}

#[test]
fn programs_in_a_sandbox_cannot_undo_it() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed(
        "umount .git; mount -o remount,rw,bind .git
         unshare --user --map-root-user --mount sh -c 'umount .git; mount -o remount,rw,bind .git; mount -o remount,rw,bind /; echo x > ../next; echo x >> .git/config'
         try \"/proc/$PPID/root$PWD/.git/config\" parent; try .git/config config; : > T001.txt",
    );
    let config = garden.read(".git/config");
    garden.run(&["garden"]).assert(0, &[]);
    assert!(garden.read("tried.txt").ends_with("config refused\n"), "{}", garden.read("tried.txt"));
    assert_eq!(garden.read(".git/config"), config);
    assert_missing(&garden.root().join("next"));
}

#[test]
fn test_commands_run_in_a_sandbox_of_their_own_also_in_scratch_work_trees() {
    if !bwrap_works() {
        return;
    }
    let refused = "! (echo x >> .git/config) && ! (echo x >> ../next) && { echo x >> \"$HOME/file\"; : > made; } && test -f T001.txt";
    let garden = Garden::on_disk(&one_task(&[refused]));
    garden.agent("");
    garden.write(".gitignore", "made\nprepared\n");
    garden.commit("Ignore what the tests make");
    garden.config("arborist.test.sandbox", "bwrap");
    garden.config("arborist.suite", "test -f prepared && ! (echo x >> \"$(git rev-parse --git-dir)/HEAD\") && ! (echo x >> \"$ROOT/work/T001.txt\")");
    garden.config("arborist.worktree.setup", "! (echo x >> \"$ROOT/work/T001.txt\") && : > prepared");
    garden.config("arborist.trust.suite", "require");
    garden.config("arborist.trust.prove", "require");
    let mut command = garden.arborist(&["gardener"]);
    command.env_remove("ARBORIST_TRUST_PROVE");
    garden.finish(command).assert(0, &[]);
    let log = garden.git(&["log", "--format=%B"]);
    assert!(
        log.contains("Arborist-Proof: clean=pass old=none red=pass literals=na canary=na is=proven"),
        "{log}"
    );
    assert_missing(&garden.root().join("next"));
    assert_missing(&garden.root().join("home/file"));
    garden.run(&["prove", "T001"]).assert(0, &[]);
}
