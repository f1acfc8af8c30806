//! `git arborist build`: makes the plan that runs follow from an existing one, deterministically and offline.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::config::{Config, Override, Setting};
use crate::error::{Error, Kind, Result};
use crate::import::claims::{asks_to_adopt, unrecorded_claims};
use crate::import::naming::commit_subject;
use crate::import::planner::{Drafting, wants_planner};
use crate::import::search;
use crate::import::sources::{Sources, invalid, note_line, settle_sources};
use crate::import::target::{Built, Existing, Target};
use crate::import::tick::tick_boxes;
use crate::import::update::Update;
use crate::intervene::decisions::{Chosen, Recording};
use crate::launch::doubts::warn_of_doubts;
use crate::plan::building::{Recipe, Settled};
use crate::plan::formats::{Format, SourceFile, SourceNote};
use crate::record::CommitId;
use crate::report::{self, BuildOutcome, BuildView};
use crate::run::PlanSearch;
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::text::advice;
use crate::workflow::Decision;

/// The arguments of `build`.
#[derive(Args, Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Build {
    /// The plan: files, or folders with plans in them [default: the only plan in the work tree]
    #[arg(value_name = "FILE|FOLDER")]
    sources: Vec<PathBuf>,
    /// The format of the plan [default: recognised by path and content]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::all().map(|row| row.name)))]
    from: Option<String>,
    /// The file to write [default: task-tree.json at the top of the work tree]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Read the sources into the existing file again, and keep what was edited there by hand
    #[arg(long)]
    update: bool,
    /// Write an update without asking
    #[arg(short, long, requires = "update")]
    yes: bool,
    /// With --update: this task is still the same one although its name was corrected, so its steps count; may be repeated
    #[arg(long, value_name = "TASK", requires = "update")]
    same: Vec<String>,
    /// Only say whether the file is up to date, with exit status 1 if it is not
    #[arg(long, conflicts_with_all = ["update", "commit"])]
    check: bool,
    /// Tick the boxes of completed tasks in the Markdown sources of the plan, and write nothing else
    #[arg(long, conflicts_with_all = ["sources", "from", "output", "update", "check", "test_command", "test_map",
        "tag", "planner", "expand"])]
    tick: bool,
    /// Let this runner draft a plan from any text in the files
    #[arg(long, value_name = "RUNNER", conflicts_with_all = ["from", "update", "check", "test_command",
        "test_map", "tag", "json"])]
    planner: Option<String>,
    /// Let a runner split this task: the one of --planner, or the one that implements
    #[arg(long, value_name = "TASK", conflicts_with_all = ["sources", "from", "output", "update", "check",
        "test_command", "test_map", "tag", "json"])]
    expand: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Commit the file, or with --tick the sources
    #[arg(long)]
    commit: bool,
    /// Record that you vouch for the tasks that the plan says are done, one commit for each
    #[arg(long, requires = "commit", conflicts_with_all = ["check", "tick", "planner", "expand", "json"])]
    adopt_done: bool,
    /// Whether to ask if tasks that the plan says are done are done.
    #[arg(skip)]
    asks_done: bool,
    /// What an agent is to make a plan of, instead of files.
    #[arg(skip)]
    idea: Option<String>,
    /// The test command of tasks that have none [default: arborist.suite]
    #[arg(long, value_name = "CMD")]
    test_command: Option<String>,
    /// The test command of tasks without one that mention a file that GLOB matches; may be repeated
    #[arg(long, value_name = "GLOB=CMD")]
    test_map: Vec<String>,
    /// The tag of Task Master to read [default: that of the plan, of state.json, the only one, or master]
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
}

/// Makes a plan ready without any options, and asks on a terminal whether what it says is done is done.
///
/// # Errors
/// If the plan has mistakes, or one is there that was made by hand.
pub(super) fn from_plan(call: &Call, plan: &Path) -> Result<Exit> {
    Build { sources: vec![plan.to_owned()], asks_done: true, ..Build::default() }.run(call)
}

/// Lets the runner that implements draft a plan of an idea: a sentence, or the path of a file.
///
/// # Errors
/// If the runner cannot work, or what it writes is no plan, or is not wanted.
pub(super) fn from_idea(call: &Call, idea: &str) -> Result<Exit> {
    Build { idea: Some(idea.to_owned()), ..Build::default() }.run(call)
}

/// Lets the runner that implements split a task of the plan, and commits that.
///
/// # Errors
/// If the runner cannot work, or what it writes is no plan.
pub(super) fn expand_and_commit(call: &Call, task: &str) -> Result<Exit> {
    Build { expand: Some(task.to_owned()), commit: true, ..Build::default() }.run(call)
}

impl Command for Build {
    const SUMMARY: Summary =
        Summary { name: "build", group: Group::Start, about: "make a plan ready to be worked on" };

    const MANUAL: &'static str = include_str!("manual/build.md");

    const OFFERS_TREE: bool = false;

