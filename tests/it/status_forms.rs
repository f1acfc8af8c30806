//! The forms in which `git arborist status` prints tasks: filters, templates, drawings, and through the pager.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::cli::{PLAN, Story, arborist, git_with_commands};
use crate::support::garden::{Garden, one_task, plan};
use crate::support::repo::Repo;
use crate::support::shell::{Shell, Size};
use git_arborist::record::Outcome::{Fail, Pass};
use git_arborist::report::PLACEHOLDERS;
use serde_json::json;

/// T001 is complete, T003 has failed and blocks T004, and T002 has begun.
fn one_of_each() -> Repo {
    let story = Story::of(PLAN).whole("T001").implement("T003", 0, Fail).failed("T003");
    story.implement("T002", 0, Pass).test("T002", 0, Fail).told(200).0
}

#[test]
fn only_the_named_nodes_are_shown_with_what_is_above_them() {
    let repo = one_of_each();
    let expected = "\
my-project  1/4 complete  ████░░░░░░░░░░░░
stopped; next: T002 implement 2/5
└── phase2 API Layer (0/2, 1 failed)
    ├── ✗ T003 Build endpoints (failed)
    └── · T004 Add tests (blocked by T003)
";
    assert_eq!(arborist(repo.path(), &["status", "phase2"]).answer(), expected);
    let said = arborist(repo.path(), &["status", "T001", "T004"]).answer();
    assert!(
        said.contains("✓ T001 Create schema (complete, untested)") && !said.contains("T002 Add"),
        "{said}"
    );
    let said = arborist(repo.path(), &["status", "phse2"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("there is no node phse2") && said.err.contains("phase2"), "{}", said.err);
}

#[test]
fn filters_select_the_tasks_that_any_of_them_fits() {
    let repo = one_of_each();
    let ids = |args: &[&str]| arborist(repo.path(), &[&["status", "--format", "%(id)"], args].concat());
    for (args, expected) in [
        (&["--ready"][..], "T002\n"),
        (&["--failed"], "T003\n"),
        (&["--blocked"], "T004\n"),
        (&["--active"], "T002\n"),
        (&["--failed", "--blocked"], "T003\nT004\n"),
        (&["phase1"], "T001\nT002\n"),
        (&["phase2", "--blocked", "--ready"], "T004\n"),
    ] {
        assert_eq!(ids(args).answer(), expected, "{args:?}");
    }
    let said = ids(&["phase1", "--failed", "--blocked"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert_eq!(said.err, "No task below phase1 has failed or is blocked.\n");
    let said = arborist(repo.path(), &["status", "T001", "--ready", "--json"]);
    assert_eq!(said.code, 1);
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&document["tasks"], &document["counts"]["total"]), (&json!([]), &json!(4)));
    let document = arborist(repo.path(), &["status", "--failed", "--json"]).json();
    assert_eq!(document["tasks"].as_array().unwrap().len(), 1);
}

#[test]
fn a_template_prints_a_line_for_each_task() {
    let repo = one_of_each();
    let said = |args: &[&str]| arborist(repo.path(), &[&["status"], args].concat());
    let line = "%(id) %(state) %(name) %(attempt) %(phase) 100%% %(next)";
    assert_eq!(
        said(&["--format", line]).answer(),
        "T001 complete Create schema  phase1 100% \n\
         T002 testing Add migrations 1 phase1 100% implement 2/5\n\
         T003 failed Build endpoints  phase2 100% \n\
         T004 pending Add tests  phase2 100% implement 1/5\n"
    );
    assert_eq!(said(&["--format", "%(id)", "-z", "phase1"]).answer(), "T001\0T002\0");
    assert_eq!(
        said(&["--format", "%(id)%x09%(attempts)%n", "T001", "T004"]).answer(),
        "T001\t1\n\nT004\t0\n\n"
    );
    let all: Vec<String> =
        PLACEHOLDERS.iter().map(|placeholder| format!("%({})", placeholder.name)).collect();
    let line = said(&["--format", &all.join("|"), "T002"]).answer();
    assert_eq!(line.matches('|').count(), PLACEHOLDERS.len() - 1, "{line}");
    for (template, words) in [
        ("%(nmae)", "there is no placeholder %(nmae) for --format.\nDid you mean %(name)?"),
        ("100%", "`%` in --format means nothing"),
        ("%(id", "`%(id` in --format means nothing"),
        ("%q", "`%q` in --format means nothing"),
    ] {
        let said = said(&["--format", template]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{template}");
        assert!(said.err.contains(words), "{template}: {}", said.err);
    }
}

#[test]
fn forms_that_exclude_each_other_are_refused() {
    let repo = one_of_each();
    for args in [
        &["--json", "--dot"][..],
        &["--dot", "--mermaid"],
        &["--short", "--json"],
        &["--short", "T001"],
        &["--short", "--failed"],
        &["--watch", "--json"],
        &["--watch", "--format", "%(id)"],
        &["--json", "--plain"],
        &["--json", "--all"],
        &["-z"],
    ] {
        let said = arborist(repo.path(), &[&["status"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
    }
}

/// A plan whose names are as bad as names can be.
fn hostile() -> Repo {
    let name = r##"a "b" \ <script>alert(1)</script> `c` [d] {e} | f; end #quot; %% --> $x ~ ü 日本"##;
    let tests = json!([{"type": "unit", "command": "true"}]);
    let nodes = json!({
        "end": {"id": "end", "name": name, "children": ["T1", "graph"]},
        "T1": {"id": "T1", "name": name, "parent": "end", "test_commands": tests},
        "graph": {"id": "graph", "name": name, "parent": "end", "depends_on": ["T1"], "test_commands": tests},
        "subgraph": {"id": "subgraph", "name": name, "children": ["T2"], "depends_on": ["end"]},
        "T2": {"id": "T2", "name": name, "parent": "subgraph", "test_commands": tests},
    });
    Story::of(&json!({"spec_id": name, "nodes": nodes}).to_string()).whole("T1").told(0).0
}

#[test]
fn graphviz_draws_every_task_and_every_dependency_whatever_their_names() {
    let repo = hostile();
    let said = arborist(repo.path(), &["status", "--dot"]).answer();
    assert!(said.contains(r#""end""#) || said.contains(r#""cluster_end""#), "{said}");
    let Ok(mut dot) = Command::new("dot").arg("-Tplain").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    else {
        eprintln!("skipped: there is no dot");
        return;
    };
    dot.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    let output = dot.wait_with_output().unwrap();
    assert!(output.status.success(), "{said}");
    let drawn = String::from_utf8(output.stdout).unwrap();
    let first = |kind: &str| -> BTreeSet<String> {
        let lines = drawn.lines().filter_map(|line| line.strip_prefix(kind));
        lines
            .map(|line| {
                line.split(' ').take(if kind == "edge " { 2 } else { 1 }).collect::<Vec<_>>().join(">")
            })
            .collect()
    };
    let nodes: BTreeSet<String> = ["T1", "T2", "graph"].map(str::to_owned).into();
    assert_eq!(
        first("node ").iter().map(|id| id.trim_matches('"').to_owned()).collect::<BTreeSet<_>>(),
        nodes
    );
    assert_eq!(first("edge ").len(), 2, "{drawn}");
}

#[test]
fn mermaid_gets_nothing_but_plain_text_from_names() {
    let repo = hostile();
    let said = arborist(repo.path(), &["status", "--mermaid"]).answer();
    assert!(said.starts_with("flowchart LR\n"), "{said}");
    for line in said.lines().filter(|line| line.contains('"')) {
        let label = line.split('"').collect::<Vec<_>>();
        assert_eq!(label.len(), 3, "one pair of quotation marks: {line}");
        let text = label[1].replace("<br/>", "");
        assert!(!text.contains(['<', '>', '`', '[', '{', '|', '\\']), "{line}");
    }
    assert!(
        said.contains("  n0 --> n3\n") && said.contains("    n1 --> n2\n") || said.contains("  n1 --> n2\n"),
        "{said}"
    );
    let only = arborist(repo.path(), &["status", "--mermaid", "T2"]).answer();
    assert!(only.contains("n4[") && !only.contains("n1[") && !only.contains("-->"), "{only}");
}

const SIZE: Size = Size { columns: 80, rows: 24 };

/// A plan that does not fit on a screen.
fn long() -> Garden {
    let rows: Vec<String> = (1..=60).map(|number| format!("T{number:03}")).collect();
    let rows: Vec<_> = rows.iter().map(|id| (id.as_str(), "", &[][..], &["true"][..])).collect();
    Garden::new(&plan(&rows))
}

#[test]
fn on_a_terminal_the_pager_of_git_gets_the_answer() {
    let garden = long();
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    let ask = |command: &str, mark: &str| {
        terminal.line(&format!("clear; {command}; echo {mark} $?"));
        terminal.wait_for(&format!("\n{mark} "))
    };
    let paged = "sed 's/^/paged: /' | head -3; exit 3";
    garden.config("core.pager", paged);
    let screen = ask("git arborist status", "one");
    assert!(screen.contains("paged: trial") && screen.contains("\none 0"), "{screen}");
    let screen = ask("git arborist show T001", "two");
    assert!(screen.contains("paged: T001 Do T001") && screen.contains("\ntwo 0"), "{screen}");
    let screen = ask("git arborist report", "report");
    assert!(screen.contains("paged: **0 of 60 tasks") && screen.contains("\nreport 0"), "{screen}");
    for (mark, command) in [
        ("three", "git --no-pager arborist status T001"),
        ("four", "git arborist status --no-pager T001"),
        ("five", "GIT_PAGER= git arborist status T001"),
        ("six", "git arborist status T001 | cat"),
        ("seven", "git -c pager.arborist=false arborist status T001"),
        ("eight", "git arborist status --short"),
        ("nine", "git arborist status --json | head -1"),
        ("page", "git arborist report --format html | head -c 9; echo"),
        ("file", "git arborist report -o report.md"),
    ] {
        let screen = ask(command, mark);
        assert!(!screen.contains("paged"), "{command}: {screen}");
    }
    garden.config("core.pager", "no-such-pager");
    let screen = ask("git arborist status T001", "ten");
    assert!(screen.contains("T001 Do T001") && screen.contains("\nten 0"), "{screen}");
    // The answer is no, whatever the pager says.
    garden.config("core.pager", "true");
    let screen = ask("git arborist status --failed", "eleven");
    assert!(screen.contains("No task has failed.") && screen.contains("\neleven 1"), "{screen}");
}

#[test]
fn less_is_only_there_if_the_answer_does_not_fit() {
    if Command::new("less").arg("--version").output().is_err() {
        eprintln!("skipped: there is no less");
        return;
    }
    let garden = long();
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    terminal.line("clear; git arborist status T001; echo short $?");
    terminal.wait_for("\nshort 0");
    // git would end with the signal itself, after us.
    terminal.line("clear; git-arborist status");
    let screen = terminal.wait_until("the first page", |screen| screen.lines().last() == Some(":"));
    assert!(screen.contains("trial  0/60 complete"), "{screen}");
    // Ctrl-C is for the pager.
    terminal.key("C-c");
    // What is typed while less handles the signal may be lost.
    let looks = Cell::new(0u32);
    terminal.wait_until("the prompt", |screen| {
        if screen.lines().last() == Some(":") && looks.replace(looks.get() + 1).is_multiple_of(50) {
            terminal.key("q");
        }
        screen.trim_end().ends_with('$')
    });
    terminal.key("C-u");
    terminal.line("echo long $?");
    let screen = terminal.wait_for("\nlong 0");
    assert!(screen.contains("T010 Do T010"), "what was shown stays: {screen}");
}

#[test]
fn a_pager_that_git_has_started_gets_colours() {
    let garden = Garden::new(&one_task(&["true"]));
    let mut command = git_with_commands(&garden.top(), &["arborist", "status"]);
    let output =
        command.env("GIT_PAGER_IN_USE", "true").env("TERM", "xterm").env("COLUMNS", "40").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("\x1b["), "{said}");
    assert!(said.lines().all(|line| !line.contains("T001") || line.chars().count() < 80), "{said}");
}
