//! `git arborist demo`: a scripted agent works through a small plan in a throw-away repository, offline.
//!
//! The run is real: it uses the engine of `gardener`, a runner defined in git config, and real tests. Only the
//! environment is artificial, so that no setting of the user changes the demo.

mod place;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::config::{Override, Setting, TREE_FILE};
use crate::engine::{RunPart, RunScope};
use crate::error::{Error, Kind, Result};
use crate::git::{DiscoveryStart, Git, NewRepository};
use crate::inspect::surroundings::text;
use crate::launch::before_run::{RunKind, Start};
use crate::launch::options::RunOptions;
use crate::launch::run::work;
use crate::report::{self, Screen, Style};
use crate::run::task_configs;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::text::advice;
use place::DemoFolder;

/// The arguments of `demo`.
#[derive(Args, Clone, Debug)]
pub struct Demo {
    /// Make the repository in this folder, which must be new or empty [default: a new temporary folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Show how an agent that cheats is caught, in five ways
    #[arg(long)]
    trust: bool,
}

/// What is shown: a repository with a plan, and the agent that works on it.
struct Act {
    /// The files that are there before the work begins.
    files: &'static [(&'static str, &'static str)],
    /// The message of the commit that adds them.
    message: &'static str,
    /// The scripted agent.
    agent: &'static str,
    /// What is announced.
    title: &'static str,
    /// Settings that differ from their defaults.
    settings: &'static [(Setting, &'static str)],
    /// Settings that the plan chooses for its tasks, which therefore no option may choose for the whole run.
    by_plan: &'static [Setting],
    /// Commands that show what has happened, with what they show.
    look_around: fn() -> Vec<(String, &'static str)>,
}

/// An agent that makes two mistakes.
const WORK: Act = Act {
    files: &[
        (TREE_FILE, include_str!("demo/plan/task-tree.json")),
        ("README.md", include_str!("demo/plan/README.md")),
        (".gitignore", include_str!("demo/plan/gitignore")),
        ("tests/expect.sh", include_str!("demo/plan/tests/expect.sh")),
        ("tests/to_roman.sh", include_str!("demo/plan/tests/to_roman.sh")),
        ("tests/from_roman.sh", include_str!("demo/plan/tests/from_roman.sh")),
        ("tests/round_trip.sh", include_str!("demo/plan/tests/round_trip.sh")),
        ("tests/convert.sh", include_str!("demo/plan/tests/convert.sh")),
        ("tests/refuse.sh", include_str!("demo/plan/tests/refuse.sh")),
        ("tests/help.sh", include_str!("demo/plan/tests/help.sh")),
    ],
    message: "Plan a converter of Roman numerals",
    agent: include_str!("demo/agent.sh"),
    title: "Five tasks in {dir}, for an agent that is a shell script:",
    settings: &[],
    by_plan: &[],
    look_around: || {
        vec![
            ("git log --oneline".to_owned(), "every step is one commit"),
            (advice::show("T002").line(), "a test failed, and its output led to the next attempt"),
            (advice::show("T004").line(), "a review was rejected"),
            (advice::prove().line(), "the evidence that the tasks are done"),
            (advice::prune_dry_run().line(), "what a merge does not need"),
            ("cat .git/demo-agent.sh".to_owned(), "the agent"),
        ]
    },
};

/// An agent that cheats in the first attempt at every task, each time in another way.
const TRUST: Act = Act {
    files: &[
        (TREE_FILE, include_str!("demo/trust/task-tree.json")),
        ("README.md", include_str!("demo/trust/README.md")),
        (".gitignore", include_str!("demo/trust/gitignore")),
        ("tests/assert.sh", include_str!("demo/trust/tests/assert.sh")),
        ("tests/add.sh", include_str!("demo/trust/tests/add.sh")),
        ("tests/multiply.sh", include_str!("demo/trust/tests/multiply.sh")),
        ("tests/divide.sh", include_str!("demo/trust/tests/divide.sh")),
        ("tests/square.sh", include_str!("demo/trust/tests/square.sh")),
    ],
    message: "Plan a calculator",
    agent: include_str!("demo/trust/agent.sh"),
    title: "Five tasks in {dir}, for an agent that cheats in its first attempt at each of them:",
    settings: &[(Setting::Review, "false"), (Setting::TrustProve, "require")],
    by_plan: &[Setting::TestFirst],
    look_around: || {
        vec![
            (advice::show("T001").line(), "it deleted an assertion"),
            (advice::show("T002").line(), "it made a test skip itself"),
            (advice::show("T003").line(), "it let no test run"),
            (advice::show("T004").line(), "it wrote a test that passes without the code"),
            (advice::show("T005").line(), "its code needed a file that is in no commit"),
            (advice::prove().line(), "the evidence that the tasks are done now"),
            ("cat .git/demo-agent.sh".to_owned(), "the agent"),
        ]
    },
};

/// The file of the scripted agent. It is in the git directory, because the program of a runner is never committed.
const AGENT: &str = ".git/demo-agent.sh";

