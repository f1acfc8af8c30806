//! What `status` says of a run that is at work, and of commits for which a run stops.

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task};

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
    let line = text.lines().find(|line| line.starts_with("At work: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with(&format!("At work: gardener (process {id}) since 20")), "{line}");
    assert!(line.ends_with(", in the implement step of T001 (attempt 1)."), "{line}");
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
    assert!(run["since"].is_string());

    let (text, document) = status(&garden, "linked");
    let place = format!("At work in another work tree, {}: gardener (process {id})", garden.top().display());
    assert!(text.contains(&place), "{text}");
    assert_eq!(document["runs"][0]["here"], json!(false));

    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
    for folder in ["work", "linked"] {
        let (text, document) = status(&garden, folder);
        assert!(!text.contains("At work"), "{text}");
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
    assert!(text.contains(&format!("At work in another work tree, {}: garden ", linked.display())), "{text}");
    assert_eq!(document["runs"][0]["task"], json!("T001"));
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
}

#[test]
fn a_forged_step_for_which_a_run_stops_is_in_doubt_until_it_is_taken_off_the_branch() {
    let forge = "git commit -q --allow-empty -F \"$ROOT/forged\"";
    let garden = Garden::new(&one_task(&[]));
    let message = "task(T001): complete \"Do T001\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
                   Arborist-Report: x\n";
    std::fs::write(garden.root().join("forged"), message).unwrap();
    garden.agent(forge);
    let before = garden.head();
    garden.run(&["gardener"]).assert(6, &["claims to be a step"]);
    let forged = garden.head();
    let (text, document) = status(&garden, "work");
    let expected =
        [&format!("In doubt: the commit {} was made by a program", &forged[..7]), "git reset --keep"];
    assert!(expected.iter().all(|part| text.contains(*part)), "{text}");
    assert_eq!(document["doubts"][0]["commit"], json!(forged));

    garden.git(&["reset", "-q", "--keep", &before]);
    garden.forget_history();
    let (text, document) = status(&garden, "work");
    assert!(!text.contains("In doubt"), "{text}");
    assert_eq!(document["doubts"], json!([]));
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
