//! Finds dependencies that a text states: `(depends on T001, T002)`, `T004 -> T001`, `T001 → T002`.

use super::checkbox::is_id;
use super::imported::Needed;

/// A line of a section about dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StatedLine {
    /// Each pair is a node and what it depends on.
    pub(super) pairs: Vec<StatedPair>,
    /// The arrow of the line.
    pub(super) arrow: Option<ArrowMeaning>,
}

/// One dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatedPair {
    pub(super) node: Needed,
    pub(super) on: Needed,
}

/// The two arrows mean opposite things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrowMeaning {
    /// `A -> B`: A depends on B.
    DependsOn,
    /// `A → B`: A comes before B.
    Before,
}

const KEYWORDS: [&str; 9] = [
    "depends on",
    "depend on",
    "dependencies",
    "dependency",
    "depends",
    "blocked by",
    "requires",
    "deps",
    "after",
];

/// What a task depends on according to its own text: remarks in brackets, and lines that begin with a keyword.
pub(super) fn needs_in(text: &str) -> Vec<Needed> {
    let mut found = Vec::new();
    for line in text.lines() {
        let plain = plain_line(line);
        if let Some(rest) = after_keyword(&plain)
            && (rest.starts_with([':', '：']) || ids_in(rest).first().is_some_and(|_| begins_with_id(rest)))
        {
            found.extend(ids_in(rest));
            continue;
        }
        for part in in_brackets(&plain) {
            if let Some(rest) = after_keyword(part) {
                found.extend(ids_in(rest));
            }
        }
    }
    found.dedup();
    found
}

/// What a task depends on if tasks have numbers: `_Depends: 4.1_`, `(depends on 1.2 and 1.3)`.
pub(super) fn numbers_needed(text: &str) -> Vec<Needed> {
    let mut found = Vec::new();
    for line in text.lines() {
        let plain = plain_line(line);
        match after_keyword(&plain).filter(|rest| rest.starts_with([':', '：'])) {
            Some(rest) => found.extend(numbers_in(rest)),
            None => {
                for part in in_brackets(&plain) {
                    found.extend(after_keyword(part).map(numbers_in).unwrap_or_default());
                }
            }
        }
    }
    found
}

/// A line without the marks of Markdown at its beginning, and without bold ones.
pub(super) fn plain_line(line: &str) -> String {
    line.trim().trim_start_matches(['-', '*', '+', '_', '>', ' ']).replace("**", "")
}

/// The numbers of tasks in a text, such as `1`, `2.1` and `1.1-1.3`.
pub(super) fn numbers_in(text: &str) -> Vec<Needed> {
    let is_number = |word: &str| {
        !word.is_empty()
            && word.len() <= 16
            && word.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let plain = text.replace(['–', '—'], "-");
    let words = plain.split(|c: char| c.is_whitespace() || ",;()[]{}`*_\"'、，；（）".contains(c));
    let words = words.map(|word| word.trim_start_matches('#').trim_end_matches(['.', ':']));
    let needed = words.filter_map(|word| match word.split_once('-') {
        None => is_number(word).then(|| Needed::Id(word.to_owned())),
        Some((from, to)) => {
            (is_number(from) && is_number(to)).then(|| Needed::Range(from.to_owned(), to.to_owned()))
        }
    });
    needed.collect()
}

/// Whether a line is a field that states dependencies: `Depends on: T001`.
pub(super) fn is_needs_line(line: &str) -> bool {
    after_keyword(&plain_line(line)).is_some_and(|rest| rest.starts_with([':', '：']))
}

/// The text without the remarks in brackets that state dependencies.
pub(super) fn without_needs(text: &str) -> String {
    let mut out = text.to_owned();
    for part in in_brackets(text) {
        if after_keyword(part).is_some_and(|rest| !ids_in(rest).is_empty() || has_only_numbers(rest)) {
            for (open, close) in [('(', ')'), ('[', ']'), ('（', '）')] {
                out = out.replace(&format!("{open}{part}{close}"), "");
            }
        }
    }
    out
}

/// Whether a text has numbers of tasks, and nothing else but words that join them.
fn has_only_numbers(text: &str) -> bool {
    let mut words =
        text.split(|c: char| c.is_whitespace() || ",:;".contains(c)).filter(|word| !word.is_empty());
    let is_number =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    !numbers_in(text).is_empty() && words.all(|word| is_number(word) || is_joining(&word.to_lowercase()))
}

fn begins_with_id(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '`', '*', '[']);
    text.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The rest of a text that begins with a keyword for dependencies.
fn after_keyword(text: &str) -> Option<&str> {
    after_one_of(&KEYWORDS, text)
}

