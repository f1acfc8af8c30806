//! Tests that a push of an agent fails where that can be, and is noticed where it does not fail; a fetch is no push.

use crate::support::garden::{Garden, one_task, plan, side_by_side};

/// git without the settings that an agent gets.
const AROUND: &str = "GIT_CONFIG_COUNT=0 git";

/// What an agent makes before it pushes.
const COMMITS: &str = "echo more > more.txt; git add more.txt; git commit -q -m More";

/// A garden whose branch is in another repository, which is the remote `origin`.
fn garden(plan: &serde_json::Value, implement: &str) -> Garden {
    let garden = Garden::new(plan);
    garden.git(&["init", "-q", "--bare", "--initial-branch=main", "../origin.git"]);
    let address = garden.root().join("origin.git").display().to_string();
    garden.git(&["remote", "add", "origin", &address]);
    garden.git(&["push", "-q", "origin", "main"]);
    garden.agent(&format!("case $work in *.implement.0) {implement};; esac"));
    garden
}

fn one(implement: &str) -> Garden {
    garden(&one_task(&["test -f T001.txt"]), implement)
}

/// What the implement step of a task found.
fn findings(garden: &Garden, task: &str) -> String {
    garden.message(&format!("task({task}): implement"))
}

#[test]
fn a_push_by_name_or_path_is_a_finding_of_its_step_and_the_run_goes_on() {
    let pushes = [
        (format!("{AROUND} push -q origin HEAD:refs/heads/x"), "refs/remotes/origin/x ("),
        (format!("{COMMITS}; {AROUND} push -q origin HEAD:main"), "refs/remotes/origin/main ("),
        (
            format!(
                "{COMMITS}; {AROUND} push -q origin HEAD:main; git reset -q --soft HEAD~1; git commit -qm Again"
            ),
            "origin/main (",
        ),
        (format!("{COMMITS}; git push -q ../origin.git HEAD:y"), "refs/heads/y of origin ("),
        (format!("{COMMITS}; git tag v9; git push -q ../origin.git v9"), "refs/tags/v9 of origin ("),
    ];
    side_by_side(pushes, |(push, place)| {
        let garden = one(&push);
        let ended = garden.run(&["gardener"]);
        ended.assert(
            0,
            &["While the runner was at work, commits were pushed from here, which no step may do", place],
        );
        let found = findings(&garden, "T001");
        assert!(found.contains("warning[pushed]: ") && found.contains(place), "{push}: {found}");
        assert!(garden.trailers("Arborist-Findings").iter().any(|found| found.contains("pushed")), "{push}");
        assert!(!garden.message("task(T001): tests pass").contains("warning[pushed]"), "{push}");
    });
}

#[test]
fn fetches_and_commits_without_a_push_are_no_finding() {
    let others = "git clone -q ../origin.git ../other; git -C ../other commit -q --allow-empty -m Theirs; git -C ../other push -q";
    let acts = [
        format!("{others}; git fetch -q"),
        format!("{others}; git pull -q --ff-only origin main"),
        format!("{others}; git pull -q --ff-only ../origin.git main"),
        format!("{others}; {COMMITS}; git pull -q --no-rebase --no-edit origin main"),
        format!("{others}; {COMMITS}; git fetch -q --prune origin '+refs/heads/*:refs/remotes/origin/*'"),
        COMMITS.to_owned(),
    ];
    side_by_side(acts, |act| {
        let garden = one(&act);
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &[]);
        assert!(!ended.stderr.contains("pushed"), "{act}: {ended:?}");
        assert!(!findings(&garden, "T001").contains("pushed"), "{act}");
    });
}

