//! Which tests a command selects.

use super::form::TestFile;
use crate::suite::Framework;

/// What a command says about the tests that it runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TestSelection {
    /// It selects tests by their names, so that another test would not run.
    pub(super) is_by_name: bool,
    /// It names a file, so that another file would not run.
    pub(super) names_a_file: bool,
    /// The files and folders that it names, as far as there are such files.
    paths: Vec<String>,
}

type Words = &'static [&'static str];

/// What is known of a framework's commands.
struct Row {
    framework: &'static str,
    /// The names of its programs.
    programs: Words,
    /// The options that select tests by name.
    by_name: Words,
    /// The options that take the next word.
    with_value: Words,
}

const fn row(framework: &'static str, programs: Words, by_name: Words, with_value: Words) -> Row {
    Row { framework, programs, by_name, with_value }
}

/// The rows of the frameworks.
const ROWS: [Row; 12] = [
    row(
        "pytest",
        &["pytest", "py.test"],
        &["-k", "-m", "--lf", "--last-failed"],
        &["-n", "-p", "-c", "-o", "--ignore"],
    ),
    row("unittest", &["unittest"], &["-k"], &["-p", "-t"]),
    row(
        "node",
        &["node"],
        &["--test-name-pattern", "--test-only"],
        &["--import", "--require", "-r", "--loader"],
    ),
    row("jest", &["jest"], &["-t", "--testNamePattern", "-o", "--onlyChanged"], &["-c", "--config"]),
    row("vitest", &["vitest"], &["-t", "--testNamePattern"], &["-c", "--config", "--project"]),
    row("mocha", &["mocha"], &["-g", "--grep", "-f", "--fgrep"], &["-r", "--require", "--config"]),
    row("go", &["test"], &["-run", "--run"], &["-tags", "-timeout", "-coverprofile", "-count", "-p"]),
    row("cargo", &["test", "t"], &["--doc", "--bench", "--example"], CARGO),
    row("nextest", &["run", "r"], &["-E", "--filter-expr", "--filterset"], CARGO),
    row("rspec", &["rspec"], &["-e", "--example", "-t", "--tag"], &["-r", "-I", "-f", "-o"]),
    row("phpunit", &["phpunit"], &["--filter", "--group", "--testsuite"], &["-c", "--configuration"]),
    row(
        "surefire",
        &["mvn", "mvnw", "gradle", "gradlew"],
        &["-Dtest", "-Dgroups", "--tests"],
        &["-pl", "-f", "-P", "-p", "-x"],
    ),
];

const CARGO: &[&str] = &[
    "-p",
    "--package",
    "--exclude",
    "--features",
    "-F",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--profile",
    "--cargo-profile",
    "-j",
    "--jobs",
    "--color",
    "--config",
    "-Z",
    "--message-format",
    "--test",
    "--bin",
    "--test-threads",
    "--format",
    "--logfile",
    "-P",
    "--retries",
];

const ENDINGS: [&str; 18] = [
    "py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "rb", "php", "java", "kt",
    "bats", "sh", "t",
];

impl TestSelection {
    pub(super) fn read(framework: Framework, command: &str, files: &[TestFile<'_>]) -> Self {
        let name = framework.names()[0];
        let Some(Row { programs, by_name, with_value, .. }) = ROWS.iter().find(|row| row.framework == name)
        else {
            return Self::default();
        };
        let mut selection = Self::default();
        let words = words(command);
        let is_program = |word: &String| programs.contains(&word.rsplit('/').next().unwrap_or(word));
        let first = words.iter().position(is_program);
        // Behind `--`, `npm test` and `tox` pass on what is for the runner.
        let Some(first) = first.or_else(|| words.iter().position(|word| word == "--")) else {
            return selection;
        };
        let is_cargo = matches!(name, "cargo" | "nextest");
        let mut arguments = words[first + 1..].iter().take_while(|word| !ends_command(word));
        while let Some(word) = arguments.next() {
            let option = word.split('=').next().unwrap_or(word);
            let glued = by_name
                .iter()
                .any(|flag| flag.len() == 2 && *flag != "-o" && word.len() > 2 && word.starts_with(flag));
            if by_name.contains(&option) || glued && name == "pytest" {
                selection.is_by_name = true;
            } else if is_cargo && matches!(option, "--test" | "--lib" | "--bin" | "--bins") {
                selection.names_a_file = true;
            }
            if with_value.contains(&word.as_str()) {
                arguments.next();
            } else if !word.starts_with('-') {
                selection.add(name, word, files);
            }
        }
        selection
    }

    /// Takes in an argument that is not an option.
    fn add(&mut self, framework: &str, word: &str, files: &[TestFile<'_>]) {
        if matches!(framework, "cargo" | "nextest") {
            self.is_by_name = true;
            return;
        }
        let word = word.trim_start_matches("./").trim_end_matches("...").trim_end_matches('/');
        if let Some((file, line)) = word.rsplit_once(':') {
            self.is_by_name |= word.contains("::") || ends_as_file(file) && line.parse::<u32>().is_ok();
        }
        if ends_as_file(word) {
            self.names_a_file = true;
        }
        let word =
            if framework == "unittest" && !ends_as_file(word) { &word.replace('.', "/") } else { word };
        for file in files {
            let stem = file.path.strip_suffix(".py").filter(|_| framework == "unittest");
            let is_inside =
                stem.is_some_and(|stem| word.strip_prefix(stem).is_some_and(|rest| rest.starts_with('/')));
            self.is_by_name |= is_inside;
            if stem == Some(word) {
                self.names_a_file = true;
                self.paths.push(file.path.to_owned());
            } else if !word.is_empty() && is_at(file.path, word) {
                self.paths.push(word.to_owned());
            }
        }
    }

    /// Whether the command runs this file, as far as it names any.
    pub(super) fn covers(&self, path: &str) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|named| is_at(path, named))
    }
}

fn ends_as_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending)) && !word.contains('*')
}

/// Whether a file is the named one, or in the named folder, also where the command has changed the folder before.
fn is_at(path: &str, named: &str) -> bool {
    path.strip_suffix(named).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        || path.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'))
        || path.contains(&format!("/{named}/"))
}

fn ends_command(word: &str) -> bool {
    matches!(word, "|" | "||" | "&&" | "&" | ";") || word.starts_with('>') || word.starts_with("2>")
}

/// The words of a shell command, without their quotes.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for sign in command.chars() {
        match (sign, quote) {
            (_, Some(open)) if sign == open => quote = None,
            (_, Some(_)) => word.push(sign),
            ('\'' | '"', None) => quote = Some(sign),
            (';' | '|' | '&' | '\n' | '(' | ')', None) => {
                words.extend([std::mem::take(&mut word), ";".to_owned()]);
            }
            (sign, None) if sign.is_whitespace() => words.push(std::mem::take(&mut word)),
            (sign, None) => word.push(sign),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}
