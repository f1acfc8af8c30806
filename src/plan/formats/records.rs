//! Reads records of tasks: objects in JSON, and front matter. One table says what each field is, whichever tool writes it. What has no
//! row there, or does not fit its row, is named.

use std::collections::BTreeMap;

use super::account::{Part, Use};
use super::data::{Datum, What};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, Needed, Place, Prerequisite};
use super::issues::{Issue, Tool, add_issues};
use super::texts::{command_of, is_program, name_of, priority_of};

/// What a field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Id,
    Title,
    /// A part of the description, below this heading.
    Text(&'static str),
    /// The same; commands in backticks there are tests.
    Strategy,
    Criteria,
    Labels,
    Priority,
    /// Its place among the others.
    Rank,
    Status,
    /// Whether it is done.
    Done,
    After,
    /// What it is a part of.
    Above,
    /// Its parts, which are records.
    Parts,
    Branch,
    /// Nothing about the work.
    Nothing,
    /// The same, but only in a tracker.
    OfTracker,
}

/// The names of fields, divided by `|`, and what they say, in the order in which they are read.
const FIELDS: [(&str, Says); 20] = [
    ("id", Says::Id),
    ("title|name|story|project|projectName|feature", Says::Title),
    ("status", Says::Status),
    ("description", Says::Text("")),
    ("details", Says::Text("")),
    ("design", Says::Text("Design")),
    ("steps", Says::Text("Steps")),
    ("notes", Says::Text("Notes")),
    ("testStrategy", Says::Strategy),
    ("acceptanceCriteria|acceptance_criteria|criteria", Says::Criteria),
    ("labels|tags|category", Says::Labels),
    ("priority", Says::Priority),
    ("ordinal", Says::Rank),
    ("passes|passed|done", Says::Done),
    ("parent|parent_id|parent_task_id", Says::Above),
    ("dependencies|dependsOn|depends_on", Says::After),
    ("subtasks|userStories|user_stories|stories|features", Says::Parts),
    ("branchName", Says::Branch),
    ("created|createdAt|updatedAt|completedAt|parentTaskId|parentId|version|schemaVersion", Says::Nothing),
    (
        "_type|issue_type|type|assignee|owner|reporter|created_at|created_by|created_date|updated_at|updated_date|completed_date|\
         closed_at|close_reason|estimated_minutes|milestone|source_repo|compaction_level|original_size|dependency_count|\
         dependent_count|comment_count|content_hash|references|documentation|modified_files",
        Says::OfTracker,
    ),
];

const OPEN: &str = "open|pending|to do|todo|backlog|ready|new|not started";
const FINISHED: &str = "done|completed|complete|closed|passed";
const GIVEN_UP: &str = "cancelled|canceled|archived|tombstone|wontfix|won't do|duplicate";
/// The kinds of links that say what waits for what, and those that say nothing about it.
const BLOCKING: &str = "blocks|conditional-blocks|waits-for|depends-on";
const ASIDE: &str =
    "related|relates-to|discovered-from|duplicates|supersedes|replies-to|tracks|caused-by|validates";

/// Whether a word is in a list of them, however it is written.
fn is_in(list: &str, word: &str) -> bool {
    let plain = |word: &str| word.to_lowercase().replace(['_', '-'], " ");
    list.split('|').any(|known| plain(known) == plain(word))
}

/// A file whose records are read.
pub(super) struct Reader<'p> {
    pub(super) file: usize,
    pub(super) plan: &'p mut ImportedPlan,
    tool: Tool,
    /// The fields that have no row, and where each stands first.
    unknown: BTreeMap<String, Place>,
}

impl<'p> Reader<'p> {
    pub(super) fn new(file: usize, tool: Tool, plan: &'p mut ImportedPlan) -> Self {
        Self { file, plan, tool, unknown: BTreeMap::new() }
    }

    pub(super) fn place(&self, line: u32) -> Place {
        Place { file: self.file, line }
    }

