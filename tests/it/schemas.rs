//! Tests that a definition in docs/schema.json describes every JSON document that a command prints or writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::support::agents::say;
use crate::support::garden::{Garden, one_task, plan};
use crate::support::schemas::fits;

fn document(garden: &Garden, args: &[&str]) -> Value {
    let ended = garden.start(garden.arborist(args)).wait();
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {ended:#?}"))
}

fn events(garden: &Garden, args: &[&str]) -> Vec<Value> {
    let ended = garden.start(garden.arborist(args)).wait();
    ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

/// Two phases, in which a test fails once, a review rejects once, one task fails and phase tests fail.
fn eventful() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["exit 3"]),
        ("T001", "p1", &[], &["echo '2 passed in 0.1s'; grep -q implement.1 T001.txt"]),
        ("T002", "p1", &["T001"], &["true"]),
        ("p2", "", &[], &[]),
        ("T003", "p2", &["T001"], &["false"]),
        ("T004", "p2", &["T003"], &[]),
    ]));
    garden.agent("[ $work = T002.review.0 ] && { echo REJECTED; exit 0; }");
    garden
}

#[test]
fn every_document_of_a_run_fits_its_schema() {
    let garden = eventful();
    fits("dry-run", &document(&garden, &["gardener", "--dry-run", "--json"]));
    fits("dry-run", &document(&garden, &["garden", "T001", "--dry-run", "--json"]));
    fits("status", &document(&garden, &["status", "--json"]));
    fits("next", &document(&garden, &["next", "--json"]));
    let mut seen = BTreeSet::new();
    for event in events(&garden, &["gardener", "--json", "--max-attempts", "2"]) {
        fits("event", &event);
        seen.insert(event["event"].as_str().unwrap().to_owned());
    }
    assert_eq!(seen, ["begin", "end", "step"].map(str::to_owned).into());
    for args in [&["next", "--json", "T003"][..], &["next", "--all", "--json"]] {
        let ended = garden.start(garden.arborist(args)).wait();
        if !ended.stdout.is_empty() {
            let name = if args.contains(&"--all") { "next-all" } else { "next" };
            fits(name, &serde_json::from_str(&ended.stdout).unwrap());
        }
    }
    fits("status", &document(&garden, &["status", "--json"]));
    for task in ["T001", "T002", "T003", "T004"] {
        fits("show-task", &document(&garden, &["show", task, "--json"]));
    }
    fits("show-node", &document(&garden, &["show", "p1", "--json"]));
    fits("land", &document(&garden, &["land", "--partial", "--dry-run", "--json"]));
    fits("run-report", &document(&garden, &["report", "--format", "json"]));
    fits("doctor", &document(&garden, &["doctor", "--json"]));
    fits("doctor-agents", &document(&garden, &["doctor", "agents", "--json"]));
    fits("doctor-agents", &document(&garden, &["doctor", "agents", "goose", "--json"]));
    fits("prove", &document(&garden, &["prove", "--json"]));
    for report in garden.lines(&["ls-files", "spec/reports"]) {
        fits("report", &serde_json::from_str(&garden.read(&report)).unwrap());
    }
}

#[test]
fn work_units_findings_and_rescues_fit_their_schemas() {
    let garden = Garden::new(&one_task(&[]));
    fits("next-all", &document(&garden, &["next", "--all", "--json"]));
    fits("done", &document(&garden, &["done", "T001", "--json"]));
    fits("rescue", &document(&garden, &["rescue", "list", "--json"]));
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&[
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "task(T001): mine\n\nArborist-Step: tset\nArborist-Step: test\n",
    ]);
    let findings = document(&garden, &["check", "--format", "json", "HEAD~3..HEAD"]);
    assert!(findings["errors"].as_u64().unwrap() > 0, "{findings:#}");
    fits("check", &findings);
    fits("check", &document(&garden, &["check", "--format", "json", "--run"]));
    let parsed = garden.run(&["check", "--parse", "HEAD~2"]);
    parsed.assert(0, &[]);
    assert!(!parsed.stdout.is_empty());
    for line in parsed.stdout.lines() {
        fits("trailer", &serde_json::from_str(line).unwrap());
    }
    garden.write("left.txt", "x\n");
    let tip = garden.head();
    garden.git(&["update-ref", "refs/arborist/rescue/T001/20260101T000000", &tip]);
    fits("rescue", &document(&garden, &["rescue", "list", "--json"]));
}

