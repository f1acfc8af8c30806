//! `build --planner` and `build --expand`: an agent drafts a plan or splits a task. It may ask back. What it writes is checked like
//! every plan, and it gets one chance to correct it.

use std::path::PathBuf;

use super::naming::commit_subject;
use super::search::knows;
use super::target::{Existing, Target};
use crate::agents::{Cause, ExitReason, Limits, Lookup, PLAN_SCHEMA, Runner, RunnerChain, Trouble};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::launch::consultation::{Answer, Consultation, Fault, Question};
use crate::launch::doubts::warn_of_doubts;
use crate::plan::building::DraftedPlan;
use crate::plan::formats::SourceFile;
use crate::plan::{TaskTree, in_file};
use crate::record::{Role, State};
use crate::report::{self, DraftView};
use crate::run::{PlanSearch, read_run};
use crate::session::{Call, Session};
use crate::text::{advice, counted, listed, one_line};
use crate::workflow::{
    AnswerForm, AnsweredTo, WorkerAnswer, answered_plan_prompt, correct_plan_prompt, expand_prompt,
    plan_prompt, worker_report,
};

/// The largest text that is sent to a planner, in bytes.
const MOST_TEXT: usize = 512 << 10;

/// How much of the answer of a planner is kept, in bytes.
const MOST_ANSWER: usize = 4 << 20;

/// How many questions a planner may ask.
const MOST_QUESTIONS: usize = 10;

/// How many problems of a plan are shown.
const SHOWN: usize = 20;

/// Whether these files are no plan of a known format, and the user, who can be asked, wants an agent to draft one of them.
///
/// # Errors
/// If git cannot make the first commit.
pub(crate) fn wants_planner(session: &Session, files: &[PathBuf]) -> Result<bool> {
    if !report::can_ask() || files.is_empty() || files.iter().any(|path| !path.is_file()) {
        return Ok(false);
    }
    let search = PlanSearch { top: &session.work_tree.top, from: None };
    if files.iter().any(|path| knows(search, path)) {
        return Ok(false);
    }
    let names: Vec<String> = files.iter().map(|path| one_line(&path.to_string_lossy())).collect();
    let mut text = format!("There is no plan of a known format in {}.", listed(&names));
    let is_new = session.repository.head()?.is_none();
    if is_new {
        text.push_str(" Before an agent drafts one, an empty first commit is made: `git commit --allow-empty -m Begin`.");
    }
    let is_wanted = report::confirm(&text, "Is an agent to draft one from it?") == Some(true);
    if is_new && is_wanted {
        make_first_commit(session)?;
    }
    Ok(is_wanted)
}

/// Makes the first commit of a repository, which is empty. What an agent changes is told from a commit.
///
/// # Errors
/// If git refuses it.
pub(crate) fn make_first_commit(session: &Session) -> Result<()> {
    session.git.demand(["commit", "--quiet", "--allow-empty", "-m", "Begin"]).map(drop)
}

/// A tree file into which an agent is to write.
pub(crate) struct Drafting<'a> {
    pub(crate) call: &'a Call,
    /// The repository, in which the planner is the runner that implements.
    pub(crate) session: &'a Session,
    pub(crate) target: &'a Target,
    /// Whether the tree file is committed.
    pub(crate) commits: bool,
}

/// The text of a tree file, or sentences about what is wrong with a draft.
type Made = std::result::Result<String, Vec<String>>;

/// What an agent is asked to draft.
struct Order<'a> {
    /// The prompt for an agent that is to answer in this form.
    prompt: &'a dyn Fn(AnswerForm) -> String,
    /// Makes the text of the tree file from a draft, or says what is wrong with it.
    make: &'a dyn Fn(&DraftedPlan, &Runner) -> Made,
    /// The task that is split.
    split: Option<&'a str>,
    /// The title of a commit, and the sources of the draft as the end of a sentence.
    title: String,
    sources: String,
}

