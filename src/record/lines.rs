//! Iterates over the lines of a message from either end.
//! All code that reads messages uses this, so it has to be fast.

/// The lines of `text`, each with its line feed, which may be missing in the last one.
pub fn lines(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> + Clone {
    Lines { rest: text }
}

#[derive(Clone, Debug)]
struct Lines<'t> {
    rest: &'t [u8],
}

impl<'t> Iterator for Lines<'t> {
    type Item = &'t [u8];

    #[inline]
    fn next(&mut self) -> Option<&'t [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(line)
    }
}

impl DoubleEndedIterator for Lines<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let before_end = self.rest.len().checked_sub(1)?;
        let start = memchr::memrchr(b'\n', &self.rest[..before_end]).map_or(0, |at| at + 1);
        let (rest, line) = self.rest.split_at(start);
        self.rest = rest;
        Some(line)
    }
}

/// How many line ends are in `text`.
pub(crate) fn line_ends(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn from_either_end_the_lines_are_those_between_line_feeds(text in "[ab\n]{0,12}", from_back in proptest::collection::vec(proptest::bool::ANY, 14)) {
            let text = text.as_bytes();
            let mut expected: std::collections::VecDeque<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
            let mut lines = lines(text);
            for back in from_back {
                let (found, there) = if back {
                    (lines.next_back(), expected.pop_back())
                } else {
                    (lines.next(), expected.pop_front())
                };
                proptest::prop_assert_eq!(found, there);
            }
            proptest::prop_assert_eq!(line_ends(text), text.iter().filter(|&&byte| byte == b'\n').count());
        }
    }
}
