//! Which commits a range such as `A..B` means.

use std::borrow::Cow;

use super::Git;
use super::work_tree::text_of;
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;

/// Commits that are to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revisions {
    /// What these lines name, each as `git rev-list --stdin` takes it: `A..B`, `^A`, `B`.
    Lines(Vec<String>),
    /// What `X~N..X` names. It is kept as it was written: to find `X~N` takes as long as to read all of the range.
    Newest {
        /// The commit that `X` names.
        head: CommitId,
        /// The number `N`.
        count: usize,
        /// The range, as git understands it.
        range: String,
    },
}

impl Git {
    /// The commits of a range such as `A..B`.
    ///
    /// # Errors
    /// [`Kind::Input`] if it names commits that there are not.
    pub fn range(&self, range: &str) -> Result<Revisions> {
        if let Some((name, count)) = newest_of(range)
            && let Some(head) = self.commit_named(name)?
        {
            return Ok(Revisions::Newest { head, count, range: range.to_owned() });
        }
        if let Some(ends) = sides_of(range)
            && let Some(lines) = self.commits_at(ends)?
        {
            return Ok(Revisions::Lines(lines));
        }
        self.lines_of_range(range).map(Revisions::Lines)
    }

    /// The lines for a range between two names, the second first: of tags the commits that they name. `None` if git does
    /// not know them so.
    fn commits_at(&self, (start, end): (&str, &str)) -> Result<Option<Vec<String>>> {
        let names = [format!("{end}^{{commit}}"), format!("^{start}^{{commit}}")];
        let answer = self.call(["rev-parse", "--quiet", "--revs-only", &names[0], &names[1]])?;
        let lines: Vec<String> = text_of(&answer.stdout).lines().map(str::to_owned).collect();
        Ok((answer.status.success() && lines.len() == 2).then_some(lines))
    }

    /// The lines for [`Git::each_message`].
    ///
    /// # Errors
    /// As for [`Git::range`].
    pub fn lines_of<'r>(&self, revisions: &'r Revisions) -> Result<Cow<'r, [String]>> {
        match revisions {
            Revisions::Lines(lines) => Ok(Cow::Borrowed(lines)),
            Revisions::Newest { range, .. } => self.lines_of_range(range).map(Cow::Owned),
        }
    }

    /// Whether there are any commits to read.
    ///
    /// # Errors
    /// If git cannot read them.
    pub fn has_commits(&self, revisions: &Revisions) -> Result<bool> {
        let lines = self.lines_of(revisions)?;
        let args =
            ["rev-list", "--max-count=1"].into_iter().chain(lines.iter().map(String::as_str)).chain(["--"]);
        Ok(!self.demand(args)?.trim_ascii().is_empty())
    }

    fn lines_of_range(&self, range: &str) -> Result<Vec<String>> {
        let wrong = || {
            Error::new(
                Kind::Input,
                format!("`{}` is not a range of commits", crate::text::one_line(range)),
                "Write it as `main..HEAD`, with names that git knows here.",
            )
        };
        if range.starts_with('-') {
            return Err(wrong());
        }
        let answer = self.call(["rev-parse", "--quiet", "--revs-only", range])?;
        let lines: Vec<String> = text_of(&answer.stdout).lines().map(str::to_owned).collect();
        if answer.status.success() && lines.len() > 1 { Ok(lines) } else { Err(wrong()) }
    }
}

/// The two names of a range `A..B`, `HEAD` for one that is left out; none for names behind which no `^{commit}` may stand.
fn sides_of(range: &str) -> Option<(&str, &str)> {
    let (start, end) = range.split_once("..")?;
    let plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "/_.-~^@{}".contains(c))
    };
    let [start, end] = [start, end].map(|name| if name.is_empty() { "HEAD" } else { name });
    (plain(start) && plain(end)).then_some((start, end))
}

/// `X` and `N` of a range `X~N..X`.
fn newest_of(range: &str) -> Option<(&str, usize)> {
    let (start, end) = sides_of(range)?;
    let (name, count) = start.rsplit_once('~')?;
    let count = if count.is_empty() { Some(1) } else { number(count) }?;
    (name == end).then_some((name, count))
}

/// A number in decimal digits alone.
fn number(digits: &str) -> Option<usize> {
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_name_that_stands_on_both_sides_gives_its_newest_commits() {
        let cases = [
            ("HEAD~5..HEAD", Some(("HEAD", 5))),
            ("HEAD~..", Some(("HEAD", 1))),
            ("refs/heads/a-b~10000..refs/heads/a-b", Some(("refs/heads/a-b", 10_000))),
            ("main~0..main", Some(("main", 0))),
            ("@~5..@", Some(("@", 5))),
            ("main~2~3..main~2", Some(("main~2", 3))),
            ("main~5..", None),
            ("main~5..HEAD", None),
            ("main~5...main", None),
            ("main~5^2..main", None),
            ("main~2~3..main", None),
            ("main^..main", None),
            ("main@{1}~2..main@{1}", Some(("main@{1}", 2))),
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
