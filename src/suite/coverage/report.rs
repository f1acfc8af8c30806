//! What a coverage report says.

use std::collections::BTreeMap;
use std::iter::Sum;

/// How many of some things the tests have reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ratio {
    /// How many they have reached; never more than `total`.
    pub covered: u64,
    /// How many there are.
    pub total: u64,
}

/// What is known from the report of a test command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredCoverage {
    /// The path of the report, from the folder of the command.
    pub path: String,
    /// What it says; otherwise why nothing is known, as the end of a sentence that begins with its path.
    pub report: Result<CoverageReport, String>,
}

/// What a coverage report says about each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageReport {
    /// The folders in one of which each file is, if the report names any. Some of them may be relative themselves.
    pub sources: Vec<String>,
    /// The files, by the names that the report gives them: paths with `/` between their parts, without `.` and `..`.
    pub files: BTreeMap<String, FileCoverage>,
}

/// What a coverage report says about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// Its executable lines, each with whether it has run.
    pub lines: BTreeMap<u32, bool>,
    /// Its branches.
    pub branches: Parts,
    /// Its functions.
    pub functions: Parts,
}

/// The branches or the functions of one file, by their lines and what distinguishes them from the others of the line. One
/// part stands for several that a report does not tell apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts(BTreeMap<(u32, String), Ratio>);

/// The coverage of everything in a report; only what is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Executable lines.
    pub lines: Option<Ratio>,
    /// Branches.
    pub branches: Option<Ratio>,
    /// Functions.
    pub functions: Option<Ratio>,
}

impl Ratio {
    /// `covered` of `total`; what is covered and not there does not count.
    #[must_use]
    pub fn new(covered: u64, total: u64) -> Self {
        Self { covered: covered.min(total), total }
    }

    /// One thing that is covered or not.
    #[must_use]
    pub fn one(covered: bool) -> Self {
        Self { covered: u64::from(covered), total: 1 }
    }

    /// The share that is covered, in per cent; unknown if there is nothing to cover.
    #[must_use]
    pub fn percent(self) -> Option<f64> {
        // Counts of code are far below the 2^53 from which on a float is no longer exact.
        #[allow(clippy::cast_precision_loss)]
        (self.total > 0).then(|| self.covered as f64 * 100.0 / self.total as f64)
    }
}

impl Sum for Ratio {
    fn sum<I: Iterator<Item = Self>>(ratios: I) -> Self {
        ratios.fold(Self::default(), |sum, ratio| Self {
            covered: sum.covered.saturating_add(ratio.covered),
            total: sum.total.saturating_add(ratio.total),
        })
    }
}

impl FileCoverage {
    /// Adds an executable line. One on which several things begin has run if one of them has. There is no line 0, which some
    /// tools give to code that they have generated.
    pub fn add_line(&mut self, line: u32, has_run: bool) {
        if line > 0 {
            *self.lines.entry(line).or_default() |= has_run;
        }
    }

    /// Adds what another report says about the same file.
    pub fn merge(&mut self, other: Self) {
        other.lines.into_iter().for_each(|(line, has_run)| self.add_line(line, has_run));
        self.branches.merge(other.branches);
        self.functions.merge(other.functions);
    }
}

impl Parts {
    /// Adds a part, or what another run has found out about it. Code that a tool has generated may be on line 0; it is
    /// counted with the first line.
    pub fn add(&mut self, line: u32, name: impl Into<String>, ratio: Ratio) {
        let known = self.0.entry((line.max(1), name.into())).or_default();
        // Which of several things each run has reached is not known, so this is the least that both together have reached.
        *known = Ratio::new(known.covered.max(ratio.covered), known.total.max(ratio.total));
    }

    fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|((line, name), ratio)| self.add(line, name, ratio));
    }
}

impl Totals {
    /// The totals of these files.
    #[must_use]
    pub fn of<'a>(files: impl Iterator<Item = &'a FileCoverage> + Clone) -> Self {
        Self {
            lines: known(files.clone().flat_map(|file| file.lines.values().copied().map(Ratio::one))),
            branches: known(files.clone().flat_map(|file| file.branches.0.values().copied())),
            functions: known(files.flat_map(|file| file.functions.0.values().copied())),
        }
    }

    /// Each known total with its name.
    pub fn known(&self) -> impl Iterator<Item = (&'static str, Ratio)> {
        let all = [("lines", self.lines), ("branches", self.branches), ("functions", self.functions)];
        all.into_iter().filter_map(|(name, ratio)| Some((name, ratio?)))
    }
}

