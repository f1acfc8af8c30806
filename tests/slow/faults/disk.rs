//! Rows D: disks that are full, read-only or not ours, and clocks that jump.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::garden::{Ended, Garden};
use crate::support::harness::{assert_sound, assert_sound_after, one_task, rescued, script_before};
use crate::support::skip::{has, skip};

/// Runs a shell script in its own namespaces, where it may mount file systems; `None` if that is not allowed here.
pub(super) fn in_namespace(garden: &Garden, script: &str) -> Option<Ended> {
    let allowed = garden.command("unshare").args(["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        skip("no mounts in a user namespace here");
        return None;
    }
    let mut command = garden.command("unshare");
    command.args(["-Urm", "/bin/sh", "-ec", script]);
    Some(garden.start(command).wait())
}

/// Makes file modes apply even to root: starts a program without the capabilities that override them.
const BOUND: [&str; 2] = ["--inh-caps=-all", "--bounding-set=-all"];

/// Whether programs can be started like this here. Prints a message if not.
fn setpriv_works() -> bool {
    let works = has("setpriv")
        && Command::new("setpriv").args(BOUND).arg("true").status().is_ok_and(|status| status.success());
    if !works {
        skip("setpriv cannot be used here");
    }
    works
}

/// Moves the repository to a disk of that size in MiB, lets a run fill it there, and moves it back.
fn on_disk(size: u32, garden: &Garden, script: &str) -> Option<Ended> {
    let script = format!(
        r#"cp -a "$ROOT/work" "$ROOT/kept"
        mount -t tmpfs -o size={size}m none "$ROOT/work"
        cp -a "$ROOT/kept/." "$ROOT/work/"; rm -rf "$ROOT/kept"
        cd "$ROOT/work"; status=0; {{ {script}
        }} || status=$?
        rm -f "$ROOT/work/filler"; cp -a "$ROOT/work" "$ROOT/after"; cd /
        umount "$ROOT/work"; rm -rf "$ROOT/work/.git"; cp -a "$ROOT/after/." "$ROOT/work/"; exit $status"#
    );
    in_namespace(garden, &script)
}

/// A file that fills the small disk to the last byte, and that git does not see. It is larger than that disk, but not by
/// much, in case it gets to another one.
const FILL: &str = r#"head -c 300000000 /dev/zero > "$ROOT/work/filler" 2> /dev/null || true"#;

fn small(script: &str) -> Garden {
    let garden = one_task(script);
    garden.write(".git/info/exclude", "filler\n");
    garden
}

/// Asserts that a full disk is reported at once and nothing is lost, and that the run continues when there is room
/// again.
fn assert_full(garden: &Garden, ended: &Ended, asked: usize) {
    ended.assert(4, &["The disk is full", "Make room"]);
    assert_sound_after(garden, ended);
    let asks = std::fs::read_dir(garden.root().join("asked")).unwrap().count();
    assert_eq!(asks, asked, "nothing is tried again");
    std::fs::write(garden.root().join("room"), "").unwrap();
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(garden, &again);
    assert_eq!(garden.steps().len(), 6);
}

#[test]
fn d01_a_disk_that_is_full_when_a_step_is_saved_ends_the_run_and_keeps_the_files() {
    let fill = r#"if [ $ARBORIST_STEP = implement ] && [ ! -e "$ROOT/room" ]; then
        head -c 300000 /dev/urandom > big.bin; FILL
        echo done; exit 0; fi"#;
    let garden = small(&fill.replace("FILL", FILL));
    if let Some(ended) = on_disk(240, &garden, "git-arborist-gardener") {
        assert!(garden.exists("big.bin"));
        assert_full(&garden, &ended, 1);
    }
}

#[test]
fn d02_a_disk_that_is_full_when_git_commits_leaves_the_branch_where_it_was() {
    let garden = small("");
    let hook = format!("test -e \"$ROOT/room\" || {{ {FILL}; }}");
    garden.program(&garden.top().join(".git/hooks/pre-commit"), &hook);
    let before = garden.head();
    if let Some(ended) = on_disk(240, &garden, "git-arborist-gardener") {
        assert_eq!(garden.head(), before);
        assert_full(&garden, &ended, 1);
    }
}

#[test]
fn d03_a_disk_that_is_full_when_a_log_is_written_leaves_no_incomplete_log() {
    let garden =
        small(&format!("test $ARBORIST_STEP = implement || test -e \"$ROOT/room\" || {{ {FILL}; }}"));
    if let Some(ended) = on_disk(240, &garden, "git-arborist-gardener") {
        // The end of the review has made a little room again, which may be enough for a whole log.
        for log in std::fs::read_dir(garden.top().join("spec/logs")).into_iter().flatten() {
            let log = std::fs::read_to_string(log.unwrap().path()).unwrap();
            assert!(log.ends_with("APPROVED\n"), "{log}: {ended:#?}");
        }
        assert_full(&garden, &ended, 2);
    }
}

#[test]
fn d04_a_limit_on_the_size_of_files_is_an_error_and_does_not_kill_the_run() {
    let garden = one_task("test $ARBORIST_STEP != implement || head -c 3000000 /dev/urandom > big.bin");
    let mut command = garden.command("/bin/sh");
    command.args(["-c", "(ulimit -f 1000; exec git-arborist-gardener)"]);
    let ended = garden.start(command).wait();
    garden.check(&ended);
    // The agent hits the limit first, and is responsible for what it wrote until then.
    assert!([0, 4].contains(&ended.status), "{ended:#?}");
    assert_sound_after(&garden, &ended);

    let garden = one_task("test $ARBORIST_STEP != implement || head -c 3000000 /dev/urandom > big.bin");
    let ended = garden.finish(script_before(&garden, &["gardener"], ("update-index", "ulimit -f 100")));
    ended.assert(4, &["limit on the size of files"]);
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
}

#[test]
fn d05_a_git_directory_that_cannot_be_written_is_refused_before_any_agent_starts() {
    let garden = one_task("");
    let script = r#"mount --bind "$ROOT/work/.git" "$ROOT/work/.git"
        mount -o remount,ro,bind "$ROOT/work/.git"; exec git-arborist-gardener"#;
    if let Some(ended) = in_namespace(&garden, script) {
        ended.assert(4, &["Read-only file system", "writable"]);
        assert!(!garden.root().join("asked").exists());
        assert_sound_after(&garden, &ended);
    }
}

#[test]
fn d05_references_that_cannot_be_written_are_found_before_any_agent_starts() {
    for folder in [".git/refs", ".git/refs/heads", ".git/objects", ".git/logs/refs/heads"] {
        if !setpriv_works() {
            return;
        }
        let garden = one_task("");
        let mut command = garden.command("setpriv");
        command.args(BOUND).arg("git-arborist-gardener");
        let folder = garden.top().join(folder);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        let ended = garden.start(command).wait();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let name = folder.display().to_string();
        ended.assert(4, &[&name, "not writable", "Permission denied"]);
        assert!(!ended.stderr.contains("another"), "{ended:#?}");
        assert!(!garden.root().join("asked").exists());
        assert_sound_after(&garden, &ended);
    }
}

#[test]
fn d06_a_work_tree_that_cannot_be_written_fails_the_attempts_of_the_agent() {
    let garden = one_task("");
    garden.config("arborist.maxAttempts", "1");
    garden.config("arborist.review", "false");
    garden.runner("mine", "cat > /dev/null; echo x > new.txt");
    let script = r#"cd "$ROOT/work"; mkdir -p "$ROOT/git"; mount --bind .git "$ROOT/git"
        mount --bind . .; mount -o remount,ro,bind .; cd "$ROOT/work"; mount --bind "$ROOT/git" .git
        exec git-arborist-gardener"#;
    if let Some(ended) = in_namespace(&garden, script) {
        ended.assert(1, &["T001 failed"]);
        let body = garden.git(&["log", "--format=%B", "--grep", "Arborist-Step: implement"]);
        assert!(body.contains("Read-only file system") && body.contains("Arborist-Result: fail"), "{body}");
        assert_sound_after(&garden, &ended);
    }
}

#[test]
fn d07_a_file_that_cannot_be_read_fails_the_attempt_by_its_name_and_is_kept() {
    let garden = one_task(
        "case $work in
         T001.implement.0) echo secret > closed.txt; note closed.txt; chmod 000 closed.txt;;
         T001.implement.1) cat \"$ARBORIST_PROMPT_FILE\" > \"$ROOT/told\"; chmod 644 closed.txt;;
         esac",
    );
    let mut command = garden.command("setpriv");
    command.args(BOUND).arg("git-arborist-gardener");
    if setpriv_works() {
        let ended = garden.start(command).wait();
        ended.assert(0, &[]);
        assert_sound_after(&garden, &ended);
        let told = std::fs::read_to_string(garden.root().join("told")).unwrap();
        assert!(told.contains("open(\"closed.txt\"): Permission denied"), "{told}");
        assert!(garden.steps()[1].ends_with("| implement fail   0"), "{:?}", garden.steps());
        assert_eq!(garden.git(&["show", "HEAD:closed.txt"]), "secret");
    }
}

