//! Tests files that look like a secret by their name or their content: new ones are never committed, others are named.

use crate::support::garden::{Garden, one_task};

/// A token without any use. It is put together here, so that no source contains it.
fn token() -> String {
    format!("{}_{}", "npm", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi")
}

/// A repository with one task, whose agent runs this when it implements.
fn with_agent(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("config.py", "region = 'north'\n");
    garden.commit("Add settings");
    garden.agent(&format!(
        "token={}_{}\nif [ $ARBORIST_STEP = implement ]; then {script}\nfi",
        "npm",
        &token()[4..]
    ));
    garden
}

fn committed(garden: &Garden) -> Vec<String> {
    garden.lines(&["log", "--all", "--format=", "--name-only"])
}

fn findings(garden: &Garden) -> Vec<String> {
    let format = "--format=%(trailers:key=Arborist-Step,valueonly,separator=%x2C): \
                  %(trailers:key=Arborist-Findings,valueonly,separator=%x2C)";
    garden.lines(&["log", "--reverse", format]).into_iter().filter(|line| !line.ends_with(": ")).collect()
}

#[test]
fn new_files_with_secret_names_are_held_back_even_if_the_names_have_harmless_words() {
    let names = [
        "apple_distribution.p12",
        "ios_distribution.p12",
        "latest.pem",
        "prod-latest.key",
        "attestation.key",
        ".env.test",
        ".env.distribution",
        "prod.env",
        "credentials",
        ".pgpass",
        "x.ppk",
        "server.pem~",
    ];
    let harmless = [".env.example", "id_rsa.pub", "monkey.rs"];
    let all = [&names[..], &harmless[..]].concat().join(" ");
    let garden = with_agent(&format!("for file in {all}; do echo k > \"$file\"; done"));
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    let message = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    let committed = committed(&garden);
    for name in names {
        assert!(message.contains(&format!("\n- {name} looks like a secret; ignore it")), "{name}: {message}");
        assert!(!committed.iter().any(|path| path == name), "{name}");
        assert!(garden.exists(name), "{name}");
    }
    for name in harmless {
        assert!(committed.iter().any(|path| path == name), "{name}");
    }
}

#[test]
fn secret_files_of_consoles_shells_and_other_tools_are_held_back_and_code_is_not() {
    let names = [
        "serviceAccountKey.json",
        "client_secret_1-a.apps.googleusercontent.com.json",
        "app-firebase-adminsdk-x1.json",
        "gcp-key.json",
        "auth.json",
        "env.prod",
        ".env.d/.env/x",
        "api_key.txt",
        "oauth_token",
        "terraform.tfvars",
        ".mysql_history",
        "_authToken=k/.npmrc",
    ];
    let harmless = [
        "api_key.py",
        "oauth_token.rs",
        "secrets.go",
        "tests/fixtures/auth.json",
        "chart/serviceaccount.yaml",
        "terraform.tfvars.example",
        ".envrc",
        "web/.npmrc",
    ];
    let all = [&names[..], &harmless[..]].concat().join(" ");
    // A folder that is named like an entry gives its file that content.
    let garden = with_agent(&format!(
        "for file in {all}; do mkdir -p \"$(dirname $file)\"; echo \"${{file%/*}}\" > $file; done"
    ));
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    let committed = committed(&garden);
    for name in names {
        assert!(!committed.iter().any(|path| path == name), "{name}");
        assert!(garden.exists(name), "{name}");
    }
    for name in harmless {
        assert!(committed.iter().any(|path| path == name), "{name}");
    }
}

#[test]
fn staging_a_new_file_does_not_get_it_past_the_check() {
    let garden = with_agent(
        "if [ $ARBORIST_ATTEMPT = 0 ]; then echo k > .env; echo \"t = '$token'\" > new.py; git add -f .env new.py
         head -c 11000000 /dev/zero > big.bin; git add big.bin
         else git rm -q --cached .env new.py big.bin; rm .env new.py big.bin; fi",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    let told = garden.prompt("T001.implement.1");
    for clause in [
        ".env looks like a secret; take it out of the index, and ignore it in .gitignore or remove it",
        "new.py contains what looks like an npm token (line 1); take it out of the index, and take the secret out",
        "big.bin is over 10 MiB",
    ] {
        assert!(told.contains(clause), "{clause}: {told}");
    }
    assert!(!committed(&garden).iter().any(|path| [".env", "new.py", "big.bin"].contains(&path.as_str())));
}

#[test]
fn a_new_file_with_a_token_fails_the_attempt_and_the_token_is_shown_nowhere() {
    let garden = with_agent(
        "if [ $ARBORIST_ATTEMPT = 0 ]; then mkdir -p src; printf 'import os\\n\\nTOKEN = \"%s\"\\n' $token > src/api.py; echo fine > fine.py
         else echo 'TOKEN = os.environ[\"TOKEN\"]' > src/api.py; fi",
    );
    let ended = garden.run(&["gardener"]);
    let clause = "src/api.py contains what looks like an npm token (line 3)";
    ended.assert(0, &[clause]);
    assert!(garden.subjects().iter().any(|subject| subject.ends_with("(failed, attempt 1/5)")));
    assert!(garden.prompt("T001.implement.1").contains(&format!("{clause}; take the secret out")));
    assert_eq!(
        garden.files_of(":/failed.*attempt 1"),
        ["T001.txt", "fine.py"],
        "what is no secret is committed"
    );
    assert!(committed(&garden).contains(&"src/api.py".to_owned()), "without the token it is committed");
    let prompts: String = garden.prompts().into_iter().map(|(_, text)| text).collect();
    for text in [ended.stdout, ended.stderr, garden.git(&["log", "-p", "--all"]), prompts] {
        assert!(!text.contains(&token()), "{text}");
    }
    assert_eq!(findings(&garden), [""; 0]);
}

#[test]
fn a_private_key_in_a_file_of_any_name_is_held_back() {
    let line = token()[4..].repeat(2);
    let garden = with_agent(&format!(
        "printf -- '-----BEGIN %s-----\\n%s\\n-----END %s-----\\n' 'PRIVATE KEY' {line} 'PRIVATE KEY' > notes.txt
         echo 'starts_with(\"-----BEGIN PRIVATE KEY-----\")' > parse.py"
    ));
    garden
        .run(&["gardener", "--max-attempts", "1"])
        .assert(1, &["notes.txt contains what looks like a private key"]);
    assert!(committed(&garden).contains(&"parse.py".to_owned()));
    assert!(!committed(&garden).contains(&"notes.txt".to_owned()));
}

#[test]
fn a_tracked_file_that_gets_a_token_is_committed_named_and_recorded() {
    let garden = with_agent("echo \"token = '$token'\" >> config.py");
    let ended = garden.run(&["gardener"]);
    let clause = "config.py (line 2: an npm token)";
    ended.assert(0, &[&format!("T001: These files may contain a secret: {clause}.")]);
    let body = garden.git(&["log", "-1", "--format=%B", "--grep", "^Arborist-Step: implement"]);
    assert!(body.contains(&format!("These files may contain a secret:\n- {clause}\n")), "{body}");
    let review = garden.prompt("T001.review.0");
    assert!(review.contains(clause) && review.contains("+token = '***'"), "{review}");
    assert_eq!(
        findings(&garden),
        ["test: possible-secret", "review: possible-secret", "complete: possible-secret"]
    );
    assert!(!ended.stderr.contains(&token()) && !body.contains(&token()));
}

#[test]
fn a_token_that_was_already_in_a_tracked_file_is_not_named_again() {
    let garden = with_agent("echo 'zone = 1' >> old.py");
    garden.write("old.py", &format!("a = '{}'\n", token()));
    garden.commit("Somebody has decided this");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("old.py"), "{ended:#?}");
    assert_eq!(findings(&garden), [""; 0]);
}

#[test]
fn tokens_and_keys_that_are_printed_reach_no_commit_no_log_and_no_prompt() {
    let line = token()[4..].repeat(2);
    let shout = format!(
        "printf 'token %s_%s\\n' npm {}; printf -- '-----BEGIN %s-----\\n{line}\\n{line}\\n-----END %s-----\\n' 'PRIVATE KEY' 'PRIVATE KEY'",
        &token()[4..]
    );
    let garden =
        Garden::new(&one_task(&["sh \"$ROOT/shout\" >&2; sh \"$ROOT/shout\"; grep -q implement.1 T001.txt"]));
    std::fs::write(garden.root().join("shout"), shout).unwrap();
    garden.agent("sh \"$ROOT/shout\"; test $ARBORIST_STEP != review || test $ARBORIST_ATTEMPT = 2 || { echo REJECTED; exit; }");
    let ended = garden.run(&["gardener", "--json"]);
    ended.assert(0, &[]);
    let history = garden.git(&["log", "-p", "--all"]);
    let prompts: String = garden.prompts().into_iter().map(|(_, text)| text).collect();
    for text in [&history, &prompts, &ended.stdout, &ended.stderr] {
        assert!(!text.contains(&token()) && !text.contains(&line), "{text}");
    }
    assert!(history.contains("token ***\n") && prompts.contains("token ***\n"), "what was masked is missing");
}

#[test]
fn the_setting_lets_new_files_be_committed_and_named_or_not_looked_at() {
    let script = "echo k > server.key; echo \"$token\" > new.txt";
    let garden = with_agent(script);
    garden.config("arborist.secretFiles", "warn");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["T001: These files may contain a secret: new.txt (line 1: an npm token), server.key."]);
    assert_eq!(garden.files_of(":/^task.T001.: implement"), ["T001.txt", "new.txt", "server.key"]);
    assert_eq!(findings(&garden).len(), 3);

    let garden = with_agent(script);
    garden.config("arborist.secretFiles", "off");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("secret"), "{ended:#?}");
    assert_eq!(findings(&garden), [""; 0]);

    garden.config("arborist.secretFiles", "maybe");
    garden.run(&["gardener"]).assert(2, &["arborist.secretFiles", "refuse, warn or off"]);
}

