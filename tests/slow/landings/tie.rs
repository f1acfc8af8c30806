//! A branch that began between the review and the completion of a task, and was merged: repeated, because ids decide by chance.

use serde_json::json;

use crate::support::garden::{Ended, Garden};

/// A run of one task whose steps all have the same date, and a branch of a person from before its completion.
fn tied(number: usize) -> Garden {
    let garden = Garden::new(&json!({"nodes": {"T1": {"id": "T1", "name": "x"}}}));
    let dated = |args: &[&str]| {
        let mut command = garden.command("git");
        command.args(args).env("GIT_COMMITTER_DATE", "@1900000000 +0000");
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    garden.git(&["switch", "-q", "-c", "work"]);
    let mut run = garden.arborist(&["gardener"]);
    run.env("GIT_COMMITTER_DATE", "@1900000000 +0000");
    garden.finish(run).assert(0, &[]);
    let complete = garden.lines(&["log", "--format=%H", "-1", "--grep=complete \"x"]).concat();
    dated(&["switch", "-q", "-c", "side", &format!("{complete}~1")]);
    garden.write(&format!("side{number}"), "s\n");
    dated(&["add", "-A"]);
    dated(&["commit", "-q", "-m", "side"]);
    dated(&["switch", "-q", "work"]);
    dated(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    garden
}

#[track_caller]
fn says(ended: &Ended, word: &str) {
    assert!(ended.status == 0 && ended.stdout.contains(word), "{word:?} is missing: {ended:#?}");
}

#[test]
fn a_branch_between_two_steps_takes_nothing_back_before_and_after_landing() {
    for number in 0..4 {
        let garden = tied(number);
        says(&garden.run(&["status", "--short"]), "1/1");
        garden.run(&["land"]).assert(0, &["Landed 1 task"]);
        garden.git(&["switch", "-q", "work-landed"]);
        garden.forget_history();
        says(&garden.run(&["status", "--short"]), "1/1");
        assert_eq!(garden.lines(&["log", "--format=%s", "--grep=^task(T1)"]), [""; 0], "no step came along");
        assert_eq!(garden.lines(&["ls-tree", "HEAD", &format!("side{number}")]).len(), 1);
        if number > 2 {
            continue;
        }
        // The same with the branch beside the landed commit, as an older landing left it; and where the run is not known.
        let tree = garden.git(&["rev-parse", "HEAD^{tree}"]);
        let landed = garden.git(&["log", "--format=%H", "--grep=Arborist-Complete", "-1"]);
        let args = ["commit-tree", &tree, "-p", &landed, "-p", "side", "-m", "Merge branch 'side'"];
        let merge = garden.git(&args);
        garden.git(&["branch", "beside", &merge]);
        let clone = garden.root().join("clone");
        let from = format!("file://{}", garden.top().display());
        garden.git(&["clone", "-q", "--single-branch", "-b", "beside", &from, clone.to_str().unwrap()]);
        garden.git(&["switch", "-q", "beside"]);
        garden.forget_history();
        says(&garden.run(&["status", "--short"]), "1/1");
        let mut there = garden.arborist(&["status"]);
        there.current_dir(&clone);
        let there = garden.finish(there);
        says(&there, "1/1 complete");
        assert!(!there.stdout.contains("side by side"), "no step has opened the task again: {there:#?}");
    }
}
