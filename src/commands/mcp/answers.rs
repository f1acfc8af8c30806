//! What the tools say: the documents of `next`, `done` and `status`, made short for a conversation.

use serde_json::Value;

use super::prompt_files::PromptFiles;
use crate::commands::done::{Done, DoneAnswer, current_unit, with_question};
use crate::commands::next::Next;
use crate::error::{Error, Kind, Result};
use crate::inspect::surroundings::RunSurroundings;
use crate::launch::runners::has_reviewer;
use crate::record::{Goal, State};
use crate::report::{InShort, Verdict};
use crate::serve::mcp::{Tool, ToolCall, fit};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Session};
use crate::text::without_commands;
use crate::worktree::snapshot::decisive_state;

/// How many bytes an answer may have as JSON. A client may see it twice, as text and as a structure.
const LIMIT: usize = 2000;
/// How many bytes a prompt may have that is part of an answer.
const PROMPT_LIMIT: usize = 1200;
/// How many items of a list are shown.
const FEW: usize = 8;

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
    fn of(document: &InShort<'_>) -> Self {
        let document = serde_json::to_value(document).expect("plain values are always JSON");
        Self { document, is_error: false }
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
        ..ToolText::of(&InShort::Refused { verdict: Verdict::Refused, reason, remedy })
    }
}

fn no_unit(reason: &str) -> ToolText {
    ToolText::of(&InShort::NoUnit { unit: None, reason: reason.trim() })
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
    let Some(unit) = unit else {
        return Ok(no_unit(&plan_state.availability().all_done(&session.repository)?));
    };
    let is_review = unit.step.row().goal == Goal::Approval;
    if is_review && !has_reviewer(tasks.of(plan.leaf(unit.task)?)) {
        return Ok(no_unit(&format!(
            "a review of {} comes next. No reviewer is configured, so a person has to review it",
            unit.task
        )));
    }
    // The prompt of a review is for the reviewer.
    let prompt = unit.work.as_ref().and_then(|work| work.prompt.as_deref()).filter(|_| !is_review);
    let mut short = unit.in_short(FEW);
    match prompt {
        Some(prompt) if prompt.len() > PROMPT_LIMIT => {
            let id = &plan.tree.node(plan.leaf(unit.task)?).id;
            let file = PromptFiles::of(&session.work_tree).write(id, prompt)?;
            short.prompt_file = Some(file.to_string_lossy().into_owned());
            short.then = Some("Read prompt_file and do what it says, then call unit_done.");
        }
        Some(_) => short.prompt = prompt,
        None => short.then = Some(CALL_DONE),
    }
    Ok(ToolText::of(&InShort::Unit(short)))
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
            Verdict::Pass | Verdict::Fail => ToolText::of(&InShort::Done(document.in_short(FEW, ASKED))),
        }
    });
    document.unwrap_or_else(|| {
        let error = result.expect_err("without a document there is an error");
        refused(error.what(), error.remedy())
    })
}

fn run_status(call: &Call) -> Result<ToolText> {
    let plan_state = PlanState::open(call)?;
    let surroundings = RunSurroundings::of(&plan_state)?;
    Ok(ToolText::of(&InShort::Run(surroundings.document(&plan_state).in_short(FEW))))
}
