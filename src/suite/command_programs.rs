//! Reads which programs a test command starts, and which test framework they name, for trees without a `framework` field.
//!
//! Only commands that start a framework by its own name are recognised: it is unknown what `make test` or `npm test`
//! run. A wrong guess does no harm, because the readers require the exact format of their framework's output.

use super::Framework;
use crate::text::simple_commands;

/// Wrappers that run the program after them: their words, and which of their options take a value.
const WRAPPERS: [(&[&str], &[&str]); 24] = [
    (&["env"], &["-u", "--unset", "-C", "--chdir"]),
    (&["exec"], &[]),
    (&["command"], &[]),
    (&["time"], &[]),
    (&["nice"], &["-n"]),
    (&["nohup"], &[]),
    (&["xvfb-run"], &["-s", "-n"]),
    (&["npx"], &[]),
    (&["bunx"], &[]),
    (&["npm", "exec"], &[]),
    (&["pnpm", "exec"], &[]),
    (&["pnpm", "dlx"], &[]),
    (&["pnpm"], &["-C", "--dir", "--filter", "-F"]),
    (&["yarn", "run"], &[]),
    (&["yarn", "exec"], &[]),
    (&["yarn"], &["--cwd"]),
    (&["bun", "x"], &[]),
    (&["uv", "run"], &["--extra", "--group", "--with", "--python", "-p", "--project", "--package"]),
    (&["poetry", "run"], &[]),
    (&["pipenv", "run"], &[]),
    (&["pdm", "run"], &["-p"]),
    (&["hatch", "run"], &[]),
    (&["rye", "run"], &[]),
    (&["dotenv"], &["-e", "-f"]),
];

/// Words of the shell that come before a command.
const KEYWORDS: [&str; 9] = ["if", "then", "elif", "else", "while", "until", "do", "!", "{"];

/// Commands that run no tests: words of the shell, and programs that pass on what others print.
const SILENT: [&str; 20] = [
    "cd", "export", "unset", "set", "ulimit", "umask", "true", ":", "exit", "for", "done", "fi", "}", "echo",
    "printf", "sleep", "tee", "cat", "head", "tail",
];

/// Wrappers that come with the system.
const SYSTEM: [&str; 7] = ["env", "exec", "command", "time", "nice", "nohup", "timeout"];

impl Framework {
    /// The framework that `command`, a shell command line, runs; `None` if it names none, or several.
    #[must_use]
    pub fn guess(command: &str) -> Option<Self> {
        let commands = simple_commands(command);
        let mut found = commands.iter().filter_map(|words| of_words(words));
        let first = found.next()?;
        if found.all(|other| other == first) { Some(first) } else { None }
    }
}

/// The program that one simple command names, after assignments and wrappers that every machine has.
pub(super) fn program_of(words: &[String]) -> Option<&str> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut rest = skip_assignments(skip_keywords(&words));
    while let Some(inner) = rest.first().filter(|word| SYSTEM.contains(*word)).and_then(|_| unwrapped(rest)) {
        rest = skip_assignments(inner);
    }
    rest.first().copied()
}

/// Whether a simple command runs no tests.
pub(super) fn is_silent(words: &[String]) -> bool {
    program_of(words).is_none_or(|program| SILENT.contains(&program))
}

/// Whether a simple command is the beginning of a loop.
pub(super) fn is_loop(words: &[String]) -> bool {
    words.first().is_some_and(|word| matches!(word.as_str(), "for" | "while" | "until"))
}

/// `words` without those of the shell before the command: `do pytest`.
fn skip_keywords<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    &words[words.iter().take_while(|word| KEYWORDS.contains(word)).count()..]
}

/// The framework that one simple command runs.
pub(super) fn of_words(words: &[String]) -> Option<Framework> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    started(&words).map(|(framework, _)| framework)
}

