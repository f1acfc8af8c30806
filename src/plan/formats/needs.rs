//! Finds dependencies that a text states: `(depends on T001, T002)`, `T004 -> T001`, `T001 → T002`.

use super::imported::Needed;
use super::marks::ID;

/// What a text states.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) on: Vec<Needed>,
    /// Whether it is about dependencies, but names no task.
    pub(super) is_unread: bool,
    /// Whether it says that there are none.
    pub(super) is_none: bool,
}

pattern!(KEYWORD, r"^[ _*]*(?i:depends? on|dependenc(?:ies|y)|depends|blocked by|deps|(requires|after))\b");
pattern!(BRACKETS, r"[(\[（]([^()\[\]（）]*)[)\]）]");
// The same words in a line, before an id.
pattern!(
    WITHIN,
    r"(?i)(?:(?:^|[\s|,;–—-])(?:depends? on|depends|blocked by|deps)|^(?:requires|after))[ :`*]+"
);

/// What a line states: in brackets, or after a keyword at its beginning. With `has_numbers`, tasks may be named as in
/// `(depends on 1.2)`.
pub(super) fn stated_in(line: &str, has_numbers: bool) -> Stated {
    let plain = plain_line(line);
    let mut stated = Stated::default();
    let mut add = |rest: &str, is_certain: bool| {
        let on = targets(before_remark(rest)[0], has_numbers);
        stated.is_unread |= is_certain && on.is_empty() && says_something(rest);
        stated.is_none |= is_certain && on.is_empty() && !says_something(rest);
        stated.on.extend(on);
    };
    // `after` and `requires` begin other sentences as well.
    let keyword = |text: &str| KEYWORD.captures(text).map(|found| (found[0].len(), found.get(1).is_none()));
    let field = keyword(&plain).map(|(length, is_certain)| (&plain[length..], is_certain));
    match field {
        Some((rest, is_certain)) if rest.starts_with([':', '：']) => add(rest, is_certain),
        _ => {
            let outside = BRACKETS.replace_all(&plain, " ");
            for found in BRACKETS.captures_iter(&plain) {
                if let Some((length, is_certain)) = keyword(&found[1]) {
                    add(&found[1][length..], is_certain);
                }
            }
            if let Some(found) = WITHIN.find(&outside) {
                let rest = &outside[found.end()..];
                let first = rest.split([' ', ',']).next().unwrap_or_default();
                if TARGET.find(rest).is_some_and(|id| id.start() == 0)
                    || has_numbers && NUMBER_WORD.is_match(first)
                {
                    add(rest, false);
                }
            }
        }
    }
    stated.on.dedup();
    stated
}

/// Whether a line is a field that states dependencies: `Depends on: T001`.
pub(super) fn is_field(line: &str) -> bool {
    let plain = plain_line(line);
    KEYWORD.find(&plain).is_some_and(|found| plain[found.end()..].starts_with([':', '：']))
}

/// The text without the remarks in brackets that state dependencies.
pub(super) fn without_needs(text: &str) -> String {
    let states = |inside: &str| {
        let Some(found) = KEYWORD.find(inside) else { return false };
        let rest = &inside[found.end()..];
        let is_number =
            |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
        let mut words =
            rest.split([' ', ',', ':', ';']).filter(|word| !word.is_empty() && !JOINS.is_match(word));
        !ids_in(rest).is_empty() || !numbers_in(rest).is_empty() && words.all(|word| is_number(&word))
    };
    let kept = |found: &regex_lite::Captures<'_>| {
        if states(&found[1]) { String::new() } else { found[0].to_owned() }
    };
    BRACKETS.replace_all(text, kept).into_owned()
}

/// A line without the marks of Markdown at its beginning, and without bold ones.
pub(super) fn plain_line(line: &str) -> String {
    line.trim().trim_start_matches(['-', '*', '+', '_', '>', ' ']).replace("**", "")
}

/// Whether what follows a word for dependencies says more than that there are none.
fn says_something(rest: &str) -> bool {
    let rest = rest.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let first = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !matches!(first, "" | "none" | "nothing" | "no" | "n" | "na" | "nil" | "null" | "keine" | "無" | "无")
}

pattern!(NUMBER_WORD, r"^#?(\d{1,4}(?:\.\d{1,4}){0,5})(?:[-–—](\d{1,4}(?:\.\d{1,4}){0,5}))?[.:]*$");

