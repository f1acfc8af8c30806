//! A walk through the states in which a run leaves a repository. In each of them, everything that `git arborist`, `status` and the
//! end of the run advise is executed in a copy: no command is refused, and each shows something or changes something.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::outcomes::{SHORT_LIMIT, run as run_agent, with_agent};
use crate::support::garden::{Ended, Garden, one_task, plan, programs, side_by_side};
use crate::support::questions::{asking, four_tasks};

/// The state in which something has to be corrected before a run tests it again.
const PHASE_FAILS: &str = "the tests of a phase fail";

/// A state: its name, and what makes it. The last answer is what the command said that led there.
type State = (&'static str, fn() -> (Garden, Vec<Ended>));

const STATES: [State; 18] = [
    ("no plan", || {
        let garden = Garden::new(&one_task(&["true"]));
        garden.git(&["rm", "-q", "task-tree.json"]);
        garden.commit("Remove the plan");
        let ended = garden.run(&["gardener"]);
        (garden, vec![ended])
    }),
    ("the plan is not committed", || {
        let garden = Garden::new(&one_task(&["true"]));
        let plan = garden.read("task-tree.json");
        garden.git(&["switch", "-q", "--orphan", "fresh"]);
        garden.write("README.md", "A project\n");
        garden.commit("Begin");
        garden.write("task-tree.json", &plan);
        (garden, vec![])
    }),
    ("the file of the plan is gone", || {
        let garden = Garden::new(&one_task(&["true"]));
        std::fs::remove_file(garden.top().join("task-tree.json")).unwrap();
        let ended = garden.run(&["gardener"]);
        ended.assert(2, &["`git restore"]);
        (garden, vec![ended])
    }),
    ("tests are awaited", || {
        let mut tree = plan(&[
            ("p1", "", &[], &[]),
            ("T001", "p1", &[], &["false"]),
            ("T002", "p1", &["T001"], &["false"]),
        ]);
        tree["nodes"]["T001"]["expect"] = "tests".into();
        let garden = Garden::new(&tree);
        garden.agent("echo 'def test_it(): assert False' > test_it.py; echo 'FAILED test_it.py::test_it'");
        let ended = garden.run(&["garden"]);
        (garden, vec![ended])
    }),
    ("a task that others did at the same time has failed", || {
        let garden = Garden::new(&two_tasks("true"));
        let ended = garden.run(&["gardener", "--jobs", "2", "--max-attempts", "1"]);
        ended.assert(1, &["T002 failed"]);
        (garden, vec![ended])
    }),
    ("the text of a request is written", || {
        let garden = complete_on_a_branch();
        let origin = garden.root().join("origin.git");
        garden.git(&["init", "-q", "--bare", origin.to_str().unwrap()]);
        garden.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
        garden.git(&["push", "-q", "origin", "main"]);
        let ended = garden.run(&["pr", "--yes", "--base", "main"]);
        ended.assert(1, &["not on a known forge"]);
        (garden, vec![ended])
    }),
    ("a task has failed", || {
        let garden = Garden::new(&one_task(&["test -f right"]));
        let ended = garden.run(&["gardener", "--max-attempts", "1"]);
        ended.assert(1, &["T001 failed"]);
        (garden, vec![ended])
    }),
    (PHASE_FAILS, || {
        let mut tree = one_task(&["true"]);
        tree["nodes"]["p1"]["test_commands"] =
            serde_json::json!([{"type": "unit", "command": "test -f right"}]);
        let garden = Garden::new(&tree);
        let ended = garden.run(&["gardener"]);
        ended.assert(1, &["p1"]);
        (garden, vec![ended])
    }),
    ("a question is open", || {
        let garden = asking(&four_tasks());
        let ended = garden.run(&["gardener"]);
        ended.assert(7, &["which date"]);
        (garden, vec![ended])
    }),
    ("a task waits for approval", || {
        let garden = Garden::new(&one_task(&["true"]));
        garden.config("arborist.approval", "true");
        let ended = garden.run(&["gardener"]);
        ended.assert(1, &["waits for your approval"]);
        (garden, vec![ended])
    }),
    ("a usage limit is reached", || {
        let garden = with_agent("claude", SHORT_LIMIT);
        let ended = run_agent(&garden, &["gardener"]);
        (garden, vec![ended])
    }),
    ("a hook has refused a step", || {
        let garden = Garden::new(&one_task(&["true"]));
        let hook = garden.top().join(".git/hooks/commit-msg");
        garden.program(&hook, "test ! -e T001.txt");
        let ended = garden.run(&["gardener"]);
        ended.assert(4, &["commit-msg"]);
        std::fs::remove_file(hook).unwrap();
        (garden, vec![ended])
    }),
    ("a run was interrupted", || {
        let garden = Garden::new(&one_task(&["true"]));
        garden.agent("test -e \"$ROOT/again\" || { touch \"$ROOT/again\" \"$ROOT/began\"; echo half > half.txt; sleep 60; }");
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("began");
        running.signal("INT");
        let ended = running.wait();
        ended.assert(130, &["continues from there"]);
        (garden, vec![ended])
    }),
    ("everything is complete", || {
        let garden = Garden::new(&one_task(&["true"]));
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &[]);
        (garden, vec![ended])
    }),
    ("everything is landed", || {
        let garden = complete_on_a_branch();
        let ended = garden.run(&["land"]);
        ended.assert(0, &[]);
        (garden, vec![ended])
    }),
    ("a landed task is done again", || {
        let garden = complete_on_a_branch();
        garden.run(&["land"]).assert(0, &[]);
        let reopened = garden.run(&["mark", "reopen", "T001", "-m", "again"]);
        reopened.assert(0, &[]);
        (garden, vec![reopened])
    }),
    ("the base has moved on", || {
        let garden = complete_on_a_branch();
        garden.git(&["switch", "-q", "main"]);
        garden.write("other.txt", "of a colleague\n");
        garden.commit("Add something else");
        garden.git(&["switch", "-q", "work"]);
        (garden, vec![])
    }),
    ("the branch is another one", || {
        let garden = complete_on_a_branch();
        garden.git(&["switch", "-q", "main"]);
        (garden, vec![])
    }),
];

