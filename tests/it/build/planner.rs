//! Tests `build --planner` and `build --expand`: agents draft plans and split tasks.

use std::fs;

use serde_json::{Value, json};

use crate::support::garden::{Ended, Garden, plan};

/// A repository with a text, and a planner that keeps its prompts and runs this script.
fn repository(script: &str) -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("notes.md", "We need a parser, and a printer that uses it.\n");
    garden.commit("Add notes");
    planner(&garden, script);
    garden
}

fn planner(garden: &Garden, script: &str) {
    garden.runner("mine", &format!("n=$(ls \"$ROOT\" | grep -c ^asked)\ncat > \"$ROOT/asked$n\"\n{script}"));
}

/// The prompts that the planner got.
fn asked(garden: &Garden) -> Vec<String> {
    (0..).map_while(|number| fs::read_to_string(garden.root().join(format!("asked{number}"))).ok()).collect()
}

/// A script that prints this.
fn says(answer: &Value) -> String {
    format!("cat <<'END'\nHere is the plan.\n\n```json\n{answer:#}\n```\nEND")
}

fn good() -> Value {
    json!({"spec_id": "parser", "nodes": [
        {"id": "p1", "name": "Parser"},
        {"id": "T1", "name": "Write a parser", "description": "In src/parse.", "parent": "p1",
            "test_commands": ["make parse"], "runner": "evil", "source_file": "/etc/passwd"},
        {"id": "T2", "name": "Write a printer", "parent": "p1", "depends_on": ["T1"]}
    ]})
}

fn tree(garden: &Garden) -> Value {
    serde_json::from_str(&garden.read("task-tree.json")).unwrap()
}

const DRAFT: [&str; 4] = ["build", "--planner", "mine", "notes.md"];

