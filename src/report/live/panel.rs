//! The lines that show what is going on: how far a plan has come, its tasks around the one at work, and what happens now.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::estimate::Estimate;
use crate::plan::{NodeIx, OpenBranches, PerTask, TaskTree};
use crate::record::{Attempt, Cost, Step, StepCommit, TaskId, Usage, UsageTotal, grouped};
use crate::report::advice::tasks_done;
use crate::report::folding::Extent;
use crate::report::plan_tree::{PlanTree, Selection};
use crate::report::plan_view::{KnownSteps, PlanView, Presence};
use crate::report::running_step::RunningStep;
use crate::report::screen::Size;
use crate::report::task_counts::TaskCounts;
use crate::report::text::{cut, visible_columns};
use crate::report::{Screen, Style, Symbols, fit};
use crate::text::{duration, one_line, whole};
use crate::workflow::Policy;

/// The largest number of lines that show the plan.
const MOST_PLAN_LINES: usize = 12;
/// With fewer lines on the terminal, only the step at work is shown.
const FEW_ROWS: usize = 6;
/// The title is shown if it has room for so many columns.
const TITLE_ROOM: usize = 8;

/// What is going on.
#[derive(Debug, Default)]
pub struct Panel {
    /// The plan that is worked on, if there is one.
    pub plan: Option<PlanPanel>,
    activity: Option<Activity>,
    frame: usize,
}

/// What happens now.
pub struct Activity {
    /// What it is, such as a step of a task.
    pub what: String,
    /// When it began.
    pub began: Instant,
    words: Box<dyn Fn() -> String + Send>,
}

impl fmt::Debug for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Activity").field("what", &self.what).finish_non_exhaustive()
    }
}

impl Activity {
    /// Something that began at a moment, and for which `words` tells the latest.
    pub fn new(what: String, began: Instant, words: impl Fn() -> String + Send + 'static) -> Self {
        Self { what, began, words: Box::new(words) }
    }

    /// The latest, in one line.
    pub(super) fn words(&self) -> String {
        one_line(&(self.words)())
    }
}

impl Panel {
    /// Something that happens without a plan.
    #[must_use]
    pub fn of(activity: Activity) -> Self {
        Self { activity: Some(activity), ..Self::default() }
    }

    /// A plan, of which nothing is at work yet.
    #[must_use]
    pub fn of_plan(plan: PlanPanel) -> Self {
        Self { plan: Some(plan), ..Self::default() }
    }

    /// What happens now; `None` if it is over.
    pub fn set_activity(&mut self, activity: Option<Activity>) {
        self.activity = activity;
    }

    /// What happens now.
    pub(super) fn activity(&self) -> Option<&Activity> {
        self.activity.as_ref()
    }

    /// Whether it has been going on for so long.
    pub(super) fn is_worth_drawing(&self, delay: Duration) -> bool {
        self.plan.is_some()
            || self.activity.as_ref().is_some_and(|activity| activity.began.elapsed() >= delay)
    }

    /// The lines on a terminal of this size. Each call is another frame.
    pub(super) fn lines(&mut self, size: Size, screen: &Screen) -> Vec<String> {
        self.frame += 1;
        // A full line would make some terminals begin another one.
        let room = size.columns.saturating_sub(1);
        let mut lines = match &mut self.plan {
            Some(plan) if size.rows >= FEW_ROWS => {
                plan.lines(Size { columns: room, rows: (size.rows / 2).min(MOST_PLAN_LINES) }, screen)
            }
            _ => Vec::new(),
        };
        lines.extend(self.activity.as_ref().map(|activity| self.activity_line(activity, room, screen)));
        lines
    }

    fn activity_line(&self, activity: &Activity, room: usize, screen: &Screen) -> String {
        let frames: &[&str] = match screen.symbols {
            Symbols::Unicode => &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
            Symbols::Ascii => &["-", "\\", "|", "/"],
        };
        let spinner = frames[self.frame % frames.len()];
        let words = activity.words();
        let text = format!("{}  {}  {words}", activity.what, duration(activity.began.elapsed()));
        format!(
            "{} {}",
            screen.err.paint(Style::Yellow, spinner),
            fit(text.trim_end(), room.saturating_sub(2))
        )
    }
}

/// How far a plan has come.
#[derive(Debug)]
pub struct PlanPanel {
    tree: TaskTree,
    title: String,
    /// The latest step of each task.
    steps: HashMap<TaskId, StepCommit>,
    policies: PerTask<Policy>,
    running: Option<RunningTask>,
    estimate: Estimate,
    used: UsageTotal,
    /// What the agent at work has used.
    uses: Usage,
    /// The lines of the tree, as long as they are right.
    drawn: Option<Drawn>,
}

/// A plan when a run begins.
#[derive(Clone, Debug)]
pub struct PlanAtStart<'a> {
    /// Its nodes.
    pub tree: &'a TaskTree,
    /// What it is called.
    pub title: &'a str,
    /// The latest step of each of its tasks.
    pub steps: &'a HashMap<TaskId, StepCommit>,
    /// How many attempts each task has.
    pub policies: PerTask<Policy>,
}

