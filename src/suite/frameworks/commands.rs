//! Reads which programs a test command starts, and which test framework they name, for trees without a `framework` field.
//!
//! Only commands that start a framework by its own name are recognised: it is unknown what `make test` or `npm test`
//! run. A wrong guess does no harm, because the readers require the exact format of their framework's output.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::Framework;
use super::select::selection;
use super::table::ROWS;
use crate::text::simple_commands;

/// The options of interpreters, build tools and wrappers, some of which take a value.
const OPTIONS: &str = r"(?: (?:-W|-X|--source|--rcfile|--manifest-path|--config|-Z|-C|--color|-r|--require|--import|--loader|--experimental-loader|--conditions|-u|--unset|--chdir|-n|-s|--signal|-k|--kill-after|--dir|--filter|-F|--cwd|--extra|--group|--with|--python|-p|--project|--package|-e|-f) \S+| [-+]\S*)*";

/// What may stand before every program: words of the shell, assignments, and programs of the system that run the one after them.
const BEFORE_PROGRAMS: &str = r"if|then|elif|else|while|until|do|!|\{|[A-Za-z_]\w*=\S*|(?:\S*/)?(?:(?:env|exec|command|time|nice|nohup)OPTIONS|timeoutOPTIONS \S+)";

/// Tools that run the program after them.
const WRAPPERS: &str = r"(?:\S*/)?(?:npx|bunx|bun x|npm exec|(?:pnpm|yarn)OPTIONS(?: (?:exec|run|dlx))?|(?:poetry|pipenv|hatch|rye|uv|pdm) run|xvfb-run|dotenv)OPTIONS";

/// Characters that a shell gives a meaning. A command without them is one simple command.
const SHELL: &[char] =
    &['|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '#', '\n', '*', '?', '[', '{'];

static PROGRAM: LazyLock<Regex> = LazyLock::new(|| compiled(&format!("(?:(?:{BEFORE_PROGRAMS}) )*")));

/// What starts each framework, in the order of [`Framework`].
static STARTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let of = |starts: &str| {
        let starts =
            starts.replace("python", r"(?:(?:python|pypy)[\d.]*|py)").replace("node", "(?:node|nodejs|tsx)");
        let starts = starts.replace(' ', "OPTIONS ");
        compiled(&format!(r"(?:(?:{BEFORE_PROGRAMS}|{WRAPPERS}) )*(?:\S*/)?(?:{starts}) "))
    };
    ROWS.iter().map(|row| of(row.starts)).collect()
});

fn compiled(pattern: &str) -> Regex {
    let pattern = format!(r"\A{}", pattern.replace("OPTIONS", OPTIONS));
    Regex::new(&pattern).expect("the patterns of the table are valid")
}

/// How many words the pattern takes.
fn words_of<S: AsRef<str>>(pattern: &Regex, words: &[S]) -> Option<usize> {
    let one = |word: &S| word.as_ref().replace(char::is_whitespace, "_") + " ";
    let line: String = words.iter().map(one).collect();
    pattern.find(&line).map(|found| found.as_str().matches(' ').count())
}

/// The framework that one simple command runs, and the arguments that it gets.
fn started<S: AsRef<str>>(words: &[S]) -> Option<(Framework, &[S])> {
    let mut all = Framework::ALL.into_iter().zip(&*STARTS);
    all.find_map(|(framework, starts)| Some((framework, &words[words_of(starts, words)?..])))
}

/// The framework that one simple command runs.
pub(in crate::suite) fn of_words(words: &[String]) -> Option<Framework> {
    started(words).map(|(framework, _)| framework)
}

/// The program that one simple command names, after assignments and wrappers that every machine has.
pub(in crate::suite) fn program_of(words: &[String]) -> Option<&str> {
    words.get(words_of(&PROGRAM, words)?).map(String::as_str)
}

