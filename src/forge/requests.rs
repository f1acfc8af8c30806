//! Finds, opens, updates and follows the requests of a branch. How that is done on each forge is a row of a table.

use std::collections::BTreeMap;

use serde_json::Value;

use super::asking::{Asked, SquashMessage, not_understood};
use super::followed::{CheckRun, FollowedRequest, Thread};
use super::place::{ForgeKind, ForgePlace};
use super::program::ForgeProgram;
use super::{github, gitlab};
use crate::error::Result;

/// A request that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenRequest {
    pub(crate) number: u64,
    /// Its page.
    pub(crate) url: String,
    /// Its text.
    pub(crate) body: String,
    /// The branch into which it is to be merged.
    pub(crate) base: String,
}

/// How the requests of a forge are handled.
struct RequestRow {
    /// The open requests of a branch.
    find: fn(&Asked<'_>) -> Result<Vec<Value>>,
    /// Opens one with this title and text, into this base, as a draft or not.
    open: fn(&Asked<'_>, &str, &str, &str, bool) -> Result<Value>,
    /// The method, the list of requests of a repository, and the field of the text.
    update: [&'static str; 3],
    follow: fn(&Asked<'_>, u64) -> Result<FollowedRequest>,
    has_run_once: fn(&Asked<'_>, &str) -> bool,
    /// Runs a job again; whether it does.
    run_again: fn(&Asked<'_>, &str) -> bool,
    /// The words before the id of a job whose output is printed.
    log: &'static [&'static str],
    answer: fn(&Asked<'_>, u64, &Thread, &str) -> Result<()>,
    /// What a repository says of squash merges.
    squash: fn(&Value) -> SquashMessage,
}

const GITHUB: RequestRow = RequestRow {
    find: github::find,
    open: github::open,
    update: ["PATCH", "pulls", "body"],
    follow: github::follow,
    has_run_once: github::has_run_once,
    run_again: github::run_again,
    log: &["run", "view", "--log-failed", "--job"],
    answer: github::answer,
    squash: github::squash,
};

const GITLAB: RequestRow = RequestRow {
    find: gitlab::find,
    open: gitlab::open,
    update: ["PUT", "merge_requests", "description"],
    follow: gitlab::follow,
    has_run_once: gitlab::has_run_once,
    run_again: gitlab::run_again,
    log: &["ci", "trace"],
    answer: gitlab::answer,
    squash: gitlab::squash,
};

/// The row of a forge that has a program.
///
/// # Errors
/// If it has none.
fn row(kind: ForgeKind) -> Result<&'static RequestRow> {
    match kind {
        ForgeKind::GitHub => Ok(&GITHUB),
        ForgeKind::GitLab => Ok(&GITLAB),
        ForgeKind::Gitea => Err(not_understood()),
    }
}

/// The requests of a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests<'a> {
    pub(super) asked: Asked<'a>,
}

impl Requests<'_> {
    fn row(&self) -> Result<&'static RequestRow> {
        row(self.asked.program.kind)
    }

    /// What people call a request there.
    pub(crate) fn name(&self) -> &'static str {
        self.asked.program.kind.request()
    }

    /// The open request of the branch into this base; if there is none, one into another.
    ///
    /// # Errors
    /// If the forge cannot be asked.
    pub(crate) fn open(&self, base: &str) -> Result<Option<OpenRequest>> {
        let found = (self.row()?.find)(&self.asked)?;
        let mut found = found.iter().map(request).collect::<Result<Vec<_>>>()?;
        found.sort_by_key(|request| request.base != base);
        Ok(found.into_iter().next())
    }

    /// Opens a request with this title and text.
    ///
    /// # Errors
    /// If the forge refuses it.
    pub(crate) fn create(&self, title: &str, body: &str, base: &str, draft: bool) -> Result<OpenRequest> {
        request(&(self.row()?.open)(&self.asked, title, body, base, draft)?)
    }

    /// Replaces the text of a request.
    ///
    /// # Errors
    /// If the forge refuses it.
    pub(crate) fn replace_body(&self, number: u64, body: &str) -> Result<()> {
        let [method, list, field] = self.row()?.update;
        let endpoint = format!("{}/{list}/{number}", self.asked.endpoint(self.asked.place));
        request(&self.asked.api().send(method, &endpoint, &BTreeMap::from([(field, body)]))?).map(drop)
    }

    /// What is on a request.
    ///
    /// # Errors
    /// If the forge cannot be asked, or its answer is not understood.
    pub(crate) fn follow(&self, number: u64) -> Result<FollowedRequest> {
        (self.row()?.follow)(&self.asked, number)
    }

    /// The job of a check, if it has run only once, so that it may run again.
    pub(crate) fn first_run(&self, check: &CheckRun) -> Option<String> {
        let (job, row) = (check.job.clone()?, self.row().ok()?);
        (row.has_run_once)(&self.asked, &job).then_some(job)
    }

    /// Lets the forge run a job again; whether it does.
    pub(crate) fn run_again(&self, job: &str) -> bool {
        self.row().is_ok_and(|row| (row.run_again)(&self.asked, job))
    }

    /// The output of a check that has failed; empty if the forge does not show it.
    pub(crate) fn log(&self, check: &CheckRun) -> String {
        let (Some(job), Ok(row)) = (&check.job, self.row()) else { return String::new() };
        self.asked.said_by(&[row.log, &[job]].concat()).unwrap_or_default()
    }

    /// Answers a thread.
    ///
    /// # Errors
    /// If the forge refuses it.
    pub(crate) fn answer(&self, number: u64, thread: &Thread, text: &str) -> Result<()> {
        (self.row()?.answer)(&self.asked, number, thread, text)
    }
}

/// Asks the forge what a squash merge keeps of the trailers by which a run is known.
///
/// # Errors
/// If it cannot be asked.
pub(crate) fn squash_setting(program: &ForgeProgram, place: &ForgePlace) -> Result<SquashMessage> {
    let asked = Asked { program, place, from: place, branch: "" };
    Ok((row(program.kind)?.squash)(&asked.api().get(&asked.endpoint(place))?))
}

/// Reads a request; the forges name the same things differently.
fn request(answer: &Value) -> Result<OpenRequest> {
    let text = |names: [&str; 2]| names.iter().find_map(|name| answer[*name].as_str()).map(str::to_owned);
    let number = answer["number"].as_u64().or_else(|| answer["iid"].as_u64()).ok_or_else(not_understood)?;
    let base = answer["base"]["ref"].as_str().map(str::to_owned).or_else(|| text(["target_branch", "base"]));
    Ok(OpenRequest {
        number,
        url: text(["html_url", "web_url"]).ok_or_else(not_understood)?,
        body: text(["body", "description"]).unwrap_or_default(),
        base: base.unwrap_or_default(),
    })
}
