//! `git arborist status`: shows the plan with the state of every task.

mod display;
mod watch;

use clap::Args;

use crate::error::{Error, Kind, Result};
use crate::import::source_changes::SourceChanges;
use crate::inspect::effort::effort;
use crate::inspect::surroundings::RunSurroundings;
use crate::plan::NodeIx;
use crate::report::{self, DrawingFormat, PLACEHOLDERS, Progress, StatusView, Template, TemplateError};
use crate::scheduler::RunWatcher;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::suggest;
use display::{Display, session};
use watch::{WatchForm, watch};

/// Arguments of `git arborist status`.
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("output").args(["short", "json", "format", "dot", "mermaid"])))]
pub struct Status {
    #[command(flatten)]
    display: Display,

    /// Print one line, for example for a shell prompt
    #[arg(short, long, conflicts_with_all = ["nodes", "ready", "failed", "blocked", "active", "all"])]
    short: bool,

    /// Show the state again whenever it changes, until you press q or Ctrl-C; with `--json`, print a document for each change
    #[arg(short, long, conflicts_with_all = ["format", "dot", "mermaid"])]
    watch: bool,

    /// Show a run on this remote repository, which workers push to: its address, or its name here
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,

    /// The branch of the run on the remote repository [default: the one that is checked out here or, for an address, the default
    /// branch]
    #[arg(long, value_name = "BRANCH", requires = "remote")]
    branch: Option<String>,

    /// Print one JSON document
    #[arg(long, conflicts_with_all = ["all", "plain"])]
    json: bool,

    /// Print each task in this form, for example '%(id) %(state)'
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["all", "plain"])]
    format: Option<String>,

    /// End each task with a NUL character and not with a line end
    #[arg(short = 'z', requires = "format")]
    nul: bool,

    /// Draw the tasks and their dependencies for Graphviz
    #[arg(long, conflicts_with_all = ["all", "plain"])]
    dot: bool,

    /// Draw the tasks and their dependencies for Mermaid
    #[arg(long, conflicts_with_all = ["all", "plain"])]
    mermaid: bool,
}

impl Command for Status {
    const SUMMARY: Summary = Summary {
        name: "status",
        group: Group::Inspect,
        about: "show the plan with the state of every task",
    };

    const MANUAL: &'static str = include_str!("manual/status.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let remote = self.remote.as_deref();
        let observer =
            remote.map(|remote| RunWatcher::open(call, remote, self.branch.as_deref())).transpose()?;
        if self.watch {
            let form = match (self.short, self.json) {
                (true, _) => WatchForm::Line,
                (_, true) => WatchForm::Document,
                _ => WatchForm::Tree,
            };
            return watch(call, &self.display, form, observer);
        }
        let session = session(call, observer.as_ref())?;
        if self.short {
            return self.run_short(session);
        }
        let template = self.format.as_deref().map(template).transpose()?;
        let plan = session.plan()?;
        let plan_state = PlanState::of(session, plan)?;
        let mut surroundings = RunSurroundings::of(&plan_state)?;
        surroundings.remote = observer.as_ref().map(RunWatcher::remote);
        let chosen = self.display.tasks(&plan_state, &surroundings)?;
        if self.json || template.as_ref().is_some_and(Template::needs_effort) {
            surroundings.effort = effort(&plan_state)?;
        }
        let view = self.display.select(surroundings.view(&plan_state), chosen.as_deref());
        let tasks = chosen.as_deref().unwrap_or(plan_state.plan.tree.order());
        self.print(call, &plan_state.session, &StatusAnswer { view, template, tasks })?;
        SourceChanges::warn(&plan_state.session, &plan_state.plan, &plan_state.run);
        if tasks.is_empty() {
            report::eprint(&self.display.none());
            return Ok(Exit::No);
        }
        Ok(Exit::Done)
    }
}

/// What is printed.
struct StatusAnswer<'a> {
    view: StatusView<'a>,
    template: Option<Template>,
    /// The tasks that were asked for.
    tasks: &'a [NodeIx],
}

impl Status {
    fn print(&self, call: &Call, session: &Session, answer: &StatusAnswer<'_>) -> Result<()> {
        let StatusAnswer { view, template, tasks } = answer;
        if self.json {
            return report::print_document(&view.document(tasks));
        }
        let language = match (self.dot, self.mermaid) {
            (true, _) => Some(DrawingFormat::Dot),
            (_, true) => Some(DrawingFormat::Mermaid),
            _ => None,
        };
        if let Some(language) = language {
            return report::print(&view.drawing(language, tasks));
        }
        let text = match template {
            Some(template) => view.formatted(template, tasks, if self.nul { '\0' } else { '\n' }),
            // The sentence that there is none is printed elsewhere.
            None if tasks.is_empty() => String::new(),
            None => view.text(&self.display.screen(session)),
        };
        session.pager.print(&call.environment, &text)
    }

    /// Prints one line. A shell may ask for it before every prompt, so the answer is stored.
    fn run_short(&self, session: Session) -> Result<Exit> {
        let screen = self.display.screen(&session);
        report::print(&progress(session)?.line(&screen))?;
        Ok(Exit::Done)
    }
}

/// The template of `--format`.
fn template(text: &str) -> Result<Template> {
    Template::parse(text).map_err(|error| match error {
        TemplateError::Unknown(name) => {
            let names = PLACEHOLDERS.iter().map(|placeholder| placeholder.name);
            let near = suggest::nearest(&name, names).map(|name| format!("%({name})"));
            Error::new(
                Kind::Input,
                format!("there is no placeholder %({}) for --format", crate::text::one_line(&name)),
                format!("{}docs/status.md lists them all.", suggest::question(near.as_deref())),
            )
        }
        TemplateError::Malformed(part) => Error::new(
            Kind::Input,
            format!("`{}` in --format means nothing", crate::text::one_line(&part)),
            "Write %(name) for a placeholder, %% for a percent sign, %n for a line end, and %x00 for the character with this \
             number.",
        ),
    })
}

/// How far the plan has come.
fn progress(session: Session) -> Result<Progress> {
    let plan = session.plan_in(session.plan_file()?)?;
    Ok(Progress::of(&PlanState::of(session, plan)?.plan_view()))
}
