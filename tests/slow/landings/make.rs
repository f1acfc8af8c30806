//! Makes random runs, lands them, and merges what was landed.

use std::path::PathBuf;

use serde_json::json;

use super::slow::TASKS;
use crate::support::dice::Dice;
use crate::support::garden::Garden;

/// A repository, the numbers that decide what happens in it, and what has happened.
pub(super) struct World {
    pub(super) garden: Garden,
    /// The commit with the plan.
    pub(super) anchor: String,
    dice: Dice,
    seed: u64,
    told: Vec<String>,
    time: u64,
    /// Branches of a person that are not merged yet.
    side: Vec<String>,
    count: usize,
    style: &'static str,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            dice.below(2);
        }
        let mut nodes = json!({"p": {"id": "p", "name": "P", "children": TASKS}});
        for task in TASKS {
            let command = json!([{"type": "unit", "command": "sh run.sh", "framework": "cargo"}]);
            nodes[task] =
                json!({"id": task, "name": format!("Do {task}"), "parent": "p", "test_commands": command});
        }
        let garden = Garden::new(&json!({"spec_id": "s", "nodes": nodes}));
        garden.write("run.sh", RUNNER);
        garden.write("tests/all", "true\n");
        garden.commit("Begin");
        let anchor =
            garden.lines(&["log", "--format=%H", "--diff-filter=A", "--", "task-tree.json"]).concat();
        garden.git(&["switch", "-q", "-c", "run"]);
        garden.forget_history();
        let mut world = Self {
            garden,
            anchor,
            dice,
            seed,
            told: Vec::new(),
            time: 1_900_000_000,
            side: Vec::new(),
            count: 0,
            style: "task",
        };
        world.person("README");
        world
    }

    pub(super) fn story(&self) -> String {
        format!("seed {}: {}\n{}", self.seed, self.told.join(", "), self.garden.root().display())
    }

    fn tell(&mut self, what: impl Into<String>) {
        self.told.push(what.into());
    }

    /// Runs git at a time that often is that of the call before.
    fn git(&mut self, args: &[&str]) -> bool {
        self.time += [0, 0, 1][self.dice.below(3)];
        let date = format!("@{} +0000", self.time);
        let mut command = self.garden.command("git");
        command.args(args).env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() || args[0] == "cherry-pick" || args[0] == "revert",
            "{args:?}: {said}"
        );
        output.status.success()
    }

    fn commit(&mut self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// A commit of a person.
    fn person(&mut self, file: &str) {
        self.count += 1;
        let file = format!("person/{file}{}", self.count);
        self.garden.write(&file, "words\n");
        self.commit(&format!("Write {file}"));
    }

    fn step(&mut self, task: &str, what: &str, trailers: &str) {
        let message = format!("task({task}): {what} \"Do {task}\"\n\nbody\n\n{trailers}\n");
        self.commit(&message);
        self.tell(format!("{task} {}", what.split(' ').next().unwrap()));
        self.people();
    }

    /// What people do between two steps.
    fn people(&mut self) {
        match self.dice.below(12) {
            0 => self.person("note"),
            1 | 2 => {
                let name = format!("side{}", self.count);
                self.git(&["switch", "-q", "-c", &name]);
                self.person("side");
                self.git(&["switch", "-q", "run"]);
                self.side.push(name);
                self.tell("a branch");
            }
            3 | 4 => self.join(),
            _ => {}
        }
    }

    /// Merges a branch of a person.
    fn join(&mut self) {
        if let Some(name) = self.side.pop() {
            self.git(&["merge", "-q", "--no-ff", "--no-edit", &name]);
            self.tell("its merge");
        }
    }

    pub(super) fn switch(&mut self, branch: &str) {
        self.garden.git(&["switch", "-q", branch]);
        self.garden.forget_history();
    }

    /// Lands the run; false if there is nothing to land, or it does not fit.
    pub(super) fn land(&mut self) -> bool {
        self.style = ["task", "task", "one", "merge"][self.dice.below(4)];
        let all = ["land", "--style", self.style, "--branch", "landed", "--partial"];
        let args = if self.style == "merge" { &all[..5] } else { &all[..] };
        let ended = self.garden.run(args);
        self.told.push(format!("landed as {}: {}", self.style, ended.stderr.trim()));
        assert!(matches!(ended.status, 0 | 1), "{ended:#?} {}", self.story());
        ended.status == 0
    }

    /// A clone that has nothing but `main`.
    pub(super) fn clone_of_main(&self) -> PathBuf {
        let folder = self.garden.root().join("clone");
        let from = format!("file://{}", self.garden.top().display());
        self.garden.git(&["clone", "-q", "--single-branch", "-b", "merged", &from, folder.to_str().unwrap()]);
        folder
    }
}

