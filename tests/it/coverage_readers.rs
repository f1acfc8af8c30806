//! Tests the readers of coverage reports on real reports (`tests/fixtures/coverage`), and against diff-cover.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use git_arborist::git::FilePatch;
use git_arborist::plan::CoverageFormat;
use git_arborist::suite::coverage::{CoverageReport, DiffCoverage, FileLines, Part, read_coverage};
use proptest::prelude::*;
use serde::Deserialize;

use crate::support::growth::assert_linear;

/// One report, and what others say about it.
struct Fixture {
    /// Such as `python/line.lcov.info`.
    name: String,
    format: CoverageFormat,
    path: PathBuf,
}

#[derive(Deserialize)]
struct DiffCover {
    executable: u64,
    uncovered: BTreeMap<String, Vec<u32>>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/coverage/reports")
}

fn format_of(name: &str) -> Option<CoverageFormat> {
    let ends = [(".info", CoverageFormat::Lcov), (".cobertura.xml", CoverageFormat::Cobertura)];
    ends.into_iter().find(|(end, _)| name.ends_with(end)).map(|(_, format)| format)
}

fn fixtures() -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    for project in fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()) {
        for path in fs::read_dir(&project).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            if let Some(format) = format_of(&name) {
                fixtures.push(Fixture { name, format, path });
            }
        }
    }
    fixtures.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(fixtures.len() >= 19, "{}", fixtures.len());
    fixtures
}

impl Fixture {
    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    fn read(&self) -> CoverageReport {
        read_coverage(self.format, &self.bytes()).unwrap_or_else(|error| panic!("{} {error}", self.name))
    }

    fn beside(&self, end: &str) -> Option<String> {
        fs::read_to_string(format!("{}{end}", self.path.display())).ok()
    }

    fn in_folder(&self, name: &str) -> Vec<u8> {
        fs::read(self.path.parent().unwrap().join(name)).unwrap()
    }

    fn paths(&self) -> BTreeSet<String> {
        String::from_utf8(self.in_folder("paths.txt")).unwrap().lines().map(str::to_owned).collect()
    }

    fn placed(&self, top: &str) -> CoverageReport {
        self.read().placed(&self.paths(), &[top], "coverage/report")
    }

    fn diff(&self, top: &str) -> DiffCoverage {
        self.placed(top).of_change(&self.changed())
    }

    fn changed(&self) -> FileLines {
        let patch = self.in_folder("change.diff");
        let files = FilePatch::all_in(&patch).into_iter();
        files.map(|file| (file.path.clone(), file.new_lines())).collect()
    }
}

/// Lines, each with whether it is covered.
type Lines = [(u32, bool)];

/// Where the answer of diff-cover is different: the lines that only diff-cover takes for executable, and whether it takes
/// them for covered. In each case the report has a function or a branch on the line and no `DA:` record, and the sums of
/// the report (`LF:`) do not count it.
const ONLY_DIFF_COVER: [(&str, &str, &Lines); 4] = [
    // The first lines of a function and of two methods, which hold no statement of their own.
    ("javascript/vitest-istanbul.lcov.info", "src/price.js", &[(2, true), (19, true), (23, false)]),
    ("javascript/vitest-istanbul.lcov.info", "src/zähler neu.js", &[(8, false)]),
    ("jest/jest.lcov.info", "src/price.js", &[(2, true), (19, true), (23, false)]),
    ("jest/jest.lcov.info", "src/zähler neu.js", &[(8, false)]),
];

#[test]
fn changed_lines_are_covered_as_diff_cover_says() {
    let mut compared = 0;
    for fixture in fixtures() {
        let Some(answer) = fixture.beside(".diff-cover.json") else { continue };
        let DiffCover { mut executable, mut uncovered } = serde_json::from_str(&answer).unwrap();
        for (_, path, lines) in ONLY_DIFF_COVER.iter().filter(|(name, ..)| *name == fixture.name) {
            executable -= lines.len() as u64;
            let not_covered = |line: &u32| !lines.contains(&(*line, false));
            uncovered.get_mut(*path).unwrap().retain(not_covered);
        }
        uncovered.retain(|_, lines| !lines.is_empty());
        let diff = fixture.diff("/project");
        assert_eq!(diff.uncovered, uncovered, "{}", fixture.name);
        assert_eq!(diff.ratio.total, executable, "{}", fixture.name);
        compared += 1;
    }
    assert!(compared >= 19, "{compared}");
}

