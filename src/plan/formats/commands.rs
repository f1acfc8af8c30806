//! Reads the commands of superpowers, which have an expected result, and those of ralphex, which judge all tasks.

use super::account::{Part, Use};
use super::marks::split_box;
use super::notes;
use super::outline::{Block, BlockKind};
use super::texts::{command_of, dedent, field};
use super::walk::{Run, Section, Walk};

pattern!(EXPECTED, r"(?i)\bexpected\b[*_ ]*:[*_]*");
pattern!(
    PASSES,
    r"(?i)\b(?:pass(?:es|ed|ing)?|succeeds?|succeed(?:ed|ing)|success(?:ful(?:ly)?)?|green|exits? (?:with )?(?:code |status )?(?:0|zero))\b"
);
pattern!(FAILS, r"(?i)\b(?:fail\w*|non-?zero|not)\b");
pattern!(NO_FAILURE, r"(?i)\b(?:0|no|zero|without(?: any)?) (?:\w+ )?fail\w*");
/// What may stand between a command and its expected result.
const SEPARATORS: [char; 10] = [' ', ',', ';', '.', '(', '-', '–', '—', '→', '*'];

impl Walk<'_> {
    /// Reads `Run: COMMAND` and `Expected: PASS` in tasks, and the commands that judge all tasks. Only commands that must pass in the end
    /// judge a task.
    pub(super) fn commands(&mut self, block: &Block<'_>) -> bool {
        let lines = [block.line, block.last_line];
        if block.heading().is_some() {
            return false;
        }
        let Some(node) = self.task_around(block) else {
            let judges_all =
                |section: &Section| section.name.to_lowercase().starts_with("validation command");
            if !self.sections.last().is_some_and(judges_all) {
                return false;
            }
            if block.is_code() {
                match commands_in(block) {
                    Some(commands) => {
                        self.validation.extend(commands.into_iter().map(|command| (command, lines)));
                    }
                    None => (lines[0]..=lines[1]).for_each(|line| self.note(notes::COMMAND, line)),
                }
                return true;
            }
            let is_item = block.is_item();
            for (line, text) in (block.line..).zip(block.text.lines()) {
                match command_of(text) {
                    Some(command) => self.validation.push((command, [line, line])),
                    None if is_item => self.note(notes::COMMAND, line),
                    None => self.take([line, line], Use::Plan(Part::Text)),
                }
            }
            return true;
        };
        if let BlockKind::Fenced(_) = block.kind {
            // `Run:` may also be followed by a fenced command.
            if let Some(Run { command: Some(command), places }) = self.run.as_mut()
                && command.is_empty()
            {
                *command = commands_in(block).unwrap_or_default().join(" && ");
                places.push(lines);
            }
            return false;
        }
        for (line, text) in (block.line..).zip(block.text.lines()) {
            let plain = text.trim().trim_start_matches(['-', '*', '+', ' ']);
            let plain = split_box(plain).map_or(plain, |(_, rest)| rest.trim_start());
            let (plain, result) = EXPECTED.find(plain).map_or((plain, None), |found| {
                (plain[..found.start()].trim_end_matches(SEPARATORS), Some(&plain[found.end()..]))
            });
            let run = plain.strip_prefix("Run ").filter(|rest| rest.starts_with('`'));
            if let Some(rest) = run.or_else(|| field(plain, "run")) {
                self.run = Some(Run { command: run_of(rest.trim()), places: vec![[line, line]] });
            } else if !plain.is_empty() {
                continue;
            }
            if let Some(result) = result {
                let run = self.run.take();
                if says_pass(result) {
                    self.command(node, run.unwrap_or_default(), line);
                }
            }
        }
        false
    }

    /// Adds the command that is expected, on this line, to pass.
    fn command(&mut self, node: usize, Run { command, places }: Run, line: u32) {
        let Some(command) = command.filter(|command| !command.is_empty()) else {
            return self.note(notes::COMMAND, places.first().map_or(line, |lines| lines[0]));
        };
        // What git is to do is a step of the work, such as a push. It judges nothing.
        if command.starts_with("git ") {
            return;
        }
        places.iter().for_each(|lines| self.take(*lines, Use::Node(node, Part::Test)));
        self.take([line, line], Use::Node(node, Part::Test));
        let tests = &mut self.plan.nodes[node].tests;
        if !tests.contains(&command) {
            tests.push(command);
        }
    }
}

/// Whether a result that is expected says that a command passes: in its first sentence, and nothing there fails.
fn says_pass(result: &str) -> bool {
    let sentence = result.split(". ").next().unwrap_or_default().split(';').next().unwrap_or_default();
    let sentence = NO_FAILURE.replace_all(sentence, "");
    PASSES.is_match(&sentence) && !FAILS.is_match(&sentence)
}

pattern!(CONTINUED, r"[ \t]*\\\n[ \t]*");

/// The command after `Run:`, which is empty if it follows in a block; `None` if it is not certain.
fn run_of(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len() == 1 {
        return if text.is_empty() { Some(String::new()) } else { command_of(text) };
    }
    let joins =
        |text: &str| matches!(text.trim_matches([' ', ',', ';', '.', '&']), "" | "and" | "then" | "and then");
    let are_joined = parts.len() % 2 == 1 && parts.iter().step_by(2).all(|text| joins(text));
    let commands: Vec<&str> = parts.into_iter().skip(1).step_by(2).map(str::trim).collect();
    (are_joined && !commands.contains(&"")).then(|| commands.join(" && "))
}

/// The languages of code that a shell executes. `test` is a mark of plans.
const SHELLS: &str = "|sh|bash|zsh|shell|console|shell-session|test";

/// The commands in a block of code; `None` if it is in another language. Lines that only make sense together are one. If any begin
/// with a prompt, the others are output.
fn commands_in(block: &Block<'_>) -> Option<Vec<String>> {
    if let BlockKind::Fenced(info) = block.kind {
        let language = info.split([' ', '{', ',']).next().unwrap_or_default().to_lowercase();
        SHELLS.split('|').find(|known| *known == language)?;
    }
    let text = dedent(&format!("\n{}", block.text));
    let text = CONTINUED.replace_all(&text, " ");
    let has_prompt = text.lines().any(|line| line.starts_with("$ "));
    let lines = text.lines().filter(|line| !has_prompt || line.starts_with("$ "));
    let lines = lines.map(|line| line.strip_prefix("$ ").unwrap_or(line).trim_end());
    let is_command = |line: &&str| !line.is_empty() && !line.starts_with(['#', '`', '~']);
    let lines: Vec<String> = lines.filter(is_command).map(str::to_owned).collect();
    let is_together = |line: &String| {
        line.contains("<<") || line.starts_with([' ', '\t', '}']) || line.ends_with(['{', '|', '&', '('])
    };
    Some(if lines.iter().any(is_together) { vec![format!("set -e\n{}", lines.join("\n"))] } else { lines })
}
