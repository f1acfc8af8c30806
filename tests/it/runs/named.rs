//! Tests that files that the plan does not name are committed but named, and that what tools have made is not committed.

use serde_json::json;

use crate::support::garden::{Garden, one_task};

/// The findings of the steps, oldest first, without those that have none.
fn findings(garden: &Garden) -> Vec<String> {
    let format = "--format=%(trailers:key=Arborist-Step,valueonly,separator=%x2C): \
                  %(trailers:key=Arborist-Findings,valueonly,separator=%x2C)";
    let steps = garden.lines(&["log", "--reverse", format]);
    steps.into_iter().filter(|line| !line.ends_with(": ")).collect()
}

fn implement_body(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B", "--grep", "^Arborist-Step: implement"])
}

#[test]
fn files_outside_of_the_tasks_touches_are_named() {
    let run = |touches: &[&str]| {
        let mut plan = one_task(&["true"]);
        plan["nodes"]["T001"]["touches"] = json!(touches);
        let garden = Garden::new(&plan);
        let script = "mkdir -p src/api; echo x > src/api/a.rs; echo x > build.rs
             git add build.rs; git commit -q -m 'A commit of the runner'";
        garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {script}; fi"));
        let ended = garden.run(&["gardener"]);
        (garden, ended)
    };
    let (garden, ended) = run(&["src/**", "*.txt"]);
    let named = "These files were changed, but the plan does not say that this task touches them: build.rs.";
    ended.assert(0, &[named]);
    let recorded = "the plan does not say that this task touches them:\n- build.rs";
    assert!(implement_body(&garden).contains(recorded), "{}", implement_body(&garden));
    assert_eq!(findings(&garden).last().unwrap(), "complete: outside-touches");
    assert!(garden.prompt("T001.implement.0").contains("- src/**\n- *.txt\n"));
    for all in [&["src", "*.txt", "build.rs"][..], &["**"], &[]] {
        let (garden, ended) = run(all);
        ended.assert(0, &[]);
        assert_eq!(findings(&garden), [""; 0], "{all:?}");
    }
}

#[test]
fn what_tools_have_made_is_neither_committed_nor_landed_unless_the_plan_names_it() {
    let made = "mkdir -p node_modules/a src/__pycache__ dist; echo x > node_modules/a/x.js; echo x > src/__pycache__/x.pyc
         echo '{}' > package.json; echo x > dist/x.js; echo x > .DS_Store
         mkdir .claude; echo '{}' > .claude/settings.local.json; git add -A";
    let run = |touches: &[&str]| {
        let mut plan = one_task(&["true"]);
        if !touches.is_empty() {
            plan["nodes"]["T001"]["touches"] = json!(touches);
        }
        let garden = Garden::new(&plan);
        garden.config("arborist.trust.prove", "off");
        garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {made}; fi"));
        let ended = garden.run(&["gardener"]);
        (garden, ended)
    };
    let (garden, ended) = run(&[]);
    let said = "these lines in .gitignore hide it: .DS_Store .claude/settings.local.json __pycache__/ dist/ node_modules/";
    ended.assert(0, &["no step commits what tools have made", said]);
    assert_eq!(ended.stderr.matches("what tools have made").count(), 1, "{}", ended.stderr);
    assert_eq!(garden.files_of("HEAD~4"), ["T001.txt", "package.json"]);
    let left = [
        "?? .DS_Store",
        "?? .claude/settings.local.json",
        "?? dist/x.js",
        "?? node_modules/a/x.js",
        "?? src/__pycache__/x.pyc",
    ];
    assert_eq!(garden.status(), left);
    garden.run(&["land"]).assert(0, &[]);
    let landed = garden.lines(&["ls-tree", "-r", "--name-only", "main-landed"]);
    assert!(
        landed.contains(&"package.json".to_owned())
            && !landed.iter().any(|path| path.contains("node_modules"))
    );
    // They do not keep the next run from starting, either.
    garden.run(&["mark", "reopen", "T001"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    let (garden, ended) = run(&["dist/**", "*.txt", "package.json"]);
    ended.assert(0, &["no step commits what tools have made"]);
    assert_eq!(garden.files_of("HEAD~4"), ["T001.txt", "dist/x.js", "package.json"]);
}
