//! `build --tick`: ticks the boxes of completed tasks in the sources of the plan.

use std::collections::HashMap;

use super::sources::{Sources, settle_sources};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::history::Run;
use crate::intervene::decisions::commit_plan_files;
use crate::plan::building::{BuildRecord, Recipe, SettledNode};
use crate::plan::formats::{BoxFound, Format, SourceFile, lines_of, tick};
use crate::record::State;
use crate::report::{self, TickView, TickedTask};
use crate::run::Plan;
use crate::session::Session;
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::text::{advice, counted, one_line};
use crate::worktree::{DocumentTrouble, document_trouble, read_document};

/// Ticks the boxes of all completed tasks, and commits the sources if that is wanted.
///
/// # Errors
/// [`Kind::Input`] if a source has no boxes, [`Kind::Repository`] if a source to commit has uncommitted changes.
pub(crate) fn tick_boxes(session: Session, commit: bool) -> Result<TickView> {
    let plan = session.plan()?;
    let lock = lock(&session, "build --tick")?;
    let PlanState { session, plan, run, .. } = &PlanState::of(session, plan)?;
    if commit {
        refuse_uncommitted(session, &plan.tree.spec_files)?;
    }
    let (mut view, texts) = look(session, plan, run)?;
    for (path, text) in &texts {
        files::write_whole(&session.work_tree.top.join(path), text.as_bytes())
            .map_err(|error| Error::not_written(path, &error))?;
    }
    if commit && !texts.is_empty() {
        let count = view.tasks.iter().filter(|task| task.found == Some(BoxFound::Open)).count();
        let written: Vec<String> = texts.into_iter().map(|(path, _)| path).collect();
        let message =
            format!("Tick {}\n\nTicked in {}.\n", counted(count, "completed task"), written.join(", "));
        view.commit = commit_plan_files(session, &written, &message, &lock)?.map(|id| id.to_string());
    }
    Ok(view)
}

/// The sources in which boxes of completed tasks are open.
pub(crate) fn with_boxes_to_tick(session: &Session, plan: &Plan, run: &Run) -> Vec<String> {
    let texts = look(session, plan, run).map(|(_, texts)| texts).unwrap_or_default();
    texts.into_iter().map(|(path, _)| path).collect()
}

/// Reads the sources again, and ticks the boxes of completed tasks: what was found, and the new texts of the sources with an open one.
fn look(session: &Session, plan: &Plan, run: &Run) -> Result<(TickView, Vec<(String, String)>)> {
    let (tree, top) = (&plan.tree, &session.work_tree.top);
    let record = BuildRecord::of(&String::from_utf8_lossy(plan.bytes()));
    let mut view = TickView { file: plan.shown.clone(), ..TickView::default() };
    let (mut files, mut texts) = (Vec::new(), Vec::new());
    for path in &tree.spec_files {
        // A tree file may come from another person, and must not choose files elsewhere that are changed.
        let text = match document_trouble(top, path) {
            None => Ok(read_document(top, path).unwrap_or_default()),
            Some(DocumentTrouble::Outside) => Err("it is outside of the work tree".to_owned()),
            Some(trouble) => Err(trouble.what()),
        };
        let file = text.and_then(|text| {
            let file = SourceFile::decode(path.clone(), text.as_bytes()).map_err(|problem| problem.what)?;
            Ok((file, Some(text)))
        });
        let (file, text) = file.unwrap_or_else(|why| {
            report::warn(&session.screen, &format!("{} cannot be read: {why}", one_line(path)));
            (SourceFile { path: path.clone(), text: String::new() }, None)
        });
        files.push(file);
        texts.push(text);
    }
    let built = record.as_ref().and_then(|record| Format::from_name(&record.recipe.format));
    let format = built.or_else(|| files.iter().find_map(Format::of));
    let has_boxes = format.is_some_and(|format| format.row().is_markdown());
    let sources = Sources { format: format.unwrap_or(Format::Checklist), files };
    let settled = settle_sources(top, &sources, &Recipe::default(), record.as_ref(), false)?;
    let now: HashMap<&str, &SettledNode> =
        settled.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let mut lines: Vec<Vec<String>> =
        texts.iter().map(|text| lines_of(text.as_deref().unwrap_or_default())).collect();
    for (ix, node) in tree.nodes() {
        let path = node.source_file.as_ref();
        let Some(file) = tree.spec_files.iter().position(|known| Some(known) == path) else { continue };
        let is_done = tree.leaves_below(ix).all(|leaf| plan.state(run, leaf) == State::Complete);
        if !is_done && (!node.is_leaf() || !has_boxes || plan.state(run, ix) == State::Skipped) {
            continue;
        }
        let path = tree.spec_files[file].clone();
        if !has_boxes {
            let what = format!("{} is no Markdown with tasks, so it has no boxes", one_line(&path));
            let remedy = format!("Nothing was ticked. {} shows which tasks are complete.", advice::status());
            return Err(Error::new(Kind::Input, what, remedy));
        }
        // The name in the plan may have been edited since.
        let is_same = |now: &&&SettledNode| {
            now.read.place.file == file
                && record.as_ref().map_or(node.name == now.read.name, |record| {
                    record.is_name(node.id.as_str(), &now.read.name)
                })
        };
        let place = now.get(node.id.as_str()).filter(is_same).map(|now| now.read.place.line);
        let line = place.or(node.source_line).unwrap_or_default();
        let found = match place.and_then(|line| lines[file].get_mut(line as usize - 1)) {
            None => BoxFound::NotTheTask,
            Some(line) if is_done => tick(line),
            Some(line) => tick(&mut line.clone()),
        };
        let found = texts[file].is_some().then_some(found);
        let task = TickedTask { file: path, id: node.id.to_string(), line, is_leaf: node.is_leaf(), found };
        match found {
            _ if is_done => view.tasks.push(task),
            Some(BoxFound::Ticked) => view.early.push(task),
            _ => {}
        }
    }
    let changed = tree.spec_files.iter().zip(texts).zip(lines).filter_map(|((path, text), lines)| {
        let lines = lines.concat();
        text.filter(|text| *text != lines).map(|_| (path.clone(), lines))
    });
    let changed = changed.collect();
    Ok((view, changed))
}

/// Refuses to commit sources that have changes of the user.
fn refuse_uncommitted(session: &Session, sources: &[String]) -> Result<()> {
    let changed = session.git.status()?;
    let is_changed = |path: &&String| changed.iter().any(|change| change.path == path.as_bytes());
    let Some(path) = sources.iter().find(is_changed) else { return Ok(()) };
    let what = format!("{} has uncommitted changes, which would be committed too", one_line(path));
    let remedy = "Nothing was ticked. Commit them first, or leave out --commit.";
    Err(Error::new(Kind::Repository, what, remedy))
}
