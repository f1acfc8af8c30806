//! What happens to a fleet from outside while it is at work: branches that somebody moves or deletes, answers that are lost, machines
//! without an agent or without room.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use super::field::Field;
use crate::support::garden::one_task;

/// An agent that says that it has begun, and does its work when the file `hold` is gone.
const WAITS: &str = "case $work in *.implement.*) echo $$ > \"$ROOT/pid\"; while test -e \"$ROOT/hold\"; do sleep 0.05; done;; esac";

/// Lets a worker begin, changes something, and lets it go on to its end.
fn disturbed(field: &Field, args: &[&str], change: impl FnOnce()) -> crate::support::garden::Ended {
    let (hold, pid) = (field.garden.root().join("hold"), field.garden.root().join("pid"));
    fs::write(&hold, "").unwrap();
    let _ = fs::remove_file(pid);
    let worker = field.garden.start(field.work(args));
    field.garden.wait_for("pid");
    change();
    fs::remove_file(&hold).unwrap();
    worker.wait()
}

/// Somebody else takes T001 over and merges it.
fn take_over(field: &Field, args: &[&str]) {
    let root = field.garden.root().join("other");
    fs::create_dir(&root).unwrap();
    let mut other = field.work(args);
    other.env("ROOT", root);
    field.garden.finish(other).assert(0, &["T001 merge pass"]);
}

#[test]
fn a_branch_of_the_run_that_is_force_pushed_or_deleted_is_named_and_not_put_back_in_silence() {
    let Some(field) = Field::of_three() else { return };
    field.garden.agent(WAITS);
    let began = field.there(&["rev-parse", "main"]);
    field.worked(&["T001"]).assert(0, &["T001 merge pass"]);
    let merged = field.there(&["rev-parse", "main"]);
    let ended = disturbed(&field, &["T002"], || {
        field.there(&["update-ref", "refs/heads/main", &began]);
    });
    let lost = format!("somebody has force-pushed main: it was at {}", &merged[..7]);
    ended.assert(0, &[&lost, "worked on again", "T002 merge pass"]);
    assert_eq!(ended.stderr.matches("force-pushed").count(), 1, "{}", ended.stderr);
    let newest = field.there(&["rev-parse", "main"]);
    let ended = disturbed(&field, &["T003"], || {
        field.there(&["update-ref", "-d", "refs/heads/main"]);
    });
    let words = format!("somebody has deleted main on the remote repository; it was at {}", &newest[..7]);
    ended.assert(3, &[&words, "is kept", "git push REMOTE"]);
    assert!(!field.branches().contains(&"main".to_owned()));
    field.worked(&[]).assert(3, &["has no branch main"]);
    field.there(&["update-ref", "refs/heads/main", &newest]);
    field.worked(&["--claimant", "late", "--take-over", "T003"]).assert(0, &["T003 merge pass"]);
    field.worked(&[]).assert(0, &[]);
    assert_eq!(field.branches(), ["main"]);
    assert_eq!(field.left(), 0);
}

#[test]
fn a_branch_of_the_run_that_is_rewritten_during_the_work_on_a_task_lets_nobody_claim_the_task_again_and_again()
 {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.agent(WAITS);
    let ended = disturbed(&field, &["--until-done"], || {
        field.garden.git(&["commit", "-q", "--amend", "-m", "Add the plan, better"]);
        field.garden.git(&["push", "-q", "-f", "origin", "HEAD:refs/heads/main"]);
    });
    ended.assert(
        7,
        &[
            "somebody has force-pushed main",
            "T001 is left alone",
            "everything is done on arborist/trial/T001",
        ],
    );
    assert_eq!(ended.stderr.matches("T001 claimed by").count(), 2, "{}", ended.stderr);
    // What the message advises.
    field.there(&["update-ref", "-d", "refs/heads/arborist/trial/T001"]);
    field.worked(&["--until-done"]).assert(0, &["T001 merge pass"]);
    field.check_merged(&["T001"]);
}