#[test]
fn a_secret_that_the_agent_commits_itself_stops_the_run() {
    for (deed, clause) in [
        ("echo k > .env; git add -f .env; git commit -qm 'Add it'", ".env looks like a secret"),
        (
            "echo \"$token\" > a; git add a; git commit -qm 'Add it'; git rm -q a; git commit -qm 'Take it out'",
            "a contains what looks like an npm token (line 1)",
        ),
    ] {
        let garden = with_agent(&format!(
            "test $ARBORIST_ATTEMPT != 0 || test -e \"$ROOT/done\" || {{ {deed}; : > \"$ROOT/done\"; }}"
        ));
        let head = garden.git(&["rev-parse", "--short=7", "HEAD"]);
        let ended = garden.run(&["gardener"]);
        ended.assert(
            6,
            &["the runner made a commit that contains a secret", clause, &format!("git reset --keep {head}")],
        );
        assert!(!ended.stderr.contains(&token()));
        assert!(!garden.subjects().iter().any(|subject| subject.starts_with("task(")));
        let garden = garden.copy();
        garden.status();
        garden.git(&["reset", "-q", "--keep", &head]);
        garden.agent("");
        garden.run(&["gardener"]).assert(0, &[]);
        let on_branch = garden.lines(&["log", "--format=", "--name-only"]);
        assert!(!on_branch.iter().any(|path| path == ".env" || path == "a"), "{on_branch:?}");
    }
}