/// Two tasks of which the second has this test.
fn two_tasks(test: &str) -> serde_json::Value {
    plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["test -f right", test]),
    ])
}

/// A run that is complete on a branch of its own.
fn complete_on_a_branch() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &["true"]),
    ]));
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden
}

/// The commands in a text: between backquotes, or on lines of their own. Options alone are none.
fn commands(text: &str) -> BTreeSet<String> {
    // The lines of the tree begin with it where only ASCII can be shown.
    let text = &text.replace("`-- ", "");
    let quoted = text.split('`').skip(1).step_by(2).filter(|words| !words.contains('\n'));
    let lines =
        text.lines().filter_map(|line| line.strip_prefix("  ")).map(|line| line.split("  #").next().unwrap());
    let is_command = |words: &&str| words.starts_with("git ");
    quoted.chain(lines).map(str::trim_end).filter(is_command).map(str::to_owned).collect()
}

/// The command with the words filled in that are left to the user.
fn filled(command: &str) -> String {
    // Nobody can answer its questions here.
    let command = match command {
        "git arborist init" => "git arborist init --yes",
        "git arborist pr" => "git arborist pr --dry-run",
        command => command,
    };
    let fill = |word: &str| match word {
        "WHY" | "TEXT" => "'the second one'".to_owned(),
        "TASK" => "T001".to_owned(),
        "FILE" => "TODO.md".to_owned(),
        "COMMAND" => "status".to_owned(),
        "github|gitlab|gitea" => "github".to_owned(),
        word => word.to_owned(),
    };
    command.split(' ').map(fill).collect::<Vec<_>>().join(" ")
}

/// Whether a command only shows something.
fn shows(command: &str) -> bool {
    const SHOWING: [&str; 11] = [
        "git arborist status",
        "git arborist show",
        "git arborist next",
        "git arborist help",
        "git arborist doctor",
        "git arborist rescue show",
        "git arborist rescue list",
        "git arborist demo",
        "git log",
        "git status",
        "git diff",
    ];
    SHOWING.iter().any(|begin| command.starts_with(begin)) || command.contains("--dry-run")
}

/// Everything that a command may change.
fn everything(garden: &Garden) -> Vec<String> {
    let mut all = garden.lines(&["for-each-ref"]);
    all.extend(garden.lines(&["status", "--porcelain", "--branch"]));
    all.extend(garden.lines(&["config", "--local", "--list"]));
    all.push(garden.head());
    all
}

