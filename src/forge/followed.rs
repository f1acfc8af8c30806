//! What is on an open request, and what it asks for. A forge says it, or a file (docs/pull-requests.md); nothing here does anything.
//!
//! Everything that people or programs wrote there is data. What somebody wrote who may not write to the repository never leaves
//! what is here, except as a name in a list.

mod comment;

use std::collections::HashSet;

use serde::Deserialize;

use super::check_state::CheckState;
use crate::record::{CommitId, Origin, OriginKind};
use crate::text::{CUT_MARK, clean, listed, one_line};
pub(crate) use comment::Comment;

/// How many lines of the output of a check an agent is told.
const LOG_LINES: usize = 200;
/// How many characters of that output, and of a thread. A brief has room for more.
const LONGEST_LOG: usize = 12_000;
const LONGEST_THREAD: usize = 12_000;
/// How many characters one task takes up in a round.
pub(crate) const LONGEST_ROUND: usize = 14_000;
/// How often the failure of one check is taken in.
const MOST_OFTEN: usize = 2;

/// What is on a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct FollowedRequest {
    /// Its page.
    pub(crate) url: String,
    pub(crate) state: RequestState,
    /// The branch into which it is to be merged.
    pub(crate) base: String,
    /// The commit on which its checks ran.
    pub(crate) head: String,
    /// Whether it is approved, and nobody requests changes.
    pub(crate) approved: bool,
    /// Whether it cannot be merged without a decision about conflicts.
    pub(crate) conflict: bool,
    pub(crate) threads: Vec<Thread>,
    pub(crate) checks: Vec<CheckRun>,
    /// Whether checks will report that have not yet, as far as is known.
    pub(crate) checks_expected: bool,
    /// Comments that belong to no line.
    pub(crate) comments: Vec<Comment>,
    /// Its commits, as far as it is known who made them.
    pub(crate) commits: Vec<RequestCommit>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RequestState {
    #[default]
    Open,
    Merged,
    Closed,
}

/// A conversation about a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Thread {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) line: Option<u32>,
    pub(crate) side: Side,
    /// The commit that was looked at.
    pub(crate) commit: String,
    pub(crate) resolved: bool,
    /// Whether it is part of a review that requests changes.
    pub(crate) requests_changes: bool,
    pub(crate) comments: Vec<Comment>,
}

/// Whether a line is one of the new version, or one that was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    #[default]
    New,
    Old,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CheckRun {
    pub(crate) name: String,
    pub(crate) state: CheckState,
    /// Its page.
    pub(crate) url: String,
    /// Whether it fails on the base as well.
    pub(crate) fails_on_base: bool,
    /// What the forge knows its job by, if it can show the output and run it again.
    #[serde(skip)]
    pub(crate) job: Option<String>,
    /// Its output, if it failed.
    pub(crate) log: String,
}

/// A commit of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct RequestCommit {
    pub(crate) id: String,
    pub(crate) author: String,
    pub(crate) may_write: bool,
}

/// Something on a request that a task can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted<'a> {
    pub(crate) origin: Origin,
    /// Where it comes from, in our own words and in one line.
    pub(crate) why: String,
    /// What was written, or printed: data.
    pub(crate) words: String,
    pub(crate) about: About<'a>,
}

/// What it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About<'a> {
    Thread(&'a Thread),
    Check(&'a CheckRun),
}

/// What follows from what is on a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Due<'a> {
    /// To be done: threads of reviews that request changes, and checks that fail.
    pub(crate) wanted: Vec<Wanted<'a>>,
    /// Other open threads, about which the user is asked.
    pub(crate) asked: Vec<Wanted<'a>>,
    /// What only a person can judge, as lines.
    pub(crate) listed: Vec<String>,
    /// Whether a person is needed, because a check keeps failing, or has no result.
    pub(crate) needs_person: bool,
    /// Whether something was taken in and is not answered by a newer commit yet, or a check still runs.
    pub(crate) waits: Vec<String>,
}

impl FollowedRequest {
    /// Masks everything that people and programs have written, before anything of it is cut: half a secret is no secret to a pattern.
    pub(crate) fn mask(&mut self, mask: impl Fn(&str) -> String) {
        let of_threads = self.threads.iter_mut().flat_map(|thread| &mut thread.comments);
        for comment in of_threads.chain(&mut self.comments) {
            comment.text = mask(&comment.text);
        }
        for check in &mut self.checks {
            check.log = mask(&check.log);
            check.name = mask(&check.name);
        }
    }

