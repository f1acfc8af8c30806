//! No secret of the environment reaches terminal, log or commit (faults.md S13).

use std::fs;

use crate::support::garden::{Ended, Garden, one_task};

const SECRET: &str = "s3cr3t-0123456789-value";
const LINE: &str = "MIIEvQIBADANBgkqhkiG";

fn run(garden: &Garden, args: &[&str]) -> Ended {
    let mut command = garden.arborist(args);
    command.env("SERVICE_API_KEY", SECRET).env("SIGNING_SECRET", format!("-----BEGIN-----\n{LINE}\n"));
    garden.finish(command)
}

/// Everything that was said, committed, or written to the work tree and the folder of the run.
fn everything(garden: &Garden, ended: &[Ended]) -> String {
    let mut all: String = ended.iter().map(|ended| format!("{}{}", ended.stdout, ended.stderr)).collect();
    all.push_str(&garden.git(&["log", "-p", "--all"]));
    for folder in ["spec/logs", "spec/reports", ".git/arborist"] {
        for entry in fs::read_dir(garden.top().join(folder)).into_iter().flatten().flatten() {
            all.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()));
        }
    }
    all
}

#[test]
fn no_secret_of_the_environment_reaches_terminal_log_or_commit() {
    let shout = "echo \"key=$SERVICE_API_KEY\"; printf '%s' \"${SERVICE_API_KEY%456789*}\"; sleep 0.1; echo 456789-value; \
                 echo \"$SIGNING_SECRET\" >&2; printf '%65530s%s\\n' x \"$SERVICE_API_KEY\"";
    let tests = format!("{shout}; grep -q implement.1 T001.txt");
    let garden = Garden::new(&one_task(&[&tests]));
    garden.agent(&format!("{shout}; echo $ARBORIST_STEP.$ARBORIST_ATTEMPT: {LINE}"));
    let hook = garden.top().join(".git/hooks/pre-commit");
    garden.program(
        &hook,
        "test -e \"$ROOT/ok\" || { echo \"no: $SERVICE_API_KEY\"; echo no: $SERVICE_API_KEY >&2; exit 1; }",
    );
    let refused = run(&garden, &["gardener"]);
    refused.assert(4, &["no: ***"]);
    fs::write(garden.root().join("ok"), "").unwrap();
    let lines = run(&garden, &["gardener", "--max-attempts", "1"]);
    lines.assert(1, &[]);
    let events = run(&garden, &["garden", "T001", "--json"]);
    events.assert(0, &[]);
    let all = everything(&garden, &[refused, lines, events]);
    for part in [SECRET, "s3cr3t", "0123456789", LINE, "BEGIN"] {
        assert!(
            !all.contains(part),
            "{part}: {}",
            &all[all.find(part).unwrap().saturating_sub(300)..][..400]
        );
    }
    assert!(all.contains("key=***\n***\n"), "what was masked is missing: {} bytes", all.len());
}

#[test]
fn a_secret_in_the_words_of_an_agent_that_is_not_logged_in_is_masked() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("echo \"Invalid API key · $SERVICE_API_KEY\"; exit 1");
    run(&garden, &["gardener"]).assert(4, &["Invalid API key · ***"]);
}
