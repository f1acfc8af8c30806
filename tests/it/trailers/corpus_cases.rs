//! Holds the trailer parser against a corpus of messages that git has read.

use crate::trailers::corpus;

use git_arborist::record::trailers;

#[test]
fn every_message_of_the_corpus_is_read_as_git_read_it() {
    let cases = corpus::cases();
    assert_eq!(cases.len(), 232);
    for case in cases {
        assert_eq!(trailers(&case.message), case.expected, "{}: {}", case.name, case.message.escape_ascii());
    }
}
