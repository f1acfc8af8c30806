//! Looking at a run on a remote repository from elsewhere.

use std::fs;

use super::field::Field;

#[test]
fn a_run_on_a_remote_repository_is_seen_from_anywhere_without_a_clone_of_ones_own() {
    let Some(field) = Field::of_three() else { return };
    field.garden.agent(
        "case $work in *.implement.*) echo $$ > \"$ROOT/pid\"; while test -e \"$ROOT/hold\"; do sleep 0.05; done;; esac",
    );
    fs::write(field.garden.root().join("hold"), "").unwrap();
    let worker = field.garden.start(field.work(&["--claimant", "slurm:7.1", "T001"]));
    field.garden.wait_for("pid");
    let elsewhere = field.garden.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let status = |args: &[&str]| {
        let mut command =
            field.garden.arborist(&["status", "--remote", &field.server.url(), "--branch", "main"]);
        command.args(args).current_dir(&elsewhere).env("TMPDIR", field.garden.root().join("temporary"));
        field.garden.finish(command)
    };
    let shows = |args: &[&str], words: &[&str]| {
        let ended = status(args);
        ended.assert(0, &[]);
        words.iter().for_each(|word| assert!(ended.stdout.contains(word), "{word}: {ended:?}"));
        ended.stdout
    };
    let seen = shows(&[], &["0/3 complete", "T001 Do T001 (pending, claimed by slurm:7.1.0@"]);
    assert!(seen.contains("\nat work: T001\n") && !seen.contains("integrating"), "{seen}");
    let own = seen.lines().find(|line| line.contains("T001 Do")).unwrap();
    assert!(!own.contains("ready") && !seen.contains("stopped") && !seen.contains("gardener"), "{seen}");
    // Somebody integrates.
    let message = "arborist: integration claimed by slurm:7.2.0@n\n\nNonce: 1\n";
    let claim = field.garden.git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", message]);
    let branch = "refs/heads/arborist/trial/@integrate";
    field.garden.git(&["push", "-q", "origin", &format!("{}:{branch}", claim.trim())]);
    shows(&[], &["integrating: slurm:7.2.0@n\n"]);
    let document: serde_json::Value = serde_json::from_str(&shows(&["--json"], &[])).unwrap();
    assert_eq!(document["integration"]["claimant"], "slurm:7.2.0@n");
    assert!(document["tasks"][0]["claimant"].as_str().is_some_and(|name| name.starts_with("slurm:7.1.0@")));
    shows(&["--short"], &["0/3"]);
    status(&["--failed"]).assert(1, &["No task"]);
    field.there(&["update-ref", "-d", branch]);
    fs::remove_file(field.garden.root().join("hold")).unwrap();
    worker.wait().assert(0, &[]);
    shows(&["--all", "T001"], &["T001 Do T001 (complete)"]);
    // Nothing is left of the one who looked.
    assert_eq!(field.left(), 0);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    let mut wrong = field.garden.arborist(&["status", "--remote", "nowhere"]);
    wrong.current_dir(field.garden.top());
    field.garden.finish(wrong).assert(2, &["there is no remote nowhere"]);
}
