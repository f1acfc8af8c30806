//! Reads which programs a test command starts, and which test framework they name, for trees without a `framework` field.
//!
//! Only commands that start a framework by its own name are recognised: it is unknown what `make test` or `npm test`
//! run. A wrong guess does no harm, because the readers require the exact format of their framework's output.

use super::Framework;
use super::select::{PlainCommand, Selection};
use super::table::{ROWS, Words};
use crate::text::simple_commands;

/// Wrappers that run the program after them, and which of their options take a value.
const WRAPPERS: [(Words, Words); 10] = [
    (
        "exec, command, time, nohup, npx, bunx, npm exec, pnpm exec, pnpm dlx, yarn run, yarn exec, bun x, \
         poetry run, pipenv run, hatch run, rye run",
        "",
    ),
    ("env", "-u --unset -C --chdir"),
    ("nice", "-n"),
    ("timeout", "-s --signal -k --kill-after"),
    ("xvfb-run", "-s -n"),
    ("pnpm", "-C --dir --filter -F"),
    ("yarn", "--cwd"),
    ("uv run", "--extra --group --with --python -p --project --package"),
    ("pdm run", "-p"),
    ("dotenv", "-e -f"),
];

/// The options of interpreters and build tools that take a value and stand before what they start.
const BEFORE_START: Words = "-W -X --source --rcfile --manifest-path --config -Z -C --color -r --require --import --loader \
     --experimental-loader --conditions --test-name-pattern";

/// Words of the shell that come before a command.
const KEYWORDS: Words = "if then elif else while until do ! {";

/// Commands that run no tests: words of the shell, and programs that pass on what others print.
const SILENT: Words =
    "cd export unset set ulimit umask true : exit for done fi } echo printf sleep tee cat head tail";

/// Wrappers that come with the system.
const SYSTEM: Words = "env exec command time nice nohup timeout";

/// Characters that a shell gives a meaning. A command without them is one simple command.
const SHELL: &[char] =
    &['|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '#', '\n', '*', '?', '[', '{'];

/// The command of which the framework is told to name all its tests, and to run to the end. None if there is no way, or nothing to add.
pub(in crate::suite) fn asking(line: &str) -> Option<String> {
    let (framework, command) = plain_command(line)?;
    let (front, back) = framework.row().asks;
    let has = |word| command.arguments.contains(&word);
    ((front, back) != ("", "") && !has(front) && !has(back)).then(|| command.with(front, back))
}

/// The command that runs only this test, of those that a command runs. It may run others of the same name, as in another package
/// or suite, and none if the test cannot be found like this: what it prints about this test counts, and not how it ends. None
/// if the command is more than the plain start of a framework, or already selects tests by their names.
#[must_use]
pub fn select_one(command: &str, test: &str) -> Option<String> {
    let (framework, mut command) = plain_command(command).filter(|_| !test.contains(char::is_control))?;
    for argument in framework.classified(&command.arguments) {
        match argument {
            Argument::SelectsByName => return None,
            Argument::Option(_) => {}
            Argument::Plain(word) => command.plain.push(word),
        }
    }
    let Selection { front, back } = (framework.row().select)(&mut command, test)?;
    Some(command.with(&front, &back))
}

/// The framework that is all that a command starts, if the shell changes no word of it.
fn plain_command(line: &str) -> Option<(Framework, PlainCommand<'_>)> {
    if line.contains(SHELL) {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let (framework, arguments) = started(&words)?;
    let start = words[..words.len() - arguments.len()].to_vec();
    Some((framework, PlainCommand { start, arguments: arguments.to_vec(), plain: Vec::new() }))
}

/// What an argument of a framework's program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'w> {
    /// It selects tests by name.
    SelectsByName,
    /// Another option.
    Option(&'w str),
    /// Neither an option nor the value of one.
    Plain(&'w str),
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

    /// What the simple commands of a line tell this framework about the tests to run; none if that is not known.
    #[must_use]
    pub fn arguments_in(self, commands: &[Vec<String>]) -> Vec<Argument<'_>> {
        let commands: Vec<Vec<&str>> =
            commands.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
        let own = commands.iter().find_map(|words| {
            started(words).filter(|(framework, _)| *framework == self).map(|(_, arguments)| arguments)
        });
        // Behind `--`, `npm test` and `tox` pass on what is for the runner.
        let passed_on = || {
            commands.iter().find_map(|words| Some(&words[words.iter().position(|word| *word == "--")? + 1..]))
        };
        own.or_else(passed_on).map(|arguments| self.classified(arguments)).unwrap_or_default()
    }

    fn classified<'w>(self, arguments: &[&'w str]) -> Vec<Argument<'w>> {
        let row = self.row();
        // `-kname`
        let is_glued = |word: &str| {
            let mut short = row.by_name.split(' ').filter(|flag| flag.len() == 2 && *flag != "-o");
            short.any(|flag| word.len() > 2 && word.starts_with(flag))
        };
        let mut classified = Vec::new();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let option = word.split('=').next().unwrap_or(word);
            classified.push(match *word {
                word if is_in(row.by_name, option) || is_glued(word) => Argument::SelectsByName,
                word if word.starts_with('-') => Argument::Option(word),
                word => Argument::Plain(word),
            });
            if is_in(row.with_value, word) {
                words.next();
            }
        }
        classified
    }
}

