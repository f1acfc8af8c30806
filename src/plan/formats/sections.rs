//! Reads headings: what each begins, and what becomes of the text below it.

use super::account::{Lines, Part, Use};
use super::dialects::{Boxes, Ids};
use super::imported::{ImportedId, ImportedNode, Place, Prerequisite};
use super::marks::{Tick, heading_text, numbered_task, phase_of, split_box, split_number, task_with_id};
use super::needs::{alias_of, phase_id, stated_in, without_needs};
use super::notes;
use super::order::Order;
use super::outline::{Block, BlockKind};
use super::summary::title_of_heading;
use super::texts::{dedent, name_of};
use super::walk::{Role, Section, SectionKind, Walk};

// The title of a list, and nothing that could be a phase.
pattern!(LIST, r"(?i)^\W*(?:tasks?|task list|prioritized tasks|implementation (?:steps|tasks))\W*$");
// Some of these words may begin the name of a group of tasks, such as "Overview page".
pattern!(
    PROSE,
    r"(?i)^\W*(?:(?:learnings|out of scope|discoveries|reconciliation|post-completion)\b|(?:(?:implementation |dev )?notes|context|background|overview|goal|technical details)\W*(?:$|[:(–—-]))"
);
pattern!(
    CRITERIA,
    r"(?i)^\W*(?:definition of done|validation checklist|success criteria|acceptance criteria)\W*$"
);
pattern!(DEPENDENCIES, r"(?i)^\W*(?:(?:task|phase|story|stories|user|key|summary|graph|\d+)\W+)*dependenc");
// Behind it may stand why.
pattern!(STRUCK, r"^[\s*_]*(?:T?\d[\w.]*\s+)?~~[^~]*~~[\s*_.]*(?:[(:–—-].*)?$");
pattern!(
    pub(super) BRANCH,
    r"(?i)(?:^\W*(?:(?:first|then|run|use|do)\W+)*|[:(]\W*|\b(?:with|via|using|by)\W+)git (?:checkout|switch) (?:-[bBcC]\b|[\w/-]+$|[\w/-]+`)|\b(?:create|make|check ?out|switch to|start)\b(?: and (?:check ?out|switch to))?(?: an?| the)?(?: new)? (?:(?:feature|git|topic|working) branch(?:\W*$|\s*[`'\x22:(]|\s+(?:for|from|named|called|off|and)\b|\s+\w+[/-])|branch [`'\x22]|new branch(?: (?:for|from|off|named|called)\b|\W*$|\s*[`'\x22(:]))"
);
pattern!(NUMBERED_ITEM, r"^\d+\. ");
pattern!(PARTS, r"(?i)^\W*(?:chunk|part|milestone|stage|wave|group)\b");