/// Runs the tests, and prints what `cargo test` would print.
const RUNNER: &str = r#"passed=0 failed=0
for test in tests/*; do
  if sh "$test" >/dev/null 2>&1; then passed=$((passed + 1)); echo "test $test ... ok"
  else failed=$((failed + 1)); echo "test $test ... FAILED"; fi
done
verdict=ok; [ $failed = 0 ] || verdict=FAILED
echo "test result: $verdict. $passed passed; $failed failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"
[ $failed = 0 ]
"#;

const IMPLEMENT: &str = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0";
const TEST: &str = "Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\nArborist-Test-Type: unit\nArborist-Test-Runtime: 1";
const REVIEW: &str = "Arborist-Step: review\nArborist-Review: approved\nArborist-Retry: 0";

/// Makes a run.
pub(super) fn run(world: &mut World) {
    let mut all_complete = true;
    for task in TASKS {
        let stops = world.dice.below(14);
        let (code, test, report) =
            (format!("src/{task}.sh"), format!("tests/{task}"), format!("spec/reports/{task}.json"));
        if stops == 0 {
            all_complete = false;
            continue;
        }
        world.garden.write(&code, &format!("{task}=done\n"));
        world.garden.write(&test, &format!(". ./{code}\n[ \"${task}\" = done ]\n"));
        world.step(task, "implement", IMPLEMENT);
        if stops == 1 {
            all_complete = false;
            continue;
        }
        world.step(task, "tests pass for", TEST);
        world.step(task, "review approved for", REVIEW);
        world.garden.write(&report, task);
        world.step(
            task,
            "complete",
            &format!("Arborist-Step: complete\nArborist-Result: pass\nArborist-Report: {report}"),
        );
        if stops == 2 {
            all_complete = false;
            revert(world, task);
        }
    }
    while !world.side.is_empty() && !world.dice.one_in(3) {
        world.join();
    }
    if all_complete {
        world.commit("phase(p): complete\n\nArborist-Step: phase-complete\nArborist-Result: pass\n");
    }
}

/// Takes a completion back, and perhaps the work too.
fn revert(world: &mut World, task: &str) {
    let newest = |world: &World, what: &str| {
        world.garden.lines(&["log", "-1", "--format=%H", &format!("--grep=^task({task}): {what}")]).concat()
    };
    let complete = newest(world, "complete");
    world.git(&["revert", "--no-edit", &complete]);
    world.tell(format!("{task} reverted"));
    if world.dice.one_in(2) {
        let implement = newest(world, "implement");
        world.git(&["revert", "--no-edit", &implement]);
        world.tell("all of it");
    }
    world.people();
}

/// Merges the landed branch into a branch `merged`, which may have moved, and perhaps reverts something there.
pub(super) fn merge(world: &mut World) {
    let start = world.garden.git(&["merge-base", "main", "landed"]);
    world.garden.git(&["switch", "-q", "-c", "merged", &start]);
    world.garden.forget_history();
    let moved = world.dice.one_in(2);
    if moved {
        world.person("elsewhere");
    }
    let range = format!("{start}..landed");
    let body = world.garden.git(&["log", "-1", "--format=%B", "landed"]);
    let is_one = world.style == "one";
    let messages = || world.garden.git(&["log", "--reverse", "--no-merges", "--format=* %B", &range]);
    let (all, each) = (messages(), world.garden.lines(&["rev-list", "--reverse", "--no-merges", &range]));
    let squash = |world: &mut World, how: &str, message: Option<String>| {
        world.tell(how.to_owned());
        world.git(&["merge", "-q", "--squash", "landed"]);
        match message {
            Some(message) => world.git(&["commit", "-q", "--allow-empty", "-m", &message]),
            None => world.git(&["commit", "-q", "--allow-empty", "--no-edit"]),
        };
    };
    let co_author = "Co-authored-by: B <b@example.com>";
    match world.dice.below(if world.style == "merge" { 1 } else { 7 }) {
        1 | 2 => {
            world.tell("rebased");
            for commit in each {
                if !world.git(&["cherry-pick", "--allow-empty", &commit]) {
                    world.garden.git(&["cherry-pick", "--abort"]);
                }
            }
        }
        3 => squash(world, "all messages", Some(format!("Work (#1)\n\n{all}\n"))),
        4 => squash(
            world,
            "all messages and a co-author",
            Some(format!("Work (#1)\n\n{all}\n\n{co_author}\n")),
        ),
        5 => squash(world, "git's own message", None),
        6 if is_one => {
            let wrapped = body.replace("Arborist-Run: ", "Arborist-Run:\n");
            let message = [
                format!("Work (#1)\n\n{body}\n\n{co_author}\n"),
                format!("Work\n\n{wrapped}\n"),
                body.clone(),
            ];
            let choice = world.dice.below(3);
            squash(world, "the body", Some(message[choice].clone()));
        }
        _ => {
            world.tell("merged");
            world.git(&["merge", "-q", "--no-ff", "--no-edit", "landed"]);
        }
    }
    if world.dice.one_in(2) {
        revert_landed(world);
    }
}

/// Reverts the newest commit that is no merge or, if it is one, the merge; and sometimes that again.
fn revert_landed(world: &mut World) {
    let merge = world.garden.try_git(&["rev-parse", "-q", "--verify", "HEAD^2"]).status.success();
    let args: &[&str] =
        if merge { &["revert", "--no-edit", "-m", "1", "HEAD"] } else { &["revert", "--no-edit", "HEAD"] };
    if !world.git(args) {
        world.garden.try_git(&["revert", "--abort"]);
        return;
    }
    world.tell("reverted");
    if world.dice.one_in(3) {
        world.git(&["revert", "--no-edit", "HEAD"]);
        world.tell("and again");
    }
}