    fn run(self, call: &Call) -> Result<Exit> {
        if self.tick {
            return self.tick(call);
        }
        if self.expand.is_some() || self.planner.is_some() || self.idea.is_some() {
            return self.draft(call);
        }
        let session = Session::open(call, Vec::new())?;
        let has_no_choice = self.from.is_some() || self.update || self.check || self.json;
        if !has_no_choice && wants_planner(&session, &self.sources)? {
            return self.draft(call);
        }
        let target = Target::of(self.output.as_deref(), &session, &call.environment.folder()?);
        let existing = Existing::read(&target)?;
        let sources = self.sources(&session, existing.as_ref())?;
        let recipe = self.recipe(&sources, existing.as_ref(), &session.config);
        let earlier = existing.as_ref().and_then(|existing| existing.record.as_ref());
        let settled = &settle_sources(&session.work_tree.top, &sources, &recipe, earlier, true)?;
        let doubts = &self.doubts(call, settled, existing.as_ref().map(|_| &target));
        let view = BuildView { settled, doubts, file: &target.shown, tree: None, merged: None };
        if !settled.problems.is_empty() {
            self.print_json(&view, BuildOutcome::default())?;
            return Err(invalid(&settled.problems, &sources.files));
        }
        for warning in doubts.iter().filter(|_| !self.json) {
            report::warn(&session.screen, &note_line(warning, &sources.files));
        }
        let asks = self.update && !self.yes && !self.json && report::can_ask();
        let update = Update { call, screen: &session.screen, asks, is_confirmed: self.yes };
        let build = |same: &[String]| Built::new(settled, existing.as_ref(), &target, same);
        let mut built = build(&self.same)?;
        let same = if self.check { Vec::new() } else { update.same_tasks(&built, &self.same)? };
        if !same.is_empty() {
            built = build(&[same, self.same.clone()].concat())?;
        }
        let view = BuildView { tree: Some(&built.tree), merged: built.merged.as_ref(), ..view };
        if self.check {
            return self.check(&view, built.is_current);
        }
        let wants = || report::confirm(view.check_text(false).trim_end(), "Write this?") == Some(true);
        if existing.is_some() && !built.is_current && asks && !wants() {
            let remedy = format!("{} asks again, and with --yes it does not ask.", advice::build_update());
            return Err(Error::new(Kind::No, "nothing was written", remedy));
        }
        if let Some(existing) = existing.as_ref().filter(|_| !self.update && !built.loses_nothing) {
            return Err(existing.refusal(&target));
        }
        let was_current = built.is_current;
        if !was_current {
            target.write(&built.text)?;
        }
        if !self.json {
            report::print_sentences(&view.text(&session.screen))?;
            warn_of_doubts(built.text.as_bytes(), &target.shown, &session, &call.environment);
        }
        let commit = if self.commit { self.commit(&session, &target, settled)? } else { None };
        let id = commit.map(|id| id.to_string());
        self.print_json(&view, BuildOutcome { was_current, written: !was_current, commit: id.as_deref() })?;
        let adopts = self.adopt_done
            // On a branch without a commit, no task can be vouched for.
            || self.asks_done && session.repository.branch().is_ok() && asks_to_adopt(settled);
        if adopts && !self.commit {
            self.commit(&session, &target, settled)?;
        }
        if adopts { Self::adopt(call, settled, &target) } else { Ok(Exit::Done) }
    }
}

impl Build {
    /// Ticks the boxes of completed tasks in the sources of the plan.
    fn tick(&self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let screen = session.screen;
        let view = tick_boxes(session, self.commit)?;
        if self.json {
            report::print(&view.json())?;
        } else {
            view.warnings().iter().for_each(|warning| report::warn(&screen, warning));
            report::print(&view.text())?;
        }
        Ok(Exit::Done)
    }

    /// Lets an agent draft a plan, or split a task of the one that is there.
    fn draft(&self, call: &Call) -> Result<Exit> {
        let planner =
            self.planner.iter().map(|name| Override::new(Setting::ImplementRunner, "--planner", name));
        let session = &Session::open(call, planner.collect())?;
        // Only a whole plan may go to another file.
        let output = self.output.as_deref().filter(|_| self.expand.is_none());
        let target = &Target::of(output, session, &call.environment.folder()?);
        let drafting = Drafting { call, session, target, commits: self.commit };
        if let Some(task) = &self.expand {
            drafting.split(task)?;
            return Ok(Exit::Done);
        }
        let search = PlanSearch { top: &session.work_tree.top, from: None };
        let folder = call.environment.folder()?;
        let texts = match &self.idea {
            Some(file) if folder.join(file).is_file() => vec![search::read(search, &folder.join(file))?],
            Some(text) => vec![SourceFile { path: "What is to be built".to_owned(), text: text.clone() }],
            None => {
                search::files(search, &self.sources.iter().map(|path| folder.join(path)).collect::<Vec<_>>())?
            }
        };
        drafting.draft(&texts)?;
        Ok(Exit::Done)
    }

