//! What the tools say: a part of the documents of `next`, `done` and `status`, small enough for a conversation.

use serde_json::{Value, to_value};

use super::prompt_files::PromptFiles;
use crate::commands::done::{Done, DoneAnswer, current_unit, with_question};
use crate::commands::next::Next;
use crate::error::{Error, Kind, Result};
use crate::inspect::surroundings::RunSurroundings;
use crate::launch::runners::has_reviewer;
use crate::record::{Goal, State};
use crate::report::{DoneDocument, RunStep, RunTask, Unit, Verdict};
use crate::serve::mcp::{Tool, ToolCall, fit};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Session};
use crate::text::{ellipsis, without_commands};
use crate::worktree::snapshot::decisive_state;

/// How many bytes an answer may have as JSON. A client may see it twice, as text and as a structure.
const LIMIT: usize = 2000;
/// How many bytes a prompt may have that is part of an answer.
const PROMPT_LIMIT: usize = 1200;
/// How many items of a list are shown.
const FEW: usize = 8;
/// How many characters of a name are shown.
const NAME: usize = 100;

/// The fields of a unit that are said. A dot leads into a field, or into that of each item of a list.
const UNIT: &str = "unit task name step attempt max_attempts why tests may_change merge.attempt merge.made merge.why \
                    merge.branch merge.commit merge.tasks.task merge.conflicts";
/// Those of what became of work.
const DONE: &str = "verdict task state reason remedy evidence.step evidence.outcome evidence.tests evidence.commit \
                    evidence.found.check evidence.found.severity evidence.found.seen evidence.found.places evidence.body \
                    next.unit next.step next.why";
/// Those of work that was not taken in.
const REFUSED: &str = "verdict reason remedy";
/// Those of a run.
const RUN: &str = "spec_id branch counts next run.state tasks.id tasks.state tasks.ready tasks.awaits_approval tasks.question";
/// The fields that are said even if there is nothing in them: then there is none.
const EVEN_NONE: [&str; 2] = ["unit", "next"];

/// What a worker does whose question is recorded.
const ASKED: &str = "Your question is recorded, and your changes stay in the work tree. Wait until a person has answered, then \
                     call unit_next.";

/// What a worker does who can do nothing.
const FOR_A_PERSON: &str = "Only a person can go on from here: say that in your answer, and end it.";

/// What helps if a task is named that is not there.
const NO_SUCH_TASK: &str = "Call unit_next with the id of a task, or without one.";

/// What comes after the step that was asked for.
const CALL_DONE: &str = "There is nothing to write: call unit_done.";

/// The field that has to say something, even if nothing is left of it once the commands are taken out.
const REMEDY: &str = "remedy";
/// The fields with sentences of ours.
const SENTENCES: [&str; 5] = ["reason", REMEDY, "why", "seen", "then"];

/// What a tool says.
pub(super) struct ToolText {
    pub(super) document: Value,
    pub(super) is_error: bool,
}

impl ToolText {
    /// Says a part of a document.
    fn of(document: serde_json::Result<Value>, fields: &str) -> Self {
        let document = document.expect("plain values are always JSON");
        let fields: Vec<&str> = fields.split_whitespace().collect();
        Self { document: part(document, &fields), is_error: false }
    }
}

/// The part of a document that is in these fields: lists with few items, and without what says nothing.
fn part(document: Value, fields: &[&str]) -> Value {
    match document {
        Value::Array(mut items) => {
            let more = items.len().saturating_sub(FEW);
            items.truncate(FEW);
            let items = items.into_iter().map(|item| part(item, fields));
            items.chain((more > 0).then(|| format!("and {more} more").into())).collect()
        }
        // An empty name means the whole of it.
        Value::Object(all) if fields != [""] => {
            let said = all.into_iter().filter_map(|(name, value)| {
                let in_it = fields.iter().filter_map(|field| {
                    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
                    (first == name).then_some(rest)
                });
                let in_it: Vec<&str> = in_it.collect();
                if in_it.is_empty() {
                    return None;
                }
                let value = part(value, &in_it);
                (!says_nothing(&value) || EVEN_NONE.contains(&name.as_str())).then_some((name, value))
            });
            said.collect()
        }
        whole => whole,
    }
}

