//! `build --planner` and `build --expand`: an agent drafts a plan or splits a task. What it writes is checked like every
//! plan, and it gets one chance to correct it.

use std::path::PathBuf;

use super::naming::commit_subject;
use super::sources::Search;
use super::target::{Existing, Target};
use crate::agents::{Cause, ExitReason, Limits, Lookup, Runner, RunnerChain, RunnerResult};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::launch::consultation::{Answer, Consultation, Fault, Question};
use crate::plan::building::DraftedPlan;
use crate::plan::formats::SourceFile;
use crate::plan::{NodeIx, TaskTree};
use crate::record::{Role, State};
use crate::report::{self, DraftView};
use crate::run::{Plan, read_run};
use crate::session::{Call, Session};
use crate::text::{advice, one_line};
use crate::workflow::{correct_plan_prompt, expand_prompt, plan_prompt};

/// The largest text that is sent to a planner, in bytes.
const MOST_TEXT: usize = 512 << 10;

/// How much of the answer of a planner is kept, in bytes.
const MOST_ANSWER: usize = 4 << 20;

/// What an agent is asked to draft.
struct DraftOrder<'a> {
    prompt: String,
    /// Makes the text of the tree file from a draft, or says what is wrong with it.
    make: &'a dyn Fn(&DraftedPlan) -> std::result::Result<String, Vec<String>>,
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

impl Drafting<'_> {
    /// Lets an agent draft a plan from texts.
    ///
    /// # Errors
    /// If there is a tree file already, or the planner writes no valid plan.
    pub(crate) fn draft(&self, sources: &[PathBuf]) -> Result<()> {
        let Self { call, session, target, .. } = *self;
        if Existing::read(target)?.is_some() {
            return Err(Error::new(
                Kind::Input,
                format!("{} exists, but a planner writes a new plan", target.shown),
                "Nothing was written. `-o FILE` writes another file; `--expand TASK` splits a task of this one.",
            ));
        }
        if sources.is_empty() {
            let remedy = format!("Name the files: {}.", advice::build_planner("RUNNER", "FILE..."));
            return Err(Error::new(Kind::Input, "a planner needs a text from which to make a plan", remedy));
        }
        let folder = call.environment.folder()?;
        let sources: Vec<PathBuf> = sources.iter().map(|path| folder.join(path)).collect();
        let texts = texts(&Search { top: &session.work_tree.top, from: None }, &sources)?;
        let spec_id = target.path.file_stem().map_or_else(|| "plan".into(), |stem| stem.to_string_lossy());
        let planner = self.planner()?;
        let label = planner.label();
        let make = |draft: &DraftedPlan| {
            draft
                .to_tree(&spec_id, &label)
                .map_err(|problems| problems.listed().iter().map(ToString::to_string).collect())
        };
        let order = DraftOrder { prompt: plan_prompt(&texts), make: &make };
        let consultation = Consultation::begin(session, &call.environment, "build --planner")?;
        let text = consult(session, &consultation, &planner, &order)?;
        let paths: Vec<String> = texts.into_iter().map(|text| text.path).collect();
        let subject = commit_subject(&session.config, "Add", &spec_id);
        let message = format!("{subject}\n\nDrafted by {label} from {}.\n", paths.join(", "));
        let drafted = Drafted { text: &text, message: &message, split: None, planner: &label };
        self.finish(&consultation, drafted)
    }

    /// Lets an agent split a task of the plan.
    ///
    /// # Errors
    /// If the task has steps already, or the planner writes no valid plan.
    pub(crate) fn split(&self, id: &str) -> Result<()> {
        let Self { call, session, .. } = *self;
        let file = session.plan_file()?;
        let existing = String::from_utf8_lossy(file.bytes()).into_owned();
        let plan = session.plan_in(file)?;
        let leaf = plan.leaf_meant(id)?;
        let id = plan.tree.node(leaf).id.as_str();
        let planner = self.planner()?;
        if session.repository.head()?.is_some() {
            refuse_begun(session, &plan, leaf)?;
        }
        let make = |draft: &DraftedPlan| draft.below(&existing, id);
        let order = DraftOrder { prompt: expand_prompt(&plan.tree, leaf), make: &make };
        let consultation = Consultation::begin(session, &call.environment, "build --expand")?;
        let text = consult(session, &consultation, &planner, &order)?;
        let label = planner.label();
        let message = format!("Split {id} of the plan\n\nDrafted by {label}.\n");
        let drafted = Drafted { text: &text, message: &message, split: Some(id), planner: &label };
        self.finish(&consultation, drafted)
    }

    fn planner(&self) -> Result<Runner> {
        let Session { config, work_tree, .. } = self.session;
        let lookup = Lookup::new(&self.call.environment, &work_tree.top);
        RunnerChain::choose(config, &lookup, Role::Implementer).map(|chain| chain.first().clone())
    }

    /// Writes the tree file, and commits it if the user wants that.
    fn finish(&self, consultation: &Consultation<'_>, drafted: Drafted<'_>) -> Result<()> {
        let Self { session, target, .. } = *self;
        let Drafted { text, message, split, planner } = drafted;
        let loaded =
            TaskTree::from_json(text.as_bytes()).expect("a draft is accepted only if it is a valid tree");
        for warning in loaded.warnings.in_file(&target.shown) {
            report::warn(&session.screen, &warning);
        }
        target.write(text)?;
        let view = DraftView { file: &target.shown, tree: &loaded.tree, split, planner };
        report::print(&view.text(&session.screen))?;
        if self.commits {
            let made = target.commit(session, consultation.lock(), message)?;
            report::print(&target.committed(made.as_ref(), message))?;
        }
        Ok(())
    }
}

