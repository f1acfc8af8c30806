//! Reads the acceptance criteria in `requirements.md` of Kiro, and which of them a task names.

use super::headings::heading_text;
use super::markdown::{Block, BlockKind, blocks, too_deep};
use super::stated::is_needs_line;
use super::summary::cut;
use super::texts::dedent;

/// How many criteria a task may have.
const MOST: usize = 60;

/// The longest text of a criterion, in characters.
const LONGEST: usize = 1_500;

/// The acceptance criteria of a plan.
#[derive(Default)]
pub(super) struct Criteria {
    criteria: Vec<Criterion>,
    /// The requirements with all text below their headings. They are used as criteria where they have none.
    requirements: Vec<Criterion>,
}

struct Criterion {
    /// Its number without the letter of a plain requirement: `1.2`, `DR1.2`, `NFR-1` as `NFR1`.
    id: String,
    text: String,
}

/// What the lines of a task about requirements name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NamedCriteria {
    /// The criteria with their numbers, each once.
    pub(super) found: Vec<String>,
    /// The numbers that are not in the requirements.
    pub(super) unknown: Vec<String>,
}

impl Criteria {
    /// Reads the text of a `requirements.md`: the items below a heading with the number of a requirement.
    pub(super) fn read(text: &str) -> Self {
        if too_deep(text).is_some() {
            return Self::default();
        }
        let mut reader =
            Reader { found: Self::default(), of_block: Vec::new(), requirement: None, plain: None };
        for block in blocks(text) {
            let criterion = reader.block(&block);
            reader.of_block.push(criterion);
        }
        reader.found
    }

    /// The criteria that the description of a task names, as in `_Requirements: 1.2, 2.1_` or `Validates: Requirements 1.2`.
    pub(super) fn named_in(&self, description: &str) -> NamedCriteria {
        let mut named = NamedCriteria::default();
        for id in description.lines().filter_map(requirements_line).flat_map(ids_in) {
            let below = format!("{id}.");
            let is_meant = |known: &&Criterion| known.id == id || known.id.starts_with(&below);
            let mut of_id: Vec<&Criterion> = self.criteria.iter().filter(is_meant).collect();
            if of_id.is_empty() {
                of_id.extend(self.requirements.iter().find(|known| known.id == id));
            }
            for Criterion { id, text } in &of_id {
                let line = format!("{id} {}", cut(text, LONGEST));
                if named.found.len() < MOST && !named.found.contains(&line) {
                    named.found.push(line);
                }
            }
            if of_id.is_empty() {
                named.unknown.push(id);
            }
        }
        named
    }
}

struct Reader {
    found: Criteria,
    /// For each block so far, the criterion that it is or belongs to.
    of_block: Vec<Option<usize>>,
    requirement: Option<Requirement>,
    /// Below a heading such as "Functional Requirements" without a number: what tasks write before the numbers of the
    /// list there, as in `FR1`.
    plain: Option<String>,
}

/// The requirement whose heading is above the current place.
struct Requirement {
    level: u8,
    id: String,
    /// The number of its last criterion.
    last: u64,
}

impl Reader {
    /// Reads a block; returns the criterion that it is or belongs to.
    fn block(&mut self, block: &Block<'_>) -> Option<usize> {
        if let BlockKind::Heading(level) = block.kind {
            let heading = heading_text(block.text);
            match heading_id(heading) {
                Some(id) => {
                    let text = title_in(heading).to_owned();
                    self.found.requirements.push(Criterion { id: id.clone(), text });
                    self.requirement = Some(Requirement { level, id, last: 0 });
                }
                None if self.requirement.as_ref().is_none_or(|above| level <= above.level) => {
                    self.requirement = None;
                    self.plain = heading.to_lowercase().contains("requirement").then(|| initials(heading));
                }
                None => {}
            }
            return None;
        }
        if self.requirement.is_some() {
            self.add_to_requirement(block);
        }
        if let Some(criterion) = block.item.and_then(|item| self.of_block[item]) {
            self.found.criteria[criterion].text.push_str(&format!("\n{}", block.as_text()));
            return Some(criterion);
        }
        match block.kind {
            BlockKind::Item(number) => self.item(number, block.text),
            BlockKind::Paragraph => {
                block.text.lines().for_each(|line| _ = self.numbered(line));
                None
            }
            _ => None,
        }
    }

    fn item(&mut self, number: Option<u64>, text: &str) -> Option<usize> {
        if let Some(criterion) = self.numbered(text) {
            return Some(criterion);
        }
        let is_criterion =
            number.is_some() || ["SHALL", "WHEN ", "MUST "].iter().any(|word| text.contains(word));
        let Some(requirement) = self.requirement.as_mut().filter(|_| is_criterion) else {
            let id = format!("{}{}", self.plain.as_ref()?, number?);
            return self.requirement.is_none().then(|| self.add(id, text));
        };
        // Some lists have the number 1 before every item.
        requirement.last = number.filter(|number| *number > requirement.last).unwrap_or(requirement.last + 1);
        let id = format!("{}.{}", requirement.id, requirement.last);
        Some(self.add(id, text))
    }

