//! Rows C: other programs work in the same repository at the same time.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::garden::{Garden, Running};
use crate::support::harness::{
    assert_nothing_lost, assert_sound_after, has_strace, one_task, rescued, script_before,
};
use crate::support::skip::seen;

/// An agent that has begun, and waits until it is told to go on.
const WAIT: &str = r#"if [ "$work" = T001.implement.0 ]; then
  : > "$ROOT/started"
  while [ ! -e "$ROOT/go" ]; do sleep 0.02; done
fi"#;

fn waiting() -> (Garden, Running) {
    let garden = one_task(WAIT);
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    (garden, running)
}

fn go_on(garden: &Garden) {
    fs::write(garden.root().join("go"), "").unwrap();
}

#[test]
fn c01_a_second_gardener_ends_at_once_and_names_the_first() {
    let (garden, running) = waiting();
    // The first one works until this test tells it to go on, so the second one does not wait for it.
    let second = garden.run(&["gardener"]);
    second.assert(5, &["another run is active", &format!("process {}", running.id()), "since"]);
    go_on(&garden);
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
}

/// A second work tree beside the first.
fn second_work_tree(garden: &Garden, args: &[&str]) -> String {
    let folder = garden.root().join("second").display().to_string();
    garden.git(&[&["worktree", "add", "-q"], args, &[&folder, "HEAD"]].concat());
    folder
}

#[test]
fn c02_two_work_trees_on_two_branches_work_at_the_same_time() {
    let garden = one_task(WAIT);
    garden.runner("quick", "cat > /dev/null; echo x > $ARBORIST_TASK.txt; echo APPROVED");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    let folder = second_work_tree(&garden, &["-b", "other"]);
    let mut second = garden.arborist(&["gardener", "--runner", "quick", "--no-review"]);
    second.current_dir(&folder);
    let second = garden.start(second).wait();
    second.assert(0, &[]);
    go_on(&garden);
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
    assert_eq!(garden.steps().len(), 6);
    assert_eq!(garden.lines(&["log", "--format=%s", "other", "--grep", "^Arborist-Step"]).len(), 4);
}

#[test]
fn saved_work_is_not_dropped_while_a_run_is_active_in_another_work_tree() {
    let garden = one_task(WAIT);
    let name = "refs/arborist/rescue/T009/20260101T000000";
    garden.git(&["update-ref", name, "HEAD"]);
    let folder = second_work_tree(&garden, &["-b", "other"]);
    let drop = || {
        let mut drop = garden.arborist(&["rescue", "drop", "--all"]);
        drop.current_dir(&folder);
        garden.finish(drop)
    };
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    drop().assert(5, &["a run is active in another work tree", "Nothing was deleted", "gardener"]);
    garden.git(&["rev-parse", "--verify", name]);
    go_on(&garden);
    running.wait().assert(0, &[]);
    drop().assert(0, &[]);
    assert!(!garden.try_git(&["rev-parse", "--verify", "--quiet", name]).status.success());
}

/// What people do in another work tree. `$bare` is a repository to push to.
const BUSY_USER: &str = r#"set -e
echo one > mine.txt; git add mine.txt; git commit -qm One
git commit -q --amend -m 'One, better'
git push -q -u "$bare" user
git branch -q topic; git switch -q topic; git commit -q --allow-empty -m Topic; git switch -q user
git branch -q -D topic
git tag v1; git tag -d v1 > /dev/null
echo two >> mine.txt; git stash -q; git stash pop -q
echo three >> mine.txt; git stash -q
git config user.email other@example.com; git config branch.user.description Mine
git remote add origin "$bare"; git fetch -q origin
git reset -q --hard HEAD~1
echo '*.tmp' >> "$(git rev-parse --git-common-dir)/info/exclude"
git pack-refs --all"#;

#[test]
fn c02_two_gardeners_reach_their_end_while_a_user_works_in_a_third_work_tree() {
    let garden = one_task(
        r#"if [ "$work" = T001.implement.0 ]; then
             : > "$ROOT/started-$(basename "$PWD")"
             while [ ! -e "$ROOT/go" ]; do sleep 0.02; done
           fi"#,
    );
    let bare = garden.root().join("bare.git").display().to_string();
    garden.git(&["clone", "-q", "--bare", ".", &bare]);
    let folder = second_work_tree(&garden, &["-b", "other"]);
    let users = garden.root().join("users");
    garden.git(&["worktree", "add", "-q", "-b", "user", users.to_str().unwrap()]);
    let first = garden.start(garden.arborist(&["gardener"]));
    let mut second = garden.arborist(&["gardener"]);
    second.current_dir(&folder);
    let second = garden.start(second);
    garden.wait_for("started-work");
    garden.wait_for("started-second");
    let mut user = garden.command("sh");
    user.args(["-c", BUSY_USER]).current_dir(&users).env("bare", &bare);
    garden.start(user).wait().assert(0, &[]);
    go_on(&garden);
    for (running, branch) in [(first, "main"), (second, "other")] {
        let ended = running.wait();
        ended.assert(0, &["settings of git were changed while the runner was at work", "user.email"]);
        assert_eq!(garden.lines(&["log", "--format=%s", branch, "--grep", "^Arborist-Step"]).len(), 5);
    }
    let ended = garden.run(&["status"]);
    assert_sound_after(&garden, &ended);
}