#[test]
fn what_build_prints_fits_its_schemas() {
    let garden = Garden::new(&one_task(&[]));
    garden
        .write("TODO.md", "# Later\n\n- [ ] Write the first part\n  Test: `make first`\n- [x] Write more\n");
    let plan = ["build", "TODO.md", "-o", "other.json", "--json"];
    let built = document(&garden, &plan);
    fits("build", &built);
    assert_eq!((&built["written"], &built["current"]), (&json!(true), &json!(false)));
    assert_eq!(built["warnings"].as_array().unwrap().len(), 1);
    garden.write(
        "TODO.md",
        "# Later\n\n- [ ] Write the first part\n  Test: `make all`\n- [ ] Write more\n- [ ] Write less\n",
    );
    let check = ["build", "--check", "-o", "other.json", "--json"];
    let checked = document(&garden, &check);
    fits("build", &checked);
    assert_eq!((&checked["written"], &checked["current"]), (&json!(false), &json!(false)));
    assert_eq!(checked["changed"][0]["fields"], json!(["description", "test_commands"]));
    assert_eq!(checked["added"].as_array().unwrap().len(), 1);
    let updated = document(&garden, &["build", "--update", "--commit", "-o", "other.json", "--json"]);
    fits("build", &updated);
    assert_eq!(updated["commit"], garden.head());

    garden.write("TODO.md", "- [ ] T001 A (depends on T002)\n- [ ] T002 B (depends on T001)\n");
    let ended = garden.run(&[&plan[..], &["--from", "arborist"]].concat());
    assert_eq!(ended.status, 2, "{ended:?}");
    let broken: Value = serde_json::from_str(&ended.stdout).unwrap();
    fits("build", &broken);
    assert!(broken["problems"][0]["message"].as_str().unwrap().contains("cycle"), "{broken:#}");
}

#[test]
fn ticked_boxes_fit_their_schema() {
    let garden = Garden::empty();
    garden.git(&["init", "-q"]);
    garden.write("spec/tasks.md", "- [ ] T001 Write the first part\n- [x] T002 Write more\n");
    garden.run(&["build"]).assert(0, &[]);
    garden.commit("Add the plan");
    garden.agent("");
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let ticked = document(&garden, &["build", "--tick", "--commit", "--json"]);
    fits("build-tick", &ticked);
    assert_eq!((&ticked["tasks"][0]["box"], &ticked["commit"]), (&json!("ticked"), &json!(garden.head())));
}

#[test]
fn the_progress_of_an_agent_fits_its_schema() {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    let script = "cat > /dev/null
        case $ARBORIST_STEP in implement) echo x > T001.txt; say I wrote it;; *) say APPROVED;; esac";
    garden.runner("mine", &format!("{}\n{script}", say("claude")));
    garden.config("arborist.runner.mine.protocol", "claude");
    let told = events(&garden, &["gardener", "--runner", "mine", "--json"]);
    assert!(told.iter().any(|event| event["event"] == "progress"), "{told:#?}");
    told.iter().for_each(|event| fits("event", event));
}

#[test]
fn a_notification_fits_its_schema() {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    garden.agent("cat > /dev/null; [ $ARBORIST_STEP = review ] && echo APPROVED && exit; echo x > T001.txt");
    garden.config("arborist.notify.command", "cat > \"$ROOT/told\"");
    garden.run(&["gardener"]).assert(0, &[]);
    let told = fs::read_to_string(garden.root().join("told")).unwrap();
    fits("notification", &serde_json::from_str(&told).unwrap());
}

#[test]
fn every_definition_describes_something_that_a_test_prints() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.json");
    let all: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let this = concat!(
        include_str!("schemas.rs"),
        include_str!("pr.rs"),
        include_str!("run_folder.rs"),
        include_str!("autopilot.rs")
    );
    let definitions = all["$defs"].as_object().unwrap().iter();
    // The others are parts of these.
    for (name, _) in definitions.filter(|(_, definition)| definition["title"].is_string()) {
        assert!(this.contains(&format!("fits(\"{name}\"")) || name == "next-all", "no test uses {name}");
    }
}

/// The last event of a run that ends in this way, which must be its `end`.
#[track_caller]
fn end_of(garden: &Garden, args: &[&str], status: i64) -> Map<String, Value> {
    let events = events(garden, args);
    for event in &events {
        fits("event", event);
        assert_eq!(event["version"], json!(1));
    }
    let last = events.last().unwrap_or_else(|| panic!("no events: {args:?}"));
    assert_eq!((&last["event"], &last["status"]), (&json!("end"), &json!(status)), "{last:#}");
    assert_eq!(events.iter().filter(|event| event["event"] == "end").count(), 1);
    last.as_object().unwrap().clone()
}

