//! What the rows of formats in Markdown cannot say as data: the dependencies of spec-kit are prose, and the commands of superpowers
//! have an expected result.

use std::collections::HashMap;

use super::account::{Part, Use};
use super::data::{What, json};
use super::dialects::Ids;
use super::imported::{ImportedId, Needed, Prerequisite};
use super::marks::{is_t, split_box, split_id};
use super::needs::{Arrow, Steps, between, stated_line, targets};
use super::notes;
use super::outline::{Block, BlockKind};
use super::texts::{command_of, dedent, field};
use super::walk::{Section, SectionKind, Walk};

/// How many dependencies are kept. A plan with so many is refused later, when it is settled.
const MOST_LINKS: usize = 200_000;

// A line with numbers that is about the order of tasks.
pattern!(ABOUT_ORDER, r"(?i)\b(?:depend|require|block|after|before|parallel)");
pattern!(WAVES, r#""(?:tasks|waves)"\s*:"#);
// The label of a node in a diagram.
pattern!(LABEL, r"\[[^\]]*\]|\([^)]*\)|\{[^}]*\}");

impl Walk<'_> {
    /// Reads the lines of a section about dependencies.
    pub(super) fn dependencies(&mut self, block: &Block<'_>) -> bool {
        let is_numbered = self.dialect.ids == Ids::Numbers;
        let is_task = block.is_item()
            && split_box(block.text).is_some_and(|(_, text)| is_numbered || split_id(text).is_some());
        let is_in_section = self.is_in(|kind| kind == SectionKind::Dependencies);
        if !is_in_section || is_task || block.heading().is_some() || self.task_around(block).is_some() {
            return false;
        }
        if block.is_code() && WAVES.is_match(block.text) {
            self.waves(block);
            return true;
        }
        let is_diagram = matches!(block.kind, BlockKind::Fenced(info) if info.starts_with("mermaid"));
        for (line, text) in (block.line..).zip(block.text.lines()).filter(|(_, text)| !text.trim().is_empty())
        {
            let mentions_task = |needed: &Needed| !matches!(needed, Needed::Id(id) if id.starts_with("phase") || id.starts_with("us"));
            // There, an arrow leads to what comes next.
            let flow = is_diagram.then(|| LABEL.replace_all(text, "").replace("-->", "→"));
            match stated_line(flow.as_deref().unwrap_or(text), is_numbered) {
                Some(steps) => self.stated.push((steps, line)),
                None if text.trim_start().starts_with("```") => {
                    self.take([line, line], Use::LeftOut);
                }
                None if targets(text, is_numbered && ABOUT_ORDER.is_match(text))
                    .iter()
                    .any(mentions_task) =>
                {
                    self.note(notes::NEED, line);
                }
                None => self.take([line, line], Use::Plan(Part::Text)),
            }
        }
        true
    }

    /// Reads the waves of Kiro: the tasks of each depend on those of the wave before, and those of the first one on nothing.
    fn waves(&mut self, block: &Block<'_>) {
        let inner = block.text.split_once('\n').unwrap_or_default().1.trim_end().trim_end_matches(['`', '~']);
        let datum = json(inner, self.place(block.line + 1)).ok();
        let waves = datum.as_ref().and_then(|datum| datum.member("waves")).map(|waves| &waves.what);
        let waves = if let Some(What::List(waves)) = waves { waves.as_slice() } else { &[] };
        let (mut before, mut used) = (Vec::new(), Vec::new());
        for tasks in
            waves.iter().filter_map(|wave| wave.member("tasks")).filter(|tasks| tasks.says_something())
        {
            let ids: Vec<Needed> = tasks.texts().into_iter().map(Needed::Id).collect();
            let sides = vec![ids.clone(), std::mem::replace(&mut before, ids)];
            self.stated.push((Steps { sides, arrow: None }, tasks.lines[0]));
            used.push(tasks.lines[0]);
        }
        let is_read = !used.is_empty() && used.len() == waves.len();
        for (line, text) in
            (block.line..).zip(block.text.lines()).filter(|(line, _)| used.binary_search(line).is_err())
        {
            if is_read || text.trim_start().starts_with(['`', '~']) || !text.contains(char::is_alphanumeric) {
                self.take([line, line], Use::LeftOut);
            } else {
                self.note(notes::NOT_READ, line);
            }
        }
    }

    /// Gives the dependencies that the file states to the nodes that they name.
    pub(super) fn attach(&mut self) {
        let mut by_id: HashMap<String, usize> = self.by_name.clone();
        for at in (self.first..self.plan.nodes.len()).rev() {
            if let ImportedId::Given(id) | ImportedId::Suggested(id) = &self.plan.nodes[at].id {
                by_id.insert(id.clone(), at);
            }
        }
        let mut left = MOST_LINKS;
        let stated = std::mem::take(&mut self.stated);
        for (Steps { sides, arrow }, line) in &stated {
            let line = *line;
            for two in sides.windows(2) {
                let [nodes, on] =
                    if *arrow == Some(Arrow::Before) { [&two[1], &two[0]] } else { [&two[0], &two[1]] };
                let ids = nodes.iter().flat_map(|node| match node {
                    Needed::Id(id) => vec![id.clone()],
                    Needed::Range(from, to) => between(from, to).unwrap_or_default(),
                    Needed::Node(_) => Vec::new(),
                });
                let found: Vec<usize> = ids.filter_map(|id| by_id.get(&id).copied()).collect();
                if found.is_empty() {
                    self.note(notes::NEED, line);
                }
                let place = self.place(line);
                for node in found {
                    left = left.saturating_sub(on.len());
                    self.take([line, line], Use::Node(node, Part::After));
                    self.free.extend(on.is_empty().then_some(node));
                    let needs = on.iter().map(|on| Prerequisite { on: on.clone(), place });
                    self.plan.nodes[node].needs.extend(needs);
                    if left == 0 {
                        return;
                    }
                }
            }
        }
        let first = |kind| stated.iter().find(|(steps, _)| steps.arrow == Some(kind)).map(|(_, line)| *line);
        if let (Some(on), Some(before)) = (first(Arrow::DependsOn), first(Arrow::Before)) {
            let what = format!(
                "the file has both arrows: `A -> B` on line {on} means that A depends on B, `A → B` on line {before} that A comes \
                 before B"
            );
            self.plan.warn(self.place(on.max(before)), what, "Use only one of them.");
        }
        for at in self.first..self.plan.nodes.len() {
            let needs = std::mem::take(&mut self.plan.nodes[at].needs);
            for mut need in needs {
                let id = if let Needed::Id(id) = &need.on { id.as_str() } else { "" };
                // Ids of groups, which are in small letters, are known only here.
                let is_group =
                    id.starts_with(|c: char| c.is_ascii_lowercase()) && !id.starts_with("phase") && !is_t(id);
                match by_id.get(id) {
                    Some(group) if is_group => need.on = Needed::Node(*group),
                    None if is_group || self.gone.contains(id) => {
                        self.note(notes::NEED, need.place.line);
                        continue;
                    }
                    _ => {}
                }
                self.plan.nodes[at].needs.push(need);
            }
        }
    }

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
                let commands = commands_in(block.text).into_iter();
                self.validation.extend(commands.map(|command| (command, lines)));
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
            if let Some((Some(command), places)) = self.run.as_mut()
                && command.is_empty()
            {
                *command = commands_in(block.text).join(" && ");
                places.push(lines);
            }
            return false;
        }
        for (line, text) in (block.line..).zip(block.text.lines()) {
            let plain = text.trim().trim_start_matches(['-', '*', '+', ' ']);
            let run = plain.strip_prefix("Run ").filter(|rest| rest.starts_with('`'));
            if let Some(rest) = run.or_else(|| field(plain, "run")) {
                self.run = Some((run_of(rest.trim()), vec![[line, line]]));
            } else if let Some(rest) = field(plain, "expected") {
                let result = rest.trim_start_matches(['*', '`', ' ', '"']).to_uppercase();
                let passes =
                    ["PASS", "ALL PASS", "ALL TESTS PASS"].iter().any(|word| result.starts_with(word));
                let Some((command, places)) = self.run.take().filter(|_| passes) else { continue };
                let Some(command) = command.filter(|command| !command.is_empty()) else {
                    self.note(notes::COMMAND, places[0][0]);
                    continue;
                };
                places.iter().for_each(|lines| self.take(*lines, Use::Node(node, Part::Test)));
                self.take([line, line], Use::Node(node, Part::Test));
                let tests = &mut self.plan.nodes[node].tests;
                if !tests.contains(&command) {
                    tests.push(command);
                }
            }
        }
        false
    }
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

/// The commands in a block of code. Lines that only make sense together are one.
fn commands_in(block: &str) -> Vec<String> {
    let text = dedent(&format!("\n{block}"));
    let text = CONTINUED.replace_all(&text, " ");
    let lines = text.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line).trim_end());
    let is_command = |line: &&str| !line.is_empty() && !line.starts_with(['#', '`', '~']);
    let lines: Vec<String> = lines.filter(is_command).map(str::to_owned).collect();
    let is_together = |line: &String| {
        line.contains("<<") || line.starts_with([' ', '\t', '}']) || line.ends_with(['{', '|', '&', '('])
    };
    if lines.iter().any(is_together) { vec![format!("set -e\n{}", lines.join("\n"))] } else { lines }
}