/// The numbers of tasks in a text, such as `1`, `2.1` and `1.1-1.3`. In `Node 18` and `5 minutes`, a number belongs to another word.
pub(super) fn numbers_in(text: &str) -> Vec<Needed> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_noun = |word: &str| word.starts_with(char::is_alphabetic) && !JOINS.is_match(word);
    let mut needed = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_named = at.checked_sub(1).is_some_and(|before| is_noun(words[before]));
        let counts = words.get(at + 1).is_some_and(|next| is_noun(next))
            && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_named || counts {
            continue;
        }
        let parts = word.split(|c: char| ",;()[]{}`*_\"'、，；（）:：".contains(c));
        needed.extend(parts.filter_map(|part| NUMBER_WORD.captures(part)).map(|found| match found.get(2) {
            None => Needed::Id(found[1].to_owned()),
            Some(to) => Needed::Range(found[1].to_owned(), to.as_str().to_owned()),
        }));
    }
    needed
}

pattern!(
    TARGET,
    &format!(
        r"(?P<from>(?:[A-Z]{{1,16}}-|T|t)\d{{1,6}}[A-Za-z]?)[`*]*(?:\s*[-–—‑…~]\s*|\s*\.\.\s*|\s+(?:to|through|thru|bis)\s+)[`*]*(?P<to>(?:[A-Z]{{1,16}}-|T|t)\d{{1,6}}[A-Za-z]?|\d{{1,6}})\b|(?P<id>{ID})|(?i:phase)\s+(?P<phase>\d[0-9A-Za-z.]{{0,7}}|[A-Za-z])\b|(?P<group>{GROUP})\b"
    )
);
pattern!(
    JOINS,
    r"^(?i:and|&|\+|und|y|et|both|all|tasks?|steps?|items?|sections?|numbers?|no\.?|on|only|p):?$"
);

/// A group that is named by a word and a number.
const GROUP: &str = r"(?i:user story|story|us|layer|wave|chunk|milestone|stage|part)[ -]?\d{1,3}";

pattern!(NAMED_GROUP, &format!(r"^\W*({GROUP})\b"));

/// What a group with this name is called where something depends on it: `us1` for `User Story 1 - Title`.
pub(super) fn alias_of(name: &str) -> Option<String> {
    NAMED_GROUP.captures(name).map(|found| alias(&found[1]))
}

fn alias(text: &str) -> String {
    let plain: String = text.to_lowercase().split([' ', '-']).collect();
    plain.replace("userstory", "us").replace("story", "us")
}

/// All ids in a text, and with `has_numbers` the numbers of tasks.
pub(super) fn targets(text: &str, has_numbers: bool) -> Vec<Needed> {
    let numbers = if has_numbers { numbers_in(&TARGET.replace_all(text, " ")) } else { Vec::new() };
    ids_in(text).into_iter().chain(numbers).collect()
}

/// All ids in a text, and the ranges of ids: `T001-T003`, `T001 to T003`.
pub(super) fn ids_in(text: &str) -> Vec<Needed> {
    let needed = TARGET.captures_iter(text).filter(|found| {
        // A letter directly before makes it the end of another word.
        let start = found.get(0).map_or(0, |whole| whole.start());
        !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
    });
    let target = |found: regex_lite::Captures<'_>| {
        let text = |name| found.name(name).map(|part| part.as_str());
        match (text("from"), text("to"), text("id"), text("phase")) {
            (Some(from), Some(to), ..) if to.starts_with(|c: char| c.is_ascii_digit()) => {
                let letters = from.trim_end_matches(|c: char| c.is_ascii_digit());
                Needed::Range(from.to_owned(), format!("{letters}{to}"))
            }
            (Some(from), Some(to), ..) => Needed::Range(from.to_owned(), to.to_owned()),
            (.., Some(id), _) => Needed::Id(id.to_owned()),
            (.., Some(phase)) => Needed::Id(phase_id(phase.trim_end_matches('.'))),
            _ => Needed::Id(alias(text("group").unwrap_or_default())),
        }
    };
    needed.map(target).collect()
}

/// The id of the phase with this number.
pub(super) fn phase_id(number: &str) -> String {
    format!("phase{number}")
}

/// The two arrows mean opposite things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrow {
    /// `A -> B`: A depends on B.
    DependsOn,
    /// `A → B`: A comes before B.
    Before,
}