/// Whether it is empty, or the answer of a question that is no.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_so) => !is_so,
        Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// Does what a tool is asked for, and says what came of it. `settings` are those of the start of the server.
pub(super) fn answer(call: &Call, tool: &ToolCall, settings: Option<&str>) -> ToolText {
    let said = match tool.tool {
        Tool::UnitNext => check_settings(call, settings).and_then(|()| unit_next(call, tool)),
        Tool::UnitDone => check_settings(call, settings).map(|()| unit_done(call, tool)),
        Tool::RunStatus => run_status(call),
    };
    let mut said = said.unwrap_or_else(|error| refused(error.what(), error.remedy()));
    for_client(call, &mut said.document);
    fit(&mut said.document, LIMIT);
    said
}

/// Refuses to hand out or to take in anything if the settings or hooks are not those of the start of the server: the client, which
/// does the work, may have changed them.
///
/// # Errors
/// [`Kind::Unsafe`] in this case.
fn check_settings(call: &Call, settings: Option<&str>) -> Result<()> {
    let Some(settings) = settings else { return Ok(()) };
    let session = Session::open(call, Vec::new())?;
    if decisive_state(&session.git, &session.work_tree)? == settings {
        return Ok(());
    }
    let what = "settings or hooks have changed since this server was started";
    Err(Error::new(
        Kind::Unsafe,
        what,
        format!(
            "Nothing was committed. A person has to look at them and start the server again. {FOR_A_PERSON}"
        ),
    ))
}

/// Takes commands for people out of all sentences, and masks secrets in all texts: last, because what is left of a sentence is another
/// text.
fn for_client(call: &Call, document: &mut Value) {
    match document {
        Value::String(text) => *text = call.mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| for_client(call, item)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if let (Value::String(text), true) = (&mut *value, SENTENCES.contains(&name.as_str())) {
                    let without = without_commands(text, &[]);
                    // Only a remedy has to say something.
                    let is_for_a_person = without.is_empty() && name == REMEDY && !text.is_empty();
                    *text = if is_for_a_person { FOR_A_PERSON.to_owned() } else { without };
                }
                for_client(call, value);
            }
        }
        _ => {}
    }
}

/// The answer to what could not be done. The remedy names the tool in place of the command.
pub(super) fn refused(reason: &str, remedy: &str) -> ToolText {
    let remedy = remedy.replace(&current_unit(), "Call unit_next.");
    ToolText {
        is_error: true,
        ..ToolText::of(to_value(DoneDocument::refused(None, reason, &remedy)), REFUSED)
    }
}

fn no_unit(reason: &str) -> ToolText {
    let document = Value::from_iter([("unit", Value::Null), ("reason", reason.trim().into())]);
    ToolText { document, is_error: false }
}

fn unit_next(call: &Call, tool: &ToolCall) -> Result<ToolText> {
    let task = Some(tool.argument("task")).filter(|task| !task.is_empty()).map(str::to_owned);
    let plan_state = PlanState::open(call)?;
    let PlanState { session, plan, tasks, .. } = &plan_state;
    if let Some(error) = task.as_deref().and_then(|task| plan.leaf_meant(task).err()) {
        return Ok(refused(error.what(), NO_SUCH_TASK));
    }
    let next = Next::document(task);
    let units = next.choose(&plan_state).and_then(|leaves| next.units(call, &plan_state, &leaves));
    let unit = match units {
        Ok(units) => units.into_iter().next(),
        Err(error) if error.kind() == Kind::No => return Ok(no_unit(&error.to_string())),
        // Only a person can answer, so the model is not told how.
        Err(error) if error.kind() == Kind::Person => return Ok(no_unit(error.what())),
        Err(error) => return Err(error),
    };
    let Some(mut unit) = unit else {
        return Ok(no_unit(&plan_state.availability().all_done(&session.repository)?));
    };
    let leaf = plan.leaf(unit.task)?;
    let is_review = unit.step.row().goal == Goal::Approval;
    if is_review && !has_reviewer(tasks.of(leaf)) {
        return Ok(no_unit(&format!(
            "a review of {} comes next. No reviewer is configured, so a person has to review it",
            unit.task
        )));
    }
    // The prompt of a review is for the reviewer.
    let prompt = unit.work.as_mut().and_then(|work| work.prompt.take()).filter(|_| !is_review);
    let name = ellipsis(&call.mask(unit.name), NAME);
    let mut said = ToolText::of(to_value(Unit { name: &name, ..unit }), UNIT);
    match prompt {
        Some(prompt) if prompt.len() > PROMPT_LIMIT => {
            let file = PromptFiles::of(&session.work_tree).write(&plan.tree.node(leaf).id, &prompt)?;
            said.document["prompt_file"] = file.to_string_lossy().into();
            said.document["then"] = "Read prompt_file and do what it says, then call unit_done.".into();
        }
        Some(prompt) => said.document["prompt"] = prompt.into(),
        None => said.document["then"] = CALL_DONE.into(),
    }
    Ok(said)
}