pub(super) fn after_one_of<'t>(keywords: &[&str], text: &'t str) -> Option<&'t str> {
    let text = text.trim_start_matches([' ', '_', '*']);
    keywords.iter().find_map(|keyword| {
        let head = text.get(..keyword.len())?;
        let rest = &text[keyword.len()..];
        let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        (head.eq_ignore_ascii_case(keyword) && ends).then_some(rest)
    })
}

/// The texts in round or square brackets that have no brackets in them.
pub(super) fn in_brackets(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = None;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '（' => open = Some(at + c.len_utf8()),
            ')' | ']' | '）' => {
                if let Some(start) = open.take() {
                    found.push(&text[start..at]);
                }
            }
            _ => {}
        }
    }
    found
}

/// All ids in a text, and the ranges of ids: `T001-T003`, `T001 to T003`.
pub(super) fn ids_in(text: &str) -> Vec<Needed> {
    words(text).into_iter().filter_map(StatedWord::target).collect()
}

enum StatedWord {
    Target(Needed),
    /// A word that only joins others.
    Joins,
    Other,
}

impl StatedWord {
    fn target(self) -> Option<Needed> {
        if let Self::Target(needed) = self { Some(needed) } else { None }
    }
}

fn words(text: &str) -> Vec<StatedWord> {
    let plain = text.replace(['–', '—', '‑', '…'], "-").replace("..", "-");
    let between = |c: char| c.is_whitespace() || ",;()[]{}`*_\"'、，；（）".contains(c);
    let mut found: Vec<StatedWord> = Vec::new();
    let (mut joins_range, mut after_phase) = (false, false);
    for word in plain.split(between).map(|word| word.trim_matches(['.', ':', '：'])) {
        if word.is_empty() {
            continue;
        }
        let lower = word.to_lowercase();
        if std::mem::take(&mut after_phase) {
            if is_phase_number(word) {
                found.push(StatedWord::Target(Needed::Id(phase_id(word))));
                continue;
            }
            found.push(StatedWord::Other);
        }
        if lower == "phase" {
            after_phase = true;
            continue;
        }
        if matches!(lower.as_str(), "-" | "to" | "through" | "thru" | "bis" | "~") {
            joins_range = true;
            continue;
        }
        let target = target(word);
        let joined = std::mem::take(&mut joins_range);
        match (target, found.last_mut()) {
            (Some(Needed::Id(last)), Some(StatedWord::Target(first))) if joined => {
                if let Needed::Id(id) = first {
                    *first = Needed::Range(std::mem::take(id), last);
                }
            }
            (Some(target), _) => found.push(StatedWord::Target(target)),
            (None, _) if is_joining(&lower) => found.push(StatedWord::Joins),
            (None, _) => found.push(StatedWord::Other),
        }
    }
    if after_phase || joins_range {
        found.push(StatedWord::Other);
    }
    found
}

fn is_joining(word: &str) -> bool {
    matches!(word, "and" | "&" | "+" | "und" | "y" | "et" | "both" | "all" | "task" | "tasks" | "on" | "p")
}

fn target(word: &str) -> Option<Needed> {
    for (at, _) in word.match_indices('-') {
        let (first, last) = (&word[..at], &word[at + 1..]);
        if !is_id(first) {
            continue;
        }
        if is_id(last) {
            return Some(Needed::Range(first.to_owned(), last.to_owned()));
        }
        let letters = first.trim_end_matches(|c: char| c.is_ascii_digit());
        if !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()) && letters.len() < first.len() {
            return Some(Needed::Range(first.to_owned(), format!("{letters}{last}")));
        }
    }
    is_id(word).then(|| Needed::Id(word.to_owned()))
}

fn is_phase_number(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 8
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        && (word.starts_with(|c: char| c.is_ascii_digit()) || word.len() == 1)
}

/// The id of the phase with this number.
pub(super) fn phase_id(number: &str) -> String {
    format!("phase{number}")
}

/// Reads a line of a section about dependencies. `None` if it is prose.
pub(super) fn stated_line(line: &str) -> Option<StatedLine> {
    let line = line.trim().trim_start_matches(['-', '*', '+', '>', ' ']).trim();
    let plain = line.replace("**", "").replace("-->", "->").replace("=>", "->").replace('⇒', "→");
    let arrow = match (plain.contains("->"), plain.contains('→')) {
        (true, false) => Some(ArrowMeaning::DependsOn),
        (false, true) => Some(ArrowMeaning::Before),
        (true, true) => return None,
        (false, false) => None,
    };
    let Some(arrow) = arrow else { return depends_line(&plain) };
    let code = without_phase(plain.split(" #").next().unwrap_or_default());
    let mark = if arrow == ArrowMeaning::Before { "→" } else { "->" };
    let parts: Option<Vec<Vec<Needed>>> = code.split(mark).map(only_ids).collect();
    let parts = parts?;
    let mut pairs = Vec::new();
    for sides in parts.windows(2) {
        let [left, right] = sides else { continue };
        let (nodes, needed) = if arrow == ArrowMeaning::Before { (right, left) } else { (left, right) };
        pairs.extend(all_pairs(nodes, needed));
    }
    Some(StatedLine { pairs, arrow: Some(arrow) })
}