/// What can be counted in a report, where the sums that it gives are different.
const OTHER_SUMS: [(&str, &str, (u64, u64)); 3] = [
    // LLVM's sums of lines count a line once for each function on it. In lcov's records it is there once.
    ("llvm-cov.lcov.info", "lines", (20, 38)),
    // Istanbul leaves out the branches of a line on which no statement begins.
    ("vitest-istanbul.cobertura.xml", "branches", (6, 12)),
    ("jest.cobertura.xml", "branches", (6, 12)),
];

#[test]
fn totals_are_those_that_the_tools_give() {
    for fixture in fixtures() {
        let report = fixture.placed("/project");
        let sums: BTreeMap<String, (u64, u64)> =
            serde_json::from_str(&fixture.beside(".sums.json").unwrap()).unwrap();
        let known: BTreeMap<&str, (u64, u64)> = Part::ALL
            .into_iter()
            .filter_map(|(part, name)| report.total(part).map(|ratio| (name, (ratio.covered, ratio.total))))
            .collect();
        for (name, sum) in sums {
            let expected = OTHER_SUMS.iter().find(|(end, of, _)| fixture.name.ends_with(end) && name == *of);
            let expected = expected.map_or(sum, |(_, _, counted)| *counted);
            assert_eq!(known.get(name.as_str()), Some(&expected), "{name} of {}", fixture.name);
        }
    }
}

