//! Tests malicious agents and repositories (rows S). This is not a sandbox, but nothing that they do goes unnoticed,
//! and we run none of their programs.

use std::fs;
use std::path::Path;

use super::configuration::canaries;
use super::{STEPS, plain, run_damaged};
use crate::support::garden::{Garden, one_task, programs, side_by_side};

/// Runs a plan whose implementer runs this; it must be stopped for safety.
#[track_caller]
fn stopped(script: &str, words: &[&str]) -> Garden {
    // With a test, more is looked at after the agent.
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&format!("touch \"$ROOT/began\"\n{script}"));
    let ended = garden.start(garden.arborist(&["gardener"])).wait();
    ended.assert(6, words);
    assert!(garden.root().join("began").exists());
    garden
}

/// Writes a program that leaves a canary behind when it is run.
const EVIL: &str = r#"printf '#!/bin/sh\ntouch "%s/canary"\n' "$ROOT" > evil; chmod +x evil;"#;

#[test]
fn s01_settings_of_an_agent_are_noticed_before_git_obeys_them() {
    let keys = [
        "core.fsmonitor",
        "core.hooksPath",
        "filter.x.clean",
        "diff.external",
        "alias.status",
        "gpg.program",
    ];
    side_by_side(keys, |key| {
        let garden = stopped(
            &format!("{EVIL} git config {key} \"$PWD/evil\"; echo '* filter=x diff=x' > .gitattributes"),
            &["while the runner was at work", &key.to_lowercase(), ".git/config"],
        );
        assert_eq!(canaries(garden.root()), [""; 0], "{key}");
        assert_eq!(garden.subjects(), [""; 0]);
    });
}

#[test]
fn s01_changes_in_included_files_and_settings_of_the_user_are_noticed_too() {
    let ways: [(&str, &str); 4] = [
        ("an included file", "git config -f team.gitconfig core.fsmonitor \"$PWD/evil\""),
        ("a new inclusion", "git config -f new core.fsmonitor \"$PWD/evil\"; git config include.path ../new"),
        (
            "the user's file",
            "git config --global core.hooksPath \"$PWD/hooks\"; mkdir hooks; mv evil hooks/pre-commit",
        ),
        ("the work tree's file", "git config --worktree core.fsmonitor \"$PWD/evil\""),
    ];
    side_by_side(ways, |(way, script)| {
        let garden = plain();
        garden.write("team.gitconfig", "[a]\n");
        garden.commit("Settings of the team");
        garden.config("include.path", "../team.gitconfig");
        garden.config("extensions.worktreeConfig", "true");
        garden.agent(&format!("{EVIL} {script}"));
        let mut command = garden.arborist(&["gardener"]);
        command.env_remove("GIT_CONFIG_GLOBAL");
        let ended = garden.start(command).wait();
        ended.assert(6, &["settings that decide which programs run", "core."]);
        assert_eq!(canaries(garden.root()), [""; 0], "{way}");
    });
}

#[test]
fn s01_settings_in_a_conditionally_included_file_are_noticed_before_the_condition_is_true() {
    let ways: [(&str, &str, &str); 5] = [
        ("onbranch:release", "later", "git config -f ../later core.hooksPath \"$PWD/hooks\""),
        ("gitdir:/elsewhere/", "later", "git config -f ../later alias.st '!sh evil'"),
        (
            "hasconfig:remote.*.url:https://example.com/**",
            "later",
            "git config -f ../new filter.x.clean ./evil; mv ../new ../later",
        ),
        ("onbranch:release", "inner", "git config -f ../inner core.fsmonitor \"$PWD/evil\""),
        ("onbranch:release", "later", "rm ../later"),
    ];
    side_by_side(ways, |(condition, file, script)| {
        let garden = plain();
        let path = |name: &str| garden.root().join(name).display().to_string();
        fs::write(garden.root().join("later"), "[core]\n\tpager = less\n[include]\n\tpath = inner\n")
            .unwrap();
        garden.config(&format!("includeIf.{condition}.path"), &path("later"));
        garden.agent(&format!("{EVIL} {script}"));
        let words = "files that git includes under a condition";
        garden.run(&["gardener"]).assert(6, &[words, "while the runner was at work", &path(file)]);
        assert_eq!(canaries(garden.root()), [""; 0], "{script}");
        // It may have been the user.
        garden.agent("");
        garden.run(&["gardener"]).assert(0, &[]);
    });
}

