//! Tests that no secret of the environment reaches a terminal, a log or a commit (row S13).

use std::fs;

use crate::support::cli::{PLAN, Story, arborist, on_terminal};
use crate::support::garden::{Ended, Garden, one_task};
use crate::support::repo::Repo;
use git_arborist::record::Outcome;

const SECRET: &str = "s3cr3t-0123456789-value";
const LINE: &str = "MIIEvQIBADANBgkqhkiG";

fn run(garden: &Garden, args: &[&str]) -> Ended {
    run_in(garden, args, &[])
}

fn run_in(garden: &Garden, args: &[&str], more: &[(&str, &str)]) -> Ended {
    let mut command = garden.arborist(args);
    command.env("SERVICE_API_KEY", SECRET).env("SIGNING_SECRET", format!("-----BEGIN-----\n{LINE}\n"));
    command.envs(more.iter().copied());
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
    garden.agent(&format!("{shout}; echo $ARBORIST_STEP.$ARBORIST_ATTEMPT: {LINE} and that is all."));
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
fn a_secret_in_the_output_of_an_agent_that_is_not_logged_in_is_masked() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("echo \"Invalid API key · $SERVICE_API_KEY\"; exit 1");
    run(&garden, &["gardener"]).assert(4, &["Invalid API key · ***"]);
}

/// Invisible output between the characters of a text, as arguments of `printf`. Each begins with one byte.
const UNSEEN: [&str; 14] = [
    "\\033[01;31m\\033[K",
    "\\033[m",
    "\\033]0;title\\007",
    "\\033]8;;http://x\\033\\\\",
    "\\033(B",
    "\\033P1;2|x\\033\\\\",
    "\\010",
    "\\000",
    "\\177",
    "\\302\\233K",
    "\\342\\200\\213",
    "\\342\\200\\256",
    "\\330\\234",
    "\\302\\255",
];

#[test]
fn a_secret_with_invisible_characters_between_its_letters_is_masked() {
    let (head, tail) = SECRET.split_at(6);
    // In one piece, and in two with a pause in the middle of what is between.
    let split = |unseen: &str| {
        let (first, rest) = unseen.split_at(4);
        format!("printf '<{head}{unseen}{tail}>\\n<{head}{first}'; sleep 0.02; printf -- '{rest}{tail}>\\n'")
    };
    let shout: String =
        UNSEEN.map(|unseen| format!("{{ {}; }}\n{{ {}; }} >&2\n", split(unseen), split(unseen))).concat();
    let tests = "sh \"$ROOT/shout\"; grep -q implement.1 T001.txt";
    let garden = Garden::new(&one_task(&[tests]));
    fs::write(garden.root().join("shout"), &shout).unwrap();
    garden.agent("sh \"$ROOT/shout\"; test $work != T001.review.1 || { echo REJECTED; exit; }");
    garden.program(
        &garden.top().join(".git/hooks/pre-commit"),
        "test -e \"$ROOT/ok\" || { sh \"$ROOT/shout\"; exit 1; }",
    );
    let refused = run(&garden, &["gardener"]);
    assert_eq!(refused.status, 4, "{refused:#?}");
    fs::write(garden.root().join("ok"), "").unwrap();
    let events = run(&garden, &["gardener", "--json"]);
    events.assert(0, &[]);
    let shown = run(&garden, &["show", "T001"]);
    let next = run(&garden, &["next", "--json"]);
    let all = everything(&garden, &[refused, events, shown, next]);
    let prompts: String = garden.prompts().into_iter().map(|(_, text)| text).collect();
    for text in [&all, &prompts] {
        for part in [SECRET, "s3cr3t", "0123456789"] {
            let at = text.find(part).map(|at| text[..at].chars().rev().take(300).collect::<Vec<_>>());
            assert_eq!(at, None, "{part}");
        }
        assert!(text.contains("<***>\n<***>"), "what was masked is missing");
    }
}

#[test]
fn ordinary_words_are_not_masked_no_matter_which_variable_holds_them() {
    let ordinary = [
        ("HOTKEY_MODE", "disabled"),
        ("KEYBOARD_LAYOUT", "international"),
        ("TOKEN_EXPIRES_IN", "31536000"),
        ("SECRET_BACKEND", "database"),
        ("API_KEY", "undefined"),
        ("DB_PASSWORD", "password"),
        ("MONKEY_URL", "https://monkey.example.com/path/to"),
        ("KEY_DATE", "2026-11-21T10:00:00Z"),
    ];
    let words: Vec<&str> = ordinary.iter().map(|(_, value)| *value).collect();
    let garden = Garden::new(&one_task(&[]));
    garden.agent(&format!("echo \"{} $SERVICE_API_KEY\"", words.join(" ")));
    run_in(&garden, &["gardener"], &ordinary).assert(0, &[]);
    assert!(garden.git(&["log", "--format=%B"]).contains(&format!("{} ***", words.join(" "))));
}