/// The framework that one simple command runs.
pub(in crate::suite) fn of_words(words: &[String]) -> Option<Framework> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    started(&words).map(|(framework, _)| framework)
}

/// The framework that one simple command runs, and the arguments that it gets.
fn started<'a, 'w>(words: &'a [&'w str]) -> Option<(Framework, &'a [&'w str])> {
    let mut rest = skip_assignments(skip_keywords(words));
    while let Some(inner) = unwrapped(rest) {
        rest = skip_assignments(inner);
    }
    ROWS.iter().find_map(|row| {
        let arguments = row.starts.split(", ").find_map(|start| after(start, rest))?;
        Some((row.framework, arguments))
    })
}

/// What follows the words that start a framework.
fn after<'a, 'w>(start: &str, words: &'a [&'w str]) -> Option<&'a [&'w str]> {
    let mut start = start.split(' ');
    let (program, mut rest) = words.split_first()?;
    if !is_program(start.next()?, base_name(program)) {
        return None;
    }
    for wanted in start {
        let (options, others) = split_options(rest, BEFORE_START);
        rest = match wanted {
            "-m" => &rest[options.iter().position(|option| *option == wanted)? + 1..],
            // More options of the same program may follow.
            _ if wanted.starts_with('-') => options.contains(&wanted).then_some(rest)?,
            _ => {
                let (first, others) = others.split_first()?;
                let is_script = wanted.contains('/') && first.replace('\\', "/").ends_with(wanted);
                (*first == wanted || is_script).then_some(others)?
            }
        };
    }
    Some(rest)
}

/// Whether a program is the one with this name, or another one for the same: `python3.12`, `pypy3`, `nodejs`, `tsx`.
fn is_program(name: &str, program: &str) -> bool {
    let program = program.strip_suffix(".exe").unwrap_or(program);
    match name {
        "python" => {
            let version = program.strip_prefix("python").or_else(|| program.strip_prefix("pypy"));
            program == "py"
                || version.is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
        }
        "node" => is_in("node nodejs tsx", program),
        name => name == program,
    }
}

/// The program that one simple command names, after assignments and wrappers that every machine has.
pub(in crate::suite) fn program_of(words: &[String]) -> Option<&str> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut rest = skip_assignments(skip_keywords(&words));
    while let Some(inner) = rest.first().filter(|word| is_in(SYSTEM, word)).and_then(|_| unwrapped(rest)) {
        rest = skip_assignments(inner);
    }
    rest.first().copied()
}

/// Whether a simple command runs no tests.
pub(crate) fn is_silent(words: &[String]) -> bool {
    program_of(words).is_none_or(|program| is_in(SILENT, program))
}

/// Whether a simple command is the beginning of a loop.
pub(in crate::suite) fn is_loop(words: &[String]) -> bool {
    words.first().is_some_and(|word| is_in("for while until", word))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| !listed.is_empty() && listed == word)
}

/// `words` without those of the shell before the command: `do pytest`.
fn skip_keywords<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    &words[words.iter().take_while(|word| is_in(KEYWORDS, word)).count()..]
}

fn base_name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

fn skip_assignments<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    let is_assignment = |word: &&&str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.starts_with(|c: char| c.is_ascii_digit())
                && !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    &words[words.iter().take_while(is_assignment).count()..]
}

/// The command inside a wrapper such as `npx` or `timeout 60`, without the wrapper's options.
fn unwrapped<'a, 'w>(words: &'a [&'w str]) -> Option<&'a [&'w str]> {
    let is_it = |name: &str| {
        let count = name.split(' ').count();
        words.len() > count && name.split(' ').zip(words).all(|(name, word)| base_name(word) == name)
    };
    let (name, with_value) = WRAPPERS.iter().find_map(|(names, with_value)| {
        names.split(", ").find(|name| is_it(name)).map(|name| (name, *with_value))
    })?;
    let (_, inner) = split_options(&words[name.split(' ').count()..], with_value);
    // The time follows the options.
    if name == "timeout" { inner.get(1..) } else { Some(inner) }
}

/// The options at the beginning, with their values, and the words after them. Options in `with_value` take the next word along.
fn split_options<'a, 'w>(words: &'a [&'w str], with_value: Words) -> (&'a [&'w str], &'a [&'w str]) {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        at += if is_in(with_value, word) { 2 } else { 1 };
        if *word == "--" {
            break;
        }
    }
    words.split_at(at.min(words.len()))
}

#[cfg(test)]
mod tests;
