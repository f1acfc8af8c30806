//! Reports active runs, and what earlier runs left behind.

use std::time::SystemTime;

use crate::engine::Journal;
use crate::error::Result;
use crate::git::{KilledPrograms, LockFile, LockScope};
use crate::report::Diagnosis;
use crate::session::Session;
use crate::session::take_lock::lock;
use crate::text::advice;
use crate::worktree::heartbeat::Heartbeat;
use crate::worktree::{Leftovers, ScratchInUse, remove_leftovers, who_is_at_work};

/// All diagnoses about runs, lock files and saved work.
pub(crate) fn diagnose(session: &Session, unlock: bool) -> Result<Vec<Diagnosis>> {
    let mut diagnoses = work(session, unlock)?;
    diagnoses.extend(scratch_work_trees(session)?);
    diagnoses.push(saved(session)?);
    Ok(diagnoses)
}

/// The active run, the interrupted step, and the lock files.
fn work(session: &Session, unlock: bool) -> Result<Vec<Diagnosis>> {
    let journal = Journal::read(&session.work_tree.git_dir);
    let mut diagnoses = Vec::new();
    let at_work = who_is_at_work(&session.work_tree);
    match &at_work {
        Some(busy) => diagnoses.push(Diagnosis::note("at work", busy.what(), busy.remedy())),
        None => diagnoses.push(Diagnosis::good("at work", "no run")),
    }
    if let (None, Some(stored)) = (&at_work, &journal.unit) {
        let unit = &stored.unit;
        let words =
            format!("the {} step of {} (attempt {})", unit.step.word(), unit.task, unit.attempt.number + 1);
        let remedy =
            format!("The next {} saves what it left in the work tree and continues.", advice::gardener());
        diagnoses.push(Diagnosis::note("interrupted", &words, &remedy));
    }
    // An active run has not left anything behind yet.
    let killed = KilledPrograms::default();
    if let (None, Some(run)) = (&at_work, &journal.run) {
        let alive_until = Heartbeat::last(&session.work_tree.git_dir);
        killed.note(run.began(), alive_until.unwrap_or_else(SystemTime::now));
    }
    let head = session.repository.branch().ok();
    let branch = head.as_ref().map(|head| head.branch.as_str());
    let scope = LockScope { work_tree: &session.work_tree, branch };
    // We may remove lock files only while we hold the lock, because a run that begins now creates its own.
    let held = if unlock { lock(session, "doctor --unlock").ok() } else { None };
    if held.is_some() {
        diagnoses.extend(scope.remove_dead(&killed, &|| false).iter().map(|lock| {
            let shown = lock.path.display();
            Diagnosis::good("lock file", &format!("{shown}: removed, it was left by a run that was killed"))
        }));
    }
    diagnoses.extend(scope.files().iter().map(|lock| lock_diagnosis(lock, killed.ran_at(lock.made))));
    Ok(diagnoses)
}

fn lock_diagnosis(lock: &LockFile, is_dead: bool) -> Diagnosis {
    let shown = format!("{} ({} old)", lock.path.display(), lock.age());
    if is_dead {
        return Diagnosis::bad(
            "lock file",
            &format!("{shown}: left by a run that was killed"),
            &format!("{} removes it, and so does the next run.", advice::doctor_unlock()),
        );
    }
    Diagnosis::bad(
        "lock file",
        &format!("{shown}: its owner may be alive"),
        "If no git command is running here (an editor may be open), delete it by hand.",
    )
}

/// Removes what killed commands have left of scratch work trees. Nothing in them is anybody's work.
fn scratch_work_trees(session: &Session) -> Result<Vec<Diagnosis>> {
    let what = "scratch";
    let Leftovers { removed, stuck, in_use } = remove_leftovers(&session.work_tree)?;
    let removed = removed.iter().map(|folder| {
        Diagnosis::good(
            what,
            &format!("removed {}, which a killed command had left behind", folder.display()),
        )
    });
    let stuck = stuck.iter().map(|error| Diagnosis::bad(what, error.what(), error.remedy()));
    let in_use = in_use.iter().map(|ScratchInUse { folder, shown }| {
        Diagnosis::good(what, &format!("{} is in use by {shown}", folder.display()))
    });
    Ok(removed.chain(stuck).chain(in_use).collect())
}

fn saved(session: &Session) -> Result<Diagnosis> {
    let count = session.git.rescued()?.len();
    Ok(match count {
        0 => Diagnosis::good("saved work", "none"),
        _ => Diagnosis::note(
            "saved work",
            &format!("{count} kept under refs/arborist/rescue/"),
            &format!(
                "{} lists it, and {} deletes what you do not need.",
                advice::rescue_list(),
                advice::rescue_drop("NAME")
            ),
        ),
    })
}