    /// A criterion that is written with its whole number, such as `1.2 WHEN` or `**1.2**: WHEN`.
    fn numbered(&mut self, text: &str) -> Option<usize> {
        let plain = text.trim_start().trim_start_matches(['*', '_']);
        let plain = plain.strip_prefix("AC ").unwrap_or(plain);
        let (id, rest) = plain.split_at(plain.find(|c: char| c.is_whitespace() || "*_:".contains(c))?);
        let id =
            normal_id(id).filter(|id| id.contains('.') || !id.starts_with(|c: char| c.is_ascii_digit()))?;
        self.requirement.as_ref()?;
        Some(self.add(id, rest.trim_start_matches(['*', '_', ':', ' ', '\t'])))
    }

    fn add(&mut self, id: String, text: &str) -> usize {
        self.found.criteria.push(Criterion { id, text: dedent(text) });
        self.found.criteria.len() - 1
    }

    fn add_to_requirement(&mut self, block: &Block<'_>) {
        let Some(Criterion { text, .. }) = self.found.requirements.last_mut() else { return };
        if text.len() < 4 * LONGEST {
            text.push_str(&format!("\n{}", block.as_text()));
        }
    }
}

/// The number of a requirement in a heading: `Requirement 1: Title`, `需求 1 - Title`, `1. Title`, `DR1: Title`.
fn heading_id(heading: &str) -> Option<String> {
    let words =
        || heading.split(|c: char| c.is_whitespace() || ":：".contains(c)).filter(|word| !word.is_empty());
    let (at, id) = words().take(4).enumerate().find_map(|(at, word)| Some((at, normal_id(word)?)))?;
    // `Derived Requirement 1` is what tasks call DR1.
    let letters = words().take(at).collect::<Vec<_>>().join(" ");
    let has_letters = id.starts_with(|c: char| c.is_ascii_alphabetic());
    Some(if has_letters { id } else { format!("{}{id}", initials(&letters)) })
}

/// The initials of at least two words that all have a capital letter; empty for other texts.
fn initials(words: &str) -> String {
    let words = words.split(|c: char| c.is_whitespace() || c == '-').filter(|word| !word.is_empty());
    let initials: String = words.filter_map(|word| word.chars().next()).collect();
    let is_short = initials.len() < 2 || !initials.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_short { String::new() } else { initials }
}

/// The rest of a heading after the number of the requirement.
fn title_in(heading: &str) -> &str {
    let is_number = |word: &str| normal_id(word.trim_end_matches([':', '：'])).is_some();
    let number = heading.split_whitespace().find(|word| is_number(word)).unwrap_or_default();
    let (_, title) = heading.split_once(number).unwrap_or(("", heading));
    title.trim_start_matches([':', '：', '-', '–', '—', '.', ' '])
}

/// A number of a requirement in the form in which numbers are compared; `None` if it is not one.
fn normal_id(word: &str) -> Option<String> {
    let word = word.trim_matches(['*', '_', '`', '.', ',', ')', '(', '[', ']', '#']).to_ascii_uppercase();
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let number = word[letters..].trim_start_matches('-');
    let is_number = letters <= 4
        && word.len() <= 16
        && number.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let prefix =
        Some(&word[..letters]).filter(|prefix| !matches!(*prefix, "R" | "REQ" | "AC")).unwrap_or_default();
    is_number.then(|| format!("{prefix}{number}"))
}

/// What a line says about requirements, after the word and a colon; `None` if it does not.
fn requirements_line(line: &str) -> Option<&str> {
    let plain =
        line.trim().trim_start_matches(['-', '*', '+', '_', ' ']).trim_end_matches(['*', '_', ' ', '.']);
    if is_needs_line(line) {
        return None;
    }
    let validates = plain.strip_prefix("Validates");
    let plain = validates.map_or(plain, |rest| rest.trim_start_matches([':', '*', ' ']));
    let end = plain.find([':', '：', ' '])?;
    let (word, rest) = plain.split_at(end);
    let lower = word.trim_matches(['*', '_']).to_lowercase();
    let is_foreign = rest.starts_with([':', '：']) && !lower.is_ascii() && line.trim_end().ends_with('_');
    let is_named = ["requirement", "requirements", "reqs", "requisitos", "anforderungen", "exigences"]
        .contains(&lower.as_str())
        && (rest.starts_with([':', '：']) || validates.is_some());
    (is_named || is_foreign).then_some(rest)
}

/// The numbers in a list such as `1.1, R2.3-2.5`.
fn ids_in(list: &str) -> Vec<String> {
    let list = list.replace(['–', '—'], "-").replace(" - ", "-");
    let words = list.split(|c: char| c.is_whitespace() || ",;、，；（）()&:：".contains(c));
    let mut ids = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        let range = word.rsplit_once('-').and_then(|(from, to)| range(&normal_id(from)?, &normal_id(to)?));
        ids.extend(range.unwrap_or_else(|| normal_id(word).into_iter().collect()));
    }
    ids
}

