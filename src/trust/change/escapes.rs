//! Ways to make a failure look like a success, in scripts, configuration and tests.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::trust::language::Language;
use crate::trust::lex::{Class, classes};

const TEXTS: [&str; 60] = [
    "|| true",
    "||true",
    "|| :",
    "|| exit 0",
    "; exit 0",
    "exit 0;",
    "set +e",
    "trap 'exit 0'",
    "--passWithNoTests",
    "--pass-with-no-tests",
    "passWithNoTests",
    "--suppress-no-test-exit-code",
    "continue-on-error: true",
    "allow_failure: true",
    "--exit-zero",
    "--deselect",
    "--ignore=",
    "--ignore-glob",
    "testPathIgnorePatterns",
    "coveragePathIgnorePatterns",
    "modulePathIgnorePatterns",
    "os._exit(",
    "sys.exit(",
    "process.exit(",
    "process.exitCode",
    "os.Exit(",
    "process::exit(",
    "--updateSnapshot",
    "--update-snapshots",
    "--snapshot-update",
    "INSTA_FORCE_PASS",
    "INSTA_UPDATE",
    "UPDATE_SNAPSHOTS",
    "-DskipTests",
    "skipTests",
    "maven.test.skip",
    "testFailureIgnore",
    "ignoreFailures",
    "--collect-only",
    "--no-run",
    "if: false",
    "if: ${{ false }}",
    "-k \"not",
    "-k 'not",
    "-run=^$",
    "-run ^$",
    "pytest_sessionfinish",
    "pytest_collection_modifyitems",
    "pytest_runtest_makereport",
    "pytest_runtest_call",
    "pytest_pyfunc_call",
    "pytest_ignore_collect",
    "exitstatus = 0",
    "sys.modules[",
    "collect_ignore",
    "__builtins__",
    "builtins.",
    "|| echo",
    "-not -path",
    "Jest.retryTimes",
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    builder.match_kind(MatchKind::LeftmostLongest).build(TEXTS).expect("the texts are few and not empty")
});

/// Something that makes a failure look like a success, such as `|| true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    /// Its text.
    pub text: String,
    /// The lines that it was added to, from 1.
    pub lines: Vec<usize>,
}

/// What `after` has more of than `before`, outside comments.
pub(super) fn added(path: &str, before: &[u8], after: &[u8]) -> Vec<Escape> {
    let mut old = lines_by_text(path, before);
    let mut found = Vec::new();
    for (text, mut lines) in lines_by_text(path, after) {
        let known = old.remove(text).map_or(0, |lines| lines.len());
        if lines.len() > known {
            let new = lines.split_off(known);
            found.push(Escape { text: text.to_owned(), lines: new });
        }
    }
    found
}

fn lines_by_text(path: &str, bytes: &[u8]) -> BTreeMap<&'static str, Vec<usize>> {
    let classes = Language::of(path).map(|language| classes(language, bytes));
    // In other languages, `||` is an operator.
    let is_program = !matches!(Language::of(path), None | Some(Language::Shell));
    let is_operator = |at: usize| is_program && bytes[at] == b'|';
    let means_nothing = |at: usize| match &classes {
        Some(classes) => classes[at] == Class::Comment || is_operator(at),
        None => is_in_comment_line(bytes, at),
    };
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let (mut line, mut counted) = (1, 0);
    for hit in FINDER.find_iter(bytes).filter(|hit| !means_nothing(hit.start())) {
        line += memchr::memchr_iter(b'\n', &bytes[counted..hit.start()]).count();
        counted = hit.start();
        found.entry(TEXTS[hit.pattern().as_usize()]).or_default().push(line);
    }
    found
}

/// Whether a place in a file without a known language is in a line that is a comment.
fn is_in_comment_line(bytes: &[u8], at: usize) -> bool {
    // Nobody writes a longer line by hand.
    let near = &bytes[at.saturating_sub(2000)..at];
    let start = memchr::memrchr(b'\n', near).map_or(0, |at| at + 1);
    near[start..].trim_ascii_start().starts_with(b"#")
}
