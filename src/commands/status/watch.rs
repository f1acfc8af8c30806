//! `git arborist status --watch`: shows the state again whenever it changes, until the user leaves it.

use std::path::PathBuf;
use std::time::Duration;

use super::display::{Display, session};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::files::Stamp;
use crate::git::WorkTree;
use crate::inspect::effort::effort;
use crate::inspect::surroundings::RunSurroundings;
use crate::plan::NodeIx;
use crate::process::Interruptions;
use crate::report::{
    self, LiveForm, LiveScreen, Printed, RunDocument, Screen, Style, Symbols, TerminalSize, cut,
};
use crate::run::{BRANCH_FOLDER, Plan};
use crate::scheduler::RunWatcher;
use crate::session::plan_state::{PlanState, now};
use crate::session::{Call, Exit, Session};
use crate::text::{advice, one_line};
use crate::worktree::{ActiveRun, StopAfter, active_runs, request_stop};

/// How often the files are looked at that change with the state.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The files in the git directory of a work tree that change with every commit and with every step.
const JOURNALS: [&str; 2] = ["logs/HEAD", "arborist/journal.json"];
/// The keys that end it.
const LEAVE: [u8; 2] = *b"qQ";

/// How the state is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchForm {
    /// As a tree.
    Tree,
    /// In one line.
    Line,
    /// As a JSON document on a line of its own.
    Document,
}

/// Shows the state until the user leaves.
pub(super) fn watch(
    call: &Call,
    display: &Display,
    form: WatchForm,
    observer: Option<RunWatcher<'_>>,
) -> Result<Exit> {
    let asked = WatchRequest { display, form, warns: true };
    let mut watched = Watched::open(call, asked, observer.as_ref())?;
    let told = StateQuery { call, observer };
    let signals = Interruptions::watch().map_err(|error| {
        let what = format!("signals cannot be watched: {error}");
        Error::new(
            Kind::Environment,
            what,
            "Without them, an interrupted command would not restore the terminal.",
        )
    })?;
    if form != WatchForm::Document && report::out_is_terminal() && !call.environment.is_dumb() {
        watched.redraw(told, &signals)
    } else {
        watched.append(told, &signals)
    }
}

/// What is asked for the state.
struct StateQuery<'s> {
    call: &'s Call,
    /// Who looks at a run on a remote repository.
    observer: Option<RunWatcher<'s>>,
}

/// What the user wants to see.
#[derive(Clone, Copy)]
struct WatchRequest<'s> {
    display: &'s Display,
    form: WatchForm,
    /// Whether warnings about the plan are printed. They are told once.
    warns: bool,
}

/// The state, and what must change before it is read again.
struct Watched<'s> {
    asked: WatchRequest<'s>,
    plan_state: PlanState,
    surroundings: RunSurroundings,
    tasks: Option<Vec<NodeIx>>,
    paths: Vec<PathBuf>,
    traces: WatchedTraces,
    /// Why the state could not be read the last time.
    trouble: Option<String>,
    /// Why nothing could be learned from the remote repository.
    far_trouble: Option<String>,
    /// What became of the last key.
    said: Option<String>,
}

impl<'s> Watched<'s> {
    fn open(call: &Call, asked: WatchRequest<'s>, observer: Option<&RunWatcher<'_>>) -> Result<Self> {
        let session = session(call, observer)?;
        let file = session.plan_file()?;
        // They are looked at first: what changes while the state is read is then read once more.
        let paths = paths(&session, file.shown());
        let traces = WatchedTraces::of(&paths, &session.work_tree);
        let plan = if asked.warns { session.plan_in(file)? } else { Plan::from_file(file)? };
        let plan_state = PlanState::of(session, plan)?;
        let mut surroundings = RunSurroundings::of(&plan_state)?;
        surroundings.remote = observer.map(RunWatcher::remote);
        if asked.form == WatchForm::Document {
            surroundings.effort = effort(&plan_state)?;
        }
        let tasks = asked.display.tasks(&plan_state, &surroundings.document(&plan_state))?;
        let asked = WatchRequest { warns: false, ..asked };
        Ok(Self {
            asked,
            plan_state,
            surroundings,
            tasks,
            paths,
            traces,
            trouble: None,
            far_trouble: None,
            said: None,
        })
    }