/// Whether a simple command runs no tests: it is of the shell, or passes on what others print.
pub(crate) fn is_silent(words: &[String]) -> bool {
    const SILENT: &str =
        "cd export unset set ulimit umask true : exit for done fi } echo printf sleep tee cat head tail";
    program_of(words).is_none_or(|program| is_in(SILENT, program))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| !listed.is_empty() && listed == word)
}

/// The start of a framework that is all that a command is, and the arguments, if the shell changes no word of them.
fn plain_command(line: &str) -> Option<(Framework, Vec<&str>, Vec<&str>)> {
    if line.contains(SHELL) {
        return None;
    }
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let (framework, arguments) = started(&words)?;
    let arguments = words.split_off(words.len() - arguments.len());
    Some((framework, words, arguments))
}

/// A command with words before and behind its arguments.
fn with(start: &[&str], front: &str, arguments: &[&str], back: &str) -> String {
    let words = [start, &[front], arguments, &[back]].concat();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The command of which the framework is told to name all its tests, and to run to the end. None if there is no way, or nothing to add.
pub(in crate::suite) fn asking(line: &str) -> Option<String> {
    let (framework, start, arguments) = plain_command(line)?;
    let (front, back) = match framework {
        Framework::CargoTest | Framework::Nextest => ("--no-fail-fast", ""),
        Framework::Unittest => ("", "-v"),
        _ => return None,
    };
    let has = |word| arguments.contains(&word);
    (!has(front) && !has(back)).then(|| with(&start, front, &arguments, back))
}

/// The command that runs only this test, of those that a command runs. It may run others of the same name, as in another package
/// or suite, and none if the test cannot be found like this: what it prints about this test counts, and not how it ends. None
/// if the command is more than the plain start of a framework, or already selects tests by their names.
#[must_use]
pub fn select_one(command: &str, test: &str) -> Option<String> {
    let (framework, start, mut words) =
        plain_command(command).filter(|_| !test.contains(char::is_control))?;
    let (front, back) = selection(framework, &mut words, test)?;
    Some(with(&start, &front, &words, &back))
}

/// What a command tells a framework about the tests to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments<'w> {
    /// Whether it selects tests by name.
    pub is_by_name: bool,
    /// What is neither an option nor the value of one.
    pub plain: Vec<&'w str>,
}

impl Framework {
    /// The framework that `command`, a shell command line, runs; `None` if it names none, or several.
    #[must_use]
    pub fn guess(command: &str) -> Option<Self> {
        let commands = simple_commands(command);
        let mut found = commands.iter().filter_map(|words| of_words(words));
        let first = found.next()?;
        if found.all(|other| other == first) { Some(first) } else { None }
    }

    /// What the simple commands of a line tell this framework; nothing if that is not known.
    #[must_use]
    pub fn arguments_in(self, commands: &[Vec<String>]) -> Arguments<'_> {
        let own =
            commands.iter().find_map(|words| started(words).filter(|(framework, _)| *framework == self));
        // Behind `--`, `npm test` and `tox` pass on what is for the runner.
        let passed_on = || {
            commands.iter().find_map(|words| Some(&words[words.iter().position(|word| word == "--")? + 1..]))
        };
        let words = own.map(|(_, words)| words).or_else(passed_on).unwrap_or_default();
        self.arguments(words.iter().map(String::as_str))
    }

    /// What arguments mean to this framework.
    pub(super) fn arguments<'w>(self, mut words: impl Iterator<Item = &'w str>) -> Arguments<'w> {
        let row = self.row();
        // `-kname`
        let is_glued = |word: &str| {
            let mut short = row.by_name.split(' ').filter(|flag| flag.len() == 2 && *flag != "-o");
            short.any(|flag| word.len() > 2 && word.starts_with(flag))
        };
        let mut all = Arguments::default();
        while let Some(word) = words.next() {
            if is_in(row.by_name, word.split('=').next().unwrap_or(word)) || is_glued(word) {
                all.is_by_name = true;
            } else if !word.starts_with('-') {
                all.plain.push(word);
            }
            if is_in(row.with_value, word) {
                words.next();
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
