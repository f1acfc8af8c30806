//! A claim is recorded like a step, and changes nothing about its task.

use crate::support::cli::{PLAN, Story, arborist};
use crate::support::garden::{Garden, one_task};
use git_arborist::record::{Claimant, Outcome, StepDraft, SubjectForm, TaskId, TaskRef};

fn message(task: &str, nonce: usize) -> String {
    let id = TaskId::parse(task).unwrap();
    let claimant = Claimant::new("slurm:4711.3", 0, "node7").unwrap();
    let draft = StepDraft::claim(TaskRef { id: &id, name: "A name" }, &claimant, &format!("{nonce:08x}"));
    draft.message(str::to_owned, &SubjectForm::default()).text
}

#[test]
fn a_claim_leaves_a_task_at_every_step_where_it_was() {
    let steps: [fn(Story) -> Story; 8] = [
        |story| story,
        |story| story.implement("T001", 0, Outcome::Pass),
        |story| story.test("T001", 0, Outcome::Fail),
        |story| story.implement("T001", 1, Outcome::Pass),
        |story| story.test("T001", 1, Outcome::Pass),
        |story| story.review("T001", 1, Outcome::Pass),
        |story| story.complete("T001", 2),
        |story| story.whole("T002"),
    ];
    for length in 1..=steps.len() {
        let plain = steps[..length].iter().fold(Story::of(PLAN), |story, step| step(story));
        let claimed = steps[..length].iter().enumerate().fold(Story::of(PLAN), |story, (place, step)| {
            step(story).commit(&message(if place < 7 { "T001" } else { "T002" }, place), &[])
        });
        let ((plain, _), (claimed, _)) = (plain.told(60), claimed.told(60));
        for (command, list, fields) in [
            (&["status", "--json"], "tasks", &["id", "state", "ready", "attempt", "step", "outcome"][..]),
            (&["next", "--all", "--json"], "tasks", &["id", "step", "attempt"]),
        ] as [(&[&str], _, _); 2]
        {
            let both = [&plain, &claimed].map(|repo| {
                let document = arborist(repo.path(), command).json();
                let tasks = document[list].as_array().unwrap().clone();
                let told = tasks.iter().map(|task| fields.iter().map(|field| task[*field].clone()).collect());
                told.collect::<Vec<Vec<_>>>()
            });
            assert!(!both[0].is_empty() && both[0][0].iter().any(serde_json::Value::is_string));
            assert_eq!(both[0], both[1], "{command:?} after {length}");
        }
        let checked = arborist(claimed.path(), &["check", "--run", "--strict"]);
        assert_eq!(checked.code, 0, "{checked:?}");
    }
}

#[test]
fn a_task_that_was_only_claimed_is_untouched_and_its_history_names_the_claimant() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.run(&["hooks", "install"]).assert(0, &[]);
    garden.git(&["commit", "-q", "--allow-empty", "-m", &message("T001", 1)]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(!garden.prompt("T001.implement.0").contains("slurm"));
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains(" claim ") && shown.contains("by slurm:4711.3.0@node7"), "{shown}");
    let shown: serde_json::Value =
        serde_json::from_str(&garden.run(&["show", "T001", "--json"]).stdout).unwrap();
    assert_eq!(shown["attempts"].as_array().unwrap().len(), 1, "{shown:#}");
    assert_eq!(shown["attempts"][0]["steps"][0]["claimant"], "slurm:4711.3.0@node7");
    crate::support::schemas::fits("show-task", &shown);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
    garden.run(&["land", "--branch", "landed"]).assert(0, &[]);
    assert!(!garden.git(&["log", "--format=%s", "landed"]).contains("claimed"));
}