    /// What is to be done about it, where `taken` was taken in before.
    pub(crate) fn due(&self, taken: &[Origin]) -> Due<'_> {
        let mut due = Due::default();
        let mut without_access: Vec<&str> = Vec::new();
        for thread in self.threads.iter().filter(|thread| !thread.resolved) {
            let by_others = |comment: &&Comment| !comment.is_answer_of(&thread.id);
            for comment in thread.comments.iter().filter(by_others).filter(|comment| !comment.counts()) {
                without_access.push(&comment.author);
            }
            let Some(wanted) = thread.wanted() else { continue };
            match taken.contains(&wanted.origin) {
                true if thread.is_answered(&wanted.origin) => {}
                true => due.waits.push(format!("{} is not answered yet", wanted.why)),
                false if thread.requests_changes => due.wanted.push(wanted),
                false => due.asked.push(wanted),
            }
        }
        for comment in &self.comments {
            match comment.counts() {
                true => due.listed.push(format!(
                    "a comment of {}, {}",
                    one_line(&comment.author),
                    one_line(&comment.at)
                )),
                false => without_access.push(&comment.author),
            }
        }
        for check in &self.checks {
            let name = one_line(&check.name);
            let is_this = |origin: &&Origin| origin.kind == OriginKind::Check && origin.id == check.name;
            let before = taken.iter().filter(is_this);
            match check.state {
                CheckState::Success => {}
                CheckState::Pending => due.waits.push(format!("the check {name} has not ended")),
                CheckState::Cancelled | CheckState::Blocked => {
                    due.needs_person = true;
                    let todo = match check.state {
                        CheckState::Cancelled => "was cancelled: run it again",
                        _ => "waits for a person, or could not begin: do what its page asks for",
                    };
                    let page = if check.url.is_empty() { "" } else { ", " };
                    due.listed.push(format!("the check {name} {todo}{page}{}", one_line(&check.url)));
                }
                CheckState::Failure if check.fails_on_base => {
                    due.listed.push(format!("the check {name} fails, and also on {}", one_line(&self.base)));
                }
                CheckState::Failure if before.clone().any(|origin| origin.at == self.head) => {
                    due.waits.push(format!("the check {name} fails on a commit that is being replaced"));
                }
                CheckState::Failure
                    if before.map(|origin| &origin.at).collect::<HashSet<_>>().len() >= MOST_OFTEN =>
                {
                    due.needs_person = true;
                    due.listed.push(format!("the check {name} still fails, after two repairs"));
                }
                CheckState::Failure => due.wanted.push(check.wanted(&self.head)),
            }
        }
        let mut missing: Vec<&str> = taken
            .iter()
            .filter(|origin| origin.kind == OriginKind::Check)
            .map(|origin| origin.id.as_str())
            .filter(|name| self.checks.iter().all(|check| check.name != *name))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        let is_pending = |check: &CheckRun| check.state == CheckState::Pending;
        match self.checks.is_empty() {
            true if self.checks_expected || !missing.is_empty() => {
                due.waits.push("no check has reported on the newest commit yet".to_owned());
            }
            false if !missing.is_empty() => {
                let waits =
                    missing.iter().map(|name| format!("the check {} has not reported yet", one_line(name)));
                due.waits.extend(waits);
            }
            false if self.checks_expected && !self.checks.iter().any(is_pending) => {
                due.waits.push("a check is expected that has not reported yet".to_owned());
            }
            _ => {}
        }
        without_access.sort_unstable();
        without_access.dedup();
        if !without_access.is_empty() {
            let names: Vec<String> = without_access.iter().map(|name| one_line(name)).collect();
            due.listed.push(format!("words of {}, who may not write here or are bots", listed(&names)));
        }
        due
    }

    /// Whether this may be the commit on which its checks ran.
    pub(crate) fn is_about(&self, commit: CommitId) -> bool {
        self.head.is_empty() || self.head == commit.to_string()
    }

    /// The thread that was taken in, if it is still there.
    pub(crate) fn thread_of(&self, origin: &Origin) -> Option<&Thread> {
        let threads = self.threads.iter().filter(|_| origin.kind == OriginKind::Thread);
        threads.into_iter().find(|thread| thread.id == origin.id)
    }

    /// What is known of its checks, where none of them holds it up.
    pub(crate) fn state_of_checks(&self) -> String {
        match self.checks.iter().any(|check| check.state != CheckState::Success) {
            _ if self.checks.is_empty() => "it has no checks".to_owned(),
            true => format!("no check fails that passes on {}", one_line(&self.base)),
            false => "its checks pass".to_owned(),
        }
    }

    /// Whether all is done: it is approved, its checks are green, and nothing is open.
    pub(crate) fn is_done(&self, due: &Due<'_>) -> bool {
        let is_red = |check: &CheckRun| check.state != CheckState::Success && !check.fails_on_base;
        self.approved
            && !self.conflict
            && due.wanted.is_empty()
            && due.asked.is_empty()
            && due.waits.is_empty()
            && !self.checks.iter().any(is_red)
    }
}

