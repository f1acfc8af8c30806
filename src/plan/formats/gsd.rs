//! Reads plans of GSD: `.planning/phases/PHASE/NN-MM-PLAN.md`, with front matter and tasks in tags.

use std::collections::{HashMap, HashSet};

use super::implied::{Within, order_tasks};
use super::imported::{
    ImportedId, ImportedNode, ImportedPlan, ImportedTest, Needed, Place, Prerequisite, ReadAs, Why,
};
use super::markdown::front_matter;
use super::source_file::{SourceFile, line_number};
use super::texts::{command_of, dedent, name_of};
use super::yaml::{self, Yaml};

/// A plan file: the position of its node, its wave, and whether it states what it depends on.
struct GsdFile {
    node: usize,
    wave: Option<f64>,
    states_needs: bool,
}

/// Reads all sources.
pub(super) fn read(sources: &[SourceFile], plan: &mut ImportedPlan) {
    let mut files = Vec::new();
    let mut phases: HashMap<String, usize> = HashMap::new();
    for (file, source) in sources.iter().enumerate() {
        files.extend(read_file(source, file, &mut phases, plan));
    }
    // Plans of a wave follow those of the waves before it in the same phase.
    for at in 0..files.len() {
        let GsdFile { node, wave: Some(wave), states_needs: false } = files[at] else { continue };
        let place = plan.nodes[node].place;
        let is_before = |other: &&GsdFile| {
            plan.nodes[other.node].parent == plan.nodes[node].parent
                && other.wave.is_some_and(|before| before < wave)
        };
        let needs: Vec<Prerequisite> = files
            .iter()
            .filter(is_before)
            .map(|other| Prerequisite { on: Needed::Node(other.node), why: Why::TaskOrder, place })
            .collect();
        plan.nodes[node].needs.extend(needs);
    }
    super::implied::order_phases(plan, 0, |_| false);
}

/// The node of the phase to which a plan belongs, named by its folder.
fn phase(
    source: &SourceFile,
    file: usize,
    phases: &mut HashMap<String, usize>,
    plan: &mut ImportedPlan,
) -> Option<usize> {
    let folder = source.path.rsplit('/').nth(1)?;
    let number: String = folder.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = number.trim_end_matches('.');
    if number.is_empty() {
        return None;
    }
    if let Some(node) = phases.get(folder) {
        return Some(*node);
    }
    let name = folder[number.len()..].trim_matches(['-', '_', '.']).replace(['-', '_'], " ");
    let name = if name.is_empty() { format!("Phase {number}") } else { name };
    let id = ImportedId::Suggested(format!("phase{number}"));
    let node = plan.add(ImportedNode::group(id, name, Place { file, line: 1 }));
    phases.insert(folder.to_owned(), node);
    Some(node)
}

fn read_file(
    source: &SourceFile,
    file: usize,
    phases: &mut HashMap<String, usize>,
    plan: &mut ImportedPlan,
) -> Option<GsdFile> {
    let (matter, start) = front_matter(&source.text);
    let place = Place { file, line: 1 };
    let fields = match matter {
        None => Yaml { line: 1, kind: yaml::YamlKind::Map(Vec::new()) },
        Some(matter) => yaml::front_fields(matter, file, "wave: 1", plan)?,
    };
    let parent = phase(source, file, phases, plan);
    let stem = source.path.rsplit('/').next().unwrap_or_default();
    let stem = stem.strip_suffix("-PLAN.md").or_else(|| stem.strip_suffix(".md")).unwrap_or(stem);
    let body = &source.text[start..];
    let objective = tag(body, "objective").unwrap_or_default().trim();
    let first_line = objective.lines().next().filter(|line| !line.trim().is_empty());
    let name = first_line.map_or_else(|| stem.to_owned(), name_of);
    let mut node = ImportedNode::group(ImportedId::Suggested(stem.to_owned()), name, place);
    node.parent = parent;
    node.describe(objective);
    node.fields.touches =
        fields.texts("files_modified").into_iter().map(|(path, _)| path.to_owned()).collect();
    node.needs = needs(&fields, file, stem.split('-').next().unwrap_or_default());
    let node = plan.add(node);
    let lines = line_number(source.text[..start].lines().count());
    plan.read(place, lines.max(1), ReadAs::Node(node));
    let first = plan.nodes.len();
    for found in tasks(body) {
        let line = lines + line_number(body[..found.start].matches('\n').count()) + 1;
        add_task(plan, &found, Place { file, line }, PhasePlan { node, id: stem });
    }
    order_tasks(plan, first, Within::Plan, &HashSet::new());
    let wave = fields.text("wave").and_then(|wave| wave.parse().ok());
    Some(GsdFile { node, wave, states_needs: fields.get("depends_on").is_some() })
}

/// What a plan of this phase states that it depends on.
fn needs(fields: &Yaml, file: usize, phase: &str) -> Vec<Prerequisite> {
    let stated = fields.texts("depends_on").into_iter().map(|(on, line)| {
        let on = on.trim_end_matches("-PLAN.md").trim_end_matches("-PLAN");
        // A number alone is a plan of the same phase.
        let is_number = on.bytes().all(|byte| byte.is_ascii_digit());
        let id = if is_number && on != phase { format!("{phase}-{on:0>2}") } else { on.to_owned() };
        Prerequisite::stated(Needed::Id(id), Place { file, line })
    });
    stated.collect()
}