#[test]
fn every_stream_of_events_ends_with_the_event_end() {
    let garden = Garden::new(&one_task(&[]));
    garden.write("mine.txt", "x\n");
    let dirty = end_of(&garden, &["gardener", "--json"], 3);
    assert!(dirty["message"].as_str().unwrap().contains("mine.txt") && dirty["complete"].is_null());
    assert!(!dirty["remedy"].as_str().unwrap().is_empty());
    fs::remove_file(garden.top().join("mine.txt")).unwrap();

    end_of(&garden, &["gardener", "--json", "--tree", "nowhere.json"], 2);
    end_of(&garden, &["gardener", "--json", "--runner", "nobody"], 2);
    garden.agent("[ $ARBORIST_STEP = review ] && exit 3");
    end_of(&garden, &["gardener", "--json"], 4);
    garden.agent("");
    let done = end_of(&garden, &["gardener", "--json"], 0);
    assert_eq!(
        (&done["complete"], &done["message"], &done["remedy"]),
        (&json!(1), &Value::Null, &Value::Null)
    );
    let nothing = end_of(&garden, &["garden", "--json"], 0);
    assert_eq!(nothing["total"], json!(1));
    fs::create_dir_all(garden.top().join("deep/er")).unwrap();
    end_of(&garden, &["garden", "T001", "--json"], 0);

    let failing = Garden::new(&one_task(&["false"]));
    let failed = end_of(&failing, &["gardener", "--json", "--max-attempts", "1"], 1);
    assert_eq!(failed["failed"], json!(["T001"]));
    assert!(failed["remedy"].as_str().unwrap().contains("git arborist"));
}

#[test]
fn a_stream_has_an_end_also_if_the_arguments_or_the_plan_are_wrong() {
    let garden = Garden::new(&one_task(&[]));
    garden.agent("");
    let wrong: [(&[&str], &str); 9] = [
        (&["garden", "T999", "--json"], "T999"),
        (&["garden", "--json", "T001", "T002"], "'T002'"),
        (&["gardener", "--json", "--max-attempts", "many"], "many"),
        (&["gardener", "--json", "--max-tasks", "0"], "'0'"),
        (&["gardener", "--no-reviw", "--json"], "--no-reviw"),
        (&["gardener", "--json", "--max-wait", "1h", "--no-wait"], "--no-wait"),
        (&["gardener", "--json", "--runner"], "--runner"),
        (&["gardener", "--json", "--json"], "--json"),
        (&["gardener", "--json", "--color", "always"], "--color"),
    ];
    for (args, words) in wrong {
        let end = end_of(&garden, args, 2);
        let [message, remedy] = ["message", "remedy"].map(|name| end[name].as_str().unwrap());
        assert!(message.contains(words) && !message.contains('\n'), "{args:?}: {message}");
        assert!(!remedy.is_empty() && !remedy.contains('\n'), "{args:?}: {remedy}");
    }
    assert!(
        end_of(&garden, &["gardener", "--json", "--no-reviw"], 2)["remedy"]
            .as_str()
            .unwrap()
            .contains("--no-review")
    );
    fs::write(garden.top().join("task-tree.json"), "{").unwrap();
    end_of(&garden, &["gardener", "--json"], 2);
    fs::remove_file(garden.top().join("task-tree.json")).unwrap();
    end_of(&garden, &["garden", "--json"], 2);
    fs::rename(garden.top().join(".git"), garden.root().join("away")).unwrap();
    end_of(&garden, &["gardener", "--json"], 3);
    // What is asked for here is a document, or help, and no stream.
    for args in
        [&["gardener", "--json", "--dry-run", "--no-reviw"][..], &["gardener", "--no-reviw", "--", "--json"]]
    {
        assert_eq!(garden.run(args).stdout, "", "{args:?}");
    }
    assert!(garden.run(&["gardener", "--json", "-h"]).stdout.contains("Usage"));
}

#[test]
fn a_stream_that_a_signal_or_another_run_ends_says_so() {
    let garden = Garden::new(&one_task(&[]));
    garden.agent(": > \"$ROOT/started\"; sleep 60");
    let running = garden.start(garden.arborist(&["gardener", "--json"]));
    garden.wait_for("started");
    end_of(&garden, &["gardener", "--json"], 5);
    fits("status", &document(&garden, &["status", "--json"]));
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.status, 130, "{ended:#?}");
    let last: Value = serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["status"]), (&json!("end"), &json!(130)));
}

#[test]
fn a_report_starts_with_its_first_step_and_has_rounded_numbers() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("[ $ARBORIST_STEP = review ] || sleep 2.2");
    garden.run(&["gardener"]).assert(0, &[]);
    let report = garden.lines(&["ls-files", "spec/reports"]).remove(0);
    let report: Value = serde_json::from_str(&garden.read(&report)).unwrap();
    let first = &report["attempts"][0]["steps"][0];
    let seconds =
        |value: &Value| chrono::DateTime::parse_from_rfc3339(value.as_str().unwrap()).unwrap().timestamp();
    let took = seconds(&first["time"]) - seconds(&report["started"]);
    assert!((2..=20).contains(&took), "the agent slept for more than two seconds: {report:#}");
    let duration = first["duration"].to_string();
    assert!(duration.split('.').nth(1).is_none_or(|decimals| decimals.len() <= 3), "{duration}");
}
