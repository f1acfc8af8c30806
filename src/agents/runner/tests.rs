//! Tests how runners are chosen, found and called.

use std::ffi::OsString;

use super::*;
use crate::agents::RunnerChain;
use crate::agents::activity::Activity;
use crate::agents::invocation::CallOptions;
use crate::agents::schema::AnswerSchema;
use crate::config::{Environment, Override, Setting};
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

/// Looks for programs with these names in a folder, from a work tree elsewhere. They list the options of schemas.
fn programs(names: &[&str]) -> (tempfile::TempDir, Lookup) {
    programs_listing(names, "--json-schema --output-schema")
}

/// The same for programs that list these options.
fn programs_listing(names: &[&str], options: &str) -> (tempfile::TempDir, Lookup) {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        let path = dir.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho '{options}'\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let environment = Environment::of(&[("PATH", dir.path().to_str().unwrap())]);
    let lookup = Lookup::new(&environment, Path::new("/nowhere"));
    (dir, lookup)
}

#[test]
fn agents_get_their_options_their_model_and_read_only_mode_for_reviews() {
    let (_dir, lookup) = programs(&["claude", "codex", "gemini", "opencode", "aider", "cline"]);
    let cases = [
        (
            "claude",
            Role::Implementer,
            "claude --print --output-format stream-json --verbose --permission-mode bypassPermissions --model m",
        ),
        (
            "claude",
            Role::Reviewer,
            "claude --print --output-format stream-json --verbose --tools Read,Grep,Glob --model m --json-schema REVIEW_SCHEMA",
        ),
        (
            "codex",
            Role::Implementer,
            "codex exec --json --skip-git-repo-check -c allow_login_shell=false --sandbox workspace-write --model m -",
        ),
        (
            "codex",
            Role::Reviewer,
            "codex exec --json --skip-git-repo-check -c allow_login_shell=false --sandbox read-only -c features.memories=false -c \
             features.hooks=false -c skills.include_instructions=false -c web_search=\"disabled\" --model m --output-schema \
             review-schema.json -",
        ),
        (
            "gemini",
            Role::Implementer,
            "gemini --output-format stream-json --skip-trust --approval-mode yolo --model m",
        ),
        (
            "opencode",
            Role::Implementer,
            "opencode run --format json --print-logs --log-level ERROR --auto --model m",
        ),
    ];
    for (name, role, expected) in cases {
        let config = config(&[], &[(Setting::Runner, name), (Setting::Model, "m")]);
        let chain = RunnerChain::choose(&config, &lookup, role).unwrap();
        assert_eq!(chain.first().command_line(role), expected);
        assert_eq!(chain.first().label(), format!("{name}/m"));
    }
}

#[test]
fn how_much_a_model_thinks_goes_to_the_agents_that_can_be_told() {
    let (_dir, lookup) = programs(&["claude", "codex", "gemini", "opencode"]);
    let line = |name: &str, role| {
        let config = config(&[("effort", "low"), ("review.effort", "high")], &[(Setting::Runner, name)]);
        RunnerChain::choose(&config, &lookup, role).unwrap().first().command_line(role)
    };
    assert!(line("claude", Role::Implementer).contains(" --effort low"));
    assert!(line("claude", Role::Reviewer).contains(" --effort high"));
    assert!(line("codex", Role::Implementer).contains(" -c model_reasoning_effort=low"));
    assert!(line("opencode", Role::Reviewer).contains(" --variant high"));
    assert!(!line("gemini", Role::Implementer).contains("low"));
}

#[test]
fn a_session_is_continued_behind_all_options() {
    let (_dir, lookup) = programs(&["codex"]);
    let config = config(&[], &[(Setting::Runner, "codex")]);
    let chain = RunnerChain::choose(&config, &lookup, Role::Reviewer).unwrap();
    let activity = Activity { session: Some("s1".to_owned()), ..Activity::default() };
    let session = PastSession::of_activity(&activity);
    let options = CallOptions {
        role: Role::Reviewer,
        prompt_file: Path::new("/p/prompt.md"),
        session: session.as_ref(),
        max_cost: None,
        schema: Some(AnswerSchema::of(Role::Reviewer)),
    };
    let args = chain.first().invocation_with(options).args;
    let end = ["--output-schema", "/p/review-schema.json", "resume", "s1", "-"];
    assert!(args.ends_with(&end.map(OsString::from)), "{args:?}");
}

