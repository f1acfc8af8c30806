//! `build --tick`: ticks the boxes of completed tasks in the sources of the plan.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::history::Run;
use crate::intervene::decisions::commit_plan_files;
use crate::plan::building::BuildRecord;
use crate::plan::formats::{BoxFound, Format, MAX_SOURCE, SourceFile, TaskToTick, TickedSource, tick};
use crate::record::State;
use crate::report::{self, TickView, TickedTask};
use crate::run::Plan;
use crate::session::Session;
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::text::{advice, one_line};

/// A source, and the tasks that the plan has from it.
#[derive(Default)]
struct TickSource {
    /// The completed ones, and the nodes whose tasks are all complete.
    done: Vec<TaskToTick>,
    /// The other tasks.
    open: Vec<TaskToTick>,
}

/// The content of a source.
struct ReadSource {
    file: SourceFile,
    bytes: Vec<u8>,
    /// `None` if it is not known.
    format: Option<Format>,
    /// What was written when the plan was built.
    record: Option<BuildRecord>,
}

impl ReadSource {
    fn tick(&self, format: Format, tasks: &[TaskToTick]) -> TickedSource {
        // The name in the plan may have been edited since.
        let is_name = |task: &TaskToTick, name: &str| {
            self.record.as_ref().map_or(task.name == name, |record| record.is_name(&task.id, name))
        };
        tick(format, &self.file, &self.bytes, tasks, &is_name)
    }
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
        let source = match read(plan, top, path) {
            Ok(source) => source,
            Err(why) => {
                report::warn(&session.screen, &format!("{} cannot be read: {why}", one_line(path)));
                view.tasks.extend(done.into_iter().map(place));
                continue;
            }
        };
        if done.is_empty() && source.format.is_none_or(|format| !format.row().is_markdown()) {
            continue;
        }
        let format = boxes_of(&source)?;
        let ticked = source.tick(format, &done);
        if ticked.bytes != source.bytes {
            files::write_whole(&top.join(path), &ticked.bytes)
                .map_err(|error| Error::not_written(path, &error))?;
            written.push(path.to_owned());
        }
        let with = |(task, found)| TickedTask { found: Some(found), ..place(task) };
        view.tasks.extend(done.into_iter().zip(ticked.found).map(with));
        let found = source.tick(format, &open).found;
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
        let read = read(plan, &session.work_tree.top, path).ok();
        let read =
            read.and_then(|read| Some((read.format.filter(|format| format.row().is_markdown())?, read)));
        read.is_some_and(|(format, read)| read.tick(format, &source.done).found.contains(&BoxFound::Open))
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

/// Reads a source with its bytes as they are. A tree file may come from another person, and must not choose files elsewhere that are
/// changed.
fn read(plan: &Plan, top: &Path, path: &str) -> std::result::Result<ReadSource, String> {
    let said = |error: std::io::Error| error.to_string();
    let place = top.join(path).canonicalize().map_err(said)?;
    let top = top.canonicalize().map_err(said)?;
    let inside = place.strip_prefix(top).map_err(|_| "it is outside of the work tree".to_owned())?;
    if inside.components().any(|part| part.as_os_str() == ".git") {
        return Err("it is a file of git".to_owned());
    }
    let bytes = files::read(&place, MAX_SOURCE).map_err(said)?;
    let file = SourceFile::decode(path.to_owned(), &bytes).map_err(|problem| problem.what)?;
    let record = BuildRecord::of(&String::from_utf8_lossy(plan.bytes()));
    let built = record.as_ref().and_then(|record| Format::from_name(&record.recipe.format));
    Ok(ReadSource { format: built.or_else(|| Format::of(&file)), file, bytes, record })
}

/// The format of a source, if it has boxes.
fn boxes_of(source: &ReadSource) -> Result<Format> {
    let path = one_line(&source.file.path);
    let Some(format) = source.format else {
        return Err(Error::new(
            Kind::Input,
            format!("{path}: the format of this file is not known"),
            format!("Build the plan again with {}.", advice::build_update_from("FORMAT")),
        ));
    };
    let what = match format.row() {
        row if row.is_markdown() => return Ok(format),
        row if path.ends_with(".md") => {
            format!("{path} is a plan of {}, whose tasks have no boxes", row.name)
        }
        _ => format!("{path} is not Markdown, so its tasks have no boxes"),
    };
    let remedy = format!("Nothing was ticked. {} shows which tasks are complete.", advice::status());
    Err(Error::new(Kind::Input, what, remedy))
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
