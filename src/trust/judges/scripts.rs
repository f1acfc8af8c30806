//! Reads test commands: which files and which targets of other programs they run.
//!
//! Only what is certain counts. A program under test that a command runs (`python src/main.py | diff - expected`) must
//! stay free to change, so a script counts only if its name or its folder says that it is one, or if the command does
//! nothing else than run it.

use std::collections::BTreeSet;

use crate::text::simple_commands;

/// What the test commands of a task run.
#[derive(Debug, Default)]
pub(super) struct Commands {
    /// Paths from the top of the work tree.
    paths: BTreeSet<String>,
    /// Scripts of package managers, targets of make, recipes of just.
    targets: BTreeSet<String>,
    /// Programs with files of their own, such as `make`.
    programs: BTreeSet<String>,
}

const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "fish", ".", "source"];
const INTERPRETERS: [&str; 9] = ["python", "python3", "node", "ruby", "perl", "php", "bun", "tsx", "pwsh"];
const WRAPPERS: [&str; 14] = [
    "env", "exec", "command", "time", "nice", "nohup", "npx", "bunx", "uv", "poetry", "pipenv", "pdm",
    "bundle", "xvfb-run",
];
const MANAGERS: [&str; 7] = ["npm", "pnpm", "yarn", "bun", "deno", "composer", "cnpm"];
const TARGETS: [&str; 9] = ["make", "gmake", "just", "task", "rake", "mage", "invoke", "nox", "tox"];

/// Words in the path of a script that tests something.
const SCRIPT_WORDS: [&str; 22] = [
    "test",
    "tests",
    "check",
    "checks",
    "ci",
    "spec",
    "verify",
    "validate",
    "scripts",
    "script",
    "tools",
    "hack",
    "e2e",
    "integration",
    "coverage",
    "suite",
    "qa",
    "smoke",
    "acceptance",
    "unit",
    "testing",
    "lint",
];

impl Commands {
    /// Reads the test commands of a task.
    pub(super) fn read(lines: &[&str]) -> Self {
        let mut commands = Self::default();
        for line in lines {
            commands.line(line, 0);
        }
        commands
    }

    /// Whether a command runs the file at `path`.
    pub(super) fn runs(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether a command runs a script, a target or a recipe with this name.
    pub(super) fn runs_target(&self, name: &str) -> bool {
        self.targets.contains(name)
    }

    /// Whether a command starts this program.
    pub(super) fn starts(&self, program: &str) -> bool {
        self.programs.contains(program)
    }

    fn line(&mut self, line: &str, depth: usize) {
        // A command in a command in a command is none that a person wrote.
        if depth > 3 {
            return;
        }
        let mut folder = String::new();
        let commands = simple_commands(line);
        let runs = |words: &&Vec<String>| {
            !matches!(words[0].as_str(), "cd" | "set" | "export" | ":" | "true" | "exit")
        };
        let is_alone = commands.iter().filter(runs).count() == 1;
        for words in &commands {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match words.as_slice() {
                ["cd" | "pushd", target, ..] => folder = joined(&folder, target).unwrap_or_default(),
                words => self.command(words, Context { folder: &folder, is_alone, depth }),
            }
        }
    }

    fn command(&mut self, words: &[&str], context: Context<'_>) {
        let words = unwrapped(words);
        let Some((first, arguments)) = words.split_first() else { return };
        let program = first.rsplit('/').next().unwrap_or(first);
        self.programs.insert(program.to_owned());
        self.options(arguments, context.folder);
        if SHELLS.contains(&program) {
            let script = arguments.iter().position(|word| !word.starts_with(['-', '+']));
            match script {
                Some(at)
                    if at > 0 && arguments[at - 1].starts_with('-') && arguments[at - 1].ends_with('c') =>
                {
                    self.line(arguments[at], context.depth + 1);
                }
                Some(at) => self.script(arguments[at], context, true),
                None => {}
            }
        } else if is_interpreter(program) {
            let module = arguments.contains(&"-m") || arguments.contains(&"-c") || arguments.contains(&"-e");
            let scripts = arguments.iter().filter(|word| !word.starts_with('-') && word.contains(['.', '/']));
            for script in scripts.filter(|_| !module) {
                self.script(script, context, false);
            }
        }
        if MANAGERS.contains(&program) {
            self.targets.extend(manager_targets(arguments));
        } else if TARGETS.contains(&program) {
            self.targets.extend(plain_words(arguments).map(str::to_owned));
        } else if first.contains('/') {
            self.script(first, context, true);
        }
    }

    /// A script that a command names. `is_whole` says that it would be the judge if nothing else was run.
    fn script(&mut self, word: &str, context: Context<'_>, is_whole: bool) {
        let Some(path) = joined(context.folder, word) else { return };
        let named = path
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|part| SCRIPT_WORDS.contains(&part.to_ascii_lowercase().as_str()));
        let is_source = path.starts_with("src/") || path.starts_with("lib/");
        if named || (is_whole && context.is_alone && !is_source) {
            self.paths.insert(path);
        }
    }

