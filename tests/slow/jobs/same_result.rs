//! A parallel run leaves the same files as one that works on one task after the other, if the tasks do not conflict.

use serde_json::{Value, json};

use crate::jobs::assert_integrated;
use crate::support::dice::Dice;
use crate::support::garden::Garden;

/// A plan with tasks in one to three phases, each of which may need earlier ones.
fn random_plan(dice: &mut Dice) -> (Value, Vec<String>) {
    let (phases, tasks) = (1 + dice.below(3), 3 + dice.below(5));
    let ids: Vec<String> = (1..=tasks).map(|number| format!("T{number:03}")).collect();
    let mut nodes = serde_json::Map::new();
    let mut children = vec![Vec::new(); phases];
    for (at, id) in ids.iter().enumerate() {
        let phase = (at * phases) / tasks;
        children[phase].push(id.clone());
        let needs: Vec<&String> = ids[..at].iter().filter(|_| dice.one_in(3)).collect();
        let has_needs: Vec<String> = needs.iter().map(|id| format!("test -f {id}.txt")).collect();
        let test = [has_needs, vec![format!("test -f {id}.txt")]].concat().join(" && ");
        nodes.insert(
            id.clone(),
            json!({"id": id, "name": format!("Do {id}"), "parent": format!("p{phase}"), "depends_on": needs,
                   "test_commands": [{"type": "unit", "command": test}]}),
        );
    }
    for (phase, children) in children.iter().enumerate() {
        let id = format!("p{phase}");
        nodes.insert(id.clone(), json!({"id": id, "name": format!("Phase {phase}"), "children": children}));
    }
    (json!({"spec_id": "trial", "nodes": nodes}), ids)
}

/// The files at the end, without reports, whose names tell the time.
fn files(garden: &Garden) -> Vec<String> {
    let all = garden.lines(&["ls-tree", "-r", "main", "--format=%(objectname) %(path)"]);
    all.into_iter().filter(|line| !line.contains(" spec/")).collect()
}

/// An agent that writes a sum over the files of the tasks that its task needs, so that what it writes depends on them.
fn agent(plan: &Value, ids: &[String]) -> String {
    let of = |id: &String| {
        let needs = plan["nodes"][id]["depends_on"].as_array().unwrap();
        let files: String = needs.iter().map(|need| format!(" {}.txt", need.as_str().unwrap())).collect();
        format!("{id}) cat /dev/null{files} | cksum > {id}.txt;;\n")
    };
    let cases: String = ids.iter().map(of).collect();
    format!("case $ARBORIST_TASK in\n{cases}esac; echo \"$ARBORIST_TASK\" >> \"$ARBORIST_TASK.txt\"; exit 0")
}

fn try_plans(count: usize, seed: u64) {
    let mut dice = Dice(seed);
    for round in 0..count {
        let (plan, ids) = random_plan(&mut dice);
        let jobs = (2 + dice.below(4)).to_string();
        let results = [&["gardener"][..], &["gardener", "--jobs", &jobs]].map(|args| {
            let garden = Garden::new(&plan);
            garden.config("arborist.review", "false");
            garden.agent(&agent(&plan, &ids));
            garden.run(args).assert(0, &[]);
            garden
        });
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        assert_integrated(&results[1], &ids);
        assert_eq!(files(&results[0]), files(&results[1]), "seed {seed}, plan {round}: {plan}");
    }
}

#[test]
fn random_plans_end_with_the_same_files_as_one_task_after_the_other() {
    try_plans(1, 11);
}

#[test]
#[ignore = "takes long: 100 plans"]
fn a_hundred_random_plans_end_with_the_same_files_as_one_task_after_the_other() {
    try_plans(100, 5);
}
