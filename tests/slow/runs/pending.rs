//! Tests that a finished step whose commit could not be made is committed first when the run continues, and that no
//! agent is asked twice for the same work.

use std::fs;

use crate::support::garden::{Garden, one_task, side_by_side};

/// The hook whose refusals keep a step.
const COMMIT_MSG: &str = ".git/hooks/commit-msg";

/// Lets git ask this script about every commit of the run, but not about the messages that the run tries first.
fn hook(garden: &Garden, script: &str) {
    let script = format!("grep -q '([TP]000)' \"$1\" && exit 0\n{script}");
    garden.program(&garden.top().join(COMMIT_MSG), &script);
}

/// What is staged must not hold a `TODO`.
const NO_TODO: &str =
    "git grep --cached -q TODO -- code.txt || exit 0; echo 'lint: TODO in code.txt'; exit 1";

/// A garden whose agent writes a `TODO` in its first attempt alone, under this hook.
fn with_todo(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("test $work != T001.implement.0 || echo 'code TODO' > code.txt");
    hook(&garden, script);
    garden
}

#[test]
fn a_refused_commit_is_tried_first_with_the_users_corrections() {
    let garden = with_todo(NO_TODO);
    garden.run(&["gardener"]).assert(
        4,
        &[
            "the hook commit-msg refused",
            "lint: TODO in code.txt",
            "Nothing was committed",
            "is kept",
            "git config arborist.subject",
        ],
    );
    garden.write("code.txt", "code, corrected by me\n");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.read("code.txt"), "code, corrected by me\n");
    assert_eq!(garden.files_of("HEAD~4"), ["T001.txt", "code.txt"]);
    let body = garden.git(&["log", "-1", "--format=%B", "HEAD~4"]);
    assert!(body.contains("Changed by somebody after this step had ended: code.txt."), "{body}");
    assert!(body.contains("Arborist-Result: pass\nArborist-Retry: 0\n"), "{body}");
    assert_eq!(garden.lines(&["for-each-ref", "refs/arborist"]), [""; 0]);
}