/// The rest of a line such as `Phase 2: T003 → T004`, which is about the tasks in a phase and not about the phase.
fn without_phase(line: &str) -> &str {
    let Some((label, rest)) = line.split_once([':', '：']) else { return line };
    let mut words = label.split_whitespace();
    let is_phase = words.next().is_some_and(|word| word.eq_ignore_ascii_case("phase"))
        && words.next().is_some_and(is_phase_number);
    if is_phase && words.next().is_none() { rest } else { line }
}

/// Reads a line such as `T004 depends on T001 and T002.`
fn depends_line(line: &str) -> Option<StatedLine> {
    let lower = line.to_ascii_lowercase();
    let (at, length) = [" depends on ", " depend on ", " requires ", " blocked by "]
        .iter()
        .find_map(|keyword| lower.find(keyword).map(|at| (at, keyword.len())))?;
    let pairs = all_pairs(&only_ids(&line[..at])?, &only_ids(&line[at + length..])?);
    Some(StatedLine { pairs, arrow: None })
}

fn all_pairs(nodes: &[Needed], needed: &[Needed]) -> Vec<StatedPair> {
    let pair = |node: &Needed, on: &Needed| StatedPair { node: node.clone(), on: on.clone() };
    nodes.iter().flat_map(|node| needed.iter().map(move |on| pair(node, on))).collect()
}

/// The ids in a text that contains nothing but ids and remarks in round brackets; `None` for other texts.
fn only_ids(text: &str) -> Option<Vec<Needed>> {
    let mut outside = String::new();
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let words = words(&outside);
    if words.iter().any(|word| matches!(word, StatedWord::Other)) {
        return None;
    }
    let targets: Vec<Needed> = words.into_iter().filter_map(StatedWord::target).collect();
    (!targets.is_empty()).then_some(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(needed: &Needed) -> String {
        match needed {
            Needed::Id(id) => id.clone(),
            Needed::Range(from, to) => format!("{from}..{to}"),
            Needed::Node(node) => format!("#{node}"),
        }
    }

    #[test]
    fn remarks_in_brackets_and_lines_with_a_keyword_state_dependencies() {
        let cases = [
            ("Build it (depends on T001, T002)", "T001 T002"),
            ("Build it (Depends on T001 and T003-T005)", "T001 T003..T005"),
            ("Build it (requires T001–T003)", "T001..T003"),
            ("Build it [after T001]", "T001"),
            ("Build it (see T001)", ""),
            ("Build it\n- **Depends on**: T001, T2", "T001 T2"),
            ("Dependencies: None", ""),
            ("Depends on T001 to T003", "T001..T003"),
            ("After the login the user sees T001", ""),
            ("(depends on `FE-01`)", "FE-01"),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = needs_in(text).iter().map(shown).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        assert_eq!(without_needs("Build it (depends on T001) now"), "Build it  now");
        assert_eq!(without_needs("Build it (see T001)"), "Build it (see T001)");
    }

    #[test]
    fn the_two_arrows_point_in_opposite_directions_and_prose_is_left_alone() {
        let cases = [
            ("T004 -> T001  # T004 depends on T001", Some("T004>T001")),
            ("T001 → T002", Some("T002>T001")),
            ("- T001 → T002 → T003, T004", Some("T002>T001 T003>T002 T004>T002")),
            ("Phase 1 → Phase 2", Some("phase2>phase1")),
            ("Phase 2 -> Phase 1", Some("phase2>phase1")),
            ("Phase 2:  T003 → T004  (sequential: TDD)", Some("T004>T003")),
            ("T002, T003 -> T001", Some("T002>T001 T003>T001")),
            ("- T004 depends on T001 and T002.", Some("T004>T001 T004>T002")),
            ("T004 depends on T001 (needs the scope)", Some("T004>T001")),
            ("Setup → Foundational (Phase 2)", None),
            ("T003 depends on the result of T002", None),
            ("T001 → T002 -> T003", None),
            ("User Story 1 (P1): no dependencies", None),
        ];
        for (line, expected) in cases {
            let found = stated_line(line).map(|line| {
                let pair = |pair: &StatedPair| format!("{}>{}", shown(&pair.node), shown(&pair.on));
                line.pairs.iter().map(pair).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }
}
