//! Tests the commit-msg hook in real repositories: what it lets pass, what it refuses, and what it prints.

use std::fs;

use crate::support::sandbox::{Sandbox, step};

fn hooked() -> Sandbox {
    let sandbox = Sandbox::with_repo();
    sandbox.arborist(&["hooks", "install"]).ok();
    sandbox
}

#[test]
fn messages_of_people_pass_silently_and_unchanged() {
    let sandbox = hooked();
    for message in [
        "Fix the parser\n",
        "Arborist-Report trailer uses repo-relative paths.\n",
        "Clean up\n\nArborist-Result and Arborist-Test (with\nArborist-Test-Result) are no longer implemented\n",
        "task(s) run in parallel now\n",
    ] {
        let said = sandbox.commit(message).ok();
        assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "{message}");
        assert_eq!(sandbox.git(&["log", "-1", "--format=%B"]).out.trim_end(), message.trim_end());
        let file = sandbox.root().join("message");
        let before = fs::read(&file).unwrap();
        let mut hook = sandbox.command(&sandbox.repo(), ".git/hooks/commit-msg");
        sandbox.run(hook.arg(&file)).ok();
        assert_eq!(fs::read(&file).unwrap(), before);
    }
}

#[test]
fn a_block_that_git_would_not_see_is_refused_with_its_cause_and_a_remedy() {
    let sandbox = hooked();
    let message = step("T1", "implement", "pass") + "\nCo-authored-by: Bot <bot@example.com>\n";
    let said = sandbox.commit(&message).refused();
    for words in [
        "error[A001]: git will not see these Arborist trailers",
        "--> .git/COMMIT_EDITMSG:3:1",
        "because this line starts a new one",
        "git commit -eF .git/COMMIT_EDITMSG",
        "delete the blank line above line",
    ] {
        assert!(said.err.contains(words), "{words}\n{}", said.err);
    }
}

#[test]
fn levels_in_git_config_decide_what_the_hook_refuses() {
    let sandbox = hooked();
    sandbox.commit("task(T1): nothing else\n").refused();
    sandbox.git(&["config", "arborist.hook.level.A005", "off"]).ok();
    assert_eq!(sandbox.commit("task(T1): nothing else\n").ok().err, "");
    sandbox.git(&["config", "arborist.hook.level.A005", "warning"]).ok();
    assert!(sandbox.commit("task(T1): nothing else\n").ok().err.contains("warning[A005]"));
    sandbox.git(&["config", "color.ui", "always"]).ok();
    assert!(sandbox.commit("task(T1): nothing else\n").ok().err.contains("\x1b["));
}

#[test]
fn a_wrong_setting_is_reported_and_stops_no_commit() {
    let sandbox = hooked();
    sandbox.git(&["config", "arborist.hook.level.A999", "off"]).ok();
    let said = sandbox.commit(&step("T1", "implement", "pass")).ok();
    assert!(said.err.contains("`a999`") && said.err.contains("is not a rule"), "{said:?}");
}

#[test]
fn if_the_program_is_missing_the_hook_prints_one_line_and_lets_the_commit_pass() {
    let sandbox = hooked();
    sandbox.write("file", "x");
    sandbox.git(&["add", "-A"]).ok();
    let mut git = sandbox.command(&sandbox.repo(), "git");
    git.env("PATH", std::env::join_paths(sandbox.path_without_us()).unwrap());
    let said = sandbox.run(git.args(["commit", "-q", "-m", "task(T1): broken"])).ok();
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    assert!(said.err.contains("not on PATH"));
}

#[test]
fn the_hook_refuses_a_step_that_an_agent_commits() {
    let sandbox = hooked();
    sandbox.write("file", "x");
    sandbox.git(&["add", "-A"]).ok();
    let agent = |message: &str| {
        let mut git = sandbox.command(&sandbox.repo(), "git");
        git.envs([("ARBORIST_TASK", "T1"), ("ARBORIST_STEP", "implement")]);
        sandbox.run(git.args(["commit", "-q", "--allow-empty", "-m", message]))
    };
    assert!(agent(&step("T1", "implement", "pass")).refused().err.contains("A022"));
    assert!(agent("task(T1): done").refused().err.contains("A022"));
    agent("Add the parser").ok();
}

#[test]
fn the_hook_names_settings_that_make_git_read_other_trailers() {
    let sandbox = hooked();
    sandbox.write("file", "x");
    sandbox.git(&["add", "-A"]).ok();
    sandbox.git(&["commit", "-q", "-m", "first"]).ok();
    assert_eq!(sandbox.commit(&step("T1", "complete", "pass")).ok().err, "");
    sandbox.git(&["config", "trailer.x.key", "Arborist-Test-Type"]).ok();
    assert!(sandbox.commit(&step("T2", "implement", "pass")).ok().err.contains("W108"));
    sandbox.git(&["config", "--unset", "trailer.x.key"]).ok();
    sandbox.git(&["config", "trailer.separators", "="]).ok();
    assert!(sandbox.commit(&step("T2", "implement", "pass")).ok().err.contains("W108"));
}

#[test]
fn rewriting_a_step_prints_how_to_undo_it() {
    let sandbox = hooked();
    sandbox.commit("first\n").ok();
    sandbox.commit(&step("T1", "implement", "pass")).ok();
    let old = sandbox.git(&["rev-parse", "--short=7", "HEAD"]).out;
    let said = sandbox.git(&["commit", "-q", "--amend", "-m", "something else"]).ok();
    assert!(said.err.contains(&format!("git reset --soft {}", old.trim())), "{said:?}");
    sandbox.git(&["reset", "-q", "--keep", old.trim()]).ok();
    sandbox.commit("a person's\n").ok();
    assert_eq!(sandbox.git(&["commit", "-q", "--amend", "-m", "another person's"]).ok().err, "");
}

#[test]
fn a_rebase_that_leaves_a_step_as_it_was_does_not_count_it_as_rewritten() {
    let sandbox = hooked();
    sandbox.commit("first\n").ok();
    sandbox.commit(&step("T1", "implement", "pass")).ok();
    sandbox.commit(&step("T2", "implement", "pass")).ok();
    let kept = sandbox.git(&["rev-parse", "--short=7", "HEAD~"]).out;
    let reword =
        "case \"$1\" in *todo) sed -i '2s/^pick/reword/' \"$1\";; *) sed -i '1s/$/ once more/' \"$1\";; esac";
    let editor = format!("{reword}\nexport GIT_SEQUENCE_EDITOR");
    let said = sandbox.git_with_editor(&editor, &["rebase", "-q", "-i", "HEAD~2"]).ok();
    assert!(said.err.contains("1 step(s) were rewritten"), "{said:?}");
    assert!(!said.err.contains(kept.trim()), "{said:?}");
}
