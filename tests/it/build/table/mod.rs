//! Plays the table of plans: every file `tests/fixtures/plans/table/NAME.case` is a plan, what a person expects of it, and
//! what each of its lines is. `tests/fixtures/plans/table/README.md` describes the form. With `TABLE=WORDS`, only the cases
//! whose name contains one of the words are played.

mod case;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;

use git_arborist::plan::formats::{Account, Format, Part, SourceFile, Use, read};
use serde_json::Value;

use self::case::{Case, Node, Said, Uses, is_told, normal};
use crate::support::garden::{Ended, Garden};
use crate::support::repo::fixture;

#[test]
fn every_plan_of_the_table_is_read_as_a_person_expects_line_by_line() {
    let only = std::env::var("TABLE").unwrap_or_default();
    let mut files: Vec<_> =
        fs::read_dir(fixture("plans/table")).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "case"));
    files.sort();
    assert!(files.len() >= 60, "the table has {} plans", files.len());
    let mut report = String::new();
    let mut wrong = 0;
    for file in files {
        let case = Case::read(&file);
        if !only.is_empty() && !only.split(' ').any(|word| case.name.contains(word)) {
            continue;
        }
        let found = differences(&case);
        if !found.is_empty() {
            wrong += 1;
            _ = writeln!(report, "\n{}:\n  {}", case.name, found.join("\n  "));
        }
    }
    assert!(report.is_empty(), "{report}\n{wrong} plans are read differently");
}

/// How the plan is read differently from what is expected.
fn differences(case: &Case) -> Vec<String> {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    for file in &case.files {
        let place = garden.top().join(&file.path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, &file.content).unwrap();
    }
    let args: Vec<&str> = case.run.iter().map(String::as_str).collect();
    let ended = garden.run(&args);
    let mut found = Vec::new();
    if ended.status != case.exit {
        found.push(format!(
            "exit status {} instead of {}: {}",
            ended.status,
            case.exit,
            ended.stderr.trim_end()
        ));
    }
    for Said { place, words } in &case.refused {
        let said = ended.stderr.to_lowercase();
        if !said.contains(&place.to_lowercase()) || !said.contains(words) {
            found.push(format!("`{words}` ({place}) is not said: {}", ended.stderr.trim_end()));
        }
    }
    if case.exit != 0 || ended.status != 0 {
        return found;
    }
    if let Some(format) = &case.format
        && !ended.stdout.contains(&format!("({format})"))
    {
        found
            .push(format!("the format is not {format}: {}", ended.stdout.lines().next().unwrap_or_default()));
    }
    let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    if let Some(title) = &case.title
        && tree["title"] != title.as_str()
    {
        found.push(format!("the title is {}, not {title}", tree["title"]));
    }
    compare_nodes(case, &tree, &mut found);
    compare_warnings(case, &ended, &mut found);
    compare_lines(case, &tree, &garden, &mut found);
    found
}

/// The phases and tasks of a tree file, each before what is below it.
fn nodes_of(tree: &Value) -> Vec<Node> {
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let mut nodes = Vec::new();
    let mut open = texts(&tree["root_ids"]);
    open.reverse();
    while let Some(id) = open.pop() {
        let node = &tree["nodes"][&id];
        let children = texts(&node["children"]);
        let commands = node["test_commands"].as_array().into_iter().flatten();
        nodes.push(Node {
            name: node["name"].as_str().unwrap().to_owned(),
            parent: node["parent"].as_str().map(str::to_owned),
            is_task: children.is_empty(),
            after: texts(&node["depends_on"]).into_iter().collect(),
            tests: commands.map(|test| test["command"].as_str().unwrap().to_owned()).collect(),
            has_gate: node["gate"] == true,
            expect: node["expect"].as_str().map(str::to_owned),
            id,
        });
        open.extend(children.into_iter().rev());
    }
    nodes
}