#[test]
fn an_answer_is_bound_to_its_schema_only_if_every_runner_that_may_step_in_knows_it() {
    let (_dir, lookup) = programs(&["claude", "codex", "gemini"]);
    for (names, expected) in [("claude,codex", true), ("claude,gemini", false), ("gemini,claude", false)] {
        let config = config(&[], &[(Setting::Runner, names)]);
        let chain = RunnerChain::choose(&config, &lookup, Role::Implementer).unwrap();
        assert_eq!(RunnerChain::take_schema(&[chain]), expected, "{names}");
    }
    let (_dir, old) = programs_listing(&["claude"], "--json-schema-of-others");
    let chain = RunnerChain::choose(&config(&[], &[]), &old, Role::Implementer).unwrap();
    assert!(!RunnerChain::take_schema(&[chain]), "an old version");
    assert!(!RunnerChain::take_schema(&[]));
}

#[test]
fn a_program_gets_only_those_arguments_for_newer_versions_that_its_help_lists() {
    let all = "--json-schema --safe-mode --strict-mcp-config --permission-prompts --policy --extensions --allowed-mcp-server-names \
               --pure";
    let cases = [
        (
            "claude",
            Role::Reviewer,
            all,
            "--tools Read,Grep,Glob --safe-mode --strict-mcp-config --json-schema REVIEW_SCHEMA",
        ),
        ("claude", Role::Reviewer, "--strict-mcp-config", "--tools Read,Grep,Glob --strict-mcp-config"),
        (
            "claude",
            Role::Implementer,
            all,
            "--permission-prompts none --permission-mode acceptEdits --allowed-tools \
             Bash,WebFetch,WebSearch,Task,Skill,NotebookEdit,mcp__*",
        ),
        ("claude", Role::Implementer, "", "--permission-mode bypassPermissions"),
        ("qwen", Role::Reviewer, all, "--approval-mode plan --safe-mode --json-schema REVIEW_SCHEMA"),
        ("qwen", Role::Implementer, all, "--approval-mode yolo"),
        (
            "gemini",
            Role::Reviewer,
            all,
            "--policy review-policy.toml --approval-mode default --extensions none --allowed-mcp-server-names none",
        ),
        ("gemini", Role::Reviewer, "", "--skip-trust --approval-mode plan"),
        ("opencode", Role::Reviewer, all, "--agent arborist-review --pure"),
    ];
    for (name, role, help, expected) in cases {
        let (_dir, lookup) = programs_listing(&[name], help);
        let chain = RunnerChain::choose(&config(&[], &[(Setting::Runner, name)]), &lookup, role).unwrap();
        let runner = chain.first();
        let line = runner.command_line(role);
        assert!(line.ends_with(expected), "{line}");
        assert_eq!(runner.refuses_root(role), line.contains("bypassPermissions"), "{line}");
    }
    let config = config(&[], &[(Setting::Runner, "claude"), (Setting::Permissions, "bypass")]);
    let (_dir, lookup) = programs_listing(&["claude"], all);
    let chain = RunnerChain::choose(&config, &lookup, Role::Implementer).unwrap();
    assert!(chain.first().command_line(Role::Implementer).ends_with("--permission-mode bypassPermissions"));
}

#[test]
fn a_prompt_goes_by_standard_input_or_by_a_file_and_is_never_an_argument() {
    let (_dir, lookup) = programs(&["claude", "agy", "aider", "cline"]);
    for (name, takes_stdin, last) in [
        ("claude", true, "bypassPermissions"),
        ("aider", false, "/git/prompt"),
        ("agy", false, "Your task is in the file /git/prompt. Read all of it first, then do what it says."),
        ("cline", true, "Do what standard input says."),
    ] {
        let config = config(&[], &[(Setting::Runner, name)]);
        let chain = RunnerChain::choose(&config, &lookup, Role::Implementer).unwrap();
        let invocation = chain.first().invocation(Role::Implementer, Path::new("/git/prompt"));
        assert_eq!(invocation.takes_stdin, takes_stdin, "{name}");
        assert_eq!(invocation.args.last().unwrap(), last, "{name}");
    }
}