/// A call that must end with status 4 and write nothing.
#[track_caller]
fn fails(garden: &Garden, words: &[&str]) -> Ended {
    let ended = garden.run(&DRAFT);
    assert_eq!((ended.status, ended.stdout.as_str()), (4, ""), "{ended:?}");
    for word in words.iter().chain(&["Nothing was written"]) {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
    assert!(!garden.exists("task-tree.json"));
    ended
}

#[test]
fn an_agent_drafts_a_plan_from_any_text() {
    let garden = repository(&says(&good()));
    let ended = garden.run(&[&DRAFT[..], &["--commit"]].concat());
    assert_eq!(ended.status, 0, "{ended:?}");
    for line in ["task-tree.json: 2 tasks, drafted by mine\n", "    T2 Write a printer\n", "make parse  (T1)"]
    {
        assert!(ended.stdout.contains(line), "{line}: {ended:?}");
    }
    let tree = tree(&garden);
    assert_eq!(tree["spec_id"], "parser");
    assert_eq!(tree["execution_order"], json!(["T1", "T2"]));
    let text = tree.to_string();
    assert!(!text.contains("evil") && !text.contains("passwd"), "{text}");
    let [prompt] = &asked(&garden)[..] else { panic!("the planner is asked once") };
    for part in ["notes.md:\n````\nWe need a parser", "Change no files", "\"depends_on\""] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(garden.lines(&["show", "--name-only", "--format=%s"]), ["Add the plan", "", "task-tree.json"]);
    assert!(garden.run(&["status"]).stdout.contains("0/2 complete"));

    let again = garden.run(&DRAFT);
    assert!(again.status == 2 && again.stderr.contains("task-tree.json exists"), "{again:?}");
    let update = garden.run(&["build", "--update"]);
    assert!(update.status == 2 && update.stderr.contains("mine has drafted this plan"), "{update:?}");
    assert_eq!(asked(&garden).len(), 1);
}

#[test]
fn an_epic_of_ccpm_is_drafted_from_its_folder() {
    let garden = repository(&says(&good()));
    garden.write(".claude/epics/print/001.md", "---\nname: Parse\n---\n");
    garden.write(".claude/epics/print/002.md", "---\nname: Print\n---\n");
    garden.run(&["build", "--planner", "mine", ".claude/epics/print"]).assert(0, &[]);
    let prompt = &asked(&garden)[0];
    assert!(prompt.contains("name: Parse") && prompt.contains("name: Print"), "{prompt}");
}

/// The call with this agent, whose program lists these options and then runs this script.
fn drafted_by(garden: &Garden, agent: &str, options: &str, script: &str) -> Ended {
    let bin = garden.root().join("bin");
    let script =
        format!("case $* in *--help) echo '{options}'; exit;; esac\ncat > \"$ROOT/asked0\"\n{script}");
    garden.program(&bin.join(agent), &script);
    let mut command = garden.arborist(&["build", "--planner", agent, "notes.md"]);
    command.env("PATH", garden.path_with(&bin));
    garden.finish(command)
}

#[test]
fn a_planner_is_started_like_a_reviewer_and_finds_the_rules_for_its_tools() {
    let garden = repository("");
    let answer = serde_json::to_string(&good().to_string()).unwrap();
    let script = format!(
        "while test $1 != --policy; do shift; done; cp \"$2\" \"$ROOT/rules\"
         cat <<'END'\n{{\"type\":\"message\",\"role\":\"assistant\",\"content\":{answer}}}\n{{\"type\":\"result\",\"status\":\"success\"}}\nEND"
    );
    let ended = drafted_by(&garden, "gemini", "--policy", &script);
    assert_eq!(ended.status, 0, "{ended:?}");
    let rules = fs::read_to_string(garden.root().join("rules")).unwrap();
    assert!(rules.contains("decision = \"deny\""), "{rules}");
}

#[test]
fn a_planner_that_is_bound_to_a_schema_answers_or_asks_with_a_document_of_it() {
    let schema: Value = serde_json::from_str(include_str!("../../../src/agents/plan-schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let node = |id: &str, parent: &str, expect: &str| {
        json!({"id": id, "name": format!("Do {id}"), "description": "", "acceptance": [], "expect": expect,
            "parent": parent, "depends_on": [], "test_commands": [], "touches": []})
    };
    let plan =
        json!({"spec_id": "s", "question": "", "nodes": [node("p1", "", ""), node("T1", "p1", "change")]});
    let question = json!({"spec_id": "", "question": "Which dates?", "nodes": []});
    for (answer, status, said) in
        [(plan, 0, "1 task, drafted by claude"), (question, 7, "claude asks: Which dates?")]
    {
        assert!(schema.is_valid(&answer), "{answer}");
        let garden = repository("");
        let result = json!({"type": "result", "is_error": false, "structured_output": answer, "result": ""});
        let script = format!("echo \"$*\" > \"$ROOT/args\"\ncat <<'END'\n{result}\nEND");
        let ended = drafted_by(&garden, "claude", "--json-schema --safe-mode", &script);
        assert!(ended.status == status && (ended.stdout.clone() + &ended.stderr).contains(said), "{ended:?}");
        let args = fs::read_to_string(garden.root().join("args")).unwrap();
        assert!(args.contains("--safe-mode") && args.contains("--json-schema {"), "{args}");
        assert!(
            asked(&garden)[0].contains("write what you need to know as `question`"),
            "{:?}",
            asked(&garden)
        );
    }
}

#[test]
fn a_plan_that_cannot_be_used_goes_back_to_the_agent_once() {
    let mut bad = good();
    bad["nodes"][2]["depends_on"] = json!(["T1", "T9"]);
    let script = format!("if [ $n = 0 ]; then\n{}\nelse\n{}\nfi", says(&bad), says(&good()));
    let garden = repository(&script);
    let ended = garden.run(&DRAFT);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(ended.stderr.contains("is sent back") && ended.stderr.contains("T9"), "{ended:?}");
    let prompts = asked(&garden);
    assert_eq!(prompts.len(), 2);
    assert!(prompts[1].starts_with(prompts[0].trim_end()), "{}", prompts[1]);
    for part in ["You have answered this already", "cannot be used", "T9"] {
        assert!(prompts[1].contains(part), "{part}: {}", prompts[1]);
    }
    assert_eq!(tree(&garden)["nodes"]["T2"]["depends_on"], json!(["T1"]));
}

#[test]
fn nothing_is_written_if_the_second_plan_cannot_be_used_either() {
    let mut cycle = good();
    cycle["nodes"][1]["depends_on"] = json!(["T2"]);
    for (script, words) in [
        (says(&cycle), "T1 → T2"),
        ("echo I would rather not.".to_owned(), "no JSON object"),
        (says(&json!({"nodes": [{"id": "../x", "name": "A"}]})), "../x"),
        (says(&json!({"nodes": [{"id": "T1"}]})), "name"),
    ] {
        let garden = repository(&script);
        fails(&garden, &["mine was asked twice", words]);
        assert_eq!(asked(&garden).len(), 2);
    }
}

#[test]
fn a_planner_that_cannot_work_is_named_with_the_cause() {
    for (script, words) in [
        ("exit 0", &["the planner mine printed nothing"][..]),
        ("echo broken >&2; exit 3", &["the planner mine failed", "exit status 3", "broken"]),
        ("exec /nowhere/agent", &["the planner mine did not start", "/nowhere/agent"]),
        ("kill -9 $$", &["mine was killed by a signal", "Nothing was written"]),
        ("echo 'Error: rate limit exceeded' >&2; exit 1", &["mine"]),
    ] {
        fails(&repository(script), words);
    }
    let slow = repository("sleep 60");
    slow.config("arborist.runnerTimeout", "1");
    fails(&slow, &["timeout of 1", "arborist.runnerTimeout"]);
    slow.assert_nothing_runs();
    let unknown = slow.run(&["build", "--planner", "mines", "notes.md"]);
    assert!(unknown.status == 2 && unknown.stderr.contains("Did you mean mine?"), "{unknown:?}");
    let missing = slow.run(&["build", "--planner", "claude", "notes.md"]);
    assert!(missing.status == 4 && missing.stderr.contains("not installed"), "{missing:?}");
}

#[test]
fn a_planner_that_changes_anything_is_stopped() {
    let garden = repository(&format!("echo x > left.txt\necho more >> notes.md\n{}", says(&good())));
    let ended = garden.run(&DRAFT);
    assert_eq!(ended.status, 6, "{ended:?}");
    for word in ["mine changed files", "left.txt", "notes.md", "No plan was written"] {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
    assert!(!garden.exists("task-tree.json"));
    let again = garden.run(&DRAFT);
    assert!(again.status == 6 && again.stderr.contains("notes.md"), "a file that differed before: {again:?}");
    for script in ["git commit -q --allow-empty -m mine", "git config core.fsmonitor evil"] {
        let garden = repository(&format!("{script}\n{}", says(&good())));
        let ended = garden.run(&DRAFT);
        assert!(ended.status == 6 && !garden.exists("task-tree.json"), "{script}: {ended:?}");
        garden.forget_history();
    }
}

#[test]
fn a_planner_is_ended_with_its_command_and_never_works_beside_a_run() {
    let garden = repository("sleep 60");
    let running = garden.start(garden.arborist(&DRAFT));
    garden.wait_for("asked0");
    let busy = garden.run(&DRAFT);
    assert!(busy.status == 5 && busy.stderr.contains("build --planner"), "{busy:?}");
    running.signal("INT");
    let ended = running.wait();
    assert_eq!((ended.status, ended.stdout.as_str()), (130, ""), "{ended:?}");
    assert!(ended.stderr.contains("Nothing was written"), "{ended:?}");
    garden.assert_nothing_runs();

    let garden = with_plan(&says(&good()));
    garden.agent(": > \"$ROOT/started\"; sleep 60");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    for args in [&["build", "--expand", "T002", "--planner", "mine"][..], &["build", "--tick"]] {
        let busy = garden.run(args);
        assert_eq!((busy.status, busy.stdout.as_str()), (5, ""), "{busy:?}");
    }
    running.signal("INT");
    running.wait();
    garden.assert_nothing_runs();
}

#[test]
fn a_planner_needs_a_text() {
    let garden = repository(&says(&good()));
    for (args, words) in [
        (&["build", "--planner", "mine"][..], "needs a text"),
        (&["build", "--planner", "mine", "nowhere.md"], "there is no nowhere.md"),
        (&["build", "--planner", "mine", "."], "no plan of a known format in"),
    ] {
        let ended = garden.run(args);
        assert!(ended.status == 2 && ended.stderr.contains(words), "{ended:?}");
    }
    garden.write("notes.md", &"word ".repeat(200_000));
    let ended = garden.run(&DRAFT);
    assert!(ended.status == 2 && ended.stderr.contains("more than 512 KiB"), "{ended:?}");
    assert_eq!(asked(&garden).len(), 0);
}

/// A plan in which T002 needs T001, with a runner that implements.
fn with_plan(script: &str) -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &[]),
    ]));
    planner(&garden, script);
    garden
}