pattern!(ROUND, r"[(（][^()（）]*[)）]");
pattern!(PHASE_LABEL, r"^(?i:phase)\s+[0-9A-Za-z.]{1,8}\s*[:：]");
pattern!(DEPENDS, r"(?i) (?:depends? on|requires|blocked by|must come after) ");
pattern!(COMES_BEFORE, r"(?i) (?:before|blocks) ");

/// What a line of a section about dependencies states: each of these depends on the ones after it, unless the arrow says the opposite.
pub(super) struct Steps {
    pub(super) sides: Vec<Vec<Needed>>,
    pub(super) arrow: Option<Arrow>,
}

/// Reads a line of a section about dependencies. `None` if it is prose.
pub(super) fn stated_line(line: &str, has_numbers: bool) -> Option<Steps> {
    let plain = plain_line(line).replace("-->", "->").replace("=>", "->").replace('⇒', "→");
    if let Some(word) = COMES_BEFORE.find(&plain) {
        let ids = |side: &str| {
            let left = TARGET.replace_all(side, "");
            let others = left.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
            Some(targets(side, has_numbers)).filter(|ids| others.count() <= 1 && !ids.is_empty())
        };
        let sides = vec![ids(&plain[word.end()..])?, ids(&plain[..word.start()])?];
        return Some(Steps { sides, arrow: None });
    }
    // `Phase 2: T003 → T004` is about the tasks in a phase and not about the phase.
    let code = plain.split(" #").next().unwrap_or_default();
    let code = PHASE_LABEL.find(code).map_or(code, |label| &code[label.end()..]);
    let (sides, arrow): (Vec<&str>, _) = match (plain.contains("->"), plain.contains('→')) {
        (true, true) => return None,
        (false, false) => (DEPENDS.splitn(&plain, 2).collect(), None),
        (true, false) => (code.split("->").collect(), Some(Arrow::DependsOn)),
        (false, true) => (code.split('→').collect(), Some(Arrow::Before)),
    };
    let only_ids = |side: &str| only_ids(side, has_numbers);
    let sides: Vec<Vec<Needed>> = sides.into_iter().map(only_ids).collect::<Option<_>>()?;
    (sides.len() > 1).then_some(Steps { sides, arrow })
}

// Where a clause begins that is not about what comes first.
pattern!(
    REMARK,
    r"(?i)[;.,\s(–—-]+(?:but|not|al?though|while|except|unlike|can|may|could|should|blocks?|runs?|independent\w*|(?:in )?parallel\w*|beside|alongside|concurrent\w*)\b"
);
/// A text in two parts: before a clause that is not about what comes first, and from there on.
pub(super) fn before_remark(text: &str) -> [&str; 2] {
    let (before, remark) = text.split_at(REMARK.find(text).map_or(text.len(), |found| found.start()));
    [before, remark]
}

/// The ids in a text that contains nothing but ids and remarks in round brackets; `None` for other texts.
fn only_ids(text: &str, has_numbers: bool) -> Option<Vec<Needed>> {
    let outside = ROUND.replace_all(text, "");
    let left = TARGET.replace_all(&outside, " ");
    let is_other = |word: &str| {
        word.contains(char::is_alphanumeric)
            && !JOINS.is_match(word)
            && !(has_numbers && NUMBER_WORD.is_match(word))
    };
    let ids = targets(&outside, has_numbers);
    (!ids.is_empty() && !left.split(|c: char| c.is_whitespace() || ",;[]{}`*_".contains(c)).any(is_other))
        .then_some(ids)
}

/// The largest difference between the numbers of the first and the last id of a range.
const WIDEST: u64 = 2_000;

/// The ids that it names, in a range all of them.
pub(super) fn all_ids(needed: &Needed) -> Vec<String> {
    match needed {
        Needed::Id(id) => vec![id.clone()],
        Needed::Range(from, to) => between(from, to).unwrap_or_default(),
        Needed::Node(_) => Vec::new(),
    }
}

