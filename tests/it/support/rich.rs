//! One history with a task in every state, and with names that are long, wide or both.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use git_arborist::record::Outcome::{Fail, Pass};
use serde_json::{Value, json};

use super::cli::{Said, Story, git_with_commands};
use super::repo::Repo;

/// How long ago it happened, in seconds: three days and some hours.
const AGO: i64 = 3 * 24 * 3600 + 5 * 3600;

fn task(id: &str, parent: &str, name: &str, after: &[&str]) -> (String, Value) {
    let node = json!({
        "id": id, "name": name, "parent": parent, "depends_on": after,
        "description": format!("{name}. What is there already stays as it is, and whoever reads it finds the reason in the code."),
        "test_commands": [{"type": "unit", "command": format!("cargo test --quiet {}", id.to_lowercase())}],
    });
    (id.to_owned(), node)
}

fn parent(id: &str, above: Option<&str>, name: &str, children: &[&str]) -> (String, Value) {
    let mut node = json!({"id": id, "name": name, "children": children});
    if let Some(above) = above {
        node["parent"] = json!(above);
    }
    (id.to_owned(), node)
}

fn plan() -> String {
    let mut untested = task("U04", "usage", "Explain the first steps", &[]);
    untested.1["test_commands"] = json!([]);
    let nodes: serde_json::Map<String, Value> = [
        parent("base", None, "What was there before", &["B01", "B02"]),
        task("B01", "base", "Parse the configuration", &[]),
        task("B02", "base", "Print an error with its place", &["B01"]),
        parent("storage", None, "Storage: the schema, its migrations and everything that reads it", &["tables", "S04"]),
        parent("tables", Some("storage"), "Tables", &["S01", "S02", "S03"]),
        task("S01", "tables", "Create the schema", &[]),
        task("S02", "tables", "データベースの移行を追加し、古いスキーマから新しいスキーマへ安全に移す", &["S01"]),
        task(
            "S03",
            "tables",
            "Read the connection from the environment, a file in the home folder, and the command line, in this order",
            &[],
        ),
        task("S04", "storage", "Delete what nobody reads", &["S03"]),
        parent("api", None, "API 🌳", &["A01", "A02", "A03", "A04"]),
        task("A01", "api", "Serve requests over HTTP", &["S01"]),
        task("A02", "api", "Describe every endpoint with an example that is run by the tests", &["A01"]),
        task("A03", "api", "Choose the licence of the client", &[]),
        task("A04", "api", "Limit requests", &[]),
        parent("usage", None, "Usage", &["U01", "U02", "U03", "U04"]),
        task("U01", "usage", "Translate the manual", &[]),
        task("U02", "usage", "Order the domain", &[]),
        task("U03", "usage", "Show a page for each error", &[]),
        untested,
    ]
    .into_iter()
    .collect();
    json!({"spec_id": "orchard", "nodes": nodes, "root_ids": ["base", "storage", "api", "usage"]}).to_string()
}

/// The phase `base` is landed; S01 is proven, S02 tested, S03 rejected twice, S04 waits; A01 has failed and blocks A02, A03 waits for an
/// answer, A04 was only begun; U01 is skipped, U02 vouched for, U03 complete and opened again, U04 open and untested.
pub(crate) fn rich() -> Repo {
    let proven = |story: Story, id: &str| {
        story.implement(id, 0, Pass).proven(id, 0).review(id, 0, Pass).complete_proven(id)
    };
    let story = Story::of(&plan());
    let story = proven(story, "S01").whole("S02").rejected_twice("S03");
    let story = story.implement("A01", 0, Pass).test("A01", 0, Fail).implement("A01", 1, Fail).failed("A01");
    let story = story.asked("A03", "Which licence should the client have: that of the server, or MIT?");
    let (repo, ids) = story.implement("A04", 0, Pass).whole("U03").told(AGO);
    let landed = format!(
        "Read and check the configuration\n\nArborist-Run: {}..{}\nArborist-Complete: B01 B02\n",
        ids[0],
        "2".repeat(40)
    );
    repo.git(&["branch", "-q", "run"]);
    repo.git(&["reset", "-q", "--hard", &ids[0].to_string()]);
    at_that_time(repo.path(), &["commit", "-q", "--allow-empty", "-m", &landed]);
    repo.git(&["branch", "-q", "start"]);
    repo.git(&["switch", "-q", "run"]);
    at_that_time(repo.path(), &["merge", "-q", "-m", "Bring in what was landed", "start"]);
    for decision in [
        &["skip", "U01", "-m", "Nobody has asked for it."][..],
        &["complete", "U02", "-m", "It is ordered."],
        &["reopen", "U03", "-m", "It shows the wrong page for a missing file, and none for a folder."],
    ] {
        at_that_time(repo.path(), &[&["arborist", "mark"], decision].concat());
    }
    repo
}

/// Runs git as if it were the time of the history.
fn at_that_time(folder: &Path, args: &[&str]) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let time = format!("{} +0000", i64::try_from(now).unwrap() - AGO + 60);
    let mut command = git_with_commands(folder, args);
    let said =
        Said::of(command.env("GIT_COMMITTER_DATE", &time).env("GIT_AUTHOR_DATE", &time).output().unwrap());
    assert_eq!(said.code, 0, "{args:?}: {}{}", said.out, said.err);
}

/// A text in which what differs from one time to another is replaced by something as long.
pub(crate) fn redacted(repo: &Repo, text: &str) -> String {
    let mut text = text.to_owned();
    let commits = repo.git(&["rev-list", "--reverse", "--topo-order", "--all"]);
    for (place, commit) in commits.lines().enumerate() {
        text = text.replace(commit, &format!("{place:040}")).replace(&commit[..7], &format!("{place:07}"));
    }
    // Those that `land --dry-run` would make are in no branch.
    let is_made = |line: &&str| {
        let id = line.split(' ').next().unwrap_or_default();
        let is_place = id.parse().is_ok_and(|place: usize| place < commits.lines().count());
        id.len() == 7 && !is_place && id.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let made: Vec<String> = text.lines().filter(is_made).map(|line| line[..7].to_owned()).collect();
    made.iter().for_each(|id| text = text.replace(id.as_str(), "fffffff"));
    let mut shown = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let form = ["dddd-dd-ddTdd:dd:dd", "dddd-dd-dd dd:dd:dd", "dddd-dd-dd dd:dd", "dddd-dd-dd"];
        let known = form.into_iter().find(|form| fits(rest, form));
        let taken = known.map_or(c.len_utf8(), str::len);
        shown.push_str(known.map_or(&rest[..taken], |form| &"2026-01-15T12:00:00"[..form.len()]));
        rest = &rest[taken..];
    }
    shown
}

/// Whether a text begins in this form, in which `d` is a digit.
fn fits(text: &str, form: &str) -> bool {
    let (text, form) = (text.as_bytes(), form.as_bytes());
    let fits = |(byte, form): (&u8, &u8)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form };
    text.len() >= form.len() && text.iter().zip(form).all(fits)
}
