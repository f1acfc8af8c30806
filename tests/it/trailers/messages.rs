//! Generates random commit messages in which a trailer block is hard to find.

use crate::trailers::lines::{
    ALL, BLANKS, FOLDS, FROM_GIT, Line, NEARLY_BLANK, PROSE, SCISSORS, TAIL, TITLES, TRAILERS,
};
use crate::trailers::random::Random;

/// Bytes with a meaning for a parser of messages.
const BYTES: &[u8] = b"\n\n\n\n \t\r\x0b\x0c\0#:-=;(Aa0_.\x7f\x80\xa0\xc3\xff";

/// An endless series of messages, which the seed determines.
pub(crate) struct Messages {
    random: Random,
    models: Vec<Vec<u8>>,
}

impl Messages {
    /// Some of the messages are mutations of the `models`.
    pub(crate) fn new(seed: u64, models: Vec<Vec<u8>>) -> Self {
        Self { random: Random::new(seed), models }
    }

    /// A message of the usual shape, with something odd in every part of it.
    fn shaped(&mut self) -> Vec<u8> {
        let mut lines = Vec::new();
        if self.random.percent(10) {
            self.add(&mut lines, BLANKS, 3);
        }
        lines.push(self.line_of(&[TITLES]));
        if self.random.percent(15) {
            self.add(&mut lines, &[PROSE, FOLDS, TRAILERS, TAIL, BLANKS].concat(), 2);
        }
        for _ in 0..self.random.below(3) {
            self.add_break(&mut lines);
            self.add(&mut lines, &[PROSE, PROSE, TRAILERS, FOLDS, TAIL].concat(), 4);
        }
        self.add_break(&mut lines);
        match self.random.below(5) {
            0 | 1 => self.add_mixture(&mut lines),
            _ => self.add_block(&mut lines),
        }
        if self.random.percent(40) {
            self.add(&mut lines, TAIL, 6);
        }
        if self.random.percent(10) {
            let at = self.random.below(lines.len() + 1);
            lines.insert(at, self.line_of(&[SCISSORS]));
        }
        self.joined(&lines)
    }

    /// Lines of all these sorts in any order.
    fn soup(&mut self, first: Option<Line>, sorts: &[&[Line]]) -> Vec<u8> {
        let mut lines: Vec<_> = first.into_iter().map(<[u8]>::to_vec).collect();
        for _ in 0..1 + self.random.below(12) {
            lines.push(self.line_of(sorts));
            if self.random.percent(20) {
                self.add_break(&mut lines);
            }
        }
        self.joined(&lines)
    }

    /// Only bytes that are hard to read.
    fn noise(&mut self) -> Vec<u8> {
        (0..self.random.below(60)).map(|_| self.random.pick(BYTES)).collect()
    }

    /// A model with a few changes.
    fn mutated(&mut self) -> Vec<u8> {
        let model = self.random.below(self.models.len());
        let mut message = self.models[model].clone();
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(2) {
                0 => self.change_byte(&mut message),
                _ => self.change_line(&mut message),
            }
        }
        message
    }

    fn change_byte(&mut self, message: &mut Vec<u8>) {
        let at = self.random.below(message.len() + 1);
        let byte = self.random.pick(BYTES);
        match self.random.below(7) {
            0 => message.truncate(at),
            1 | 2 if at < message.len() => drop(message.remove(at)),
            3 | 4 if at < message.len() => message[at] = byte,
            _ => message.insert(at, byte),
        }
    }

    fn change_line(&mut self, message: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = message.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let (at, other) = (self.random.below(lines.len()), self.random.below(lines.len()));
        match self.random.below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, other),
            2 => lines.insert(at, lines[other].clone()),
            3 => lines[at].splice(0..0, *b" ").for_each(drop),
            _ => lines.insert(at, self.line_of(ALL)),
        }
        *message = lines.join(&b'\n');
    }

    /// Trailers with a few other lines among them.
    fn add_block(&mut self, lines: &mut Vec<Vec<u8>>) {
        for _ in 0..1 + self.random.below(5) {
            lines.push(match self.random.below(5) {
                0 => self.odd_trailer(),
                _ => self.line_of(&[TRAILERS]),
            });
            if self.random.percent(25) {
                self.add(lines, FOLDS, 3);
            }
            if self.random.percent(12) {
                self.add(lines, &[PROSE, FROM_GIT, TAIL, NEARLY_BLANK].concat(), 1);
            }
        }
    }

    /// A paragraph near the border of the 25 % rule.
    fn add_mixture(&mut self, lines: &mut Vec<Vec<u8>>) {
        let mut mixture = Vec::new();
        let trailers = 1 + self.random.below(2);
        mixture.push(self.line_of(&[FROM_GIT, FROM_GIT, FROM_GIT, TRAILERS]));
        self.add(&mut mixture, TRAILERS, trailers);
        let prose = self.random.below(5 * trailers);
        for _ in 0..prose {
            mixture.push(self.line_of(&[PROSE, PROSE, FOLDS]));
        }
        if self.random.percent(30) {
            self.add(&mut mixture, TAIL, 2);
        }
        self.random.shuffle(&mut mixture);
        lines.append(&mut mixture);
    }

    fn add_break(&mut self, lines: &mut Vec<Vec<u8>>) {
        let sort = if self.random.percent(4) { NEARLY_BLANK } else { BLANKS };
        lines.push(self.line_of(&[sort]));
    }

    /// Up to `most` lines of this sort.
    fn add(&mut self, lines: &mut Vec<Vec<u8>>, sort: &[Line], most: usize) {
        for _ in 0..1 + self.random.below(most) {
            lines.push(self.line_of(&[sort]));
        }
    }

    fn line_of(&mut self, sorts: &[&[Line]]) -> Vec<u8> {
        let sort = self.random.pick(sorts);
        self.random.pick(sort).to_vec()
    }

    fn odd_trailer(&mut self) -> Vec<u8> {
        let mut line: Vec<u8> =
            (0..1 + self.random.below(5)).map(|_| self.random.pick(b"AAbbz09--_. \t")).collect();
        line.push(b':');
        line.extend((0..self.random.below(8)).map(|_| self.random.pick(b" \t\rx:#\x0c\xc3\xa9\xff")));
        line
    }

    /// One message of these lines, with one sort of line ends or with several.
    fn joined(&mut self, lines: &[Vec<u8>]) -> Vec<u8> {
        let ends: &[Line] = match self.random.below(20) {
            0 => &[b"\r\n"],
            1 => &[b"\n", b"\n", b"\n", b"\r\n", b"\r", b"\n\n"],
            _ => &[b"\n"],
        };
        let mut message = Vec::new();
        for line in lines {
            message.extend_from_slice(line);
            message.extend_from_slice(self.random.pick(ends));
        }
        if self.random.percent(15) {
            message.pop();
        }
        if self.random.percent(2) {
            message.insert(self.random.below(message.len()), 0);
        }
        message
    }
}

impl Iterator for Messages {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        Some(match self.random.below(20) {
            0..10 => self.shaped(),
            10 | 11 => self.soup(None, ALL),
            12 => self.soup(Some(b"Conflicts:"), &[TAIL, TAIL, TRAILERS, BLANKS]),
            13 => self.noise(),
            _ => self.mutated(),
        })
    }
}
