//! How runners are chosen, found and called.

use super::*;
use crate::config::Setting;
use crate::git::ConfigEntry;

fn config(pairs: &[(&str, &str)], options: &[(Setting, &str)]) -> Config {
    let entry = |(key, value): &(&str, &str)| ConfigEntry {
        scope: "local".to_owned(),
        origin: "file:.git/config".to_owned(),
        key: format!("arborist.{key}"),
        value: (*value).to_owned(),
    };
    let entries: Vec<ConfigEntry> = pairs.iter().map(entry).collect();
    let overrides =
        options.iter().map(|(setting, text)| (*setting, "--option", (*text).to_owned())).collect();
    Config::load(&Environment::default(), &entries, Path::new("/nowhere"), &overrides).unwrap()
}

/// A folder of programs with these names, and the work tree that they are looked for from.
fn programs(names: &[&str]) -> (tempfile::TempDir, Lookup) {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        let path = dir.path().join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let lookup = Lookup {
        path: Some(dir.path().into()),
        top: PathBuf::from("/nowhere"),
        zone: LocalZone::of(&Environment::default()),
    };
    (dir, lookup)
}

#[test]
fn agents_get_their_flags_their_model_and_their_reading_mode() {
    let (_dir, lookup) = programs(&["claude", "codex", "gemini", "opencode"]);
    let cases = [
        ("claude", Role::Implementer, "claude --print --dangerously-skip-permissions --model m"),
        ("claude", Role::Reviewer, "claude --print --model m"),
        (
            "codex",
            Role::Implementer,
            "codex exec --sandbox workspace-write --skip-git-repo-check --model m -",
        ),
        ("codex", Role::Reviewer, "codex exec --sandbox read-only --skip-git-repo-check --model m -"),
        ("gemini", Role::Implementer, "gemini --approval-mode yolo --model m"),
        ("opencode", Role::Implementer, "opencode run --model m"),
    ];
    for (name, step, expected) in cases {
        let config = config(&[], &[(Setting::Runner, name), (Setting::Model, "m")]);
        let runner = Runner::choose(&config, &lookup, step).unwrap();
        assert_eq!(runner.command_line(step), expected);
        assert_eq!(runner.label(), format!("{name}/m"));
    }
}

#[test]
fn the_first_installed_agent_is_taken_where_none_is_chosen() {
    let (_dir, lookup) = programs(&["gemini", "codex"]);
    let runner = Runner::choose(&config(&[], &[]), &lookup, Role::Implementer).unwrap();
    assert_eq!(runner.label(), "codex");
}

#[test]
fn without_any_agent_the_error_lists_what_was_looked_for_and_how_to_configure_one() {
    let (_dir, lookup) = programs(&[]);
    let error = Runner::choose(&config(&[], &[]), &lookup, Role::Implementer).unwrap_err();
    assert_eq!(error.kind(), Kind::Environment);
    assert!(error.what().contains("claude, codex, gemini, opencode"));
    assert!(error.remedy().contains("arborist.runner.mine.command"));
}

#[test]
fn a_command_of_the_users_own_runs_by_the_shell_and_wins_over_an_agent_of_that_name() {
    let (_dir, lookup) = programs(&["sh", "claude"]);
    let config = config(&[("runner", "claude"), ("runner.claude.command", "my \"agent\" -x")], &[]);
    let invocation =
        Runner::choose(&config, &lookup, Role::Implementer).unwrap().invocation(Role::Implementer);
    assert!(invocation.program.ends_with("sh"));
    assert_eq!(invocation.args, ["-c", "my \"agent\" -x"]);
}

#[test]
fn unknown_names_missing_programs_and_empty_commands_are_told_apart() {
    let (_dir, lookup) = programs(&[]);
    let cases = [
        (config(&[], &[(Setting::Runner, "cluade")]), Kind::Input, "Did you mean claude?"),
        (
            config(&[], &[(Setting::Runner, "claude")]),
            Kind::Environment,
            "npm install -g @anthropic-ai/claude-code",
        ),
        (
            config(&[("runner", "x"), ("runner.x.command", " ")], &[]),
            Kind::Input,
            "arborist.runner.x.command",
        ),
    ];
    for (config, kind, remedy) in cases {
        let error = Runner::choose(&config, &lookup, Role::Implementer).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.remedy().contains(remedy), "{error}");
    }
}

#[test]
fn a_program_that_lies_in_the_work_tree_is_not_taken() {
    let (dir, lookup) = programs(&["claude"]);
    let inside = Lookup { top: dir.path().to_owned(), ..lookup };
    let error =
        Runner::choose(&config(&[], &[(Setting::Runner, "claude")]), &inside, Role::Implementer).unwrap_err();
    assert!(error.what().contains("is inside this work tree"), "{error}");
}
