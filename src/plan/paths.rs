//! Path patterns in the plan. They have the meaning of git's `:(glob)` pathspecs: `*` stays within a folder, `**`
//! matches any number of folders, and a path without either is a file or a whole folder.

use glob::{MatchOptions, Pattern};

/// A pattern for paths from the top of the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A file, or a folder with everything in it.
    Plain(String),
    Glob(Pattern),
}

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
        let folder = text.strip_suffix('/');
        let path = folder.unwrap_or(text);
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        if text.starts_with('/') {
            return Err("it is an absolute path".to_owned());
        }
        if text.contains('\\') {
            return Err("it has a backslash in it, and folders are separated by /".to_owned());
        }
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err("a part of it is empty, \".\" or \"..\"".to_owned());
        }
        let kind = match (path.contains(['*', '?', '[']), folder) {
            (false, _) => Kind::Plain(path.to_owned()),
            (true, None) => Kind::Glob(compile(path)?),
            (true, Some(folder)) => Kind::Glob(compile(&format!("{folder}/**"))?),
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// Whether the pattern matches a path from the top of the work tree.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        match &self.kind {
            Kind::Plain(place) => {
                path.strip_prefix(place.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Kind::Glob(pattern) => pattern.matches_with(path, OPTIONS),
        }
    }

    /// The pattern as written in the plan.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
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
    fn many_stars_take_no_exponential_time() {
        let pattern = PathPattern::parse(&format!("{}b", "*a".repeat(200))).unwrap();
        assert!(!pattern.matches(&"a".repeat(4000)));
    }
}
