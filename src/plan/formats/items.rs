//! Reads items: which are tasks, and what the lines of a task say.

use super::account::{Lines, Part, Use};
use super::dialects::{Boxes, Ids, has};
use super::imported::{ImportedId, ImportedNode, Needed, Prerequisite};
use super::marks::{Tick, split_box, split_id, split_marks, split_number, without_commit};
use super::needs::{ids_in, stated_in, without_needs};
use super::notes;
use super::order::Order;
use super::outline::{Block, BlockKind};
use super::sections::BRANCH;
use super::source_file::line_number;
use super::texts::{dedent, name_lines, name_of, test_line};
use super::walk::{Loose, Role, Section, SectionKind, Walk};

pattern!(DONE, r"(?i)^\W*(?:done|completed?|finished)\W*$");
pattern!(TIME, r"^\s*\(20\d\d-[^)]{5,}\)");
pattern!(
    BY_HAND,
    r"(?i)^\W*(?:step \d+\W*)?(?:perform |run |do )?manual(?:ly\b| (?:test|check|verif|qa|review|smoke|inspect|validat|accept)\w*(?:\W*$|[*_`]*\s*[:(.,;–—-]| (?:test\w*|check\w*|pass|run|session|steps?|that|the|of|in|on|with|all|if|whether|for|and|by|each|every)\b))|\b(?:test|check|verif|review|confirm)\w* (?:manually|by hand)\b|\b(?:test|check|verif|review|confirm)\w*\b[^.;]{0,40}\b(?:by hand|manually)\s*(?:$|[.;,:)])|user manual verification"
);

