//! Tests `autopilot` with a scripted agent: the three stories of its design (all goes well, a task fails, a dry run), and
//! what keeps it from beginning.

use std::fs;

use serde_json::{Value, json};

use crate::support::garden::{Ended, Garden, side_by_side};
use crate::support::harness::{Mode, git_calls, shimmed_at, was_hit};
use crate::support::repo::write_program;
use crate::support::schemas::fits;

/// Task 42 with three subtasks, each judged by a script of its own.
fn metrics() -> Value {
    let node = |id: &str, name: &str, depends_on: &[&str]| {
        json!({
            "id": id, "name": name, "parent": "42", "children": [], "depends_on": depends_on,
            "test_commands": [{"type": "unit", "command": format!("sh tests/{id}.sh")}],
        })
    };
    json!({
        "spec_id": "analytics",
        "nodes": {
            "42": {"id": "42", "name": "User metrics tracking", "children": ["42.1", "42.2", "42.3"]},
            "42.1": node("42.1", "Add metrics schema", &[]),
            "42.2": node("42.2", "Add collection endpoint", &["42.1"]),
            "42.3": node("42.3", "Add dashboard widget", &["42.2"]),
        }
    })
}

/// Writes a test that needs a file, then the file, and answers when it is only asked for a word.
const WORKER: &str = r#"grep -q READY "$file" && { echo READY; exit 0; }
case $ARBORIST_STEP in
red) mkdir -p tests; echo "test -f src/$ARBORIST_TASK" > "tests/$ARBORIST_TASK.sh"; exit 0;;
implement) mkdir -p src; echo code > "src/$ARBORIST_TASK"; exit 0;;
esac"#;

/// Answers like GitHub: to a list with nothing, to a new request with its page.
const GH: &str = r#"#!/bin/sh
case "$*" in
  auth*) exit 0;;
  *"--method POST"*) cat > "$ROOT/request"; echo '{"number": 7, "html_url": "https://github.com/o/n/pull/7", "draft": true}';;
  *) echo '[]';;
esac
"#;

/// A repository on `main` with the plan, a suite, a forge that is a stand-in, and this agent.
fn garden(agent: &str) -> Garden {
    let garden = Garden::new(&metrics());
    garden.agent(agent);
    garden.write(
        "Makefile",
        "test:\n\tfor file in tests/*.sh; do test ! -e \"$$file\" || sh \"$$file\" || exit 1; done\n",
    );
    garden.git(&["add", "Makefile"]);
    garden.git(&["commit", "-q", "-m", "Add a suite"]);
    let (bare, bin) = (garden.root().join("o/n.git"), garden.root().join("bin"));
    fs::create_dir_all(&bare).unwrap();
    fs::create_dir_all(&bin).unwrap();
    garden.git(&["init", "-q", "--bare", "-b", "main", bare.to_str().unwrap()]);
    garden.git(&["push", "-q", bare.to_str().unwrap(), "main"]);
    let ssh =
        format!("#!/bin/sh\nfor last; do :; done\ncd '{}' && eval \"$last\"\n", garden.root().display());
    for (name, text) in [("ssh", ssh.as_str()), ("gh", GH)] {
        write_program(&bin.join(name), text.as_bytes());
    }
    garden.config("core.sshCommand", bin.join("ssh").to_str().unwrap());
    garden.git(&["remote", "add", "origin", "git@github.com:o/n.git"]);
    garden.git(&["fetch", "-q", "origin"]);
    garden.git(&["remote", "set-head", "origin", "main"]);
    garden.forget_history();
    garden
}

fn autopilot(garden: &Garden, args: &[&str]) -> Ended {
    let mut command = garden.arborist(&[&["autopilot"], args].concat());
    let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
    let path = format!("{}:{}", garden.root().join("bin").display(), path.to_str().unwrap());
    command.env("PATH", path);
    garden.forget_history();
    let ended = garden.start(command).wait();
    garden.forget_history();
    ended
}

