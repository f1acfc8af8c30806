//! Workers on many machines: they claim tasks, die, are taken over, and integrate.

use std::fs;

use super::field::Field;
use super::server::run;
use crate::support::garden::one_task;

/// An agent that says on which file it waits before it does its work.
const WAITS: &str = "case $work in *.implement.*) echo $$ > \"$ROOT/pid\"; while test -e \"$ROOT/hold\"; do sleep 0.05; done;; esac";

fn hold(field: &Field) {
    fs::write(field.garden.root().join("hold"), "").unwrap();
}

fn let_go(field: &Field) {
    fs::remove_file(field.garden.root().join("hold")).unwrap();
}

#[test]
fn a_worker_does_everything_and_touches_nothing_of_the_user() {
    let Some(field) = Field::of_three() else { return };
    let before = field.garden.git(&["for-each-ref", "refs/heads"]);
    field.worked(&[]).assert(0, &["T001 claimed by work:", "T003 complete pass", "merge pass"]);
    field.check_complete(&["T001", "T002", "T003"]);
    assert_eq!(field.garden.git(&["for-each-ref", "refs/heads"]), before);
    assert_eq!(field.garden.status(), [""; 0]);
    assert_eq!(field.left(), 0);
    assert!(field.subjects("main").contains(&"phase(p1): complete".to_owned()));
    // There is nothing left to do.
    field.worked(&[]).assert(0, &[]);
    field.worked(&["T001"]).assert(0, &[]);
}

#[test]
fn several_workers_share_the_tasks_and_a_conflict_is_resolved_in_the_next_attempt() {
    let Some(field) = Field::of_three() else { return };
    field.garden.agent(
        "case $ARBORIST_STEP in implement)\n\
         if grep -q '^<<<<<<<' shared 2> /dev/null; then echo both > shared\n\
         else sleep 0.3; echo \"$ARBORIST_TASK\" > shared; fi;; esac",
    );
    let started: Vec<_> = ["1", "2", "3"]
        .map(|number| field.garden.start(field.work(&["--claimant", number, "--until-idle", "20"])))
        .into_iter()
        .collect();
    for worker in started {
        worker.wait().assert(0, &[]);
    }
    field.check_merged(&["T001", "T002", "T003"]);
    assert_eq!(field.left(), 0);
}

#[test]
fn the_same_job_started_again_takes_its_task_over_and_repeats_no_step() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.agent(
        "case $work in *.review.*) test -e \"$ROOT/again\" || { echo $$ > \"$ROOT/pid\"; sleep 60; };; esac",
    );
    let running = field.garden.start(field.work(&["--claimant", "slurm:7.1", "T001"]));
    field.garden.wait_for("pid");
    field.garden.kill_with_agent(running);
    fs::write(field.garden.root().join("again"), "").unwrap();
    let busy = field.worked(&["--claimant", "slurm:7.2", "T001"]);
    busy.assert(5, &["T001 is claimed by slurm:7.1.0@", "--take-over"]);
    field.worked(&["--claimant", "slurm:7.1", "--attempt", "1", "T001"]).assert(0, &["T001 review approved"]);
    field.check_complete(&["T001"]);
    let subjects = field.subjects("main");
    assert_eq!(subjects.iter().filter(|line| line.starts_with("task(T001): implement")).count(), 1);
    assert_eq!(subjects.iter().filter(|line| line.contains(": claimed by ")).count(), 2);
}

#[test]
fn whoever_is_superseded_ends_its_agent_with_status_5_and_keeps_its_work() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.agent(WAITS);
    hold(&field);
    let first = field.garden.start(field.work(&["--claimant", "a", "T001"]));
    field.garden.wait_for("pid");
    let mut other = field.work(&["--claimant", "b", "--take-over", "T001"]);
    other.env("ROOT", field.garden.root().join("other"));
    fs::create_dir(field.garden.root().join("other")).unwrap();
    field.garden.finish(other).assert(0, &["T001 claimed by b.0@"]);
    // The first one finds that out although its agent is still at work.
    let ended = first.wait();
    let_go(&field);
    ended.assert(5, &["somebody else has taken T001 over"]);
    field.check_complete(&["T001"]);
    field.garden.assert_nothing_runs();
    assert_eq!(field.left(), 0);
}

#[test]
fn a_worker_that_is_asked_to_end_gives_its_task_back() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.agent(WAITS);
    hold(&field);
    let first = field.garden.start(field.work(&["--claimant", "a"]));
    field.garden.wait_for("pid");
    first.signal("TERM");
    first.wait().assert(143, &["Every step that was pushed is kept"]);
    field.garden.assert_nothing_runs();
    assert_eq!(field.subjects("arborist/trial/T001")[0], "task(T001): claimed by nobody");
    let_go(&field);
    field.worked(&["--claimant", "b"]).assert(0, &["T001 claimed by b.0@"]);
    field.check_complete(&["T001"]);
    assert_eq!(field.left(), 0);
}

