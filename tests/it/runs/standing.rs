//! What `status` says of a run that is at work, and of commits for which a run stops.

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task};
use crate::support::skip::has_proc;

/// What `status` says, and its document, asked for in a folder beside the work tree or in that itself.
fn status(garden: &Garden, folder: &str) -> (String, Value) {
    let ask = |args: &[&str]| {
        let mut command = garden.arborist(args);
        command.current_dir(garden.root().join(folder));
        let ended = garden.start(command).wait();
        ended.assert(0, &[]);
        ended.stdout
    };
    (ask(&["status"]), serde_json::from_str(&ask(&["status", "--json"])).unwrap())
}

#[test]
fn an_active_run_is_named_in_all_work_trees_until_it_has_ended() {
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    garden.agent("touch \"$ROOT/began\"; until test -e \"$ROOT/go\"; do sleep 0.01; done");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("began");
    let id = running.id();

    let (text, document) = status(&garden, "work");
    let line = text.lines().nth(1).unwrap_or_else(|| panic!("{text}"));
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    assert!(line.starts_with("running: T001 implement 1/5 for "), "{line}");
    assert!(line.contains(&format!("(gardener, process {id} on {host}, since ")), "{line}");
    assert!(text.contains("...  T001 Do T001 (implementing, attempt 1/5, "), "{text}");
    let run = &document["runs"][0];
    for (field, value) in [
        ("here", json!(true)),
        ("command", json!("gardener")),
        ("process", json!(id.parse::<u32>().unwrap())),
        ("killed", json!(false)),
        ("task", json!("T001")),
        ("step", json!("implement")),
        ("attempt", json!(0)),
        ("work_tree", json!(garden.top())),
    ] {
        assert_eq!(run[field], value, "{field}: {document:#}");
    }
    assert!(run["since"].is_string() && run["step_since"].is_string());
    let run = &document["run"];
    assert_eq!([&run["state"], &run["task"], &run["step"]], ["running", "T001", "implement"]);
    assert_eq!([&run["process"], &run["attempt"]], [&json!(id.parse::<u32>().unwrap()), &json!(0)]);
    assert_eq!(run["host"], json!(host));
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains("(implementing, attempt 1/5, "), "{shown}");

    let (text, document) = status(&garden, "linked");
    let place = format!("running in another work tree, {}: T001 implement 1/5 for ", garden.top().display());
    assert!(text.contains(&place) && text.contains(&format!("(gardener, process {id} on ")), "{text}");
    assert!(text.contains("--   T001 Do T001 (pending, next, untested)"), "{text}");
    assert_eq!(document["run"]["state"], json!("not-begun"));
    assert_eq!(document["runs"][0]["here"], json!(false));

    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
    for folder in ["work", "linked"] {
        let (text, document) = status(&garden, folder);
        assert!(!text.contains("running") && !text.contains("(implementing"), "{text}");
        assert_eq!(document["runs"], json!([]));
    }
}

#[test]
fn a_run_in_a_linked_work_tree_is_named_in_the_main_one() {
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    garden.agent("touch \"$ROOT/began\"; until test -e \"$ROOT/go\"; do sleep 0.01; done");
    let mut command = garden.arborist(&["garden", "T001"]);
    let linked = garden.root().join("linked");
    command.current_dir(&linked);
    let running = garden.start(command);
    garden.wait_for("began");
    let (text, document) = status(&garden, "work");
    let place = format!("running in another work tree, {}: T001 implement 1/5", linked.display());
    assert!(text.contains(&place), "{text}");
    assert_eq!(document["runs"][0]["task"], json!("T001"));
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
}

#[test]
fn after_a_kill_the_run_has_stopped_and_the_step_that_it_was_in_comes_next() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(
        "if [ $ARBORIST_STEP = review ]; then echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; exec sleep 3009; fi",
    );
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("began");
    let (text, _) = status(&garden, "work");
    assert!(text.contains("\nrunning: T001 review 1/5 for "), "{text}");
    assert!(text.contains("T001 Do T001 (reviewing, attempt 1/5, "), "{text}");
    garden.kill_with_agent(running);
    let (text, document) = status(&garden, "work");
    assert!(text.contains("\nstopped; next: T001 review 1/5\n"), "{text}");
    assert!(text.contains("T001 Do T001 (stopped, next: review 1/5, last step "), "{text}");
    for wrong in ["running", "reviewing", "testing"] {
        assert!(!text.contains(wrong), "{wrong}: {text}");
    }
    assert_eq!(document["run"]["state"], json!("unfinished"));
    let next = &document["run"]["next"];
    assert_eq!([&next["task"], &next["step"]], ["T001", "review"]);
    assert_eq!([&next["attempt"], &next["max_attempts"]], [0, 5]);
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains("(stopped, next: review 1/5, "), "{shown}");
}

#[test]
fn a_run_that_was_killed_while_its_agent_goes_on_is_not_shown_as_running() {
    if !has_proc() {
        return;
    }
    let garden = Garden::new(&one_task(&[]));
    let _held = {
        use std::io::Write;
        let folder = garden.top().join(".git/arborist");
        std::fs::create_dir_all(&folder).unwrap();
        let mut lock = std::fs::File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap();
        let entry = json!({"pid": 1, "start": 1, "boot": boot.trim(), "namespace": namespace, "host": "box"});
        write!(lock, "gardener (process 1) since 2026-11-20T22:14:05Z\n{entry}\n").unwrap();
        lock
    };
    let (text, document) = status(&garden, "work");
    assert!(text.contains("\nkilled: gardener, process 1 on box, since "), "{text}");
    assert!(!text.contains("running:"), "{text}");
    assert_eq!(document["run"]["state"], json!("not-begun"));
    assert_eq!(document["runs"][0]["killed"], json!(true));
}

#[test]
fn a_forged_step_of_a_run_that_was_killed_is_in_doubt() {
    let garden = Garden::new(&one_task(&[]));
    let message = "task(T001): complete \"Do T001\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
                   Arborist-Report: x\n";
    std::fs::write(garden.root().join("forged"), message).unwrap();
    garden.agent(
        "git commit -q --allow-empty -F \"$ROOT/forged\"; echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; exec sleep 3008",
    );
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("began");
    garden.kill_with_agent(running);
    let (text, document) = status(&garden, "work");
    assert!(text.contains("In doubt: the commit"), "{text}");
    assert_eq!(document["doubts"][0]["commit"], json!(garden.head()));
}
