//! Resolves ranges of commits such as `A..B`.

use super::Git;
use super::output::text_of;
use crate::error::{Error, Kind, Result};

/// Commits to be read, as input lines for `git rev-list --stdin` such as `A..B`, `^A` and `B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revisions(Vec<String>);

impl Revisions {
    /// The commits that these lines name.
    #[must_use]
    pub fn new(lines: Vec<String>) -> Self {
        Self(lines)
    }

    pub(super) fn lines(&self) -> &[String] {
        &self.0
    }
}

impl Git {
    /// The commits of a range such as `A..B`.
    ///
    /// # Errors
    /// [`Kind::Input`] if it names commits that do not exist. For `X~N..X` this shows only when the commits are read,
    /// because looking for `X~N` takes as long as reading the whole range.
    pub fn range(&self, range: &str) -> Result<Revisions> {
        if let Some(name) = newest_of(range)
            && self.commit_named(name)?.is_some()
        {
            return Ok(Revisions(vec![range.to_owned()]));
        }
        if let Some((start, end)) = sides_of(range)
            && let Some(lines) = self.commits_at(start, end)?
        {
            return Ok(Revisions(lines));
        }
        self.lines_of_range(range).map(Revisions)
    }

    /// The input lines for a range between two names, the second name first. For tags, these are the commits that they
    /// name. `None` if git does not know one of the names.
    fn commits_at(&self, start: &str, end: &str) -> Result<Option<Vec<String>>> {
        let names = [format!("{end}^{{commit}}"), format!("^{start}^{{commit}}")];
        let output = self.call(["rev-parse", "--quiet", "--revs-only", &names[0], &names[1]])?;
        let lines: Vec<String> = text_of(&output.stdout).lines().map(str::to_owned).collect();
        Ok((output.status.success() && lines.len() == 2).then_some(lines))
    }

    fn lines_of_range(&self, range: &str) -> Result<Vec<String>> {
        if range.starts_with('-') {
            return Err(not_a_range(range));
        }
        let output = self.call(["rev-parse", "--quiet", "--revs-only", range])?;
        let lines: Vec<String> = text_of(&output.stdout).lines().map(str::to_owned).collect();
        if output.status.success() && lines.len() > 1 { Ok(lines) } else { Err(not_a_range(range)) }
    }
}

/// The error of a range that git does not understand, or one end of which does not exist.
pub(super) fn not_a_range(range: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("`{}` is not a range of commits", crate::text::one_line(range)),
        "Write it as `main..HEAD`, with names that git knows here.",
    )
}

/// The two names of a range `A..B`, with `HEAD` for one that is left out; `None` if `^{commit}` cannot be appended to
/// them.
fn sides_of(range: &str) -> Option<(&str, &str)> {
    let (start, end) = range.split_once("..")?;
    let plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "/_.-~^@{}".contains(c))
    };
    let [start, end] = [start, end].map(|name| if name.is_empty() { "HEAD" } else { name });
    (plain(start) && plain(end)).then_some((start, end))
}

/// `X` of a range `X~N..X`.
fn newest_of(range: &str) -> Option<&str> {
    let (start, end) = sides_of(range)?;
    let (name, count) = start.rsplit_once('~')?;
    (name == end && count.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_name_on_both_sides_asks_for_its_newest_commits() {
        let cases = [
            ("HEAD~5..HEAD", Some("HEAD")),
            ("HEAD~..", Some("HEAD")),
            ("refs/heads/a-b~10000..refs/heads/a-b", Some("refs/heads/a-b")),
            ("main~0..main", Some("main")),
            ("@~5..@", Some("@")),
            ("main~2~3..main~2", Some("main~2")),
            ("main~5..", None),
            ("main~5..HEAD", None),
            ("main~5...main", None),
            ("main~5^2..main", None),
            ("main~2~3..main", None),
            ("main^..main", None),
            ("main@{1}~2..main@{1}", Some("main@{1}")),
            (":/text~2..:/text", None),
            ("-x~2..-x", None),
            ("~5..", None),
            ("main~x..main", None),
            ("main~+1..main", None),
            ("main", None),
        ];
        for (range, expected) in cases {
            assert_eq!(newest_of(range), expected, "{range}");
        }
    }
}