#[test]
fn c03_a_branch_that_is_checked_out_in_two_work_trees_is_refused() {
    let garden = one_task("");
    let folder = garden.root().join("second").display().to_string();
    garden.git(&["worktree", "add", "-q", "--force", &folder, "main"]);
    let ended = garden.run(&["gardener"]);
    ended.assert(3, &["main", &folder, "git switch"]);
    assert_sound_after(&garden, &ended);
    assert_eq!(garden.steps().len(), 1);
}

#[test]
fn c04_a_commit_of_the_user_during_a_step_is_kept_and_named() {
    let (garden, running) = waiting();
    garden.write("user.txt", "by hand\n");
    garden.git(&["add", "user.txt"]);
    garden.git(&["commit", "-q", "-m", "By hand"]);
    let by_hand = garden.head();
    go_on(&garden);
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
    let body = garden.git(&["log", "-1", "--format=%B", "--grep", "Arborist-Step: implement"]);
    assert!(body.contains(&by_hand[..7]), "{body}");
    assert_eq!(garden.read("user.txt"), "by hand\n");
}

#[test]
fn c05_a_branch_that_is_switched_during_a_step_is_put_right_and_costs_an_attempt() {
    let (garden, running) = waiting();
    garden.git(&["switch", "-q", "-c", "elsewhere"]);
    go_on(&garden);
    let ended = running.wait();
    ended.assert(0, &["switched from main to elsewhere", "after 2 attempts"]);
    assert_sound_after(&garden, &ended);
    assert_eq!(garden.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "main");
    assert_eq!(garden.lines(&["log", "--format=%s", "main..elsewhere"]), [""; 0]);
}

#[test]
fn c06_a_hook_that_switches_the_branch_is_noticed_after_the_commit_and_the_commit_named() {
    let garden = one_task("");
    let hook = "test -e \"$ROOT/switched\" && exit; : > \"$ROOT/switched\"; git branch elsewhere; \
                git symbolic-ref HEAD refs/heads/elsewhere";
    garden.program(&garden.top().join(".git/hooks/pre-commit"), hook);
    let ended = garden.start(garden.arborist(&["gardener"])).wait();
    let stray = garden.git(&["rev-parse", "--short=7", "HEAD"]);
    ended.assert(6, &["elsewhere", &stray, "git switch main"]);
    garden.git(&["switch", "-q", "main"]);
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
}

#[test]
fn c07_earlier_changes_of_the_user_stay_out_of_a_step_and_files_staged_during_it_are_part_of_it() {
    let garden = one_task(WAIT);
    garden.write("mine.txt", "mine\n");
    garden.run(&["gardener"]).assert(3, &["mine.txt"]);
    let running = garden.start(garden.arborist(&["gardener", "--allow-dirty"]));
    garden.wait_for("started");
    garden.write("meanwhile.txt", "meanwhile\n");
    garden.git(&["add", "meanwhile.txt"]);
    go_on(&garden);
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
    assert_eq!(garden.status(), ["?? mine.txt"]);
    assert_eq!(garden.files_of("HEAD~4"), ["meanwhile.txt", "shared.txt", "src/T001.txt"]);
}

#[test]
fn c08_a_lock_of_a_running_git_is_waited_for_and_then_named() {
    let garden = one_task("");
    // An open editor of `git commit -a` holds the lock of the index until it is closed.
    garden.write("shared.txt", "begun\nmine\n");
    let mut commit = garden.command("git");
    commit.args(["commit", "-a"]).env("GIT_EDITOR", "sh -c ': > \"$ROOT/editing\"; while test ! -e \"$ROOT/go\"; do sleep 0.05; done; echo \"Mine\" > \"$0\"'");
    let editing = garden.start(commit);
    garden.wait_for("editing");
    let began = Instant::now();
    let refused = garden.start(garden.arborist(&["gardener"])).wait();
    refused.assert(5, &["index.lock", "s old"]);
    // The run must not wait for ever, because the other git waits for this test.
    assert!(began.elapsed() >= Duration::from_secs(10), "{:?}", began.elapsed());
    go_on(&garden);
    editing.wait().assert(0, &[]);
    assert_sound_after(&garden, &refused);
}