#[test]
fn a_worker_that_stays_until_all_is_done_waits_for_a_slow_task_of_another_one() {
    let Some(field) = Field::of_three() else { return };
    field.garden.agent("case $work in T001.implement.*) echo $$ > \"$ROOT/pid\"; while test -e \"$ROOT/hold\"; do sleep 0.05; done;; esac");
    hold(&field);
    let slow = field.garden.start(field.work(&["--claimant", "slow", "--until-done"]));
    field.garden.wait_for("pid");
    // It works on T002, and has nothing to do then; T003 waits for the slow one.
    let patient = field.garden.start(field.work(&["--claimant", "patient", "--until-idle", "1"]));
    while field.branches().contains(&"arborist/trial/T002".to_owned()) || field.subjects("main").len() < 4 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // Another one has nothing to wait for.
    field.worked(&["--claimant", "hasty"]).assert(0, &[]);
    let_go(&field);
    for worker in [slow, patient] {
        worker.wait().assert(0, &[]);
    }
    field.check_complete(&["T001", "T002", "T003"]);
}

#[test]
fn the_exit_status_says_what_a_worker_has_left_behind() {
    let Some(field) = Field::of_three() else { return };
    field.garden.config("arborist.maxAttempts", "1");
    field.garden.agent("case $work in T001.implement.*) exit 1;; esac");
    // T001 fails in its hands, so that T003 is blocked.
    field.worked(&["--until-done"]).assert(1, &["T001 has failed."]);
    field.worked(&["--until-done"]).assert(0, &[]);
    field.worked(&["--until-done", "--fail-on", "any"]).assert(1, &[]);
    field.worked(&["--until-done", "T003"]).assert(1, &["T003 is not ready: it waits for T001"]);
    field.worked(&["--until-done", "--until-idle", "1"]).assert(2, &["cannot be used with"]);
    field.worked(&["--fail-on", "none"]).assert(2, &["own", "any"]);
}

#[test]
fn a_worker_that_only_waits_for_a_person_ends_with_status_7() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.config("arborist.approval", "true");
    field.worked(&["--until-done"]).assert(7, &["T001", "approv"]);
}

#[test]
fn a_branch_that_somebody_deletes_or_moves_supersedes_its_worker() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.agent(WAITS);
    for change in ["delete", "move"] {
        hold(&field);
        let _ = fs::remove_file(field.garden.root().join("pid"));
        let worker = field.garden.start(field.work(&["--claimant", change, "--take-over", "T001"]));
        field.garden.wait_for("pid");
        let branch = "refs/heads/arborist/trial/T001";
        match change {
            "delete" => field.there(&["update-ref", "-d", branch]),
            _ => field.there(&["update-ref", branch, "main"]),
        };
        let_go(&field);
        worker.wait().assert(5, &["taken T001 over"]);
    }
    field.worked(&["--claimant", "c", "--take-over", "T001"]).assert(0, &[]);
    field.check_complete(&["T001"]);
}

#[test]
fn two_workers_with_the_same_name_and_clocks_that_differ_by_years_do_no_harm() {
    let Some(field) = Field::of_three() else { return };
    let started: Vec<_> = ["2001-01-01T00:00:00Z", "2037-01-01T00:00:00Z"]
        .map(|date| {
            let mut command = field.work(&["--claimant", "same", "--until-idle", "15"]);
            command.env("GIT_COMMITTER_DATE", date).env("GIT_AUTHOR_DATE", date);
            field.garden.start(command)
        })
        .into_iter()
        .collect();
    for worker in started {
        worker.wait().assert(0, &[]);
    }
    field.check_complete(&["T001", "T002", "T003"]);
}

#[test]
fn what_could_not_be_pushed_to_the_branch_of_the_run_is_integrated_later() {
    let Some(field) = Field::of_three() else { return };
    field.hook("update", "case $1 in refs/heads/main) echo 'main is protected' >&2; exit 1;; esac");
    field
        .worked(&[])
        .assert(4, &["does not accept that main moves", "main is protected", "Every step that was pushed"]);
    assert_eq!(field.branches(), ["arborist/trial/T001", "main"]);
    fs::remove_file(field.server.bare().join("hooks/update")).unwrap();
    let temporary = field.garden.root().join("temporary");
    let mut integrate = field.garden.arborist(&["integrate", "--remote", "origin", "--branch", "main"]);
    integrate.env("TMPDIR", &temporary);
    field.garden.finish(integrate).assert(0, &["T001 merge pass"]);
    assert_eq!(field.branches(), ["main"]);
    // In a repository of one's own, it needs no remote.
    let branch = "arborist/trial/T002";
    field.hook("update", "case $1 in refs/heads/main) echo 'main is protected' >&2; exit 1;; esac");
    field.worked(&["T002"]).assert(4, &[]);
    field.garden.git(&["pull", "-q", "--ff-only", "origin", "main"]);
    field.garden.git(&["fetch", "-q", "origin", &format!("refs/heads/{branch}:refs/heads/{branch}")]);
    field.garden.run(&["integrate"]).assert(0, &["T002 merge       pass"]);
    assert!(field.garden.subjects().contains(&format!("Merge task \"Do T002\" ({branch})")));
    field.garden.run(&["integrate"]).assert(0, &[]);
}

