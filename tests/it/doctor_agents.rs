//! Tests `git arborist doctor agents`: what cannot be known is never ticked, and no agent can stop, flood or change anything.

use serde_json::Value;

use crate::support::agents::say;
use crate::support::garden::{Ended, Garden, one_task};

/// A list of the options with which claude is started.
const HELP: &str =
    "--print --output-format --verbose --permission-mode --tools --max-budget-usd --model --effort";

/// A repository, and a folder of agents at the beginning of PATH.
struct Clinic {
    garden: Garden,
}

impl Clinic {
    fn new() -> Self {
        Self { garden: Garden::new(&one_task(&["test -f T001.txt"])) }
    }

    /// Installs an agent that answers these arguments with these shell commands.
    fn install(&self, agent: &str, version: &str, help: &str) {
        self.install_with_work(agent, version, help, "exit 9");
    }

    fn install_with_work(&self, agent: &str, version: &str, help: &str, work: &str) {
        let script = format!(
            "case $* in --version) {version};; *--help) {help};; *) cat > /dev/null; {work};; esac\nexit $?"
        );
        self.garden.program(&self.garden.root().join("agents").join(agent), &script);
    }

    fn doctor(&self, args: &[&str], variables: &[(&str, &str)]) -> Ended {
        let agents = self.garden.root().join("agents");
        let mut command = self.garden.arborist(&[&["doctor", "agents"], args].concat());
        command.env("PATH", format!("{}:{}", agents.display(), self.garden.path_with(&agents)));
        command.env_remove("IS_SANDBOX").env_remove("ANTHROPIC_API_KEY");
        command.env("IS_SANDBOX", "1").envs(variables.iter().copied());
        self.garden.finish(command)
    }

    /// The diagnoses of one agent: what, health, words and remedy.
    fn rows(&self, agent: &str, args: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
        rows(&self.doctor(&[&[agent, "--json"], args].concat(), variables), agent)
    }

    #[track_caller]
    fn row(&self, agent: &str, what: &str) -> String {
        let rows = self.rows(agent, &[], &[]);
        find(&rows, what)
    }
}

#[track_caller]
fn find(rows: &[String], what: &str) -> String {
    let found = rows.iter().find(|row| row.starts_with(&format!("{what} | ")));
    found.unwrap_or_else(|| panic!("nothing about {what}: {rows:#?}")).clone()
}

fn rows(ended: &Ended, agent: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let agents = document["agents"].as_array().unwrap();
    let found = agents.iter().find(|one| one["name"] == agent).unwrap_or_else(|| panic!("{document:#}"));
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let diagnoses = found["diagnoses"].as_array().unwrap().iter();
    diagnoses.map(|row| ["what", "health", "words", "remedy"].map(|key| text(row, key)).join(" | ")).collect()
}

