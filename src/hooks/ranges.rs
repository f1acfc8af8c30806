//! Checks many commits: first every message by itself, then their order and their trees.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::check::history::{History, HistoryChange, HistoryFinding, HistoryStart, doubtful};
use crate::check::{Checked, Finding, Level, LinePart, MessageDraft, MessageReport, NamedPath, Rule, check};
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Message, PathInCommit, Revisions};
use crate::record::{CommitId, Doubt, RevertClaim, Subject, commit_kind, trailers};

use super::CheckContext;

/// What is checked in a range of commits beyond single messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RangeChecks {
    /// Nothing.
    Nothing,
    /// The order of steps, and whether commits contain what they name.
    Range,
    /// The same as for [`Range`](Self::Range), in the whole range of a run.
    Run {
        /// What the history of the run leaves in doubt.
        doubts: Vec<Doubt>,
        /// The steps in its range that belong to earlier plans. Later steps need not follow from them.
        outdated: HashSet<CommitId>,
        /// What the evidence of its tasks contradicts.
        found: Vec<HistoryFinding>,
    },
}

/// A checked commit that has findings, or that the checks beyond single messages need.
struct CheckedCommit {
    id: CommitId,
    findings: Option<Box<Findings>>,
    /// Whether the checks beyond single messages need it.
    counts: bool,
    /// Its effect on the order of steps, if it counts.
    change: Option<HistoryChange>,
    /// The logs and reports that it names.
    paths: Vec<NamedPath>,
}

/// A message and the findings about it.
struct Findings {
    message: Vec<u8>,
    report: MessageReport,
}

/// Checks the commits that `revisions` name. Returns those with findings, newest first.
///
/// # Errors
/// If git cannot read them.
pub fn check_commits(
    git: &Git,
    revisions: &Revisions,
    context: &CheckContext,
    range_checks: &RangeChecks,
) -> Result<Vec<Checked>> {
    let mut commits = Vec::new();
    git.each_message(revisions, |commit| commits.extend(check_message(&commit, context, range_checks)))?;
    let mut shown: Vec<usize> = (0..commits.len()).filter(|&at| commits[at].findings.is_some()).collect();
    if *range_checks != RangeChecks::Nothing {
        let mut more = Vec::new();
        look_at_order(&commits, range_checks, context, &mut more);
        look_at_trees(git, &commits, context, &mut more)?;
        more.retain(|later| context.policy.level(later.finding.rule) != Level::Off);
        shown.extend(keep_messages(git, &mut commits, &more)?);
        for LaterFinding { at, finding } in more {
            if let Some(findings) = &mut commits[at].findings {
                findings.report.add(&context.policy, finding);
            }
        }
    }
    let checked =
        |at: usize| commits[at].findings.take().map(|findings| findings.into_checked(commits[at].id));
    Ok(shown.into_iter().filter_map(checked).collect())
}

/// Checks the message of one commit. Returns `None` if nothing needs to be kept of it.
fn check_message(
    commit: &Message<'_>,
    context: &CheckContext,
    range_checks: &RangeChecks,
) -> Option<Box<CheckedCommit>> {
    let mut report = check_one(commit, context);
    let counts = *range_checks != RangeChecks::Nothing && concerns_history(commit.bytes);
    if report.findings.is_empty() && !counts {
        return None;
    }
    let change =
        HistoryChange::of(std::mem::take(&mut report.kind), commit.bytes, commit.parents).filter(|_| counts);
    let paths = std::mem::take(&mut report.paths);
    let findings =
        (!report.findings.is_empty()).then(|| Box::new(Findings { message: commit.bytes.to_vec(), report }));
    Some(Box::new(CheckedCommit { id: commit.id, findings, counts, change, paths }))
}

/// Reads again the messages of the commits that have findings only in `more`. Returns the positions of these commits,
/// in the order of `more`.
fn keep_messages(git: &Git, commits: &mut [Box<CheckedCommit>], more: &[LaterFinding]) -> Result<Vec<usize>> {
    let mut known = HashSet::new();
    let places = more.iter().map(|later| later.at);
    let places: Vec<usize> =
        places.filter(|&at| commits[at].findings.is_none() && known.insert(at)).collect();
    if places.is_empty() {
        return Ok(places);
    }
    let ids: Vec<CommitId> = places.iter().map(|&at| commits[at].id).collect();
    let mut messages: HashMap<CommitId, Vec<u8>> = git.messages(&ids)?.into_iter().collect();
    for &at in &places {
        let id = commits[at].id;
        let message = messages.remove(&id).ok_or_else(|| {
            let what = format!("git printed no message for the commit {}", id.short());
            Error::new(Kind::Repository, what, "`git fsck` shows whether the repository is damaged.")
        })?;
        commits[at].findings = Some(Box::new(Findings { message, report: MessageReport::default() }));
    }
    Ok(places)
}

