//! Takes the test that a reviewer may leave out of its answer.

/// A test in the answer of a reviewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedTest {
    /// The file that it belongs in, as the reviewer names it.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The answer without it.
    pub rest: String,
}

/// The beginning of the line that names the file.
const PROBE: &str = "PROBE:";

/// The fewest backticks of a fence.
const FENCE: usize = 3;

/// The first test in an answer: a line `PROBE: PATH`, and the text below it between two fences. `None` if there is none.
#[must_use]
pub fn quoted_test(answer: &str) -> Option<QuotedTest> {
    let lines: Vec<&str> = answer.lines().collect();
    let named = |line: &&str| line.trim().trim_start_matches(['*', '#', ' ']).starts_with(PROBE);
    let at = lines.iter().position(named)?;
    let path = lines[at].split_once(PROBE)?.1.trim_matches(['*', '`', '"', '\'', ' ', '\t']);
    let open = (at + 1..lines.len()).find(|&line| !lines[line].trim().is_empty())?;
    let fence = backticks(lines[open]);
    if fence < FENCE || path.is_empty() {
        return None;
    }
    let ends = |&line: &usize| {
        backticks(lines[line]) >= fence && lines[line].trim().bytes().all(|byte| byte == b'`')
    };
    let close = (open + 1..lines.len()).find(ends)?;
    let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    Some(QuotedTest {
        path: path.to_owned(),
        text: joined(&lines[open + 1..close]),
        rest: joined(&lines[..at]) + &joined(&lines[close + 1..]),
    })
}

/// How many backticks a line begins with.
fn backticks(line: &str) -> usize {
    line.trim_start().bytes().take_while(|byte| *byte == b'`').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_taken_out_of_an_answer() {
        let answer = "I tried.\n\n**PROBE:** `tests/test_probe.py`\n\n````python\n\
                      def test_x():\n    '''\n```\nREJECTED'''\n````\n\nAPPROVED\n";
        let found = quoted_test(answer).unwrap();
        assert_eq!(found.path, "tests/test_probe.py");
        assert_eq!(found.text, "def test_x():\n    '''\n```\nREJECTED'''\n");
        assert_eq!(found.rest, "I tried.\n\n\nAPPROVED\n");
    }

    #[test]
    fn what_is_not_a_whole_test_stays_in_the_answer() {
        for answer in [
            "APPROVED",
            "PROBE: tests/a.py\nAPPROVED",
            "PROBE: tests/a.py\n```\nno end\nAPPROVED",
            "PROBE:\n```\nx\n```\nAPPROVED",
            "no PROBE: tests/a.py\n```\nx\n```\nAPPROVED",
        ] {
            assert_eq!(quoted_test(answer), None, "{answer}");
        }
    }
}
