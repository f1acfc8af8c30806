//! The arguments with which frameworks run one test.

use crate::text::shell_word;

/// A command that is nothing but the start of a framework, and no word of which the shell changes.
pub(super) struct PlainCommand<'c> {
    pub(super) start: Vec<&'c str>,
    pub(super) arguments: Vec<&'c str>,
    /// Those of the arguments that are neither options nor their values.
    pub(super) plain: Vec<&'c str>,
}

impl PlainCommand<'_> {
    /// The command with these words before and behind the arguments.
    pub(super) fn with(&self, front: &str, back: &str) -> String {
        let words = [&self.start[..], &[front], &self.arguments, &[back]].concat();
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Finds the arguments that select the test with a name, and may take others away. None if it is not sure.
pub(super) type Select = fn(&mut PlainCommand<'_>, &str) -> Option<Selection>;

/// The words that select a test.
pub(super) struct Selection {
    /// Those before all arguments.
    pub(super) front: String,
    /// Those behind them.
    pub(super) back: String,
}

fn front(words: String) -> Option<Selection> {
    Some(Selection { front: words, back: String::new() })
}

fn back(words: String) -> Option<Selection> {
    Some(Selection { front: String::new(), back: words })
}

pub(super) fn pytest(command: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    // Paths would be run, too. After an option, such a word may be its value, and some options change what names mean.
    let mut words = command.arguments.windows(2);
    let is_value = words.any(|pair| pair[0].starts_with("--") && command.plain.contains(&pair[1]));
    let has_place = command.arguments.iter().any(|word| *word == "-c" || word.starts_with("--rootdir"));
    if is_value || has_place || !test.contains("::") {
        return None;
    }
    let PlainCommand { arguments, plain, .. } = command;
    arguments.retain(|word| !plain.contains(word));
    back(shell_word(test))
}

pub(super) fn unittest(_: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    // Without an asterisk, a part of a name is enough.
    let pattern = (!test.contains(['*', '?', '['])).then(|| format!("*{test}"))?;
    back(format!("-k {}", shell_word(&pattern)))
}

pub(super) fn jest(_: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    back(format!("-t {}", shell_word(&whole(test, " › "))))
}

pub(super) fn vitest(command: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    let (file, name) = test.split_once(" > ")?;
    let names_files = command.plain.iter().any(|word| *word != "run");
    let file = if names_files { String::new() } else { shell_word(file) + " " };
    back(format!("{file}-t {}", shell_word(&whole(name, " > "))))
}

pub(super) fn node(_: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    // Older versions compare only the last part of a name.
    let last = test.rsplit(" > ").next().unwrap_or(test);
    front(format!("--test-name-pattern={}", shell_word(&format!("(^| > ){}$", escaped(last)))))
}

pub(super) fn go(_: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    let parts: Vec<String> = test.split('/').map(|part| format!("^{}$", escaped(part))).collect();
    front(format!("-run {}", shell_word(&parts.join("/"))))
}

pub(super) fn cargo(command: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    if !command.plain.is_empty() || test.contains(' ') {
        return None;
    }
    let dashes = if command.arguments.contains(&"--") { "" } else { "-- " };
    back(format!("{dashes}--exact {}", shell_word(test)))
}

pub(super) fn nextest(command: &mut PlainCommand<'_>, test: &str) -> Option<Selection> {
    if !command.plain.is_empty() || test.contains(['(', ')']) {
        return None;
    }
    let (binary, name) = test.split_once(' ')?;
    front(format!("-E {}", shell_word(&format!("binary_id(={binary}) and test(={name})"))))
}
/// The regular expression for a whole name, in which blanks may stand between the names of suites.
fn whole(name: &str, sign: &str) -> String {
    let parts: Vec<String> = name.split(sign).map(escaped).collect();
    // Some versions of Vitest put a blank before a name.
    format!("^ ?{}$", parts.join(&format!("( |{sign})")))
}

/// The regular expression for a text.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if r"\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
