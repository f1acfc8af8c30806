//! Tests places where what we read or write is somebody else's: git directories, names, settings, secrets and steps of other
//! versions.

use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::garden::{Ended, Garden, one_task, plan};
use crate::support::skip::{has, skip};

/// A token of a well-known form, put together so that none is in the source.
fn token() -> String {
    ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

/// Everything that a command has printed.
fn said(ended: &Ended) -> String {
    format!("{}{}", ended.stdout, ended.stderr)
}

/// Two tasks, the first of which is complete.
fn half_done() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
    ]));
    garden.run(&["garden", "T001"]).assert(0, &[]);
    garden
}

#[test]
fn a_report_is_never_written_into_a_git_directory() {
    let garden = half_done();
    symlink(garden.top().join(".git"), garden.root().join("link")).unwrap();
    symlink("work/.git/description", garden.root().join("file")).unwrap();
    let config = garden.read(".git/config");
    for place in [
        ".git/x",
        ".git/config",
        ".git/hooks/pre-commit",
        ".GIT/x",
        "../link/x",
        "../link/hooks/x",
        "../file",
    ] {
        for force in [&[][..], &["--force"]] {
            let ended = garden.run(&[&["report", "-o", place], force].concat());
            ended.assert(2, &[]);
        }
        let folder = garden.run(&["report", "--run-folder", place]);
        assert!([2, 4].contains(&folder.status), "{folder:#?}");
    }
    garden
        .run(&["report", "-o", ".git/x"])
        .assert(2, &["that is in a git directory", "Choose another place"]);
    assert_eq!(garden.read(".git/config"), config);
    assert!(
        !garden.exists(".git/x") && !garden.exists(".git/hooks/pre-commit") && !garden.exists(".git/hooks/x")
    );
    garden.run(&["report", "-o", "../report.md"]).assert(0, &["Wrote"]);
}

#[test]
fn a_branch_to_land_on_is_named_as_in_git() {
    let garden = half_done();
    garden.run(&["garden", "T002"]).assert(0, &[]);
    garden.run(&["land", "--branch", "refs/heads/landed"]).assert(0, &[]);
    let tip = garden.git(&["rev-parse", "refs/heads/landed"]);
    assert!(said(&garden.run(&["land", "--branch", "landed", "--json"])).contains("\"landed\""));
    assert_eq!(garden.git(&["rev-parse", "refs/heads/landed"]), tip);
    assert!(
        !garden.try_git(&["rev-parse", "-q", "--verify", "refs/heads/refs/heads/landed"]).status.success()
    );
    for name in ["a..b", "-x", "x.lock", "refs/heads/", "a b", "@{-1}"] {
        let branch = format!("--branch={name}");
        garden.run(&["land", &branch]).assert(2, &["is not a name that a branch can have"]);
    }
    let here = garden.git(&["branch", "--show-current"]).trim().to_owned();
    garden.git(&["switch", "-q", "landed"]);
    garden.git(&["switch", "-q", &here]);
    // The branch before this one, as for `git switch`.
    assert!(said(&garden.run(&["land", "--branch", "@{-1}", "--json"])).contains("\"landed\""));
}

#[test]
fn a_step_of_another_version_leaves_a_doubt_and_stops_nothing() {
    let garden = half_done();
    let message = "task(T001): frobnicate \"Do T001\"\n\nArborist-Step: frobnicate\nArborist-Result: pass\n";
    garden.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", message]);
    let doubt = "records the step `frobnicate` of T001";
    let shown = said(&garden.run(&["status"]));
    assert!(shown.contains(doubt) && shown.contains("update git-arborist"), "{shown}");
    let status: Value = serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(status["tasks"][0]["state"], "pending", "{status:#}");
    garden.run(&["show", "T001"]).assert(0, &[]);
    assert!(garden.run(&["next"]).stdout.starts_with("T001"), "it is pending");
    garden.run(&["gardener"]).assert(0, &[doubt]);
    let checked = said(&garden.run(&["check", "--run"]));
    assert!(checked.contains("A012") && !checked.contains("H205"), "{checked}");
    assert!(!said(&garden.run(&["status"])).contains("frobnicate"), "the next step settles it");
}

#[test]
fn a_token_in_a_test_command_is_masked_wherever_the_command_is_told() {
    let command = format!("echo {} | grep -q ghp && test -f T001.txt", token());
    let garden = Garden::new(&one_task(&[&command]));
    garden.config("arborist.trust.prove", "require");
    for args in [
        &["next"][..],
        &["next", "--json"],
        &["next", "--prompt"],
        &["doctor"],
        &["gardener", "--dry-run"],
        &["gardener", "--json"],
        &["status"],
        &["status", "--json"],
        &["show", "T001"],
        &["show", "T001", "--json"],
        &["report"],
        &["report", "--format", "json"],
        &["report", "--format", "html"],
        &["check", "--run"],
        &["prove"],
        &["prove", "--json"],
        &["land", "--dry-run"],
        &["land", "--message"],
        &["export", "make"],
        &["export", "github"],
    ] {
        let ended = garden.run(args);
        assert!(!said(&ended).contains(&token()), "{args:?}: {}", said(&ended));
    }
    assert_eq!(garden.run(&["status", "--short"]).status, 0);
    garden.run(&["land"]).assert(0, &[]);
    let messages = garden.git(&["log", "--all", "--format=%B"]);
    assert!(messages.contains("complete") && !messages.contains(&token()), "{messages}");
    for path in garden.files_of("HEAD").iter().filter(|path| *path != "task-tree.json") {
        assert!(!garden.git(&["show", &format!("HEAD:{path}")]).contains(&token()), "{path}");
    }
    let prompts = garden.prompts();
    assert!(
        !prompts.is_empty() && prompts.iter().all(|(_, prompt)| !prompt.contains(&token())),
        "{prompts:?}"
    );
}