#[test]
fn every_remote_repository_that_cannot_be_used_has_its_message() {
    let Some(field) = Field::of_three() else { return };
    let work = |args: &[&str]| {
        let mut command = field.garden.arborist(&["work"]);
        command.args(args).env("TMPDIR", field.garden.root());
        field.garden.finish(command)
    };
    work(&["--remote", "nowhere"]).assert(2, &["there is no remote nowhere", "origin"]);
    work(&["--remote", "origin", "--branch", "none"]).assert(3, &["has no branch none", "--branch"]);
    let silent = ["--remote", "git://127.0.0.1:1/x", "--branch", "main"];
    let mut command = field.garden.arborist(&["work"]);
    command.args(silent).env("TMPDIR", field.garden.root()).env("ARBORIST_PATIENCE", "1");
    field.garden.finish(command).assert(4, &["It is asked again", "does not answer"]);
    work(&["--remote", "origin", "--claimant", " "]).assert(2, &["cannot name a claimant: it is empty"]);
    work(&["--remote", "origin", "--dry-run"]).assert(2, &["no dry run"]);
    field.garden.run(&["integrate", "--dry-run"]).assert(2, &["no dry run"]);
    work(&["--remote", "origin", "T009"]).assert(2, &["T009"]);
    work(&["--remote", "origin", "T003"]).assert(1, &["T003 is not ready: it waits for T001"]);
    let busy = field.garden.root().join("busy");
    fs::create_dir(&busy).unwrap();
    fs::write(busy.join("file"), "").unwrap();
    work(&["--remote", "origin", "--dir", busy.to_str().unwrap()]).assert(2, &["is not empty"]);
    field.there(&["config", "transfer.hideRefs", "refs/heads/arborist"]);
    field
        .worked(&[])
        .assert(4, &["does not accept a push to arborist/trial/T001", "hidden ref", "below `arborist/`"]);
    field.there(&["config", "--unset", "transfer.hideRefs"]);
    field.hook("pre-receive", "echo 'closed for today' >&2; exit 1");
    field.worked(&[]).assert(4, &["does not accept a push to arborist/trial/T001", "closed for today"]);
    fs::remove_file(field.server.bare().join("hooks/pre-receive")).unwrap();
    // git daemon serves only reads without `--enable=receive-pack`; the setting of the repository has the same effect.
    field.there(&["config", "daemon.receivepack", "false"]);
    field.worked(&[]).assert(4, &["access denied"]);
    field.there(&["config", "--unset", "daemon.receivepack"]);
    assert_eq!(field.branches(), ["main"]);
    assert_eq!(field.left(), 0);
    field.worked(&[]).assert(0, &[]);
}

#[test]
fn a_shallow_repository_here_or_there_is_no_danger() {
    let Some(field) = Field::of_three() else { return };
    let shallow = field.garden.root().join("shallow");
    for number in 0..3 {
        field.garden.commit(&format!("more {number}"));
    }
    field.garden.git(&["push", "-q", "origin", "HEAD:main"]);
    // A shallow clone, as engines make them: the clone of the worker is whole.
    field.garden.git(&["clone", "-q", "--depth", "1", &field.server.url(), shallow.to_str().unwrap()]);
    let config = field.garden.read(".git/config");
    let runner: Vec<&str> = config.split("[arborist").skip(1).collect();
    let own = shallow.join(".git/config");
    let text = fs::read_to_string(&own).unwrap()
        + &runner.iter().map(|part| format!("[arborist{part}")).collect::<String>();
    fs::write(&own, text).unwrap();
    let mut command = field.work(&["T001"]);
    command.current_dir(&shallow);
    field.garden.start(command).wait().assert(0, &[]);
    assert!(field.subjects("main").iter().any(|subject| subject.starts_with("Merge task \"Do T001\"")));
    // A shallow remote repository does not tell where the run begins.
    let remote = field.garden.root().join("remote.git");
    run(
        field.garden.root(),
        &["clone", "-q", "--bare", "--depth", "1", &field.server.url(), remote.to_str().unwrap()],
    );
    let mut command =
        field.garden.arborist(&["work", "--remote", remote.to_str().unwrap(), "--branch", "main"]);
    command.env("TMPDIR", field.garden.root().join("temporary"));
    let ended = field.garden.finish(command);
    ended.assert(3, &["main of the remote repository cannot be fetched", "shallow", "--unshallow"]);
}