/// Types a command in a copy, and says what is wrong with it.
fn wrong(garden: &Garden, state: &str, command: &str) -> Option<String> {
    let copy = garden.copy();
    // Slots belong to the repository that was copied.
    for slots in ["work/.git/arborist/slots", "work/.git/worktrees", "work.arborist"] {
        let _ = std::fs::remove_dir_all(copy.root().join(slots));
    }
    // What the sentences ask of the user before the command: a list of what is to be done, or work on a task.
    let before_it = [
        ("git arborist init", "TODO.md", "- [ ] T001 Do it\n"),
        ("git arborist build", "TODO.md", "- [ ] T001 Do it\n"),
        ("git arborist done", "right", ""),
    ];
    for (_, file, text) in before_it.iter().filter(|(begin, ..)| command.starts_with(begin)) {
        copy.write(file, text);
    }
    if state == PHASE_FAILS && command.starts_with("git arborist gardener") {
        copy.write("right", "");
        copy.commit("Correct what the tests of the phase find");
    }
    let before = everything(&copy);
    let mut shell = copy.command("sh");
    let path = format!("{}:{}", programs().display(), copy.path_with(&garden.root().join("bin")));
    shell.args(["-c", &filled(command)]).env("PATH", path).env("ROOT", garden.root());
    let ended = copy.start(shell).wait();
    let said = format!("`{command}` ended with {}: {}{}", ended.status, ended.stdout, ended.stderr);
    if matches!(ended.status, 2 | 3 | 127 | 128) {
        return Some(format!("refused: {said}"));
    }
    let has_done = match shows(&filled(command)) {
        true => !(ended.stdout.clone() + &ended.stderr).trim().is_empty(),
        false => everything(&copy) != before,
    };
    (!has_done).then(|| format!("nothing came of it: {said}"))
}

#[test]
fn whatever_is_advised_in_a_state_can_be_done_there_and_has_an_effect() {
    let all_wrong = Mutex::new(Vec::new());
    side_by_side(STATES, |(name, make)| {
        let (garden, mut said) = make();
        for view in [&[][..], &["status"]] {
            // Some states are on another branch than the run.
            garden.forget_history();
            let ended = garden.run(view);
            said.push(ended);
        }
        let all: BTreeSet<String> =
            said.iter().flat_map(|ended| commands(&format!("{}\n{}", ended.stdout, ended.stderr))).collect();
        if all.is_empty() {
            all_wrong.lock().unwrap().push(format!("{name}: nothing is advised: {said:#?}"));
        }
        // It would follow the run until it ends.
        let all = all.iter().filter(|command| !command.ends_with("--watch"));
        let wrong = all.filter_map(|command| wrong(&garden, name, command));
        let wrong: Vec<String> = wrong.map(|wrong| format!("{name}: {wrong}")).collect();
        all_wrong.lock().unwrap().extend(wrong);
    });
    let all_wrong = all_wrong.into_inner().unwrap();
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n"));
}

#[test]
fn beside_workers_only_what_is_possible_is_advised_and_what_follows_works() {
    let garden = Garden::new(&two_tasks("true"));
    garden.agent(
        "case $ARBORIST_TASK in T001) echo 'BLOCKED: which date?'; exit 0;; esac
        touch \"$ROOT/began\"; until test -e \"$ROOT/go\"; do sleep 0.05; done; touch right",
    );
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2"]));
    garden.wait_for("began");
    let asks = || garden.run(&["status"]).stdout.contains("which date?");
    garden.wait_until("nobody asked", asks);
    let views = [&[][..], &["status"], &["show", "T001"]].map(|view| garden.run(view));
    let advised: BTreeSet<String> = views.iter().flat_map(|view| commands(&view.stdout)).collect();
    let possible = ["git arborist note T001 -m TEXT", "git arborist status --watch", "git arborist stop"];
    let possible = advised
        .iter()
        .all(|command| possible.contains(&command.as_str()) || command.starts_with("git arborist help"));
    assert!(possible, "{advised:?}");
    for view in &views[1..] {
        assert!(
            view.stdout.contains("When the run has ended, or `git arborist stop` has ended it"),
            "{view:?}"
        );
    }
    garden.run(&["stop"]).assert(0, &[]);
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(7, &["which date?"]);
    garden.run(&["note", "T001", "-m", "The second one"]).assert(0, &[]);
    garden.agent("");
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
}

#[test]
fn a_task_that_failed_beside_others_is_corrected_by_hand_as_it_is_advised() {
    let garden = Garden::new(&two_tasks("true"));
    let ended = garden.run(&["gardener", "--jobs", "2", "--max-attempts", "1"]);
    ended.assert(1, &["T002 failed", "`git switch arborist/trial/T002`"]);
    garden.git(&["switch", "-q", "arborist/trial/T002"]);
    garden.forget_history();
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("`git arborist done T002`"), "{status}");
    garden.write("right", "");
    garden.run(&["done", "T002"]).assert(0, &["`git arborist mark approve T002`"]);
    garden.run(&["mark", "approve", "T002"]).assert(0, &[]);
    garden.run(&["garden", "T002"]).assert(0, &[]);
    let next = garden.run(&[]).stdout;
    assert!(next.contains("\n  git switch main\n"), "{next}");
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert!(garden.run(&["status"]).stdout.contains("2/2 complete"));
}