#[test]
fn a_token_that_the_agent_commits_to_a_tracked_file_is_named() {
    let garden = with_agent(
        "echo \"x = '$token'\" >> config.py; git commit -qam 'Change settings'; echo more > more.txt",
    );
    garden
        .run(&["gardener"])
        .assert(0, &["These files may contain a secret: config.py (line 2: an npm token)."]);
    assert_eq!(findings(&garden).len(), 3);
}

/// The value of a variable whose name suggests a secret. It has no use.
const VALUE: &str = "hunter2Xq9!zzTop";

fn run_with_value(garden: &Garden, args: &[&str]) -> crate::support::garden::Ended {
    let mut command = garden.arborist(args);
    command.env("PGPASSWORD", VALUE).env("SIGNING_KEY", PEM);
    garden.finish(command)
}

/// A value of several lines, of which only one is a secret.
const PEM: &str = "-----BEGIN SOME KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END SOME KEY-----\n";

#[test]
fn a_new_file_with_a_secret_of_the_environment_fails_the_attempt_and_the_secret_is_shown_nowhere() {
    let garden = with_agent(
        "if [ $ARBORIST_ATTEMPT = 0 ]; then printf 'user: app\npassword: %s\n' \"$PGPASSWORD\" > cfg.yml
         echo 'key MIIEvQIBADANBgkqhkiG9w0B' > key.txt; ln -s \"$PGPASSWORD\" link
         echo '-----BEGIN SOME KEY-----' > parser.txt
         else rm cfg.yml key.txt link; fi",
    );
    let ended = run_with_value(&garden, &["gardener"]);
    let clauses = [
        "cfg.yml contains what looks like the secret in $PGPASSWORD (line 2)",
        "key.txt contains what looks like the secret in $SIGNING_KEY (line 1)",
        "link contains what looks like the secret in $PGPASSWORD (line 1)",
    ];
    ended.assert(0, &[clauses[0]]);
    let told = garden.prompt("T001.implement.1");
    for clause in clauses {
        assert!(told.contains(&format!("{clause}; take the secret out")), "{clause}: {told}");
    }
    assert_eq!(garden.files_of(":/failed.*attempt 1"), ["T001.txt", "parser.txt"]);
    let prompts: String = garden.prompts().into_iter().map(|(_, text)| text).collect();
    for text in [ended.stdout, ended.stderr, garden.git(&["log", "-p", "--all"]), prompts] {
        assert!(!text.contains(VALUE), "{text}");
    }
}