#[test]
fn d08_a_repository_of_another_user_is_refused_with_the_command_that_git_names() {
    let garden = one_task("");
    let owned = |by: &str| {
        garden.command("chown").args(["-R", by, "."]).status().is_ok_and(|status| status.success())
    };
    if !owned("12345") {
        skip("only the superuser gives files away");
        return;
    }
    let ended = garden.start(garden.arborist(&["gardener"])).wait();
    ended.assert(3, &["dubious ownership", "safe.directory"]);
    assert!(owned("0"));
    assert_sound_after(&garden, &ended);
}

#[test]
fn d09_a_clock_that_goes_back_a_year_and_other_time_zones_change_no_order() {
    // Each run but the last ends at one step, because the agent cannot be started for it.
    let garden = one_task(
        "test $work != \"$STOP\" || exit 127
         test $work != T001.review.0 || { echo REJECTED; exit 0; }",
    );
    let runs = [
        ("2026-06-01T00:00:00+14:00", "T001.review.0", 4),
        ("2025-06-01T00:00:00-11:00", "T001.implement.1", 4),
        ("2024-01-01T12:00:00+00:00", "none", 0),
    ];
    for (time, stop, status) in runs {
        let mut command = garden.arborist(&["gardener"]);
        command
            .env("GIT_COMMITTER_DATE", time)
            .env("GIT_AUTHOR_DATE", time)
            .env("TZ", "Pacific/Apia")
            .env("STOP", stop);
        garden.finish(command).assert(status, &[]);
    }
    let years =
        garden.lines(&["log", "--reverse", "--format=%cd", "--date=format:%Y", "--grep=Arborist-Step"]);
    assert_eq!(years, ["2026", "2026", "2025", "2024", "2024", "2024", "2024", "2024"]);
    assert_eq!(garden.steps().len(), 9, "{:#?}", garden.steps());
    assert!(garden.run(&["status", "--short"]).stdout.starts_with("1/1"));
    assert_sound(&garden);
}

#[test]
fn d11_too_little_disk_space_is_reported_before_an_agent_starts() {
    let garden = one_task("");
    if let Some(ended) = on_disk(100, &garden, "git-arborist-gardener") {
        ended.assert(4, &["MB free, but a runner needs 200 MB"]);
        assert!(!garden.root().join("asked").exists());
        assert_sound_after(&garden, &ended);
    }
}

#[test]
fn d12_a_folder_for_temporary_files_that_does_not_exist_is_not_needed() {
    let garden = one_task("");
    let mut command = garden.arborist(&["gardener"]);
    command.env("TMPDIR", "/nowhere/at/all");
    let ended = garden.finish(command);
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
    assert_eq!(rescued(&garden).len(), 0);
}
