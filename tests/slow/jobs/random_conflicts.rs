//! Random plans whose tasks edit the same files, with an agent that keeps both sides of every conflict: each task has to be
//! completed, and its tests have to pass in the end.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::jobs::assert_integrated;
use crate::support::dice::Dice;
use crate::support::garden::{Garden, plan};

/// A plan, and what its tasks have to have done.
pub(crate) struct RandomPlan {
    pub(crate) plan: Value,
    pub(crate) tasks: Vec<String>,
    tests: Vec<String>,
}

/// Every task adds a line to a file that others edit too, and has a file of its own.
pub(crate) const AGENT: &str = r#"case $ARBORIST_STEP in implement)
    mkdir -p own; echo "$ARBORIST_TASK" > "own/$ARBORIST_TASK"
    for file in shared-*; do
        sed -i '/^<<<<<<<\|^=======\|^>>>>>>>\||||||||/d' "$file"
        case $file in shared-$((${ARBORIST_TASK#T} % 2)))
            grep -q "^$ARBORIST_TASK\$" "$file" || echo "$ARBORIST_TASK" >> "$file";;
        esac
    done
    exit 0;;
esac"#;

impl RandomPlan {
    pub(crate) fn of(dice: &mut Dice) -> Self {
        let count = 4 + dice.below(4);
        let tasks: Vec<String> = (0..count).map(|number| format!("T{number}")).collect();
        let test = |number: usize| {
            let file = number % 2;
            format!("test -f own/T{number} && grep -q '^T{number}$' shared-{file}")
        };
        let tests: Vec<String> = (0..count).map(test).collect();
        let needs: Vec<Vec<&str>> = (0..count)
            .map(|number| {
                let is_free = number == 0 || dice.below(3) > 0;
                if is_free { Vec::new() } else { vec![tasks[dice.below(number)].as_str()] }
            })
            .collect();
        let commands: Vec<[&str; 1]> = tests.iter().map(|test| [test.as_str()]).collect();
        let rows: Vec<_> = (0..count)
            .map(|number| (tasks[number].as_str(), "", needs[number].as_slice(), commands[number].as_slice()))
            .collect();
        Self { plan: plan(&rows), tasks: tasks.clone(), tests: tests.clone() }
    }

    /// The files that all tasks edit.
    pub(crate) fn prepare(&self, garden: &Garden) {
        garden.config("arborist.review", "false");
        garden.write("shared-0", "first\n");
        garden.write("shared-1", "first\n");
        garden.commit("Add shared files");
        garden.agent(AGENT);
    }

    /// Asserts that the tests of all tasks pass in this folder.
    #[track_caller]
    pub(crate) fn assert_kept(&self, folder: &Path, place: &str) {
        for (task, test) in self.tasks.iter().zip(&self.tests) {
            let passes =
                Command::new("sh").args(["-c", test]).current_dir(folder).status().unwrap().success();
            assert!(passes, "{place}: the test of {task} fails: {test}");
        }
    }
}

/// Runs a plan with four jobs. The run is killed so many times before it may come to its end.
fn run_with_kills(seed: u64, kills: usize) {
    let mut dice = Dice(seed);
    let random = RandomPlan::of(&mut dice);
    let garden = Garden::new(&random.plan);
    random.prepare(&garden);
    for killed in 0..=kills {
        let mut running = garden.start(garden.arborist(&["gardener", "--jobs", "4"]));
        if killed < kills {
            let until =
                Instant::now() + Duration::from_millis(200 + u64::try_from(dice.below(6000)).unwrap());
            while Instant::now() < until && running.child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = running.child.kill();
        }
        let ended = running.wait();
        let place = format!("seed {seed}, kill {killed}: {ended:?}");
        garden.assert_nothing_runs();
        if ended.status == 0 {
            break;
        }
        assert!(killed < kills, "{place}");
        assert!([137, 4, 5].contains(&ended.status), "{place}");
        let failed = garden.lines(&["log", "--all", "--format=%s", "--grep", "): failed "]);
        assert_eq!(failed, [""; 0], "{place}");
    }
    let tasks: Vec<&str> = random.tasks.iter().map(String::as_str).collect();
    assert_integrated(&garden, &tasks);
    random.assert_kept(&garden.top(), &format!("seed {seed}"));
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn no_task_of_a_random_plan_with_conflicts_fails_or_loses_anything() {
    run_with_kills(1, 1);
}

#[test]
#[ignore = "takes half an hour"]
fn no_task_of_forty_random_plans_with_conflicts_and_kills_fails_or_loses_anything() {
    for seed in 100..140 {
        run_with_kills(seed, usize::try_from(seed % 4).unwrap());
        println!("seed {seed} is done");
    }
}