#[test]
fn a_worker_of_all_tasks_that_is_superseded_goes_on_with_another_one() {
    let Some(field) = Field::of_three() else { return };
    field.garden.agent(WAITS);
    let ended = disturbed(&field, &["--claimant", "a", "--until-done"], || {
        take_over(&field, &["--claimant", "b", "--take-over", "T001"]);
    });
    ended.assert(0, &["somebody else has taken T001 over", "T002 claimed by a.0@", "T003 merge pass"]);
    field.check_complete(&["T001", "T002", "T003"]);
    // Its agent may have ended before it knew that somebody else has the task.
    let has_kept = ended.stderr.contains("What this worker had not pushed yet of T001");
    assert_eq!(field.left(), usize::from(has_kept));
}

#[test]
fn a_worker_that_is_asked_to_end_does_not_wait_for_a_remote_repository_that_is_silent() {
    let Some(field) = Field::new(&one_task(&["true"])) else { return };
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("git://{}/plan.git", silent.local_addr().unwrap());
    let worker =
        field.garden.start(field.garden.arborist(&["work", "--remote", &address, "--branch", "main"]));
    let connection = silent.accept().unwrap();
    worker.signal("TERM");
    worker.wait().assert(143, &[]);
    drop(connection);
}

#[test]
fn a_password_in_the_address_of_a_remote_repository_is_not_said() {
    let Some(field) = Field::new(&one_task(&["true"])) else { return };
    for command in [["work", "--remote"], ["status", "--remote"]] {
        let mut call = field.garden.arborist(&command);
        call.args(["http://user:sesame@127.0.0.1:1/x", "--branch", "main"]).env("ARBORIST_PATIENCE", "1s");
        let ended = field.garden.finish(call);
        ended.assert(4, &["127.0.0.1:1/x does not answer"]);
        assert!(!format!("{ended:?}").contains("sesame"), "{ended:?}");
    }
}

#[test]
fn a_merge_that_is_force_pushed_away_at_once_is_made_again_before_anything_that_needs_it() {
    let Some(field) = Field::of_three() else { return };
    let back = "while read old new ref; do test $ref != refs/heads/main || test -e rewound || {\n\
                touch rewound; git update-ref refs/heads/main $old; }; done";
    field.hook("post-receive", back);
    field.worked(&["--until-done"]).assert(0, &["somebody has force-pushed main"]);
    field.check_complete(&["T001", "T002", "T003"]);
    assert_eq!(field.left(), 0);
}

#[test]
fn a_task_that_was_removed_from_the_branch_of_the_run_is_merged_again_from_the_branch_of_another_task() {
    let Some(field) = Field::of_three() else { return };
    let began = field.there(&["rev-parse", "main"]);
    field.worked(&["T001"]).assert(0, &["T001 merge pass"]);
    // Another task begins with it; then it is force-pushed away.
    field.there(&["update-ref", "refs/heads/arborist/trial/T002", "main"]);
    field.there(&["update-ref", "refs/heads/main", &began]);
    let status = field.garden.arborist(&["status", "--remote", "origin", "--branch", "main"]);
    let shown = field.garden.finish(status).stdout;
    assert!(shown.contains("T001 Do T001 (complete, not merged yet"), "{shown}");
    let lost = "main does not contain arborist/trial/T001 any more, which was merged";
    field.worked(&["T003"]).assert(0, &[lost, "T001 merge pass", "T003 merge pass"]);
    let claims = field.there(&["log", "--format=%H", "--grep", "^task(T003): claimed", "main"]);
    assert!(field.there(&["ls-tree", "--name-only", &claims]).contains("T001.txt"));
    field.worked(&["T002", "--take-over"]).assert(0, &["T002 merge pass"]);
    field.check_complete(&["T001", "T002", "T003"]);
    assert_eq!(field.left(), 0);
}

#[test]
fn a_branch_of_a_task_that_is_moved_back_to_before_its_claim_goes_on_from_the_newest_commit_of_the_run() {
    let Some(field) = Field::of_three() else { return };
    field.there(&["update-ref", "refs/heads/arborist/trial/T003", "main"]);
    field.worked(&["T001"]).assert(0, &[]);
    field.worked(&["T003"]).assert(0, &["T003 test pass", "T003 merge pass"]);
    let began = field.there(&["log", "--format=%H", "--grep", "^task(T003): claimed", "main"]);
    let files = field.there(&["ls-tree", "--name-only", began.lines().last().unwrap()]);
    assert!(files.contains("T001.txt"), "{files}");
}

