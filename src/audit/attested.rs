//! `check --run --attested`: looks which tasks attestations vouch for.

use std::path::Path;

use crate::check::attestation::{Attested, attested_in};
use crate::check::evidence::TaskEvidence;
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::record::CommitId;
use crate::report::sha256;
use crate::session::Session;
use crate::text::{advice, one_line};

/// Where attestations are.
pub(crate) enum Attestations {
    /// In a file that the user has chosen to believe.
    Given(Vec<Attested>),
    /// In the references of the repository.
    Kept,
}

impl Attestations {
    /// Those in this file, or those of the repository.
    ///
    /// # Errors
    /// [`Kind::Input`] if the file cannot be read, or has no statement; without a file, if attestations need not be signed.
    pub(crate) fn of(file: Option<&Path>, session: &Session) -> Result<Self> {
        let Some(file) = file else {
            // Every program that can write into the repository, an agent too, can write such a reference.
            return session.config.is_on(Setting::AttestSign).then_some(Self::Kept).ok_or_else(|| {
                let what = "attestations in the repository count only if they are signed";
                let remedy = "Set `git config arborist.attest.sign true`, or name a file that you trust: `--attested FILE`.";
                Error::new(Kind::Input, what, remedy)
            });
        };
        let shown = one_line(&file.display().to_string());
        let refused = |why: String| {
            let remedy = format!(
                "Name a file that {} or a verifier of attestations has written.",
                advice::attest_any()
            );
            Error::new(Kind::Input, format!("{shown} cannot be used: {why}"), remedy)
        };
        let text = files::read(file, files::LARGE).map_err(|error| refused(error.to_string()))?;
        attested_in(&text).map(Self::Given).map_err(refused)
    }

    /// Whether one of them vouches for a task: for a commit since its last change, with the plan of that commit.
    ///
    /// # Errors
    /// If git cannot be called.
    pub(crate) fn vouch_for(&self, task: &TaskEvidence, session: &Session, plans: &[String]) -> Result<bool> {
        let Session { git, .. } = session;
        let newest_change = task.changes.first().copied();
        let judged = [Some(task.commit), task.reviewed, task.tested, newest_change];
        for commit in judged.into_iter().flatten() {
            let kept;
            let all = match self {
                Self::Given(all) => all,
                Self::Kept => {
                    let statement = git.attestation(&commit, true)?;
                    kept = statement.and_then(|text| attested_in(&text).ok()).unwrap_or_default();
                    &kept
                }
            };
            let of_task: Vec<&Attested> = all.iter().filter(|one| one.task == task.task.as_str()).collect();
            if of_task.is_empty() {
                continue;
            }
            let digest = sha256(&git.raw_commit(&commit)?);
            let fits = |one: &&&Attested| one.commit == digest && plan_fits(one, &commit, session, plans);
            if of_task.iter().any(|one| fits(&one)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether an attestation names the plan that a commit contains. One without a plan is about a task that the commit's plan lacks.
fn plan_fits(attested: &Attested, commit: &CommitId, session: &Session, plans: &[String]) -> bool {
    let content = |path: &String| session.git.blob(&format!("{commit}:{path}")).ok();
    plans.iter().find_map(content).map(|content| sha256(&content)) == attested.plan
}
