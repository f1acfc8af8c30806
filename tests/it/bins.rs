//! Tests the programs: one for every command, and `git arborist`, which finds them as git finds its own.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::cli::{PLAN, Said, git_with_commands};
use crate::support::repo::Repo;
use git_arborist::cli::Group;
use git_arborist::cli::TABLE;

/// The folder into which our programs were built.
fn built() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap()
}

fn run(mut command: Command) -> Said {
    Said::of(command.output().unwrap())
}

/// A folder with other programs, at the front of PATH.
struct Foreign(tempfile::TempDir);

impl Foreign {
    /// Shell scripts of these names and contents.
    fn of(scripts: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in scripts {
            // A child writes the file. If this process had it open for writing, a program that another test starts at
            // the same moment would inherit it, and the file could not be executed.
            let script = r#"printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1""#;
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(folder.path().join(name)).arg(text);
            assert!(shell.status().unwrap().success());
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// `git arborist ARGS` with this folder on PATH.
    fn arborist(&self, args: &[&str]) -> Command {
        self.put_on_path(git_with_commands(self.path(), &[&["arborist"], args].concat()))
    }

    /// `git-arborist ARGS` itself, without git in between.
    fn direct(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_git-arborist"));
        command.args(args).current_dir(self.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        self.put_on_path(command)
    }

    fn put_on_path(&self, mut command: Command) -> Command {
        let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path);
        let rest: Vec<PathBuf> = std::env::split_paths(path.unwrap()).collect();
        let folders = std::iter::once(self.path().to_owned()).chain(rest);
        let path = std::env::join_paths(folders).unwrap();
        command.env("PATH", path);
        command
    }
}

/// The names of the small programs, without their prefix.
fn programs() -> BTreeSet<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    let names = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().file_name());
    names
        .filter_map(|name| {
            Some(name.to_str()?.strip_prefix("git-arborist-")?.strip_suffix(".rs")?.to_owned())
        })
        .collect()
}

/// A command as its own program, or as an argument of the main program if it has none.
fn program_of(command: &str) -> Command {
    if programs().contains(command) {
        return Command::new(built().join(format!("git-arborist-{command}")));
    }
    let mut program = Command::new(built().join("git-arborist"));
    program.arg(command);
    program
}

#[test]
fn every_small_program_has_a_command_and_later_commands_have_none() {
    let commands: BTreeSet<String> = TABLE.iter().map(|row| row.summary.name.to_owned()).collect();
    assert!(programs().is_subset(&commands));
    // Each small program has a third of a megabyte, and git finds every command in the main program.
    let early = "check demo doctor garden gardener hooks next prune rescue show status";
    assert_eq!(programs(), early.split(' ').map(str::to_owned).collect());
}

#[test]
fn every_program_prints_a_summary_and_a_page_with_its_exit_statuses() {
    for command in TABLE.iter().map(|row| row.summary) {
        for option in ["-h", "--help"] {
            let said = run({
                let mut program = program_of(command.name);
                program.arg(option);
                program
            });
            let text = said.answer();
            let joined = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            let mut parts = vec![command.about.to_lowercase(), format!("git arborist {}", command.name)];
            match option {
                "-h" => parts.push(format!("`git arborist {} --help` lists all options", command.name)),
                _ => parts.extend(
                    ["exit status: 0 success. 1 a negative answer", "6 stopped for safety"]
                        .map(str::to_owned),
                ),
            }
            for part in parts {
                assert!(joined.contains(&part), "{}: {part}: {text}", command.name);
            }
        }
    }
}

#[test]
fn a_link_that_is_named_after_a_command_is_this_command() {
    let folder = tempfile::tempdir().unwrap();
    let link = |name: &str| {
        let link = folder.path().join(name);
        symlink(env!("CARGO_BIN_EXE_git-arborist"), &link).unwrap();
        Command::new(link)
    };
    for command in TABLE.iter().map(|row| row.summary) {
        let mut linked = link(&format!("git-arborist-{}", command.name));
        linked.arg("-h");
        let text = run(linked).answer();
        assert!(text.contains(&format!("Usage: git arborist {}", command.name)), "{text}");
    }
    for other in ["git-arborist-unheard-of", "arborist"] {
        let mut linked = link(other);
        linked.arg("--version");
        assert!(run(linked).answer().starts_with("git-arborist "), "{other}");
    }
}

#[test]
fn a_wrong_option_is_reported_on_standard_error_with_status_2() {
    for command in TABLE.iter().map(|row| row.summary) {
        let said = run({
            let mut program = program_of(command.name);
            program.arg("--no-such-option");
            program
        });
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{}", command.name);
        assert!(said.err.contains("--no-such-option"), "{}: {}", command.name, said.err);
    }
}

