//! Rules of make and recipes of just.

use std::collections::BTreeSet;

use super::part::Settings;
use crate::trust::judges::scripts::Commands;
use crate::trust::judges::words::words;

pub(super) fn reads(name: &str) -> bool {
    matches!(name, "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" | ".justfile")
}

/// Whether a rule that was not there before changes nothing that was.
pub(super) fn may_be_new(name: &str) -> bool {
    !SPECIAL.contains(&name)
}

/// What changes all rules.
const SPECIAL: [&str; 6] = ["SHELL", ".SHELLFLAGS", "MAKEFLAGS", ".IGNORE", ".SILENT", ".ONESHELL"];

/// The rules that the test commands run, the rules for tests that these need, and their variables. Nothing if the
/// commands run neither make nor just.
pub(super) fn settings(name: &str, bytes: &[u8], commands: &Commands) -> Settings {
    let programs: &[&str] = if name.to_lowercase().contains("just") { &["just"] } else { &["make", "gmake"] };
    if !programs.iter().any(|program| commands.starts(program)) {
        return Settings::new();
    }
    let text = String::from_utf8_lossy(bytes);
    let file = read(&text);
    let named = file.rules.iter().filter(|rule| commands.runs_target(&rule.name));
    let mut open: Vec<&str> = named.map(|rule| rule.name.as_str()).collect();
    if open.is_empty() {
        // Without a target, the first rule runs.
        open.extend(file.rules.iter().map(|rule| rule.name.as_str()).find(|name| !name.starts_with('.')));
    }
    let mut settings = Settings::new();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        for rule in file.rules.iter().filter(|rule| rule.name == name) {
            let text: &mut String = settings.entry(rule.name.clone()).or_default();
            text.push_str(&rule.text);
            text.push('\n');
            open.extend(rule.needs.iter().filter(|need| is_test(need)).map(String::as_str));
        }
    }
    let used: BTreeSet<String> = settings
        .values()
        .flat_map(|text| words(text.as_bytes()))
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    for rule in &file.variables {
        if used.contains(&rule.name) || SPECIAL.contains(&rule.name.as_str()) {
            settings.insert(rule.name.clone(), rule.text.clone());
        }
    }
    for rule in file.rules.iter().filter(|rule| SPECIAL.contains(&rule.name.as_str())) {
        settings.insert(rule.name.clone(), rule.text.clone());
    }
    settings
}

fn is_test(name: &str) -> bool {
    ["test", "check", "spec", "unit", "e2e", "cov"].iter().any(|word| name.contains(word))
}

#[derive(Default)]
struct File {
    rules: Vec<Rule>,
    variables: Vec<Rule>,
}

/// A rule, or a variable.
struct Rule {
    name: String,
    needs: Vec<String>,
    text: String,
}

fn read(text: &str) -> File {
    let mut file = File::default();
    let mut in_rules = 0;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || (trimmed.starts_with('#') && !line.starts_with('\t')) {
            continue;
        }
        if line.starts_with(['\t', ' ']) {
            let open = file.rules.len().saturating_sub(in_rules);
            for rule in &mut file.rules[open..] {
                rule.text.push('\n');
                rule.text.push_str(trimmed);
            }
            continue;
        }
        in_rules = 0;
        let assignment =
            trimmed.find('=').filter(|at| trimmed.find(':').is_none_or(|colon| colon + 1 >= *at));
        if let Some(at) = assignment {
            let name = trimmed[..at].trim_end_matches([':', '?', '+', '!', ' ']);
            let name = name.rsplit(' ').next().unwrap_or(name).to_owned();
            file.variables.push(Rule { name, needs: Vec::new(), text: trimmed.to_owned() });
        } else if let Some((names, needs)) = trimmed.split_once(':') {
            let needs: Vec<String> = needs.split_whitespace().map(str::to_owned).collect();
            // A recipe of just may have parameters after its name.
            for name in names.split_whitespace() {
                let text = needs.join(" ");
                file.rules.push(Rule { name: name.to_owned(), needs: needs.clone(), text });
                in_rules += 1;
            }
        }
    }
    file
}