#[test]
fn what_is_kept_of_the_output_of_agents_holds_no_token() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&format!("echo 'I found {}.'", token()));
    garden.run(&["gardener"]).assert(0, &[]);
    let folder = garden.top().join(".git/arborist/output");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(&token()), "{text}");
        count += usize::from(text.contains("I found ***"));
    }
    assert!(count > 0, "what the agent said is there");
}

#[test]
fn what_a_killed_build_leaves_is_not_in_the_work_tree_and_hinders_no_later_one() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("TODO.md", "# Plan\n\n- [ ] First\n");
    let build = ["build", "TODO.md", "-o", "built.json"];
    garden.run(&build).assert(0, &[]);
    garden.write("TODO.md", "# Plan\n\n- [ ] First\n- [ ] Second\n");
    // The call that syncs the new file is the last before it takes the place of the old one.
    let mut traced = garden.command("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:signal=KILL"]);
    traced.arg(crate::support::garden::programs().join("git-arborist")).args(build).arg("--update");
    if !has("strace") {
        return;
    }
    if String::from_utf8_lossy(&traced.output().unwrap().stderr).contains("strace") {
        return skip("strace cannot be used here");
    }
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(garden.top())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert!(!garden.read("built.json").contains("Second"), "it was killed before");
    assert_eq!(names(), [".git", "TODO.md", "built.json", "task-tree.json"]);
    // What versions before left there.
    garden.write(".built.json.next", "half");
    garden.run(&[&build[..], &["--update"]].concat()).assert(0, &[]);
    assert!(garden.read("built.json").contains("Second"));
}

#[test]
fn doctor_runs_no_program_that_the_configuration_of_a_repository_names() {
    let garden = Garden::new(&one_task(&["true"]));
    let trap = |name: &str| {
        let trap = garden.root().join("traps").join(name);
        garden.program(&trap, "echo \"$0 $*\" >> \"${0%/*}/../sprung\"; cat");
        trap.to_str().unwrap().to_owned()
    };
    garden.write(".gitattributes", "*.txt filter=trap diff=trap\n");
    garden.write("a.txt", "a\n");
    garden.commit("Add a file");
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.alternateRefsCommand",
        "credential.helper",
        "diff.external",
        "diff.trap.command",
        "diff.trap.textconv",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "gpg.program",
        "gpg.openpgp.program",
        "alias.status",
        "alias.config",
        "pager.status",
        "arborist.runner.trap.command",
    ] {
        let trap = trap(key);
        garden.config(key, &if key.starts_with("alias") { format!("!{trap}") } else { trap });
    }
    let sandbox = trap("sandbox");
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("arborist.runner", "trap"),
        ("filter.trap.required", "true"),
        ("arborist.sandbox", &sandbox),
    ] {
        garden.config(key, value);
    }
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
        garden.program(&garden.top().join(".git/hooks").join(hook), &trap(hook));
    }
    // The index does not say whether the file is as it was.
    garden.write("a.txt", "b\n");
    for args in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["doctor", "agents"],
        &["doctor", "--fix"],
        &["doctor", "--unlock"],
    ] {
        let ended = garden.start(garden.arborist(args)).wait();
        assert!(ended.status < 8 && !said(&ended).is_empty(), "{ended:#?}");
        let sprung = std::fs::read_to_string(garden.root().join("sprung")).unwrap_or_default();
        assert_eq!(sprung, "", "{args:?}");
    }
}

#[test]
fn hooks_are_not_installed_through_a_link_into_a_folder_that_others_share() {
    let garden = Garden::new(&one_task(&["true"]));
    let shared = garden.root().join("shared");
    let hooks = garden.top().join(".git/hooks");
    std::fs::create_dir(&shared).unwrap();
    let _ = std::fs::remove_dir_all(&hooks);
    symlink(&shared, &hooks).unwrap();
    garden
        .run(&["hooks", "install"])
        .assert(3, &["outside of this repository", "Nothing was changed", "in the place of the link"]);
    assert_eq!(std::fs::read_dir(&shared).unwrap().count(), 0);
    garden.run(&["hooks", "status"]).assert(0, &[]);
    std::fs::remove_file(&hooks).unwrap();
    std::fs::create_dir(garden.top().join(".git/own")).unwrap();
    symlink("own", &hooks).unwrap();
    garden.run(&["hooks", "install"]).assert(0, &[]);
    assert!(garden.exists(".git/own/commit-msg"));
}
