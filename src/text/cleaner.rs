//! Removes everything from an output that a terminal would obey or not show: escape sequences, control characters and
//! invisible characters (ECMA-48).
//!
//! The output may arrive in pieces, cut anywhere. A broken sequence never swallows the text after it: it ends before
//! the first character that cannot belong to it, and a title or a link ends with its line.

/// Cleans one output.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    state: State,
    /// The beginning of a character whose rest has not arrived yet.
    undecoded: Vec<u8>,
}

/// The sequence that the characters so far have begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// A carriage return has ended a line. More of them, or one line feed, do not end another.
    Return,
    Escape,
    /// An escape with intermediate characters, such as the choice of a character set.
    Intermediate,
    /// A control sequence: parameters, then one last character.
    Control,
    /// A title, a link or a similar string, up to BEL, a string terminator, or the end of the line.
    String,
    /// An escape within a string, perhaps the beginning of a string terminator.
    StringEscape,
}

impl Cleaner {
    /// Appends the visible part of the next piece to `into`: text, tabs and line feeds. A carriage return ends a line,
    /// and invalid UTF-8 becomes U+FFFD.
    pub fn push(&mut self, piece: &[u8], into: &mut String) {
        if self.undecoded.is_empty() {
            self.decode(piece, into);
        } else {
            let mut whole = std::mem::take(&mut self.undecoded);
            whole.extend_from_slice(piece);
            self.decode(&whole, into);
        }
    }

    /// Ends the output.
    pub fn finish(&mut self, into: &mut String) {
        let broken = !std::mem::take(&mut self.undecoded).is_empty();
        if broken {
            self.take(char::REPLACEMENT_CHARACTER, into);
        }
        self.state = State::Text;
    }

    fn decode(&mut self, mut bytes: &[u8], into: &mut String) {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.take_all(text, into),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            self.take_all(std::str::from_utf8(valid).expect("it was valid up to there"), into);
            let Some(wrong) = error.error_len() else {
                self.undecoded = rest.to_vec();
                return;
            };
            self.take(char::REPLACEMENT_CHARACTER, into);
            bytes = &rest[wrong..];
        }
    }

    fn take_all(&mut self, mut text: &str, into: &mut String) {
        while !text.is_empty() {
            if self.state == State::Text {
                let (plain, rest) = text.split_at(run(text, Class::Seen));
                into.push_str(plain);
                text = &rest[run(rest, Class::Unseen)..];
            }
            let mut chars = text.chars();
            if let Some(c) = chars.next() {
                self.take(c, into);
            }
            text = chars.as_str();
        }
    }

    fn take(&mut self, c: char, into: &mut String) {
        self.state = match (self.state, c) {
            (State::Escape, '[') | (State::Control, ' '..='?') => State::Control,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::String,
            (State::Escape | State::Intermediate, ' '..='/') => State::Intermediate,
            (State::Escape | State::Intermediate, '0'..='~')
            | (State::Control, '@'..='~')
            | (State::StringEscape, '\\')
            | (State::String, '\x07' | '\u{9c}')
            | (State::Return, '\n') => State::Text,
            (State::String, '\x1b') => State::StringEscape,
            (State::String, c) if !matches!(c, '\n' | '\r') => State::String,
            // The escape within the string has begun something else.
            (State::StringEscape, c) => {
                self.state = State::Escape;
                return self.take(c, into);
            }
            (State::Return, '\r') => State::Return,
            (_, c) => begins(c, into),
        };
    }
}

/// The classes of bytes outside of sequences.
#[derive(Clone, Copy)]
enum Class {
    /// A character that is written.
    Seen,
    /// A control character that is left out.
    Unseen,
    /// A byte that needs a closer look.
    Other,
}