impl Findings {
    fn into_checked(self, id: CommitId) -> Checked {
        let mut lines = self.message.split(|&byte| byte == b'\n');
        let subject = lines.find(|line| !line.is_empty()).unwrap_or_default();
        Checked {
            name: id.short(),
            subject: Some(String::from_utf8_lossy(subject).into_owned()),
            text: self.message,
            report: self.report,
        }
    }
}

/// Checks one stored message. Merges are made by git and by forges, so only trailers make one ours.
fn check_one(commit: &Message<'_>, context: &CheckContext) -> MessageReport {
    let is_ours = || trailers(commit.bytes).iter().any(|trailer| trailer.key.starts_with(b"Arborist-"));
    if commit.parents > 1 && !is_ours() {
        return MessageReport { kind: commit_kind(commit.bytes), ..MessageReport::default() };
    }
    check(&MessageDraft::stored(commit.bytes), &context.policy)
}

fn concerns_history(message: &[u8]) -> bool {
    matches!(Subject::of(message), Subject::Task(_)) || !RevertClaim::all_in(message).is_empty()
}

/// A finding that does not follow from the message of its commit alone, but from other commits or from trees.
struct LaterFinding {
    /// The position of the commit among those that were seen.
    at: usize,
    finding: Finding,
}

const FIRST_LINE: LinePart = LinePart { line: 1, column: 1, end: 2 };

fn look_at_order(
    commits: &[Box<CheckedCommit>],
    range_checks: &RangeChecks,
    context: &CheckContext,
    more: &mut Vec<LaterFinding>,
) {
    let none = HashSet::new();
    let (start, doubts, outdated, also) = match range_checks {
        RangeChecks::Run { doubts, outdated, found } => {
            (HistoryStart::OfRun, doubts.as_slice(), outdated, found.as_slice())
        }
        RangeChecks::Range | RangeChecks::Nothing => (HistoryStart::Anywhere, &[][..], &none, &[][..]),
    };
    let mut history = History::new(start, context.reviews);
    for commit in commits.iter().rev().filter(|commit| !outdated.contains(&commit.id)) {
        if let Some(change) = &commit.change {
            history.take(commit.id, change);
        }
    }
    let mut found = history.findings();
    found.extend(doubtful(doubts));
    found.extend_from_slice(also);
    if found.is_empty() {
        return;
    }
    let places: HashMap<CommitId, usize> =
        commits.iter().zip(0..).map(|(commit, at)| (commit.id, at)).collect();
    for found in found {
        if let Some(at) = places.get(&found.commit) {
            let finding = Finding::new(found.rule, FIRST_LINE, found.what).help(found.help);
            more.push(LaterFinding { at: *at, finding });
        }
    }
}

/// Checks whether commits contain the artifacts that they name. Most artifacts still exist, so the newest tree is
/// searched first, and the others only for those that it lacks.
fn look_at_trees(
    git: &Git,
    commits: &[Box<CheckedCommit>],
    context: &CheckContext,
    more: &mut Vec<LaterFinding>,
) -> Result<()> {
    if context.policy.level(Rule::ArtifactNotCommitted) == Level::Off {
        return Ok(());
    }
    let counted = || commits.iter().enumerate().filter(|(_, commit)| commit.counts);
    let all = || counted().flat_map(|(at, commit)| commit.paths.iter().map(move |path| (at, path)));
    let folders: BTreeSet<&str> = all().map(|(_, path)| folder_of(&path.text)).collect();
    let Some((_, newest)) = counted().next().filter(|_| !folders.is_empty()) else { return Ok(()) };
    let folders: Vec<String> = folders.into_iter().map(str::to_owned).collect();
    let known: HashSet<String> = git.files_in(&newest.id, &folders)?.into_iter().collect();
    let asked: Vec<(usize, &NamedPath)> = all().filter(|(_, path)| !known.contains(&path.text)).collect();
    let wanted: Vec<PathInCommit<'_>> =
        asked.iter().map(|(at, path)| PathInCommit { commit: commits[*at].id, path: &path.text }).collect();
    let found = if wanted.is_empty() { Vec::new() } else { git.contain(&wanted)? };
    let missing: Vec<(usize, &NamedPath)> =
        asked.into_iter().zip(found).filter_map(|(asked, found)| (!found).then_some(asked)).collect();
    // A log that git ignores is missing on purpose.
    let ignored = git.ignored(&missing.iter().map(|(_, path)| path.text.as_str()).collect::<Vec<_>>())?;
    for (at, path) in missing.into_iter().filter(|(_, path)| !ignored.contains(path.text.as_str())) {
        let what = format!("the commit names `{}` but does not contain it", path.text);
        let finding = Finding::new(Rule::ArtifactNotCommitted, path.span.clone(), what);
        let finding = finding.help("commit the file with the step that names it");
        more.push(LaterFinding { at, finding });
    }
    Ok(())
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(folder, _)| folder)
}