/// The plan around a task.
#[derive(Clone, Copy)]
struct PhasePlan<'a> {
    node: usize,
    id: &'a str,
}

/// A `<task>` of a plan.
struct FoundTask<'t> {
    start: usize,
    attributes: &'t str,
    text: &'t str,
}

/// The tasks of a text: tags at the beginning of a line, outside of fenced code.
fn tasks(text: &str) -> Vec<FoundTask<'_>> {
    let mut found: Vec<FoundTask<'_>> = Vec::new();
    let task = |start: usize, content: usize, end: usize| FoundTask {
        start,
        attributes: &text[start..content],
        text: &text[content.min(end)..end],
    };
    let (mut at, mut open, mut in_fence) = (0, None::<(usize, usize)>, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        match open {
            None if trimmed.starts_with("```") => in_fence = !in_fence,
            None if !in_fence && (trimmed.starts_with("<task ") || trimmed.starts_with("<task>")) => {
                let start = at + line.len() - trimmed.len();
                let content = text[start..].find('>').map_or(text.len(), |end| start + end + 1);
                match line.rfind("</task>") {
                    Some(end) => found.push(task(start, content, at + end)),
                    None => open = Some((start, content)),
                }
            }
            Some((start, content)) if trimmed.starts_with("</task>") => {
                found.push(task(start, content, at));
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    found.extend(open.map(|(start, content)| task(start, content, text.len())));
    found
}

/// The text in the first pair of tags of this name.
fn tag<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{name}>"))? + name.len() + 2;
    let end = text[start..].find(&format!("</{name}>"))?;
    Some(&text[start..start + end])
}

/// The parts of a task that describe it, in their order. Those with a heading are described below it.
const DESCRIBES: [(&str, bool); 9] = [
    ("action", false),
    ("behavior", true),
    ("implementation", false),
    ("what-built", true),
    ("how-to-verify", true),
    ("decision", true),
    ("context", true),
    ("done", true),
    ("acceptance_criteria", true),
];

fn add_task(plan: &mut ImportedPlan, found: &FoundTask<'_>, place: Place, around: PhasePlan<'_>) {
    let (id, title) = id_and_title(found, around.id);
    let mut node = ImportedNode::task(id, name_of(&unescape(title)), place);
    node.parent = Some(around.node);
    for (part, has_heading) in DESCRIBES {
        let text = tag(found.text, part).map(|text| dedent(text.trim())).filter(|text| !text.is_empty());
        let Some(text) = text else { continue };
        let heading =
            if has_heading { format!("\n{}:\n", part.replace(['-', '_'], " ")) } else { String::new() };
        node.describe(&unescape(&format!("{heading}{text}")));
    }
    node.fields.gate = found.attributes.contains("checkpoint:");
    let files = tag(found.text, "files").unwrap_or_default();
    let files =
        files.split([',', '\n']).map(|file| file.trim().trim_matches('`')).filter(|file| !file.is_empty());
    node.fields.touches = files.filter(|file| !file.contains(' ')).map(str::to_owned).collect();
    node.tests = tests(tag(found.text, "verify").unwrap_or_default(), place, plan);
    if node.fields.gate {
        plan.warn(
            place,
            "this task is a checkpoint for a person, and a run does not wait for one",
            "Do it yourself and remove it from the plan, or let an agent do it.",
        );
        // Here, `echo` only tells the person what to check.
        node.tests.retain(|test| !test.command.starts_with("echo "));
    }
    let last_line = place.line + line_number(found.text.matches('\n').count());
    let node = plan.add(node);
    plan.read(place, last_line, ReadAs::Node(node));
}

/// The id and the title of a task, of which `Task 1: Title` has both.
fn id_and_title<'t>(found: &FoundTask<'t>, plan_id: &str) -> (ImportedId, &'t str) {
    let name = tag(found.text, "name").or_else(|| tag(found.text, "what-built")).unwrap_or_default().trim();
    match name.strip_prefix("Task ").and_then(|rest| rest.split_once(':')) {
        Some((number, title)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (ImportedId::Suggested(format!("{plan_id}.{number}")), title)
        }
        Some((number, title)) if number.len() <= 16 && !number.contains(' ') => {
            (ImportedId::Suggested(number.to_owned()), title)
        }
        _ => (ImportedId::Derived, name),
    }
}

/// The test commands in the part of a task that says how it is verified.
fn tests(verify: &str, place: Place, plan: &mut ImportedPlan) -> Vec<ImportedTest> {
    let mut tests = Vec::new();
    let mut rest = verify;
    let mut is_automated = false;
    while let Some(text) = tag(rest, "automated") {
        is_automated = true;
        let command = unescape(text.trim());
        if command.contains('\n') || command.starts_with("MISSING") || command.is_empty() {
            plan.warn(
                place,
                "an <automated> part of this task is not a command on one line",
                "Give the task its test command in the plan.",
            );
        } else {
            tests.push(ImportedTest { command: command.trim_matches('`').to_owned(), place });
        }
        rest = rest.split_once("</automated>").map_or("", |(_, rest)| rest);
    }
    if !is_automated && let Some(command) = command_of(verify).filter(|command| !command.contains('\n')) {
        tests.push(ImportedTest { command: unescape(&command), place });
    }
    tests
}

/// Replaces the escapes of XML by the characters that they mean.
fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}