#[test]
fn a_worker_goes_on_at_once_with_a_task_of_its_own_that_somebody_has_moved_back() {
    let Some(field) = Field::of_three() else { return };
    let back = "while read old new ref; do case $ref in */T002) test -e moved || test -z \"$(git log -1 --format=%s $new | grep complete)\" || {\n\
                touch moved; git update-ref $ref $old; };; esac; done";
    field.hook("post-receive", back);
    field.worked(&["--until-done"]).assert(0, &["T002 merge pass"]);
    assert!(field.server.bare().join("moved").exists());
    field.check_complete(&["T001", "T002", "T003"]);
}

#[test]
fn what_killed_workers_have_left_is_removed_although_nothing_is_left_to_be_merged() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.worked(&[]).assert(0, &["T001 merge pass"]);
    field.there(&["update-ref", "refs/heads/arborist/trial/T001", "main"]);
    field.worked(&["--until-done"]).assert(0, &[]);
    assert_eq!(field.branches(), ["main"]);
}

#[test]
fn a_task_on_which_no_step_can_be_done_is_left_alone_and_the_others_go_on() {
    let Some(field) = Field::of_three() else { return };
    field.garden.config("arborist.task.maxTime", "1s");
    field.garden.agent("case $work in T001.implement.*) sleep 1.5; exit 1;; esac");
    field
        .worked(&["--until-done"])
        .assert(7, &["T001 is left alone: The run ended because the steps of T001 have", "T002 merge pass"]);
    let ended = field.worked(&["T001"]);
    ended.assert(1, &["the steps of T001 have"]);
    assert_eq!(field.subjects("arborist/trial/T001")[0], "task(T001): claimed by nobody");
}

#[test]
fn answers_to_pushes_that_are_lost_again_and_again_lose_nothing() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    // The push has happened, and nobody hears of it.
    let lost = "count=$(cat lost 2>/dev/null || echo 0); echo $((count + 1)) > lost\n\
                test $((count % 2)) = 1 || kill -9 $(ps -o ppid= -p $PPID) $PPID";
    field.hook("post-receive", lost);
    field.worked(&[]).assert(0, &["T001 merge pass"]);
    fs::remove_file(field.server.bare().join("hooks/post-receive")).unwrap();
    let lost: u32 = fs::read_to_string(field.server.bare().join("lost")).unwrap().trim().parse().unwrap();
    assert!(lost >= 5, "{lost} pushes");
    field.check_complete(&["T001"]);
    let subjects = field.subjects("main");
    assert_eq!(subjects.iter().filter(|line| line.contains(": claimed by ")).count(), 1, "{subjects:?}");
    assert_eq!(field.left(), 0);
}

#[test]
fn a_node_without_the_agent_or_without_room_gives_its_task_back_and_others_go_on() {
    let Some(field) = Field::of_three() else { return };
    let field_work = |setting: (&str, &str)| {
        let mut command = field.work(&["--claimant", "poor", "--until-done"]);
        command.env(setting.0, setting.1);
        field.garden.finish(command)
    };
    field.garden.config("arborist.runner.gone.command", "/nowhere/agent");
    field_work(("ARBORIST_RUNNER", "gone")).assert(4, &["the runner gone cannot start"]);
    assert!(field.subjects("arborist/trial/T001")[0].contains("claimed by nobody"));
    if let Some(small) = Small::mount(&field.garden.root().join("small"), "64k") {
        let ended = field_work(("ARBORIST_WORKTREE_DIR", small.0.to_str().unwrap()));
        assert_eq!(ended.status, 4, "{ended:?}");
        assert!(ended.stderr.contains("No space left on device"), "{ended:?}");
    }
    // The agent itself fills the disk, on which the clone is as well.
    if let Some(small) = Small::mount(&field.garden.root().join("filled"), "240m") {
        field.garden.agent(
            "case $ARBORIST_STEP in implement) dd if=/dev/zero of=big bs=1M count=300 2>/dev/null;; esac",
        );
        let mut command = field.work(&["--claimant", "poor", "--until-done"]);
        command.env("TMPDIR", small.0);
        let ended = field.garden.finish(command);
        assert_eq!(ended.status, 4, "{ended:?}");
        assert!(field.subjects("arborist/trial/T001")[0].contains("claimed by nobody"), "{ended:?}");
        field.garden.agent("");
    }
    field.worked(&["--claimant", "rich", "--until-done"]).assert(0, &["T001 merge pass", "T003 merge pass"]);
    field.check_complete(&["T001", "T002", "T003"]);
}

