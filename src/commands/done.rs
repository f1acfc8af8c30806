//! `git arborist done`: takes the changes in the work tree as a step, and runs the tests of the task. No agent is asked.

use clap::Args;

use super::after_done::{AfterDone, Looking};
use crate::engine::{RunEnd, RunPart};
use crate::error::{Error, Kind, Result};
use crate::history::Run;
use crate::intervene::decisions::{Words, leaf_decided_about};
use crate::launch::before_run::{RunKind, Start};
use crate::launch::monitor::tally::RunTally;
use crate::launch::options::RunOptions;
use crate::launch::run::perform;
use crate::launch::runners::has_reviewer;
use crate::plan::NodeIx;
use crate::record::{CommitId, State};
use crate::report::{self, DoneDocument, Printed, json_document};
use crate::run::{Plan, TaskScope, read_run, task_configs};
use crate::serve::{DoneWork, HandIn, commit_of_unit};
use crate::session::{Call, Command, Exit, Group, Session, Summary, require_person};
use crate::text::advice::{self, Advice};
use crate::text::{one_line, without_commands};
use crate::workflow::{BLOCKED, UnitName};

/// The commands that workers use.
const OF_WORKERS: [&str; 2] = ["git arborist next", "git arborist done"];
/// The name of the worker that asks a question in a step, if it is you.
const USER: &str = "user";
/// The longest name of a worker, in characters.
const NAME_LIMIT: usize = 60;

/// The arguments of `done`.
#[derive(Args, Clone, Debug, Default)]
pub struct Done {
    /// The unit of work that `next` has printed, or a task that your changes belong to [default: the task that is in the
    /// middle of its steps]
    #[arg(value_name = "UNIT")]
    unit: Option<String>,
    /// The commits with your work on the task, up to the newest one of the branch: a range such as `main..HEAD`, or a commit
    /// [default: the changes in the work tree]
    #[arg(value_name = "RANGE", conflicts_with_all = ["worker", "blocked"])]
    range: Option<String>,
    /// The name of the program that has done the work, for the commit [default: you have]
    #[arg(long, value_name = "NAME", value_parser = worker_name)]
    worker: Option<String>,
    /// Ask a person instead of handing in work: the message is the question, and no attempt is used up
    #[arg(long)]
    blocked: bool,
    /// Confirm the test commands of the plan, which otherwise has to be done on a terminal once
    #[arg(short, long)]
    yes: bool,
    /// Print the verdict, the evidence and the next unit as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    words: Words,
}

impl Command for Done {
    const SUMMARY: Summary = Summary {
        name: "done",
        group: Group::Intervene,
        about: "hand in your own changes as the work on a task, and run its tests",
    };

    const MANUAL: &'static str = include_str!("manual/done.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let shown = |document: &DoneDocument<'_>| json_document(&Printed::new("done", document));
        let DoneAnswer { document, result } = self.answer(call, &shown);
        if let Some(document) = document {
            report::print(&call.mask(&document))?;
        }
        result
    }
}

/// What `done` says.
pub(super) struct DoneAnswer<T> {
    /// The document as it is shown, if one was asked for.
    pub(super) document: Option<T>,
    /// How it ended.
    pub(super) result: Result<Exit>,
}

impl Done {
    /// Hands in the unit that a program has worked on.
    pub(super) fn of_worker(unit: &str, worker: &str, words: &str) -> Self {
        let (unit, worker) = (Some(unit.to_owned()), Some(worker.to_owned()));
        Self { unit, worker, json: true, words: Words::of(words), ..Self::default() }
    }

    /// Hands in the work, and says what has become of it, in a document that is shown so.
    pub(super) fn answer<T>(&self, call: &Call, shown: &dyn Fn(&DoneDocument<'_>) -> T) -> DoneAnswer<T> {
        let mut task = None;
        let handed_in = self.hand_in(call, &mut task, shown).map_err(|error| match &self.worker {
            Some(_) => for_program(&error),
            None => error,
        });
        match handed_in {
            Ok(DoneOutcome { exit, document }) => DoneAnswer { document, result: Ok(exit) },
            Err(error) => {
                let is_told = self.json && !matches!(error.kind(), Kind::Signal(_));
                let document = is_told.then(|| {
                    let error = call.mask_error(&error);
                    shown(&DoneDocument::refused(task.as_deref(), error.what(), error.remedy()))
                });
                DoneAnswer { document, result: Err(error) }
            }
        }
    }
}

/// How work was handed in.
struct DoneOutcome<T> {
    exit: Exit,
    /// The document as it is shown, if one was asked for.
    document: Option<T>,
}

/// The task whose work was taken in, and how the run over its steps ended.
struct TakenWork {
    leaf: NodeIx,
    end: RunEnd,
    tally: RunTally,
}

/// What a call hands in.
struct Request {
    unit: Option<UnitName>,
    task: Option<String>,
}

impl Done {
    /// What is handed in besides the work: a message or, if the worker is blocked, an answer that says so.
    fn said(&self, call: &Call) -> Result<String> {
        let words = self.words.text(call)?;
        if !self.blocked {
            return Ok(words);
        }
        if words.trim().is_empty() {
            return Err(Error::new(
                Kind::Input,
                "--blocked needs the question",
                "Say with -m what you need to know before the work can go on.",
            ));
        }
        Ok(with_question("", &words))
    }