#[test]
fn the_overview_lists_all_commands_and_other_programs_on_path() {
    let foreign = Foreign::of(&[("git-arborist-foo", "")]);
    std::fs::write(foreign.path().join("git-arborist-text"), "no program\n").unwrap();
    std::fs::create_dir(foreign.path().join("git-arborist-folder")).unwrap();
    symlink(foreign.path().join("gone"), foreign.path().join("git-arborist-link")).unwrap();
    for args in [&["help", "-a"][..], &["help", "--all"]] {
        let text = run(foreign.arborist(args)).answer();
        for command in TABLE.iter().map(|row| row.summary) {
            assert!(text.contains(&format!("   {:<10} {}\n", command.name, command.about)), "{text}");
        }
        assert!(text.contains("\nalso on PATH\n   foo\n\n"), "{text}");
        for group in Group::ALL {
            assert!(text.contains(&format!("\n{}\n   ", group.word())), "{text}");
        }
    }
    let version = run(foreign.arborist(&["--version"])).answer();
    assert_eq!(version, format!("git-arborist {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_a_command_it_says_where_the_user_is_and_what_comes_next() {
    let foreign = Foreign::of(&[("claude", "")]);
    let everyday = ["init", "gardener", "status", "show", "done", "note", "prove", "land", "doctor"];
    let first = |folder: &Path| {
        let said = [&[][..], &["-h"], &["help"]].map(|args| {
            let mut command = git_with_commands(folder, &[&["arborist"], args].concat());
            command.env("ARBORIST_RUNNER", "claude");
            let text = run(foreign.put_on_path(command)).answer();
            let (place, commands) = text.split_once("\n\n").unwrap();
            assert!(place.lines().count() <= 12 && text.lines().count() <= 24, "{text}");
            // Whoever has a plan asks for them.
            let are_listed = !args.is_empty() || !folder.join("task-tree.json").exists();
            for name in everyday {
                assert_eq!(commands.contains(&format!("\n   {name:<10} ")), are_listed, "{text}");
            }
            assert!(
                !commands.contains("\n   integrate ") && commands.contains("`git arborist help -a`"),
                "{text}"
            );
            place.to_owned()
        });
        assert!(said.iter().all(|place| *place == said[0]), "{said:?}");
        said[0].clone()
    };
    let nowhere = tempfile::tempdir().unwrap();
    assert!(first(nowhere.path()).contains("git init"), "{}", first(nowhere.path()));

    let repo = Repo::init(&[]);
    assert!(first(repo.path()).contains("`git arborist init`"));
    let tasks = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Add the export in src/export.py\n";
    std::fs::create_dir_all(repo.path().join("specs/001-export")).unwrap();
    std::fs::write(repo.path().join("specs/001-export/tasks.md"), tasks).unwrap();
    let found = "There is a plan in specs/001-export/tasks.md (spec-kit): `git arborist init` makes it ready for agents.";
    assert!(first(repo.path()).contains(found), "{}", first(repo.path()));
    for command in ["status", "next", "gardener", "autopilot", "show T001"] {
        let words: Vec<&str> = command.split(' ').collect();
        let said =
            run(foreign.put_on_path(git_with_commands(repo.path(), &[&["arborist"], &words[..]].concat())));
        assert!(said.code == 2 && said.err.contains(found), "{command}: {}", said.err);
    }
    let doctor = run(foreign.put_on_path(git_with_commands(repo.path(), &["arborist", "doctor"])));
    assert!(doctor.code == 1 && doctor.out.contains(found), "{}", doctor.out);

    std::fs::write(repo.path().join("task-tree.json"), PLAN).unwrap();
    repo.git(&["add", "specs"]);
    repo.git(&["commit", "-q", "-m", "Specify the export"]);
    assert!(
        first(repo.path()).contains("0/4 complete") && first(repo.path()).contains("git add task-tree.json")
    );
    repo.git(&["add", "task-tree.json"]);
    repo.git(&["commit", "-q", "-m", "Add the plan"]);
    let begin = first(repo.path());
    assert!(begin.contains("To let agents work on it:\n"), "{begin}");
    let branch = repo.git(&["branch", "--show-current"]);
    assert_eq!(begin.contains("\n  git switch -c "), ["main", "master"].contains(&branch.trim()), "{begin}");
    assert!(begin.ends_with("\n  git arborist gardener"), "{begin}");
    std::fs::write(repo.path().join("other.txt"), "").unwrap();
    assert!(first(repo.path()).ends_with("To see yours:\n  git status"), "a run would refuse that");
}

#[test]
fn another_program_gets_its_arguments_and_its_input() {
    let foreign = Foreign::of(&[("git-arborist-foo", r#"printf '<%s>' "$@"; cat"#)]);
    let mut command = foreign.arborist(&["foo", "a b", "", "--json", "*"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"typed").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "<a b><><--json><*>typed");
    assert_eq!(run(foreign.arborist(&["help", "foo"])).answer(), "<--help>");
}

#[test]
fn a_hook_without_the_main_program_says_so_and_stops_no_commit() {
    let alone = tempfile::tempdir().unwrap();
    let program = alone.path().join("git-arborist-hooks");
    // Copied by a child, as above.
    let from = built().join("git-arborist-hooks");
    assert!(Command::new("cp").arg(from).arg(&program).status().unwrap().success());
    let message = alone.path().join("message");
    let said = |text: &str, args: &[&str]| {
        std::fs::write(&message, text).unwrap();
        let mut hooks = Command::new(&program);
        hooks.args(args).current_dir(alone.path());
        run(hooks)
    };
    let of_a_person = said("Read sizes from the header\n", &["run", "commit-msg", "message"]);
    assert_eq!((of_a_person.code, of_a_person.err.as_str()), (0, ""));
    let of_a_step = said("task(T1): x\n\nArborist-Step: test\n", &["run", "commit-msg", "message"]);
    assert_eq!(of_a_step.code, 0);
    assert!(of_a_step.err.contains("git-arborist is not in the same folder"), "{}", of_a_step.err);
    assert_eq!(said("", &["status"]).code, 4);
}

#[test]
fn our_own_commands_take_precedence_over_other_programs() {
    let foreign = Foreign::of(&[("git-arborist-status", "echo forged")]);
    let said = run(foreign.arborist(&["status", "-h"])).answer();
    assert!(said.contains("git arborist status"), "{said}");
}

#[test]
fn the_exit_status_of_another_program_is_passed_on() {
    let foreign = Foreign::of(&[("git-arborist-end", r#"exit "$1""#)]);
    for status in [0, 1, 2, 6, 42, 129] {
        let said = run(foreign.arborist(&["end", &status.to_string()]));
        assert_eq!(said.code, status);
    }
}

#[test]
fn signals_reach_a_command_because_it_replaces_the_dispatcher() {
    let foreign =
        Foreign::of(&[("git-arborist-die", r#"kill -s "$1" "$$""#), ("git-arborist-pid", r#"echo "$$""#)]);
    // None of these is ignored where the tests run in the background or under nohup.
    for (name, number) in [("TERM", 15), ("KILL", 9), ("ABRT", 6)] {
        let status = foreign.direct(&["die", name]).status().unwrap();
        assert_eq!(status.signal(), Some(number), "{name}");
    }
    let child = foreign.direct(&["pid"]).stdout(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), pid.to_string());
}

#[test]
fn names_that_are_paths_or_options_are_refused() {
    let foreign = Foreign::of(&[("git-arborist-foo", "echo run"), ("git-arborist--x", "echo run")]);
    std::fs::create_dir(foreign.path().join("git-arborist-sub")).unwrap();
    std::fs::copy(foreign.path().join("git-arborist-foo"), foreign.path().join("git-arborist-sub/foo"))
        .unwrap();
    for name in ["sub/foo", "/bin/true", "../foo", "-x", "--x", "", "foo/"] {
        let said = run(foreign.direct(&[name]));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{name}");
        assert!(
            said.err.contains("is not a") && said.err.contains("`git arborist help -a` lists"),
            "{}",
            said.err
        );
    }
}

#[test]
fn for_a_wrong_name_the_most_similar_command_is_suggested() {
    let foreign = Foreign::of(&[("git-arborist-foobar", "")]);
    for (wrong, near) in [("statsu", "status"), ("gard", "garden"), ("doc", "doctor"), ("fobar", "foobar")] {
        let said = run(foreign.arborist(&[wrong]));
        assert_eq!(said.code, 2);
        assert!(said.err.contains(&format!("Did you mean `git arborist {near}`?")), "{}", said.err);
    }
    let said = run(foreign.arborist(&["zzzzzz"]));
    assert!(said.err.ends_with("`git arborist help -a` lists all commands.\n"), "{}", said.err);
}

#[test]
fn commands_of_other_tools_are_answered_with_ours() {
    let foreign = Foreign::of(&[]);
    let cases = [
        ("run", "`git arborist gardener`"),
        ("START", "`git arborist gardener`"),
        ("contineu", "`git arborist gardener`"),
        ("continue", "`git arborist gardener`"),
        ("list", "`git arborist status`"),
        ("ls", "`git arborist status`"),
        ("log", "`git arborist show TASK`"),
        ("retry", "`git arborist garden TASK`"),
        ("pause", "`git arborist stop`"),
        ("skip", "`git arborist mark -h`"),
        ("setup", "`git arborist init`"),
        ("config", "`git arborist init --show-config`"),
        ("clean", "`git arborist doctor`"),
    ];
    for (word, instead) in cases {
        let said = run(foreign.arborist(&[word]));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{word}");
        assert!(said.err.contains(&format!("`{word}` is not a git arborist command.")), "{}", said.err);
        assert!(said.err.contains(instead), "{word}: {}", said.err);
    }
}

#[test]
fn a_command_that_deletes_is_never_suggested() {
    let foreign = Foreign::of(&[]);
    let words = ["prun", "purne", "prunes", "run", "clean", "clear", "rm", "remove", "purge", "gc"];
    for word in words.into_iter().map(|word| vec![word]).chain([
        vec!["rescue", "dorp"],
        vec!["rescue", "drp"],
        vec!["hooks", "uninstal"],
    ]) {
        let said = run(foreign.arborist(&word));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{word:?}");
        let advice = said.err.lines().skip(1).filter(|line| !line.contains("Usage:")).collect::<String>();
        for deletes in ["prune", "drop", "uninstall"] {
            assert!(!advice.contains(deletes), "{word:?}: {}", said.err);
        }
    }
    let said = run(foreign.arborist(&["prun"]));
    assert!(said.err.ends_with("`git arborist help -a` lists all commands.\n"), "{}", said.err);
}

#[test]
fn for_a_wrong_option_subcommand_or_value_the_most_similar_one_is_suggested() {
    let foreign = Foreign::of(&[]);
    let cases = [
        (&["status", "--shrot"][..], "'--short'"),
        (&["gardener", "--dryrun"], "'--dry-run'"),
        (&["rescue", "shwo"], "'show'"),
        (&["hooks", "instal"], "'install'"),
        (&["hooks", "install", "--globl"], "'--global'"),
        (&["check", "--format", "jsn"], "'json'"),
    ];
    for (args, near) in cases {
        let said = run(foreign.arborist(args));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
        assert!(said.err.contains(&format!("exists: {near}")), "{args:?}: {}", said.err);
    }
}

/// The lines of all sources, without comments.
fn code() -> String {
    let mut text = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                for line in std::fs::read_to_string(path).unwrap().lines() {
                    if !line.trim_start().starts_with("//") {
                        text.push_str(line.trim_start().trim_end_matches('\\'));
                        text.push('\n');
                    }
                }
            }
        }
    }
    text
}

#[test]
fn every_command_that_a_message_names_exists() {
    let code = code();
    let mut named = BTreeSet::new();
    for (place, mark) in code.match_indices("`git arborist") {
        let words = code[place + mark.len()..].trim_start().split(|c: char| !c.is_ascii_alphabetic());
        named.extend(words.take(1).filter(|word| !word.is_empty()));
    }
    assert!(named.len() > 5, "{named:?}");
    for name in named {
        let known = name == "help" || TABLE.iter().any(|row| row.summary.name == name);
        assert!(known, "a message names `git arborist {name}`, which does not exist");
    }
}

/// A folder with these of our programs and no others.
fn installed(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for name in names {
        std::fs::hard_link(built().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn one_program_contains_every_command() {
    let folder = installed(&["git-arborist"]);
    for command in TABLE.iter().map(|row| row.summary) {
        let mut program = Command::new(folder.path().join("git-arborist"));
        program.args([command.name, "-h"]).env("PATH", folder.path());
        let said = run(program).answer();
        assert!(said.contains(&format!("git arborist {}", command.name)), "{said}");
    }
}

#[test]
fn a_dashed_program_finds_the_main_program_through_a_link_or_says_that_it_is_missing() {
    let folder = installed(&["git-arborist", "git-arborist-status"]);
    let elsewhere = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let link = elsewhere.path().join("git-arborist-status");
    symlink(folder.path().join("git-arborist-status"), &link).unwrap();
    let answer = run({
        let mut program = Command::new(&link);
        program.arg("-h");
        program
    });
    assert!(answer.answer().contains("git arborist status"));

    std::fs::remove_file(folder.path().join("git-arborist")).unwrap();
    let said = run(Command::new(&link));
    assert_eq!((said.code, said.out.as_str()), (4, ""));
    assert!(said.err.contains("git-arborist is not in the same folder"), "{}", said.err);
}
