//! Tests that browsers and the reader of forges show what `git arborist report` prints as it is meant.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::cli::arborist;
use crate::support::repo::{command, piped, text};
use crate::support::reports::{every_finding, hostile, unfinished};
use crate::support::skip::{has, missing};

#[test]
fn the_reader_of_forges_shows_a_body_as_it_is_meant() {
    if !has("cmark-gfm") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for repo in [every_finding(), hostile(12)] {
        let body = arborist(repo.path(), &["report"]).answer();
        let mut program = command(folder.path(), "cmark-gfm");
        program.args(["--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter"]);
        let html = text(piped(program, &body));
        for harm in ["<a ", "<img", "<script", "<h1", "<h2", "<em>", "<svg", "<li><p>"] {
            assert!(!html.contains(harm), "{harm}: {html}");
        }
        assert_eq!(html.matches("<table>").count(), 1, "{html}");
        assert_eq!(html.matches("<details>").count(), html.matches("</details>").count());
        assert!(html.contains("<p>Arborist-Complete: "), "{html}");
    }
}

#[test]
fn a_page_about_an_ordinary_run_or_a_hostile_one_has_no_fault_in_a_browser() {
    for repo in [unfinished(), hostile(100)] {
        look_in_a_browser(&arborist(repo.path(), &["report", "--format", "html"]).answer());
    }
}

/// Opens a page in headless Chromium, if there is one: `tests/page/run`.
fn look_in_a_browser(page: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/run");
    let ended = Command::new(script).arg(&file).env("SHORT", "1").output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    if let Some(reason) = said.strip_prefix("skipped: ") {
        missing(reason.trim_end());
    }
    assert!(ended.status.success(), "{said}");
}
