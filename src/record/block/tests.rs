//! Tests where a trailer block begins and ends, and what it contains.

use proptest::prelude::*;

use super::*;
use crate::growth::assert_linear;

const MESSAGE: &[u8] = b"\n\
    task(T001): implement \"Create schema\"\n\
    \n\
    Runner output\n\
    \n\
    Arborist-Step: implement\n\
    # a comment\n\
    Arborist-Report \t:  spec/reports/\n\
    \t x.json \n\
    Not a trailer\n\
    (cherry picked from commit 0123)\n\
    Signed-off-by: A <a@example.com>\r\n\
    Empty:\n\
    \n\
    # below\n";

fn block(message: &[u8]) -> Block<'_> {
    locate(message).unwrap_or_else(|| panic!("no block in b\"{}\"", message.escape_ascii()))
}

#[test]
fn a_block_covers_exactly_its_lines() {
    let block = block(MESSAGE);
    assert!(MESSAGE[block.bytes()].starts_with(b"Arborist-Step: implement\n# a comment\n"));
    assert!(MESSAGE[block.bytes()].ends_with(b"\nEmpty:\n"));
    assert_eq!(block.first_line(), 6);
}

#[test]
fn every_part_of_a_block_knows_its_lines() {
    let shown: Vec<_> = block(MESSAGE)
        .parts()
        .map(|part| {
            let sort = match &part {
                Part::Trailer(_) => "trailer",
                Part::CherryPick(_) => "cherry-pick",
                Part::Prose(_) => "prose",
                Part::Comment(_) => "comment",
            };
            let Lines { bytes, first, count } = part.lines().clone();
            (sort, first, count, MESSAGE[bytes].escape_ascii().to_string())
        })
        .collect();
    let expected = [
        ("trailer", 6, 1, r"Arborist-Step: implement\n"),
        ("comment", 7, 1, r"# a comment\n"),
        ("trailer", 8, 2, r"Arborist-Report \t:  spec/reports/\n\t x.json \n"),
        ("prose", 10, 1, r"Not a trailer\n"),
        ("cherry-pick", 11, 1, r"(cherry picked from commit 0123)\n"),
        ("trailer", 12, 1, r"Signed-off-by: A <a@example.com>\r\n"),
        ("trailer", 13, 1, r"Empty:\n"),
    ];
    assert_eq!(shown, expected.map(|(sort, first, count, text)| (sort, first, count, text.to_owned())));
}

#[test]
fn the_places_of_keys_and_values_are_exact() {
    let shown: Vec<_> = block(MESSAGE)
        .trailers()
        .map(|trailer| {
            assert_eq!(&MESSAGE[trailer.key_bytes()], trailer.key());
            let written = MESSAGE[trailer.value_bytes()].escape_ascii().to_string();
            (trailer.key(), written, trailer.value().escape_ascii().to_string())
        })
        .collect();
    let expected: [(&[u8], _, _); 4] = [
        (b"Arborist-Step", "implement", "implement"),
        (b"Arborist-Report", r"spec/reports/\n\t x.json", "spec/reports/ x.json"),
        (b"Signed-off-by", "A <a@example.com>", "A <a@example.com>"),
        (b"Empty", "", ""),
    ];
    assert_eq!(shown, expected.map(|(key, written, value)| (key, written.to_owned(), value.to_owned())));
}

#[test]
fn an_empty_value_is_at_the_end_of_its_line() {
    let message = b"s\n\nKey: \nOther:";
    let places: Vec<_> = block(message).trailers().map(|trailer| trailer.value_bytes()).collect();
    assert_eq!(places, [9..9, 15..15]);
}

#[test]
fn a_block_says_why_it_is_one() {
    let cases: [(&[u8], Option<BlockRule>); 9] = [
        (b"s\n\nKey: v\n", Some(BlockRule::TrailersOnly)),
        (b"s\n\n# c\nKey: v\n folded\n", Some(BlockRule::TrailersOnly)),
        (b"s\n\n(cherry picked from commit 0123)\n", Some(BlockRule::TrailersOnly)),
        (b"s\n\nKey: v\nprose\n", None),
        (b"s\n\nSigned-off-by: v\n1\n2\n3\n", Some(BlockRule::QuarterRule)),
        (b"s\n\nSigned-off-by: v\n1\n2\n3\n4\n", None),
        (b"s\n\nprose\n", None),
        (b"Key: v\n", None),
        (b"", None),
    ];
    for (message, expected) in cases {
        let found = locate(message).map(|block| block.acceptance());
        assert_eq!(found, expected, "{}", message.escape_ascii());
    }
}

#[test]
fn a_block_may_have_no_trailers() {
    assert_eq!(block(b"s\n\n(cherry picked from commit 0123)\n").trailers().count(), 0);
}

#[test]
fn white_space_before_a_fold_is_kept_and_after_it_is_removed() {
    let cases: [(&[u8], &[u8]); 5] = [
        (b"s\n\nK: a \n b", b"a  b"),
        (b"s\n\nK: a\r\n\t b\r\n", b"a\r b"),
        (b"s\n\nK:\n a\n  b\n", b"a b"),
        (b"s\n\nK: a\n\x0c\n", b""),
        (b"s\n\nK: a\n \x0cb\x0c\n", b"a \x0cb\x0c"),
    ];
    for (message, expected) in cases {
        let values: Vec<_> = trailers(message).into_iter().map(|trailer| trailer.value).collect();
        assert_eq!(values.concat(), expected, "{}", message.escape_ascii());
    }
}

/// The beginning of a message decides whether the block is searched for from the end or from the beginning.
#[test]
fn long_messages_take_linear_time() {
    let pieces: [&[u8]; 14] = [
        b"\n",
        b" \n",
        b" ",
        b"-",
        b"# -",
        b"#\n",
        b"\t\n",
        b"\tx\n",
        b"a",
        b"a\n",
        b"A: b\n",
        b"Conflicts:\n",
        b"Conflicts:\nx\n",
        b"# ------------------------ >8 -----------------------\n",
    ];
    for piece in pieces {
        for head in [&b""[..], b"s\n\n", b"s\n\nSigned-off-by: x\n", b"Conflicts:\n\n"] {
            let message = |size: usize| [head, &piece.repeat(size / piece.len())].concat();
            let name = format!("{} after {}", piece.escape_ascii(), head.escape_ascii());
            assert_linear(&name, 2_000, message, |message| trailers(message).len());
        }
    }
}

proptest! {
    #[test]
    fn the_parts_of_a_block_leave_no_gap(body in "[aA:#( \t\r\n-]{0,60}") {
        let message = format!("s\n\n{body}\nSigned-off-by: a\n");
        if let Some(block) = locate(message.as_bytes()) {
            let (mut at, mut line) = (block.bytes().start, block.first_line());
            for part in block.parts() {
                let lines = part.lines();
                prop_assert_eq!((lines.bytes.start, lines.first), (at, line));
                prop_assert_eq!(message[lines.bytes.clone()].lines().count(), lines.count);
                (at, line) = (lines.bytes.end, line + lines.count);
            }
            prop_assert_eq!(at, block.bytes().end);
        }
    }
}