/// The ids of the tree as the case writes them: an id such as `~docs` stands for the one of the node with its name.
fn named(case: &Case, tree: &Value) -> HashMap<String, String> {
    let mut names = HashMap::new();
    let actual = nodes_of(tree);
    for expected in case.nodes.iter().filter(|node| node.id.starts_with('~')) {
        let free = |node: &&Node| node.name == expected.name && !names.contains_key(&node.id);
        if let Some(node) = actual.iter().find(free) {
            let id = node.id.clone();
            names.insert(id, expected.id.clone());
        }
    }
    names
}

fn compare_nodes(case: &Case, tree: &Value, found: &mut Vec<String>) {
    let names = named(case, tree);
    let rename = |id: String| names.get(&id).cloned().unwrap_or(id);
    let actual: Vec<Node> = nodes_of(tree)
        .into_iter()
        .map(|node| Node {
            id: rename(node.id),
            parent: node.parent.map(rename),
            after: node.after.into_iter().map(rename).collect(),
            ..node
        })
        .collect();
    let ids = |nodes: &[Node]| nodes.iter().map(|node| node.id.clone()).collect::<Vec<String>>();
    let (expected_ids, actual_ids) = (ids(&case.nodes), ids(&actual));
    if expected_ids != actual_ids {
        found.push(format!(
            "the plan has {}\n   instead of {}",
            actual_ids.join(" "),
            expected_ids.join(" ")
        ));
    }
    for expected in &case.nodes {
        let Some(node) = actual.iter().find(|node| node.id == expected.id) else {
            found.push(format!("{} ({}) is missing", expected.id, expected.name));
            continue;
        };
        let node = Node { expect: node.expect.clone().filter(|_| expected.expect.is_some()), ..node.clone() };
        if node != *expected {
            found.push(format!("is       {}\n  expected {}", shown(&node), shown(expected)));
        }
    }
}

fn shown(node: &Node) -> String {
    let mut text = format!(
        "{}: {} | {} | {}",
        if node.is_task { "task" } else { "phase" },
        node.id,
        node.name,
        node.parent.as_deref().unwrap_or("-")
    );
    if !node.after.is_empty() {
        let ids: Vec<&str> = node.after.iter().map(String::as_str).collect();
        _ = write!(text, " | after {}", ids.join(" "));
    }
    node.tests.iter().for_each(|test| _ = write!(text, " | test {test}"));
    if node.has_gate {
        text += " | gate";
    }
    if let Some(kind) = &node.expect {
        _ = write!(text, " | expect {kind}");
    }
    text
}

fn compare_warnings(case: &Case, ended: &Ended, found: &mut Vec<String>) {
    let mut said: Vec<&str> =
        ended.stderr.lines().filter_map(|line| line.strip_prefix("warning: ")).collect();
    said.retain(|line| !line.starts_with("task-tree.json"));
    for Said { place, words } in &case.warnings {
        let is_it = |line: &&str| {
            line.strip_prefix(place.as_str())
                .is_some_and(|rest| rest.starts_with(':') && rest.to_lowercase().contains(words))
        };
        match said.iter().position(is_it) {
            Some(at) => _ = said.remove(at),
            None => found.push(format!("no warning `{words}` at {place}")),
        }
    }
    found.extend(said.iter().map(|line| format!("warned without need: {line}")));
}