#[test]
fn s01_settings_that_run_no_program_in_a_conditionally_included_file_do_not_end_the_run() {
    let garden = plain();
    let later = garden.root().join("later");
    garden.config("includeIf.onbranch:release.path", &later.display().to_string());
    garden.agent("git config -f ../later user.name B; echo '# a comment' >> ../later");
    garden.run(&["gardener"]).assert(0, &[]);
    fs::write(&later, "[broken").unwrap();
    garden.forget_history();
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn s01_settings_of_a_submodule_are_noticed_before_git_looks_into_it() {
    let ways = [
        "git -C sub config core.fsmonitor \"$PWD/evil\"",
        "cp -r .git/modules/sub ../elsewhere; git config -f ../elsewhere/config core.fsmonitor \"$PWD/evil\"
         echo \"gitdir: $ROOT/elsewhere\" > sub/.git",
        "git config -f .git/modules/sub/config.worktree filter.x.clean ./evil",
        "git init -q inner; git -C inner commit -q --allow-empty -m x; git add inner 2> /dev/null
         git -C inner config core.fsmonitor \"$PWD/evil\"",
    ];
    side_by_side(ways, |way| {
        let garden = plain();
        let make = "git init -q ../origin; git -C ../origin commit -q --allow-empty -m one
             git -c protocol.file.allow=always submodule --quiet add ../origin sub";
        assert!(garden.command("/bin/sh").args(["-ec", make]).status().unwrap().success());
        garden.commit("A submodule");
        garden.agent(&format!("{EVIL} {way}"));
        let ended = garden.run(&["gardener"]);
        ended.assert(
            6,
            &["settings that decide which programs run were changed while the runner was at work"],
        );
        assert_eq!(canaries(garden.root()), [""; 0], "{way}");
    });
}

#[test]
fn s01_a_submodule_that_an_agent_updates_does_not_end_the_run() {
    let garden = plain();
    let make = "git init -q ../origin; git -C ../origin commit -q --allow-empty -m one
         git -c protocol.file.allow=always submodule --quiet add ../origin sub; git submodule --quiet deinit -f sub";
    assert!(garden.command("/bin/sh").args(["-ec", make]).status().unwrap().success());
    garden.commit("A submodule");
    garden.agent("git -c protocol.file.allow=always submodule --quiet update --init");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn s01_a_configuration_that_git_can_no_longer_read_ends_the_run() {
    for (script, words) in [
        ("echo [broken >> .git/config", "cannot read its configuration"),
        ("mkfifo pipe; git config include.path ../pipe", "cannot read its configuration"),
    ] {
        stopped(script, &[words]);
    }
}

#[test]
fn s01_settings_that_run_no_program_are_named_and_the_run_continues() {
    let garden = plain();
    garden.agent(
        "git config branch.mine.remote origin; git config user.name B; git config --file .git/config core.pager cat
         git config --unset core.pager; echo '# a comment' >> .git/config",
    );
    let ended = garden.run(&["gardener"]);
    ended.assert(
        0,
        &["settings of git were changed while the runner was at work: branch.mine.remote, user.name"],
    );
    assert_eq!(ended.stderr.matches("user.name").count(), 1, "named once: {ended:#?}");
    assert_eq!(garden.steps(), STEPS);
}

#[test]
fn s02_hooks_and_attributes_of_an_agent_are_noticed_before_git_obeys_them() {
    for file in ["hooks/pre-commit", "info/attributes"] {
        let garden = stopped(
            &format!(
                "mkdir -p .git/hooks .git/info; printf '#!/bin/sh\\ntouch \"%s/canary\"\\n' \"$ROOT\" > .git/{file}; chmod +x .git/{file}"
            ),
            &["files that decide which programs run here were changed while the runner was at work", file],
        );
        assert_eq!(canaries(garden.root()), [""; 0], "{file}");
    }
}

#[test]
fn s02_attributes_of_the_user_that_an_agent_writes_are_noticed_before_git_obeys_them() {
    let write = "mkdir -p \"$(dirname \"$FILE\")\"; echo '* filter=x' >> \"$FILE\"";
    let places: [(&str, Option<&str>); 4] = [
        ("home/.config/git/attributes", None),
        ("xdg/git/attributes", Some("xdg")),
        ("own-attributes", None),
        ("work/.git/own-attributes", None),
    ];
    side_by_side(places, |(name, xdg)| {
        let garden = plain();
        let place = garden.root().join(name);
        if name.ends_with("own-attributes") {
            garden.config("core.attributesFile", &place.display().to_string());
        }
        garden.agent(&format!("FILE='{}'; {write}", place.display()));
        let mut command = garden.arborist(&["gardener"]);
        if let Some(xdg) = xdg {
            command.env("XDG_CONFIG_HOME", garden.root().join(xdg));
        }
        let ended = garden.finish(command);
        ended.assert(6, &["files that decide which programs run here were changed", "attributes"]);
        assert_eq!(garden.subjects(), [""; 0]);
    });
}

#[test]
fn s02_attributes_in_the_work_tree_belong_to_the_work_even_if_a_setting_names_the_file() {
    let garden = plain();
    garden.config("core.attributesFile", "team.attributes");
    garden.agent("echo '*.txt text' > team.attributes");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn s02_a_history_that_an_agent_cuts_off_ends_the_run_and_nothing_is_lost() {
    let garden = stopped(
        "test -e \"$ROOT/done\" || git rev-parse HEAD > .git/shallow; : > \"$ROOT/done\"",
        &["shallow was changed while the runner was at work", "the history is cut off", "remove it"],
    );
    fs::remove_file(garden.top().join(".git/shallow")).unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
}

#[test]
fn s02_a_history_that_becomes_whole_is_only_named() {
    let garden = plain();
    // This boundary is on no branch, so git removes it when it cleans up.
    let other = garden.git(&["commit-tree", "-p", "HEAD", "-m", "Other", "HEAD^{tree}"]);
    garden.write(".git/shallow", &format!("{}\n", other.trim()));
    garden.agent("rm -f .git/shallow");
    garden.run(&["gardener"]).assert(0, &["shallow changed while the runner was at work"]);
    assert_eq!(garden.steps(), STEPS);
}

#[test]
fn s02_a_changed_script_of_husky_is_noticed_before_git_runs_it() {
    let garden = plain();
    garden.write(".husky/pre-commit", "true\n");
    garden.commit("A script");
    let hook = garden.top().join(".husky/_/pre-commit");
    garden.program(&hook, r#". "$(dirname "$0")/h""#);
    garden.write(".husky/_/.gitignore", "*\n");
    garden.write(".husky/_/h", r#"sh -e "$(dirname "$(dirname "$0")")/$(basename "$0")""#);
    garden.config("core.hooksPath", ".husky/_");
    garden.agent("echo 'touch \"$ROOT/canary\"' >> .husky/pre-commit");
    let ended = garden.start(garden.arborist(&["gardener"])).wait();
    ended.assert(6, &["files that decide which programs run here", ".husky/pre-commit"]);
    assert_eq!(canaries(garden.root()), [""; 0]);
    // The hook does run that script.
    garden.try_git(&["commit", "-q", "-a", "-m", "Mine"]);
    assert_eq!(canaries(garden.root()).len(), 1);
}

#[test]
fn s03_ordinary_commits_of_an_agent_are_kept_and_recorded() {
    let garden = plain();
    garden.agent(
        "[ $ARBORIST_STEP = review ] || { echo x > mine.txt; git add mine.txt; git commit -qm 'My own'; }",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.subjects().len(), 6);
    let own = garden.git(&["log", "--format=%h", "--grep=My own"]);
    assert!(garden.git(&["log", "-1", "--format=%B", "HEAD~4"]).contains(&own));
}

#[test]
fn s04_commits_that_claim_to_be_steps_do_not_count() {
    side_by_side(
        [
            "task(T001): complete \"Do T001\"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-Report: x",
            "task(T001): mine",
            "Mine\n\nArborist-Step: complete\nArborist-Result: pass",
            "phase(p1): complete\n\nArborist-Step: phase-complete",
            "mine\n\narborist-step: complete",
        ],
        |message| {
            let garden = stopped(
                &format!("git commit -q --allow-empty -m '{message}'"),
                &[
                    "which claims to be a step",
                    "refs/heads/main names",
                    "goes there again, and leaves all files as they are",
                ],
            );
            garden.agent("");
            garden.run(&["gardener"]).assert(0, &[]);
            assert_eq!(garden.steps(), STEPS);
        },
    );
}

#[test]
fn s04_a_commit_of_an_agent_cannot_claim_that_tasks_are_complete() {
    let garden = stopped(
        "base=$(git rev-list --max-parents=0 HEAD); \
         git commit -q --allow-empty -m Work -m \"Arborist-Complete: T001\nArborist-Run: $base..$(git rev-parse HEAD^{tree})\"",
        &["which claims that tasks are complete", "goes there again"],
    );
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
}

#[test]
fn s05_a_history_that_an_agent_rewrites_is_kept() {
    for script in [
        "git update-ref refs/heads/main $(git commit-tree -m other HEAD^{tree})",
        "git reset -q --hard HEAD~1",
    ] {
        let garden = plain();
        garden.write("a", "a\n");
        garden.commit("A");
        let tip = garden.head();
        garden.agent(script);
        garden.run(&["gardener"]).assert(6, &["rewrote the branch main", "Nothing is lost", &tip]);
        assert_eq!(garden.head(), tip, "{script}: it is put back");
    }
}

#[test]
fn s06_an_index_that_is_removed_ends_the_run() {
    let garden = plain();
    garden.write("a", "a\n");
    garden.commit("A");
    garden.agent("rm .git/index");
    let ended = garden.start(garden.arborist(&["gardener"])).wait();
    ended.assert(6, &["git reset"]);
    assert_eq!(garden.subjects(), ["A"]);
}

#[test]
fn s06_other_branches_and_tags_that_are_moved_or_deleted_are_kept_and_named_and_the_run_continues() {
    let only_way = "git update-ref refs/heads/only";
    for (script, name, kept) in [
        ("git branch -q -D other", "refs/heads/other was deleted", false),
        ("git branch -q -D only", "refs/heads/only was deleted", true),
        ("git tag -d v1", "refs/tags/v1 was deleted", false),
        ("git tag -f v1 HEAD", "refs/tags/v1 was moved", false),
        ("git tag -f signed HEAD", "refs/tags/signed was moved", true),
        ("git branch -q -f other HEAD~1", "refs/heads/other was moved", false),
    ] {
        let garden = plain();
        garden.git(&["tag", "v1"]);
        garden.git(&["tag", "-a", "-m", "First", "signed"]);
        garden.write("a", "a\n");
        garden.commit("A");
        garden.git(&["branch", "other"]);
        let only = garden.git(&["commit-tree", "-m", "Only here", "HEAD^{tree}"]);
        garden.git(&["branch", "only", &only]);
        garden.agent(&format!("test $ARBORIST_STEP != implement || {script}"));
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &[name, "while the runner was at work"]);
        let saved = garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue/replaced"]);
        assert_eq!(saved.len(), usize::from(kept), "{script}: {saved:?}");
        if name.contains("only") {
            let command = format!("{only_way} {only}");
            assert!(ended.stderr.contains(&command), "{ended:#?}");
        }
    }
}

#[test]
fn s06_an_annotated_tag_that_an_agent_deletes_is_kept_listed_and_put_back_as_it_was() {
    let garden = plain();
    garden.git(&["tag", "-a", "-m", "First", "v1"]);
    let tag = garden.git(&["rev-parse", "v1"]);
    garden.agent("test $ARBORIST_STEP != implement || git tag -d v1");
    let command = format!("git update-ref refs/tags/v1 {tag}");
    garden.run(&["gardener"]).assert(0, &[&command]);
    let listed = garden.run(&["rescue", "list"]).stdout;
    assert!(listed.contains("replaced/") && listed.contains("First"), "{listed}");
    garden.git(&["update-ref", "refs/tags/v1", &tag]);
    assert_eq!(garden.git(&["cat-file", "-t", "v1"]), "tag");
}

#[test]
fn s06_saved_work_that_is_deleted_is_put_back() {
    for (script, names) in [
        (
            r#"git for-each-ref --format="delete %(refname)" refs/arborist | git update-ref --stdin"#,
            "T1/mine",
        ),
        ("git update-ref refs/arborist/rescue/T1/mine HEAD~1", "replaced/"),
        // This is true even if something else ends the run.
        ("git update-ref -d refs/arborist/rescue/T1/mine; git config core.fsmonitor false", "T1/mine"),
    ] {
        let garden = plain();
        garden.write("a", "a\n");
        garden.commit("A");
        let saved = garden.git(&["commit-tree", "-m", "Saved", "HEAD^{tree}"]);
        garden.git(&["update-ref", "refs/arborist/rescue/T1/mine", &saved]);
        garden.agent(script);
        let ended = garden.start(garden.arborist(&["gardener"])).wait();
        ended.assert(6, &[]);
        let refs = garden.lines(&["for-each-ref", "--format=%(objectname) %(refname)", "refs/arborist"]);
        assert!(refs.iter().any(|line| line.starts_with(&saved) && line.contains(names)), "{refs:?}");
    }
}

#[test]
fn s06_objects_of_the_history_that_are_replaced_end_the_run() {
    stopped(
        "git replace HEAD $(git commit-tree -m other HEAD^{tree})",
        &["objects of the history were replaced", "refs/replace/", "git replace -d"],
    );
}

#[test]
fn s07_an_agent_must_not_change_the_plan_or_the_settings() {
    let garden = stopped("echo '{}' > task-tree.json", &["task-tree.json was changed", "git restore"]);
    assert_eq!(garden.subjects(), [""; 0]);
    stopped(
        "echo '{}' > task-tree.json; git add task-tree.json; git commit -qm 'Another plan'",
        &["task-tree.json was changed"],
    );
    let garden = stopped(
        "mkdir -p .arborist; echo '{\"review\": false}' > .arborist/config.json",
        &[".arborist/config.json"],
    );
    assert_eq!(garden.subjects(), [""; 0]);
}

/// Runs the commands that a message names, in their order, and then the same run again.
#[track_caller]
fn obeys_and_goes_on(garden: &Garden, said: &str) {
    let is_command = |part: &&str| ["mkdir ", "printf ", "git "].iter().any(|start| part.starts_with(start));
    let commands: Vec<&str> = said.split('`').skip(1).step_by(2).filter(is_command).collect();
    assert!(!commands.is_empty(), "{said}");
    for command in commands {
        let output = garden.command("sh").args(["-c", command]).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
    }
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
}

#[test]
fn s08_parts_of_the_repository_that_an_agent_removes_are_named_and_can_be_made_again() {
    let all = "was removed while the runner was at work";
    for (script, gone) in [
        ("rm -rf .git/refs", &[".git/refs"][..]),
        ("rm .git/HEAD", &[".git/HEAD"]),
        ("rm -rf .git/HEAD .git/refs", &[".git/HEAD", ".git/refs"]),
    ] {
        let garden = plain();
        garden.git(&["tag", "v1"]);
        garden.git(&["branch", "other"]);
        let refs = garden.git(&["for-each-ref"]);
        garden.agent(&format!("echo b > b; {script}"));
        let ended = garden.start(garden.arborist(&["gardener"])).wait();
        ended.assert(6, gone);
        assert!(gone.len() > 1 || ended.stderr.contains(all), "{ended:#?}");
        assert!(!ended.stderr.contains("core.bare"), "{ended:#?}");
        obeys_and_goes_on(&garden, &ended.stderr);
        let names = ["refs/tags/v1", "refs/heads/other"];
        assert!(names.iter().all(|name| refs.contains(name)), "{refs}");
        names.iter().for_each(|name| drop(garden.git(&["rev-parse", "--verify", name])));
        assert_eq!(
            garden.lines(&["for-each-ref", "refs/arborist"]).len(),
            1,
            "what the agent wrote is saved"
        );
    }
}

#[test]
fn s08_a_history_that_an_agent_deletes_is_said_to_be_gone() {
    for (script, words) in [
        ("rm -rf .git/objects", &[".git/objects was removed", "The history is gone"][..]),
        ("rm -rf .git", &[".git was removed", "The history is gone"]),
        ("rm -rf .git; git init -q", &[".git was replaced", "The history is gone"]),
        (
            "rm -rf .git; git init -q -b main; git config user.name A; git config user.email a@example.com; git add -A; git commit -qm All",
            &[".git was replaced", "The history is gone"],
        ),
        ("rm -rf .git/objects/??", &["objects were removed", "The history is gone"]),
    ] {
        let garden = stopped(&format!("echo b > b; {script}"), words);
        assert_eq!(garden.read("b"), "b\n");
        if script == "rm -rf .git/objects" {
            let again = garden.start(garden.arborist(&["gardener"])).wait();
            again.assert(3, &[".git is damaged: it has no objects", "Do not run `git init`"]);
        }
    }
}

#[test]
fn s08_the_link_of_a_work_tree_to_its_repository_that_an_agent_deletes_is_named_and_can_be_made_again() {
    let garden = plain();
    garden.git(&["worktree", "add", "-q", "-b", "linked", "../linked"]);
    garden.agent("echo b > b; rm .git");
    let linked = || {
        let mut command = garden.arborist(&["gardener"]);
        command.current_dir(garden.root().join("linked"));
        command
    };
    let ended = garden.start(linked()).wait();
    ended.assert(6, &["/linked/.git was removed while the runner was at work"]);
    let command = ended.stderr.split('`').find(|part| part.starts_with("printf ")).unwrap();
    assert!(garden.command("sh").args(["-c", command]).status().unwrap().success());
    garden.agent("");
    garden.start(linked()).wait().assert(0, &["T001 complete"]);
}

#[test]
fn s08_the_removal_of_a_hook_is_noticed() {
    let garden = plain();
    garden.program(&garden.top().join(".git/hooks/commit-msg"), "exit 0");
    garden.agent("rm .git/hooks/commit-msg");
    garden.run(&["gardener"]).assert(6, &["hooks/commit-msg"]);
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn s08_a_hook_that_ours_runs_first_is_watched_too() {
    let garden = plain();
    let hook = garden.top().join(".git/hooks/commit-msg");
    garden.program(&hook, "exit 0");
    garden.run(&["hooks", "install"]).assert(0, &[]);
    garden.agent("echo 'touch planted' >> .git/hooks.pre-arborist/commit-msg");
    garden.run(&["gardener"]).assert(6, &["hooks.pre-arborist/commit-msg"]);
    assert!(!garden.top().join("planted").exists());
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn s09_links_in_the_place_of_logs_are_not_followed() {
    for link in ["spec", "spec/logs", "spec/reports"] {
        let garden = Garden::new(&one_task(&["true"]));
        let outside = garden.root().join("outside");
        fs::create_dir(&outside).unwrap();
        let parent = if link.contains('/') { "mkdir -p spec; " } else { "" };
        garden
            .agent(&format!("[ $ARBORIST_STEP = review ] || {{ {parent}ln -s \"$ROOT/outside\" {link}; }}"));
        garden.run(&["gardener"]).assert(6, &["is a link or not a folder"]);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{link}");
    }
}

/// Puts a step commit on top of the history that names this file as its log.
fn claims(garden: &Garden, path: &str) {
    garden.git(&["commit", "-q", "--allow-empty", "-m"].into_iter().chain([&*format!(
        "task(T001): tests fail for \"Do T001\" (attempt 1/5)\n\nArborist-Step: test\nArborist-Test: fail\nArborist-Retry: \
         0\nArborist-Test-Log: {path}"
    )]).collect::<Vec<_>>());
}

#[test]
fn s10_prune_removes_nothing_outside_and_nothing_unnamed() {
    let garden = plain();
    fs::write(garden.root().join("outside"), "precious\n").unwrap();
    let absolute = garden.root().join("outside").display().to_string();
    for path in [
        "../outside",
        "a/../../outside",
        &absolute,
        ".git/config",
        "",
        ".",
        "spec/..",
        "*",
        ":(top)task-tree.json",
    ] {
        claims(&garden, path);
    }
    let ended = garden.run(&["prune"]);
    ended.assert(0, &["is kept"]);
    assert!(
        garden.root().join("outside").exists()
            && garden.exists("task-tree.json")
            && garden.exists(".git/config")
    );
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn s11_prune_follows_no_link() {
    let garden = plain();
    let outside = garden.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x.log"), "precious\n").unwrap();
    garden.write("logs/x.log", "x\n");
    garden.commit("A log");
    claims(&garden, "logs/x.log");
    fs::remove_dir_all(garden.top().join("logs")).unwrap();
    std::os::unix::fs::symlink(&outside, garden.top().join("logs")).unwrap();
    garden.run(&["prune"]).assert(0, &["logs/x.log is kept"]);
    assert_eq!(fs::read_to_string(outside.join("x.log")).unwrap(), "precious\n");
}

#[test]
fn s12_files_with_names_that_git_reserves_fail_the_attempt_and_are_named() {
    for path in [".GIT/config", "a/git~1", "b/.git "] {
        let garden = plain();
        garden.agent(&format!("mkdir -p \"$(dirname '{path}')\"; echo x > '{path}'"));
        garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
        let body = garden.git(&["log", "--format=%B"]);
        assert!(body.contains("has a name that git reserves for itself"), "{path}: {body}");
        assert!(garden.exists(path), "it is kept");
    }
}

#[test]
fn s12_a_git_file_in_a_folder_makes_it_a_repository_whose_files_would_be_lost() {
    let garden = plain();
    garden.agent("mkdir sub; echo 'gitdir: ../.git' > sub/.git; echo x > sub/file");
    let ended = garden.run(&["gardener", "--max-attempts", "1"]);
    assert!(ended.status == 1 || ended.status == 4, "{ended:#?}");
    let said = format!("{}{}", ended.stderr, garden.git(&["log", "--format=%B"]));
    assert!(said.contains("sub/"), "{said}");
    assert!(garden.exists("sub/file"));
}

#[test]
fn s13_secrets_of_the_environment_are_masked_wherever_output_goes() {
    let garden = Garden::new(&one_task(&["echo \"test $API_TOKEN\"; grep -q implement.1 T001.txt"]));
    garden.agent("echo \"agent $API_TOKEN\"; printf %s \"$API_TOKEN\" | cut -c1-5; sleep 0.1; printf %s \"$API_TOKEN\" | cut -c6-");
    let secret = "hunter2hunter2";
    let mut command = garden.arborist(&["gardener", "-v"]);
    command.env("API_TOKEN", secret);
    let ended = garden.finish(command);
    ended.assert(0, &[]);
    let log = garden.git(&["log", "-p", "HEAD"]);
    assert!(log.contains("agent ***") && log.contains("test ***"), "{log}");
    for (place, text) in [("history", &log), ("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
        assert!(!text.contains(secret), "{place}: {text}");
    }
    assert!(!garden.prompt("T001.implement.1").contains(secret));
}

#[test]
fn s14_files_that_look_like_secrets_fail_the_attempt_and_the_next_one_is_told() {
    for path in [".env", "deploy/.env.production", "server.pem", "id_ed25519"] {
        let garden = plain();
        garden.agent(&format!(
            "if [ $ARBORIST_ATTEMPT = 0 ]; then mkdir -p \"$(dirname {path})\"; echo s3cret > {path}; \
             elif [ $ARBORIST_STEP = implement ]; then rm -f {path}; fi"
        ));
        garden.run(&["gardener"]).assert(0, &[]);
        assert!(garden.steps()[0].contains("(failed, attempt 1/5)"), "{path}");
        assert!(garden.prompt("T001.implement.1").contains(&format!("{path} looks like a secret")));
        assert!(!garden.git(&["log", "--name-only", "--format="]).contains(path), "{path}");
    }
}

/// A repository, delivered as it is, that runs a program for nearly every git command.
fn malicious() -> Garden {
    let garden = plain();
    garden.run(&["gardener"]).assert(0, &[]);
    let canary = |name: &str| {
        let file = garden.root().join(format!("evil-{name}"));
        garden.program(&file, &format!("touch \"$ROOT/canary-{name}\"\ncat"));
        file.display().to_string()
    };
    garden.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    garden.commit("Attributes");
    for hook in [
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-checkout",
        "pre-commit",
        "pre-auto-gc",
    ] {
        let text = fs::read(canary(hook)).unwrap();
        garden.program(&garden.top().join(".git/hooks").join(hook), &String::from_utf8(text).unwrap());
    }
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "credential.helper",
        "pager.log",
        "pager.status",
        "trailer.x.command",
        "trailer.x.cmd",
        "uploadpack.packObjectsHook",
        "interactive.diffFilter",
    ] {
        garden.config(key, &canary(&key.replace('.', "-")));
    }
    garden.config("filter.evil.required", "true");
    garden.config("log.showSignature", "true");
    for name in ["log", "status", "config", "rev-parse", "cat-file"] {
        garden.config(&format!("alias.{name}"), &format!("!{}", canary(&format!("alias-{name}"))));
    }
    // The index has other file times than the disk, so that git reads the files.
    for file in garden.lines(&["ls-files"]) {
        let path = garden.top().join(&file);
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000)).unwrap();
    }
    for canary in canaries(garden.root()) {
        fs::remove_file(garden.root().join(canary)).unwrap();
    }
    garden
}

#[test]
fn s15_reading_commands_run_no_program_of_the_repository() {
    let garden = malicious();
    let show: &[&str] = &["show", "T001"];
    let commands: [&[&str]; 9] = [
        &["status"],
        &["status", "--json"],
        &["status", "--short"],
        &["next"],
        &["next", "--all"],
        show,
        &["check", "HEAD~3..HEAD"],
        &["prune", "--dry-run"],
        &["prune", "--dry-run", "--all-runs"],
    ];
    for command in commands {
        if !programs().join(format!("git-arborist-{}", command[0])).exists() {
            continue;
        }
        let ended = run_damaged(&garden, command);
        assert_eq!(canaries(garden.root()), [""; 0], "{command:?}");
        assert!(ended.status <= 1, "{command:?}: {ended:#?}");
    }
    // The canaries work: git itself runs them.
    garden.try_git(&["-c", "alias.status=", "diff"]);
    assert!(!canaries(garden.root()).is_empty());
}

#[test]
fn s15_building_a_review_prompt_runs_no_program_of_the_repository() {
    let garden = malicious();
    garden.git(&[
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "update-ref",
        "HEAD",
        "HEAD~4",
    ]);
    for canary in canaries(garden.root()) {
        fs::remove_file(garden.root().join(canary)).unwrap();
    }
    let ended = run_damaged(&garden, &["next", "--prompt"]);
    ended.assert(0, &[]);
    assert!(ended.stdout.contains("Review the change for task"), "{ended:#?}");
    assert_eq!(canaries(garden.root()), [""; 0]);
}

#[test]
fn s17_programs_in_the_work_tree_are_never_run_as_git_or_an_agent() {
    let garden = plain();
    for name in ["git", "claude", "sh"] {
        garden.program(&garden.top().join(name), "touch \"$ROOT/canary\"; exit 0");
    }
    garden.commit("Programs");
    let git = garden.path_with(Path::new("/nowhere"));
    for path in [&format!(".:{git}"), &format!(":{git}"), &format!("{git}:.")] {
        let mut command = garden.command(programs().join("git-arborist-gardener").to_str().unwrap());
        command.env("PATH", path);
        garden.finish(command);
        assert_eq!(canaries(garden.root()), [""; 0], "PATH={path}");
        let mut command = garden.command(programs().join("git-arborist-garden").to_str().unwrap());
        command.args(["T001", "--runner", "claude"]).env("PATH", path);
        garden.finish(command);
        assert_eq!(canaries(garden.root()), [""; 0], "PATH={path}, --runner claude");
    }
}

#[test]
fn s18_terminal_codes_reach_no_terminal() {
    let evil = "\u{1b}[31mred\u{1b}]0;t\u{7}\u{202e}x";
    let mut tree = one_task(&[]);
    tree["spec_id"] = evil.into();
    tree["nodes"]["T001"]["name"] = evil.into();
    tree["nodes"]["T001"]["description"] = evil.into();
    tree["nodes"]["p1"]["name"] = evil.into();
    let garden = Garden::new(&tree);
    garden.agent("[ $ARBORIST_STEP = review ] || touch \"$(printf 'a\\033[31mb')\"");
    garden.git(&[
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        &format!("task(T001): {evil}\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0"),
    ]);
    let commands: [&[&str]; 7] = [
        &["status"],
        &["next"],
        &["next", "--prompt"],
        &["status", "--json"],
        &["garden", evil],
        &["gardener"],
        &["prune"],
    ];
    for command in commands {
        let ended = garden.run(command);
        for text in [&ended.stdout, &ended.stderr] {
            let bad = text.chars().find(|c| (c.is_control() && *c != '\n' && *c != '\t') || *c == '\u{202e}');
            assert_eq!(bad, None, "{command:?}: {text:?}");
        }
    }
}

#[test]
fn s20_squashes_picks_and_reverts_count_according_to_their_subjects() {
    let garden = plain();
    garden.run(&["gardener"]).assert(0, &[]);
    let state = |garden: &Garden| garden.run(&["status", "--short"]).stdout;
    assert!(state(&garden).starts_with("1/1"));
    // Reverted: the step before counts again.
    let complete = garden.git(&["log", "-1", "--format=%H", "--grep=^task(T001): complete"]);
    garden.git(&["revert", "--no-edit", &complete]);
    assert!(state(&garden).starts_with("0/1"), "{}", state(&garden));
    // Picked: a step like any other.
    garden.git(&["cherry-pick", "--allow-empty", &complete]);
    assert!(state(&garden).starts_with("1/1"), "{}", state(&garden));
    // Squashed: a body with many messages is not a step.
    let squashed = plain();
    squashed.git(&["switch", "-q", "-c", "side"]);
    squashed.run(&["gardener"]).assert(0, &[]);
    squashed.git(&["switch", "-q", "main"]);
    squashed.forget_history();
    squashed.git(&["merge", "-q", "--squash", "side"]);
    squashed.git(&["commit", "-q", "--no-edit"]);
    assert!(state(&squashed).starts_with("0/1"), "{}", state(&squashed));
}

#[test]
fn s21_git_decides_about_a_repository_of_another_user() {
    let garden = plain();
    for folder in [garden.top(), garden.top().join(".git")] {
        if std::os::unix::fs::chown(folder, Some(12_345), None).is_err() {
            eprintln!("not tried: only root can give a folder away");
            return;
        }
    }
    for command in ["status", "gardener", "next", "prune"] {
        run_damaged(&garden, &[command]).assert(3, &["dubious ownership", "safe.directory"]);
    }
    assert_eq!(garden.asked(), [""; 0]);
}