impl Drafting<'_> {
    /// Lets an agent draft a plan from texts.
    ///
    /// # Errors
    /// If there is a tree file already, the planner asks what nobody answers, or writes no valid plan, or the user does not want it.
    pub(crate) fn draft(&self, texts: &[SourceFile]) -> Result<()> {
        let Self { session, target, .. } = *self;
        if Existing::read(target)?.is_some() {
            let what = format!("{} exists, but a planner writes a new plan", target.shown);
            let remedy = "Nothing was written. `-o FILE` writes another file; `--expand TASK` splits a task of this one.";
            return Err(Error::new(Kind::Input, what, remedy));
        }
        if texts.is_empty() {
            let remedy = format!("Name the files: {}.", advice::build_planner("RUNNER", "FILE..."));
            return Err(Error::new(Kind::Input, "a planner needs a text from which to make a plan", remedy));
        }
        if texts.iter().map(|source| source.text.len()).sum::<usize>() > MOST_TEXT {
            let what = format!("the text for the planner has more than {} KiB", MOST_TEXT >> 10);
            return Err(Error::new(Kind::Input, what, "Name fewer or shorter files. Nothing was written."));
        }
        let stem = target.path.file_stem().map_or_else(|| "plan".into(), |stem| stem.to_string_lossy());
        let spec_id = if stem == "task-tree" { "plan".into() } else { stem };
        let make = |draft: &DraftedPlan, planner: &Runner| draft.to_tree(&spec_id, &planner.label());
        let paths: Vec<&str> = texts.iter().map(|text| text.path.as_str()).collect();
        self.work(&Order {
            prompt: &|form| plan_prompt(texts, form),
            make: &make,
            split: None,
            title: commit_subject(&session.config, "Add", &spec_id),
            sources: format!(" from {}", paths.join(", ")),
        })
    }

    /// Lets an agent split a task of the plan.
    ///
    /// # Errors
    /// If the task has steps already, or as for [`Self::draft`].
    pub(crate) fn split(&self, id: &str) -> Result<()> {
        let session = self.session;
        let plan = session.plan()?;
        let existing = String::from_utf8_lossy(plan.bytes()).into_owned();
        let leaf = plan.leaf_meant(id)?;
        let id = plan.tree.node(leaf).id.as_str();
        if session.repository.head()?.is_some() {
            // Recorded steps would no longer count.
            let state = plan.state(&read_run(&session.repository, &plan, &session.work_tree)?, leaf);
            if state != State::Pending {
                let what = format!("{id} is {} and can no longer be split", state.word());
                let remedy = "Nothing was written. Add a new task to the plan for what is left to do.";
                return Err(Error::new(Kind::Input, what, remedy));
            }
        }
        self.work(&Order {
            prompt: &|form| expand_prompt(&plan.tree, leaf, form),
            make: &|draft, _| draft.below(&existing, id),
            split: Some(id),
            title: format!("Split {id} of the plan"),
            sources: String::new(),
        })
    }

    /// Asks the planner, shows what it has drafted, and writes it, on a terminal after a yes.
    fn work(&self, order: &Order<'_>) -> Result<()> {
        let Self { call, session, target, commits } = *self;
        let lookup = Lookup::new(&call.environment, &session.work_tree.top);
        let planner = RunnerChain::choose(&session.config, &lookup, Role::Implementer)?.first().clone();
        let command = if order.split.is_some() { "build --expand" } else { "build --planner" };
        let consultation = Consultation::begin(session, &call.environment, command)?;
        let text = self.plan(&consultation, &planner, order)?;
        let label = planner.label();
        let loaded =
            TaskTree::from_json(text.as_bytes()).expect("a draft is accepted only if it is a valid tree");
        for warning in in_file(&loaded.warnings, &target.shown) {
            report::warn(&session.screen, &warning);
        }
        let view = DraftView { file: &target.shown, tree: &loaded.tree, split: order.split, planner: &label };
        report::print(&view.text(&session.screen))?;
        if report::confirm("", "Write this plan?") == Some(false) {
            let remedy = "The same command asks the agent again.";
            return Err(Error::new(Kind::No, "nothing was written", remedy));
        }
        target.write(&text)?;
        warn_of_doubts(text.as_bytes(), &target.shown, session, &call.environment);
        if commits {
            let message = format!("{}\n\nDrafted by {label}{}.\n", order.title, order.sources);
            let made = target.commit(session, &consultation.lock, &message)?;
            report::print(&target.committed(made.as_ref(), &message))?;
        }
        Ok(())
    }

    /// Asks for a plan, answers what the planner asks, and asks once more if its plan cannot be used.
    fn plan(&self, asks: &Consultation<'_>, planner: &Runner, order: &Order<'_>) -> Result<String> {
        let label = planner.label();
        let mut base = (order.prompt)(AnswerForm::of(planner.takes_schema()));
        let mut prompt = base.clone();
        let (mut questions, mut is_second) = (0, false);
        loop {
            if report::can_ask() {
                report::eprint(&format!("Waiting for {label} ..."));
            }
            let said = self.answer(asks, planner, &prompt)?;
            let drafted = DraftedPlan::find(&String::from_utf8_lossy(&said));
            let problems = match drafted.and_then(|draft| (order.make)(&draft, planner)) {
                Ok(text) => return Ok(text),
                Err(problems) => problems,
            };
            if let Some(asked) = asked(&said, &prompt).filter(|_| questions < MOST_QUESTIONS) {
                let answer = ask_user(&label, &asked)?;
                questions += 1;
                base = answered_plan_prompt(&base, &asked, &answer);
                prompt.clone_from(&base);
            } else if is_second {
                let listed: Vec<String> =
                    problems.iter().take(SHOWN).map(|problem| one_line(problem)).collect();
                let listed = listed.join("\n");
                let what = format!("{label} was asked twice, but its plan cannot be used:\n{listed}");
                let remedy = "Run the same command again, or choose another runner with --planner.";
                return Err(Error::new(Kind::Environment, what, format!("Nothing was written. {remedy}")));
            } else {
                let count = counted(problems.len(), "problem");
                let first = problems.first().map(|problem| one_line(problem)).unwrap_or_default();
                let text = format!("the plan of {label} has {count} and is sent back: {first}");
                report::warn(&self.session.screen, &text);
                is_second = true;
                prompt = correct_plan_prompt(&base, &said, &problems);
            }
        }
    }

    /// What the planner says. It must end well and change nothing.
    fn answer(&self, asks: &Consultation<'_>, planner: &Runner, prompt: &str) -> Result<Vec<u8>> {
        let label = planner.label();
        let question = Question {
            runner: planner,
            role: Role::Reviewer,
            who: &format!("the planner {label}"),
            prompt,
            step: "plan",
            limit: self.session.config.duration(Setting::RunnerTimeout),
            limits: Limits { head: MOST_ANSWER, ..Limits::default() },
            place: None,
            schema: planner.takes_schema().then_some(&PLAN_SCHEMA),
        };
        let Answer { result: called, fault } = asks.ask(question)?;
        if let Some(Fault::Repository(what) | Fault::Files(what)) = fault {
            let look = "Look at what was changed, and put it back before you run anything else here. No plan was written.";
            return Err(Error::new(Kind::Unsafe, what, look));
        }
        let result = &called.job;
        if matches!(result.exit_reason, ExitReason::Cancelled) {
            return Err(Error::stopped(None, "Nothing was written."));
        }
        let said = result.last_line().map(|said| format!(" (it says: {said})")).unwrap_or_default();
        let printed_nothing = result.stdout.tail_lossy(1000).trim().is_empty();
        let (what, remedy) = match (&called.unavailable, &called.failure, &result.exit_reason) {
            (Some(unavailable), ..) => {
                let is_missing = unavailable.cause == Cause::Environment(Trouble::NotStarted);
                let noun = if is_missing { "the planner " } else { "" };
                let remedy = planner.remedy(unavailable.cause).unwrap_or_default();
                (format!("{noun}{}", unavailable.words(&label)), remedy)
            }
            (None, None, _) if !printed_nothing => return Ok(result.stdout.to_bytes_with_note()),
            (None, None, _) => (
                format!("the planner {label} printed nothing{said}"),
                "A planner prints the plan on standard output.".to_owned(),
            ),
            (None, Some(_), reason @ ExitReason::TimedOut { .. }) => (
                format!("the planner {label} {reason}"),
                "`git config arborist.runnerTimeout TIME` gives it more time.".to_owned(),
            ),
            (None, Some(why), _) => (
                format!("the planner {label} failed: {why}{said}"),
                "Correct the cause, then run the same command again.".to_owned(),
            ),
        };
        Err(Error::new(Kind::Environment, what, format!("{remedy} Nothing was written.").trim()))
    }
}

/// Passes on a question of the planner.
fn ask_user(planner: &str, question: &str) -> Result<String> {
    let asks = format!("{planner} asks: {}", question.trim());
    if report::can_ask() {
        report::eprint(&format!("\n{asks}\n"));
        if let Some(answer) = report::ask("Your answer [decide that yourself]: ", || false) {
            return Ok(if answer.is_empty() { "Decide that yourself.".to_owned() } else { answer });
        }
    }
    let remedy = "Nothing was written. Write the answer into the text, then run the same command again.";
    Err(Error::new(Kind::Person, one_line(&asks), remedy))
}

/// What a planner asks that was told `prompt`, as a document of the schema or on a line; `None` if it asks nothing.
fn asked(said: &[u8], prompt: &str) -> Option<String> {
    DraftedPlan::question(said).or_else(|| {
        match worker_report(said, AnsweredTo { prompt, has_changed: false }).answer {
            WorkerAnswer::Blocked(asked) => Some(asked.text),
            _ => None,
        }
    })
}
