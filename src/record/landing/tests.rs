//! Tests which claims of landed commits are read from a message.

use super::*;
use crate::record::trailers;

const BASE: &str = "1111111111111111111111111111111111111111";
const TIP: &str = "2222222222222222222222222222222222222222";

fn ids(landings: &[Landing]) -> Vec<Vec<&str>> {
    landings.iter().map(|landing| landing.tasks.iter().map(TaskId::as_str).collect()).collect()
}

fn block(tasks: &str) -> String {
    format!("Arborist-Complete: {tasks}\nArborist-Run: {BASE}..{TIP}\n")
}

fn landing(names: &[&str]) -> Landing {
    let id = |hex: &str| CommitId::from_hex(hex.as_bytes()).expect("a full id");
    let tasks = names.iter().map(|name| TaskId::parse(name).expect("an id")).collect();
    Landing::new(tasks, id(BASE), id(TIP)).expect("it names tasks and commits")
}

#[test]
fn what_is_written_is_read_and_git_sees_the_same_trailers() {
    let many: Vec<String> = (0..40).map(|number| format!("T{number:03}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for names in [vec!["T001"], vec!["T001", "T002.a"], many] {
        let written = landing(&names).trailers();
        let ids = written.lines().filter(|line| line.starts_with("Arborist-Complete"));
        assert!(ids.clone().all(|line| line.len() <= 72), "{written}");
        let message = format!("Add a parser\n\nThe text.\n\n{written}");
        assert_eq!(Landing::all_in(message.as_bytes()), [landing(&names)]);
        assert_eq!(trailers(message.as_bytes()).len(), written.lines().count());
    }
}

#[test]
fn a_block_is_found_although_a_forge_appended_paragraphs() {
    let appended = [
        "",
        "\nCo-authored-by: A <a@example.com>\n",
        "\n---------\n\nCo-authored-by: A <a@example.com>\nCo-authored-by: B <b@example.com>\n",
        "\nSee merge request group/project!1\n",
        "\nReviewed-on: https://example.com/1\n\nReviewed-by: A <a@example.com>\n",
    ];
    for appended in appended {
        let message = format!("Work (#12)\n\ntext\n\n{}{appended}", block("T1 T2"));
        assert_eq!(ids(&Landing::all_in(message.as_bytes())), [["T1", "T2"]], "{message}");
        let crlf = message.replace('\n', "\r\n");
        assert_eq!(ids(&Landing::all_in(crlf.as_bytes())), [["T1", "T2"]], "{crlf:?}");
    }
}

#[test]
fn a_forge_may_break_the_long_line() {
    for broken in [format!("Arborist-Run:\n{BASE}..{TIP}"), format!("Arborist-Run:\r\n  {BASE}..{TIP}\r")] {
        let message = format!(
            "Work (#12)\n\nArborist-Complete: T1 T2\n{broken}\n\nCo-authored-by: A <a@example.com>\n"
        );
        assert_eq!(ids(&Landing::all_in(message.as_bytes())), [["T1", "T2"]], "{message:?}");
    }
}

#[test]
fn the_messages_of_several_landed_commits_may_be_in_one() {
    let message = format!(
        "Work (#12)\n\n* One (T1)\n\n{}\n* Two (T2)\n\n{}\nCo-authored-by: A <a@example.com>\n",
        block("T1"),
        block("T2")
    );
    assert_eq!(ids(&Landing::all_in(message.as_bytes())), [["T1"], ["T2"]]);
    let other = message.replacen(BASE, "3333333333333333333333333333333333333333", 1);
    assert_eq!(ids(&Landing::all_in(other.as_bytes())), [["T2"]], "the last block says which run it is");
}

#[test]
fn keys_may_be_repeated_and_written_in_any_case() {
    let message =
        format!("Work\n\narborist-complete: T1\nARBORIST-COMPLETE: T2 T1\narborist-run: {BASE}..{TIP}\n");
    assert_eq!(ids(&Landing::all_in(message.as_bytes())), [["T1", "T2"]]);
}

#[test]
fn what_is_not_a_whole_block_of_trailers_makes_no_claim() {
    let run = format!("Arborist-Run: {BASE}..{TIP}");
    let bodies = [
        run.clone(),
        "Arborist-Complete: T1".to_owned(),
        format!("Arborist-Complete: T1\n\n{run}"),
        format!("Arborist-Complete:\n{run}"),
        format!("Arborist-Complete: ../T1\n{run}"),
        format!("Arborist-Complete: T1 a/b\n{run}"),
        format!("Arborist-Complete: T1\nArborist-Run: {BASE}...{TIP}"),
        format!("Arborist-Complete: T1\nArborist-Run: {BASE}..{BASE}"),
        format!("Arborist-Complete: T1\nArborist-Run: {}..{TIP}", &BASE[..12]),
        format!("Arborist-Complete: T1\nArborist-Run: {BASE}.."),
        format!("Arborist-Complete: T1\nArborist-Run: HEAD~1..{TIP}"),
        format!("Arborist-Complete: T1\n{run}\nArborist-Run: {TIP}..{BASE}"),
        format!("Arborist-Complete: T1\nsome text\n{run}"),
        format!("  Arborist-Complete: T1\n  {run}"),
        format!("> Arborist-Complete: T1\n> {run}"),
        format!("```\n\nArborist-Complete: T1\n{run}\n\n```\n\nText."),
        format!("~~~\nx\n\nArborist-Complete: T1\n{run}\n\n~~~"),
        format!("# ------------------------ >8 ------------------------\n\nArborist-Complete: T1\n{run}"),
        format!("\0\n\nArborist-Complete: T1\n{run}"),
    ];
    for body in bodies {
        let message = format!("Work\n\n{body}\n");
        assert_eq!(Landing::all_in(message.as_bytes()), [], "{message}");
    }
    assert_eq!(Landing::all_in(block("T1").as_bytes()), [], "a title is not a block");
}

#[test]
fn a_step_and_a_commit_to_be_squashed_make_no_claim() {
    let step = format!(
        "task(T2): implement \"x\"\n\n{}\nmore\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n",
        block("T1")
    );
    let both = format!("Work\n\n{}Arborist-Step: complete\n", block("T1"));
    let fixup = format!("fixup! Work\n\n{}", block("T1"));
    for message in [step, both, fixup] {
        assert_eq!(Landing::all_in(message.as_bytes()), [], "{message}");
    }
}

#[test]
fn the_indented_messages_of_a_squash_by_git_are_read() {
    let each = |title: &str, tasks: &str| {
        let message = format!("{title}\n\nWords.\n\n{}", block(tasks));
        let indented: String =
            message.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect();
        format!(
            "commit {TIP}\nAuthor: A <a@example.com>\nDate:   Tue Nov 24 01:21:21 2026 +0000\n\n{indented}\n"
        )
    };
    let message = format!("Squashed commit of the following:\n\n{}{}", each("Two", "T2"), each("One", "T1"));
    assert_eq!(ids(&Landing::all_in(message.as_bytes())), [["T2"], ["T1"]]);
    let undone = format!(
        "{message}commit {TIP}\nAuthor: A <a@example.com>\nDate:   x\n\n    Revert \"One\"\n\n    This reverts commit {TIP}.\n"
    );
    assert_eq!(
        ids(&Landing::all_in(undone.as_bytes())),
        [["T2"]],
        "what the squash takes back is not landed"
    );
    let redone =
        format!("{undone}\ncommit {TIP}\nAuthor: A <a@example.com>\nDate:   x\n\n    Reapply \"One\"\n");
    assert_eq!(ids(&Landing::all_in(redone.as_bytes())), [["T2"], ["T1"]]);
}

#[test]
fn a_person_may_say_which_commit_was_landed() {
    let landing = Landing::new(
        vec![TaskId::parse("T1").unwrap()],
        CommitId::from_hex(BASE.as_bytes()).unwrap(),
        CommitId::from_hex(TIP.as_bytes()).unwrap(),
    )
    .unwrap();
    let marked = landing.of_commit(CommitId::from_hex(TIP.as_bytes()).unwrap());
    let message = format!("chore: landed\n\n{}", marked.trailers());
    assert_eq!(Landing::all_in(message.as_bytes()), [marked]);
}

proptest::proptest! {
    #[test]
    fn no_message_is_too_strange_to_be_read(message in "(Arborist-Complete: T1\n|Arborist-Run: 1{40}\\.\\.2{40}\n|```\n|\n|x\r\n|# c\n|\0| ){0,12}") {
        for found in Landing::all_in(message.as_bytes()) {
            proptest::prop_assert!(!found.tasks.is_empty() && found.base != found.tip);
        }
    }
}
