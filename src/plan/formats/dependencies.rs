//! Reads the sections that say what must be complete before what.

use std::collections::{HashMap, HashSet};

use super::account::{Part, Use};
use super::data::{What, json};
use super::dialects::Ids;
use super::imported::{ImportedId, ImportedPlan, Needed, Prerequisite};
use super::marks::{is_t, split_box, split_id};
use super::needs::{Arrow, Steps, all_ids, stated_line, targets};
use super::notes;
use super::outline::{Block, BlockKind};
use super::sentences::{Sentence, sentence};
use super::walk::{SectionKind, Walk};

/// How many dependencies are kept. A plan with so many is refused later, when it is settled.
const MOST_LINKS: usize = 200_000;

// A line with numbers that is about the order of tasks.
pattern!(ABOUT_ORDER, r"(?i)\b(?:depend|require|block|after|before|parallel)");
// Whether tasks may be worked on at the same time stands at each of them. Such a line says so once more.
pattern!(IN_PARALLEL, r"(?i)\b(?:in parallel|concurrently|simultaneously)\b");
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
                None => {
                    let named = targets(text, is_numbered && ABOUT_ORDER.is_match(text));
                    match named.iter().any(mentions_task) {
                        true if IN_PARALLEL.is_match(text) => {
                            let beside = named.iter().flat_map(all_ids).map(Needed::Id).collect();
                            self.sentences.push((Sentence { beside, ..Sentence::default() }, line));
                        }
                        true => self.note(notes::NEED, line),
                        false => self.sentences.push((sentence(text), line)),
                    }
                }
            }
        }
        true
    }

    /// Gives what sentences state about phases and stories to these.
    fn attach_sentences(&mut self, by_id: &HashMap<String, usize>) {
        for (Sentence { nodes, on, beside }, line) in std::mem::take(&mut self.sentences) {
            let find = |ids: Vec<Needed>| -> Option<Vec<usize>> {
                let find = |id| if let Needed::Id(id) = id { by_id.get(&id).copied() } else { None };
                ids.into_iter().map(find).collect()
            };
            let is_about_order = !nodes.is_empty() && !on.is_empty() || beside.len() > 1;
            let all = find(nodes).zip(find(on)).zip(find(beside));
            let Some(((nodes, on), beside)) = all.filter(|_| is_about_order) else {
                match is_about_order {
                    true => self.note(notes::NEED, line),
                    false => self.take([line, line], Use::Plan(Part::Text)),
                }
                continue;
            };
            if nodes.is_empty() || on.is_empty() {
                self.take([line, line], Use::Plan(Part::Text));
            }
            for node in &nodes {
                let place = self.place(line);
                for on in on.iter().filter(|on| !nodes.contains(on)) {
                    self.take([line, line], Use::Node(*node, Part::After));
                    self.plan.nodes[*node].needs.push(Prerequisite { on: Needed::Node(*on), place });
                }
            }
            self.beside.push((beside, line));
        }
    }

    /// Names the lines that say that phases or tasks need not wait for each other, although they do.
    pub(super) fn name_overruled(&mut self) {
        let by_id = self.by_id();
        for (nodes, line) in std::mem::take(&mut self.beside) {
            let waits = |own: &usize| {
                nodes.iter().any(|other| other != own && waits_for(&self.plan, &by_id, *own, *other))
            };
            if nodes.iter().any(waits) {
                self.note(notes::OVERRULED, line);
            }
        }
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

    /// The nodes by their names and ids.
    fn by_id(&self) -> HashMap<String, usize> {
        let mut by_id = self.by_name.clone();
        for at in (self.first..self.plan.nodes.len()).rev() {
            if let ImportedId::Given(id) | ImportedId::Suggested(id) = &self.plan.nodes[at].id {
                by_id.insert(id.clone(), at);
            }
        }
        by_id
    }

    /// Gives the dependencies that the file states to the nodes that they name.
    pub(super) fn attach(&mut self) {
        let by_id = self.by_id();
        self.attach_sentences(&by_id);
        for (_, line) in std::mem::take(&mut self.unboxed).iter().filter(|(id, _)| !by_id.contains_key(id)) {
            self.note(notes::NO_BOX, *line);
        }
        let mut left = MOST_LINKS;
        let stated = std::mem::take(&mut self.stated);
        for (Steps { sides, arrow }, line) in &stated {
            let line = *line;
            for two in sides.windows(2) {
                let [nodes, on] =
                    if *arrow == Some(Arrow::Before) { [&two[1], &two[0]] } else { [&two[0], &two[1]] };
                let ids = nodes.iter().flat_map(all_ids);
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
                    Some(group) if self.plan.nodes[*group].is_group => need.on = Needed::Node(*group),
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
}

/// Whether a phase waits for another one, directly or not.
fn waits_for(plan: &ImportedPlan, by_id: &HashMap<String, usize>, own: usize, other: usize) -> bool {
    let (mut open, mut seen) = (vec![own], HashSet::new());
    while let Some(at) = open.pop().filter(|at| *at != other) {
        let node = &plan.nodes[at];
        let stated = node.needs.iter().flat_map(|need| match &need.on {
            Needed::Node(on) => vec![*on],
            named => all_ids(named).iter().filter_map(|id| by_id.get(id).copied()).collect(),
        });
        open.extend(stated.chain(node.follows.iter().copied()).filter(|on| seen.insert(*on)));
    }
    seen.contains(&other)
}