/// The same, with a git that kills it at one of its calls.
fn killed(garden: &Garden, fault: (Mode, usize)) -> Ended {
    let mut command = shimmed_at(garden, &["autopilot", "42", "--yes", "--no-probe"], fault);
    let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
    command.env("PATH", format!("{}:{}", garden.root().join("bin").display(), path.to_str().unwrap()));
    garden.forget_history();
    garden.start(command).wait()
}

/// What must be the same whether it was killed or not.
fn end(garden: &Garden) -> Vec<String> {
    let landed = format!("{BRANCH}-landed");
    let mut end = titles(garden, &format!("main..{landed}"));
    end.extend(garden.lines(&["rev-parse", &format!("{landed}^{{tree}}")]));
    let there = garden.lines(&["ls-remote", "--heads", "origin"]);
    end.extend(there.iter().map(|line| line.split('\t').nth(1).unwrap().to_owned()));
    end.push(format!(
        "main is as it was: {}",
        garden.lines(&["rev-parse", "main"]) == garden.lines(&["rev-parse", "origin/main"])
    ));
    end.push(format!("request: {}", garden.root().join("request").exists()));
    end.extend(garden.status());
    end
}

/// Kills it at these calls of git, each in a run of its own, and asserts that the same command then comes to the same end.
fn assert_goes_on(points: impl Fn(usize) -> Vec<(Mode, usize)>) {
    let whole = garden(WORKER);
    let ended = killed(&whole, (Mode::KillBefore, 0));
    ended.assert(0, &[]);
    let calls = git_calls(&whole);
    let expected = end(&whole);
    side_by_side(points(calls), |fault| {
        let garden = garden(WORKER);
        let ended = killed(&garden, fault);
        assert!(ended.status == 137 || !was_hit(&garden), "{fault:?}: {ended:#?}");
        let again = autopilot(&garden, &["42", "--yes", "--no-probe"]);
        assert_eq!(again.status, 0, "{fault:?}: {ended:#?} {again:#?}");
        assert_eq!(end(&garden), expected, "{fault:?}: {ended:#?} {again:#?}");
    });
}

#[test]
fn killed_at_some_calls_of_git_it_goes_on_to_the_same_end() {
    assert_goes_on(|calls| vec![(Mode::KillBefore, calls / 3), (Mode::KillAfter, calls * 3 / 5)]);
}

#[test]
#[ignore = "takes long: every call of git"]
fn killed_at_any_call_of_git_it_goes_on_to_the_same_end() {
    assert_goes_on(|calls| {
        (1..=calls).flat_map(|number| [(Mode::KillBefore, number), (Mode::KillAfter, number)]).collect()
    });
}

fn titles(garden: &Garden, range: &str) -> Vec<String> {
    garden.lines(&["log", "--reverse", "--first-parent", "--format=%s", range])
}

