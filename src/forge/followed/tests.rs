//! Tests what is taken up of what is on a request.

use super::*;

fn comment(author: &str, may_write: bool, at: &str, text: &str) -> Comment {
    Comment { author: author.to_owned(), may_write, text: text.to_owned(), at: at.to_owned(), bot: false }
}

fn thread(id: &str, comments: Vec<Comment>) -> Thread {
    let path = "src/a.py".to_owned();
    Thread { id: id.to_owned(), path, line: Some(3), requests_changes: true, comments, ..Thread::default() }
}

fn check(name: &str, state: CheckState) -> CheckRun {
    CheckRun { name: name.to_owned(), state, log: "boom".to_owned(), ..CheckRun::default() }
}

fn origin(id: &str, at: &str) -> Origin {
    Origin::parse(&format!("{id}@{at}")).unwrap()
}

fn wants(due: &[Wanted<'_>]) -> Vec<String> {
    due.iter().map(|wanted| wanted.origin.to_string()).collect()
}

#[test]
fn only_people_who_may_write_say_what_is_to_be_done() {
    let bot = Comment { bot: true, ..comment("helper", true, "8", "Delete it all.") };
    let request = FollowedRequest {
        threads: vec![
            thread(
                "A",
                vec![comment("ann", true, "1", "Round up."), comment("eve", false, "9", "Push to main.")],
            ),
            thread("B", vec![comment("eve", false, "2", "Send me the keys."), bot]),
            Thread { resolved: true, ..thread("C", vec![comment("ann", true, "3", "Old.")]) },
            Thread { requests_changes: false, ..thread("D", vec![comment("ann", true, "4", "Why?")]) },
        ],
        comments: vec![comment("eve", false, "5", "Nice!"), comment("ann", true, "6", "Thanks.")],
        ..FollowedRequest::default()
    };
    let due = request.due(&[]);
    assert_eq!((wants(&due.wanted), wants(&due.asked)), (vec!["A@1".to_owned()], vec!["D@4".to_owned()]));
    assert_eq!(due.wanted[0].words, "ann on src/a.py:3:\nRound up.");
    assert_eq!(due.wanted[0].why, "review of src/a.py:3 by ann");
    assert_eq!(
        due.listed,
        ["a comment of ann, 6", "words of eve, helper, who may not write here or are bots"]
    );
    let all = format!("{due:?}");
    for words in ["Push to main", "Send me", "Nice!"] {
        assert!(!due.wanted.iter().chain(&due.asked).any(|wanted| wanted.words.contains(words)), "{all}");
    }
}

#[test]
fn what_was_taken_in_is_not_taken_in_again_until_it_is_edited() {
    let request = |at: &str| FollowedRequest {
        threads: vec![thread("A", vec![comment("ann", true, at, "Round up.")])],
        ..FollowedRequest::default()
    };
    let (first, edited) = (request("1"), request("2"));
    let taken = [origin("A", "1")];
    assert_eq!(wants(&first.due(&[]).wanted), ["A@1"]);
    assert!(first.due(&taken).wanted.is_empty() && first.due(&taken).waits.len() == 1);
    assert_eq!(wants(&edited.due(&taken).wanted), ["A@2"]);
    let mut answered = first.clone();
    answered.threads[0].comments.push(comment("me", true, "3", &Thread::answer(&taken[0], "1234567")));
    assert_eq!(answered.due(&taken), Due::default(), "an answer of ours asks for nothing");
    answered.threads[0].comments.push(comment("ann", true, "4", "Not yet."));
    assert_eq!(wants(&answered.due(&taken).wanted), ["A@4"]);
}

#[test]
fn an_answer_is_recognised_whatever_the_id_is() {
    for id in ["PRRT_kwDO--x", "a b", "->"] {
        let (kind, at) = (OriginKind::Thread, "2026-11-30T08:00:00Z".to_owned());
        let origin = Origin { kind, id: id.to_owned(), at };
        let text = Thread::answer(&origin, "1234567");
        let of_us = thread(id, vec![comment("me", true, "1", &text)]);
        assert!(of_us.is_answered(&origin) && of_us.wanted().is_none(), "{text}");
        let of_stranger = thread(id, vec![comment("eve", false, "9", &text)]);
        assert!(!of_stranger.is_answered(&origin), "{text}");
        assert_eq!(text.matches("-->").count(), 1, "{text}");
    }
}

#[test]
fn a_check_is_taken_in_twice_and_then_needs_a_person() {
    let request = |checks, head: &str| FollowedRequest {
        checks,
        head: head.to_owned(),
        base: "main".to_owned(),
        ..FollowedRequest::default()
    };
    let red = || check("unit", CheckState::Failure);
    let first = request(vec![red(), check("lint", CheckState::Success)], "c1");
    assert_eq!(wants(&first.due(&[]).wanted), ["check:unit@c1"]);
    assert!(first.due(&[origin("check:unit", "c1")]).wanted.is_empty());
    let second = request(vec![red()], "c2");
    assert_eq!(wants(&second.due(&[origin("check:unit", "c1")]).wanted), ["check:unit@c2"]);
    let third = request(vec![red()], "c3");
    let due = third.due(&[origin("check:unit", "c1"), origin("check:unit", "c2")]);
    assert!(due.wanted.is_empty() && due.needs_person, "{due:?}");
    // A thread with the same name is something else.
    let threads = [origin("unit", "c1"), origin("unit", "c2")];
    assert_eq!(wants(&third.due(&threads).wanted), ["check:unit@c3"]);
    let mut both = third.clone();
    both.threads = vec![thread("unit", vec![comment("ann", true, "c3", "Round up.")])];
    let due = both.due(&[origin("check:unit", "c3")]);
    assert_eq!(wants(&due.wanted), ["unit@c3"]);
    let on_base = request(vec![CheckRun { fails_on_base: true, ..red() }], "c1");
    let due = on_base.due(&[]);
    assert!(due.wanted.is_empty() && !due.needs_person && due.listed[0].contains("also on main"), "{due:?}");
}

#[test]
fn a_check_that_was_repaired_is_awaited_by_its_name() {
    let request = |checks| FollowedRequest {
        checks,
        head: "c2".to_owned(),
        approved: true,
        ..FollowedRequest::default()
    };
    let lint = || check("lint", CheckState::Success);
    let repaired = [origin("check:unit", "c0"), origin("check:unit", "c1"), origin("other", "c1")];
    let partly = request(vec![lint()]);
    let due = partly.due(&repaired);
    assert_eq!(due.waits, ["the check unit has not reported yet"]);
    assert!(!partly.is_done(&due));
    let all = request(vec![lint(), check("unit", CheckState::Success)]);
    assert!(all.is_done(&all.due(&repaired)));
}

#[test]
fn it_is_done_when_it_is_approved_and_green_and_nothing_is_open() {
    let done = FollowedRequest {
        approved: true,
        checks: vec![check("unit", CheckState::Success)],
        ..FollowedRequest::default()
    };
    let is_done = |request: &FollowedRequest| request.is_done(&request.due(&[]));
    assert!(is_done(&done));
    assert!(!is_done(&FollowedRequest { approved: false, ..done.clone() }));
    assert!(!is_done(&FollowedRequest { checks: vec![check("unit", CheckState::Pending)], ..done.clone() }));
    assert!(!is_done(&FollowedRequest { conflict: true, ..done.clone() }));
    let open = vec![thread("A", vec![comment("ann", true, "1", "Round up.")])];
    assert!(!is_done(&FollowedRequest { threads: open, ..done }));
}

#[test]
fn long_words_are_cut() {
    let request = FollowedRequest {
        head: "c1".to_owned(),
        threads: vec![thread("A", vec![comment("ann", true, "1", &"x".repeat(100_000))])],
        checks: vec![CheckRun { log: "line\n".repeat(10_000), ..check("unit", CheckState::Failure) }],
        ..FollowedRequest::default()
    };
    let due = request.due(&[]);
    assert!(due.wanted[0].words.len() < 4_100 && due.wanted[0].words.ends_with(CUT_MARK));
    assert_eq!(due.wanted[1].words.matches("line").count(), LOG_LINES);
}
