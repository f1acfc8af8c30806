//! Reads a case of the table: what a person expects of a plan, and its files, each line with what it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What a line is, as pairs of a subject and a part, such as `T001 title`.
pub(super) type Uses = BTreeSet<String>;

/// A plan, and what is expected of it.
#[derive(Debug, Default)]
pub(super) struct Case {
    pub(super) name: String,
    /// The arguments of `git arborist`.
    pub(super) run: Vec<String>,
    pub(super) exit: i32,
    pub(super) format: Option<String>,
    pub(super) title: Option<String>,
    /// The phases and tasks, in the order of the plan.
    pub(super) nodes: Vec<Node>,
    pub(super) warnings: Vec<Said>,
    pub(super) refused: Vec<Said>,
    pub(super) files: Vec<CaseFile>,
}

/// A phase or task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) parent: Option<String>,
    pub(super) is_task: bool,
    pub(super) after: BTreeSet<String>,
    pub(super) tests: Vec<String>,
    pub(super) has_gate: bool,
    /// Compared only if the case says it.
    pub(super) expect: Option<String>,
}

/// A warning or an error: its place, as in `TODO.md:3`, which is empty if there is none, and words in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Said {
    pub(super) place: String,
    pub(super) words: String,
}

/// A file of a case.
#[derive(Debug)]
pub(super) struct CaseFile {
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    /// What each line is: one of several sets. Without any, the line says nothing, or nobody asks.
    pub(super) lines: Vec<Vec<Uses>>,
}

impl Case {
    pub(super) fn read(file: &Path) -> Self {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mut case = Self { name, run: vec!["build".into()], ..Self::default() };
        let text = fs::read_to_string(file).unwrap();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next_if(|line| !line.starts_with("== ")) {
            if !line.starts_with('#') {
                let (key, value) = line.split_once(": ").unwrap_or_else(|| panic!("{}: {line}", case.name));
                case.take(key, value);
            }
        }
        let tasks: Vec<String> =
            case.nodes.iter().filter(|node| node.is_task).map(|node| node.id.clone()).collect();
        while let Some(head) = lines.next() {
            let mut words = head.split(' ').skip(1);
            let is_raw = words.next() == Some("RAW");
            let path = words.next().unwrap().replace("%20", " ");
            let marks: Vec<&str> = words.collect();
            let mut texts = Vec::new();
            let mut labels: Vec<Vec<Uses>> = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("== ")) {
                if is_raw {
                    texts.push(line);
                    continue;
                }
                let (label, text) = line.split_once(" |").unwrap_or_else(|| panic!("{}: {line}", case.name));
                texts.push(text.strip_prefix(' ').unwrap_or(text));
                labels.push(match label.trim() {
                    "" => Vec::new(),
                    "\"" => labels.iter().rfind(|uses| !uses.is_empty()).unwrap().clone(),
                    label => label.split(" / ").map(|uses| uses_of(uses, &tasks)).collect(),
                });
            }
            let (begin, end) = match marks.as_slice() {
                [] => ("", "\n"),
                ["crlf"] => ("", "\r\n"),
                ["bom"] => ("\u{feff}", "\n"),
                ["crlf", "bom"] => ("\u{feff}", "\r\n"),
                others => panic!("{}: {others:?}", case.name),
            };
            let content = format!("{begin}{}{end}", texts.join(end)).into_bytes();
            case.files.push(CaseFile { path, content, lines: labels });
        }
        case
    }

    fn take(&mut self, key: &str, value: &str) {
        let columns: Vec<&str> = value.split(" | ").collect();
        match key {
            "run" => self.run = value.split(' ').map(str::to_owned).collect(),
            "exit" => self.exit = value.parse().unwrap(),
            "format" => self.format = Some(value.to_owned()),
            "plan" => self.title = Some(value.to_owned()),
            "phase" | "task" => self.nodes.push(node(key == "task", &columns)),
            "warning" => self.warnings.push(said(columns[0], columns[1])),
            "refused" => self.refused.push(said(columns[0].trim_start_matches('-'), columns[1])),
            "planner" => self.refused.push(said(value, "--planner")),
            other => panic!("{}: {other}", self.name),
        }
    }
}

fn said(place: &str, words: &str) -> Said {
    Said { place: place.to_owned(), words: words.to_owned() }
}

fn node(is_task: bool, columns: &[&str]) -> Node {
    let mut node =
        Node { id: columns[0].to_owned(), name: columns[1].to_owned(), is_task, ..Node::default() };
    let rest = if is_task {
        node.parent = Some(columns[2].to_owned()).filter(|parent| parent != "-");
        &columns[3..]
    } else {
        &columns[2..]
    };
    for column in rest {
        match column.split_once(' ').unwrap_or((column, "")) {
            ("in", phase) => node.parent = Some(phase.to_owned()),
            ("after", ids) => node.after = ids.split(' ').map(str::to_owned).collect(),
            ("test", command) => node.tests.push(command.to_owned()),
            ("expect", kind) => node.expect = Some(kind.to_owned()),
            ("gate", "") => node.has_gate = true,
            // The lines and the warnings say it.
            ("ticked", "") => {}
            other => panic!("{other:?}"),
        }
    }
    node
}

/// `T001 title, after; T002 after` as pairs; `all` is every task.
fn uses_of(label: &str, tasks: &[String]) -> Uses {
    let mut uses = Uses::new();
    for part in label.split("; ") {
        match part.split_once(' ') {
            None => _ = uses.insert(part.to_owned()),
            Some(("left-out", _)) => _ = uses.insert("left out".into()),
            Some(("all", what)) => uses.extend(tasks.iter().map(|task| format!("{task} {what}"))),
            Some((subject, parts)) => uses.extend(parts.split(", ").map(|part| format!("{subject} {part}"))),
        }
    }
    normal(uses)
}

/// What is compared of these: without `ID text` where the line says something else of this ID as well, because a test
/// command, for example, may stand in the description, too; and without the warning where something else is said, because
/// the warnings are compared by themselves.
pub(super) fn normal(mut uses: Uses) -> Uses {
    if uses.len() > 1 {
        uses.remove("warning");
    }
    let is_other = |other: &String, subject: &str| {
        other.rsplit_once(' ').is_some_and(|(of, part)| of == subject && part != "text")
    };
    let others = uses.clone();
    uses.retain(|taken| match taken.strip_suffix(" text") {
        Some(subject) => !others.iter().any(|other| is_other(other, subject)),
        None => true,
    });
    uses
}

/// Whether a text has the words of a line, whatever stands around them.
pub(super) fn is_told(text: &str, line: &str) -> bool {
    let words = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    // What only JSON has around a value, and the marks of an item.
    let value = line.split_once("\": ").filter(|(key, _)| key.trim_start().starts_with('"'));
    let line = value.map_or(line, |(_, value)| value).replace("\\n", " ");
    let is_mark = |c: char| c.is_whitespace() || "-*+>#.)\\".contains(c) || c.is_ascii_digit();
    let item = line.trim_start_matches(is_mark);
    let item = item.strip_prefix('[').and_then(|item| item.split_once(']')).map_or(item, |(_, item)| item);
    let text = words(text);
    text.contains(&words(item)) || text.contains(&words(&line))
}
