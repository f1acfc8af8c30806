//! Tests that no file in a clone can make a command wait for ever or use up all memory, although links in it may lead
//! anywhere.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::garden::{Ended, Garden, one_task, side_by_side};

/// Commands that look at the settings of a clone, at its plan, or at both.
const READING: [&[&str]; 8] = [
    &["status"],
    &["next"],
    &["show", "T001"],
    &["check", "--run"],
    &["doctor"],
    &["rescue"],
    &["hooks", "status"],
    &["gardener", "--dry-run"],
];

/// Runs a command that must end soon and in little memory; 137 means that it had to be killed.
fn bounded(garden: &Garden, args: &[&str]) -> Ended {
    let ours = garden.arborist(args);
    let mut command = garden.command("sh");
    command.args(["-c", "ulimit -v 2000000; exec timeout -s KILL 60 \"$@\"", "sh"]);
    command.arg(ours.get_program()).args(ours.get_args());
    garden.start(command).wait()
}

/// Puts a link at `path` of the work tree to each kind of file that must not be read, and runs all commands.
fn behind_a_link_at(path: &str, refused: &(dyn Fn(&[&str]) -> bool + Sync)) {
    let garden = Garden::new(&one_task(&["true"]));
    let pipe = garden.root().join("pipe");
    assert!(garden.command("mkfifo").arg(&pipe).status().unwrap().success());
    File::create(garden.root().join("sparse")).unwrap().set_len(1 << 40).unwrap();
    garden.write(".arborist/note", "");
    for (target, words) in
        [("pipe", "not a regular file"), ("/dev/zero", "not a regular file"), ("sparse", "larger than")]
    {
        let link = garden.top().join(path);
        let _ = fs::remove_file(&link);
        symlink(garden.root().join(target), &link).unwrap();
        side_by_side(READING, |args| {
            let ended = bounded(&garden, args);
            assert!(ended.status < 128, "{args:?} behind a link to {target}: {ended:#?}");
            if refused(args) {
                ended.assert(2, &[path, words]);
            }
        });
    }
}

#[test]
fn settings_that_lead_to_a_pipe_a_device_or_a_huge_file_are_refused_at_once() {
    behind_a_link_at(".arborist/config.json", &|args| !matches!(args[0], "doctor" | "rescue" | "hooks"));
}

#[test]
fn a_plan_that_leads_to_a_pipe_a_device_or_a_huge_file_is_refused_at_once() {
    behind_a_link_at("task-tree.json", &|args| !matches!(args[0], "doctor" | "rescue" | "hooks"));
}

#[test]
fn a_report_that_is_a_pipe_or_a_device_is_not_read() {
    for make in ["mkfifo report.xml", "ln -s /dev/zero report.xml"] {
        let mut plan = one_task(&[&format!("rm -f report.xml; {make}")]);
        plan["nodes"]["T001"]["test_commands"][0]["framework"] = "junit:report.xml".into();
        let garden = Garden::new(&plan);
        garden.write(".gitignore", "report.xml\n");
        garden.commit("Ignore reports");
        garden.run(&["gardener"]).assert(0, &[]);
        assert!(!garden.git(&["log", "--format=%B"]).contains("Arborist-Test-Passed"), "{make}");
    }
}

/// Our own files in the git directory, which a program that works there may replace.
const OWN: [&str; 3] = ["journal.json", "alive", "prompt"];

#[test]
fn a_pipe_in_the_place_of_a_file_of_our_own_is_not_waited_for() {
    let places = OWN.map(|name| [name.to_owned(), format!("{}.next", name.trim_end_matches(".json"))]);
    let garden = Garden::new(&one_task(&["true"]));
    fs::create_dir(garden.top().join(".git/arborist")).unwrap();
    for place in places.as_flattened() {
        let pipe = garden.top().join(".git/arborist").join(place);
        assert!(garden.command("mkfifo").arg(&pipe).status().unwrap().success());
    }
    bounded(&garden, &["gardener"]).assert(0, &[]);

    let lock = garden.top().join(".git/arborist/lock");
    let _ = fs::remove_file(&lock);
    assert!(garden.command("mkfifo").arg(&lock).status().unwrap().success());
    bounded(&garden, &["gardener"]).assert(4, &["arborist/lock", "not a regular file", "Remove it"]);
    assert!(bounded(&garden, &["doctor"]).status < 128);
}

#[test]
fn a_link_in_the_place_of_a_file_of_our_own_is_not_followed() {
    let garden = Garden::new(&one_task(&["true"]));
    let folder = garden.top().join(".git/arborist");
    fs::create_dir(&folder).unwrap();
    let outside = garden.root().join("outside");
    fs::write(&outside, "mine\n").unwrap();
    for name in OWN {
        symlink(&outside, folder.join(name)).unwrap();
    }
    garden.run(&["gardener"]).assert(0, &[]);
    let _ = fs::remove_file(folder.join("lock"));
    symlink(&outside, folder.join("lock")).unwrap();
    garden.run(&["gardener"]).assert(4, &["arborist/lock", "not a regular file"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine\n");
}

#[test]
fn only_the_user_can_read_or_hold_our_own_files() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    for name in ["lock", "alive"] {
        let meta = fs::metadata(garden.top().join(".git/arborist").join(name)).unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, 0o600, "{name}");
    }
}
