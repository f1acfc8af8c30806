//! Turns the headings of a Markdown file into groups, but only those that have tasks below them.

use super::imported::{ImportedId, ImportedNode, ImportedPlan, Place};

/// What a heading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// The title of the file.
    Title,
    /// A phase. It is expected to have tasks.
    Phase,
    /// A group, if it has tasks.
    Group,
    /// Prose. Boxes in it are not tasks.
    Prose,
    /// A list of dependencies.
    Dependencies,
    /// A task.
    Task,
}

/// A heading and what is below it.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) level: u8,
    pub(super) kind: SectionKind,
    pub(super) name: String,
    pub(super) id: ImportedId,
    pub(super) place: Place,
    /// The position of its node, once there is one.
    pub(super) node: Option<usize>,
    /// The text in it that was read before it had a node.
    pub(super) text: Vec<String>,
}

impl Section {
    /// What a heading at this place begins.
    pub(super) fn at(place: Place, level: u8, kind: SectionKind) -> Self {
        Self {
            level,
            kind,
            name: String::new(),
            id: ImportedId::Derived,
            place,
            node: None,
            text: Vec::new(),
        }
    }
}

/// The headings around the current place, the outermost one first.
#[derive(Debug, Default)]
pub(super) struct Sections {
    open: Vec<Section>,
}

impl Sections {
    /// Ends the sections that cannot contain a heading of this level.
    pub(super) fn end(&mut self, level: u8, plan: &mut ImportedPlan) {
        while let Some(section) = self.open.pop_if(|section| section.level >= level) {
            if section.node.is_none() && section.kind == SectionKind::Phase {
                let what = format!("the phase {:?} has no tasks and is left out", section.name);
                plan.warn(section.place, what, "");
            }
        }
    }

    /// Begins a section.
    pub(super) fn begin(&mut self, section: Section) {
        self.open.push(section);
    }

    /// The innermost section.
    pub(super) fn innermost(&self) -> Option<&Section> {
        self.open.last()
    }

    /// Whether a section of this kind is around the current place.
    pub(super) fn is_in(&self, kind: SectionKind) -> bool {
        self.open.iter().any(|section| section.kind == kind)
    }

    /// The parent of a task at the current place. Creates the nodes of the sections around it.
    pub(super) fn parent(&mut self, plan: &mut ImportedPlan) -> Option<usize> {
        let mut parent = None;
        for section in &mut self.open {
            match section.kind {
                SectionKind::Phase | SectionKind::Group => {
                    let node = *section.node.get_or_insert_with(|| {
                        let mut node =
                            ImportedNode::group(section.id.clone(), section.name.clone(), section.place);
                        node.parent = parent;
                        plan.add(node)
                    });
                    for text in section.text.drain(..) {
                        plan.nodes[node].describe(&text);
                    }
                    parent = Some(node);
                }
                SectionKind::Task => parent = section.node.or(parent),
                SectionKind::Title | SectionKind::Prose | SectionKind::Dependencies => {}
            }
        }
        parent
    }

    /// Adds text to the innermost section, or to the phase around it if the text is about the phase.
    pub(super) fn describe(&mut self, text: String, of_phase: bool, plan: &mut ImportedPlan) {
        let mut sections = self.open.iter_mut().rev();
        let section = if of_phase {
            sections.find(|section| section.kind == SectionKind::Phase)
        } else {
            sections.next()
        };
        match section {
            Some(Section { node: Some(node), .. }) => plan.nodes[*node].describe(&text),
            Some(section) => section.text.push(text),
            None => {}
        }
    }
}