#[test]
fn passwords_in_addresses_and_values_of_less_usual_names_are_masked() {
    let secret = [
        ("MYSQL_PWD", "hunter2hunterX"),
        ("SSH_PRIVATE", "Zq81mmPLs9"),
        ("AUTH", "zzzQ9zzz17x"),
        ("DOCKER_AUTH_CONFIG", r#"{"auths":{"x":{"auth":"dXNlcjpwYXNzMTIz"}}}"#),
        ("SENTRY_DSN", "https://ab12cd34ef56@sentry.example.com/1"),
    ];
    let addresses = [
        ("DATABASE_URL", "postgres://u:s3cr3tpwQ99@h/db"),
        ("REDIS_URL", "redis://:r3disPw77x@h"),
        ("https_proxy", "http://me:Kq72nnWLt8@localhost:1"),
    ];
    let environment = [&secret[..], &addresses[..]].concat();
    let names: Vec<String> = environment.iter().map(|(name, _)| format!("{name}=<${name}>")).collect();
    let garden = Garden::new(&one_task(&[]));
    garden.agent(&format!("echo \"{} in $PWD\"; echo s3cr3tpwQ99 dXNlcjpwYXNzMTIz.", names.join(" ")));
    let ended = run_in(&garden, &["gardener"], &environment);
    ended.assert(0, &[]);
    let all = everything(&garden, &[ended]);
    for (name, value) in secret {
        assert!(!all.contains(value) && all.contains(&format!("{name}=<***>")), "{name}: {all}");
    }
    for clear in [
        "DATABASE_URL=<postgres://u:***@h/db>",
        "REDIS_URL=<redis://:***@h>",
        "https_proxy=<http://me:***@localhost:1>",
        &format!(" in {}\n", garden.top().display()),
        "*** ***.\n",
    ] {
        assert!(all.contains(clear), "{clear}: {all}");
    }
}

#[test]
fn a_secret_in_a_plan_is_warned_of_and_masked_in_subjects_prompts_events_and_reports() {
    let token = format!("ghp_{}", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi");
    for secret in [token.as_str(), SECRET] {
        // One name is so long that the subject cuts the secret into pieces.
        for name in
            [format!("Use {secret} here"), format!("A name of a client that uses {secret} for all calls")]
        {
            let mut plan = one_task(&["grep -q implement.1 T001.txt"]);
            plan["nodes"]["T001"]["name"] = name.into();
            plan["nodes"]["T001"]["description"] = format!("Call it\nwith {secret}.").into();
            let garden = Garden::new(&plan);
            let dry = run(&garden, &["gardener", "--dry-run"]);
            let lines = run(&garden, &["gardener", "--max-attempts", "1"]);
            lines.assert(1, &[]);
            let events = run(&garden, &["garden", "T001", "--json"]);
            events.assert(0, &[]);
            for ended in [&dry, &lines, &events] {
                let named =
                    ["the name of T001 (", "the description of T001 (", "warning: task-tree.json: secrets"];
                assert!(named.iter().all(|words| ended.stderr.contains(words)), "{ended:?}");
            }
            let mut all = [dry, lines, events].map(|ended| ended.stdout + &ended.stderr).concat();
            all.push_str(&garden.git(&["log", "--format=%B"]));
            all.push_str(&garden.git(&["show", "HEAD:spec"]));
            all.push_str(&garden.prompt("T001.implement.0"));
            for entry in fs::read_dir(garden.top().join("spec/reports")).unwrap() {
                all.push_str(&fs::read_to_string(entry.unwrap().path()).unwrap());
            }
            for part in [&secret[..12], &secret[secret.len() - 8..]] {
                assert!(!all.contains(part), "{part}: {all}");
            }
            assert!(all.contains("task(T001): complete \"") && all.contains("***"), "{all}");
        }
    }
}

#[test]
fn a_secret_in_a_name_is_masked_before_the_name_is_cut() {
    let token = format!("ghp_{}", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi");
    let plan = PLAN
        .replace("my-project", &format!("project of {token} and others"))
        .replace("Database Layer", &format!("Database with {token}"))
        .replace("Create schema", &format!("Create {token} for the schema"))
        .replace("\"true\"", &format!("\"true {token}; echo {token}\""));
    let (repo, ids) = Story::of(&plan).whole("T001").implement("T002", 0, Outcome::Pass).told(0);
    let parts = token.as_bytes().windows(9).map(|part| str::from_utf8(part).unwrap());
    let views =
        ["status", "status --all", "show T001", "show T002", "show phase1", "next", "gardener --dry-run"];
    std::thread::scope(|scope| {
        for view in views {
            let (repo, mut parts) = (&repo, parts.clone());
            scope.spawn(move || {
                for columns in (16..=80).step_by(4) {
                    let said = on_terminal(repo.path(), view, columns);
                    assert_eq!(said.code, 0, "{view}: {}", said.out);
                    let found = parts.find(|part| said.out.contains(part));
                    assert_eq!(found, None, "{view} in {columns} columns: {}", said.out);
                }
            });
        }
    });
    for format in ["md", "html", "json"] {
        let said = arborist(repo.path(), &["report", "--format", format]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.out.replace('\\', "").contains("***"), "{format}");
        let found = parts.clone().find(|part| said.out.contains(part));
        assert_eq!(found, None, "{format}: {}", said.out);
    }
    let remote = Repo::init(&["--bare"]);
    repo.git(&["remote", "add", "origin", remote.path().to_str().unwrap()]);
    repo.git(&["push", "-q", "origin", &format!("{}:refs/heads/base", ids[0])]);
    let title = format!("{}{token}", "word ".repeat(38));
    let request = arborist(repo.path(), &["pr", "--dry-run", "--json", "--base", "base", "--title", &title]);
    let title = serde_json::from_str::<serde_json::Value>(&request.out).unwrap()["title"].clone();
    assert_eq!(title, format!("{}***", "word ".repeat(38)));
}

#[test]
fn every_text_of_a_plan_that_holds_a_secret_is_named() {
    let token = format!("ghp_{}", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi");
    let mut plan = one_task(&[&format!("true {token}")]);
    (plan["spec_id"], plan["summary"]) = (format!("with {token}").into(), format!("Uses {token}.").into());
    plan["title"] = format!("With {token}").into();
    plan["nodes"]["T001"]["acceptance"] = serde_json::json!([format!("Sends {token}.")]);
    let garden = Garden::new(&plan);
    let said = garden.run(&["gardener", "--dry-run"]).stderr;
    for text in [
        "name of the plan",
        "title of the plan",
        "summary of the plan",
        "acceptance of T001",
        "test command of T001",
    ] {
        assert!(said.contains(&format!("the {text} (")), "{text}: {said}");
    }
}

#[test]
fn a_plan_with_a_token_in_an_id_is_refused_because_ids_cannot_be_masked() {
    let id = format!("npm_{}", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi");
    let plan = crate::support::garden::plan(&[("p1", "", &[], &[]), (&id, "p1", &[], &["true"])]);
    let garden = Garden::new(&plan);
    let ended = garden.run(&["gardener"]);
    ended.assert(2, &["an id contains what looks like an npm token", "another id"]);
    assert!(!ended.stderr.contains(&id), "{ended:?}");
    garden.git(&["config", "arborist.secretFiles", "off"]);
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn what_the_plan_itself_names_is_masked_in_everything_that_a_run_writes() {
    // With characters that JSON and lists write in another form, and longer than a subject shows.
    let secret = "Zq7\"Rk2\\Vd9,Wx4-Tn8Lm3PqY";
    let forms = [&secret[..7], "Rk2", "Tn8Lm3PqY"];
    let word = "'Zq7\"Rk2\\Vd9,Wx4-Tn8Lm3PqY'";
    let mut tree = one_task(&[&format!("sh run.sh {word}")]);
    tree["nodes"]["T001"]["name"] = format!("A name that ends behind the fiftieth one: {secret}").into();
    let garden = Garden::new(&tree);
    garden.write(
        "run.sh",
        "printf '1..1\\nnot ok 1 - %s\\n' \"$1\"; test $(ls spec/logs 2>/dev/null | wc -l) -gt 0\n",
    );
    garden.commit("Add a test");
    garden.agent(
        "case $ARBORIST_STEP in review) echo 'Looks right.'; echo APPROVED; exit 0;; esac; echo x >> f.txt",
    );
    garden.config("arborist.notify.command", "cat >> \"$ROOT/told\"");
    let mut ended = Vec::new();
    for args in [
        &["gardener", "--max-attempts", "2", "--no-review"][..],
        &["mark", "reopen", "T001", "-m", secret],
        &["note", "T001", "-m", secret],
        &["garden", "T001", "--json", "--max-attempts", "1"],
        &["status"],
        &["status", "--json"],
        &["show", "T001"],
        &["show", "T001", "--json"],
        &["report"],
        &["report", "--format", "json"],
        &["report", "--format", "html"],
        &["next", "--prompt"],
        &["gardener", "--dry-run"],
        &["doctor"],
    ] {
        ended.push(run_in(&garden, args, &[("MY_API_TOKEN", secret)]));
    }
    // Who reads later need not have the secret: it is in no commit.
    for args in [&["report"][..], &["show", "T001"]] {
        let later = garden.run(args);
        let steps = later.stdout.lines().filter(|line| line.contains("not ok 1") || line.contains("Failed:"));
        assert!(
            steps.clone().all(|line| forms.iter().all(|form| !line.contains(form))),
            "{args:?}: {}",
            later.stdout
        );
    }
    let mut all: String = ended.iter().map(|ended| format!("{}{}", ended.stdout, ended.stderr)).collect();
    all.push_str(&garden.git(&["log", "--format=%B"]));
    for folder in ["spec/logs", "spec/reports"] {
        for entry in fs::read_dir(garden.top().join(folder)).into_iter().flatten().flatten() {
            all.push_str(&fs::read_to_string(entry.path()).unwrap());
        }
    }
    all.push_str(&fs::read_to_string(garden.root().join("told")).unwrap_or_default());
    for form in forms {
        let around = all.find(form).map(|at| {
            &all[all.floor_char_boundary(at.saturating_sub(300))..all.floor_char_boundary(at + 100)]
        });
        assert_eq!(around, None, "{form}");
    }
    assert!(all.contains("sh run.sh '***'") && all.contains("not ok 1 - ***"), "{all}");
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}