/// All numbers from one to another one that differs in its last part; `None` if there are none, or too many.
fn range(from: &str, to: &str) -> Option<Vec<String>> {
    let split = |id: &str| {
        let at = id.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        Some((id[..at].to_owned(), id[at..].parse::<usize>().ok()?))
    };
    let ((head, first), (other, last)) = (split(from)?, split(to)?);
    let is_range = (head == other || other.is_empty()) && first <= last && last - first < MOST;
    is_range.then(|| (first..=last).map(|number| format!("{head}{number}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUIREMENTS: &str = "# Requirements Document\n\n## Requirements\n\n### Requirement 1: Login\n\n**User Story:** As a user\n\n\
        #### Acceptance Criteria\n\n1. WHEN a user logs in THEN the system SHALL greet\n   them by name\n   - politely\n2. IF not THEN it SHALL wait\n\n\
        ### 需求 2 - 退出\n\n1. WHEN b\n1. WHEN c\n\n### Derived Requirement 1\n\n1. WHEN d\n\n### DR2: Speed\n\n- DR2.1 WHEN e\n\n\
        ### 3. Plain\n\n- The system SHALL f\n- not a criterion\n\n3.4 WHEN g\n3.5 WHEN h\n\n## Notes\n\n1. Not a criterion\n";

    fn named(lines: &str) -> NamedCriteria {
        Criteria::read(REQUIREMENTS).named_in(lines)
    }

    #[test]
    fn the_criteria_that_a_task_names_are_found_with_their_text() {
        let login = "1.1 WHEN a user logs in THEN the system SHALL greet\nthem by name\n- politely";
        let wait = "1.2 IF not THEN it SHALL wait";
        for (line, found) in [
            ("Title\n  - _Requirements: 1.1, 1.2_", vec![login, wait]),
            ("_Requirements: 1.2, R1.2, 1.2_", vec![wait]),
            ("**Validates: Requirements 1.2**", vec![wait]),
            ("- _需求: 2.1, 2.2_", vec!["2.1 WHEN b", "2.2 WHEN c"]),
            ("_Requirements: 1_", vec![login, wait]),
            ("_Requirements: 1.1-1.2_", vec![login, wait]),
            ("_Requirements: DR1.1, DR-2.1_", vec!["DR1.1 WHEN d", "DR2.1 WHEN e"]),
            ("Requirements: 3.1, 3.4 - 3.5", vec!["3.1 The system SHALL f", "3.4 WHEN g", "3.5 WHEN h"]),
            ("_Depends: 1.1_", vec![]),
            ("Meets the requirements 1.1", vec![]),
            ("_Requirements: All_", vec![]),
        ] {
            assert_eq!(
                named(line),
                NamedCriteria {
                    found: found.iter().map(|text| (*text).to_owned()).collect(),
                    unknown: Vec::new()
                },
                "{line}"
            );
        }
    }

    #[test]
    fn a_requirement_without_a_list_stands_for_itself_and_a_list_may_have_no_headings() {
        let found = |requirements: &str, line: &str| Criteria::read(requirements).named_in(line).found;
        let text = "## 1. Adoption\n\n### 1.2 Smart Modes\n\n**Acceptance Criteria**:\n- Keep existing\n\n## 2. Other\n";
        assert_eq!(
            found(text, "_Requirements: 1.2_"),
            ["1.2 Smart Modes\n**Acceptance Criteria**:\n- Keep existing"]
        );
        let rule = "### 3.2 Cleanup\n\n**AC 3.2.1**: only documents stay\n";
        assert_eq!(found(rule, "_Requirements: 3.2.1_"), ["3.2.1 only documents stay"]);
        let list = "# Requirements\n\n1. It SHALL a\n2. It SHALL b\n\n## Functional Requirements\n\n1. c\n\n## Notes\n\n3. d\n";
        assert_eq!(found(list, "Requirement: 2, 3"), ["2 It SHALL b"]);
        assert_eq!(found(list, "Requirement: FR1"), ["FR1 c"]);
    }

    #[test]
    fn numbers_that_are_nowhere_are_told() {
        assert_eq!(named("_Requirements: 9.9, 1.2, 4_").unknown, ["9.9", "4"]);
        assert_eq!(Criteria::read("").named_in("_Requirements: 1.1_").unknown, ["1.1"]);
    }

    #[test]
    fn a_range_without_end_a_long_text_and_a_file_that_is_nested_too_deeply_do_no_harm() {
        let long = format!("### Requirement 1\n\n1. WHEN {}\n", "word ".repeat(9_000));
        let found = Criteria::read(&long).named_in("_Requirements: 1_").found;
        assert!(found[0].ends_with("word ...") && found[0].len() < LONGEST + 10, "{}", found[0].len());
        assert_eq!(named("_Requirements: 1.1-1.999999999999_").found, [""; 0]);
        assert_eq!(Criteria::read(&"> ".repeat(5_000)).criteria.len(), 0);
    }
}
