//! Tests that a plan knows its source: what has changed there since is said wherever somebody looks at the run.

use crate::support::garden::{Ended, Garden};

const TASKS: &str = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Create a.txt\n- [ ] T002 Create b.txt\n";

fn built() -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.agent("");
    garden.write("specs/001-x/tasks.md", TASKS);
    garden.run(&["build", "--test-command", "true"]).assert(0, &[]);
    garden.commit("Plan");
    garden
}

/// What is said about the source, if anything is.
fn said(ended: &Ended) -> Option<String> {
    let lines = ended.stderr.lines().chain(ended.stdout.lines());
    let mut lines = lines.filter(|line| {
        line.contains("has changed since the plan was built") || line.contains("no commit shows that")
    });
    lines.next().map(|line| line.trim().to_owned())
}

#[test]
fn new_tasks_of_the_source_are_named_by_every_view_until_they_are_taken_in() {
    let garden = built();
    for args in [&["status"][..], &["doctor"], &["gardener", "--yes"], &["land", "--dry-run"]] {
        assert_eq!(said(&garden.run(args)), None, "{args:?}");
    }
    garden.write("specs/001-x/tasks.md", &format!("{TASKS}- [ ] T003 Create c.txt\n"));
    garden.commit("More to do");
    for args in [&["status"][..], &["doctor"], &["gardener", "--yes"], &["land", "--dry-run"]] {
        let ended = garden.run(args);
        let said = said(&ended).unwrap_or_else(|| panic!("{args:?}: {ended:?}"));
        assert!(
            said.contains("specs/001-x/tasks.md has changed since the plan was built: T003 is new"),
            "{said}"
        );
        let all = format!("{}{}", ended.stdout, ended.stderr);
        assert!(all.contains("`git arborist build --update`"), "{args:?}: {all}");
    }
    garden.run(&["build", "--update", "--commit"]).assert(0, &[]);
    assert_eq!(said(&garden.run(&["status"])), None);
    garden.run(&["gardener", "--yes"]).assert(0, &[]);
}

#[test]
fn only_tasks_count_and_the_command_that_is_named_makes_the_plan_current() {
    let garden = built();
    let rows = [
        (TASKS.replace('\n', "\r\n"), None),
        (TASKS.replace("# Tasks\n", "# Tasks\n\nSome words about them.\n"), None),
        (TASKS.replace("Create a.txt", "Write a.txt"), Some("T001 is renamed")),
        (TASKS.replace("- [ ] T002 Create b.txt\n", ""), Some("T002 is gone")),
        (
            TASKS.replace("- [ ] T002 Create b.txt\n", "- [ ] T003 Create c.txt\n"),
            Some("T003 is new, T002 is gone"),
        ),
        (TASKS.replace("[ ] T002", "[x] T002"), Some("T002 is ticked")),
    ];
    for (text, expected) in rows {
        garden.write("specs/001-x/tasks.md", &text);
        let found = said(&garden.run(&["status"]));
        match expected {
            None => assert_eq!(found, None, "{text}"),
            Some(words) => {
                assert!(found.as_deref().is_some_and(|found| found.contains(words)), "{words}: {found:?}");
            }
        }
    }
    let ticked = garden.run(&["status"]);
    assert!(ticked.stderr.contains("`git arborist mark complete T002 -m WHY`"), "{ticked:?}");
    garden.commit("Done by hand");
    garden.run(&["mark", "complete", "T002", "-m", "ticked in specs/001-x/tasks.md"]).assert(0, &[]);
    assert_eq!(said(&garden.run(&["status"])), None);
}

#[test]
fn a_source_that_is_gone_or_broken_is_no_news() {
    let garden = built();
    std::fs::remove_file(garden.top().join("specs/001-x/tasks.md")).unwrap();
    assert_eq!(said(&garden.run(&["status"])), None);
    garden.write("specs/001-x/tasks.md", "- [ ] T001 (depends on T009)\n");
    assert_eq!(said(&garden.run(&["status"])), None);
}