fn unit_done(call: &Call, tool: &ToolCall) -> ToolText {
    let note = match tool.argument("blocked").trim() {
        "" => tool.argument("note").to_owned(),
        question => with_question(tool.argument("note"), question),
    };
    let done = Done::of_worker(tool.argument("unit"), &tool.client, &note);
    let DoneAnswer { document, result } = done.answer(call, &|document| {
        if let (Some(State::Complete | State::Failed | State::Skipped), Some(task), Ok(session)) =
            (document.state, document.task, Session::open(call, Vec::new()))
        {
            PromptFiles::of(&session.work_tree).remove(task);
        }
        match document.verdict {
            Verdict::Refused => refused(document.reason.as_deref().unwrap_or_default(), &document.remedy),
            Verdict::Pass | Verdict::Fail => ToolText::of(to_value(for_worker(document.clone())), DONE),
        }
    });
    document.unwrap_or_else(|| {
        let error = result.expect_err("without a document there is an error");
        refused(error.what(), error.remedy())
    })
}

/// What became of work, without what the worker knows or can do nothing with.
fn for_worker(mut document: DoneDocument<'_>) -> DoneDocument<'_> {
    // Its own words are no news.
    let is_news = |step: &RunStep<'_>| {
        matches!(step.step.row().goal, Goal::TestsFail | Goal::TestsPass | Goal::Approval)
    };
    document.evidence.iter_mut().filter(|step| !is_news(step)).for_each(|step| step.body.clear());
    let next_is_ours = document.next.as_ref().map(|next| next.task) == document.task;
    match document.state {
        Some(State::Asked) => ASKED.clone_into(&mut document.remedy),
        // Otherwise only a person can go on.
        state if state == Some(State::Complete) || next_is_ours => document.remedy.clear(),
        _ => {}
    }
    document
}

/// The kinds of tasks of which a run tells, first those that wait for a person.
const TOLD: [fn(&RunTask<'_>) -> bool; 5] = [
    |task| task.question.is_some(),
    |task| task.awaits_approval,
    |task| task.state == State::Failed,
    |task| matches!(task.state, State::Implementing | State::Testing | State::Reviewing),
    |task| task.ready,
];

fn run_status(call: &Call) -> Result<ToolText> {
    let plan_state = PlanState::open(call)?;
    let surroundings = RunSurroundings::of(&plan_state)?;
    let mut document = surroundings.document(&plan_state);
    let place = |task: &RunTask<'_>| TOLD.iter().position(|is_told| is_told(task));
    document.tasks.retain(|task| place(task).is_some());
    document.tasks.sort_by_key(place);
    Ok(ToolText::of(to_value(&document), RUN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_part_has_the_fields_that_are_named_and_says_what_it_leaves_out() {
        let task = |id: usize| json!({"id": id, "name": "", "ready": false, "steps": ["x"]});
        let tasks: Vec<Value> = (0..20).map(task).collect();
        let document = json!({"unit": null, "branch": null, "run": {"state": "failed", "pid": 1}, "counts": {"a": 0}, "tasks": tasks});
        let said = part(
            document,
            &["unit", "branch", "counts", "run.state", "tasks.id", "tasks.name", "tasks.ready"],
        );
        let tasks = (0..FEW).map(|id| json!({"id": id})).chain([json!("and 12 more")]);
        let tasks: Vec<Value> = tasks.collect();
        assert_eq!(
            said,
            json!({"unit": null, "counts": {"a": 0}, "run": {"state": "failed"}, "tasks": tasks})
        );
    }
}