    /// Reads the state again if it may have changed.
    fn refresh(&mut self, told: &mut StateQuery<'_>) {
        if let Some(observer) = &mut told.observer {
            observer.look_again();
            self.far_trouble = observer.trouble.as_deref().map(|trouble| told.call.mask(trouble));
        }
        let traces = WatchedTraces::of(&self.paths, &self.plan_state.session.work_tree);
        if traces == self.traces {
            return;
        }
        match Self::open(told.call, self.asked, told.observer.as_ref()) {
            Ok(now) => *self = now,
            // A file may be half written, or a branch be moved: it is read again after the next change.
            Err(error) => {
                self.traces = traces;
                self.trouble = Some(told.call.mask_error(&error).what().to_owned());
            }
        }
    }

    fn document(&self) -> RunDocument<'_> {
        self.surroundings.document(&self.plan_state)
    }

    fn screen(&self) -> Screen {
        self.asked.display.screen(&self.plan_state.session)
    }

    /// The lines that fit on a terminal.
    fn frame(&mut self, size: TerminalSize) -> Vec<String> {
        self.set_time(now());
        let screen = Screen { width: Some(size.columns), ..self.screen() };
        let document = self.document();
        let view = self.asked.display.view(&document, self.tasks.as_deref());
        let mut lines = match self.asked.form {
            WatchForm::Line => report::progress(&document, &screen).lines().map(str::to_owned).collect(),
            // The only line is that of the task.
            WatchForm::Tree | WatchForm::Document if size.rows < 2 => view.frame(&screen, size.rows),
            WatchForm::Tree | WatchForm::Document => {
                let mut lines = view.frame(&screen, size.rows - 1);
                let bottom = self.bottom_line(size.columns, screen.symbols);
                lines.push(screen.out.paint(Style::Dim, &cut(&bottom, size.columns, screen.symbols)));
                lines
            }
        };
        let trouble = self.trouble.as_ref().or(self.far_trouble.as_ref());
        if let (Some(trouble), WatchForm::Tree) = (trouble, self.asked.form) {
            lines.truncate(size.rows.saturating_sub(1));
            lines.push(format!("out of date: {trouble}"));
        }
        lines
    }

    /// All of it, as it is printed where nothing can be drawn again.
    fn text(&self) -> String {
        let (mut document, screen) = (self.document(), self.screen());
        match self.asked.form {
            WatchForm::Line => report::progress(&document, &screen),
            WatchForm::Tree => self.asked.display.view(&document, self.tasks.as_deref()).text(&screen),
            WatchForm::Document => {
                self.tasks.iter().for_each(|tasks| document.keep_tasks(tasks));
                report::json_line(&Printed::new("status", &document))
            }
        }
    }

    /// The project, its branch and the keys, or what became of the last one. Where there is no room for all of it, the keys matter
    /// most.
    fn bottom_line(&self, room: usize, symbols: Symbols) -> String {
        if let Some(said) = &self.said {
            return said.clone();
        }
        let far = self.surroundings.remote.clone();
        // Nobody can stop workers on other machines from here.
        let (keys, short) = match far {
            Some(_) => ("d: last change  q: quit", "d: last change  q: quit"),
            None => (
                "s: stop after this step  p: pause after this task  d: last change  q: quit",
                "s: stop  p: pause  d: change  q: quit",
            ),
        };
        let project = far.unwrap_or_else(|| self.plan_state.session.folder_name());
        let branch = self.plan_state.session.repository.branch();
        let branch = branch.map(|head| format!(" on {}", head.branch_name())).unwrap_or_default();
        let tag = self.plan_state.plan.tree.spec_id().filter(|tag| *tag != project);
        let tag = tag.map(|tag| format!(" [{tag}]")).unwrap_or_default();
        let all = format!("{project}{tag}{branch}   {keys}");
        let lines = [all, keys.to_owned(), format!("{project}   {short}")];
        let fits = |line: &String| cut(line, room, symbols) == *line;
        lines.into_iter().find(fits).unwrap_or_else(|| short.to_owned())
    }

    /// Does what a key asks for. Returns lines to show instead of the state, if it asks for some.
    fn press(&mut self, key: u8) -> Option<Vec<String>> {
        let after = match key {
            b's' | b'S' | b'p' | b'P' if self.surroundings.remote.is_some() => return None,
            b's' | b'S' => StopAfter::Step,
            b'p' | b'P' => StopAfter::Task,
            b'd' | b'D' => return self.last_change(),
            _ => return None,
        };
        let when = if after == StopAfter::Step { "this step" } else { "this task" };
        self.said = Some(match request_stop(&self.plan_state.session.work_tree, after) {
            Ok(run) => format!("{run} ends after {when}; {} goes on", advice::gardener()),
            Err(error) => error.what().to_owned(),
        });
        None
    }

    /// The change of the newest step that has changed files.
    fn last_change(&self) -> Option<Vec<String>> {
        let PlanState { session, run, .. } = &self.plan_state;
        let artifacts = [Setting::ReportDir, Setting::LogDir].map(|folder| session.config.text(folder));
        let artifacts: Vec<&str> = artifacts.iter().map(String::as_str).collect();
        let shown = session.git.newest_change(&run.range.head(), &artifacts).ok()?;
        Some(shown.lines().map(one_line).collect())
    }

    fn set_time(&mut self, now: i64) {
        self.plan_state.now = now;
        self.surroundings.look_at_clock(&self.plan_state);
    }

    fn redraw(&mut self, mut told: StateQuery<'_>, signals: &Interruptions) -> Result<Exit> {
        let form = match self.asked.form {
            WatchForm::Tree | WatchForm::Document => LiveForm::Page,
            WatchForm::Line => LiveForm::Line,
        };
        let mut terminal = LiveScreen::enter(form);
        let mut change: Option<Vec<String>> = None;
        let exit = loop {
            self.refresh(&mut told);
            let size = TerminalSize::of_output();
            match &change {
                Some(lines) => terminal.draw(lines.iter().take(size.rows).cloned().collect()),
                None => terminal.draw(self.frame(size)),
            }
            match terminal.key(POLL_INTERVAL) {
                // Any key leads back from a change.
                Some(_) if change.is_some() => change = None,
                Some(key) if LEAVE.contains(&key) => break Exit::Done,
                Some(key) => change = self.press(key),
                None => {}
            }
            if let Some(signal) = signals.end() {
                break Exit::Signal(signal);
            }
            if signals.wants_pause() {
                drop(terminal);
                Interruptions::pause();
                terminal = LiveScreen::enter(form);
            }
        };
        drop(terminal);
        // What was shown last stays visible.
        let lines = self.frame(TerminalSize::of_output());
        report::print(&format!("{}\n", lines.join("\n")))?;
        Ok(exit)
    }

    /// Prints the state again below, where nothing can be drawn again: in a pipe, and on a dumb terminal.
    fn append(&mut self, mut told: StateQuery<'_>, signals: &Interruptions) -> Result<Exit> {
        let started = now();
        let mut before = String::new();
        loop {
            self.refresh(&mut told);
            // Elapsed time alone does not count as a change.
            self.set_time(started);
            let text = self.text();
            if text != before {
                self.set_time(now());
                let gap = if before.is_empty() || self.asked.form != WatchForm::Tree { "" } else { "\n" };
                report::print(&format!("{gap}{}", self.text()))?;
                before = text;
            }
            if !report::is_read(POLL_INTERVAL) {
                return Ok(Exit::Done);
            }
            if let Some(signal) = signals.end() {
                return Ok(Exit::Signal(signal));
            }
            if signals.wants_pause() {
                Interruptions::pause();
            }
        }
    }
}