/// The sum; unknown if there is nothing to cover.
fn known(ratios: impl Iterator<Item = Ratio>) -> Option<Ratio> {
    let sum: Ratio = ratios.sum();
    (sum.total > 0).then_some(sum)
}

/// The number of a line in a report; `None` if it is none.
pub(super) fn line_number(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// Whether a count in a report is greater than zero; `None` if it is no count. Old versions of gcov write `1e+06`, and
/// overflown counters are negative or very large.
pub(super) fn has_run(count: &str) -> Option<bool> {
    let count: f64 = count.trim().parse().ok()?;
    count.is_finite().then_some(count > 0.0)
}

/// A path as it is compared: `/` between its parts, without `.` and, where it can be told what they mean, without `..`.
/// `None` if it leads above the folder in which it begins.
pub(super) fn tidy(path: &str) -> Option<String> {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", parts.join("/")))
}

/// How many ranges of lines are shown of one file.
const SHOWN: usize = 20;

/// Lines of a file for people: `src/a.py:3-5,9`. The lines are in increasing order.
pub(super) fn shown_lines(path: &str, lines: &[u32]) -> String {
    let runs = || lines.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let range = |run: &[u32]| match run {
        [only] => only.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    let shown: Vec<String> = runs().take(SHOWN).map(range).collect();
    let more = if runs().nth(SHOWN).is_some() { ",..." } else { "" };
    format!("{path}:{}{more}", shown.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_a_percentage_unless_there_is_nothing_to_cover() {
        assert_eq!(Ratio::new(3, 4).percent(), Some(75.0));
        assert_eq!(Ratio::new(0, 0).percent(), None);
        assert_eq!(Ratio::new(9, 4), Ratio { covered: 4, total: 4 });
        assert_eq!(
            [Ratio::new(u64::MAX, u64::MAX), Ratio::one(true)].into_iter().sum::<Ratio>().total,
            u64::MAX
        );
    }

    #[test]
    fn two_runs_together_cover_what_either_covers() {
        let run = |first, second| {
            let mut file = FileCoverage::default();
            file.add_line(0, true);
            file.add_line(1, first);
            file.add_line(2, second);
            file.branches.add(1, "a", Ratio::one(first));
            file.branches.add(1, "b", Ratio::one(second));
            // Three of four branches in each run may be the same three.
            file.functions.add(1, "", Ratio::new(3, 4));
            file
        };
        let mut both = run(true, false);
        both.merge(run(false, true));
        let totals = Totals::of([both, FileCoverage::default()].iter());
        let expected =
            [("lines", Ratio::new(2, 2)), ("branches", Ratio::new(2, 2)), ("functions", Ratio::new(3, 4))];
        assert_eq!(totals.known().collect::<Vec<_>>(), expected);
        assert_eq!(Totals::of([FileCoverage::default()].iter()), Totals::default());
    }

    #[test]
    fn counts_of_any_form_are_read() {
        for (text, expected) in [
            ("3", Some(true)),
            (" 3 ", Some(true)),
            ("0", Some(false)),
            ("-1", Some(false)),
            ("1e+06", Some(true)),
            ("18446744073709551616", Some(true)),
            ("=====", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
        ] {
            assert_eq!(has_run(text), expected, "{text}");
        }
    }

    #[test]
    fn paths_of_all_systems_are_written_in_one_way() {
        for (written, expected) in [
            ("src/a.py", Some("src/a.py")),
            ("./src//a.py", Some("src/a.py")),
            ("src/x/../a b.py", Some("src/a b.py")),
            ("src\\größe.py", Some("src/größe.py")),
            ("C:\\project\\src\\a.py", Some("C:/project/src/a.py")),
            ("file:///project/a.js", Some("/project/a.js")),
            ("/project/./a.py", Some("/project/a.py")),
            ("../a.py", None),
            ("/../a.py", None),
        ] {
            assert_eq!(tidy(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn lines_are_shown_as_ranges_and_long_lists_are_cut() {
        assert_eq!(shown_lines("a b.py", &[3, 4, 5, 9]), "a b.py:3-5,9");
        let many: Vec<u32> = (1..100).map(|number| number * 2).collect();
        let shown = shown_lines("a", &many);
        assert!(shown.ends_with("38,40,..."), "{shown}");
    }
}
