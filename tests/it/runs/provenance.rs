//! Tests runs beside programs that write down which agent has done the work.

use crate::support::garden::{Garden, one_task};

fn garden() -> Garden {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.run(&["hooks", "install"]).assert(0, &[]);
    garden
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