    /// Reads a record. Returns its parts as well. Another value is named.
    pub(super) fn record(&mut self, datum: Datum) -> Option<(Issue, Vec<Datum>)> {
        let (lines, place) = (datum.lines, self.place(datum.lines[0]));
        let What::Map(members) = datum.what else {
            self.plan.warn(place, "this entry is not read", "It must be an object with an id and a title.");
            self.plan.account.take(self.file, lines, Use::Warned);
            return None;
        };
        let node = ImportedNode::task(ImportedId::Derived, String::new(), place);
        let (id, uses) = (String::new(), Vec::new());
        let mut issue = Issue { id, node, rank: f64::MAX, above: None, is_closed: false, lines, uses };
        let mut parts = Vec::new();
        let row = |name: &str| {
            let is_it = |(names, says): &(&str, Says)| {
                names.split('|').any(|known| known == name)
                    && (*says != Says::OfTracker || self.tool == Tool::Tracker)
            };
            FIELDS.iter().position(is_it).unwrap_or(FIELDS.len())
        };
        let mut fields: Vec<_> = members.into_iter().map(|(name, datum)| (row(&name), name, datum)).collect();
        fields.sort_by_key(|(row, ..)| *row);
        let mut last = usize::MAX;
        for (row, name, datum) in fields {
            let (lines, is_empty) = (datum.lines, !datum.says_something());
            let taken = match FIELDS.get(row).map(|(_, says)| *says) {
                None => {
                    self.note_unknown(&name, &datum);
                    Some(Use::Warned)
                }
                Some(Says::Nothing | Says::OfTracker) => Some(Use::LeftOut),
                Some(Says::Title) if is_empty => Some(Use::Node(0, Part::Title)),
                Some(Says::After) if is_empty => Some(Use::Node(0, Part::After)),
                Some(_) if is_empty => Some(Use::Node(0, Part::Field)),
                // Only texts and links may stand in several fields.
                Some(says) if row == last && !matches!(says, Says::Text(_) | Says::After) => None,
                Some(says) => {
                    last = row;
                    match (says, datum.what) {
                        (Says::Parts, What::List(list)) => {
                            parts = list;
                            // They have their own lines.
                            if lines[0] < lines[1] {
                                continue;
                            }
                            Some(Use::Node(0, Part::Field))
                        }
                        (says, what) => self.field(&mut issue, says, &Datum { lines, what }),
                    }
                }
            };
            if taken.is_none() {
                let title = Some(&issue.node.name).filter(|title| !title.is_empty());
                let of = title.map(|title| format!(" of {title:?}")).unwrap_or_default();
                let what = format!("the field {name:?}{of} is not read");
                self.plan.warn(self.place(lines[0]), what, "");
            }
            issue.uses.push((lines, taken.unwrap_or(Use::Warned)));
            if issue.is_closed {
                break;
            }
        }
        if issue.node.name.is_empty() && !issue.node.description.is_empty() {
            issue.node.name = name_of(issue.node.description.split("\n\n").next().unwrap_or_default());
            let mut uses = issue.uses.iter_mut().map(|(_, taken)| taken);
            let text = uses.find(|taken| **taken == Use::Node(0, Part::Text));
            text.into_iter().for_each(|taken| *taken = Use::Node(0, Part::Title));
        }
        Some((issue, parts))
    }