/// The events of a run folder.
fn log_of(folder: &std::path::Path) -> Vec<Value> {
    let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const BRANCH: &str = "analytics/task-42-user-metrics-tracking";

#[test]
fn a_task_with_three_subtasks_becomes_a_request() {
    let garden = garden(WORKER);
    let ended = autopilot(&garden, &["42", "--yes"]);
    ended.assert(
        0,
        &[
            "Preflight",
            "baseline",
            "Make the branch analytics/task-42-user-metrics-tracking at main",
            "Prove",
            "Land",
        ],
    );
    assert!(ended.stdout.contains("https://github.com/o/n/pull/7"), "{ended:#?}");
    let landed = format!("{BRANCH}-landed");
    assert_eq!(
        titles(&garden, &format!("main..{landed}")),
        ["Add metrics schema (42.1)", "Add collection endpoint (42.2)", "Add dashboard widget (42.3)"]
    );
    assert_eq!(
        garden.lines(&["rev-parse", "main"]),
        garden.lines(&["rev-parse", "origin/main"]),
        "main is as it was"
    );
    let there = garden.lines(&["ls-remote", "--heads", "origin"]).join("\n");
    assert!(there.contains(&landed) && there.lines().count() == 2, "{there}");
    let request: Value =
        serde_json::from_str(&fs::read_to_string(garden.root().join("request")).unwrap()).unwrap();
    assert_eq!((&request["draft"], &request["base"]), (&json!(true), &json!("main")));
    assert!(request["title"].as_str().unwrap().contains("User metrics tracking"), "{request}");
    let body = request["body"].as_str().unwrap();
    assert!(body.contains("42.1 42.2 42.3") && body.contains("Arborist-Run: "), "{body}");
    let red = garden.lines(&["log", "--format=%s", "--grep=failing tests", BRANCH]);
    assert_eq!(red.len(), 3, "tests come first");
    let folder = garden.top().join(".git/arborist/runs/analytics-task-42-user-metrics-tracking");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
    fits("run-manifest", &manifest);
    assert_eq!(
        (&manifest["prUrl"], &manifest["tag"]),
        (&json!("https://github.com/o/n/pull/7"), &json!("analytics"))
    );
    let log = log_of(&folder);
    log.iter().for_each(|event| fits("run-log", event));
    let phases: Vec<&str> = log.iter().map(|event| event["phase"].as_str().unwrap()).collect();
    for phase in ["preflight", "branch", "red", "green", "suite", "prove", "land", "push", "request"] {
        assert!(phases.contains(&phase), "{phase}: {phases:?}");
    }
    let again = autopilot(&garden, &["42", "--yes", "--resume"]);
    again.assert(0, &["Nothing to do"]);
}

#[test]
fn what_is_on_its_request_is_taken_up_with_the_same_steps() {
    let garden = garden(&WORKER.replace("echo code >", "echo code >>"));
    autopilot(&garden, &["42", "--yes", "--no-probe"]).assert(0, &[]);
    let landed = format!("{BRANCH}-landed");
    let head = garden.lines(&["rev-parse", &landed]).concat();
    let comment = json!({"author": "ann", "may_write": true, "at": "2026-11-30T08:00:00Z", "text": "Twice."});
    let thread = json!({
        "id": "t1", "path": "src/42.2", "line": 1, "commit": head, "requests_changes": true, "comments": [comment],
    });
    let document = json!({"version": 1, "base": "main", "head": head, "threads": [thread]});
    let file = garden.root().join("request.json");
    fs::write(&file, document.to_string()).unwrap();
    let follow = ["42", "--follow", file.to_str().unwrap(), "--yes", "--no-probe", "--no-red"];
    let ended = autopilot(&garden, &follow);
    ended.assert(0, &["42.2", "review of src/42.2:1 by ann", "Prove", "Land", "Pushed"]);
    assert!(ended.stdout.contains("Answer the thread t1:\nTaken up in "), "{ended:#?}");
    assert_eq!(titles(&garden, &format!("{head}..{landed}")), ["Add collection endpoint (42.2), again"]);
    // Before there is a branch, there is nothing to follow.
    autopilot(&self::garden(WORKER), &["42", "--follow", "--yes"]).assert(2, &["no branch"]);
}

#[test]
fn a_task_that_fails_pauses_the_run_until_it_was_repaired_by_hand() {
    let fails = r#"case $ARBORIST_STEP.$ARBORIST_TASK in implement.42.2) echo "$ARBORIST_ATTEMPT" > src/half; exit 0;; esac"#;
    let garden = garden(&format!("{fails}\n{WORKER}"));
    let ended = autopilot(&garden, &["42", "--yes", "--no-probe"]);
    ended.assert(1, &["paused: 42.2 failed", "git arborist show 42.2", "autopilot --resume"]);
    assert_eq!(garden.lines(&["symbolic-ref", "--short", "HEAD"]), [BRANCH]);
    assert_eq!(garden.lines(&["branch", "--list", "*landed*"]), Vec::<String>::new(), "nothing is landed");
    garden.write("src/42.2", "code by hand\n");
    // The advice is followed word for word, without the node and the options of the first call.
    let advised: Vec<&str> =
        ended.stderr.split("Next steps:").nth(1).unwrap().split('`').skip(1).step_by(2).collect();
    assert_eq!(advised.len(), 5, "{advised:?}");
    for command in advised {
        let words: Vec<&str> = command.split(' ').collect();
        match words.as_slice() {
            ["git", "arborist", "autopilot", rest @ ..] => {
                autopilot(&garden, rest).assert(0, &["Land", "Everything is complete"]);
            }
            ["git", "arborist", rest @ ..] => garden.run(rest).assert(0, &[]),
            ["git", rest @ ..] => assert!(!garden.git(rest).is_empty(), "{command}"),
            _ => panic!("{command}"),
        }
    }
    assert_eq!(titles(&garden, &format!("main..{BRANCH}-landed")).len(), 3);
    autopilot(&garden, &["--resume"]).assert(2, &["no run of autopilot is paused here"]);
    // The run folder says when it paused, and with which status the tests ended.
    let folder = garden.top().join(".git/arborist/runs/analytics-task-42-user-metrics-tracking");
    let paused = log_of(&folder).into_iter().find(|event| event["phase"] == "pause").unwrap();
    assert!(paused["details"].as_str().unwrap().contains("42.2 failed"), "{paused}");
    let first = fs::read_to_string(folder.join("test-results/42.2-green-attempt1.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&first).unwrap()["exitCode"], 1, "{first}");
}

#[test]
fn a_task_that_no_test_can_notice_needs_a_persons_word_and_the_others_their_proof() {
    let garden = garden(&format!(
        "case $ARBORIST_STEP.$ARBORIST_TASK in implement.42.2) echo all > src/42.2; echo x > setup.txt; exit 0;; esac\n{WORKER}"
    ));
    let mut plan = metrics();
    plan["nodes"]["42.2"]["test_commands"] = json!([]);
    garden.write("task-tree.json", &plan.to_string());
    garden.commit("Let a task only set something up");
    garden.git(&["push", "-q", "origin", "main"]);
    garden.config("arborist.trust.coverage", "off");
    let args = ["42", "--yes", "--no-probe"];
    let ended = autopilot(&garden, &args);
    ended.assert(1, &["42.2 is not proven", "Nothing was landed"]);
    let advised: Vec<String> = ended
        .stderr
        .split("vouch for that task")
        .nth(1)
        .unwrap()
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    assert_eq!(advised.len(), 3, "{advised:?}");
    for command in &advised[..2] {
        let words: Vec<&str> = command.strip_prefix("git arborist ").unwrap().split(' ').collect();
        garden.run(&words).assert(0, &[]);
    }
    let words: Vec<&str> = advised[2].strip_prefix("git arborist autopilot ").unwrap().split(' ').collect();
    autopilot(&garden, &words).assert(0, &["Land", "Everything is complete"]);
    assert_eq!(titles(&garden, &format!("main..{BRANCH}-landed")).len(), 3);
}

#[test]
fn what_an_agent_could_have_remembered_for_the_user_has_to_be_said_again() {
    let garden = garden(&format!("case $ARBORIST_STEP in implement) echo no; exit 0;; esac\n{WORKER}"));
    autopilot(&garden, &["42", "--yes", "--no-probe"])
        .assert(1, &["`git arborist autopilot --resume --yes`"]);
    let asked = garden.asked().len();
    let file = garden.top().join(".git/arborist/autopilot.json");
    let evil = fs::read_to_string(&file).unwrap().replace("--no-probe", "--runner=evil");
    fs::write(&file, evil).unwrap();
    for args in [&["--resume"][..], &["--resume", "--yes"]] {
        autopilot(&garden, args).assert(
            2,
            &["`git arborist autopilot --resume --yes --runner=evil`", "an agent could have changed"],
        );
    }
    assert_eq!(garden.asked().len(), asked, "nobody was asked");
}

#[test]
fn what_is_pushed_and_what_is_opened_are_two_things_and_the_program_of_the_forge_is_needed_for_neither() {
    let garden = garden(WORKER);
    let there = || garden.lines(&["ls-remote", "--heads", "origin"]).len();
    let all = ["42", "--yes", "--no-probe", "--no-prove", "--no-suite"];
    autopilot(&garden, &[&all[..], &["--no-push"]].concat()).assert(0, &["Everything is complete"]);
    assert_eq!(there(), 1, "only main");
    autopilot(&garden, &[&all[..], &["--no-pr"]].concat()).assert(0, &["Push the branch"]);
    assert_eq!(there(), 2, "the branch as well");
    assert!(!garden.root().join("request").exists(), "no request is opened");
    garden.git(&["push", "-q", "origin", "--delete", &format!("{BRANCH}-landed")]);
    let records = || garden.lines(&["ls-remote", "origin", "refs/arborist/runs/*"]);
    for record in records() {
        garden.git(&["push", "-q", "origin", &format!(":{}", record.split('\t').nth(1).unwrap())]);
    }
    fs::remove_file(garden.root().join("bin/gh")).unwrap();
    let ended = autopilot(&garden, &all);
    assert_eq!(there(), 2, "without gh, it is pushed all the same: {ended:#?}");
    assert_eq!(records().len(), 1, "with its record");
    let said = format!("{}{}", ended.stdout, ended.stderr);
    for part in ["https://github.com/o/n/compare/", "42.1 42.2 42.3"] {
        assert!(said.contains(part), "{part}: {ended:#?}");
    }
}

#[test]
fn a_dry_run_tells_the_plan_and_changes_nothing() {
    let garden = garden(WORKER);
    let before = garden.lines(&["for-each-ref"]);
    let ended = autopilot(&garden, &["42", "--dry-run"]);
    ended.assert(0, &[]);
    for part in [
        "Autopilot plan for task #42 [analytics]: User metrics tracking\n----",
        "Preflight:\n",
        "Branch:\n-> Make the branch analytics/task-42-user-metrics-tracking at main",
        "Tasks (3 open):\n1. 42.1: Add metrics schema\n   - RED: write failing tests, judged by `sh tests/42.1.sh`\n",
        "2. 42.2: Add collection endpoint [depends on 42.1]\n",
        "   - COMMIT: \"Add dashboard widget (42.3)\"\n",
        "-> Run the suite on a clean checkout: make test\n",
        "-> Open a draft request into main (asks first): \"Task #42 [analytics]: User metrics tracking\"\n",
        "Run without --dry-run to execute.\n",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {ended:#?}");
    }
    assert_eq!(garden.lines(&["for-each-ref"]), before);
    assert_eq!(garden.asked(), Vec::<String>::new(), "no agent was asked");
    let ahead =
        garden.lines(&["commit-tree", "main^{tree}", "-p", "main", "-m", "Of somebody else"]).concat();
    garden.git(&["update-ref", "refs/remotes/origin/main", &ahead]);
    garden.config("arborist.land.template", "conventional");
    let ended = autopilot(&garden, &["42", "--dry-run", "--yes", "--no-pr"]);
    for part in [
        "   - COMMIT: \"feat(analytics): add dashboard widget (task 42.3)\"\n",
        "-> Push analytics/task-42-user-metrics-tracking-landed\n",
        "which lacks commits of origin/main",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {ended:#?}");
    }
    assert!(!ended.stdout.contains("request into"), "{ended:#?}");
    garden.config("arborist.testFirst", "false");
    let ended = autopilot(&garden, &["42", "--dry-run", "--no-push"]);
    assert!(!ended.stdout.contains("RED"), "{ended:#?}");
    let ended = autopilot(&garden, &["42", "--dry-run", "--json", "--no-push"]);
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    crate::support::schemas::fits("autopilot", &document);
    assert_eq!(document["tasks"][1]["depends_on"], json!(["42.1"]));
}

#[test]
fn nothing_is_changed_if_something_is_missing() {
    type Case<'a> = (&'a str, &'a dyn Fn(&Garden), &'a [&'a str], i32, &'a [&'a str]);
    let cases: [Case<'_>; 9] = [
        ("changes", &|garden| garden.write("Makefile", "test:\n\tfalse\n"), &[], 1, &["uncommitted"]),
        (
            "baseline",
            &|garden| {
                garden.write("tests/old.sh", "false\n");
                garden.commit("Break a test");
            },
            &[],
            1,
            &["the suite fails before the work begins"],
        ),
        (
            "no remote",
            &|garden| drop(garden.git(&["remote", "remove", "origin"])),
            &["--base", "main"],
            1,
            &["forge"],
        ),
        (
            "taken",
            &|garden| {
                garden.git(&["checkout", "-q", "--orphan", BRANCH]);
                garden.git(&["commit", "-q", "--allow-empty", "-m", "Something else"]);
                garden.git(&["switch", "-q", "main"]);
            },
            &[],
            3,
            &["exists, and this run is not on it"],
        ),
        ("no base", &|_| (), &["--base", "nowhere"], 2, &["nowhere"]),
        (
            "no placeholder",
            &|garden| drop(garden.git(&["config", "arborist.branchPattern", "{user}/{id}"])),
            &[],
            2,
            &["`{user}`", "`{slug}`"],
        ),
        (
            "no plan there",
            &|garden| {
                garden.git(&["switch", "-q", "--orphan", "empty"]);
                garden.git(&["commit", "-q", "--allow-empty", "-m", "Begin"]);
                garden.git(&["switch", "-q", "main"]);
            },
            &["--base", "empty"],
            3,
            &["the plan task-tree.json is not on empty"],
        ),
        ("no such task", &|_| (), &["43"], 2, &["43"]),
        ("waits", &|_| (), &["42.3"], 1, &["they depend on 42.2"]),
    ];
    for (what, prepare, args, status, words) in cases {
        let garden = garden(WORKER);
        prepare(&garden);
        garden.forget_history();
        let before = garden.lines(&["for-each-ref", "refs/heads"]);
        let args = if args.iter().any(|arg| arg.starts_with('4')) {
            args.to_vec()
        } else {
            [&["42"], args].concat()
        };
        let ended = autopilot(&garden, &[&args[..], &["--yes", "--no-probe"]].concat());
        ended.assert(status, words);
        assert_eq!(garden.lines(&["for-each-ref", "refs/heads"]), before, "{what}");
    }
}

#[test]
fn without_a_terminal_it_asks_for_yes_before_anything_is_changed() {
    let garden = garden(WORKER);
    let before = garden.lines(&["for-each-ref"]);
    autopilot(&garden, &["42"]).assert(2, &["--yes"]);
    assert_eq!(garden.lines(&["for-each-ref"]), before);
}

#[test]
fn the_format_and_lint_commands_make_commits_of_their_own() {
    let garden = garden(WORKER);
    garden.config("arborist.format.command", "for file in src/*; do echo formatted >> $file; done");
    garden.config("arborist.lint.command", "true");
    autopilot(&garden, &["42", "--yes", "--no-probe", "--no-push"])
        .assert(0, &["Format the code", "Follow the linter"]);
    let landed = titles(&garden, &format!("main..{BRANCH}-landed"));
    assert_eq!(landed.last().unwrap(), "Format the code");
    garden.config("arborist.lint.command", "echo too long >&2; false");
    let ended = autopilot(&garden, &["42", "--yes", "--no-probe", "--no-push"]);
    ended.assert(1, &["`echo too long >&2; false` failed", "too long", "--no-lint"]);
}
