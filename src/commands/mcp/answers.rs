//! What the tools say: the documents of `next`, `done` and `status`, made short for a conversation.

use serde_json::{Map, Value, json};

use super::prompt_files::PromptFiles;
use crate::commands::done::{Done, DoneAnswer, with_question};
use crate::commands::next::{Next, NextAnswer};
use crate::error::{Error, Kind, Result};
use crate::inspect::surroundings::RunSurroundings;
use crate::launch::runners::has_reviewer;
use crate::record::{Goal, Step, TaskId};
use crate::report::few;
use crate::serve::mcp::{Tool, ToolCall, fit};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Session};
use crate::text::{advice, ellipsis, without_commands};
use crate::worktree::snapshot::decisive_state;

/// How many bytes an answer may have as JSON. A client may see it twice, as text and as a structure.
const LIMIT: usize = 2000;
/// How many bytes a prompt may have that is part of an answer.
const PROMPT_LIMIT: usize = 1200;
/// How many characters of a name are shown.
const NAME_LIMIT: usize = 100;
/// How many items of a list are shown.
const FEW: usize = 8;
/// How many characters of a commit id are shown.
const SHORT_ID: usize = 12;

/// How people get the current unit.
fn current_unit() -> String {
    format!("{} prints the current unit.", advice::next_unit())
}

/// What a worker does whose question is recorded.
const ASKED: &str = "Your question is recorded, and your changes stay in the work tree. Wait until a person has answered, then \
                     call unit_next.";

/// What a worker does who can do nothing.
const FOR_A_PERSON: &str = "Only a person can go on from here: say that in your answer, and end it.";

/// What comes after the step that was asked for.
const CALL_DONE: &str = "There is nothing to write: call unit_done.";

/// The fields with sentences of ours.
const SENTENCES: [&str; 5] = ["reason", "remedy", "why", "seen", "then"];

/// What a tool says.
pub(super) struct ToolText {
    pub(super) document: Value,
    pub(super) is_error: bool,
}

/// Does what a tool is asked for, and says what came of it. `settings` are those of the start of the server.
pub(super) fn answer(call: &Call, tool: &ToolCall, settings: Option<&str>) -> ToolText {
    let said = match tool.tool {
        Tool::UnitNext => check_settings(call, settings).and_then(|()| unit_next(call, tool)),
        Tool::UnitDone => check_settings(call, settings).map(|()| unit_done(call, tool)),
        Tool::RunStatus => run_status(call),
    };
    let mut said = said.unwrap_or_else(|error| refused(&call.mask_error(&error)));
    leave_out_commands(&mut said.document);
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

/// Takes commands for people out of all sentences.
fn leave_out_commands(document: &mut Value) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(leave_out_commands),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if SENTENCES.contains(&name.as_str()) => {
                        let without = without_commands(text, &[]);
                        let is_empty = without.is_empty() && name == "remedy" && !text.is_empty();
                        *text = if is_empty { FOR_A_PERSON.to_owned() } else { without };
                    }
                    _ => leave_out_commands(value),
                }
            }
        }
        _ => {}
    }
}

fn refused(error: &Error) -> ToolText {
    let document =
        json!({"verdict": "refused", "reason": error.what(), "remedy": for_client(error.remedy())});
    ToolText { document, is_error: true }
}

/// A remedy that names the tool in place of the command.
fn for_client(remedy: &str) -> String {
    remedy.replace(&current_unit(), "Call unit_next.")
}

fn unit_next(call: &Call, tool: &ToolCall) -> Result<ToolText> {
    let task = Some(tool.argument("task")).filter(|task| !task.is_empty()).map(str::to_owned);
    let nothing =
        |why: &str| Ok(ToolText { document: json!({"unit": null, "reason": why.trim()}), is_error: false });
    let text = match Next::document(task).answer(call) {
        Ok(NextAnswer::Text { text, .. }) => text,
        Ok(NextAnswer::Nothing(why)) => return nothing(&why),
        Err(error) if error.kind() == Kind::No => return nothing(&call.mask_error(&error).to_string()),
        // Only a person can answer, so the model is not told how.
        Err(error) if error.kind() == Kind::Person => return nothing(call.mask_error(&error).what()),
        Err(error) => return Err(error),
    };
    let mut unit = read(&text);
    let step = unit["step"].as_str().and_then(Step::from_word);
    if step.is_some_and(|step| step.row().goal == Goal::Approval) {
        let task = unit["task"].as_str().unwrap_or_default();
        if !is_reviewed(call, task)? {
            return nothing(&format!(
                "a review of {task} comes next. No reviewer is configured, so a person has to review it"
            ));
        }
        // Its prompt is for the reviewer.
        unit["prompt"] = Value::Null;
    }
    let mut document = pick(&unit, &["unit", "task", "name", "step", "attempt", "max_attempts", "why"]);
    let name = unit["name"].as_str().unwrap_or_default();
    document.insert("name".to_owned(), json!(ellipsis(name, NAME_LIMIT)));
    for list in ["tests", "may_change"] {
        document.insert(list.to_owned(), json!(few(texts(&unit[list]), FEW)));
    }
    if !unit["merge"].is_null() {
        document.insert("merge".to_owned(), merge(&unit["merge"]));
    }
    insert_prompt(call, &unit, &mut document)?;
    Ok(ToolText { document: Value::Object(document), is_error: false })
}

