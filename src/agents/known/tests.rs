//! Tests how runners are chosen, found and called.

use super::*;
use crate::config::{Override, Setting};
use crate::git::ConfigEntry;

fn config(pairs: &[(&str, &str)], options: &[(Setting, &str)]) -> Config {
    let entry = |(key, value): &(&str, &str)| ConfigEntry {
        scope: "local".to_owned(),
        origin: "file:.git/config".to_owned(),
        key: format!("arborist.{key}"),
        value: (*value).to_owned(),
    };
    let entries: Vec<ConfigEntry> = pairs.iter().map(entry).collect();
    let overrides: Vec<Override> =
        options.iter().map(|(setting, text)| Override::new(*setting, "--option", *text)).collect();
    Config::load(&Environment::default(), &entries, Path::new("/nowhere"), &overrides).unwrap()
}

/// Looks for programs with these names in a folder, from a work tree elsewhere.
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
fn agents_get_their_options_their_model_and_read_only_mode_for_reviews() {
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
fn the_first_installed_agent_is_used_if_none_is_chosen() {
    let (_dir, lookup) = programs(&["gemini", "codex"]);
    let runner = Runner::choose(&config(&[], &[]), &lookup, Role::Implementer).unwrap();
    assert_eq!(runner.label(), "codex");
}

#[test]
fn if_no_agent_is_found_the_error_lists_the_known_ones_and_says_how_to_configure_another() {
    let (_dir, lookup) = programs(&[]);
    let error = Runner::choose(&config(&[], &[]), &lookup, Role::Implementer).unwrap_err();
    assert_eq!(error.kind(), Kind::Environment);
    assert!(error.what().contains("claude, codex, gemini, opencode"));
    assert!(error.remedy().contains("arborist.runner.mine.command"));
}

#[test]
fn a_command_of_the_user_runs_in_the_shell_and_wins_over_an_agent_of_that_name() {
    let (_dir, lookup) = programs(&["sh", "claude"]);
    let config = config(&[("runner", "claude"), ("runner.claude.command", "my \"agent\" -x")], &[]);
    let invocation =
        Runner::choose(&config, &lookup, Role::Implementer).unwrap().invocation(Role::Implementer);
    assert!(invocation.program.ends_with("sh"));
    assert_eq!(invocation.args, ["-c", "my \"agent\" -x"]);
}

#[test]
fn unknown_names_missing_programs_and_empty_commands_have_different_errors() {
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
fn a_program_inside_the_work_tree_is_refused() {
    let (dir, lookup) = programs(&["claude"]);
    let inside = Lookup { top: dir.path().to_owned(), ..lookup };
    let error =
        Runner::choose(&config(&[], &[(Setting::Runner, "claude")]), &inside, Role::Implementer).unwrap_err();
    assert!(error.what().contains("is inside this work tree"), "{error}");
}