/// The framework that one simple command runs, and the arguments that it gets.
pub(super) fn started<'a, 'w>(words: &'a [&'w str]) -> Option<(Framework, &'a [&'w str])> {
    let mut rest = skip_assignments(skip_keywords(words));
    while let Some(inner) = unwrapped(rest) {
        rest = skip_assignments(inner);
    }
    let (program, arguments) = rest.split_first()?;
    let program = base_name(program);
    match program {
        "pytest" | "py.test" => Some((Framework::Pytest, arguments)),
        "jest" => Some((Framework::Jest, arguments)),
        "vitest" => Some((Framework::Vitest, arguments)),
        "bats" | "tape" => Some((Framework::Tap, arguments)),
        "cargo" => of_cargo(arguments),
        "go" => match skip_options(arguments, &["-C"]) {
            ["test", arguments @ ..] => Some((Framework::Go, arguments)),
            _ => None,
        },
        "node" | "nodejs" | "tsx" => of_node(arguments),
        "coverage" if arguments.first() == Some(&"run") => of_python(&arguments[1..]),
        _ if is_python(program) => of_python(arguments),
        _ => None,
    }
}

fn base_name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

fn skip_assignments<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    let is_assignment = |word: &&&str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.starts_with(|c: char| c.is_ascii_digit())
                && !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    &words[words.iter().take_while(is_assignment).count()..]
}

/// The command inside a wrapper such as `npx` or `timeout 60`, without the wrapper's options.
fn unwrapped<'a, 'w>(words: &'a [&'w str]) -> Option<&'a [&'w str]> {
    if base_name(words.first()?) == "timeout" {
        let inner = skip_options(&words[1..], &["-s", "--signal", "-k", "--kill-after"]);
        return inner.get(1..);
    }
    let (names, with_value) = WRAPPERS.iter().find(|(names, _)| {
        words.len() > names.len() && base_name(words[0]) == names[0] && words[1..].starts_with(&names[1..])
    })?;
    Some(skip_options(&words[names.len()..], with_value))
}

/// `words` from the first that is not an option; options in `with_value` take the next word along.
fn skip_options<'a, 'w>(words: &'a [&'w str], with_value: &[&str]) -> &'a [&'w str] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if with_value.contains(word) { 2 } else { 1 };
        if *word == "--" {
            break;
        }
    }
    words.get(at..).unwrap_or_default()
}

/// `cargo +nightly --locked test`, `cargo nextest run`.
fn of_cargo<'a, 'w>(arguments: &'a [&'w str]) -> Option<(Framework, &'a [&'w str])> {
    let toolchain = arguments.first().is_some_and(|word| word.starts_with('+'));
    let with_value = ["--manifest-path", "--config", "-Z", "-C", "--color"];
    match skip_options(&arguments[usize::from(toolchain)..], &with_value) {
        ["test" | "t", arguments @ ..] => Some((Framework::CargoTest, arguments)),
        ["nextest", "run" | "r", arguments @ ..] | ["llvm-cov", "nextest", arguments @ ..] => {
            Some((Framework::Nextest, arguments))
        }
        _ => None,
    }
}

/// `node --test`, or `node node_modules/jest/bin/jest.js`.
fn of_node<'a, 'w>(arguments: &'a [&'w str]) -> Option<(Framework, &'a [&'w str])> {
    let with_value =
        ["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"];
    let rest = skip_options(arguments, &with_value);
    let options = &arguments[..arguments.len() - rest.len()];
    if options.contains(&"--test") {
        return Some((Framework::NodeTest, arguments));
    }
    let (script, arguments) = rest.split_first()?;
    let script = script.replace('\\', "/");
    let runs = |ends: &[&str]| ends.iter().any(|end| script.ends_with(end));
    if runs(&["jest/bin/jest.js", "jest/bin/jest", ".bin/jest"]) {
        Some((Framework::Jest, arguments))
    } else if runs(&["vitest/vitest.mjs", ".bin/vitest"]) {
        Some((Framework::Vitest, arguments))
    } else {
        None
    }
}

/// `python`, `python3`, `python3.12`, `pypy3`.
fn is_python(program: &str) -> bool {
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let version = program.strip_prefix("python").or_else(|| program.strip_prefix("pypy"));
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.')) || program == "py"
}

/// The framework in `-m pytest`, after the options of the interpreter.
fn of_python<'a, 'w>(arguments: &'a [&'w str]) -> Option<(Framework, &'a [&'w str])> {
    let module = arguments.iter().position(|word| *word == "-m")?;
    let before = skip_options(&arguments[..module], &["-W", "-X", "--source", "--rcfile"]);
    match &arguments[module + 1..] {
        ["pytest", arguments @ ..] if before.is_empty() => Some((Framework::Pytest, arguments)),
        ["unittest", arguments @ ..] if before.is_empty() => Some((Framework::Unittest, arguments)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