#[test]
fn a_tracked_file_that_gets_a_secret_of_the_environment_is_committed_named_and_recorded() {
    for commit in ["", "git commit -qam 'Change settings'; echo more > more.txt"] {
        let garden = with_agent(&format!("echo \"password = '$PGPASSWORD'\" >> config.py; {commit}"));
        let ended = run_with_value(&garden, &["gardener"]);
        let clause = "config.py (line 2: the secret in $PGPASSWORD)";
        ended.assert(0, &[&format!("T001: These files may contain a secret: {clause}.")]);
        assert_eq!(
            findings(&garden),
            ["test: possible-secret", "review: possible-secret", "complete: possible-secret"]
        );
        let review = garden.prompt("T001.review.0");
        assert!(review.contains(clause) && !review.contains(VALUE), "{review}");
    }
}

#[test]
fn a_name_that_contains_a_secret_fails_the_attempt_and_is_shown_without_it() {
    let garden = with_agent(
        "if [ $ARBORIST_ATTEMPT = 0 ]; then echo b > \"dump-$PGPASSWORD.txt\"; mkdir -p \"$token\"; echo b > \"$token/b\"
         git mv config.py \"config-$PGPASSWORD.py\"
         else rm -r dump-* $token; git mv config-* config.py; fi",
    );
    let ended = run_with_value(&garden, &["gardener"]);
    ended.assert(0, &[]);
    let told = garden.prompt("T001.implement.1");
    for clause in [
        "dump-***.txt has what looks like the secret in $PGPASSWORD in its name; rename it",
        "config-***.py has what looks like the secret in $PGPASSWORD in its name; take it out of the index, and rename it",
        "***/b has what looks like an npm token in its name; rename it",
    ] {
        assert!(told.contains(clause), "{clause}: {told}");
    }
    let prompts: String = garden.prompts().into_iter().map(|(_, text)| text).collect();
    for text in [ended.stdout, ended.stderr, garden.git(&["log", "-p", "--all"]), prompts] {
        assert!(!text.contains(VALUE) && !text.contains(&token()), "{text}");
    }
}

#[test]
fn a_secret_in_the_message_a_name_or_a_file_of_an_agents_commit_stops_the_run() {
    for (deed, clause) in [
        (
            "git commit -qm \"connect with $PGPASSWORD\"",
            " contains what looks like the secret in $PGPASSWORD (line 1)",
        ),
        ("git commit -qm 'Add it' -m \"With $token\"", " contains what looks like an npm token (line 3)"),
        (
            "git mv b \"$PGPASSWORD\"; git commit -qm 'Add it'",
            "*** has what looks like the secret in $PGPASSWORD in its name",
        ),
        ("git mv b \"$token\"; git commit -qm 'Add it'", "*** has what looks like an npm token in its name"),
        (
            "echo \"$PGPASSWORD\" > c; git add c; git commit -qm 'Add it'; git rm -q c; git commit -qm 'Take it out'",
            "c contains what looks like the secret in $PGPASSWORD (line 1)",
        ),
    ] {
        let garden = with_agent(&format!("echo b > b; git add b; {deed}"));
        let head = garden.git(&["rev-parse", "--short=7", "HEAD"]);
        let ended = run_with_value(&garden, &["gardener"]);
        ended.assert(
            6,
            &["the runner made a commit that contains a secret", clause, &format!("git reset --keep {head}")],
        );
        if deed.starts_with("git commit") {
            let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
            ended.assert(6, &[&format!("the message of {commit}{clause}")]);
        }
        assert!(!ended.stderr.contains(&token()) && !ended.stderr.contains(VALUE), "{ended:#?}");
    }
}