impl Walk<'_> {
    /// Reads boxes below the words "Acceptance criteria" as those of the section around them, which is a task then. It cannot be one
    /// if there are tasks in it already, which would all have to meet them.
    pub(super) fn is_criterion(&mut self, at: usize) -> bool {
        let block = self.blocks[at];
        let lines = [block.line, block.last_line];
        if let Some(task) = self.criteria {
            let is_inside = block.item.is_some_and(|item| matches!(self.roles[item], Role::Criterion));
            let boxed = split_box(block.text).filter(|_| block.is_item() && block.item.is_none());
            let criterion = boxed.filter(|(_, text)| split_number(text, None).is_none());
            let node = &mut self.plan.nodes[task];
            match (is_inside, criterion, node.acceptance.last_mut()) {
                (true, _, Some(last)) => last.push_str(&format!("\n{}", block.as_text())),
                (_, Some((tick, text)), _) => {
                    node.claimed = tick == Tick::Ticked && (node.claimed || node.acceptance.is_empty());
                    node.acceptance.push(dedent(text).trim().to_owned());
                }
                _ => self.criteria = None,
            }
            if self.criteria.is_some() {
                self.roles[at] = Role::Criterion;
                self.take(lines, Use::Node(task, Part::Text));
                return true;
            }
        }
        let words = heading_text(block.text).trim_matches(|c: char| !c.is_alphanumeric());
        let announces =
            !block.is_item() && block.item.is_none() && words.eq_ignore_ascii_case("acceptance criteria");
        let may_judge =
            self.dialect.ids != Ids::Letters && self.dialect.boxes != Boxes::Steps && !self.only_below;
        if !announces || !may_judge || !self.blocks.get(at + 1).is_some_and(Block::is_box) {
            return false;
        }
        if let BlockKind::Heading(level) = block.kind {
            self.end(level);
        }
        let node = self.parent().filter(|node| node + 1 == self.plan.nodes.len());
        if let Some(node) = node {
            self.plan.nodes[node].is_group = false;
            self.criteria = Some(node);
            self.parallel.extend((self.dialect.order == Order::Numbered).then_some(node));
            self.take(lines, Use::Node(node, Part::Text));
        }
        node.is_some()
    }

    pub(super) fn heading(&mut self, block: &Block<'_>, level: u8) {
        let (text, lines) = (heading_text(block.text), [block.line, block.last_line]);
        // conductor notes its commits there.
        let text = text.split(" [checkpoint:").next().unwrap_or(text);
        let has_words = self.dialect.boxes == Boxes::Steps;
        let task = if has_words {
            numbered_task(text).map(|(number, title)| (ImportedId::Suggested(format!("task{number}")), title))
        } else {
            let task = task_with_id(text).filter(|_| self.dialect.ids == Ids::Letters);
            task.map(|(id, title)| (ImportedId::Given(id.to_owned()), title))
        };
        let task_above =
            self.task_around(block).filter(|_| self.sections.last().is_some_and(|above| above.level < level));
        if let (Some(node), None) = (task_above, &task) {
            self.plan.nodes[node].describe(&format!("\n{text}"));
            return self.take(lines, Use::Node(node, Part::Text));
        }
        self.end(level);
        self.run = None;
        let lower = text.to_lowercase();
        let words = lower.split(['(', ':', '：']).next().unwrap_or_default();
        let words = words.trim_matches(|c: char| !c.is_alphanumeric());
        let is_it =
            |name: &str| name.strip_suffix('*').map_or(words == name, |begin| words.starts_with(begin));
        let mut section = Section { level, name: name_of(text), lines, ..Section::default() };
        let numbered =
            split_number(text, Some(self.headings)).filter(|_| level > 1 && self.dialect.ids == Ids::Numbers);
        if let Some((number, title)) = phase_of(text) {
            let name = name_of(title);
            section.name = if name.is_empty() { format!("Phase {number}") } else { name };
            (section.kind, section.id) = (SectionKind::Phase, ImportedId::Suggested(phase_id(&number)));
        } else if let Some((id, title)) = task {
            return self.task_heading(section, id, title);
        } else if let Some((number, name)) = numbered {
            self.headings = number.split('.').next().and_then(|first| first.parse().ok()).unwrap_or_default();
            (section.name, section.id) = (name_of(name), ImportedId::Suggested(number.to_owned()));
        } else if self.dialect.left_out.split('|').any(is_it) {
            section.kind = SectionKind::LeftOut;
            self.take(lines, Use::LeftOut);
        } else if self.dialect.ids != Ids::Absent
            && (self.dialect.ids == Ids::Letters || !self.boxed.contains(&block.line))
            && (DEPENDENCIES.is_match(text) || self.is_in(|kind| kind == SectionKind::Dependencies))
        {
            section.kind = SectionKind::Dependencies;
            self.take(lines, Use::LeftOut);
        } else if level == 1 && self.has_one_title {
            section.kind = SectionKind::Title;
            let has_words = title_of_heading(text).is_some();
            self.take(lines, if has_words { Use::Plan(Part::Title) } else { Use::LeftOut });
        } else if LIST.is_match(text) {
            section.kind = SectionKind::Title;
            self.take(lines, Use::LeftOut);
        } else if CRITERIA.is_match(text) {
            section.kind = SectionKind::Prose { boxes_are_named: false };
        } else if PROSE.is_match(text) || has_words && !PARTS.is_match(text) {
            section.kind = SectionKind::Prose { boxes_are_named: true };
        }
        self.sections.push(section);
    }

    /// Begins a task whose title is a heading.
    pub(super) fn task_heading(&mut self, mut section: Section, id: ImportedId, title: &str) {
        let (tick, title) = split_box(title).unwrap_or((Tick::Open, title));
        let tick = split_box(&section.name).map_or(tick, |(tick, _)| tick);
        if self.leaves_out(title, section.lines) {
            section.kind = SectionKind::LeftOut;
        } else {
            let node = self.task(id, title, section.lines);
            self.tick(node, Some(tick), section.lines[0]);
            (section.kind, section.node) = (SectionKind::Task, Some(node));
        }
        self.sections.push(section);
    }

    /// Leaves a task with this text out, if it is struck out or makes a branch, and says so.
    pub(super) fn leaves_out(&mut self, text: &str, lines: Lines) -> bool {
        let note = match text.lines().next().unwrap_or_default() {
            _ if STRUCK.is_match(text) => notes::STRUCK,
            first if BRANCH.is_match(first) => notes::BRANCH,
            _ => return false,
        };
        self.note(note, lines[0]);
        self.take(lines, Use::LeftOut);
        true
    }

    pub(super) fn describe(&mut self, node: usize, text: &str, lines: Lines) {
        self.plan.nodes[node].describe(text);
        self.take(lines, Use::Node(node, Part::Text));
        self.statements(node, text, lines[0]);
    }

    /// Ends the sections that cannot contain a heading of this level. The text of those without tasks belongs to the phase around them,
    /// or to the plan.
    pub(super) fn end(&mut self, level: u8) {
        while let Some(section) = self.sections.pop_if(|section| section.level >= level) {
            if section.node.is_some() {
                continue;
            }
            if (self.dialect.order, self.only_below, section.kind)
                == (Order::Numbered, false, SectionKind::Group)
            {
                // They may be tasks, as nothing else there is one.
                let numbered = section.text.iter().filter(|(text, _)| NUMBERED_ITEM.is_match(text));
                numbered.for_each(|(_, lines)| self.note(notes::NO_BOX, lines[0]));
            }
            let is_named =
                matches!(section.kind, SectionKind::Phase | SectionKind::Group | SectionKind::Prose { .. });
            let heading = (section.name, section.lines);
            if is_named && section.text.is_empty() {
                self.take(heading.1, Use::LeftOut);
            }
            let heading = (is_named && !section.text.is_empty()).then_some(heading);
            let mut around = self.sections.iter_mut().rev();
            let around = around.find(|around| matches!(around.kind, SectionKind::Phase | SectionKind::Group));
            let around = around.map(|around| (around.node, &mut around.text));
            let text: Vec<(String, Lines)> = heading.into_iter().chain(section.text).collect();
            match around {
                Some((Some(node), _)) => {
                    text.into_iter().for_each(|(text, lines)| self.describe(node, &text, lines));
                }
                Some((None, waiting)) => waiting.extend(text),
                None => text.into_iter().for_each(|(_, lines)| self.take(lines, Use::Plan(Part::Text))),
            }
        }
    }

    /// The parent of a task at the current place. Creates the nodes of the sections around it.
    pub(super) fn parent(&mut self) -> Option<usize> {
        let mut parent = None;
        let has_numbers = self.dialect.ids == Ids::Numbers;
        for at in 0..self.sections.len() {
            let section = &mut self.sections[at];
            if section.node.is_none() && matches!(section.kind, SectionKind::Phase | SectionKind::Group) {
                let place = Place { file: self.file, line: section.lines[0] };
                let name = name_of(&without_needs(&section.name));
                let on = stated_in(&section.name, has_numbers).on.into_iter();
                let needs: Vec<Prerequisite> = on.map(|on| Prerequisite { on, place }).collect();
                let (lines, texts) = (section.lines, std::mem::take(&mut section.text));
                let (alias, has_needs) = (alias_of(&section.name), !needs.is_empty());
                let task = ImportedNode::task(section.id.clone(), name, place);
                let node = self.plan.add(ImportedNode { is_group: true, parent, needs, ..task });
                self.sections[at].node = Some(node);
                self.by_name.extend(alias.map(|alias| (alias, node)));
                self.take(lines, Use::Node(node, Part::Title));
                if has_needs {
                    self.take(lines, Use::Node(node, Part::After));
                }
                texts.into_iter().for_each(|(text, lines)| self.describe(node, &text, lines));
            }
            // A task has the steps below it, and no tasks.
            let is_above = self.sections[at].kind != SectionKind::Task || self.dialect.boxes != Boxes::Steps;
            parent = self.sections[at].node.filter(|_| is_above).or(parent);
        }
        parent
    }
}

#[cfg(test)]
mod tests {
    use super::BRANCH;

    #[test]
    fn only_a_line_that_makes_a_branch_of_git_is_left_out() {
        for (text, makes_one) in [
            ("Create feature branch", true),
            ("Create a new branch for this work", true),
            ("Create and switch to a new branch", true),
            ("`git checkout -b feature/x`", true),
            ("First run git switch -c work", true),
            ("Make the branch: `git switch -c work`", true),
            ("Create new branch page for the bank app", false),
            ("Add a button to create a new branch office", false),
            ("Support `git checkout -b` in the parser", false),
            ("Document why `git switch -c` fails", false),
            ("Create a git branch in the sandbox fixture", false),
        ] {
            assert_eq!(BRANCH.is_match(text), makes_one, "{text}");
        }
    }
}
