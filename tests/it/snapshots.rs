//! What people see of one history with a task in every state: each view on terminals of three widths, and in a pipe. The texts are in
//! `tests/it/snapshots`, and people have read them; `INSTA_UPDATE=always` writes them anew.

use crate::support::cli::{arborist, on_terminal};
use crate::support::panel::panel;
use crate::support::repo::Repo;
use crate::support::rich::{redacted, rich};

/// The widths of terminals.
const COLUMNS: [usize; 3] = [60, 80, 140];

/// The views, each with its name and what is said after `git arborist`.
const VIEWS: [(&str, &str); 16] = [
    ("status", "status"),
    ("status_all", "status --all"),
    ("status_short", "status --short"),
    ("status_nodes", "status storage --active --failed"),
    ("next", "next"),
    ("next_all", "next --all"),
    ("show_proven", "show S01"),
    ("show_rejected", "show S03"),
    ("show_failed", "show A01"),
    ("show_asked", "show A03"),
    ("show_landed", "show B01"),
    ("show_phase", "show storage"),
    ("report", "report"),
    ("check_run", "check --run"),
    ("land_dry_run", "land --dry-run --partial --branch landed"),
    ("pr_dry_run", "pr --dry-run --base start"),
];

fn shown(repo: &Repo, view: &str) -> String {
    let mut told = String::new();
    for columns in COLUMNS {
        let said = on_terminal(repo.path(), view, columns);
        told.push_str(&format!("=== {columns} columns, status {}\n{}\n", said.code, said.out));
    }
    let said = arborist(repo.path(), &view.split(' ').collect::<Vec<_>>());
    told.push_str(&format!("=== in a pipe, status {}\n{}", said.code, said.out));
    if !said.err.is_empty() {
        told.push_str(&format!("--- standard error\n{}", said.err));
    }
    redacted(repo, &told)
}

#[test]
fn every_view_looks_as_it_was_read() {
    let repo = rich();
    let remote = Repo::init(&["--bare"]);
    repo.git(&["remote", "add", "origin", remote.path().to_str().unwrap()]);
    repo.git(&["push", "-q", "origin", "start"]);
    let mut views: Vec<(&str, String)> =
        VIEWS.iter().map(|(name, view)| (*name, shown(&repo, view))).collect();
    let panels = COLUMNS.map(|columns| format!("=== {columns} columns\n{}\n", panel(repo.path(), columns)));
    views.push(("panel", redacted(&repo, &panels.concat())));
    for (name, text) in &views {
        insta::assert_snapshot!(*name, text);
    }
}