    /// Takes what a field says. `None` if it does not fit.
    fn field(&mut self, issue: &mut Issue, says: Says, datum: &Datum) -> Option<Use> {
        let (node, place) = (&mut issue.node, self.place(datum.lines[0]));
        let part = match says {
            Says::Id => {
                issue.id = datum.word()?.to_owned();
                node.id = ImportedId::Given(issue.id.clone());
                Part::Field
            }
            Says::Title => {
                let title = datum.text();
                node.name = name_of(&title);
                // A long one is cut.
                if node.name.ends_with("...") && !title.ends_with("...") {
                    node.describe(&title);
                }
                Part::Title
            }
            Says::Text("") => {
                node.describe(datum.text().trim_start());
                Part::Text
            }
            Says::Text(heading) => {
                node.describe(&format!("\n{heading}: {}", datum.text()).replace(": \n", ":\n"));
                Part::Text
            }
            Says::Strategy => {
                let text = datum.text();
                node.describe(&format!("\nTest strategy: {text}"));
                let in_code = text.split('`').skip(1).step_by(2);
                // Much of what stands in code is no command: `GET /users`, `200 OK`; and a server does not end.
                let is_one = |code: &&str| {
                    let words: Vec<&str> = code.split_whitespace().collect();
                    let begins = words.first().is_some_and(|word| is_program(word) || word.starts_with("./"));
                    begins
                        && !words.last().is_some_and(|word| ["dev", "start", "serve", "watch"].contains(word))
                };
                let commands = in_code.filter(is_one).filter_map(|code| command_of(&format!("`{code}`")));
                node.tests.extend(commands);
                if node.tests.is_empty() { Part::Text } else { Part::Test }
            }
            Says::Criteria => {
                node.acceptance = datum.texts();
                Part::Text
            }
            Says::Labels => {
                node.labels.extend(datum.texts());
                Part::Field
            }
            Says::Rank | Says::Priority => {
                let word = datum.word()?;
                match word.parse::<f64>() {
                    Ok(number) if says == Says::Rank || self.tool == Tool::Ralph => issue.rank = number,
                    // The order of the stories is that of their numbers.
                    Err(_) if self.tool == Tool::Ralph => node.labels.push(format!("priority:{word}")),
                    _ => {
                        // A number is one of beads, for which 0 is the most urgent.
                        let number = || word.trim_start_matches(['P', 'p']).parse::<u32>().ok();
                        let number = || number().filter(|number| *number < 100).map(|number| number + 1);
                        node.priority = Some(priority_of(word).or_else(number)?);
                    }
                }
                Part::Field
            }
            Says::Status => {
                let word = datum.word()?;
                let is_finished = is_in(FINISHED, word);
                issue.is_closed = is_in(GIVEN_UP, word) || is_finished && self.tool == Tool::Tracker;
                node.claimed = is_finished;
                if !issue.is_closed && !is_finished && !is_in(OPEN, word) {
                    let what = format!("{} is marked as {word}, and is pending in the plan", issue.id);
                    self.plan.warn(place, what, "");
                }
                if is_finished { Part::Ticked } else { Part::Field }
            }
            Says::Done => {
                node.claimed = datum.word()? == "true";
                node.claimed.then_some(Part::Ticked)?
            }
            Says::After => {
                let one = std::slice::from_ref(datum);
                let items = if let What::List(items) = &datum.what { items } else { one };
                items.iter().for_each(|item| self.link(issue, item));
                Part::After
            }
            Says::Above => {
                issue.above = Some((datum.word()?.to_owned(), Some(place.line)));
                Part::Field
            }
            Says::Branch => {
                let what = format!("the branch {:?} is left out: the run makes the branches", datum.text());
                self.plan.warn(place, what, "");
                return Some(Use::LeftOut);
            }
            Says::Parts | Says::Nothing | Says::OfTracker => return None,
        };
        Some(Use::Node(0, part))
    }

    /// Reads a link to another record: an id, or an object with one and the kind of the link.
    fn link(&mut self, issue: &mut Issue, item: &Datum) {
        const KNOWN: &str = "id|issue_id|depends_on_id|type|dependency_type|created_at|created_by|metadata|thread_id|title|status";
        let place = self.place(item.lines[0]);
        if let What::Map(members) = &item.what {
            let unknown = members.iter().filter(|(name, _)| !KNOWN.split('|').any(|known| known == name));
            unknown.for_each(|(name, datum)| self.note_unknown(name, datum));
        }
        let kind = item.member("type|dependency_type").and_then(Datum::word).unwrap_or("blocks");
        match item.word().or_else(|| item.member("depends_on_id|id")?.word()) {
            Some(id) if kind == "parent-child" => issue.above = Some((id.to_owned(), Some(place.line))),
            Some(ids) if is_in(BLOCKING, kind) => {
                let ids = ids.split(',').map(str::trim).filter(|id| !id.is_empty());
                let need = |id: &str| Prerequisite { on: Needed::Id(id.to_owned()), place };
                issue.node.needs.extend(ids.map(need));
            }
            Some(_) if is_in(ASIDE, kind) => {}
            Some(id) => {
                let what = format!("the dependency on {id} of the kind {kind} is not read");
                self.plan.warn(place, what, "Only those of the kind blocks say what waits for what.");
            }
            None => self.plan.warn(place, "this dependency is not read", "Write the id of a task."),
        }
    }

    fn note_unknown(&mut self, name: &str, datum: &Datum) {
        if datum.says_something() {
            let place = self.place(datum.lines[0]);
            self.unknown.entry(name.to_owned()).or_insert(place);
        }
    }

    /// Names the fields that have no row, once for all, and adds the open issues to the plan in the order of their ranks.
    pub(super) fn finish(self, issues: Vec<Issue>) {
        if let Some(first) = self.unknown.values().min() {
            const SHOWN: usize = 12;
            let names: Vec<&str> = self.unknown.keys().take(SHOWN).map(String::as_str).collect();
            let more = if self.unknown.len() > SHOWN { ", ..." } else { "" };
            let what = format!("these fields are not read: {}{more}", names.join(", "));
            self.plan.warn(*first, what, "");
        }
        add_issues(self.plan, issues, self.tool);
    }
}