/// How many of the first bytes are of this class. Most outputs consist of such runs, which makes a difference for
/// gigabytes.
fn run(text: &str, class: Class) -> usize {
    const CLASSES: [Class; 256] = {
        let mut classes = [Class::Other; 256];
        let mut byte = 0_usize;
        while byte < 128 {
            classes[byte] = match byte as u8 {
                b' '..=b'~' | b'\n' | b'\t' => Class::Seen,
                b'\x1b' | b'\r' => Class::Other,
                _ => Class::Unseen,
            };
            byte += 1;
        }
        classes
    };
    // Numbers are compared at once in every build.
    let (bytes, class) = (text.as_bytes(), class as u8);
    let mut length = 0;
    while length < bytes.len() && CLASSES[usize::from(bytes[length])] as u8 == class {
        length += 1;
    }
    length
}

/// Writes a character that belongs to no sequence, and returns the state that it begins.
fn begins(c: char, into: &mut String) -> State {
    match c {
        '\x1b' => State::Escape,
        '\u{9b}' => State::Control,
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => State::String,
        '\r' => {
            into.push('\n');
            State::Return
        }
        '\n' | '\t' => {
            into.push(c);
            State::Text
        }
        c => {
            if !is_unprintable(c) {
                into.push(c);
            }
            State::Text
        }
    }
}

/// Whether a character controls a terminal, reverses the direction of text, ends a line only in some programs, or is
/// invisible: Unicode's controls, line and paragraph separators, and the characters that are ignored by default (except
/// for the Hangul fillers, which take up space).
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cleaned(pieces: &[&[u8]]) -> String {
        let mut cleaner = Cleaner::default();
        let mut text = String::new();
        pieces.iter().for_each(|piece| cleaner.push(piece, &mut text));
        cleaner.finish(&mut text);
        text
    }

    #[test]
    fn sequences_are_removed_and_broken_ones_swallow_no_text() {
        let cases: &[(&[u8], &str)] = &[
            (b"plain\ttext\n", "plain\ttext\n"),
            (b"\x1b[1m\x1b[38;5;9mred\x1b[0m\n", "red\n"),
            (b"test result: \x1b[31mFAILED\x1b(B\x1b[m. 2", "test result: FAILED. 2"),
            (b"\x1b]52;c;aGVsbG8=\x07copied", "copied"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 end", "link end"),
            (b"\x1b]0;title\x1b[31mred", "red"),
            (b"\x1b]0;never closed\nnext\x1b]0;nor this\r\nline", "\nnext\nline"),
            (b"\x1bPdevice\x1b\\a\x1b_program\x1b\\b", "ab"),
            (b"\x1b[3\nx\x1b[\xc3\xa9\x1b\n", "\nxé\n"),
            (b"\x1bMup\x1b7\x1b =down", "updown"),
            ("c1 \u{9b}31mred \u{9d}0;x\u{9c}end".as_bytes(), "c1 red end"),
            (b"nul\0bell\x07del\x7fback\x08space", "nulbelldelbackspace"),
            (b"10%\r20%\r\ndone\r\r\nend\r\n\nx", "10%\n20%\ndone\nend\n\nx"),
            (b"return \r\x1b[K\nand \r\n\r\n\nmore", "return \n\nand \n\n\nmore"),
            ("\u{61c}\u{200b}\u{202e}\u{2028}\u{feff}\u{ad}x\u{e0041}".as_bytes(), "x"),
            (b"bad \xff\xfe bytes \xe2\x82", "bad \u{fffd}\u{fffd} bytes \u{fffd}"),
            (b"cut \x1b[3", "cut "),
            (b"cut \x1b", "cut "),
        ];
        for (raw, text) in cases {
            assert_eq!(cleaned(&[raw]), *text, "{}", raw.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn the_result_is_the_same_no_matter_where_the_output_is_cut(
            pieces in prop::collection::vec(prop::collection::vec(prop::sample::select(b"a\n\r\t\x1b[]P;0m\\\x07\x08\xc2\x9b\x9c\xe2\x80\x8b\xae\xff".to_vec()), 0..6), 0..12),
        ) {
            let whole = pieces.concat();
            let seen = cleaned(&[&whole]);
            let parts: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(cleaned(&parts), &seen[..]);
            prop_assert!(seen.chars().all(|c| matches!(c, '\n' | '\t') || !is_unprintable(c)), "{:?}", seen);
            prop_assert_eq!(cleaned(&[seen.as_bytes()]), &seen[..], "cleaning again changes nothing");
        }
    }
}