#[test]
fn runners_after_a_comma_step_in_and_those_that_are_missing_are_named() {
    let (_dir, lookup) = programs(&["codex", "gemini"]);
    let chosen = |runner: &str, model: &str| {
        let mut options = vec![(Setting::Runner, runner)];
        options.extend((!model.is_empty()).then_some((Setting::Model, model)));
        RunnerChain::choose(&config(&[], &options), &lookup, Role::Implementer)
    };
    let chain = chosen("claude, codex, gemini", "opus,,flash").unwrap();
    assert_eq!(chain.labels(), "codex, then gemini/flash");
    assert!(chain.missing()[0].contains("the runner claude is not installed"));
    assert_eq!(chosen("codex,gemini", "gpt-5").unwrap().labels(), "codex/gpt-5, then gemini");
    for (runner, model, words) in [
        ("claude,opencode", "", "the runner claude is not installed"),
        ("codex,nosuch", "", "no runner named nosuch"),
        ("codex,codex", "", "codex is named twice"),
        ("codex,", "", "empty name"),
        ("codex,gemini", "a,b,c", "2 runners, but 3 models"),
    ] {
        let error = chosen(runner, model).unwrap_err();
        assert!(error.what().contains(words), "{error}");
    }
}

#[test]
fn a_command_of_the_user_may_print_the_stream_of_a_known_agent() {
    let (_dir, lookup) = programs(&["sh"]);
    let protocol = |name: &str| {
        let pairs = [("runner.x.command", "wrapper"), ("runner.x.protocol", name), ("runner", "x")];
        RunnerChain::choose(&config(&pairs, &[]), &lookup, Role::Implementer)
    };
    assert_eq!(protocol("claude").unwrap().first().protocol(), Protocol::Claude);
    let error = protocol("cluade").unwrap_err();
    assert!(error.what().contains("arborist.runner.x.protocol is `cluade`"), "{error}");
    assert!(error.remedy().contains("Did you mean claude?"), "{error}");
}

#[test]
fn an_agent_gets_its_variables_unless_the_user_has_set_them() {
    let (_dir, lookup) = programs(&["claude"]);
    let config = config(&[], &[(Setting::Runner, "claude")]);
    let env = |lookup: &Lookup| {
        let chain = RunnerChain::choose(&config, lookup, Role::Implementer).unwrap();
        chain.first().invocation(Role::Implementer, Path::new("/prompt")).env
    };
    assert_eq!(env(&lookup), [("CLAUDE_CODE_MAX_RETRIES", "2"), ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")]);
    let environment = Environment::of(&[("CLAUDE_CODE_MAX_RETRIES", "9")]);
    let mut lookup = lookup.clone();
    lookup.environment = environment;
    let left = env(&lookup);
    assert_eq!(left, [("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")]);
}

#[test]
fn the_first_installed_agent_is_used_if_none_is_chosen() {
    let (_dir, lookup) = programs(&["gemini", "codex"]);
    let chain = RunnerChain::choose(&config(&[], &[]), &lookup, Role::Implementer).unwrap();
    let runner = chain.first();
    assert_eq!(runner.label(), "codex");
}

#[test]
fn if_no_agent_is_found_the_error_lists_the_known_ones_and_says_how_to_configure_another() {
    let (_dir, lookup) = programs(&[]);
    let error = RunnerChain::choose(&config(&[], &[]), &lookup, Role::Implementer).unwrap_err();
    assert_eq!(error.kind(), Kind::Environment);
    assert!(error.what().contains("claude, codex, gemini, opencode"));
    assert!(error.remedy().contains("arborist.runner.mine.command"));
}

#[test]
fn a_command_of_the_user_runs_in_the_shell_and_wins_over_an_agent_of_that_name() {
    let (_dir, lookup) = programs(&["sh", "claude"]);
    let config = config(&[("runner", "claude"), ("runner.claude.command", "my \"agent\" -x")], &[]);
    let chain = RunnerChain::choose(&config, &lookup, Role::Implementer).unwrap();
    let invocation = chain.first().invocation(Role::Implementer, Path::new("/prompt"));
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
        let error = RunnerChain::choose(&config, &lookup, Role::Implementer).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.remedy().contains(remedy), "{error}");
    }
}

#[test]
fn a_program_inside_the_work_tree_is_refused() {
    let (dir, lookup) = programs(&["claude"]);
    let mut inside = lookup.clone();
    dir.path().clone_into(&mut inside.top);
    let error = RunnerChain::choose(&config(&[], &[(Setting::Runner, "claude")]), &inside, Role::Implementer)
        .unwrap_err();
    assert!(error.what().contains("is inside this work tree"), "{error}");
}