#[test]
fn a_task_is_split_and_its_links_keep_their_meaning() {
    let answer = json!({"nodes": [
        {"id": "T001.1", "name": "Write the first half"},
        {"id": "T001.2", "name": "Write the second half", "depends_on": ["T001.1"]}
    ]});
    let garden = with_plan(&says(&answer));
    garden.config("arborist.runner", "mine");
    let ended = garden.run(&["build", "--expand", "T001", "--commit"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(
        ended.stdout.contains("task-tree.json: 2 tasks below T001, drafted by mine\n  T001.1 Write"),
        "{ended:?}"
    );
    let tree = tree(&garden);
    assert_eq!(tree["nodes"]["T001"]["children"], json!(["T001.1", "T001.2"]));
    assert_eq!(tree["nodes"]["T002"]["depends_on"], json!(["T001"]));
    assert_eq!(tree["nodes"]["T001.2"]["test_commands"][0]["command"], "true");
    assert_eq!(tree["execution_order"], json!(["T001.1", "T001.2", "T002"]));
    let prompt = &asked(&garden)[0];
    for part in ["The task is T001: ", "    true\n", "  T002 ", "as in `T001.1`"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(garden.lines(&["log", "-1", "--format=%s"]), ["Split T001 of the plan"]);
    assert_eq!(garden.status(), [""; 0]);
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.run(&["status"]).stdout.contains("3/3 complete"));
}

#[test]
fn an_update_keeps_the_tasks_into_which_a_task_was_split() {
    let answer =
        json!({"nodes": [{"id": "T001.1", "name": "One half"}, {"id": "T001.2", "name": "Other half"}]});
    let garden = repository(&says(&answer));
    let plan =
        "## Phase 1: One\n\n- [ ] T001 Write it\n  Test: `make it`\n- [ ] T002 Use it (depends on T001)\n";
    garden.write("spec/tasks.md", plan);
    garden.run(&["build", "spec/tasks.md"]).assert(0, &[]);
    garden.run(&["build", "--expand", "T001", "--planner", "mine"]).assert(0, &[]);
    garden.run(&["build", "--check"]).assert(0, &[]);
    garden.write("spec/tasks.md", &format!("{plan}- [ ] T003 Describe it\n"));
    let update = garden.run(&["build", "--update"]);
    assert!(update.status == 0 && update.stdout.starts_with("task-tree.json: "), "{update:?}");
    assert!(update.stdout.contains("added: T003\n") && !update.stdout.contains("removed"), "{update:?}");
    let tree = tree(&garden);
    assert_eq!(tree["nodes"]["T001"]["children"], json!(["T001.1", "T001.2"]));
    assert_eq!(tree["nodes"]["T001.2"]["test_commands"][0]["command"], "make it");
    assert_eq!(tree["nodes"]["T001"]["test_commands"], json!([]));
    assert_eq!(tree["nodes"]["T002"]["depends_on"], json!(["T001"]));
    garden.run(&["build", "--check"]).assert(0, &[]);
}

#[test]
fn a_repository_without_a_commit_is_told_what_to_do() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("notes.md", "We need a parser.\n");
    planner(&garden, &says(&good()));
    let ended = garden.run(&DRAFT);
    assert!(ended.status == 3 && ended.stderr.contains("no commits yet"), "{ended:?}");
    assert!(ended.stderr.contains("git commit") && asked(&garden).is_empty(), "{ended:?}");
}

#[test]
fn only_a_task_that_nothing_was_done_for_can_be_split() {
    let garden = with_plan(&says(&json!({"nodes": [{"id": "T002", "name": "A"}]})));
    for (task, words) in [("T009", "there is no task T009"), ("p1", "tasks below it")] {
        let ended = garden.run(&["build", "--expand", task, "--planner", "mine"]);
        assert!(ended.status == 2 && ended.stderr.contains(words), "{ended:?}");
    }
    let before = garden.read("task-tree.json");
    let ended = garden.run(&["build", "--expand", "T001", "--planner", "mine"]);
    assert!(ended.status == 4 && ended.stderr.contains("already has the id T002"), "{ended:?}");
    assert_eq!(garden.read("task-tree.json"), before);
    garden.agent("");
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let ended = garden.run(&["build", "--expand", "T001", "--planner", "mine"]);
    assert!(ended.status == 2 && ended.stderr.contains("T001 is complete"), "{ended:?}");
    assert_eq!(garden.read("task-tree.json"), before);
}

#[test]
fn a_question_that_nobody_can_answer_ends_the_command_and_writes_nothing() {
    let garden = repository("echo 'It names no language.'; echo; echo 'BLOCKED: which language?'");
    let ended = garden.run(&DRAFT);
    assert_eq!((ended.status, ended.stdout.as_str()), (7, ""), "{ended:?}");
    for words in ["mine asks", "It names no language.", "which language?", "Nothing was written"] {
        assert!(ended.stderr.contains(words), "{words}: {ended:?}");
    }
    assert_eq!(asked(&garden).len(), 1);
    assert!(!garden.exists("task-tree.json"));
}
