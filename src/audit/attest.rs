//! `prove --attest`: writes what was proven as an attestation, into a file and into references that can be pushed.

use std::path::Path;

use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::ATTESTATIONS;
use crate::report::{self, AttestedTask, PlanInCommit, TaskInCommit};
use crate::session::Session;
use crate::text::{listed, one_line};

/// Writes the tasks that are proven into `file` and, each on its own, into `refs/arborist/attest/COMMIT`. Those that are not are named on
/// the screen.
///
/// # Errors
/// [`Kind::No`] if none is proven; otherwise if something cannot be read, written or signed.
pub(crate) fn attest(session: &Session, file: &Path, tasks: Vec<AttestedTask>) -> Result<()> {
    let (proven, others): (Vec<_>, Vec<_>) = tasks.into_iter().partition(AttestedTask::is_attestable);
    let others: Vec<String> = others.iter().map(|task| one_line(&task.task)).collect();
    if proven.is_empty() {
        return Err(Error::new(
            Kind::No,
            format!("nothing was proven, so {} was not written", one_line(&file.display().to_string())),
            "The proofs above say why.",
        ));
    }
    let plans = session.plan().ok().and_then(|plan| plan.files_in_repository()).unwrap_or_default();
    let proven = in_commits(session, proven, &plans)?;
    let text = report::attestation(&proven);
    files::write_whole(file, text.as_bytes()).map_err(|error| Error::not_written(file.display(), &error))?;
    let signed = session.config.is_on(Setting::AttestSign);
    for task in &proven {
        let statement = report::attestation(std::slice::from_ref(task));
        session.git.keep_attestation(&task.task.commit, statement.into_bytes(), signed)?;
    }
    let those: Vec<String> = proven.iter().map(|task| task.task.task.clone()).collect();
    let shown = one_line(&file.display().to_string());
    report::eprint(&format!(
        "{shown} attests {}. `git push REMOTE '{ATTESTATIONS}*'` publishes it.",
        listed(&those)
    ));
    if !others.is_empty() {
        report::eprint(&format!("It does not attest {}.", listed(&others)));
    }
    Ok(())
}

/// The tasks together with their commits and the plans in them.
fn in_commits(session: &Session, tasks: Vec<AttestedTask>, plans: &[String]) -> Result<Vec<TaskInCommit>> {
    let read = |task: AttestedTask| {
        let commit = task.commit;
        let plan = plans.iter().find_map(|path| {
            let content = session.git.blob(&format!("{commit}:{path}")).ok()?;
            Some(PlanInCommit { path: path.clone(), content })
        });
        Ok(TaskInCommit { raw: session.git.raw_commit(&commit)?, task, plan })
    };
    tasks.into_iter().map(read).collect()
}
