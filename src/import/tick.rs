//! `build --tick`: ticks the boxes of completed tasks in the sources of the plan.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::intervene::decisions::commit_plan_files;
use crate::plan::building::Recipe;
use crate::plan::formats::{BoxFound, Format, MAX_SOURCE, SourceFile, TaskToTick, tick};
use crate::record::State;
use crate::report::{self, TickView, TickedTask};
use crate::session::Session;
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::text::{advice, one_line};

/// A source, and its completed tasks.
struct TickSource {
    /// Its path from the top of the work tree.
    path: String,
    tasks: Vec<TaskToTick>,
}

/// Ticks the boxes of all completed tasks, and commits the sources if that is wanted.
///
/// # Errors
/// [`Kind::Input`] if a source has no boxes, [`Kind::Repository`] if a source to commit has uncommitted changes.
pub(crate) fn tick_boxes(session: Session, commit: bool) -> Result<TickView> {
    let file = session.plan_file()?;
    let recipe = Recipe::of(&String::from_utf8_lossy(file.bytes()));
    let plan = session.plan_in(file)?;
    let lock = lock(&session, "build --tick")?;
    let plan_state = PlanState::of(session, plan)?;
    let session = &plan_state.session;
    let sources = done_tasks(&plan_state);
    if commit {
        refuse_uncommitted(session, &sources)?;
    }
    let format = recipe.and_then(|recipe| Format::from_name(&recipe.format));
    let mut view = TickView { file: plan_state.plan.shown.clone(), tasks: Vec::new(), commit: None };
    let mut written = Vec::new();
    for source in sources {
        let found = match source.decode(&session.work_tree.top) {
            Ok((file, bytes)) => {
                let format = boxes_of(format.or_else(|| Format::of(&file)), &file)?;
                let ticked = tick(format, &file, &bytes, &source.tasks);
                if ticked.bytes != bytes {
                    files::write_whole(&session.work_tree.top.join(&source.path), &ticked.bytes)
                        .map_err(|error| Error::not_written(&source.path, &error))?;
                    written.push(source.path.clone());
                }
                ticked.found.into_iter().map(Some).collect()
            }
            Err(why) => {
                let path = one_line(&source.path);
                report::warn(&session.screen, &format!("{path} cannot be read: {why}"));
                vec![None; source.tasks.len()]
            }
        };
        view.tasks.extend(source.ticked(found));
    }
    if commit && !written.is_empty() {
        let count = view.tasks.iter().filter(|task| task.found == Some(BoxFound::Open)).count();
        let tasks = if count == 1 { "task" } else { "tasks" };
        let message = format!("Tick {count} completed {tasks}\n\nTicked in {}.\n", written.join(", "));
        view.commit = commit_plan_files(session, &written, &message, &lock)?.map(|id| id.to_string());
    }
    Ok(view)
}

impl TickSource {
    /// Reads the file, with its bytes as they are.
    fn decode(&self, top: &Path) -> std::result::Result<(SourceFile, Vec<u8>), String> {
        let path = top.join(&self.path);
        require_inside(top, &path)?;
        let bytes = files::read(&path, MAX_SOURCE).map_err(|error| error.to_string())?;
        let file = SourceFile::decode(self.path.clone(), &bytes).map_err(|problem| problem.what)?;
        Ok((file, bytes))
    }

    /// Its tasks, with what was found of their boxes; `None` if the file could not be read.
    fn ticked(self, found: Vec<Option<BoxFound>>) -> impl Iterator<Item = TickedTask> {
        let Self { path, tasks } = self;
        tasks.into_iter().zip(found).map(move |(task, found)| TickedTask { file: path.clone(), task, found })
    }
}

/// The completed tasks of each source, and the nodes whose tasks are all complete.
fn done_tasks(plan_state: &PlanState) -> Vec<TickSource> {
    let PlanState { plan, run, .. } = plan_state;
    let tree = &plan.tree;
    let mut sources: BTreeMap<&str, Vec<TaskToTick>> = BTreeMap::new();
    for (ix, node) in tree.nodes() {
        let (Some(file), Some(line)) = (&node.source_file, node.source_line) else { continue };
        let is_source = tree.spec_files().contains(file);
        if is_source && tree.leaves_below(ix).all(|leaf| plan.state(run, leaf) == State::Complete) {
            let task = TaskToTick {
                id: node.id.to_string(),
                name: node.name.clone(),
                line,
                is_leaf: node.is_leaf(),
            };
            sources.entry(file).or_default().push(task);
        }
    }
    let source = |(path, tasks): (&str, Vec<TaskToTick>)| TickSource { path: path.to_owned(), tasks };
    sources.into_iter().map(source).collect()
}

/// Refuses a file outside of the work tree: a tree file may come from another person, and must not choose files
/// elsewhere that are changed.
fn require_inside(top: &Path, path: &Path) -> std::result::Result<(), String> {
    let whole = path.canonicalize().map_err(|error| error.to_string())?;
    let top = top.canonicalize().map_err(|error| error.to_string())?;
    let inside = whole.strip_prefix(top).map_err(|_| "it is outside of the work tree".to_owned())?;
    if inside.components().any(|part| part.as_os_str() == ".git") {
        return Err("it is a file of git".to_owned());
    }
    Ok(())
}

/// The format of a source, if it has boxes.
fn boxes_of(format: Option<Format>, source: &SourceFile) -> Result<Format> {
    let path = one_line(&source.path);
    let Some(format) = format else {
        return Err(Error::new(
            Kind::Input,
            format!("{path}: the format of this file is not known"),
            format!("Build the plan again with {}.", advice::build_update_from("FORMAT")),
        ));
    };
    if format.row().is_markdown {
        return Ok(format);
    }
    let what = if source.path.ends_with(".md") {
        format!("{path} is a plan of {}, whose tasks have no boxes", format.row().name)
    } else {
        format!("{path} is not Markdown, so its tasks have no boxes")
    };
    Err(Error::new(
        Kind::Input,
        what,
        format!("Nothing was ticked. {} shows which tasks are complete.", advice::status()),
    ))
}

/// Refuses to commit sources that have changes of the user.
fn refuse_uncommitted(session: &Session, sources: &[TickSource]) -> Result<()> {
    let changed = session.git.status()?;
    let mine = |source: &&TickSource| changed.iter().any(|change| change.path == source.path.as_bytes());
    match sources.iter().find(mine) {
        None => Ok(()),
        Some(source) => Err(Error::new(
            Kind::Repository,
            format!("{} has uncommitted changes, which would be committed too", one_line(&source.path)),
            "Nothing was ticked. Commit them first, or leave out --commit.",
        )),
    }
}
