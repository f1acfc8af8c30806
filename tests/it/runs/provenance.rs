//! Tests what commits say about the agents that have done the work.

use crate::support::garden::{Garden, one_task};

fn garden() -> Garden {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.run(&["hooks", "install"]).assert(0, &[]);
    garden
}

#[test]
fn commits_with_the_work_of_an_agent_get_the_trailer_that_the_user_wants() {
    let garden = garden();
    garden.config("arborist.attribution", "Assisted-by: {agent}/{model}");
    garden.run(&["gardener", "--model", "large"]).assert(0, &[]);
    let implement = garden.git(&["log", "-1", "--format=%(trailers:only)", "--grep=implement"]);
    assert!(implement.contains("Arborist-Runner: mine/large\n"), "{implement}");
    assert!(implement.trim_end().ends_with("\nAssisted-by: mine/large"), "one block: {implement}");
    let all = garden.git(&["log", "--format=%B"]);
    assert_eq!(all.matches("Assisted-by").count(), 1, "only where files were written: {all}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
    garden.run(&["status"]).assert(0, &[]);
}

#[test]
fn by_default_there_is_none_and_a_wrong_one_is_refused_at_once() {
    let garden = garden();
    for wrong in ["Arborist-Step: complete", "by {agent}", "Assisted-by: {who}"] {
        garden.config("arborist.attribution", wrong);
        garden.run(&["gardener"]).assert(2, &["arborist.attribution", "{agent} and {model}"]);
    }
    garden.git(&["config", "--unset", "arborist.attribution"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(!garden.git(&["log", "--format=%B"]).contains("Assisted-by"));
}

#[test]
fn the_runner_need_not_be_recorded_and_everything_still_works() {
    let garden = garden();
    garden.config("arborist.record.runner", "false");
    garden.agent("case $work in T001.implement.0) echo x > other; exit 0;; esac");
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(!garden.git(&["log", "--format=%B"]).contains("Arborist-Runner"));
    for args in [
        &["check", "--run", "--strict"][..],
        &["status"],
        &["status", "--json"],
        &["show", "T001"],
        &["stats"],
        &["stats", "--by", "runner"],
        &["report"],
        &["report", "--format", "html", "-o", "-"],
    ] {
        let ended = garden.run(args);
        assert_eq!(ended.status, 0, "{args:?}: {ended:#?}");
    }
}

#[test]
fn a_program_that_adds_notes_to_commits_is_not_in_the_way() {
    let garden = garden();
    garden.git(&["notes", "--ref=ai", "add", "-m", "before the run", "HEAD"]);
    // As git-ai does it, in place of git or in its hook.
    let notes = "git notes --ref=ai add -f -m authorship HEAD; mkdir -p .git/ai; echo x >> .git/ai/log";
    garden.program(&garden.top().join(".git/hooks/post-commit"), notes);
    garden.agent("git notes --ref=ai add -f -m checkpoint HEAD");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("refs/notes"), "{ended:#?}");
    assert_eq!(garden.lines(&["notes", "--ref=ai", "list"]).len(), 6, "all notes are there");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_git_that_is_wrapped_by_another_program_is_not_in_the_way() {
    let garden = garden();
    garden.git(&["notes", "--ref=ai", "add", "-m", "before the run", "HEAD"]);
    let real = garden.root().join("git/git").canonicalize().unwrap();
    std::fs::remove_file(garden.root().join("git/git")).unwrap();
    let wrapper = format!(
        "'{0}' \"$@\"; status=$?\nfor word; do\n  if [ \"$word\" = commit ] && [ $status = 0 ]; then\n    \
         '{0}' notes --ref=ai add -f -m authorship HEAD 2>&1\n  fi\ndone >/dev/null\nexit $status",
        real.display()
    );
    garden.program(&garden.root().join("git/git"), &wrapper);
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("refs/notes"), "{ended:#?}");
    assert!(garden.lines(&["notes", "--ref=ai", "list"]).len() >= 4);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}
