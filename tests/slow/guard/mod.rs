//! Whatever agents do to a repository beside their work, in whichever way a plan is worked on: nothing that is forged counts, nothing of
//! the user's is lost, and the run goes on afterwards.

mod acts;
mod foreign;
mod hooks;
mod modes;
mod reproductions;

use std::io::Write as _;

use self::acts::{Act, Ends, MORE, OTHERWISE, SHORT};
use self::modes::{ALL, Mode, Site};
use crate::support::garden::side_by_side;

/// What must be so at any time: what `status` calls complete was worked on and reviewed, and its file is on a branch.
fn check_promises(site: &Site, when: &str) {
    let asked = site.garden.asked();
    for task in site.complete() {
        let was_asked = |step: &str| asked.iter().any(|work| work.starts_with(&format!("{task}.{step}.")));
        assert!(was_asked("implement") && was_asked("review"), "{when}: {task} is complete, but {asked:?}");
        let branches = site.git(&["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"]);
        let file = format!("{task}.txt");
        let has = |branch: &str| site.git(&["ls-tree", "--name-only", branch, &file]) == file;
        assert!(branches.lines().any(has), "{when}: {task} is complete, but {file} is on no branch");
    }
    for subject in site.users_commits() {
        let found = site.garden.git(&["--no-replace-objects", "log", "--all", "--format=%s"]);
        assert!(found.lines().any(|line| line == subject), "{when}: the user's commit {subject} is lost");
    }
}

/// Tries an act in a mode. Returns what is wrong.
fn cell(mode: Mode, (name, act, ends): Act) {
    let site = Site::new(mode);
    let otherwise = OTHERWISE.iter().find(|(of, there, _)| *of == name && *there == mode);
    let ends = otherwise.map_or(ends, |(_, _, ends)| *ends);
    site.agent(act);
    let ended = site.run();
    let cell = format!("{name}, {mode:?}: {ended:#?} {}", site.said());
    match ends {
        Ends::Unsafe => assert_eq!(ended.status, 6, "{cell}"),
        Ends::Well => assert_eq!(ended.status, 0, "{cell}"),
        Ends::Either(_) => assert!([0, 3, 6].contains(&ended.status), "{cell}"),
    }
    assert!(site.garden.root().join("acted").exists(), "{cell}");
    assert!(!site.garden.root().join("hooked").exists(), "a hook of the agent was run: {cell}");
    check_promises(&site, &cell);
    site.clean_up();
    let mut last = site.run();
    // What may be the user's counts as the user's in the next run, which tells of it once more.
    for _ in 0..2 {
        if last.status != 0 {
            check_promises(&site, &cell);
            site.clean_up();
            last = site.run();
        }
    }
    assert_eq!(last.status, 0, "it does not go on: {last:#?} after {cell}");
    check_promises(&site, &cell);
    assert_eq!(site.complete(), ["T001", "T002"], "{cell}");
    let files = site.git(&["ls-tree", "--name-only", "main", "T001.txt", "T002.txt"]);
    assert_eq!(files.lines().count(), 2, "{cell}");
    for subject in site.users_commits().into_iter().filter(|subject| *subject == "Mine") {
        assert!(site.git(&["log", "--format=%s", "main"]).lines().any(|line| line == subject), "{cell}");
    }
    let proved = site.ask(&["prove"]);
    assert!([0, 1].contains(&proved.status) && !proved.stdout.contains("failed"), "{proved:#?}: {cell}");
}

fn try_cells(cells: Vec<(Mode, Act)>) {
    let failed = std::sync::Mutex::new(Vec::new());
    side_by_side(cells, |(mode, act)| {
        if let Err(panic) = std::panic::catch_unwind(|| cell(mode, act)) {
            let said = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            // The others may take minutes.
            let _ = writeln!(std::io::stderr(), "{}, {mode:?} does not hold", act.0);
            failed.lock().unwrap().push(format!("{}, {mode:?}: {said}", act.0));
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} cells do not hold:\n{}", failed.len(), failed.join("\n\n"));
}

/// Ten acts, each in one of the five modes.
#[test]
fn no_act_of_an_agent_completes_a_task_or_loses_anything_of_the_user() {
    let of = |(number, act): (usize, &Act)| (ALL[(number + number / ALL.len()) % ALL.len()], *act);
    try_cells(SHORT.iter().enumerate().map(of).collect());
}

#[test]
#[ignore = "takes a quarter of an hour; its short form is in the suite. ACT=WORDS tries those whose names contain the words"]
fn no_act_of_all_completes_a_task_or_loses_anything_of_the_user() {
    assert!(SHORT.len() + MORE.len() >= 60);
    let only = std::env::var("ACT").unwrap_or_default();
    let acts = SHORT.iter().chain(MORE).filter(|(name, ..)| name.contains(&only));
    try_cells(acts.flat_map(|act| ALL.map(|mode| (mode, *act))).collect());
}