/// The step at work.
#[derive(Clone, Copy, Debug)]
struct RunningTask {
    node: NodeIx,
    step: Step,
    attempt: Attempt,
    began: Instant,
}

/// Lines of a tree, for which size they were drawn, and when.
#[derive(Debug)]
struct Drawn {
    lines: Vec<String>,
    size: Size,
    second: u64,
}

impl PlanPanel {
    /// A plan with this title, and the latest step of each of its tasks. A run begins that may take on these tasks.
    #[must_use]
    pub fn new(plan: PlanAtStart<'_>, scope: &[NodeIx]) -> Self {
        let PlanAtStart { tree, title, steps, policies } = plan;
        Self {
            tree: tree.clone(),
            title: title.to_owned(),
            steps: steps.clone(),
            policies,
            running: None,
            estimate: Estimate::new(scope.to_vec()),
            used: UsageTotal::default(),
            uses: Usage::default(),
            drawn: None,
        }
    }

    /// A step of a node of the plan begins.
    pub fn begins(&mut self, task: &TaskId, step: Step, attempt: Attempt) {
        let node = self.node(task);
        self.running = Some(RunningTask { node, step, attempt, began: Instant::now() });
        self.estimate.begins(node);
        self.drawn = None;
    }

    fn node(&self, id: &TaskId) -> NodeIx {
        self.tree.find(id.as_str()).expect("a run takes its steps from this plan, which it reads only once")
    }

    /// The agent at work has used so much.
    pub fn uses(&mut self, usage: Usage) {
        self.uses = usage;
    }

    /// A step has ended in a commit.
    pub fn ended(&mut self, task: &TaskId, step: StepCommit, usage: Usage) {
        self.running = None;
        self.drawn = None;
        self.uses = Usage::default();
        self.used.add(&step.record, usage);
        let node = self.node(task);
        if self.tree.is_leaf(node) {
            self.steps.insert(task.clone(), step);
            if step.record.state().is_done() {
                self.estimate.finished(node);
            }
        }
    }

    fn lines(&mut self, size: Size, screen: &Screen) -> Vec<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
        if let Some(drawn) = self.drawn.as_ref().filter(|drawn| drawn.size == size && drawn.second == now) {
            return drawn.lines.clone();
        }
        let lines = self.draw(size, screen, i64::try_from(now).unwrap_or(i64::MAX));
        self.drawn = Some(Drawn { lines: lines.clone(), size, second: now });
        lines
    }

    fn draw(&self, size: Size, screen: &Screen, now: i64) -> Vec<String> {
        let screen = Screen { out: screen.err, width: Some(size.columns), ..*screen };
        let running = self.running.map(|running| RunningStep {
            node: running.node,
            step: running.step,
            attempt: Some(running.attempt).filter(|attempt| attempt.max > 1 && attempt.number > 0),
            elapsed: Some(running.began.elapsed()),
        });
        // The branch that is checked out has the latest steps of this run.
        let branches = OpenBranches::default();
        let known = KnownSteps { steps: &self.steps, branches: &branches };
        let plan_view = PlanView::new(&self.tree, known, self.policies.clone(), now)
            .with_presence(Presence::AtWork(running.as_slice()));
        let tree = PlanTree { plan_view: &plan_view, running: running.as_slice(), screen: &screen };
        let mut lines = vec![self.header(&plan_view, &screen)];
        lines.extend(tree.lines(Selection::Plan(Extent::Lines(size.rows.saturating_sub(1)))));
        lines
    }

    /// The title, how many tasks are complete, how long it has taken and will take, and what was used: what matters most,
    /// as far as there is room.
    fn header(&self, plan_view: &PlanView<'_>, screen: &Screen) -> String {
        let room = screen.width.unwrap_or(usize::MAX);
        let counts = TaskCounts::of_all(plan_view);
        let mut told = tasks_done(counts.complete, counts.skipped, counts.total);
        let tokens = self.used.known_tokens() + self.uses.tokens.total().unwrap_or(0);
        let tokens = Some(tokens).filter(|tokens| *tokens > 0);
        let cost = match (self.used.cost, self.uses.cost) {
            (Some(used), Some(more)) => Some(used.plus(more)),
            (used, more) => used.or(more),
        };
        let more = [
            Some(whole(self.estimate.elapsed().as_secs())),
            self.estimate.left().map(|left| format!("about {} left", whole(left.as_secs()))),
            cost.map(Cost::told),
            tokens.map(|tokens| format!("{} tokens", grouped(tokens))),
        ];
        for part in std::iter::once(counts.bar(screen)).chain(more.into_iter().flatten()) {
            if visible_columns(&told) + 2 + visible_columns(&part) <= room {
                told.push_str(&format!("  {part}"));
            }
        }
        match room.checked_sub(visible_columns(&told) + 2) {
            Some(left) if left >= TITLE_ROOM => {
                let title = cut(&one_line(&self.title), left, screen.symbols);
                format!("{}  {told}", screen.out.paint(Style::Bold, &title))
            }
            _ => told,
        }
    }
}
