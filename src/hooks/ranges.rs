//! Checks many commits: every message by itself, then what only their order and their trees show.

use std::collections::{BTreeSet, HashSet};

use crate::check::history::{History, Start};
use crate::check::{Checked, Draft, Finding, Level, Named, NamedKind, Place, Report, Rule, check};
use crate::error::Result;
use crate::git::{self, Git};
use crate::history::{Repository, read_line};
use crate::task::{CommitId, trailers};

use super::Surroundings;

/// What is looked at beyond single messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Nothing.
    Nothing,
    /// The order of steps, and whether commits contain what they name.
    Everything(Start),
}

/// What is kept of a commit until all have been read.
struct Kept {
    id: CommitId,
    message: Vec<u8>,
    paths: Vec<Named>,
}

/// What one look at a commit gives: findings, and what has to be kept of it.
struct Seen {
    checked: Option<Checked>,
    kept: Option<Kept>,
    id: CommitId,
}

/// Checks the commits that `revisions` name; those with findings come back, the newest first.
///
/// # Errors
/// If git cannot read them.
pub fn check_commits(
    git: &Git,
    revisions: &[String],
    surroundings: &Surroundings,
    beyond: Beyond,
) -> Result<Vec<Checked>> {
    let look = |id: CommitId, parents: Parents, message: &[u8]| {
        let mut report = check_one(parents, message, surroundings);
        let paths: Vec<Named> = report.named.extract_if(.., |named| named.kind == NamedKind::Path).collect();
        let checked = (!report.findings.is_empty()).then(|| shown(&id, message, report));
        let wanted = beyond != Beyond::Nothing && concerns_history(message);
        let kept = wanted.then(|| Kept { id, message: message.to_vec(), paths });
        (checked.is_some() || kept.is_some()).then_some(Seen { checked, kept, id })
    };
    let seen = match line_of(revisions) {
        Some(ends) => Repository::open(git::Place::Environment, git.program())
            .and_then(|repository| {
                read_line(&repository, ends, |id, message| look(id, Parents::One, message))
            })
            .unwrap_or_default(),
        None => None,
    };
    let seen = match seen {
        Some(seen) => seen,
        None => {
            let mut seen = Vec::new();
            git.each_message(revisions, |commit| {
                let parents = if commit.parents > 1 { Parents::Several } else { Parents::One };
                seen.extend(look(commit.id, parents, &commit.bytes));
            })?;
            seen
        }
    };
    let mut checked: Vec<(CommitId, Checked)> = Vec::new();
    let mut kept: Vec<Kept> = Vec::new();
    for one in seen {
        checked.extend(one.checked.map(|checked| (one.id, checked)));
        kept.extend(one.kept);
    }
    if let Beyond::Everything(start) = beyond {
        let mut more = Vec::new();
        look_at_order(&kept, start, surroundings, &mut more);
        look_at_trees(git, &kept, surroundings, &mut more)?;
        for (id, finding) in more {
            let at = checked.iter().position(|(other, _)| *other == id);
            let at = at.unwrap_or_else(|| {
                let message = kept.iter().find(|kept| kept.id == id).map(|kept| kept.message.as_slice());
                checked.push((id, shown(&id, message.unwrap_or_default(), Report::default())));
                checked.len() - 1
            });
            checked[at].1.report.add(&surroundings.policy, finding);
        }
    }
    Ok(checked
        .into_iter()
        .map(|(_, checked)| checked)
        .filter(|one| !one.report.findings.is_empty())
        .collect())
}

/// How many parents a commit has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parents {
    One,
    Several,
}

/// The ends of a range that may be one line of commits: `B` and `^A`, or `B` alone.
fn line_of(revisions: &[String]) -> Option<(CommitId, Option<CommitId>)> {
    let id = |text: &String| CommitId::from_hex(text.as_bytes());
    match revisions {
        [head] => Some((id(head)?, None)),
        [head, from] => Some((id(head)?, Some(CommitId::from_hex(from.strip_prefix('^')?.as_bytes())?))),
        _ => None,
    }
}

/// Checks one stored message. Merges are the work of git and of forges: only trailers make one ours.
fn check_one(parents: Parents, message: &[u8], surroundings: &Surroundings) -> Report {
    let is_ours = || trailers(message).iter().any(|trailer| trailer.key.starts_with(b"Arborist-"));
    if parents == Parents::Several && !is_ours() {
        return Report::default();
    }
    check(&Draft::stored(message), &surroundings.policy)
}

fn concerns_history(message: &[u8]) -> bool {
    const REVERTS: &[u8] = b"This reverts commit ";
    message.starts_with(b"task(") || message.windows(REVERTS.len()).any(|window| window == REVERTS)
}

fn shown(id: &CommitId, message: &[u8], report: Report) -> Checked {
    let subject = message.split(|&byte| byte == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
    Checked {
        name: id.short(),
        subject: Some(String::from_utf8_lossy(subject).into_owned()),
        text: message.to_vec(),
        report,
    }
}

const FIRST_LINE: Place = Place { line: 1, column: 1, end: 2 };

fn look_at_order(
    kept: &[Kept],
    start: Start,
    surroundings: &Surroundings,
    more: &mut Vec<(CommitId, Finding)>,
) {
    let mut history = History::new(start, surroundings.reviews);
    for commit in kept.iter().rev() {
        history.take(commit.id, &commit.message);
    }
    for found in history.findings() {
        more.push((found.commit, Finding::new(found.rule, FIRST_LINE, found.what).help(found.help)));
    }
}

/// Looks whether commits contain the artifacts that they name. Most of them still are where they were, so the newest
/// tree is asked first, and the others only for what it lacks.
fn look_at_trees(
    git: &Git,
    kept: &[Kept],
    surroundings: &Surroundings,
    more: &mut Vec<(CommitId, Finding)>,
) -> Result<()> {
    if surroundings.policy.level(Rule::ArtifactNotCommitted) == Level::Off {
        return Ok(());
    }
    let all = || kept.iter().flat_map(|commit| commit.paths.iter().map(|path| (commit.id, path)));
    let folder = |path: &str| path.rsplit_once('/').map_or(path, |(folder, _)| folder).to_owned();
    let folders: BTreeSet<String> = all().map(|(_, path)| folder(&path.text)).collect();
    let Some(newest) = kept.first().filter(|_| !folders.is_empty()) else { return Ok(()) };
    let folders: Vec<String> = folders.into_iter().collect();
    let known: HashSet<String> = git.files_in(&newest.id, &folders)?.into_iter().collect();
    let asked: Vec<(CommitId, &Named)> = all().filter(|(_, path)| !known.contains(&path.text)).collect();
    let wanted: Vec<(CommitId, &str)> = asked.iter().map(|(id, path)| (*id, path.text.as_str())).collect();
    let found = if wanted.is_empty() { Vec::new() } else { git.contain(&wanted)? };
    for ((id, path), _) in asked.into_iter().zip(found).filter(|(_, found)| !found) {
        // A log that git ignores is left out on purpose.
        if !git.ignores(&path.text).unwrap_or(false) {
            let what = format!("the commit names `{}` and does not contain it", path.text);
            let finding = Finding::new(Rule::ArtifactNotCommitted, path.place.clone(), what);
            more.push((id, finding.help("commit the file with the step that names it")));
        }
    }
    Ok(())
}
