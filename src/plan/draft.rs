//! Reads the content of a tree file: every node with what it says about links, before these statements are compared.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::record::TaskId;

use super::commands::read_commands;
use super::document::About;
use super::documents::read_documents;
use super::fields::{Fields, Mention, Mentions};
use super::guide::{FILE_FIELDS, NODE_FIELDS, names};
use super::json::{JsonFile, JsonKind, Member};
use super::node::{Node, one_line};
use super::node_ix::NodeIx;
use super::notes::{Notes, ValuePath};
use super::problem::shown;
use super::read_fields::{
    read_acceptance, read_defaults, read_filled_line, read_filled_text, read_task_fields,
};
use super::task_field::{FieldSet, TaskField};

/// The value of the `parent` field of a node.
pub(super) enum ParentField<'a> {
    /// The field is missing, or its value cannot be used.
    Nothing,
    /// The field is null: the node has no parent.
    Root,
    /// The field names this parent.
    Under(Mention<'a>),
}

/// A node as it is in the file.
pub(super) struct DraftNode<'a> {
    /// Its texts; the links are still empty.
    pub(super) node: Node,
    /// The position of its id.
    pub(super) at: usize,
    pub(super) parent: ParentField<'a>,
    /// The children that it lists; `None` if it has no list.
    pub(super) children: Option<Vec<Mention<'a>>>,
    pub(super) depends_on: Vec<Mention<'a>>,
    /// Its `is_leaf`, and the position of that field.
    pub(super) is_leaf: Option<(bool, usize)>,
}

/// The whole file.
pub(super) struct Draft<'a> {
    pub(super) spec_id: Option<String>,
    pub(super) spec_files: Vec<String>,
    pub(super) suite: Option<String>,
    pub(super) about: About,
    pub(super) defaults: FieldSet,
    /// The nodes whose id can be used, in the order of the file.
    pub(super) nodes: Vec<DraftNode<'a>>,
    /// Ids of nodes that have a problem of their own. It is not another problem if other nodes mention them.
    pub(super) excused: HashSet<Cow<'a, str>>,
    pub(super) root_ids: Option<Mentions<'a>>,
    pub(super) execution_order: Option<Mentions<'a>>,
}

/// The advice for a plan without tasks. It shows the smallest plan.
const EXAMPLE: &str =
    "Add one, for example \"nodes\": {\"T001\": {\"id\": \"T001\", \"name\": \"What is to be done\"}}.";

const KNOWN_IN_FILE: [&str; FILE_FIELDS.len()] = names(&FILE_FIELDS);

/// Besides those of [`TaskField`].
const KNOWN_IN_NODE: [&str; NODE_FIELDS.len()] = names(&NODE_FIELDS);

impl<'a> Draft<'a> {
    /// Reads the whole file. Problems go to `notes`. `None` if it is not an object.
    pub(super) fn read(document: JsonFile<'a>, notes: &mut Notes<'a>) -> Option<Self> {
        let fields = match document {
            JsonFile::Object(members) => Fields::of(members, ValuePath::Top, &KNOWN_IN_FILE, notes),
            JsonFile::Other(value) => Fields::read(value, ValuePath::Top, &KNOWN_IN_FILE, notes)?,
        };
        let files = fields.texts("spec_files", notes).map(|files| files.items).unwrap_or_default();
        let mut draft = Self {
            spec_id: fields.line("spec_id", notes).filter(|id| !id.is_empty()),
            spec_files: files.iter().map(|file| one_line(&file.text)).collect(),
            suite: read_filled_line(&fields, "suite", notes),
            about: About {
                title: read_filled_line(&fields, "title", notes),
                summary: read_filled_text(&fields, "summary", notes),
                documents: read_documents(&fields, notes),
            },
            defaults: read_defaults(&fields, notes),
            nodes: Vec::new(),
            excused: HashSet::new(),
            root_ids: fields.texts("root_ids", notes),
            execution_order: fields.texts("execution_order", notes),
        };
        let Some(nodes) = fields.get("nodes") else {
            notes.problem(0, "the plan has no tasks: there is no field \"nodes\"", EXAMPLE);
            return Some(draft);
        };
        let Some(members) = nodes.members() else {
            let what = format!("nodes is {}, but it must be an object that maps ids to nodes", nodes.kind());
            notes.problem(
                notes.at(nodes),
                what,
                "Write it as {\"T001\": {\"id\": \"T001\", \"name\": ...}}.",
            );
            return Some(draft);
        };
        if members.is_empty() {
            notes.problem(notes.at(nodes), "the plan has no tasks: \"nodes\" is empty", EXAMPLE);
        }
        let known: Vec<&str> = KNOWN_IN_NODE.into_iter().chain(TaskField::ALL.map(TaskField::name)).collect();
        draft.read_nodes(members, &known, notes);
        Some(draft)
    }

