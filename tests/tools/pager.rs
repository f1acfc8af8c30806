//! Tests which answers a pager shows, on a terminal.

use std::cell::Cell;

use crate::shell::{Shell, Size};
use crate::support::garden::{Garden, plan};
use crate::support::skip::has;

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
        ("four", "GIT_PAGER=cat git arborist status T001"),
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
    if !has("less") {
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