#[test]
fn a_hook_for_messages_that_refuses_again_and_again_costs_one_attempt_and_no_more() {
    let garden = with_todo("echo 'not in this house'; exit 1");
    for _ in 0..3 {
        garden.run(&["gardener"]).assert(4, &["commit-msg", "not in this house", "is kept"]);
    }
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    assert_eq!(garden.read("code.txt"), "code TODO\n");
    fs::remove_file(garden.top().join(COMMIT_MSG)).unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

/// A plan whose first attempt fails its tests, and an agent; every test command run leaves a line beside the repository.
fn eventful() -> Garden {
    Garden::new(&one_task(&["echo x >> \"$ROOT/tests\"; grep -q implement.1 T001.txt"]))
}

#[test]
fn every_kind_of_step_that_a_hook_refused_is_committed_without_doing_it_again() {
    let whole = eventful();
    whole.run(&["gardener"]).assert(0, &[]);
    let tests = |garden: &Garden| fs::read_to_string(garden.root().join("tests")).unwrap();
    side_by_side(1..=whole.steps().len(), |number| {
        let garden = eventful();
        let refuse = format!(
            "test ! -e \"$ROOT/refused\" || exit 0; echo x >> \"$ROOT/commits\"
             test $(wc -l < \"$ROOT/commits\") != {number} || {{ : > \"$ROOT/refused\"; echo 'not now'; exit 1; }}"
        );
        hook(&garden, &refuse);
        garden.run(&["gardener"]).assert(4, &["the hook commit-msg refused", "not now"]);
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.steps(), whole.steps(), "{number}");
        assert_eq!(garden.asked(), whole.asked(), "{number}");
        assert_eq!(tests(&garden), tests(&whole), "{number}");
        assert_eq!(garden.status(), [""; 0], "{number}");
        assert_eq!(garden.lines(&["for-each-ref", "refs/arborist"]), [""; 0], "{number}");
        let artifacts = |garden: &Garden| garden.lines(&["ls-files", "spec"]).len();
        assert_eq!(artifacts(&garden), artifacts(&whole), "{number}");
    });
}

#[test]
fn a_step_whose_signature_could_not_be_made_is_committed_when_it_can() {
    let garden = Garden::new(&one_task(&["true"]));
    let program = garden.root().join("gpg");
    // The agent's work takes longer than the key is unlocked.
    garden.program(
        &program,
        "test ! -e T001.txt || { echo 'gpg: signing failed: No pinentry' >&2; exit 2; }
         cat > /dev/null; echo '[GNUPG:] SIG_CREATED D 1 8 00 0 X' >&2
         printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nabc\\n-----END PGP SIGNATURE-----\\n'",
    );
    garden.config("gpg.program", program.to_str().unwrap());
    garden.config("commit.gpgSign", "true");
    garden.run(&["gardener"]).assert(4, &["gpg", "is kept"]);
    garden.config("commit.gpgSign", "false");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn other_changes_of_the_user_stay_out_of_a_kept_step_unless_they_are_staged() {
    let garden = with_todo(NO_TODO);
    garden.run(&["gardener"]).assert(4, &[]);
    garden.write("code.txt", "code\n");
    garden.write("notes.txt", "mine\n");
    garden.write("words.txt", "known words\n");
    garden.run(&["gardener"]).assert(3, &["notes.txt", "words.txt", "not committed"]);
    garden.git(&["add", "words.txt"]);
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.files_of("HEAD~4"), ["T001.txt", "code.txt", "words.txt"]);
    let body = garden.git(&["log", "-1", "--format=%B", "HEAD~4"]);
    assert!(body.contains("Staged by somebody after this step had ended: words.txt."), "{body}");
    assert_eq!(garden.status(), ["?? notes.txt"]);
}

#[test]
fn a_kept_step_whose_files_the_user_threw_away_is_done_again() {
    let garden = with_todo(NO_TODO);
    garden.run(&["gardener"]).assert(4, &[]);
    garden.git(&["clean", "-q", "--force"]);
    fs::write(garden.root().join("git/none"), "").unwrap();
    let ended = garden.run(&["gardener"]);
    ended.assert(4, &["the finished implement step of T001 is done again: its files are gone", "lint: TODO"]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.0"]);
}

#[test]
fn a_kept_step_is_committed_on_top_of_later_commits_of_the_user() {
    let garden = with_todo("grep -q known words.txt || { echo 'unknown word'; exit 1; }");
    garden.run(&["gardener"]).assert(4, &["unknown word"]);
    garden.write("words.txt", "known\n");
    garden.git(&["add", "words.txt"]);
    garden.git(&["commit", "-q", "-m", "Add words", "--", "words.txt"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.subjects()[..2], ["Add words", "task(T001): implement \"Do T001\""]);
}

#[test]
fn a_kept_test_or_review_is_repeated_if_the_branch_has_moved() {
    for (number, asked) in [(2, 2), (3, 3)] {
        let garden = Garden::new(&one_task(&["echo x >> \"$ROOT/tests\""]));
        hook(
            &garden,
            &format!(
                "echo x >> \"$ROOT/commits\"; test $(wc -l < \"$ROOT/commits\") != {number} || {{ echo 'not now'; exit 1; }}"
            ),
        );
        garden.run(&["gardener"]).assert(4, &["not now"]);
        garden.write("more.txt", "mine\n");
        garden.git(&["add", "more.txt"]);
        garden.git(&["commit", "-q", "--no-verify", "-m", "More", "--", "more.txt"]);
        garden.run(&["gardener"]).assert(0, &["is done again: the branch has moved on"]);
        assert_eq!(garden.asked().len(), asked, "{number}: {:?}", garden.asked());
        assert_eq!(garden.subjects().len(), 6);
    }
}

#[test]
fn a_kept_step_waits_for_its_branch() {
    let garden = with_todo(NO_TODO);
    garden.run(&["gardener"]).assert(4, &[]);
    garden.git(&["switch", "-q", "-c", "elsewhere"]);
    garden.run(&["gardener"]).assert(3, &["waits for its commit on the branch main", "git switch main"]);
    assert_eq!(garden.read("code.txt"), "code TODO\n");
    garden.git(&["switch", "-q", "main"]);
    garden.write("code.txt", "code\n");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn a_wrong_commit_of_a_step_is_made_again_once_the_user_has_taken_it_back() {
    let garden = Garden::new(&one_task(&["true"]));
    let adding = "test -e added.txt || { echo x > added.txt; git add added.txt; }";
    garden.program(&garden.top().join(".git/hooks/pre-commit"), adding);
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &["added.txt"]);
    let command = ended.stderr.split('`').find(|part| part.starts_with("git reset ")).unwrap();
    garden.forget_history();
    garden.git(&command.split(' ').skip(1).collect::<Vec<_>>());
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.status(), ["?? added.txt"]);
}

/// A token without any use. It is put together here, so that no source contains it.
fn token() -> String {
    format!("{}_{}", "npm", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi")
}

/// A garden with a kept step, which no hook refuses any more.
fn with_kept_step() -> Garden {
    let garden = with_todo(NO_TODO);
    garden.write("config.py", "region = 'north'\n");
    garden.commit("Add settings");
    garden.run(&["gardener"]).assert(4, &["is kept"]);
    fs::remove_file(garden.top().join(COMMIT_MSG)).unwrap();
    garden
}

#[test]
fn a_kept_step_is_not_committed_with_what_no_step_may_contain() {
    let conflict = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
    for (path, content, clause) in [
        (".env", "S=x\n".to_owned(), ".env looks like a secret; take it out of the index, and ignore it"),
        (
            "code.txt",
            format!("key {}\n", token()),
            "code.txt contains what looks like an npm token (line 1); take the secret out",
        ),
        ("large.bin", "x".repeat(11_000_000), "large.bin is over 10 MiB"),
        ("code.txt", conflict.to_owned(), "code.txt has conflict markers; resolve the conflict"),
    ] {
        let garden = with_kept_step();
        garden.write(path, &content);
        if path != "code.txt" {
            garden.git(&["add", "--force", path]);
        }
        let head = garden.git(&["rev-parse", "HEAD"]);
        for _ in 0..2 {
            let ended = garden.run(&["gardener"]);
            ended.assert(
                3,
                &["the finished implement step of T001 cannot be committed", clause, "still kept"],
            );
            assert!(!ended.stderr.contains(&token()), "{ended:#?}");
            assert_eq!(garden.git(&["rev-parse", "HEAD"]), head, "{path}");
        }
        garden.write("code.txt", "code\n");
        if path != "code.txt" {
            garden.git(&["rm", "-q", "--force", path]);
        }
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"], "{path}");
        assert_eq!(garden.files_of("HEAD~4"), ["T001.txt", "code.txt"]);
    }
}

#[test]
fn a_new_secret_in_a_tracked_file_of_a_kept_step_is_named_and_recorded() {
    let garden = with_kept_step();
    garden.write("config.py", &format!("region = 'north'\ntoken = '{}'\n", token()));
    garden.git(&["add", "config.py"]);
    let (clause, place) = ("These files may contain a secret:", "config.py (line 2: an npm token)");
    garden.run(&["gardener"]).assert(0, &[&format!("T001: {clause} {place}.")]);
    let body = garden.git(&["log", "-1", "--format=%B", "HEAD~4"]);
    assert!(body.contains(&format!("{clause}\n- {place}\n")) && body.contains("ended: config.py."), "{body}");
    let findings = garden.git(&["log", "--format=%(trailers:key=Arborist-Findings,valueonly)"]);
    assert_eq!(findings.matches("possible-secret").count(), 3, "{findings}");
}

#[test]
fn the_log_of_a_kept_step_may_contain_conflict_markers() {
    let garden = Garden::new(&one_task(&["printf '<<<<<<< a\\nx\\n=======\\ny\\n>>>>>>> b\\n'; exit 1"]));
    hook(&garden, "! git diff --cached --name-only | grep -q logs || { echo 'no logs'; exit 1; }");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(4, &["is kept"]);
    fs::remove_file(garden.top().join(COMMIT_MSG)).unwrap();
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0"]);
}

#[test]
fn the_advice_to_set_changes_aside_does_not_touch_the_files_of_a_kept_step() {
    for name in ["gen", "it's [made]", ":odd"] {
        let garden = Garden::new(&one_task(&["true"]));
        garden.write("plain", "");
        garden.commit("A file");
        garden.agent("test $work = T001.implement.0 && echo more >> plain");
        garden.program(&garden.root().join("name"), &format!("cat <<'END'\n{name}\nEND"));
        let pre_commit = garden.top().join(".git/hooks/pre-commit");
        garden.program(
            &pre_commit,
            "name=$(\"$ROOT/name\"); echo made > \"./$name\"; git --literal-pathspecs add -- \"./$name\"",
        );
        let ended = garden.run(&["gardener"]);
        ended.assert(6, &["git reset "]);
        garden.forget_history();
        assert!(
            garden
                .command("sh")
                .args(["-c", &advice(&ended.stderr, "git reset ")])
                .status()
                .unwrap()
                .success()
        );
        fs::remove_file(pre_commit).unwrap();
        let ended = garden.run(&["gardener"]);
        ended.assert(3, &["not committed", name, "git stash push -u -- ", "is kept"]);
        let status =
            garden.command("sh").args(["-c", &advice(&ended.stderr, "git stash ")]).status().unwrap();
        assert!(status.success(), "{ended:#?}");
        assert!(!garden.exists(name), "{name}");
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"], "{name}");
        garden.git(&["stash", "pop", "-q"]);
        assert_eq!(garden.read(name), "made\n");
    }
}

/// The command in a message that begins like this.
fn advice(said: &str, start: &str) -> String {
    said.split('`')
        .find(|part| part.starts_with(start))
        .unwrap_or_else(|| panic!("{start}: {said}"))
        .to_owned()
}

#[test]
fn files_of_a_kept_step_that_the_user_commits_are_shown_to_the_reviewer() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("");
    hook(&garden, "test -e \"$ROOT/allowed\" || { echo not yet; exit 1; }");
    garden.run(&["gardener"]).assert(4, &["not yet", "is kept"]);
    std::fs::write(garden.root().join("allowed"), "").unwrap();
    garden.write("own.txt", "mine\n");
    garden.git(&["add", "--all"]);
    garden.git(&["commit", "-q", "-m", "Mine"]);
    assert!(garden.git(&["show", "--name-only", "HEAD"]).contains("T001.txt"));
    garden.run(&["gardener"]).assert(0, &[]);
    let prompt = garden.prompt("T001.review.0");
    assert!(prompt.contains("+++ b/T001.txt"), "{prompt}");
    let implement = garden.git(&["log", "-1", "--format=%B", "--grep", "Arborist-Step: implement"]);
    let mine = garden.git(&["log", "-1", "--format=%h", "--grep", "^Mine"]);
    assert!(
        implement.contains("were committed after it had ended") && implement.contains(&mine),
        "{implement}"
    );
}

#[test]
fn the_files_of_a_kept_step_do_not_stay_staged_and_what_the_user_staged_does() {
    let garden = Garden::new(&one_task(&["true"]));
    for file in ["changed.txt", "removed.txt", "folder/a.txt", "tool.sh", "mine.txt"] {
        garden.write(file, "committed\n");
    }
    garden.write(".gitignore", "/ignored.txt\n");
    garden.commit("Add files");
    garden.write("mine.txt", "staged\n");
    garden.write("new-mine.txt", "staged\n");
    garden.git(&["add", "mine.txt", "new-mine.txt"]);
    garden.write("mine.txt", "not staged\n");
    let index = garden.lines(&["ls-files", "--stage"]);
    garden.agent(
        "test $ARBORIST_STEP = review || {
         echo x >> changed.txt; git add changed.txt; git rm -q removed.txt; mv folder lib; ln -s lib folder
         chmod +x tool.sh; echo x > ignored.txt; echo x > gone.txt; git add gone.txt; rm gone.txt; echo x > 'a b'; git add 'a b'; }",
    );
    hook(&garden, "test -e \"$ROOT/allowed\" || { echo not yet; exit 1; }");
    garden.run(&["gardener", "--allow-dirty"]).assert(4, &["not yet", "is kept"]);
    assert_eq!(garden.lines(&["ls-files", "--stage"]), index);
    fs::write(garden.root().join("allowed"), "").unwrap();
    garden.git(&["commit", "-q", "-m", "Mine"]);
    assert_eq!(garden.files_of("HEAD"), ["mine.txt", "new-mine.txt"]);
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    let implement = garden.git(&["log", "-1", "--format=%H", "--grep", "Arborist-Step: implement"]);
    let files =
        ["T001.txt", "a b", "changed.txt", "folder", "folder/a.txt", "lib/a.txt", "removed.txt", "tool.sh"];
    assert_eq!(garden.files_of(&implement), files);
    assert_eq!(garden.status(), [" M mine.txt"]);
}

#[test]
fn what_the_user_stages_beside_a_kept_step_is_staged_still_when_it_is_refused_again() {
    let garden = Garden::new(&one_task(&["true"]));
    // A refused report waits for as long as its hook wants.
    hook(&garden, "test -e \"$ROOT/allowed\" || ! ls spec/reports || { echo not yet; exit 1; }");
    garden.run(&["gardener"]).assert(4, &["not yet", "is kept"]);
    let report = garden.status();
    assert!(report[0].starts_with("?? spec/reports/"), "{report:?}");
    garden.git(&["add", "spec"]);
    garden.run(&["gardener"]).assert(4, &["not yet"]);
    assert!(garden.status()[0].starts_with("A  spec/reports/"), "{:?}", garden.status());
    fs::write(garden.root().join("allowed"), "").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn an_ignored_file_that_belongs_to_a_kept_step_is_committed_with_it() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write(".gitignore", "/ignored.txt\n");
    garden.commit("Ignore a file");
    garden.agent("test $ARBORIST_STEP = review || { echo x > ignored.txt; git add -f ignored.txt; }");
    hook(&garden, "test -e \"$ROOT/allowed\" || { echo not yet; exit 1; }");
    garden.run(&["gardener"]).assert(4, &["not yet", "git ignores stay staged: ignored.txt"]);
    assert_eq!(garden.status(), ["A  ignored.txt", "?? T001.txt"]);
    fs::write(garden.root().join("allowed"), "").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    let implement = garden.git(&["log", "-1", "--format=%H", "--grep", "Arborist-Step: implement"]);
    assert_eq!(garden.files_of(&implement), ["T001.txt", "ignored.txt"]);
}