/// All ids from one to another one with the same letters; `None` if there is no such range, or it is too wide.
pub(in crate::plan) fn between(from: &str, to: &str) -> Option<Vec<String>> {
    let split = |id: &str| {
        let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = id[letters.len()..].parse::<u64>().ok();
        number.map(|number| (letters.to_owned(), id.len() - letters.len(), number))
    };
    let ((letters, width, first), (others, _, last)) = (split(from)?, split(to)?);
    if letters != others || first > last || last - first > WIDEST {
        return None;
    }
    Some((first..=last).map(|number| format!("{letters}{number:0width$}")).collect())
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
            ("- **Depends on**: T001, T2", "T001 T2"),
            ("Dependencies: None", ""),
            ("Depends on T001 to T003", "T001..T003"),
            ("Depends on T001-003, T1.2 and T003-TEST", "T001..T003 T1.2 T003-TEST"),
            ("After the login the user sees T001", ""),
            ("(depends on `FE-01`)", "FE-01"),
            ("(depends on Phase 2)", "phase2"),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = stated_in(text, false).on.iter().map(shown).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        assert_eq!(without_needs("Build it (depends on T001) now"), "Build it  now");
        assert_eq!(without_needs("Build it (depends on 1.2 and 1.3)"), "Build it ");
        assert_eq!(without_needs("Build it (see T001)"), "Build it (see T001)");
    }

    #[test]
    fn lines_about_dependencies_that_name_no_task_are_found_and_other_sentences_are_not() {
        for (text, has_numbers, unread) in [
            ("Build it (depends on T001)", false, false),
            ("Depends on: 1.2", false, true),
            ("Build it (depends on 1.2)", true, false),
            ("Depends on: None", true, false),
            ("Build it (depends on the parser)", true, true),
            ("Dependencies: n/a", true, false),
            ("Build it (after the login)", false, false),
            ("It depends on the weather", false, false),
        ] {
            assert_eq!(stated_in(text, has_numbers).is_unread, unread, "{text}");
        }
    }

    #[test]
    fn a_number_that_belongs_to_another_word_names_no_task() {
        for (text, expected) in [
            ("(depends on 1.2, 1.3)", "1.2 1.3"),
            ("(after tasks 1 and 2)", "1 2"),
            ("Depends on: Step 2, 3-5", "2 3..5"),
            ("Depends on: 1.2 the parser", "1.2"),
            ("(requires Node 18)", ""),
            ("(requires Python 3.11)", ""),
            ("(after 5 minutes)", ""),
            ("Dependencies: express 4.18, zod 3", ""),
        ] {
            let found: Vec<String> = stated_in(text, true).on.iter().map(shown).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn the_two_arrows_point_in_opposite_directions_and_prose_is_left_alone() {
        let cases = [
            ("T004 -> T001  # T004 depends on T001", Some("T004>T001")),
            ("T001 → T002", Some("T002>T001")),
            ("- T001 → T002 → T003, T004", Some("T002>T001 T003>T002 T004>T002")),
            ("Phase 1 → Phase 2", Some("phase2>phase1")),
            ("Phase 2 -> Phase 1", Some("phase2>phase1")),
            ("- Phase 3 depends on Phase 1 only", Some("phase3>phase1")),
            ("Phase 2:  T003 → T004  (sequential: TDD)", Some("T004>T003")),
            ("T002, T003 -> T001", Some("T002>T001 T003>T001")),
            ("- T004 depends on T001 and T002.", Some("T004>T001 T004>T002")),
            ("T004 depends on T001 (needs the scope)", Some("T004>T001")),
            ("Setup → Foundational (Phase 2)", None),
            ("T003 depends on the result of T002", None),
            ("T001 → T002 -> T003", None),
            ("User Story 1 (P1): no dependencies", None),
            ("**User Story 2 (Phase 3)**: Depends on User Story 1 (Phase 2)", Some("us2>us1")),
            ("- Tests (T004-T005) before implementation (T006)", Some("T006>T004..T005")),
            ("T001 should come before T002 if possible", None),
        ];
        for (line, expected) in cases {
            let found = stated_line(line, false).map(|Steps { sides, arrow }| {
                let mut pairs = Vec::new();
                for two in sides.windows(2) {
                    let [nodes, on] =
                        if arrow == Some(Arrow::Before) { [&two[1], &two[0]] } else { [&two[0], &two[1]] };
                    let pair = |node: &Needed, on: &Needed| format!("{}>{}", shown(node), shown(on));
                    pairs.extend(nodes.iter().flat_map(|node| on.iter().map(move |on| pair(node, on))));
                }
                pairs.join(" ")
            });
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_range_has_the_digits_of_its_first_id() {
        assert_eq!(between("T009", "T011").unwrap(), ["T009", "T010", "T011"]);
        assert_eq!(between("FE-1", "FE-2").unwrap(), ["FE-1", "FE-2"]);
        for (from, to) in [("T002", "T001"), ("T1", "U2"), ("T1", "T9000000000"), ("T", "T2")] {
            assert_eq!(between(from, to), None, "{from} {to}");
        }
    }
}
