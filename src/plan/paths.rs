//! Path patterns in the plan. They have the meaning of git's `:(glob)` pathspecs: `*` stays within a folder, `**`
//! matches any number of folders, and a path without either is a file or a whole folder.

use glob::{MatchOptions, Pattern};
use serde::Serialize;

/// A pattern for paths from the top of the work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PathPattern {
    text: String,
    /// `None` for a file, or a folder with everything in it.
    #[serde(skip)]
    glob: Option<Pattern>,
}

const WILD: [char; 3] = ['*', '?', '['];

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If it can match nothing: the reason, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(fault) = path_fault(text) {
            return Err(fault.to_owned());
        }
        let glob = match (text.contains(WILD), text.strip_suffix('/')) {
            (false, _) => None,
            (true, None) => Some(compile(text)?),
            (true, Some(folder)) => Some(compile(&format!("{folder}/**"))?),
        };
        Ok(Self { text: text.to_owned(), glob })
    }

    /// Whether the pattern matches a path from the top of the work tree.
    pub fn matches(&self, path: &str) -> bool {
        match &self.glob {
            Some(pattern) => pattern.matches_with(path, OPTIONS),
            None => path
                .strip_prefix(self.fixed_start())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        }
    }

    /// Whether there may be a path that both patterns match. For two patterns with wildcards, only the text before the
    /// first of them is compared.
    pub fn may_overlap(&self, other: &Self) -> bool {
        let (own, others) = (self.fixed_start(), other.fixed_start());
        match (&self.glob, &other.glob) {
            (None, None) => self.matches(others) || other.matches(own),
            (None, Some(_)) => {
                let below = format!("{own}/");
                other.matches(own) || others.starts_with(&below) || below.starts_with(others)
            }
            (Some(_), None) => other.may_overlap(self),
            (Some(_), Some(_)) => own.starts_with(others) || others.starts_with(own),
        }
    }

    /// The text before the first wildcard; without one, the path.
    fn fixed_start(&self) -> &str {
        self.text.find(WILD).map_or(self.text.trim_end_matches('/'), |at| &self.text[..at])
    }

    /// The pattern as written in the plan.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Why a path does not begin at the top of the work tree and stay inside, as a clause; `None` if it does.
pub(super) fn path_fault(text: &str) -> Option<&'static str> {
    let path = text.strip_suffix('/').unwrap_or(text);
    let has_odd_part = || path.split('/').any(|part| matches!(part, "" | "." | ".."));
    match text {
        "" => Some("it is empty"),
        _ if text.starts_with('/') => Some("it is an absolute path"),
        _ if text.contains('\\') => Some("it has a backslash in it, and folders are separated by /"),
        _ if has_odd_part() => Some("a part of it is empty, \".\" or \"..\""),
        _ => None,
    }
}

fn compile(pattern: &str) -> Result<Pattern, String> {
    Pattern::new(pattern).map_err(|error| match error.msg {
        "invalid range pattern" => "a [ in it has no ]".to_owned(),
        _ => "a ** in it is not alone between two /".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_like_pathspecs_of_git() {
        let cases: [(&str, &[&str], &[&str]); 9] = [
            ("src", &["src", "src/a", "src/a/b.rs"], &["src2/a", "lib/src", "Src/a"]),
            ("src/", &["src/a", "src/a/b.rs"], &["src2/a"]),
            ("src/a.rs", &["src/a.rs"], &["src/a.rs2", "x/src/a.rs"]),
            ("*.rs", &["a.rs", ".a.rs"], &["src/a.rs", "a.rs/b"]),
            ("**/*.rs", &["a.rs", "src/a.rs", "a/b/c.rs"], &["a.py"]),
            ("src/**", &["src/a", "src/.x/b"], &["src2/a", "lib/src/a"]),
            ("src/**/tests/*.py", &["src/tests/a.py", "src/x/y/tests/a.py"], &["src/tests/x/a.py"]),
            ("src/*/", &["src/a/b", "src/a/b/c"], &["src/a", "lib/a/b"]),
            ("file[0-9].tx?", &["file1.txt"], &["filex.txt", "file1.tx", "file1.tx/"]),
        ];
        for (text, inside, outside) in cases {
            let pattern = PathPattern::parse(text).unwrap();
            for path in inside {
                assert!(pattern.matches(path), "{text} must match {path}");
            }
            for path in outside {
                assert!(!pattern.matches(path), "{text} must not match {path}");
            }
        }
    }

    #[test]
    fn a_pattern_that_can_match_nothing_is_refused() {
        for (text, why) in [
            ("", "empty"),
            ("/src", "absolute"),
            ("src\\api", "backslash"),
            ("../x", "\"..\""),
            ("./src", "\".\""),
            ("a//b", "empty"),
            ("a**b", "**"),
            ("src/***", "**"),
            ("file[0-9", "no ]"),
        ] {
            let refused = PathPattern::parse(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }

    #[test]
    fn patterns_overlap_if_there_may_be_a_path_that_both_match() {
        for (one, other, overlap) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/b.rs", false),
            ("src", "src/b.rs", true),
            ("src", "src2/b.rs", false),
            ("src/*.rs", "src/b.rs", true),
            ("src/*.rs", "src", true),
            ("src/*.rs", "docs", false),
            ("*.md", "src", true),
            ("src/a/*", "src/b/*", false),
            ("src/**/x", "src/a/*", true),
        ] {
            let [one, other] = [one, other].map(|text| PathPattern::parse(text).unwrap());
            assert_eq!(one.may_overlap(&other), overlap, "{one:?} {other:?}");
            assert_eq!(other.may_overlap(&one), overlap, "{other:?} {one:?}");
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern = PathPattern::parse(&format!("{}b", "*a".repeat(200))).unwrap();
        assert!(!pattern.matches(&"a".repeat(4000)));
    }
}
