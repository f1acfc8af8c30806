//! Holds the trailer parser against the git on `PATH`, on random messages.
//!
//! The long form is `cargo test --test it -- trailers --ignored --nocapture`. `TRAILER_CASES` and
//! `TRAILER_SEED` choose how many messages there are and which.

use crate::trailers::corpus;
use crate::trailers::git;

use std::time::{SystemTime, UNIX_EPOCH};

use git_arborist::record::{RawTrailer, trailers};

use crate::trailers::messages::Messages;

/// How many commits are in one repository.
const BATCH: usize = 20_000;

/// One line of each kind that the search for the block distinguishes.
const SORTS: [&str; 10] =
    ["", " ", "\t", "prose", "Key: v", " folded", "\tfolded", "# comment", "Conflicts:", "Signed-off-by: x"];

#[test]
fn random_messages_are_read_as_git_reads_them() {
    compare_random(0, 5_000);
}

#[test]
#[ignore = "takes seconds; for changes of the parser and new versions of git"]
fn very_many_random_messages_are_read_as_git_reads_them() {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number_from("TRAILER_SEED").unwrap_or(clock.as_secs());
    let count = number_from("TRAILER_CASES").unwrap_or(100_000);
    compare_random(seed, usize::try_from(count).unwrap());
}

#[test]
fn every_message_of_three_lines_is_read_as_git_reads_it() {
    compare(all_messages(3));
}

#[test]
#[ignore = "takes a minute; for changes of the parser and new versions of git"]
fn every_message_of_six_lines_is_read_as_git_reads_it() {
    compare(all_messages(6));
}

#[test]
fn the_corpus_agrees_with_git() {
    let cases = corpus::cases();
    let messages: Vec<_> = cases.iter().map(|case| case.message.clone()).collect();
    for (case, by_git) in cases.iter().zip(git::trailers(&messages)) {
        assert_eq!(case.expected, by_git, "{}", case.name);
    }
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}

/// All messages of so many lines of the [`SORTS`].
fn all_messages(lines: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..SORTS.len().pow(lines)).map(move |number| {
        let line = |place| SORTS[number / SORTS.len().pow(place) % SORTS.len()];
        (0..lines).flat_map(|place| [line(place), "\n"]).collect::<String>().into_bytes()
    })
}

fn compare_random(seed: u64, count: usize) {
    println!("TRAILER_SEED={seed} TRAILER_CASES={count}");
    let models = corpus::cases().into_iter().map(|case| case.message).collect();
    let with_trailers = compare(Messages::new(seed, models).take(count));
    // If all messages had trailers, or none, the test would prove little.
    assert!((count / 4..count * 3 / 4).contains(&with_trailers), "{with_trailers} messages have trailers");
}

/// Panics if a message is misread; returns how many of them have trailers.
fn compare(mut source: impl Iterator<Item = Vec<u8>>) -> usize {
    let (mut with_trailers, mut misread) = (0, Vec::new());
    loop {
        let messages: Vec<_> = source.by_ref().take(BATCH).collect();
        if messages.is_empty() {
            break;
        }
        let by_git = git::trailers(&messages);
        with_trailers += by_git.iter().filter(|trailers| !trailers.is_empty()).count();
        let pairs = messages.into_iter().zip(by_git);
        misread.extend(pairs.filter(|(message, by_git)| trailers(message) != *by_git));
    }
    if let Some((message, by_git)) = misread.iter().min_by_key(|(message, _)| message.len()) {
        panic!(
            "{} messages are misread. The shortest is b\"{}\".\ngit: {}\nhere: {}",
            misread.len(),
            message.escape_ascii(),
            shown(by_git),
            shown(&trailers(message))
        );
    }
    with_trailers
}

fn shown(trailers: &[RawTrailer]) -> String {
    let pairs = trailers.iter().map(|trailer| (trailer.key.escape_ascii(), trailer.value.escape_ascii()));
    pairs.map(|(key, value)| format!("[{key}|{value}]")).collect()
}