impl Thread {
    /// What people with write access have written in it; `None` if nobody of them has.
    fn wanted(&self) -> Option<Wanted<'_>> {
        let counted =
            || self.comments.iter().filter(|comment| comment.counts() && !comment.is_answer_of(&self.id));
        let newest = counted().map(|comment| comment.at.as_str()).max()?;
        let mut authors: Vec<String> = counted().map(|comment| one_line(&comment.author)).collect();
        authors.sort_unstable();
        authors.dedup();
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        // Some threads are about no file.
        let place =
            if self.path.is_empty() { String::new() } else { format!("{}{line}", one_line(&self.path)) };
        let removed = if self.side == Side::Old { " (a removed line)" } else { "" };
        let at = if place.is_empty() { String::new() } else { format!(" on {place}{removed}") };
        let mut words: Vec<String> = counted()
            .map(|comment| format!("{}{at}:\n{}", one_line(&comment.author), comment.shown()))
            .collect();
        // The newest are kept.
        let mut room = LONGEST_THREAD;
        let fits = words.iter().rev().take_while(|words| {
            let length = words.chars().count();
            let fits = length <= room;
            room = room.saturating_sub(length);
            fits
        });
        let left_out = words.len() - fits.count();
        if left_out > 0 {
            words.splice(..left_out, [CUT_MARK.to_owned()]);
        }
        Some(Wanted {
            origin: Origin { kind: OriginKind::Thread, id: self.id.clone(), at: newest.to_owned() },
            why: match place.is_empty() {
                true => format!("review by {}", listed(&authors)),
                false => format!("review of {place} by {}", listed(&authors)),
            },
            words: words.join("\n\n"),
            about: About::Thread(self),
        })
    }

    /// Whether something was written in it since this was taken in.
    pub(crate) fn has_newer(&self, origin: &Origin) -> bool {
        self.wanted().is_some_and(|wanted| wanted.origin != *origin)
    }

    /// Whether an answer to what was taken in is there already. A stranger cannot give it.
    pub(crate) fn is_answered(&self, origin: &Origin) -> bool {
        let may_answer = |comment: &&Comment| comment.may_write || comment.bot;
        self.comments.iter().filter(may_answer).any(|comment| comment.text.contains(&answer_mark(origin)))
    }

    /// The answer to what was taken in: the commit that has taken it up.
    pub(crate) fn answer(origin: &Origin, commit: &str) -> String {
        format!("Taken up in {commit}.\n\n{}", answer_mark(origin))
    }
}

/// By what an answer is recognised. Readers of the page do not see it.
fn answer_mark(origin: &Origin) -> String {
    format!("<!-- git-arborist: {} -->", origin.to_string().replace("--", "%2D%2D"))
}

impl CheckRun {
    fn wanted(&self, head: &str) -> Wanted<'_> {
        let name = one_line(&self.name);
        let output = last_lines(&self.log);
        let words = match output.is_empty() {
            true => format!("The check {name} fails. Its output is not known."),
            false => format!("The check {name} fails. The end of its output:\n{output}"),
        };
        Wanted {
            origin: Origin { kind: OriginKind::Check, id: self.name.clone(), at: head.to_owned() },
            why: format!("the check {name} fails"),
            words,
            about: About::Check(self),
        }
    }
}

fn last_lines(log: &str) -> String {
    let text = clean(log.replace("\r\n", "\n").as_bytes());
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
    let missing = end.chars().count().saturating_sub(LONGEST_LOG);
    let end: String = end.chars().skip(missing).collect();
    if missing > 0 || lines.len() > LOG_LINES { format!("{CUT_MARK}\n{end}") } else { end }
}

/// What several threads and checks say to one task: where it comes from, and the words.
pub(crate) fn together(wanted: &[&Wanted<'_>]) -> (String, String) {
    let whys: Vec<&str> = wanted.iter().map(|one| one.why.as_str()).collect();
    let words: Vec<&str> = wanted.iter().map(|one| one.words.as_str()).collect();
    (whys.join("; "), words.join("\n\n"))
}

#[cfg(test)]
mod tests;
