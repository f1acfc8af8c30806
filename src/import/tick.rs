//! `build --tick`: ticks the boxes of completed tasks in the sources of the plan.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::history::Run;
use crate::intervene::decisions::commit_plan_files;
use crate::plan::building::BuildRecord;
use crate::plan::formats::{BoxFound, Format, SourceFile, TaskToTick, tick};
use crate::record::State;
use crate::report::{self, TickView, TickedTask};
use crate::run::Plan;
use crate::session::Session;
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::text::{advice, one_line};
use crate::worktree::{DocumentTrouble, document_trouble, read_document};

/// A source, and the tasks that the plan has from it.
#[derive(Default)]
struct TickSource {
    /// The completed ones, and the nodes whose tasks are all complete.
    done: Vec<TaskToTick>,
    /// The other tasks.
    open: Vec<TaskToTick>,
}

/// Ticks the boxes of all completed tasks, and commits the sources if that is wanted.
///
/// # Errors
/// [`Kind::Input`] if a source has no boxes, [`Kind::Repository`] if a source to commit has uncommitted changes.
pub(crate) fn tick_boxes(session: Session, commit: bool) -> Result<TickView> {
    let plan = session.plan()?;
    let lock = lock(&session, "build --tick")?;
    let PlanState { session, plan, run, .. } = &PlanState::of(session, plan)?;
    let top = &session.work_tree.top;
    let sources = sources(plan, run);
    if commit {
        refuse_uncommitted(session, sources.keys())?;
    }
    let mut view = TickView { file: plan.shown.clone(), ..TickView::default() };
    let mut written = Vec::new();
    for (path, TickSource { done, open }) in sources {
        let place = |task| TickedTask { file: path.to_owned(), task, found: None };
        let boxes = match Boxes::read(plan, top, path) {
            Ok(Some(boxes)) => boxes,
            Ok(None) if done.is_empty() => continue,
            Ok(None) => {
                let what = format!("{} is no Markdown with tasks, so it has no boxes", one_line(path));
                let remedy =
                    format!("Nothing was ticked. {} shows which tasks are complete.", advice::status());
                return Err(Error::new(Kind::Input, what, remedy));
            }
            Err(why) => {
                report::warn(&session.screen, &format!("{} cannot be read: {why}", one_line(path)));
                view.tasks.extend(done.into_iter().map(place));
                continue;
            }
        };
        let (text, found) = boxes.tick(&done);
        if text != boxes.text {
            files::write_whole(&top.join(path), text.as_bytes())
                .map_err(|error| Error::not_written(path, &error))?;
            written.push(path.to_owned());
        }
        let with = |(task, found)| TickedTask { found: Some(found), ..place(task) };
        view.tasks.extend(done.into_iter().zip(found).map(with));
        let (_, found) = boxes.tick(&open);
        let early = open.into_iter().zip(found).filter(|(_, found)| *found == BoxFound::Ticked);
        view.early.extend(early.map(with));
    }
    if commit && !written.is_empty() {
        let count = view.tasks.iter().filter(|task| task.found == Some(BoxFound::Open)).count();
        let tasks = if count == 1 { "task" } else { "tasks" };
        let message = format!("Tick {count} completed {tasks}\n\nTicked in {}.\n", written.join(", "));
        view.commit = commit_plan_files(session, &written, &message, &lock)?.map(|id| id.to_string());
    }
    Ok(view)
}
/// The sources in which boxes of completed tasks are open.
pub(crate) fn with_boxes_to_tick(session: &Session, plan: &Plan, run: &Run) -> Vec<String> {
    let is_open = |(path, source): &(&str, TickSource)| {
        let boxes = Boxes::read(plan, &session.work_tree.top, path).ok().flatten();
        boxes.is_some_and(|boxes| boxes.tick(&source.done).1.contains(&BoxFound::Open))
    };
    sources(plan, run).into_iter().filter(is_open).map(|(path, _)| path.to_owned()).collect()
}

fn sources<'p>(plan: &'p Plan, run: &Run) -> BTreeMap<&'p str, TickSource> {
    let tree = &plan.tree;
    let mut sources: BTreeMap<&str, TickSource> = BTreeMap::new();
    for (ix, node) in tree.nodes() {
        let (Some(file), Some(line)) = (&node.source_file, node.source_line) else { continue };
        if !tree.spec_files().contains(file) {
            continue;
        }
        let source = sources.entry(file).or_default();
        let (id, name, is_leaf) = (node.id.to_string(), node.name.clone(), node.is_leaf());
        let task = TaskToTick { id, name, line, is_leaf };
        if tree.leaves_below(ix).all(|leaf| plan.state(run, leaf) == State::Complete) {
            source.done.push(task);
        } else if is_leaf && plan.state(run, ix) != State::Skipped {
            source.open.push(task);
        }
    }
    sources
}

/// A source whose tasks have boxes.
struct Boxes {
    format: Format,
    file: SourceFile,
    /// Its whole content.
    text: String,
    /// What was written when the plan was built.
    record: Option<BuildRecord>,
}

impl Boxes {
    /// Reads a source; `None` if its tasks have no boxes. A tree file may come from another person, and must not choose files elsewhere
    /// that are changed.
    fn read(plan: &Plan, top: &Path, path: &str) -> std::result::Result<Option<Self>, String> {
        let text = match document_trouble(top, path) {
            None => read_document(top, path).unwrap_or_default(),
            Some(DocumentTrouble::Outside) => return Err("it is outside of the work tree".to_owned()),
            Some(trouble) => return Err(trouble.what()),
        };
        let file = SourceFile::decode(path.to_owned(), text.as_bytes()).map_err(|problem| problem.what)?;
        let record = BuildRecord::of(&String::from_utf8_lossy(plan.bytes()));
        let built = record.as_ref().and_then(|record| Format::from_name(&record.recipe.format));
        let format = built.or_else(|| Format::of(&file)).filter(|format| format.row().is_markdown());
        Ok(format.map(|format| Self { format, file, text, record }))
    }

    fn tick(&self, tasks: &[TaskToTick]) -> (String, Vec<BoxFound>) {
        // The name in the plan may have been edited since.
        let is_name = |task: &TaskToTick, name: &str| {
            self.record.as_ref().map_or(task.name == name, |record| record.is_name(&task.id, name))
        };
        tick(self.format, &self.file, &self.text, tasks, &is_name)
    }
}

/// Refuses to commit sources that have changes of the user.
fn refuse_uncommitted<'s>(session: &Session, sources: impl IntoIterator<Item = &'s &'s str>) -> Result<()> {
    let changed = session.git.status()?;
    let is_changed = |path: &&&str| changed.iter().any(|change| change.path == path.as_bytes());
    match sources.into_iter().find(is_changed) {
        None => Ok(()),
        Some(path) => Err(Error::new(
            Kind::Repository,
            format!("{} has uncommitted changes, which would be committed too", one_line(path)),
            "Nothing was ticked. Commit them first, or leave out --commit.",
        )),
    }
}