    fn hand_in<T>(
        &self,
        call: &Call,
        task: &mut Option<String>,
        shown: &dyn Fn(&DoneDocument<'_>) -> T,
    ) -> Result<DoneOutcome<T>> {
        let words = self.said(call)?;
        let options = &RunOptions::with_users_changes(self.yes);
        let session = &options.open(call)?;
        // A person's work would need no evidence of who has done it.
        if self.worker.is_none() {
            require_person(call, session, Self::SUMMARY.name)?;
        }
        let request = self.request(session)?;
        task.clone_from(&request.task);
        let plan = &session.plan_to_run()?;
        let tasks = &task_configs(&session.config, plan);
        let named = request.task.as_ref().map(|id| leaf_decided_about(plan, id)).transpose()?;
        let again = self.again();
        let start = Start {
            kind: RunKind::Done,
            call,
            options,
            session,
            plan,
            tasks,
            again: &again,
            part: &RunPart::Whole,
        };
        start.confirm_commands()?;
        let before = session.repository.head()?;
        let work = DoneWork {
            unit: request.unit.as_ref(),
            worker: self.worker.as_deref().or(self.blocked.then_some(USER)),
            words: &words,
            committed_since: self.range.as_ref().map(|range| base_of(session, range)).transpose()?,
        };
        let TakenWork { leaf, end, tally } = self.take(start, named, work)?;
        let run = &read_run(&session.repository, plan, &session.work_tree)?;
        let looking = Looking { session, plan, run, tasks, by_program: self.worker.is_some() };
        let after = AfterDone::read(looking, leaf, before)?;
        let exit = exit_of(&after);
        if self.json {
            return Ok(DoneOutcome { exit, document: Some(shown(&self.view(&after))) });
        }
        start.conclude(&end, &tally)?;
        if after.has_failed() {
            return Err(after.failed());
        }
        report::eprint(&after.passed());
        Ok(DoneOutcome { exit, document: None })
    }

    /// Takes in the work on the task that was named or, if none was, on the one that is in the middle of its steps.
    fn take(&self, start: Start<'_>, named: Option<NodeIx>, work: DoneWork<'_>) -> Result<TakenWork> {
        let Start { plan, tasks, .. } = start;
        let is_reviewed = |leaf: &NodeIx| self.worker.is_some() && has_reviewer(tasks.of(*leaf));
        let reviewed: Vec<NodeIx> = named.into_iter().filter(is_reviewed).collect();
        let mut taken = None;
        let (end, tally) = perform(start, &mut None, &reviewed, |engine| {
            // Only now: a step that an earlier run could not commit is committed when the engine opens.
            let leaf = match named {
                Some(leaf) => leaf,
                None => in_the_middle(plan, &*engine.read()?)?,
            };
            taken = Some(leaf);
            HandIn { engine }.take_in(leaf, work)?;
            // The other tasks have nothing to do with this command.
            let RunEnd { complete, skipped, .. } = RunEnd::of(plan, &*engine.read()?, &TaskScope::All);
            Ok(RunEnd { complete, skipped, ..RunEnd::default() })
        })?;
        let leaf = taken.expect("the work has ended well, so a task was chosen");
        Ok(TakenWork { leaf, end, tally })
    }

    /// What is printed as JSON. Workers may not use every command.
    fn view<'v>(&self, after: &'v AfterDone<'_>) -> DoneDocument<'v> {
        let mut view = after.view();
        if self.worker.is_some() {
            view.remedy = without_commands(&view.remedy, &OF_WORKERS);
        }
        view
    }

    /// The command that goes on if this one is interrupted.
    fn again(&self) -> Advice {
        advice::done_any().of(self.unit.iter().chain(&self.range))
    }

    /// The unit or the task that the user has named.
    fn request(&self, session: &Session) -> Result<Request> {
        let is_program = self.worker.is_some();
        let text = match &self.unit {
            Some(text) => text.as_str(),
            None if !is_program => return Ok(Request { unit: None, task: None }),
            None => "",
        };
        if !is_program && !text.contains(['/', '@']) {
            return Ok(Request { unit: None, task: Some(text.to_owned()) });
        }
        let unit = UnitName::parse(text).ok_or_else(|| {
            Error::new(
                Kind::Input,
                match is_program {
                    true => {
                        format!("{:?} is not a unit of work, and a program has to name one", one_line(text))
                    }
                    false => format!("{} is neither a unit of work nor a task", one_line(text)),
                },
                format!("A unit looks like T003/implement/1@0cc5fa52d1e4.b1946ac92492. {}", current_unit()),
            )
        })?;
        // Where the commit is unknown, that says more than a task that is unknown too.
        commit_of_unit(&session.git, &unit)?;
        if self.range.is_some() {
            return Err(Error::new(
                Kind::Input,
                format!("{unit} is a unit, and commits are handed in for a task"),
                format!("Nothing was committed. Name the task: {}.", advice::done_range(unit.task, "RANGE")),
            ));
        }
        Ok(Request { task: Some(unit.task.to_string()), unit: Some(unit) })
    }
}

/// The commit before the commits that a person names.
fn base_of(session: &Session, range: &str) -> Result<CommitId> {
    let Session { git, repository, .. } = session;
    let head = repository.branch()?.commit;
    let (from, to) = range.split_once("..").map_or((None, range), |(from, to)| (Some(from), to));
    let named = |name: &str| git.commit_named(if name.is_empty() { "HEAD" } else { name });
    let refuse = |why: &str| {
        Error::new(
            Kind::Input,
            format!("`{}` {why}", one_line(range)),
            format!(
                "Nothing was committed. Name the commits of your work up to the newest one, as in {}; `git log --oneline` lists \
             them.",
                advice::done_range("TASK", "main..HEAD")
            ),
        )
    };
    let tip = named(to.trim_start_matches('.'))?.ok_or_else(|| refuse("is neither a commit nor a range"))?;
    let base = match from {
        Some(from) => named(from)?.ok_or_else(|| refuse("is neither a commit nor a range"))?,
        None => repository.first_parent(&tip)?.ok_or_else(|| refuse("has no commit before it"))?,
    };
    if tip != head {
        return Err(refuse("does not end with the newest commit of this branch"));
    }
    if base == tip || !git.is_ancestor(&base, &tip)? {
        return Err(refuse("is not a line of commits"));
    }
    Ok(base)
}

/// How the command ends after the work was taken in.
fn exit_of(after: &AfterDone<'_>) -> Exit {
    match (after.has_failed(), after.waits_for_answer()) {
        (true, _) => Exit::No,
        (false, true) => Exit::NeedsPerson,
        (false, false) => Exit::Done,
    }
}

/// The error without advice for people, for a program that hands in work.
fn for_program(error: &Error) -> Error {
    let without = |text| without_commands(text, &OF_WORKERS);
    let mut remedy = without(error.remedy());
    if remedy.is_empty() && error.kind() == Kind::Input {
        remedy = current_unit();
    }
    Error::new(error.kind(), without(error.what()), remedy)
}

/// How a worker gets the current unit.
pub(super) fn current_unit() -> String {
    format!("{} prints the current unit.", advice::next_unit())
}

/// The words of a worker that cannot go on without a person.
pub(super) fn with_question(words: &str, question: &str) -> String {
    format!("{}\n\n{BLOCKED}: {}", words.trim_end(), one_line(question)).trim_start().to_owned()
}

/// The name of a program, as the commit has it.
fn worker_name(text: &str) -> std::result::Result<String, String> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "._-+/@:".contains(c);
    if text.is_empty() || text.len() > NAME_LIMIT || !text.chars().all(is_fit) {
        return Err(format!("it must be at most {NAME_LIMIT} letters, digits and any of ._-+/@:"));
    }
    Ok(text.to_owned())
}

/// The only task that is in the middle of its steps.
fn in_the_middle(plan: &Plan, run: &Run) -> Result<NodeIx> {
    let is_active = |leaf: &NodeIx| {
        matches!(plan.state(run, *leaf), State::Implementing | State::Testing | State::Reviewing)
    };
    let active: Vec<NodeIx> = plan.tree.order().iter().copied().filter(is_active).collect();
    let ids: Vec<&str> = active.iter().map(|leaf| plan.tree.node(*leaf).id.as_str()).collect();
    match active.as_slice() {
        [leaf] => Ok(*leaf),
        [] => Err(Error::new(
            Kind::Input,
            "say which task your changes belong to: none is in the middle of its steps",
            format!("{} names it; {} lists all tasks.", advice::done("TASK"), advice::status()),
        )),
        [..] => Err(Error::new(
            Kind::Input,
            format!(
                "say which task your changes belong to: {} are in the middle of their steps",
                ids.join(", ")
            ),
            format!("For example {}.", advice::done(ids[0])),
        )),
    }
}