#[test]
fn an_agent_that_takes_our_options_is_ticked_with_its_version_and_its_login() {
    let clinic = Clinic::new();
    clinic.install("claude", "echo '2.1.330 (Claude Code)'", &format!("echo '{HELP}'"));
    clinic.install("pi", "echo 0.74.2 >&2", "echo '--print --mode --tools --model' >&2");
    let ended = clinic.doctor(&[], &[("ANTHROPIC_API_KEY", "key-that-is-secret")]);
    ended.assert(0, &[]);
    assert!(ended.stdout.contains("2.1.330 (Claude Code)"), "{}", ended.stdout);
    assert!(ended.stdout.contains("lists all that we use"), "{}", ended.stdout);
    assert!(ended.stdout.contains("likely: ANTHROPIC_API_KEY is set"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("key-that-is-secret"), "{}", ended.stdout);
    assert!(ended.stdout.lines().all(|line| !line.starts_with("FAIL")), "{}", ended.stdout);
    assert!(ended.stdout.contains("not installed: "), "{}", ended.stdout);
    // Some agents print everything on standard error.
    assert!(clinic.row("pi", "version").contains("0.74.2"), "{}", clinic.row("pi", "version"));
    assert!(clinic.row("pi", "options").starts_with("options | good | "), "{}", clinic.row("pi", "options"));
}

#[test]
fn an_option_that_a_version_does_not_list_is_named() {
    let clinic = Clinic::new();
    let help = HELP.replace("--permission-mode", "--permission-modes").replace("--tools ", "");
    clinic.install("claude", "echo 9.9", &format!("echo '{help}'"));
    let ended = clinic.doctor(&["claude"], &[]);
    ended.assert(1, &[]);
    let row = clinic.row("claude", "options");
    assert!(row.starts_with("options | bad | "), "{row}");
    assert!(row.contains("does not list --tools, --permission-mode, with which we start it"), "{row}");
    assert!(row.contains("npm install -g @anthropic-ai/claude-code"), "{row}");
}

#[test]
fn options_that_cannot_be_read_are_not_known() {
    let clinic = Clinic::new();
    let cases = [
        (format!("echo '{HELP}'; exit 1"), "exit status 1"),
        ("true".to_owned(), "it printed nothing"),
        ("head -c 3000000 /dev/zero | tr '\\0' 'x'".to_owned(), "more than can be read"),
        ("yes".to_owned(), "it printed more than 16 MiB"),
        ("kill -9 $$".to_owned(), "killed by signal 9"),
    ];
    for (help, words) in cases {
        clinic.install("claude", "echo 2.0", &help);
        let row = clinic.row("claude", "options");
        assert!(row.starts_with("options | note | not known: ") && row.contains(words), "{help}: {row}");
        assert!(clinic.row("claude", "version").contains("2.0"));
    }
}

#[test]
fn a_program_that_hangs_is_ended_and_not_known() {
    let clinic = Clinic::new();
    clinic.garden.config("arborist.runnerTimeout", "1");
    clinic.install("claude", "sleep 1000", "sleep 1000");
    let rows = clinic.rows("claude", &[], &[]);
    for what in ["version", "options"] {
        let row = find(&rows, what);
        assert!(row.starts_with(&format!("{what} | note | not known: ")), "{row}");
        assert!(row.contains("its timeout of 1 s"), "{row}");
    }
    clinic.garden.assert_nothing_runs();
}

#[test]
fn a_version_is_one_clean_line() {
    let clinic = Clinic::new();
    let version =
        "printf '\\n\\033[31m1.2\\007\\033]0;title\\007 \\342\\200\\256beta\\033[0m\\nsecond line\\n'";
    clinic.install("claude", version, &format!("echo '{HELP}'"));
    let ended = clinic.doctor(&["claude"], &[]);
    let line = ended.stdout.lines().find(|line| line.contains(" version ")).unwrap();
    assert!(line.contains("1.2") && line.contains("beta"), "{line:?}");
    let is_strange = |character: char| character.is_control() || character == '\u{202e}';
    assert!(!line.contains(is_strange) && !ended.stdout.contains("second line"), "{:?}", ended.stdout);
    clinic.install("claude", "printf 'v%01000d' 1", &format!("echo '{HELP}'"));
    assert!(clinic.row("claude", "version").len() < 100);
    clinic.install("claude", "echo broken; exit 3", &format!("echo '{HELP}'"));
    let row = clinic.row("claude", "version");
    assert!(row.contains("not known: `--version`: exit status 3 (it says: broken)"), "{row}");
}

#[test]
fn an_agent_that_is_far_behind_is_named_with_the_command_that_updates_it() {
    let clinic = Clinic::new();
    clinic.install("claude", "echo '2.0.76 (Claude Code)'", &format!("echo '{HELP}'"));
    assert!(clinic.row("claude", "version").starts_with("version | good | "));
    clinic.install("claude", "echo '1.0.76 (Claude Code)'", &format!("echo '{HELP}'"));
    let row = clinic.row("claude", "version");
    assert!(row.starts_with("version | note | 1.0.76 (Claude Code), which is far behind 2.1."), "{row}");
    assert!(row.contains("npm install -g @anthropic-ai/claude-code@latest"), "{row}");
}

#[test]
fn an_agent_that_is_named_and_missing_is_a_problem_and_an_unknown_name_an_error() {
    let clinic = Clinic::new();
    let missing = clinic.doctor(&["goose", "--json"], &[]);
    missing.assert(1, &[]);
    let row = find(&rows(&missing, "goose"), "program");
    assert!(row.starts_with("program | bad | it is not installed: no program goose is on PATH"), "{row}");
    clinic.doctor(&["cluade"], &[]).assert(2, &["there is no runner named cluade", "Did you mean claude?"]);
    // A plan must not supply the program that works on it.
    let inside = clinic.garden.top().join("tools");
    clinic.garden.program(&inside.join("goose"), ": > \"$ROOT/ran\"");
    let mut command = clinic.garden.arborist(&["doctor", "agents", "goose"]);
    command.env("PATH", format!("{}:{}", inside.display(), clinic.garden.path_with(&inside)));
    let ended = clinic.garden.start(command).wait();
    ended.assert(1, &[]);
    assert!(ended.stdout.contains("is inside this work tree"), "{ended:?}");
    assert!(!clinic.garden.root().join("ran").exists());
}

#[test]
fn claude_refuses_root_outside_a_sandbox() {
    let id = std::process::Command::new("id").arg("-u").output().unwrap();
    let clinic = Clinic::new();
    clinic.install("claude", "echo 2.0", &format!("echo '{HELP}'"));
    let rows = |sandbox: &str| {
        let agents = clinic.garden.root().join("agents");
        let mut command = clinic.garden.arborist(&["doctor", "agents", "claude", "--json"]);
        command.env("PATH", format!("{}:{}", agents.display(), clinic.garden.path_with(&agents)));
        command.env_remove("IS_SANDBOX").envs(Some(("IS_SANDBOX", sandbox)).filter(|_| !sandbox.is_empty()));
        self::rows(&clinic.garden.finish(command), "claude")
    };
    if id.stdout.trim_ascii() != b"0" {
        assert!(!rows("").iter().any(|row| row.starts_with("root | ")));
        return;
    }
    let refuses = find(&rows(""), "root");
    assert!(refuses.starts_with("root | bad | ") && refuses.contains("IS_SANDBOX=1"), "{refuses}");
    assert!(find(&rows("1"), "root").starts_with("root | good | "));
}

#[test]
fn a_runner_of_git_config_is_checked_as_far_as_its_command_can_be() {
    let clinic = Clinic::new();
    clinic.garden.config("arborist.runner.wrapped.command", "no-such-wrapper --fast");
    clinic.garden.config("arborist.runner.wrapped.protocol", "claude");
    let ended = clinic.doctor(&["wrapped"], &[]);
    ended.assert(1, &[]);
    assert!(ended.stdout.contains("there is no program no-such-wrapper on PATH"), "{}", ended.stdout);
    clinic.garden.runner("wrapped", "cat > /dev/null");
    let row = clinic.row("wrapped", "program");
    assert!(row.starts_with("program | good | ") && row.contains("read as claude"), "{row}");
    // It takes the place of an agent that is installed.
    clinic.install("claude", ": > \"$ROOT/asked\"", ": > \"$ROOT/asked\"");
    clinic.garden.runner("claude", "cat > /dev/null");
    clinic.doctor(&[], &[]).assert(0, &[]);
    assert!(!clinic.garden.root().join("asked").exists());
}

#[test]
fn a_probe_tells_whether_an_agent_answers_and_its_stream_can_be_read() {
    let clinic = Clinic::new();
    let help = HELP.replace("--tools ", "");
    let works = format!("{}\nsay READY", say("claude"));
    clinic.install_with_work("claude", "echo 2.0", &format!("echo '{help}'"), &works);
    let rows = |clinic: &Clinic| clinic.rows("claude", &["--probe"], &[]);
    let found = rows(&clinic);
    assert!(find(&found, "probe").starts_with("probe | good | claude answered `READY` after "), "{found:#?}");
    assert!(find(&found, "stream").contains("it was read: 1 turn and a final message"), "{found:#?}");
    // It works, so the option is only hidden, and it is logged in.
    assert!(find(&found, "options").starts_with("options | note | "), "{found:#?}");
    assert!(!found.iter().any(|row| row.starts_with("login | ")), "{found:#?}");

    let refused = r#"printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"}\n'; exit 1"#;
    clinic.install_with_work("claude", "echo 2.0", &format!("echo '{HELP}'"), refused);
    let found = rows(&clinic);
    assert!(find(&found, "probe").starts_with("probe | bad | claude: claude is not logged in"), "{found:#?}");
    assert!(find(&found, "stream").starts_with("stream | note | "), "{found:#?}");

    clinic.install_with_work("claude", "echo 2.0", &format!("echo '{HELP}'"), "echo READY");
    let found = rows(&clinic);
    assert!(find(&found, "probe").starts_with("probe | bad | "), "{found:#?}");
    assert!(find(&found, "stream").contains("nothing of it could be read"), "{found:#?}");
}

#[test]
fn programs_are_asked_in_an_empty_folder_that_is_removed_and_without_a_terminal() {
    let clinic = Clinic::new();
    let looks = "{ pwd; ls -A; tty; cat; } > \"$ROOT/seen\"; : > left; echo 1.0";
    clinic.install("claude", looks, &format!("echo '{HELP}'"));
    clinic.row("claude", "version");
    let seen = std::fs::read_to_string(clinic.garden.root().join("seen")).unwrap();
    let lines: Vec<&str> = seen.lines().collect();
    assert!(matches!(lines[..], [_, "not a tty"]), "{seen}");
    assert!(lines[0].contains("git-arborist-doctor-") && !std::path::Path::new(lines[0]).exists(), "{seen}");
}