    fn read_nodes(&mut self, members: Vec<Member<'a>>, known: &[&'static str], notes: &mut Notes<'a>) {
        let mut first: HashMap<Cow<'a, str>, Member<'a>> = HashMap::with_capacity(members.len());
        self.nodes.reserve(members.len());
        for member in members {
            let Some(key) = member.key.text() else {
                let what = "an id has a \\u escape that is not a character";
                notes.problem(notes.at(member.key), what, ID_REMEDY);
                continue;
            };
            if let Some(earlier) = first.get(&key) {
                notes.twice(&format!("the entry {}", shown(&key)), *earlier, member);
                continue;
            }
            first.insert(key.clone(), member);
            match self.read_node(member, known, notes) {
                Some(node) => self.nodes.push(node),
                None => _ = self.excused.insert(key),
            }
        }
    }

    /// Reads one node. `None`, after recording why, if its key cannot be an id or it is not an object.
    fn read_node(
        &mut self,
        member: Member<'a>,
        known: &[&'static str],
        notes: &mut Notes<'a>,
    ) -> Option<DraftNode<'a>> {
        let key = &*member.key.text().expect("the key was read before");
        let at = notes.at(member.key);
        let id = TaskId::parse(key);
        if let Err(why) = &id {
            notes.problem(at, format!("the id {} cannot be used: {why}", shown(key)), ID_REMEDY);
        }
        let nodes = ValuePath::Field(&ValuePath::Top, "nodes");
        let place = ValuePath::Field(&nodes, key);
        let fields = Fields::read(member.value, place, known, notes)?;
        self.check_id(&fields, key, at, notes);
        let parent = read_parent(&fields, notes);
        let children = fields.texts("children", notes).map(|list| list.items);
        let depends_on = fields.texts("depends_on", notes).map(|list| list.items).unwrap_or_default();
        let is_leaf = fields.boolean("is_leaf", notes);
        let node = Node {
            name: read_name(&fields, place, at, notes),
            description: fields.text("description", notes).unwrap_or_default().into_owned(),
            acceptance: read_acceptance(&fields, notes),
            documents: read_documents(&fields, notes),
            parent: None,
            children: Vec::new(),
            depends_on: Vec::new(),
            source_file: fields.line("source_file", notes).filter(|file| !file.is_empty()),
            source_line: fields.line_number("source_line", notes),
            test_commands: read_commands(&fields, place, notes),
            fields: Arc::new(read_task_fields(&fields, notes)),
            depth: 0,
            end: NodeIx::new(0),
            id: id.ok()?,
        };
        Some(DraftNode { node, at, parent, children, depends_on, is_leaf })
    }

    /// Compares the field `id` with the key.
    fn check_id(&mut self, fields: &Fields<'a, '_>, key: &str, at: usize, notes: &mut Notes<'a>) {
        let Some(value) = fields.get("id") else {
            let remedy = format!("Add \"id\": \"{}\".", shown(key).trim_matches('"'));
            notes.problem(at, format!("nodes.{} has no id", shown(key)), remedy);
            return;
        };
        let Some(id) = fields.text("id", notes).filter(|id| *id != key) else { return };
        let what = format!("the entry at the key {} has the id {}", shown(key), shown(&id));
        notes.problem(notes.at(value), what, "Make the key and the id the same.");
        self.excused.insert(id);
    }
}

const ID_REMEDY: &str =
    "Use at most 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.";

fn read_name<'a>(fields: &Fields<'a, '_>, place: ValuePath<'_>, at: usize, notes: &mut Notes<'a>) -> String {
    let remedy = "Write one line that says what it is.";
    let Some(value) = fields.get("name") else {
        notes.problem(at, format!("{place} has no name"), remedy);
        return String::new();
    };
    let name = fields.line("name", notes);
    if name.as_ref().is_some_and(String::is_empty) {
        notes.problem(notes.at(value), format!("{place}.name is empty"), remedy);
    }
    name.unwrap_or_default()
}

fn read_parent<'a>(fields: &Fields<'a, '_>, notes: &mut Notes<'a>) -> ParentField<'a> {
    let Some(value) = fields.value("parent") else { return ParentField::Nothing };
    if value.kind() == JsonKind::Null {
        return ParentField::Root;
    }
    let at = notes.at(value);
    fields.text("parent", notes).map_or(ParentField::Nothing, |text| ParentField::Under(Mention { text, at }))
}
