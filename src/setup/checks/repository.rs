//! Checks git, the work tree, and whether git can commit here.

use crate::engine::check_clean;
use crate::error::Result;
use crate::git::Signing;
use crate::report::Diagnosis;
use crate::session::Session;

/// What is diagnosed of the changes in the work tree.
pub(crate) const CHANGES: &str = "changes";

/// All diagnoses about git and the repository.
pub(crate) fn diagnose(session: &Session) -> Result<Vec<Diagnosis>> {
    let Session { git, work_tree, repository, .. } = session;
    let branch = repository.branch().map(|head| head.branch_name().to_owned());
    let mut diagnoses = vec![
        version(session)?,
        Diagnosis::good("work tree", &work_tree.top.display().to_string()),
        Diagnosis::of("branch", branch),
        Diagnosis::of("identity", git.check_identity().and_then(|()| git.identity())),
        signing(session)?,
        Diagnosis::of("in progress", work_tree.check_nothing_in_progress().map(|()| "nothing".to_owned())),
        changes(session)?,
    ];
    if work_tree.git_dir.metadata().is_ok_and(|meta| meta.permissions().readonly()) {
        let words = format!("{} cannot be written to", work_tree.git_dir.display());
        diagnoses.push(Diagnosis::bad(
            "git folder",
            &words,
            "A run commits its steps, so it needs the right to write there.",
        ));
    }
    Ok(diagnoses)
}

/// Whether everything is committed. Before the first commit, nothing can be set aside.
fn changes(session: &Session) -> Result<Diagnosis> {
    let Session { git, work_tree, repository, .. } = session;
    Ok(match repository.head()? {
        Some(_) => {
            Diagnosis::of(CHANGES, check_clean(git, work_tree).map(|()| "everything is committed".to_owned()))
        }
        None => Diagnosis::bad(
            CHANGES,
            "nothing is committed yet",
            "`git add -A && git commit -m \"Begin\"` makes the first commit.",
        ),
    })
}

/// Tries whether commits can be signed, unless that would run a program which the configuration of the repository names.
fn signing(session: &Session) -> Result<Diagnosis> {
    let Session { git, work_tree, .. } = session;
    if let Some(key) = git.signer_of_repository()?.filter(|_| git.signs_commits().unwrap_or(true)) {
        let words =
            format!("not tried, because the configuration of this repository names the program ({key})");
        let remedy = "`git commit-tree -S HEAD^{tree} -m Signed` tries it, if you know the program.";
        return Ok(Diagnosis::note("signing", &words, remedy));
    }
    Ok(Diagnosis::of(
        "signing",
        git.check_signing(work_tree).map(|signing| match signing {
            Signing::Off => "off".to_owned(),
            Signing::Works(format) => format!("works without asking ({format})"),
        }),
    ))
}

fn version(session: &Session) -> Result<Diagnosis> {
    let version = session.git.version()?;
    let words = format!("{version} ({})", session.git.program().display());
    Ok(Diagnosis::of("git", session.git.check_version().map(|()| words)))
}
