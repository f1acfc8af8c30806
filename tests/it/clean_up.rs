//! Tests that cleaning up removes only what the tool has made: an agent can write wherever our own files are.

use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use crate::support::garden::{Garden, one_task, side_by_side};

/// The commands that clean up.
const COMMANDS: [&[&str]; 4] =
    [&["doctor", "--fix"], &["garden", "T001", "--yes"], &["gardener", "--yes"], &["doctor"]];

#[test]
fn a_record_of_a_scratch_work_tree_does_not_make_a_folder_ours() {
    side_by_side(["scratch/Documents", "scratch/doc-1-1", "slots/slot-0"], |record| {
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        let users = garden.root().join("home").join(record.rsplit('/').next().unwrap());
        std::fs::create_dir_all(users.join("deep")).unwrap();
        std::fs::write(users.join("deep/file"), "keep").unwrap();
        garden.write(&format!(".git/arborist/{record}/folder"), users.to_str().unwrap());
        for command in COMMANDS {
            garden.run(command);
            assert!(users.join("deep/file").exists(), "{record}: {command:?}");
        }
        garden.run(&["gardener"]).assert(0, &[]);
    });
}

#[test]
fn nothing_is_removed_behind_a_link() {
    let folders = ["scratch", "slots", "waiting", "clients", "units", "output", "runs", "."];
    side_by_side(folders, |folder| {
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        let users = garden.root().join("home/users");
        std::fs::create_dir_all(users.join("sub")).unwrap();
        let files =
            ["1.json", "1", "T001.md", "T001.0.implement.out", "sub/file", "journal.json", "lock", "stop"];
        for file in files {
            std::fs::write(users.join(file), "keep").unwrap();
            let old = SystemTime::now() - Duration::from_secs(3 * 24 * 60 * 60);
            std::fs::File::options().write(true).open(users.join(file)).unwrap().set_modified(old).unwrap();
        }
        let own = garden.top().join(".git/arborist");
        let place = if folder == "." { own.clone() } else { own.join(folder) };
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        let _ = std::fs::remove_dir_all(&place);
        symlink(&users, &place).unwrap();
        for command in COMMANDS {
            garden.run(command);
            for file in files {
                let content = std::fs::read_to_string(users.join(file)).ok();
                assert_eq!(content.as_deref(), Some("keep"), "{folder}: {command:?}: {file}");
            }
        }
    });
}

#[test]
fn a_file_of_the_user_with_a_second_name_among_ours_is_not_written_to() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    let users = garden.root().join("home/file");
    std::fs::write(&users, "keep").unwrap();
    std::fs::create_dir_all(garden.top().join(".git/arborist/output")).unwrap();
    for name in ["lock", "alive", "journal.json", "journal.next", "output/T001.0.implement.out"] {
        let place = garden.top().join(".git/arborist").join(name);
        let _ = std::fs::remove_file(&place);
        std::fs::hard_link(&users, &place).unwrap();
        garden.run(&["gardener"]);
        assert_eq!(std::fs::read_to_string(&users).unwrap(), "keep", "{name}");
        let _ = std::fs::remove_file(&place);
    }
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_folder_beside_a_run_folder_stays() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    for name in ["out.old", "out.new"] {
        std::fs::create_dir(garden.root().join(name)).unwrap();
        std::fs::write(garden.root().join(name).join("file"), "keep").unwrap();
    }
    let folder = garden.root().join("out");
    for _ in 0..2 {
        garden.run(&["report", "--run-folder", folder.to_str().unwrap()]).assert(0, &[]);
    }
    assert!(garden.root().join("out.old/file").exists() && garden.root().join("out.new/file").exists());
}