#[test]
fn reports_of_one_run_agree_in_all_formats() {
    for (one, other) in [
        ("python/line-and-branch.cobertura.xml", "python/line-and-branch.lcov.info"),
        ("javascript/vitest-v8.lcov.info", "javascript/vitest-v8.cobertura.xml"),
        ("javascript/vitest-istanbul.cobertura.xml", "javascript/vitest-istanbul.lcov.info"),
        ("jest/jest.lcov.info", "jest/jest.cobertura.xml"),
        ("javascript/c8.cobertura.xml", "javascript/c8.lcov.info"),
        ("rust/cargo-llvm-cov.lcov.info", "rust/cargo-llvm-cov.cobertura.xml"),
        ("c/lcov.info", "c/gcovr.cobertura.xml"),
    ] {
        let lines = |name: &str| {
            let fixture = fixtures().into_iter().find(|fixture| fixture.name == name).unwrap();
            let placed = fixture.placed("/project");
            let files = placed.files.into_iter();
            files.map(|(path, file)| (path, file.lines().collect::<Vec<_>>())).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(lines(one), lines(other), "{one} and {other}");
    }
}

#[test]
fn every_file_of_a_report_is_found() {
    for fixture in fixtures() {
        let (here, paths) = (fixture.placed("/project"), fixture.paths());
        assert!(!here.files.is_empty(), "{}", fixture.name);
        assert!(here.files.keys().all(|path| paths.contains(path)), "{}: {here:#?}", fixture.name);
    }
}

#[test]
fn a_report_of_another_format_is_refused() {
    for fixture in fixtures() {
        for format in CoverageFormat::ALL.into_iter().filter(|format| *format != fixture.format) {
            let read = read_coverage(format, &fixture.bytes());
            assert!(read.is_err(), "{} as {format}: {read:?}", fixture.name);
        }
    }
    for format in CoverageFormat::ALL {
        assert!(read_coverage(format, b"\x1f\x8b\x08\0\0 not a report").is_err(), "{format}");
    }
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    for fixture in fixtures() {
        let crlf = fixture.bytes().split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
        let dressed = [b"\xef\xbb\xbf", crlf.as_slice()].concat();
        assert_eq!(read_coverage(fixture.format, &dressed).unwrap(), fixture.read(), "{}", fixture.name);
    }
}

#[test]
fn several_reports_are_put_together() {
    let lcov = |runs: [u32; 2]| {
        let text = format!("SF:/project/a.c\nDA:1,{}\nDA:2,{}\nend_of_record\n", runs[0], runs[1]);
        let report = read_coverage(CoverageFormat::Lcov, text.as_bytes()).unwrap();
        report.placed(&["a.c".to_owned()].into(), &["/project"], "c.info")
    };
    let mut both = lcov([1, 0]);
    both.merge(lcov([0, 1]));
    assert_eq!(both.total(Part::Line).map(|ratio| (ratio.covered, ratio.total)), Some((2, 2)));
}

/// A report of so many bytes, or more, that nobody would write.
fn hostile(format: CoverageFormat, size: usize) -> Vec<Vec<u8>> {
    let many = |text: &str| text.repeat(size / text.len() + 1);
    let wrapped =
        |before: &str, text: &str, after: &str| format!("{before}{}{after}", many(text)).into_bytes();
    let xml = |root: &str| {
        vec![
            wrapped(&format!("<{root}>"), "<a>", ""),
            wrapped(&format!("<{root}>"), "<class filename='x'>", ""),
            wrapped(&format!("<{root}>"), "<a/>", &format!("</{root}>")),
            format!("<{root} {}/>", (0..size / 8).map(|n| format!("a{n}='' ")).collect::<String>())
                .into_bytes(),
            format!("<{root} {}/>", (0..size / 16).map(|n| format!("xmlns:a{n}='{n}' ")).collect::<String>())
                .into_bytes(),
            wrapped("<!-- ", "= < ", "-->"),
            entities(root, size),
        ]
    };
    match format {
        CoverageFormat::Lcov => vec![
            wrapped("", "SF:a\nDA:1,1\n", ""),
            wrapped("SF:a\n", "DA:4294967295,99999999999999999999999\nDA:-1,-1\nBRDA:1,0,0,-5\n", ""),
            wrapped("SF:", "a/", "\nDA:1,1"),
            wrapped("SF:", "../", "\nDA:1,1"),
            wrapped("SF:a\nFN:1,", "x,", "\nFNDA:1"),
        ],
        CoverageFormat::Cobertura => xml("coverage"),
    }
}

/// Entities that would grow to far more than the memory of any machine.
fn entities(root: &str, size: usize) -> Vec<u8> {
    let mut text = format!("<!DOCTYPE {root} [<!ENTITY e0 '{}'>", "x".repeat(size / 100));
    for level in 1..20 {
        let inner = format!("&e{};", level - 1).repeat(10);
        text.push_str(&format!("<!ENTITY e{level} '{inner}'>"));
    }
    text.push_str(&format!("]><{root}>&e19;</{root}>"));
    text.into_bytes()
}

#[test]
fn hostile_reports_are_read_or_refused_in_linear_time() {
    for format in CoverageFormat::ALL {
        for kind in 0..hostile(format, 1).len() {
            let input = |size| hostile(format, size).swap_remove(kind);
            let read = |report: &Vec<u8>| read_coverage(format, report).is_ok();
            assert_linear(&format!("{format} {kind}"), 4 << 10, input, read);
        }
    }
}

/// Run by hand: it takes half a minute without optimisation.
#[test]
#[ignore = "ten megabytes of each kind take long"]
fn hostile_reports_of_ten_megabytes_are_read_or_refused() {
    for format in CoverageFormat::ALL {
        for report in hostile(format, 10 << 20) {
            let read = read_coverage(format, &report);
            let outcome =
                read.map_or_else(|error| error.clone(), |read| format!("{} files", read.files.len()));
            println!("{format}: {outcome}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn damaged_reports_do_no_harm(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        inserted in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..8),
            "(-?[0-9]{1,25}|[\\[\\]{}<>&;:,\"'/=.\n-]{1,4})".prop_map(String::into_bytes)
        ],
        removed in 0..40_usize,
    ) {
        let fixtures = fixtures();
        let fixture = which.get(&fixtures);
        let mut bytes = fixture.bytes();
        let at = at.index(bytes.len());
        let end = (at + removed).min(bytes.len());
        bytes.splice(at..end, inserted);
        if let Ok(report) = read_coverage(fixture.format, &bytes) {
            let placed = report.placed(&["src/price.js".to_owned()].into(), &["/project"], "c");
            let _ = (placed.of_change(&fixture.changed()), Part::ALL.map(|(part, _)| placed.total(part)));
        }
    }
}