/// Adds the prompt of a unit to an answer, by the path of a file if it is long, and says what to do after it.
fn insert_prompt(call: &Call, unit: &Value, document: &mut Map<String, Value>) -> Result<()> {
    match unit["prompt"].as_str() {
        Some(prompt) if prompt.len() > PROMPT_LIMIT => {
            let session = Session::open(call, Vec::new())?;
            let id = unit["task"].as_str().and_then(|task| TaskId::parse(task).ok());
            let id = id.expect("the document names a task of the plan");
            let file = PromptFiles::of(&session.work_tree).write(&id, prompt)?;
            document.insert("prompt_file".to_owned(), json!(file.to_string_lossy()));
            document.insert(
                "then".to_owned(),
                json!("Read prompt_file and do what it says, then call unit_done."),
            );
        }
        Some(prompt) => {
            document.insert("prompt".to_owned(), json!(prompt));
        }
        None => {
            document.insert("then".to_owned(), json!(CALL_DONE));
        }
    }
    Ok(())
}

/// With what a task is merged, in short.
fn merge(merge: &Value) -> Value {
    let mut short = pick(merge, &["attempt", "made", "why", "branch", "commit"]);
    let ids = merge["tasks"].as_array().into_iter().flatten().map(|task| task["task"].clone());
    short.insert("tasks".to_owned(), json!(few(texts(&Value::Array(ids.collect())), FEW)));
    short.insert("conflicts".to_owned(), json!(few(texts(&merge["conflicts"]), FEW)));
    Value::Object(short)
}

/// Whether a reviewer is configured for a task.
fn is_reviewed(call: &Call, task: &str) -> Result<bool> {
    let PlanState { plan, tasks, .. } = PlanState::open(call)?;
    Ok(has_reviewer(tasks.of(plan.leaf(task)?)))
}

fn unit_done(call: &Call, tool: &ToolCall) -> ToolText {
    let note = match tool.argument("blocked").trim() {
        "" => tool.argument("note").to_owned(),
        question => with_question(tool.argument("note"), question),
    };
    let done = Done::of_worker(tool.argument("unit"), &tool.client, &note);
    let DoneAnswer { document, result } = done.answer(call);
    let Some(document) = document.map(|text| read(&text)) else {
        let error = result.expect_err("without a document there is an error");
        return refused(&call.mask_error(&error));
    };
    let is_error = document["verdict"] == "refused";
    let mut short = pick(&document, &["verdict", "task", "state", "reason"]);
    short.retain(|_, value| !value.is_null());
    let remedy = document["remedy"].as_str().unwrap_or_default();
    let next_is_ours = document["next"]["task"] == document["task"];
    if is_error {
        short.insert("remedy".to_owned(), json!(for_client(remedy)));
    } else if document["state"] == "asked" {
        short.insert("remedy".to_owned(), json!(ASKED));
    } else if !next_is_ours && document["state"] != "complete" {
        // Only a person can go on.
        short.insert("remedy".to_owned(), json!(remedy));
    }
    let steps = document["evidence"].as_array().into_iter().flatten().map(evidence);
    let steps: Vec<Value> = steps.collect();
    if !is_error {
        short.insert("evidence".to_owned(), Value::Array(steps));
        let next = &document["next"];
        let next =
            if next.is_null() { Value::Null } else { Value::Object(pick(next, &["unit", "step", "why"])) };
        short.insert("next".to_owned(), next);
    }
    let is_over = ["complete", "failed", "skipped"].iter().any(|state| document["state"] == *state);
    if let (true, Some(task), Ok(session)) =
        (is_over, document["task"].as_str(), Session::open(call, Vec::new()))
    {
        PromptFiles::of(&session.work_tree).remove(task);
    }
    ToolText { document: Value::Object(short), is_error }
}

/// A step that was committed, in short.
fn evidence(step: &Value) -> Value {
    let mut short = pick(step, &["step", "outcome", "tests"]);
    let commit: String = step["commit"].as_str().unwrap_or_default().chars().take(SHORT_ID).collect();
    short.insert("commit".to_owned(), json!(commit));
    let found = step["found"].as_array().into_iter().flatten().take(FEW);
    let found = found.map(|finding| pick(finding, &["check", "severity", "seen", "places"]));
    let found: Vec<Value> = found.map(Value::Object).collect();
    if !found.is_empty() {
        short.insert("found".to_owned(), Value::Array(found));
    }
    // What the worker has said itself need not be said again.
    let goal = step["step"].as_str().and_then(Step::from_word).map(|step| step.row().goal);
    let is_news = matches!(goal, Some(Goal::TestsFail | Goal::TestsPass | Goal::Approval));
    let output = step["body"].as_str().filter(|body| is_news && !body.is_empty());
    if let Some(output) = output {
        short.insert("output".to_owned(), json!(output));
    }
    short.retain(|_, value| !value.is_null());
    Value::Object(short)
}

fn run_status(call: &Call) -> Result<ToolText> {
    let plan_state = PlanState::open(call)?;
    let surroundings = RunSurroundings::of(&plan_state)?;
    let document = surroundings.document(&plan_state);
    let document = serde_json::to_value(document.in_short(FEW)).expect("plain values are always JSON");
    Ok(ToolText { document, is_error: false })
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("our own documents are JSON")
}

/// Some fields of a document.
fn pick(document: &Value, names: &[&str]) -> Map<String, Value> {
    names.iter().map(|name| ((*name).to_owned(), document[*name].clone())).collect()
}

/// The texts of a list.
fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