fn compare_lines(case: &Case, tree: &Value, garden: &Garden, found: &mut Vec<String>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let paths: Vec<String> = tree["spec_files"].as_array().into_iter().flatten().map(text).collect();
    let sources: Vec<SourceFile> = paths
        .iter()
        .map(|path| SourceFile::decode(path.clone(), &fs::read(garden.top().join(path)).unwrap()).unwrap())
        .collect();
    let format = Format::from_name(&text(&tree["built"]["format"])).unwrap();
    let state = case.files.iter().find(|file| file.path == ".taskmaster/state.json");
    let state: Option<Value> = state.map(|file| serde_json::from_slice(&file.content).unwrap());
    let tag = state.as_ref().map(|state| state["currentTag"].as_str().unwrap());
    let plan = read(format, &sources, tag);
    let names = named(case, tree);
    let mut ids: HashMap<(String, u64), String> = HashMap::new();
    for (id, node) in tree["nodes"].as_object().unwrap() {
        let place = (text(&node["source_file"]), node["source_line"].as_u64().unwrap_or_default());
        ids.insert(place, names.get(id).unwrap_or(id).clone());
    }
    let id_of = |node: usize| {
        let place = plan.nodes[node].place;
        let place = (paths[place.file].clone(), u64::from(place.line));
        ids.get(&place).map_or("nothing", String::as_str)
    };
    // What each phase and task, and the plan, tells an agent.
    let listed_text =
        |value: &Value| value.as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join("\n");
    let commands = |node: &Value| {
        let tests = node["test_commands"].as_array().into_iter().flatten();
        tests.map(|test| text(&test["command"])).collect::<Vec<_>>().join("\n")
    };
    let told_by = |node: &Value| {
        let parts = ["name", "title", "description", "summary"].map(|field| text(&node[field]));
        format!("{}\n{}\n{}", parts.join("\n"), listed_text(&node["acceptance"]), commands(node))
    };
    let nodes = tree["nodes"].as_object().unwrap().iter();
    let mut told: HashMap<&str, String> =
        nodes.map(|(id, node)| (names.get(id).unwrap_or(id).as_str(), told_by(node))).collect();
    told.insert("plan", told_by(tree));
    let documents: Vec<String> =
        tree["documents"].as_array().into_iter().flatten().map(|document| text(&document["path"])).collect();
    for file in case.files.iter().filter(|file| !file.lines.is_empty()) {
        let Some(at) = paths.iter().position(|path| *path == file.path) else {
            found.push(format!("{} is not read", file.path));
            continue;
        };
        let content = String::from_utf8_lossy(&file.content).into_owned();
        for ((number, expected), line) in (1u32..).zip(&file.lines).zip(content.lines()) {
            let actual = uses(&plan.account, (at, number), &id_of);
            for subject in actual.iter().filter_map(|taken| taken.strip_suffix(" text")) {
                let is_document = subject == "plan" && documents.contains(&file.path);
                let one_line = !file.path.contains(".json") || line.matches("\":").count() < 2;
                if one_line && !is_document && !told.get(subject).is_some_and(|told| is_told(told, line)) {
                    found.push(format!(
                        "{}:{number} is a text of {subject}, which does not have it",
                        file.path
                    ));
                }
            }
            let is_named = |wanted: &Uses| listed(wanted) == "warning" && actual.contains("warning");
            let actual = normal(actual.clone());
            // A line of brackets in JSON.
            let is_bracket = file.path.ends_with(".json") && !line.contains("\":");
            let says_little = is_bracket && (actual.is_empty() || listed(&actual) == "left out");
            if expected.is_empty()
                || says_little
                || expected.iter().any(|wanted| *wanted == actual || is_named(wanted))
            {
                continue;
            }
            let expected: Vec<String> = expected.iter().map(listed).collect();
            found.push(format!(
                "{}:{number} is {}, expected {}: {}",
                file.path,
                listed(&actual),
                expected.join(" / "),
                line.trim()
            ));
        }
    }
}

fn uses<'a>(account: &Account, (file, line): (usize, u32), id_of: &dyn Fn(usize) -> &'a str) -> Uses {
    let part = |part: &Part| format!("{part:?}").to_lowercase();
    let uses = account.uses(file, line).iter().map(|taken| match taken {
        Use::Plan(what) => format!("plan {}", part(what)),
        Use::Node(node, what) => format!("{} {}", id_of(*node), part(what)),
        Use::LeftOut => "left out".to_owned(),
        Use::Warned => "warning".to_owned(),
    });
    uses.collect()
}

fn listed(uses: &Uses) -> String {
    let uses: Vec<&str> = uses.iter().map(String::as_str).collect();
    if uses.is_empty() { "nothing".to_owned() } else { uses.join(", ") }
}
