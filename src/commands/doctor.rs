//! `git arborist doctor`: what is here and what is missing, and what to do about each.

use clap::Args;

use super::{Call, Command, Common, Exit, Group, Session, Summary};
use crate::error::Result;
use crate::git::{LockFile, LockScope, Owner, PATIENCE, Traces};
use crate::output::{self, Diagnosis, Health};
use crate::pipeline::{Journal, Lock, who_is_at_work};
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
    const SUMMARY: Summary = Summary {
        name: "doctor",
        group: Group::Maintain,
        about: "report what is installed, what is missing, and what to do about it",
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let mut diagnoses = vec![git(&session)?];
        diagnoses.extend(repository(&session));
        diagnoses.extend(plan(&session));
        diagnoses.extend(agents(&session, call)?);
        diagnoses.extend(work(&session, self.unlock)?);
        diagnoses.extend(rescued(&session)?);
        output::answer(&if self.json {
            output::diagnoses_json(&diagnoses)
        } else {
            output::diagnoses_text(&diagnoses, &session.screen)
        })?;
        let ill = diagnoses.iter().any(|diagnosis| diagnosis.health == Health::Bad);
        Ok(if ill { Exit::No } else { Exit::Done })
    }
}

fn git(session: &Session) -> Result<Diagnosis> {
    let version = session.git.version()?;
    let words = format!("{version} ({})", session.git.program().display());
    let old = version.split('.').take(2).filter_map(|part| part.parse::<u32>().ok()).collect::<Vec<_>>()
        < vec![2, 36];
    Ok(if old {
        Diagnosis::bad("git", &words, "Install git 2.36 or newer: older ones cannot make a commit durable.")
    } else {
        Diagnosis::good("git", &words)
    })
}

fn repository(session: &Session) -> Vec<Diagnosis> {
    let top = session.work_tree.top.display().to_string();
    let mut diagnoses = vec![Diagnosis::good("work tree", &top)];
    let states = [
        ("branch", session.repository.branch().map(|head| head.branch_name().to_owned())),
        ("identity", session.git.check_identity().map(|()| "known to git".to_owned())),
        ("in progress", session.work_tree.check_nothing_in_progress().map(|()| "nothing".to_owned())),
    ];
    diagnoses.extend(states.into_iter().map(|(what, state)| Diagnosis::of(what, state)));
    diagnoses
}

fn plan(session: &Session) -> Vec<Diagnosis> {
    let plan = session.plan();
    let words = plan.map(|plan| format!("{} with {} tasks", plan.shown, plan.tree.order().len()));
    vec![Diagnosis::of("plan", words)]
}

fn agents(session: &Session, call: &Call) -> Result<Vec<Diagnosis>> {
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let mut diagnoses = Vec::new();
    for step in [Step::Implement, Step::Review] {
        let runner = Runner::choose(&session.config, &lookup, step);
        let words = runner.map(|runner| format!("{} (`{}`)", runner.label(), runner.command_line(step)));
        diagnoses.push(Diagnosis::of(if step == Step::Review { "reviewer" } else { "runner" }, words));
    }
    let mut known = Vec::new();
    for agent in AGENTS {
        let state =
            if lookup.find(agent.name).ok().flatten().is_some() { "installed" } else { "not installed" };
        known.push(format!("{} {state}", agent.name));
    }
    diagnoses.push(Diagnosis::good("agents", &known.join(", ")));
    Ok(diagnoses)
}

/// Who is at work, what was interrupted, and which lock files there are.
fn work(session: &Session, unlock: bool) -> Result<Vec<Diagnosis>> {
    let journal = Journal::read(&session.work_tree.git_dir);
    let mut diagnoses = Vec::new();
    let at_work = who_is_at_work(&session.work_tree);
    match &at_work {
        Some(busy) => diagnoses.push(Diagnosis::note("at work", busy.what(), busy.remedy())),
        None => diagnoses.push(Diagnosis::good("at work", "nobody")),
    }
    if let (None, Some(step)) = (&at_work, &journal.step) {
        let words = format!("the {} step of {} (attempt {})", step.step, step.task, step.attempt + 1);
        let remedy = "The next `git arborist gardener` saves what it left in the work tree and goes on.";
        diagnoses.push(Diagnosis::note("interrupted", &words, remedy));
    }
    // A run that is at work has not left anything behind yet.
    let killed = journal.run.as_ref().filter(|_| at_work.is_none());
    let traces = killed.map_or_else(Traces::default, |run| Traces::of_killed_run(run.began()));
    let head = session.repository.branch().ok();
    let branch = head.as_ref().map(|head| head.branch.as_str());
    let scope = LockScope { work_tree: &session.work_tree, branch };
    // Only who holds the lock may remove anything: a run that begins now makes lock files of its own.
    let held = if unlock { Lock::take(&session.work_tree, "doctor --unlock").ok() } else { None };
    for lock in scope.files() {
        let owner = scope.owner(&lock, &traces);
        let remove = owner == Owner::Dead && held.is_some();
        diagnoses.push(if remove { removed(&lock) } else { lock_diagnosis(&lock, owner) });
    }
    Ok(diagnoses)
}

fn removed(lock: &LockFile) -> Diagnosis {
    let shown = lock.path.display();
    match lock.remove() {
        Ok(()) => Diagnosis::good("lock file", &format!("{shown}: removed, its owner was dead")),
        Err(error) => Diagnosis::bad("lock file", &format!("{shown}: {error}"), "Delete it by hand."),
    }
}

fn lock_diagnosis(lock: &LockFile, owner: Owner) -> Diagnosis {
    let shown = lock.path.display();
    match owner {
        Owner::Dead => Diagnosis::bad(
            "lock file",
            &format!("{shown}: its owner is dead"),
            "`git arborist doctor --unlock` removes it, and so does the next run.",
        ),
        Owner::DeadIfItStays => Diagnosis::bad(
            "lock file",
            &format!("{shown}: probably left behind by a run that was killed"),
            &format!(
                "The next run waits {} s for it, and removes it if it is still there.",
                PATIENCE.as_secs()
            ),
        ),
        Owner::Unknown => Diagnosis::bad(
            "lock file",
            &format!("{shown}: its owner may be alive"),
            "If no git is at work here (an editor may be open), delete it by hand.",
        ),
    }
}

fn rescued(session: &Session) -> Result<Vec<Diagnosis>> {
    let count = session.git.rescued()?.len();
    Ok(match count {
        0 => vec![Diagnosis::good("saved work", "none")],
        _ => vec![Diagnosis::note(
            "saved work",
            &format!("{count} kept under refs/arborist/rescue/"),
            "`git arborist rescue list` lists it, and `git arborist rescue drop NAME` deletes what is not needed.",
        )],
    })
}