#[test]
fn the_setting_decides_about_secrets_of_the_environment_too() {
    let script = "echo \"$PGPASSWORD\" > new.txt; echo b > b; git add b; git commit -qm \"With $PGPASSWORD\"";
    let garden = with_agent(script);
    garden.config("arborist.secretFiles", "warn");
    let ended = run_with_value(&garden, &["gardener"]);
    ended.assert(0, &["new.txt (line 1: the secret in $PGPASSWORD)", "the message of "]);
    assert_eq!(findings(&garden).len(), 3);

    let garden = with_agent(script);
    garden.config("arborist.secretFiles", "off");
    let ended = run_with_value(&garden, &["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("secret"), "{ended:#?}");
    assert_eq!(findings(&garden), [""; 0]);
}

#[test]
fn a_new_file_over_the_size_limit_that_the_agent_commits_itself_stops_the_run() {
    let garden = with_agent(
        "head -c 11000000 /dev/zero > big.bin; git add big.bin; git commit -qm 'Add a model'
         git rm -q big.bin; git commit -qm 'Take it out'",
    );
    let head = garden.git(&["rev-parse", "--short=7", "HEAD"]);
    let ended = garden.run(&["gardener"]);
    ended.assert(
        6,
        &[
            "the runner made a commit with a new file of more than 10 MiB: big.bin",
            &format!("git reset --keep {head}"),
        ],
    );
    assert!(!garden.subjects().iter().any(|subject| subject.starts_with("task(")));
    let garden = garden.copy();
    garden.git(&["reset", "-q", "--keep", &head]);
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_repository_that_the_agent_commits_like_a_submodule_stops_the_run() {
    let inner = "git init -q lib; git -C lib -c user.name=a -c user.email=a@b commit -q --allow-empty -m lib; git add lib";
    let garden =
        with_agent(&format!("{inner}; echo x > x.txt; git add x.txt; git commit -qm 'Add a library'"));
    let head = garden.git(&["rev-parse", "--short=7", "HEAD"]);
    let ended = garden.run(&["gardener"]);
    ended.assert(
        6,
        &[
            "the runner committed another repository as if it were a submodule, so its files are in no commit: lib",
            &format!("git reset --keep {head}"),
        ],
    );
    assert!(!garden.subjects().iter().any(|subject| subject.starts_with("task(")));

    for more in
        ["git reset -q -- lib", "git config -f .gitmodules submodule.lib.path lib; git add .gitmodules"]
    {
        let script = format!(
            "{inner}; {more}; echo x > x.txt; git add x.txt; git commit -qm 'Add it'; rm -rf lib/.git"
        );
        with_agent(&script).run(&["gardener"]).assert(0, &[]);
    }
}

#[test]
fn a_large_file_that_was_there_before_may_be_changed_or_moved_by_a_commit_of_the_agent() {
    let garden = with_agent(
        "git mv large.bin moved.bin; echo more >> large.txt; git add .; git commit -qm 'Move and change'",
    );
    garden.write("large.bin", &"x".repeat(11_000_000));
    garden.write("large.txt", &"y".repeat(11_000_000));
    garden.commit("Large files of the user");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_value_that_the_repository_already_contains_is_not_a_secret() {
    for commit in ["", "git add new.yml; git commit -qm 'Add it'; echo more > more.txt"] {
        let garden = with_agent(&format!(
            "echo \"password: $PGPASSWORD\" > new.yml; echo \"p = '$PGPASSWORD'\" >> config.py; {commit}"
        ));
        garden.write("compose.yml", &format!("PASSWORD: {VALUE}\n"));
        garden.commit("A password for tests");
        let ended = run_with_value(&garden, &["gardener"]);
        ended.assert(0, &[]);
        assert!(!ended.stderr.contains("secret"), "{ended:#?}");
        assert_eq!(findings(&garden), [""; 0]);
        assert!(committed(&garden).contains(&"new.yml".to_owned()));
    }
}

#[test]
fn a_commit_of_the_agent_that_the_user_keeps_is_not_refused_again() {
    for deed in ["echo \"$token\" > a; git add a", "head -c 11000000 /dev/zero > a; git add a"] {
        let garden = with_agent(&format!(
            "test -e \"$ROOT/done\" || {{ {deed}; git commit -qm 'Add it'; : > \"$ROOT/done\"; }}"
        ));
        garden.run(&["gardener"]).assert(6, &["leave the commit there"]);
        garden.run(&["gardener"]).assert(0, &[]);
        assert!(garden.subjects().contains(&"Add it".to_owned()));
    }
}

#[test]
fn secrets_in_commands_and_in_the_plan_are_printed_nowhere() {
    let garden = Garden::new(&one_task(&[&format!("echo {} {VALUE}; false", token())]));
    garden.config(
        "arborist.runner.mine.command",
        &format!("/nowhere/agent --key {} --password {VALUE}", token()),
    );
    garden.config("arborist.runner", "mine");
    for args in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["gardener", "--dry-run"],
        &["gardener", "--dry-run", "--json"],
        &["gardener", "--json"],
        &["show", "T001"],
        &["show", "T001", "--json"],
        &["next", "--prompt"],
    ] {
        let ended = run_with_value(&garden, args);
        let text = format!("{}{}", ended.stdout, ended.stderr);
        assert!(!text.contains(&token()) && !text.contains(VALUE), "{args:?}: {text}");
    }
}