/// What changes whenever the state does.
#[derive(Debug, PartialEq, Eq)]
struct WatchedTraces {
    files: Vec<Option<Stamp>>,
    runs: Vec<ActiveRun>,
}

impl WatchedTraces {
    fn of(paths: &[PathBuf], work_tree: &WorkTree) -> Self {
        let runs = active_runs(work_tree);
        // A run in another work tree may work on another branch of the plan.
        let of_runs = runs.iter().flat_map(|run| JOURNALS.map(|name| run.git_dir.join(name)));
        let files = paths.iter().cloned().chain(of_runs).map(|path| Stamp::of(&path)).collect();
        Self { files, runs }
    }
}

/// The files that tell of a commit, another branch, another step, or another plan.
fn paths(session: &Session, plan: &str) -> Vec<PathBuf> {
    let WorkTree { top, git_dir, common_dir } = &session.work_tree;
    let mut paths = vec![
        git_dir.join("HEAD"),
        common_dir.join("packed-refs"),
        // The references of a repository that keeps them in tables.
        common_dir.join("reftable/tables.list"),
        git_dir.join("reftable/tables.list"),
        common_dir.join("config"),
        top.join(".arborist/config.json"),
        top.join(plan),
    ];
    paths.extend(JOURNALS.map(|name| git_dir.join(name)));
    // git renames a file into the folder of a branch that moves, so that the folder changes too.
    let of_phases = common_dir.join("refs/heads").join(BRANCH_FOLDER);
    let folders = of_phases.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    paths.extend(folders.chain([of_phases.clone()]));
    // A branch that cannot be read is an error soon.
    paths.extend(session.repository.branch().ok().map(|head| common_dir.join(head.branch)));
    paths
}
