//! Tests `git arborist check`: its inputs, its formats, and its findings in a history.

use std::io::Write;
use std::process::Stdio;

use crate::support::sandbox::{Said, Sandbox, step};

const LOST: &str =
    "task(T1): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n\nthanks\n";

fn with_stdin(sandbox: &Sandbox, args: &[&str], text: &str) -> Said {
    let mut command = sandbox.command(&sandbox.repo(), env!("CARGO_BIN_EXE_git-arborist-check"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { status: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_file_standard_input_a_commit_and_a_range_are_checked() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit("first\n").ok();
    sandbox.commit(LOST).ok();
    sandbox.commit("third\n").ok();
    sandbox.write("message", LOST);
    let check = |args: &[&str]| sandbox.arborist(&[&["check", "--format", "short"], args].concat());
    let file = check(&["message"]);
    assert_eq!(
        (file.status, file.out.as_str()),
        (1, "message:3:1: error[A001]: git will not see these Arborist trailers\n")
    );
    let short = sandbox.git(&["rev-parse", "--short=7", "HEAD~"]).out;
    let expected = format!("{}:3:1: error[A001]: git will not see these Arborist trailers\n", short.trim());
    for args in [&["HEAD~"][..], &["HEAD~2..HEAD"], &["HEAD~2.."]] {
        let said = check(args);
        assert_eq!((said.status, said.out.as_str()), (1, expected.as_str()), "{args:?} {said:?}");
    }
    assert_eq!(check(&[]).ok().out, "");
    for args in [&["-"][..], &["--stdin"]] {
        let said = with_stdin(&sandbox, args, LOST);
        assert!(said.status == 1 && said.out.contains("--> <stdin>:3:1"), "{said:?}");
    }
    for wrong in ["nothing", "nothing..HEAD", "HEAD^{tree}"] {
        assert_eq!(check(&[wrong]).status, 2, "{wrong}");
    }
}

#[test]
fn colours_follow_the_configuration_of_git() {
    let sandbox = Sandbox::with_repo();
    sandbox.write("message", LOST);
    assert!(!sandbox.arborist(&["check", "message"]).refused().out.contains('\x1b'));
    sandbox.git(&["config", "color.ui", "always"]).ok();
    assert!(sandbox.arborist(&["check", "message"]).refused().out.contains("\x1b["));
}

#[test]
fn every_format_prints_the_same_findings() {
    let sandbox = Sandbox::with_repo();
    sandbox.write("message", LOST);
    let check = |format: &str| sandbox.arborist(&["check", "--format", format, "message"]).refused();
    let human = check("human");
    for words in [
        "error[A001]",
        "--> message:3:1",
        "3 | Arborist-Step: implement",
        "because this text follows",
        "= help:",
    ] {
        assert!(human.out.contains(words), "{words}\n{}", human.out);
    }
    let json: serde_json::Value = serde_json::from_str(&check("json").out).unwrap();
    assert_eq!((&json["version"], &json["errors"]), (&1.into(), &1.into()));
    let finding = &json["findings"][0];
    assert_eq!((finding["id"].as_str(), finding["at"]["line"].as_u64()), (Some("A001"), Some(3)));
    assert_eq!(finding["labels"][0]["at"]["line"], 7);
    let github = check("github").out;
    assert!(github.starts_with("::error file=message,line=3,col=1,title=A001::git will not see"), "{github}");
    assert_eq!(github.lines().count(), 1);
    sandbox.write("message", "A person's\n");
    let json = sandbox.arborist(&["check", "--format", "json", "message"]).ok().out;
    assert!(json.contains("\"findings\": []"), "{json}");
}

#[test]
fn control_characters_of_a_message_never_reach_the_terminal() {
    let sandbox = Sandbox::with_repo();
    // Escapes, their one-character forms, a string that a terminal would obey, and what turns text around or hides it.
    let evil = "\u{1b}[31m\u{9b}31m\u{1b}]0;x\u{7}\u{85}\u{61c}\u{202e}\u{2028}\u{200b}";
    let message = format!(
        "task(T1): {evil}red\n\nArborist-Step: implement{evil}\nArborist-Result: {evil}\nArborist-Report: a{evil}/../..\n\
         Arborist-Retry: 0\nArborist-Retry: {evil}\n{evil}\n"
    );
    sandbox.write("message", &message);
    sandbox.commit("first\n").ok();
    sandbox.commit(&message).ok();
    for format in ["human", "short", "json", "github"] {
        for input in ["message", "HEAD", "HEAD~..HEAD"] {
            let said = sandbox.arborist(&["check", "--format", format, input]).refused();
            let odd = |c: &char| *c != '\n' && git_arborist::text::is_unprintable(*c);
            assert_eq!(said.out.chars().find(odd), None, "{format} {input}: {:?}", said.out);
            assert!(!said.out.is_empty(), "{format} {input}");
        }
    }
    let parsed = sandbox.arborist(&["check", "--parse", "message"]).ok().out;
    assert!(!parsed.contains('\u{9b}'), "{parsed:?}");
}

#[test]
fn every_rule_is_explained() {
    let sandbox = Sandbox::new();
    let explain = |id: &str| {
        let mut check = sandbox.command(sandbox.root(), env!("CARGO_BIN_EXE_git-arborist-check"));
        sandbox.run(check.args(["--explain", id]))
    };
    let all = explain("all").ok().out;
    assert!(all.lines().count() >= 30);
    for line in all.lines() {
        let id = line.split(' ').next().unwrap();
        let text = explain(&id.to_lowercase()).ok().out;
        assert!(text.starts_with(id) && text.contains("Wrong:") && text.contains("Right:"), "{text}");
    }
    assert_eq!(explain("A999").status, 2);
}

#[test]
fn parse_prints_what_git_reads() {
    let sandbox = Sandbox::with_repo();
    let message = "task(T1): x\n\nArborist-Step: implement\nCo-authored-by: B\n  C\n";
    let expected = "{\"version\":1,\"definition\":\"trailer\",\"key\":\"Arborist-Step\",\"value\":\"implement\"}\n{\"version\":1,\"definition\":\"trailer\",\"key\":\"Co-authored-by\",\"value\":\"B C\"}\n";
    sandbox.commit(message).ok();
    sandbox.write("message", format!("# comment\n{message}"));
    assert_eq!(sandbox.arborist(&["check", "--parse", "HEAD"]).ok().out, expected);
    assert_eq!(sandbox.arborist(&["check", "--parse", "message"]).ok().out, expected);
    assert_eq!(with_stdin(&sandbox, &["--parse", "-"], message).ok().out, expected);
}

/// A repository with a tree, after which its run begins.
fn with_run() -> Sandbox {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&step("T1", "review", "approved")).ok();
    sandbox.write(
        "task-tree.json",
        r#"{"nodes": {"T1": {"id": "T1", "name": "x"}, "T2": {"id": "T2", "name": "y"}}}"#,
    );
    sandbox.commit("Add the tree\n").ok();
    sandbox
}

#[test]
fn a_correct_run_has_no_findings_in_any_format() {
    let sandbox = with_run();
    for task in ["T1", "T2"] {
        for (name, outcome) in
            [("implement", "pass"), ("test", "pass"), ("review", "approved"), ("complete", "pass")]
        {
            sandbox.commit(&step(task, name, outcome)).ok();
        }
    }
    let said = sandbox.arborist(&["check", "--run"]).ok();
    let evidence = "2 complete, as their commits claim: 2 tested, 2 reviewed, 0 proven.\n";
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", evidence));
}

#[test]
fn checking_a_run_finds_what_single_messages_do_not_show() {
    let sandbox = with_run();
    let check = |args: &[&str]| sandbox.arborist(&[&["check", "--format", "short"], args].concat());
    sandbox.commit(&step("T1", "review", "approved")).ok();
    assert!(check(&["--run"]).refused().out.contains("H201"));
    // For a range, earlier steps are unknown.
    assert!(!check(&["HEAD~..HEAD"]).ok().out.contains("H201"));
    sandbox.commit(&step("T2", "implement", "pass")).ok();
    sandbox.commit(&step("T2", "test", "pass").replace("Retry: 0", "Retry: 4")).ok();
    assert!(check(&["--run"]).refused().out.contains("H202"));
    sandbox.commit(&step("T2", "complete", "pass").replace("Report: file", "Report: gone.json")).ok();
    let said = check(&["HEAD~..HEAD"]);
    assert!(said.out.contains("H203"), "{said:?}");
}

#[test]
fn a_report_that_is_pruned_later_is_no_finding() {
    let sandbox = with_run();
    sandbox.write("spec/reports/T1.json", "{}");
    sandbox
        .commit(&step("T1", "complete", "pass").replace("Report: file", "Report: spec/reports/T1.json"))
        .ok();
    sandbox.git(&["rm", "-q", "-r", "spec"]).ok();
    sandbox.commit("chore(arborist): prune 1 generated files\n").ok();
    assert!(!sandbox.arborist(&["check", "HEAD~2..HEAD"]).ok().out.contains("H203"));
}

#[test]
fn an_empty_repository_and_a_missing_one_do_not_pass_the_check() {
    let sandbox = Sandbox::with_repo();
    assert_eq!(sandbox.arborist(&["check"]).status, 2);
    let mut check = sandbox.command(sandbox.root(), env!("CARGO_BIN_EXE_git-arborist-check"));
    assert_eq!(sandbox.run(&mut check).status, 3);
}

#[test]
fn an_empty_range_says_that_nothing_was_checked() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit("first\n").ok();
    for range in ["main..HEAD", "HEAD..main", "main...HEAD", "HEAD~0..HEAD"] {
        let said = sandbox.arborist(&["check", range]).ok();
        let words =
            format!("There are no commits in {range}, so nothing was checked. `git arborist check --run`");
        assert!(said.out.is_empty() && said.err.starts_with(&words), "{said:?}");
    }
    sandbox.commit("second\n").ok();
    assert_eq!(sandbox.arborist(&["check", "HEAD~1..HEAD"]).ok().err, "", "there is something to check");
}

#[test]
fn an_end_of_a_range_that_is_not_a_commit_is_named() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit("first\n").ok();
    sandbox.git(&["branch", "feature"]).ok();
    sandbox.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]).ok();
    let cases = [
        ("main..featrue", "`featrue` in `main..featrue` is not a commit here.", "Did you mean feature?"),
        ("topic..main", "`topic` in `topic..main` is not a commit here.", "Did you mean origin/topic?"),
        ("main..zzzzzzz", "`zzzzzzz` in `main..zzzzzzz` is not a commit here.", "`git branch --all`"),
        ("featrue", "`featrue` is neither a file nor a commit.", "Did you mean feature?"),
    ];
    for (input, what, remedy) in cases {
        let said = sandbox.arborist(&["check", input]);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
        assert!(said.err.contains(what) && said.err.contains(remedy), "{said:?}");
    }
}

#[test]
fn a_range_has_the_same_findings_with_and_without_merges() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit("first\n").ok();
    sandbox.git(&["branch", "start"]).ok();
    sandbox.commit(LOST).ok();
    let check = |range: &str| sandbox.arborist(&["check", "--format", "short", range]).out;
    let line = check("start..main");
    assert_eq!(line.lines().count(), 1, "{line}");
    // The start of the range is not on the same line of history.
    sandbox.git(&["switch", "-q", "start"]).ok();
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "beside"]).ok();
    assert_eq!(check("start..main"), line);
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "Merge start", "start"]).ok();
    assert_eq!(check("start..main"), line);
    assert_eq!(check("main..start"), "");
}