    /// The tasks that the plan says are done and that have not begun, as far as that can be read.
    fn open_claims(call: &Call, settled: &Settled, target: &Target) -> Option<HashSet<String>> {
        let session = Session::open(call, vec![target.as_tree()]).ok()?;
        let plan = session.plan().ok()?;
        let state = PlanState::of(session, plan).ok()?;
        let open = unrecorded_claims(settled, &state).into_iter();
        Some(open.map(|leaf| state.plan.tree.node(leaf).id.to_string()).collect())
    }

    /// Records the completion of every task that the plan says is done and that has not begun. The plan is committed.
    fn adopt(call: &Call, settled: &Settled, target: &Target) -> Result<Exit> {
        let words = format!("ticked in {}", settled.spec_files.join(", "));
        let session = Session::open(call, vec![target.as_tree()])?;
        let recording =
            Recording { command: "build", decision: Decision::Complete, words: &words, request: None };
        recording.record_in(call, session, |plan_state| {
            let chosen: Vec<Chosen> =
                unrecorded_claims(settled, plan_state).into_iter().map(Chosen::Task).collect();
            if chosen.is_empty() {
                report::eprint("There is nothing to vouch for: no pending task is ticked in the plan.");
            }
            Ok(chosen)
        })
    }

    /// The warnings about the sources; `built` is the plan that was built from them before.
    fn doubts(&self, call: &Call, settled: &Settled, built: Option<&Target>) -> Vec<SourceNote> {
        let has_claims = settled.tasks().any(|node| node.read.claimed);
        let open = built.filter(|_| has_claims).and_then(|target| Self::open_claims(call, settled, target));
        settled.doubts(&|id| !self.adopt_done && open.as_ref().is_none_or(|open| open.contains(id)))
    }

    fn check(&self, view: &BuildView<'_>, is_current: bool) -> Result<Exit> {
        self.print_json(view, BuildOutcome { was_current: is_current, ..BuildOutcome::default() })?;
        if !self.json {
            report::print(&view.check_text(is_current))?;
        }
        if is_current {
            return Ok(Exit::Done);
        }
        report::eprint(&format!("{} updates it.", advice::build_update()));
        Ok(Exit::No)
    }

    /// Prints the JSON document, if it is wanted.
    fn print_json(&self, view: &BuildView<'_>, outcome: BuildOutcome<'_>) -> Result<()> {
        if self.json { report::print(&view.json(outcome)) } else { Ok(()) }
    }

    fn sources(&self, session: &Session, existing: Option<&Existing>) -> Result<Sources> {
        let before = existing.filter(|_| self.update || self.check);
        let recorded = before.and_then(|before| Some(&before.record.as_ref()?.recipe));
        let mut search = PlanSearch {
            top: &session.work_tree.top,
            from: self.from.as_deref().and_then(Format::from_name),
        };
        if !self.sources.is_empty() {
            return search::named(search, &self.sources);
        }
        if let Some(planner) = recorded.and_then(|recipe| recipe.planner.as_ref()) {
            let what =
                format!("{planner} has drafted this plan, so it has no source that could be read again");
            let remedy = "Edit the file by hand, or draft another plan with --planner and -o.";
            return Err(Error::new(Kind::Input, what, remedy));
        }
        search.from = search.from.or_else(|| Format::from_name(&recorded?.format));
        match before.filter(|before| !before.spec_files().is_empty()) {
            Some(before) => {
                let files: Vec<PathBuf> =
                    before.spec_files().iter().map(|file| search.top.join(file)).collect();
                search::named(search, &files)
            }
            None => search::only_one(search),
        }
    }

    /// How the tree is built: as the options say, otherwise as it was built from the same files before.
    fn recipe(&self, sources: &Sources, existing: Option<&Existing>, config: &Config) -> Recipe {
        let Sources { format, files } = sources;
        let before = existing.filter(|existing| {
            existing.spec_files().iter().eq(files.iter().map(|file| &file.path)) || self.update || self.check
        });
        let first = || Recipe { test_command: config.optional(Setting::Suite), ..Recipe::default() };
        let before = before
            .and_then(|before| before.record.as_ref())
            .map_or_else(first, |record| record.recipe.clone());
        let test_command = self.test_command.clone().or(before.test_command);
        Recipe {
            format: format.row().name.to_owned(),
            tag: self.tag.clone().or(before.tag),
            test_command: test_command.filter(|command| !command.trim().is_empty()),
            test_map: if self.test_map.is_empty() { before.test_map } else { self.test_map.clone() },
            planner: None,
        }
    }

    fn commit(&self, session: &Session, target: &Target, settled: &Settled) -> Result<Option<CommitId>> {
        let verb = if self.update { "Update" } else { "Add" };
        let subject = commit_subject(&session.config, verb, &settled.spec_id);
        let message = format!("{subject}\n\nBuilt from {}.\n", settled.spec_files.join(", "));
        let lock = lock(session, "build")?;
        let made = target.commit(session, &lock, &message)?;
        if !self.json {
            report::print(&target.committed(made.as_ref(), &message))?;
        }
        Ok(made)
    }
}