#[test]
fn c09_a_lock_is_never_removed_only_because_it_is_old() {
    let garden = one_task("");
    garden.write(".git/index.lock", "");
    let touched = garden.command("touch").args(["-d", "2001-01-01", ".git/index.lock"]).status().unwrap();
    assert!(touched.success());
    let refused = garden.run(&["gardener"]);
    refused.assert(5, &["index.lock", "`rm "]);
    assert!(garden.exists(".git/index.lock"));
    fs::remove_file(garden.top().join(".git/index.lock")).unwrap();
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
}

#[test]
fn c10_a_branch_that_moves_just_before_a_commit_is_noticed() {
    let garden = one_task("");
    garden.program(
        &garden.root().join("moving.sh"),
        r#"other=$("$real" commit-tree -p HEAD -m 'From elsewhere' 'HEAD^{tree}')
"$real" update-ref HEAD "$other""#,
    );
    let moving = "test -e \"$ROOT/moved\" || . \"$ROOT/moving.sh\"; : > \"$ROOT/moved\"";
    let ended = garden.finish(script_before(&garden, &["gardener"], ("commit", moving)));
    ended.assert(5, &["something else committed at the same moment"]);
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
    assert_eq!(garden.lines(&["log", "--format=%s", "--grep", "From elsewhere"]).len(), 1);
}

#[test]
fn c11_an_agent_that_collects_garbage_all_the_time_loses_nothing() {
    let gc = r#"(trap '' HUP; while :; do git gc -q --prune=now; sleep 0.05; done) > /dev/null 2>&1 &"#;
    let garden = one_task(gc);
    let ended = garden.run(&["gardener"]);
    ended.assert(0, seen(&["left", "running; it has been ended"]));
    assert_sound_after(&garden, &ended);
    assert_eq!(garden.steps().len(), 6);
}

#[test]
fn c12_a_fetch_a_push_and_maintenance_during_a_run_do_not_disturb_it() {
    let garden = one_task(WAIT);
    let bare = garden.root().join("bare.git").display().to_string();
    garden.git(&["clone", "-q", "--bare", ".", &bare]);
    garden.git(&["remote", "add", "origin", &bare]);
    garden.git(&["push", "-q", "origin", "HEAD:refs/heads/new"]);
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    garden.git(&["-C", &bare, "update-ref", "refs/heads/newest", "main"]);
    garden.git(&["fetch", "-q", "origin"]);
    garden.git(&["push", "-q", "origin", "main"]);
    garden.git(&["pack-refs", "--all"]);
    garden.git(&["maintenance", "run", "--task=loose-objects", "--task=commit-graph", "--quiet"]);
    go_on(&garden);
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
}

#[test]
fn c13_on_a_file_system_without_locks_a_run_warns_and_continues() {
    if !has_strace() {
        return;
    }
    let garden = one_task("");
    let mut command = garden.command("strace");
    let gardener = crate::support::garden::programs().join("git-arborist-gardener");
    command
        .args(["-qq", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=EOPNOTSUPP"])
        .arg(gardener);
    let ended = garden.finish(command);
    ended.assert(0, &["cannot be locked", "do not start a second run here"]);
    assert_sound_after(&garden, &ended);
}

#[test]
fn c14_a_rebase_that_is_begun_during_a_step_ends_the_run_and_its_work_is_kept() {
    let (garden, running) = waiting();
    let mut rebase = garden.command("git");
    rebase.args(["rebase", "-q", "-i", "HEAD~1"]).env("GIT_SEQUENCE_EDITOR", "sed -i '1s/^pick/edit/'");
    garden.start(rebase).wait().assert(0, &[]);
    go_on(&garden);
    let ended = running.wait();
    ended.assert(6, &["a rebase was begun while the runner was at work", "git rebase"]);
    assert_nothing_lost(&garden);
    assert!(garden.exists("src/T001.txt"));
    garden.run(&["gardener"]).assert(3, &["a rebase is in progress"]);
    garden.git(&["rebase", "--abort"]);
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
    // Before anything was advised, and what was still there after that.
    assert_eq!(rescued(&garden).len(), 2);
}

#[test]
fn a_run_whose_lock_was_removed_ends_because_another_one_could_have_begun() {
    for deed in
        ["rm -rf .git/arborist", "rm .git/arborist/lock", "cp .git/arborist/lock l; mv l .git/arborist/lock"]
    {
        let garden = one_task("");
        garden.agent(&format!("test -e \"$ROOT/done\" || {{ {deed}; : > \"$ROOT/done\"; }}"));
        garden.run(&["gardener"]).assert(6, &["the lock of this run", "while the runner was at work"]);
        garden.run(&["gardener"]).assert(0, &[]);
    }
}