    /// Options that name configuration: `--config x`, `-c x`, `--rcfile=x`, `--import ./x.mjs`.
    fn options(&mut self, arguments: &[&str], folder: &str) {
        let about = |option: &str| {
            let name = option.trim_start_matches('-');
            option.starts_with('-')
                && (["config", "rcfile", "import", "require", "setup"].iter().any(|word| name.contains(word))
                    || matches!(option, "-c" | "-r"))
        };
        for (at, word) in arguments.iter().enumerate() {
            let value = match word.split_once('=') {
                Some((option, value)) if about(option) => Some(value),
                _ if about(word) => arguments.get(at + 1).copied(),
                _ => None,
            };
            let is_file =
                |value: &&str| value.contains('.') && !value.contains(' ') && !value.starts_with('-');
            self.paths.extend(value.filter(is_file).and_then(|value| joined(folder, value)));
        }
    }
}

/// Where a command stands.
#[derive(Clone, Copy)]
struct Context<'a> {
    folder: &'a str,
    /// The line runs nothing else.
    is_alone: bool,
    depth: usize,
}

fn is_interpreter(program: &str) -> bool {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&program) || INTERPRETERS.contains(&name)
}

/// The command inside of assignments and of wrappers such as `env` or `timeout 60`.
fn unwrapped<'a, 'w>(mut words: &'a [&'w str]) -> &'a [&'w str] {
    loop {
        let Some(first) = words.first() else { return words };
        let name = first.rsplit('/').next().unwrap_or(first);
        if first
            .split_once('=')
            .is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        {
            words = &words[1..];
        } else if name == "timeout" {
            let rest = words[1..]
                .iter()
                .position(|word| !word.starts_with('-') && !word.starts_with(|c: char| c.is_ascii_digit()));
            words = rest.map_or(&[], |at| &words[1 + at..]);
        } else if WRAPPERS.contains(&name) {
            words = &words[1..];
            while let Some(rest) = words
                .split_first()
                .filter(|(word, _)| word.starts_with('-') || matches!(**word, "run" | "exec"))
            {
                words = rest.1;
            }
        } else {
            return words;
        }
    }
}

/// What `npm test`, `npm run unit` or `yarn unit` run.
fn manager_targets(arguments: &[&str]) -> Vec<String> {
    let mut words = plain_words(arguments);
    match words.next() {
        Some("run" | "run-script" | "rum" | "urn" | "task") => {
            words.next().map(str::to_owned).into_iter().collect()
        }
        Some("t" | "tst" | "test") => vec!["test".to_owned()],
        Some(name) => vec![name.to_owned()],
        None => Vec::new(),
    }
}

/// Arguments that are neither options nor assignments.
fn plain_words<'a>(arguments: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let takes_value =
        |option: &str| matches!(option, "-C" | "-f" | "--prefix" | "--cwd" | "--dir" | "-w" | "--filter");
    let mut skip = false;
    arguments.iter().copied().filter(move |word| {
        let is_value = std::mem::replace(&mut skip, takes_value(word));
        !is_value && !word.starts_with('-') && !word.contains('=')
    })
}

/// A path from the top of the work tree; none if it leads out of it.
fn joined(folder: &str, word: &str) -> Option<String> {
    if word.starts_with(['/', '~', '$']) || word.contains(['*', '?', '$', '`']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(word.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