impl Walk<'_> {
    pub(super) fn item(&mut self, block: &Block<'_>, list_number: Option<u64>) -> Role {
        let (tick, text) =
            split_box(block.text).map_or((None, block.text), |(tick, text)| (Some(tick), text));
        let rest =
            text.strip_prefix('*').or_else(|| text.strip_prefix("\\*")).filter(|rest| rest.starts_with(' '));
        let (is_optional, text) = (rest.is_some(), rest.unwrap_or(text));
        let split = match self.dialect.ids {
            Ids::Letters => split_id(text),
            Ids::Numbers => split_number(text, self.bare).or_else(|| split_id(text)),
            Ids::Absent => None,
        };
        let is_bare = |(id, rest): &(&str, &str)| text.trim_start().strip_prefix(id) == Some(*rest);
        let bare = split.filter(is_bare).and_then(|(id, _)| id.parse().ok());
        let around = self.task_around(block);
        if !self.is_task(block, tick, split.is_some(), around) {
            return self.part(block, tick, around);
        }
        let (id, text) = match split {
            Some((id, text)) => (ImportedId::Given(id.to_owned()), text),
            None => (ImportedId::Derived, text.trim_start().strip_prefix("TXXX").unwrap_or(text)),
        };
        let lines = [block.line, block.last_line];
        if self.leaves_out(text, lines) {
            self.gone.extend(split.map(|(id, _)| id.to_owned()));
            if let Some(Needed::Id(id)) = ids_in(block.text).into_iter().next() {
                self.gone.insert(id);
            }
            return Role::LeftOut;
        }
        let text = &text[TIME.find(text).map_or(0, |time| time.end())..];
        // conductor notes its commits behind what is done.
        let is_done = self.dialect.ids == Ids::Absent && tick == Some(Tick::Ticked);
        let text = if is_done { without_commit(text) } else { text.into() };
        let node = self.task(id, &text, lines);
        if let Some(parent) =
            self.parent_of_item(block, split.map(|(id, _)| id), around).filter(|parent| *parent != node)
        {
            self.plan.nodes[node].parent = Some(parent);
        }
        if let Some((id, _)) = split {
            self.bare = bare;
            self.by_name.insert(id.to_owned(), node);
            self.by_name.extend(id.strip_suffix(".0").map(|number| (number.to_owned(), node)));
        }
        if is_optional {
            self.plan.nodes[node].labels.push("optional".to_owned());
        }
        if self.dialect.order == Order::Numbered && list_number.is_none() {
            self.parallel.insert(node);
        }
        self.tick(node, tick, block.line);
        Role::Task(node)
    }

    pub(super) fn is_task(
        &self,
        block: &Block<'_>,
        tick: Option<Tick>,
        has_id: bool,
        around: Option<usize>,
    ) -> bool {
        let is_prose =
            self.is_in(|kind| matches!(kind, SectionKind::Prose { .. } | SectionKind::Dependencies));
        let in_phase = self.is_in(|kind| kind == SectionKind::Phase);
        let is_place = |section: &Section| has(self.dialect.only_below, &section.name.to_lowercase());
        let is_outside = self.only_below && !self.sections.iter().any(is_place);
        let takes_boxes = !is_prose && (self.dialect.ids != Ids::Letters || in_phase || !self.has_phases);
        match (self.dialect.boxes, tick) {
            (Boxes::Steps, _) => false,
            _ if is_outside => false,
            (_, Some(_)) if has_id => true,
            (Boxes::AllTasks, Some(_)) => takes_boxes,
            (Boxes::Tasks, Some(_)) => around.is_none() && takes_boxes,
            (_, None) => {
                let is_meant = match self.loose {
                    Loose::None => false,
                    Loose::WithId => has_id,
                    Loose::Numbered => matches!(block.kind, BlockKind::Item(Some(_))),
                    Loose::All => true,
                };
                is_meant && around.is_none() && block.item.is_none() && !is_prose
            }
        }
    }

    /// Where an item belongs if not to its section: to the task around it, or that with the number above its own. Below a task that is a
    /// heading, a box with an id is a task beside it, unless its id continues that of the heading, as in `T001.1`.
    pub(super) fn parent_of_item(
        &self,
        block: &Block<'_>,
        id: Option<&str>,
        around: Option<usize>,
    ) -> Option<usize> {
        if self.dialect.ids == Ids::Numbers {
            let above = id.and_then(|id| id.rsplit_once('.')).map_or("", |(above, _)| above);
            let is_section = |section: &Section| section.id == ImportedId::Suggested(above.to_owned());
            let in_section = self.sections.last().is_some_and(is_section);
            return self.by_name.get(above).copied().or(around.filter(|_| !in_section));
        }
        let task = around?;
        let continues = match (&self.plan.nodes[task].id, id) {
            (ImportedId::Given(above), Some(id)) => {
                id.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with(['.', '-']))
            }
            _ => false,
        };
        if block.item.is_none() && !continues { self.plan.nodes[task].parent } else { around }
    }

    /// Reads an item that is not a task.
    pub(super) fn part(&mut self, block: &Block<'_>, tick: Option<Tick>, around: Option<usize>) -> Role {
        if let Some(task) = around {
            self.detail(block, task);
            return Role::Part(task);
        }
        let prose = self.sections.iter().rev().find_map(|section| match section.kind {
            SectionKind::Prose { boxes_are_named } => Some(boxes_are_named),
            _ => None,
        });
        let is_list = self.dialect.boxes != Boxes::Steps
            && prose.is_none()
            && self.boxed.contains(&self.sections.last().map_or(0, |section| section.lines[0]));
        match tick {
            Some(_) if prose != Some(false) => {
                (block.line..=block.last_line).for_each(|line| self.note(notes::BOX_OUTSIDE, line));
            }
            None if is_list && block.item.is_none() => self.note(notes::NO_BOX, block.line),
            _ => self.prose(block),
        }
        Role::Text
    }

    /// Adds the task that has these lines.
    pub(super) fn task(&mut self, id: ImportedId, text: &str, lines: Lines) -> usize {
        let (is_parallel, labels, text) = split_marks(text);
        let mark = if self.dialect.ids == Ids::Numbers { "(P)" } else { "[P]" };
        let before_mark = text.trim_end().strip_suffix(mark).filter(|_| self.dialect.ids != Ids::Absent);
        let text = before_mark.unwrap_or(text).trim_start_matches([' ', '-', '–', '—', ':', '：']);
        let title: Vec<&str> = text.lines().take(name_lines(text)).collect();
        let name = name_of(&without_needs(&title.join("\n")));
        let mut node = ImportedNode::task(id, name, self.place(lines[0]));
        node.parent = self.parent();
        node.labels = labels;
        if self.dialect.boxes != Boxes::Steps {
            node.describe(&dedent(text));
        }
        let node = self.plan.add(node);
        if is_parallel || before_mark.is_some() {
            self.parallel.insert(node);
        }
        let last_title = lines[0] + line_number(title.len().max(1)) - 1;
        self.take([lines[0], last_title.min(lines[1])], Use::Node(node, Part::Title));
        self.lines(node, text, lines[0], last_title);
        node
    }

    /// Reads what the lines of a text say about tests, dependencies and people. Those after the line `title` are a part of the description.
    pub(super) fn lines(&mut self, node: usize, text: &str, first: u32, title: u32) {
        self.statements(node, text, first);
        for (line, text) in (first..).zip(text.lines()) {
            if line > title {
                self.take([line, line], Use::Node(node, Part::Text));
            }
            if BY_HAND.is_match(text.trim_start_matches([' ', '\t', '-', '*', '+', '[', ']', 'x'])) {
                self.plan.nodes[node].gate = true;
                self.take([line, line], Use::Node(node, Part::Gate));
                self.note(notes::BY_HAND, line);
            }
            if line > title && BRANCH.is_match(text) {
                self.note(notes::BRANCH_STEP, line);
            }
        }
    }

    /// Reads what the lines of a text say about tests and dependencies. Only at the top do tests of a group run.
    pub(super) fn statements(&mut self, node: usize, text: &str, first: u32) {
        let ImportedNode { is_group, parent, .. } = self.plan.nodes[node];
        let is_tested = !is_group || parent.is_none();
        let is_numbered = self.dialect.ids == Ids::Numbers || self.dialect.boxes == Boxes::Steps;
        for (line, text) in (first..).zip(text.lines()) {
            let place = self.place(line);
            if let Some(command) = test_line(text).filter(|_| is_tested) {
                self.plan.nodes[node].tests.push(command);
                self.take([line, line], Use::Node(node, Part::Test));
            }
            let mut stated = stated_in(text, is_numbered);
            if self.dialect.boxes == Boxes::Steps {
                stated.on.iter_mut().for_each(Needed::of_task_headings);
            }
            let all = stated.on.len();
            stated.on.retain(|on| !matches!(on, Needed::Id(id) if self.gone.contains(id)));
            if stated.is_unread || stated.on.len() < all {
                self.note(notes::NEED, line);
            }
            if stated.is_none {
                self.free.insert(node);
            }
            if !stated.on.is_empty() {
                self.take([line, line], Use::Node(node, Part::After));
            }
            let needs = stated.on.into_iter().map(|on| Prerequisite { on, place });
            self.plan.nodes[node].needs.extend(needs);
        }
    }

    /// Reads the box of a task.
    pub(super) fn tick(&mut self, node: usize, tick: Option<Tick>, line: u32) {
        let is_done = self.sections.last().is_some_and(|section| DONE.is_match(&section.name));
        match tick {
            Some(Tick::Ticked) => self.plan.nodes[node].claimed = true,
            None if is_done => self.plan.nodes[node].claimed = true,
            // Kiro marks work in progress with - and queued work with ~.
            Some(Tick::Other('-' | '~')) if self.dialect.boxes == Boxes::AllTasks => {}
            Some(Tick::Other(_)) => self.note(notes::MARK, line),
            Some(Tick::Open) | None => {}
        }
    }

    /// Adds a block to the task `node`: as a test, or as a part of its description, with what it says about tests and dependencies.
    pub(super) fn detail(&mut self, block: &Block<'_>, node: usize) {
        let lines = [block.line, block.last_line];
        if let BlockKind::Fenced(info) = block.kind
            && info.split_whitespace().next() == Some("test")
        {
            let inner: Vec<&str> =
                block.text.lines().skip(1).filter(|line| !line.trim_start().starts_with("```")).collect();
            let command = dedent(&format!("\n{}", inner.join("\n"))).trim().to_owned();
            if !command.is_empty() {
                self.plan.nodes[node].tests.push(command);
                return self.take(lines, Use::Node(node, Part::Test));
            }
        }
        self.take(lines, Use::Node(node, Part::Text));
        if !block.is_code() {
            self.lines(node, block.text, block.line, block.line - 1);
        }
        if self.dialect.boxes == Boxes::Steps
            && let Some((tick, _)) = split_box(block.text).filter(|_| block.is_item())
        {
            let (ticked, all) = self.steps.entry(node).or_default();
            (*ticked, *all) = (*ticked + usize::from(tick == Tick::Ticked), *all + 1);
        }
        let text = dedent(block.text);
        let text = match block.kind {
            BlockKind::Item(number) => {
                let mark = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
                let above = std::iter::successors(block.item, |item| self.blocks[*item].item);
                let depth = above.take_while(|item| matches!(self.roles[*item], Role::Part(_))).count();
                format!("{}{mark} {text}", "  ".repeat(depth))
            }
            _ => text,
        };
        self.plan.nodes[node].describe(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::BY_HAND;

    #[test]
    fn only_a_check_that_a_person_makes_is_one_by_hand() {
        for (text, is_one) in [
            ("Manual testing", true),
            ("Manually check the page", true),
            ("Manual QA pass: try all forms", true),
            ("Perform manual verification of the login", true),
            ("Verify manually that the page loads", true),
            ("Test the export by hand.", true),
            ("Write tests for manually created invoices", false),
            ("Check that manually entered dates are kept", false),
            ("Verify that users cannot manually edit totals", false),
            ("Manual review queue: add a filter", false),
        ] {
            assert_eq!(BY_HAND.is_match(text), is_one, "{text}");
        }
    }
}