/// A file system that is nearly full.
struct Small<'f>(&'f std::path::Path);

impl<'f> Small<'f> {
    /// `None` where nothing may be mounted.
    fn mount(folder: &'f std::path::Path, size: &str) -> Option<Self> {
        fs::create_dir(folder).unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(folder);
        if !command.output().is_ok_and(|done| done.status.success()) {
            crate::support::skip::skip("no file system may be mounted here");
            return None;
        }
        Some(Self(folder))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).output();
    }
}

#[test]
fn two_fleets_that_work_on_one_plan_with_branches_of_their_own_both_end_with_everything_merged() {
    let Some(field) = Field::of_three() else { return };
    field.there(&["branch", "other", "main"]);
    let fleets = ["main", "other"].map(|branch| {
        let mut command =
            field.garden.arborist(&["work", "--remote", "origin", "--branch", branch, "--claimant", branch]);
        let temporary = field.garden.root().join("temporary");
        fs::create_dir_all(&temporary).unwrap();
        command.arg("--until-done").env("TMPDIR", temporary);
        field.garden.start(command)
    });
    // Whoever finds that the other fleet has merged its task ends, as always when somebody takes a branch away.
    for (worker, branch) in fleets.into_iter().zip(["main", "other"]) {
        let ended = worker.wait();
        assert!([0, 5].contains(&ended.status), "{branch}: {ended:?}");
    }
    for branch in ["main", "other"] {
        let mut command =
            field.garden.arborist(&["work", "--remote", "origin", "--branch", branch, "--until-done"]);
        command.env("TMPDIR", field.garden.root().join("temporary"));
        field.garden.finish(command).assert(0, &[]);
        for task in ["T001", "T002", "T003"] {
            let ends = format!("task({task}): complete ");
            assert!(field.subjects(branch).iter().any(|line| line.starts_with(&ends)), "{branch} {task}");
        }
    }
    field.there(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(field.branches(), ["main", "other"]);
}

#[test]
fn what_a_superseded_worker_had_not_pushed_stays_in_its_clone_although_it_goes_on() {
    let Some(field) = Field::of_three() else { return };
    field.garden.config("arborist.push", "ends");
    field.garden.config("arborist.review", "true");
    field.garden.agent(&WAITS.replace("implement", "review"));
    let ended = disturbed(&field, &["--claimant", "a", "--until-done"], || {
        take_over(&field, &["--claimant", "b", "--take-over", "T001"]);
    });
    let kept = "What this worker had not pushed yet of T001 is in refs/arborist/rescue/superseded/";
    ended.assert(0, &["somebody else has taken T001 over", kept, "T002 claimed by a.0@", "is kept"]);
    field.check_complete(&["T001", "T002", "T003"]);
    assert_eq!(field.left(), 1);
    // Nor does the next worker remove it.
    field.worked(&["--until-done"]).assert(0, &[]);
    assert_eq!(field.left(), 1);
}

#[test]
fn a_worker_ends_if_its_job_was_started_again_and_has_merged_its_task_since() {
    let Some(field) = Field::of_three() else { return };
    field.garden.agent(WAITS);
    let ended = disturbed(&field, &["--claimant", "j", "--until-done"], || {
        take_over(&field, &["--claimant", "j", "--attempt", "1", "T001"]);
    });
    ended.assert(5, &["somebody else has taken T001 over"]);
    assert!(!ended.stderr.contains("T002 claimed by"), "{ended:?}");
}
