//! `git arborist doctor`: what is here and what is missing, and what to do about each.

use clap::Args;

use super::{Call, Command, Common, Exit, Session};
use crate::error::Result;
use crate::git::{KilledRun, LockFile, Owner, lock_files, owner};
use crate::output::{self, Finding, Health};
use crate::pipeline::{Journal, Lock};
use crate::runner::{AGENTS, Lookup, Runner};
use crate::task::Step;

/// The arguments of `doctor`.
#[derive(Args, Clone, Debug)]
pub struct Doctor {
    #[command(flatten)]
    common: Common,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Remove lock files of git that are provably dead
    #[arg(long)]
    unlock: bool,
}

impl Command for Doctor {
    const NAME: &'static str = "doctor";

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let mut findings = vec![git(&session)?];
        findings.extend(repository(&session));
        findings.extend(plan(&session));
        findings.extend(agents(&session, call)?);
        findings.extend(work(&session, self.unlock)?);
        findings.extend(rescued(&session)?);
        output::answer(&if self.json {
            output::findings_json(&findings)
        } else {
            output::findings_text(&findings, &session.screen)
        })?;
        let ill = findings.iter().any(|finding| finding.health == Health::Bad);
        Ok(if ill { Exit::No } else { Exit::Done })
    }
}

fn git(session: &Session) -> Result<Finding> {
    let version = session.git.version()?;
    let words = format!("{version} ({})", session.git.program().display());
    let old = version.split('.').take(2).filter_map(|part| part.parse::<u32>().ok()).collect::<Vec<_>>()
        < vec![2, 36];
    Ok(if old {
        Finding::bad("git", &words, "Install git 2.36 or newer: older ones cannot make a commit durable.")
    } else {
        Finding::good("git", &words)
    })
}

fn repository(session: &Session) -> Vec<Finding> {
    let top = session.work_tree.top.display().to_string();
    let mut findings = vec![Finding::good("work tree", &top)];
    let states = [
        ("branch", session.git.head().map(|head| head.branch_name().to_owned())),
        ("identity", session.git.check_identity().map(|()| "known to git".to_owned())),
        ("in progress", session.work_tree.check_nothing_in_progress().map(|()| "nothing".to_owned())),
    ];
    findings.extend(states.into_iter().map(|(what, state)| Finding::of(what, state)));
    findings
}

fn plan(session: &Session) -> Vec<Finding> {
    let plan = session.plan();
    let words = plan.map(|plan| format!("{} with {} tasks", plan.shown, plan.tree.order().len()));
    vec![Finding::of("plan", words)]
}

fn agents(session: &Session, call: &Call) -> Result<Vec<Finding>> {
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let mut findings = Vec::new();
    for step in [Step::Implement, Step::Review] {
        let runner = Runner::choose(&session.config, &lookup, step);
        let words = runner.map(|runner| format!("{} (`{}`)", runner.label(), runner.command_line(step)));
        findings.push(Finding::of(if step == Step::Review { "reviewer" } else { "runner" }, words));
    }
    let mut known = Vec::new();
    for agent in AGENTS {
        let state =
            if lookup.find(agent.name).ok().flatten().is_some() { "installed" } else { "not installed" };
        known.push(format!("{} {state}", agent.name));
    }
    findings.push(Finding::good("agents", &known.join(", ")));
    Ok(findings)
}

/// Who is at work, what was interrupted, and which lock files there are.
fn work(session: &Session, unlock: bool) -> Result<Vec<Finding>> {
    let journal = Journal::read(&session.work_tree.git_dir);
    let mut findings = Vec::new();
    let held = Lock::take(&session.work_tree, "doctor");
    match &held {
        Err(busy) => findings.push(Finding::note("at work", busy.what(), busy.remedy())),
        Ok(_) => findings.push(Finding::good("at work", "nobody")),
    }
    if let (Ok(_), Some(step)) = (&held, &journal.step) {
        let words = format!("the {} step of {} (attempt {})", step.step, step.task, step.attempt + 1);
        let remedy = "The next `git arborist gardener` saves what it left in the work tree and goes on.";
        findings.push(Finding::note("interrupted", &words, remedy));
    }
    let killed = journal.run.as_ref().map(|run| KilledRun { pid: run.pid, since: run.since });
    for lock in lock_files(&session.work_tree) {
        findings.push(lock_finding(session, (&lock, killed.filter(|_| held.is_ok())), unlock));
    }
    Ok(findings)
}

fn lock_finding(session: &Session, (lock, killed): (&LockFile, Option<KilledRun>), unlock: bool) -> Finding {
    let shown = lock.path.display().to_string();
    match owner(lock, &session.work_tree, killed) {
        Owner::Dead if unlock => match std::fs::remove_file(&lock.path) {
            Ok(()) => Finding::good("lock file", &format!("{shown}: removed, its owner was dead")),
            Err(error) => Finding::bad("lock file", &format!("{shown}: {error}"), "Remove it by hand."),
        },
        Owner::Dead => Finding::bad(
            "lock file",
            &format!("{shown}: its owner is dead"),
            "`git arborist doctor --unlock` removes it.",
        ),
        Owner::Unknown => Finding::bad(
            "lock file",
            &format!("{shown}: its owner may be alive"),
            "If no git is at work here (also no editor of one), remove it by hand.",
        ),
    }
}

fn rescued(session: &Session) -> Result<Vec<Finding>> {
    let count = session.git.rescued()?.len();
    Ok(match count {
        0 => vec![Finding::good("saved work", "none")],
        _ => vec![Finding::note(
            "saved work",
            &format!("{count} kept under refs/arborist/rescue/"),
            "`git arborist rescue list` names it. What you do not need is deleted with `git update-ref -d NAME`.",
        )],
    })
}