#[test]
fn a_push_to_a_remote_fails_and_one_to_a_repository_of_its_own_does_not() {
    let script = "git push -q origin HEAD:x 2> \"$ROOT/said\"; git push -q fork HEAD:x 2>> \"$ROOT/said\"
        git init -q --bare ../own.git; git push -q ../own.git HEAD:x; git config user.nickname > \"$ROOT/nick\"
        git clone -q . ../clone; git -C ../clone push -q origin HEAD:z";
    let garden = one(script);
    garden.git(&["config", "remote.fork.url", "https://example.invalid/fork.git"]);
    garden.git(&["config", "remote.fork.pushurl", "git@example.invalid:fork.git"]);
    let mut command = garden.arborist(&["gardener"]);
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "user.nickname");
    command.env("GIT_CONFIG_VALUE_0", "Nick");
    garden.finish(command).assert(0, &[]);
    let read = |name: &str| std::fs::read_to_string(garden.root().join(name)).unwrap();
    assert_eq!(read("said").matches("agents-must-not-push/").count(), 2, "{}", read("said"));
    assert_eq!(
        read("nick"),
        "",
        "settings that are passed to a program do not reach agents, as without a remote"
    );
    assert_eq!(garden.lines(&["ls-remote", "--heads", "../origin.git"]).len(), 1);
    assert_eq!(garden.lines(&["ls-remote", "--heads", "../own.git"]).len(), 1);
    assert!(garden.git(&["branch", "--list"]).contains(" z"), "its own clones push here");
    // People and the program itself push as before.
    garden.git(&["push", "-q", "origin", "HEAD:main"]);
}

#[test]
fn a_push_to_an_address_that_is_also_fetched_fails_and_the_fetch_does_not() {
    let script = "for remote in origin both; do git push -q $remote HEAD:x; git fetch -q $remote && echo fetched; done > \"$ROOT/said\" 2>&1";
    let garden = one(script);
    let address = garden.root().join("origin.git").display().to_string();
    // The addresses for pushes are that for fetches, and the beginning of it.
    garden.git(&["config", "remote.origin.pushurl", &address]);
    garden.git(&["remote", "add", "both", &address]);
    garden.git(&["config", "remote.both.pushurl", address.strip_suffix(".git").unwrap()]);
    garden.run(&["gardener"]).assert(0, &[]);
    let said = std::fs::read_to_string(garden.root().join("said")).unwrap();
    assert_eq!(said.matches("agents-must-not-push/").count(), 2, "{said}");
    assert_eq!(said.matches("fetched").count(), 2, "{said}");
    assert_eq!(garden.lines(&["ls-remote", "--heads", "../origin.git"]).len(), 1);
}

#[test]
fn the_hook_refuses_a_push_of_a_step_and_of_nobody_else() {
    let garden =
        one(&format!("{AROUND} push -q origin HEAD:x 2> \"$ROOT/said\" || echo refused >> \"$ROOT/said\""));
    garden.run(&["hooks", "install"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    let said = std::fs::read_to_string(garden.root().join("said")).unwrap();
    assert!(said.contains("a step must not push") && said.ends_with("refused\n"), "{said}");
    assert_eq!(garden.lines(&["ls-remote", "--heads", "../origin.git"]).len(), 1);
    garden.git(&["push", "-q", "origin", "HEAD:main"]);
}

#[test]
fn a_push_in_one_slot_is_a_finding_of_its_task_alone() {
    let tree = plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &[], &["test -f T002.txt"]),
    ]);
    // Both wait for the push.
    let garden = garden(
        &tree,
        &format!(
            "if test $ARBORIST_TASK = T001; then while test ! -e \"$ROOT/begun\"; do sleep 0.05; done
             {COMMITS}; {AROUND} push -q origin HEAD:x; touch \"$ROOT/pushed\"
             else touch \"$ROOT/begun\"; while test ! -e \"$ROOT/pushed\"; do sleep 0.05; done; fi"
        ),
    );
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert!(findings(&garden, "T001").contains("warning[pushed]: "));
    assert!(!findings(&garden, "T002").contains("pushed"));
}

#[test]
fn the_second_attempt_does_not_repeat_the_finding_of_the_first() {
    let garden = one(&format!("{COMMITS}; {AROUND} push -q origin HEAD:x; exit 0"));
    garden.run(&["gardener"]).assert(0, &[]);
    let found: Vec<String> = garden.lines(&["log", "--format=%s", "--grep=warning.pushed"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(garden.message("task(T001): implement").contains("T001"));
}

#[test]
fn a_push_of_a_killed_step_is_named_by_the_next_run() {
    let garden = one(&format!(
        "{COMMITS}; {AROUND} push -q origin HEAD:x; echo $$ > \"$ROOT/pid\"; : > \"$ROOT/started\"; while :; do sleep 0.05; done"
    ));
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    garden.kill_with_agent(running);
    garden.agent("");
    garden.run(&["gardener"]).assert(
        0,
        &["commits were pushed from here", "refs/remotes/origin/x (", "Or they were pushed since then."],
    );
}
