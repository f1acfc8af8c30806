//! Reads the content of a tree file: every node with what it says about links, before these statements are compared.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::record::TaskId;

use super::TaskTree;
use super::document::About;
use super::fields::{FILE_FIELDS, FieldSet, NODE_FIELDS, TaskField};
use super::json::{Member, Value};
use super::node::{Node, one_line};
use super::node_ix::NodeIx;
use super::notes::{Found, Notes, ValuePath};
use super::problem::shown;
use super::read::{At, Fields, Filled, Mention, Read, line_number, names};

/// A node as it is in the file.
pub(super) struct DraftNode<'a> {
    /// Its texts; the links are still empty.
    pub(super) node: Node,
    pub(super) parent: Option<Mention<'a>>,
    /// Whether it says that it has no parent.
    pub(super) is_root: bool,
    pub(super) is_leaf: Option<At<bool>>,
    /// The children that it lists; `None` if it has no list.
    pub(super) children: Option<Vec<Mention<'a>>>,
    pub(super) depends_on: Vec<Mention<'a>>,
}

/// The whole file.
pub(super) struct Draft<'a> {
    /// What it says about itself; still without nodes.
    pub(super) tree: TaskTree,
    pub(super) defaults: FieldSet,
    /// The nodes whose id can be used, in the order of the file.
    pub(super) nodes: Vec<DraftNode<'a>>,
    /// Ids of nodes that have a problem of their own. It is not another problem if other nodes mention them.
    pub(super) excused: HashSet<Cow<'a, str>>,
    pub(super) root_ids: Option<At<Vec<Mention<'a>>>>,
    pub(super) execution_order: Option<At<Vec<Mention<'a>>>>,
}

/// The advice for a plan without tasks. It shows the smallest plan.
const EXAMPLE: &str =
    "Add one, for example \"nodes\": {\"T001\": {\"id\": \"T001\", \"name\": \"What is to be done\"}}.";

const ID_REMEDY: &str =
    "Use at most 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.";

impl<'a> Draft<'a> {
    /// Reads the whole file. Problems go to `notes`. `None` if it is not an object.
    pub(super) fn read(value: Value<'a>, notes: &mut Notes<'a>) -> Option<Self> {
        let fields = Fields::read(Found { value, place: ValuePath::Top }, &names(&FILE_FIELDS), notes)?;
        let line = |Filled(text): Filled<'_>| one_line(&text);
        // A field that applies to a single node has no place in the defaults.
        let inherited = TaskField::ALL.into_iter().filter(|field| field.is_inherited());
        let defaults = fields
            .found("defaults")
            .and_then(|found| Fields::read(found, &inherited.map(TaskField::name), notes))
            .map(|fields| fields.task_fields(notes));
        let tree = TaskTree {
            spec_id: fields.get("spec_id", notes).filter(|id: &String| !id.is_empty()),
            spec_files: fields.list("spec_files", notes),
            suite: fields.get("suite", notes).map(line),
            about: About {
                title: fields.get("title", notes).map(line),
                summary: fields.get("summary", notes).map(|Filled(text)| text.into_owned()),
                documents: fields.list("documents", notes),
            },
            ..TaskTree::default()
        };
        let mut draft = Self {
            tree,
            defaults: defaults.unwrap_or_default(),
            nodes: Vec::new(),
            excused: HashSet::new(),
            root_ids: fields.get("root_ids", notes),
            execution_order: fields.get("execution_order", notes),
        };
        let Some(nodes) = fields.found("nodes") else {
            notes.problem(0, "the plan has no tasks: there is no field \"nodes\"", EXAMPLE);
            return Some(draft);
        };
        let Some(members) = nodes.value.members() else {
            let remedy = "Write it as {\"T001\": {\"id\": \"T001\", \"name\": ...}}.";
            return notes.wrong_type(nodes, "an object that maps ids to nodes", remedy);
        };
        if members.is_empty() {
            notes.problem(notes.at(nodes.value), "the plan has no tasks: \"nodes\" is empty", EXAMPLE);
        }
        draft.read_nodes(members, notes);
        Some(draft)
    }

    fn read_nodes(&mut self, members: Vec<Member<'a>>, notes: &mut Notes<'a>) {
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
            match self.read_node(&key, member, notes) {
                Some(node) => self.nodes.push(node),
                None => _ = self.excused.insert(key),
            }
        }
    }

    /// Reads one node. `None`, after recording why, if its key cannot be an id or it is not an object.
    fn read_node(&mut self, key: &str, member: Member<'a>, notes: &mut Notes<'a>) -> Option<DraftNode<'a>> {
        let at = notes.at(member.key);
        let id = TaskId::parse(key);
        if let Err(why) = &id {
            notes.problem(at, format!("the id {} cannot be used: {why}", shown(key)), ID_REMEDY);
        }
        let nodes = ValuePath::Field(&ValuePath::Top, "nodes");
        let found = Found { value: member.value, place: ValuePath::Field(&nodes, key) };
        let known = names(&NODE_FIELDS).chain(TaskField::ALL.into_iter().map(TaskField::name));
        let fields = Fields::read(found, &known, notes)?;
        let remedy = format!("Add \"id\": \"{}\".", shown(key).trim_matches('"'));
        if let Some(of) = fields.required("id", &remedy, notes)
            && let Some(id) = Cow::read(of, notes).filter(|id| *id != key)
        {
            let what = format!("the entry at the key {} has the id {}", shown(key), shown(&id));
            notes.problem(notes.at(of.value), what, "Make the key and the id the same.");
            self.excused.insert(id);
        }
        let name_remedy = "Write one line that says what it is.";
        let name =
            fields.required("name", name_remedy, notes).and_then(|found| match String::read(found, notes)? {
                empty if empty.is_empty() => notes.refuse(found, "is empty", name_remedy),
                name => Some(name),
            });
        let source_line = fields.found("source_line").and_then(|of| line_number(of, notes));
        let mut acceptance: Vec<Cow<'a, str>> = fields.list("acceptance", notes);
        acceptance.retain(|text| !one_line(text).is_empty());
        let acceptance = acceptance.into_iter().map(Cow::into_owned).collect();
        let node = Node {
            name: name.unwrap_or_default(),
            description: fields.get("description", notes).map_or_else(String::new, Cow::into_owned),
            acceptance,
            documents: fields.list("documents", notes),
            parent: None,
            children: Vec::new(),
            depends_on: Vec::new(),
            source_file: fields.get("source_file", notes).filter(|file: &String| !file.is_empty()),
            source_line,
            test_commands: fields.list("test_commands", notes),
            fields: Arc::new(fields.task_fields(notes)),
            line: notes.source.line(at),
            depth: 0,
            end: NodeIx::new(0),
            id: id.ok()?,
        };
        Some(DraftNode {
            node,
            parent: fields.get("parent", notes),
            children: fields.get("children", notes),
            depends_on: fields.list("depends_on", notes),
            is_root: fields.is_null("parent"),
            is_leaf: fields.get("is_leaf", notes),
        })
    }
}
