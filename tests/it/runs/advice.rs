//! The commands that a stop advises do what they are said to do: from every folder, and where files were changed since.

use crate::support::garden::{Ended, Garden, one_task, side_by_side};

/// The command in an error that begins like this, as it stands between backquotes.
fn advised(ended: &Ended, start: &str) -> String {
    let rest =
        ended.stderr.split_once(&format!("`{start}")).unwrap_or_else(|| panic!("{start}: {ended:#?}")).1;
    format!("{start}{}", rest.split_once('`').unwrap().0)
}

/// Types a command in a folder below the top of the work tree, and says whether it succeeds.
fn try_below(garden: &Garden, command: &str) -> bool {
    let folder = garden.top().join("below");
    std::fs::create_dir_all(&folder).unwrap();
    let output = garden.command("sh").args(["-c", command]).current_dir(folder).output().unwrap();
    eprintln!("{command}: {}", String::from_utf8_lossy(&output.stderr));
    output.status.success()
}

/// Has the agent do this once, and runs until the run stops for it.
fn stopped(garden: &Garden, once: &str) -> Ended {
    let once = format!("test -e \"$ROOT/once\" || {{ touch \"$ROOT/once\"; {once}; }}");
    garden.agent(&once);
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &[]);
    ended
}

/// A garden with a file that is committed.
fn garden() -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("file.txt", "first\n");
    garden.write("below/keep.txt", "");
    garden.commit("Add files");
    garden
}

#[test]
fn a_commit_that_was_taken_off_the_branch_comes_back_also_where_its_files_were_changed_since() {
    let agents = [
        "echo 2 >> file.txt; git commit -qam 'task(T001): complete \"Do T001\"'",
        "echo 2 >> file.txt; git commit -q --amend -a -m other",
    ];
    side_by_side(
        agents.into_iter().flat_map(|agent| [(agent, ""), (agent, "; echo 3 >> file.txt")]),
        |(agent, later)| {
            let garden = garden();
            let before = garden.head();
            let ended = stopped(&garden, &format!("{agent}{later}"));
            assert_eq!(garden.head(), before, "{agent}{later}");
            garden.forget_history();
            assert!(try_below(&garden, &advised(&ended, "git reset ")), "{agent}{later}");
            assert_ne!(garden.head(), before);
            let changed = garden.status().contains(&" M file.txt".to_owned());
            assert_eq!(changed, !later.is_empty(), "{agent}{later}");
            // It is not the user's, so it is taken off again, and the next run saves what the agent left.
            garden.git(&["reset", "-q", &before]);
            garden.forget_history();
            garden.run(&["gardener"]).assert(0, &[]);
            assert_eq!(garden.status(), [""; 0]);
        },
    );
}

#[test]
fn stashed_changes_come_back_also_where_the_same_files_were_changed_since() {
    for later in ["", "; echo 3 >> file.txt"] {
        let garden = garden();
        let ended = stopped(&garden, &format!("echo 2 >> file.txt; git stash -q{later}"));
        let popped = try_below(&garden, &advised(&ended, "git stash pop "));
        assert_eq!(popped, later.is_empty());
        if !popped {
            assert!(try_below(&garden, &advised(&ended, "git stash push ")));
        }
        assert_eq!(garden.read("file.txt"), "first\n2\n");
        garden.run(&["gardener"]).assert(0, &[]);
    }
}

#[test]
fn a_plan_that_an_agent_has_changed_is_put_back_from_a_folder_below() {
    let garden = garden();
    let ended = stopped(&garden, "echo >> task-tree.json");
    assert!(try_below(&garden, &format!("test -n \"$({})\"", advised(&ended, "git diff HEAD "))));
    assert!(try_below(&garden, &advised(&ended, "git restore ")));
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn what_a_reviewer_has_edited_is_taken_back_from_a_folder_below() {
    let garden = garden();
    let edits = "test $ARBORIST_STEP = review && { cd \"$ROOT/work\"; echo x >> file.txt; echo y > new.txt; git add new.txt; }";
    garden.agent(&format!("test -e \"$ROOT/once\" || {{ {edits} && touch \"$ROOT/once\"; }}"));
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &["file.txt", "new.txt"]);
    assert!(try_below(&garden, &advised(&ended, "git restore ")));
    assert_eq!(garden.status(), [""; 0]);
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn changes_of_the_users_beside_a_kept_step_are_set_aside_from_a_folder_below() {
    let garden = garden();
    let hook = garden.top().join(".git/hooks/pre-commit");
    garden.program(&hook, "test ! -e T001.txt");
    garden.run(&["gardener"]).assert(4, &["the hook pre-commit refused"]);
    std::fs::remove_file(hook).unwrap();
    for file in ["file.txt", "new file.txt", "x[1]"] {
        garden.write(file, "mine\n");
    }
    std::fs::remove_file(garden.top().join("below/keep.txt")).unwrap();
    let ended = garden.run(&["gardener"]);
    ended.assert(3, &["below/keep.txt"]);
    assert!(try_below(&garden, &advised(&ended, "git stash push ")));
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["stash", "pop", "-q"]);
    assert_eq!(garden.read("x[1]"), "mine\n");
    assert!(!garden.exists("below/keep.txt"));
}
