//! The `coverage` field of a test command: the format of its coverage report, and where it writes it.

use std::fmt;

use super::words::words;
use crate::suggest;

words! {
    /// A format of coverage reports: the word before the colon of a `coverage` field.
    CoverageFormat {
        /// The format of lcov and geninfo, which many tools write.
        Lcov = "lcov",
        /// Cobertura XML, which many tools write.
        Cobertura = "cobertura",
    }
}

/// Where a test command writes its coverage report, and in which format.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoverageSource {
    /// The format.
    pub format: CoverageFormat,
    /// A path from the top of the work tree that does not lead out of it.
    pub path: String,
}

impl fmt::Display for CoverageSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.format, self.path)
    }
}

impl CoverageSource {
    /// Reads the value of a `coverage` field, such as `lcov:coverage/lcov.info`.
    ///
    /// # Errors
    /// If the format is not known, or the path is not inside the work tree: what is wrong, as the end of a sentence that begins with the
    /// value, and what to write instead.
    pub fn parse(value: &str) -> Result<Self, [String; 2]> {
        let (word, path) = value.split_once(':').unwrap_or((value, ""));
        let (word, path) = (word.trim().to_lowercase(), path.trim());
        let Some(format) = CoverageFormat::from_word(&word) else {
            let words = CoverageFormat::ALL.map(CoverageFormat::word);
            let meant = suggest::question(suggest::nearest(&word, words));
            let remedy = format!(
                "{meant}Write one of {} before the colon, and the path of the report after it.",
                words.join(", ")
            );
            return Err(["which names no known format".to_owned(), remedy]);
        };
        let problem = |what| {
            let remedy =
                format!("Write a path from the top of the work tree, as in {format}:coverage/report.");
            Err([String::from(what), remedy])
        };
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.is_empty() {
            return problem("which names no report");
        }
        let leads_out = path.starts_with('/') || parts.contains(&"..") || parts[0] == ".git";
        if leads_out || path.contains(|letter: char| letter == '\\' || letter.is_control()) {
            return problem("whose path is not inside the work tree");
        }
        Ok(Self { format, path: parts.join("/") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_names_a_format_and_a_path_in_the_work_tree() {
        for format in CoverageFormat::ALL {
            let source = CoverageSource::parse(&format!("{format}:coverage/a b.info")).unwrap();
            assert_eq!(source, CoverageSource { format, path: "coverage/a b.info".to_owned() });
        }
        let loose = CoverageSource::parse(" LCOV : ./coverage//lcov.info ").unwrap();
        assert_eq!(loose.to_string(), "lcov:coverage/lcov.info");
    }

    #[test]
    fn other_values_are_refused_with_what_to_write() {
        for (value, what, remedy) in [
            ("coverage/lcov.info", "names no known format", "one of lcov, cobertura before"),
            ("lcof:x", "names no known format", "Did you mean lcov?"),
            ("lcov", "names no report", "lcov:coverage/report"),
            ("cobertura:.", "names no report", "cobertura:coverage/report"),
            ("lcov:/tmp/lcov.info", "not inside the work tree", "lcov:coverage/report"),
            ("lcov:../lcov.info", "not inside the work tree", "lcov:coverage/report"),
            ("lcov:a/../../b", "not inside the work tree", "lcov:coverage/report"),
            ("lcov:.git/lcov.info", "not inside the work tree", "lcov:coverage/report"),
            ("lcov:C:\\x", "not inside the work tree", "lcov:coverage/report"),
            ("lcov:a\0b", "not inside the work tree", "lcov:coverage/report"),
        ] {
            let problem = CoverageSource::parse(value).unwrap_err();
            assert!(problem[0].contains(what) && problem[1].contains(remedy), "{value}: {problem:?}");
        }
    }
}