/// The texts in these files.
fn texts(search: &Search<'_>, files: &[PathBuf]) -> Result<Vec<SourceFile>> {
    let texts = files.iter().map(|path| search.read(path)).collect::<Result<Vec<_>>>()?;
    if texts.iter().map(|source| source.text.len()).sum::<usize>() > MOST_TEXT {
        let what = format!("the text for the planner has more than {} KiB", MOST_TEXT >> 10);
        return Err(Error::new(Kind::Input, what, "Name fewer or shorter files. Nothing was written."));
    }
    Ok(texts)
}

/// A tree that an agent has drafted.
#[derive(Clone, Copy)]
struct Drafted<'a> {
    text: &'a str,
    /// The message of the commit.
    message: &'a str,
    /// The task that was split.
    split: Option<&'a str>,
    planner: &'a str,
}

/// Refuses to split a task that has recorded steps: they would no longer count.
fn refuse_begun(session: &Session, plan: &Plan, leaf: NodeIx) -> Result<()> {
    let state = plan.state(&read_run(&session.repository, plan, &session.work_tree)?, leaf);
    if state == State::Pending {
        return Ok(());
    }
    Err(Error::new(
        Kind::Input,
        format!("{} is {} and can no longer be split", plan.tree.node(leaf).id, state.word()),
        "Nothing was written. Add a new task to the plan for what is left to do.",
    ))
}

/// Asks a planner, and once more if its plan cannot be used.
fn consult(
    session: &Session,
    consultation: &Consultation<'_>,
    planner: &Runner,
    order: &DraftOrder<'_>,
) -> Result<String> {
    let first = answer(session, consultation, planner, &order.prompt)?;
    let problems = match attempt(&first, order) {
        Ok(text) => return Ok(text),
        Err(problems) => problems,
    };
    let label = planner.label();
    report::warn(
        &session.screen,
        &format!("the plan of {label} has {} and is sent back: {}", counted(&problems), first_of(&problems)),
    );
    let again = correct_plan_prompt(&order.prompt, &first, &problems);
    let second = answer(session, consultation, planner, &again)?;
    attempt(&second, order).map_err(|problems| {
        const SHOWN: usize = 20;
        let listed: Vec<String> = problems.iter().take(SHOWN).map(|problem| one_line(problem)).collect();
        Error::new(
            Kind::Environment,
            format!("{label} was asked twice, but its plan cannot be used:\n{}", listed.join("\n")),
            "Nothing was written. Run the same command again, or choose another runner with --planner.",
        )
    })
}

fn attempt(said: &[u8], order: &DraftOrder<'_>) -> std::result::Result<String, Vec<String>> {
    (order.make)(&DraftedPlan::find(&String::from_utf8_lossy(said))?)
}

fn counted(problems: &[String]) -> String {
    if problems.len() == 1 { "a problem".to_owned() } else { format!("{} problems", problems.len()) }
}

fn first_of(problems: &[String]) -> String {
    problems.first().map(|problem| one_line(problem)).unwrap_or_default()
}

/// What a planner says. It must end well and change nothing.
fn answer(
    session: &Session,
    consultation: &Consultation<'_>,
    planner: &Runner,
    prompt: &str,
) -> Result<Vec<u8>> {
    let label = planner.label();
    let question = Question {
        runner: planner,
        role: Role::Reviewer,
        who: &format!("the planner {label}"),
        prompt,
        step: "plan",
        limit: session.config.duration(Setting::RunnerTimeout),
        limits: Limits { head: MOST_ANSWER, ..Limits::default() },
        place: None,
    };
    let Answer { result, fault } = consultation.ask(question)?;
    match fault {
        Some(Fault::Repository(what)) => {
            let remedy = "Look at what was changed, and put it back before you run anything else here. No plan was written.";
            return Err(Error::new(Kind::Unsafe, what, remedy));
        }
        Some(Fault::Files(what)) => {
            let remedy = "Look at them, and take back what you do not want. No plan was written.";
            return Err(Error::new(Kind::Unsafe, what, remedy));
        }
        None => {}
    }
    require_answer(planner, &result)?;
    Ok(result.job.stdout.to_bytes_with_note())
}

/// Makes sure that a planner could work, ended well and printed something.
fn require_answer(planner: &Runner, called: &RunnerResult) -> Result<()> {
    let result = &called.job;
    let label = planner.label();
    let none = |what: String, remedy: &str| {
        let remedy = format!("{remedy} Nothing was written.");
        Err(Error::new(Kind::Environment, what, remedy.trim()))
    };
    if matches!(result.exit_reason, ExitReason::Cancelled) {
        return Err(Error::stopped(None, "Nothing was written."));
    }
    if let Some(unavailable) = &called.unavailable {
        let noun = if unavailable.cause == Cause::NotStarted { "the planner " } else { "" };
        return none(
            format!("{noun}{}", unavailable.words(&label)),
            &planner.remedy(unavailable.cause).unwrap_or_default(),
        );
    }
    let said = result.last_line().map(|said| format!(" (it says: {said})")).unwrap_or_default();
    match (&called.failure, &result.exit_reason) {
        (None, _) if !result.stdout.tail_lossy(1000).trim().is_empty() => Ok(()),
        (None, _) => none(
            format!("the planner {label} printed nothing{said}"),
            "A planner prints the plan on standard output.",
        ),
        (_, ExitReason::TimedOut { .. }) => none(
            format!("the planner {label} {}", result.exit_reason),
            "`git config arborist.runnerTimeout TIME` gives it more time.",
        ),
        (Some(why), _) => none(
            format!("the planner {label} failed: {why}{said}"),
            "Correct the cause, then run the same command again.",
        ),
    }
}