/// The name of its runner.
const RUNNER: &str = "scripted";

/// The configuration of the repository: the identity of the committer, the runner, and values that override settings of
/// the user.
const SETTINGS: &[(&str, &str)] = &[
    ("user.name", "Arborist Demo"),
    ("user.email", "demo@example.com"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("core.autocrlf", "false"),
    ("core.safecrlf", "false"),
    ("core.fileMode", "true"),
    ("core.fsmonitor", "false"),
    ("core.excludesFile", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("arborist.implement.runner", RUNNER),
    ("arborist.review.runner", RUNNER),
    ("arborist.runner.scripted.command", "sh \"$(git rev-parse --git-common-dir)/demo-agent.sh\""),
];

impl Command for Demo {
    const SUMMARY: Summary = Summary {
        name: "demo",
        group: Group::Start,
        about: "run a small plan from start to finish in a throw-away repository, offline",
    };

    const MANUAL: &'static str = include_str!("manual/demo.md");

    const OFFERS_TREE: bool = false;

    fn run(self, call: &Call) -> Result<Exit> {
        if call.common.tree.is_some() {
            return Err(Error::new(
                Kind::Input,
                "`demo` brings its own plan",
                format!("Leave out --tree. To run a plan of your own, use {}.", advice::gardener()),
            ));
        }
        let act = if self.trust { &TRUST } else { &WORK };
        let git = Git::find(&call.environment.folder()?)?.discovering_from_folder_alone();
        let folder = DemoFolder::make(self.dir.as_deref(), &call.environment)?;
        if let Some(outer) = folder.lies_in(&git) {
            let (dir, outer) = (folder.path().display(), outer.display());
            let text = format!(
                "{dir} is inside the work tree of {outer}, which will show it as an untracked folder"
            );
            report::warn(&call.screen, &text);
        }
        let top = folder.path().to_owned();
        create_repository(&git.in_dir(&top), act).inspect_err(|_| folder.take_away())?;
        show_work(call, &top, act).map_err(|error| kept(&error, &top))
    }
}

/// Writes the files, and creates a repository with them.
fn create_repository(git: &Git, act: &Act) -> Result<()> {
    for (name, text) in act.files {
        place::write(&git.dir().join(name), text)?;
    }
    git.create(&NewRepository { branch: "main", settings: SETTINGS, message: act.message })?;
    place::write(&git.dir().join(AGENT), act.agent)
}

/// Works until everything is complete, then shows the tree and suggests what to look at.
fn show_work(call: &Call, top: &Path, act: &Act) -> Result<Exit> {
    let shown = place::for_shell(top);
    report::eprint(&format!("{}\n", act.title.replace("{dir}", &shown)));
    let session = Session::open_at(DiscoveryStart::Folder(top.to_owned()), call, overrides(act))?;
    let plan = session.plan()?;
    let scope = RunScope::whole_plan();
    let options = RunOptions::default();
    let tasks = &task_configs(&session.config, &plan);
    let again = &advice::gardener();
    let start = Start {
        kind: RunKind::Gardener,
        call,
        options: &options,
        session: &session,
        plan: &plan,
        tasks,
        again,
        part: &RunPart::Whole,
    };
    let exit = work(start, &mut None, plan.tree.order(), |engine| engine.run_plan(&scope))?;
    let screen = session.screen;
    let tree = text(&PlanState::of(session, plan)?, &screen)?;
    report::print(&format!("\n{tree}\n{}", look_around(&screen, &shown, act)))?;
    Ok(exit)
}

/// The default of every setting, which overrides all layers of the user, and what the demo itself chooses.
fn overrides(act: &Act) -> Vec<Override> {
    let built_in = |setting: Setting| Some(Override::new(setting, "of the demo", setting.rule().default?));
    let chosen =
        [(Setting::ImplementRunner, RUNNER), (Setting::ReviewRunner, RUNNER), (Setting::Tree, TREE_FILE)];
    let chosen = chosen.iter().chain(act.settings);
    let chosen = chosen.map(|(setting, text)| Override::new(*setting, "of the demo", *text));
    let built_in =
        Setting::ALL.into_iter().filter(|setting| !act.by_plan.contains(setting)).filter_map(built_in);
    built_in.chain(chosen).collect()
}

/// Commands that show what has happened.
fn look_around(screen: &Screen, dir: &str, act: &Act) -> String {
    let mut text = format!("Look around:\n  cd {dir}\n");
    for (command, about) in (act.look_around)() {
        text.push_str(&format!("  {command:<29} {}\n", screen.out.paint(Style::Dim, &format!("# {about}"))));
    }
    text
}

/// Adds to an error that the repository is kept, so that the user can see what happened.
fn kept(error: &Error, top: &Path) -> Error {
    let remedy =
        format!("{} The repository of the demo is kept: `cd {}`.", error.remedy(), place::for_shell(top));
    Error::new(error.kind(), error.what(), remedy.trim_start())
}
