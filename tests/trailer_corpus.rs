//! Holds the trailer parser against a corpus of messages that git has read.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "trailers/corpus.rs"]
mod corpus;

use git_arborist::task::trailers;

#[test]
fn every_message_of_the_corpus_is_read_as_git_read_it() {
    let cases = corpus::cases();
    assert_eq!(cases.len(), 232);
    for case in cases {
        assert_eq!(trailers(&case.message), case.expected, "{}: {}", case.name, case.message.escape_ascii());
    }
}
