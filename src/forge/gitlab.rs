//! Merge requests of GitLab, through its REST API.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::access::{Access, Person};
use super::address::percent_encoded_whole;
use super::asking::{Asked, PAGE, PAGES, SquashMessage, list, not_all_read, not_understood};
use super::check_state::CheckState;
use super::followed::{CheckRun, Comment, FollowedRequest, RequestCommit, RequestState, Side, Thread};
use super::place::ForgePlace;
use crate::error::Result;

/// The level from which a member may write: that of a developer.
const DEVELOPER: u64 = 30;

/// A merge request that is to be opened.
#[derive(Serialize)]
struct NewRequest<'a> {
    title: String,
    source_branch: &'a str,
    target_branch: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_project_id: Option<u64>,
}

fn project(asked: &Asked<'_>) -> String {
    asked.endpoint(asked.place)
}

pub(super) fn find(asked: &Asked<'_>) -> Result<Vec<Value>> {
    let source = if asked.is_fork() { Some(project_id(asked, asked.from)?) } else { None };
    let branch = percent_encoded_whole(asked.branch);
    let query = format!("{}/merge_requests?state=opened&per_page=100&source_branch={branch}", project(asked));
    let is_ours = |one: &&Value| match source {
        Some(id) => one["source_project_id"] == id,
        None => one["source_project_id"] == one["target_project_id"],
    };
    Ok(list(&asked.api().get(&query)?).filter(is_ours).cloned().collect())
}

pub(super) fn open(asked: &Asked<'_>, title: &str, body: &str, base: &str, draft: bool) -> Result<Value> {
    let request = NewRequest {
        title: if draft { format!("Draft: {title}") } else { title.to_owned() },
        source_branch: asked.branch,
        target_branch: base,
        description: body,
        target_project_id: asked.is_fork().then(|| project_id(asked, asked.place)).transpose()?,
    };
    asked.api().send("POST", &format!("{}/merge_requests", asked.endpoint(asked.from)), &request)
}

pub(super) fn squash(project: &Value) -> SquashMessage {
    match (project["squash_option"].as_str(), project["squash_commit_template"].as_str()) {
        (Some("never"), _) => SquashMessage::Off,
        (_, Some(template)) if template.contains("%{description}") => SquashMessage::RequestBody,
        (_, Some(template)) if template.contains("%{all_commits}") => SquashMessage::AllMessages,
        (_, Some(template)) if !template.trim().is_empty() => SquashMessage::Template,
        (Some(_), _) => SquashMessage::TitleOnly,
        (None, _) => SquashMessage::Unknown,
    }
}

fn project_id(asked: &Asked<'_>, place: &ForgePlace) -> Result<u64> {
    asked.api().get(&asked.endpoint(place))?["id"].as_u64().ok_or_else(not_understood)
}

/// All pages of a list.
fn pages(asked: &Asked<'_>, endpoint: &str) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let mark = if endpoint.contains('?') { '&' } else { '?' };
    for page in 1..=PAGES {
        let answer = asked.api().get(&format!("{endpoint}{mark}per_page={PAGE}&page={page}"))?;
        all.extend(list(&answer).cloned());
        if list(&answer).count() < PAGE {
            return Ok(all);
        }
    }
    Err(not_all_read(endpoint))
}

pub(super) fn follow(asked: &Asked<'_>, number: u64) -> Result<FollowedRequest> {
    let project = project(asked);
    let merge_request = format!("{project}/merge_requests/{number}");
    let request = asked.api().get(&merge_request)?;
    let text = |field: &str| request[field].as_str().unwrap_or_default().to_owned();
    let state = match request["state"].as_str() {
        Some("opened" | "locked") => RequestState::Open,
        Some("merged") => RequestState::Merged,
        Some("closed") => RequestState::Closed,
        _ => return Err(not_understood()),
    };
    let mut access = Access::new(asked, person);
    // What people without write access think of it neither approves it nor holds it up.
    let reviewers = pages(asked, &format!("{merge_request}/reviewers"))?;
    let mut who = |state: &str| -> Vec<Option<u64>> {
        let those = reviewers.iter().filter(|reviewer| reviewer["state"] == state);
        let those = those.filter(|reviewer| access.counts(&reviewer["user"]));
        those.map(|reviewer| reviewer["user"]["id"].as_u64()).collect()
    };
    let (requesting, approving) = (who("requested_changes"), who("approved"));
    let approvals = asked.api().get(&format!("{merge_request}/approvals"))?;
    let mut approved_by = list(&approvals["approved_by"]);
    // Where no rule asks for an approval, it says so from the beginning.
    let is_approved = approvals["approved"] == true
        && (!approving.is_empty() || approved_by.any(|approval| access.counts(&approval["user"])));
    let (mut threads, mut comments) = (Vec::new(), Vec::new());
    for discussion in pages(asked, &format!("{merge_request}/discussions"))? {
        let notes: Vec<&Value> = list(&discussion["notes"]).filter(|note| note["system"] != true).collect();
        let Some(first) = notes.first() else { continue };
        let said: Vec<Comment> =
            notes.iter().map(|note| access.comment(note, &["updated_at", "created_at"])).collect();
        if first["resolvable"] != true {
            comments.extend(said);
            continue;
        }
        let position = &first["position"];
        let number = |field: &str| position[field].as_u64().and_then(|line| u32::try_from(line).ok());
        let side =
            if number("new_line").is_none() && number("old_line").is_some() { Side::Old } else { Side::New };
        let field = |new: &'static str, old: &'static str| if side == Side::New { new } else { old };
        threads.push(Thread {
            id: discussion["id"].as_str().ok_or_else(not_understood)?.to_owned(),
            path: position[field("new_path", "old_path")].as_str().unwrap_or_default().to_owned(),
            line: number(field("new_line", "old_line")),
            side,
            commit: position["head_sha"].as_str().unwrap_or_default().to_owned(),
            resolved: notes
                .iter()
                .filter(|note| note["resolvable"] == true)
                .all(|note| note["resolved"] == true),
            requests_changes: notes.iter().zip(&said).any(|(note, comment)| {
                comment.counts() && requesting.contains(&note["author"]["id"].as_u64())
            }),
            comments: said,
        });
    }
    let checks = checks(asked, &request)?;
    // A new head has no pipeline until it begins.
    let earlier = format!("{merge_request}/pipelines?per_page=1");
    let checks_expected = checks.is_empty() && list(&asked.api().get(&earlier)?).next().is_some();
    let mut commits = Vec::new();
    for commit in pages(asked, &format!("{merge_request}/commits"))? {
        let author = commit["author_email"].as_str().unwrap_or_default();
        commits.push(RequestCommit {
            id: commit["id"].as_str().unwrap_or_default().to_owned(),
            author: commit["author_name"].as_str().unwrap_or_default().to_owned(),
            may_write: has_address(&mut access, asked, author),
        });
    }
    Ok(FollowedRequest {
        url: text("web_url"),
        state,
        base: text("target_branch"),
        head: text("sha"),
        approved: is_approved && requesting.is_empty(),
        // The first is only said where the second was looked at.
        conflict: request["has_conflicts"] == true || request["detailed_merge_status"] == "conflict",
        threads,
        checks_expected,
        checks,
        comments,
        commits,
    })
}

/// The jobs of the newest pipeline of a request, each as it ended last. What its jobs do not explain, such as a pipeline below it that
/// has failed, is a check of the pipeline itself.
fn checks(asked: &Asked<'_>, request: &Value) -> Result<Vec<CheckRun>> {
    let project = project(asked);
    let pipeline = &request["head_pipeline"];
    let Some(id) = pipeline["id"].as_u64() else { return Ok(Vec::new()) };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let whole = |state| CheckRun {
        name: "pipeline".to_owned(),
        state,
        url: text(&pipeline["web_url"]),
        ..CheckRun::default()
    };
    // That of the merged result runs on a commit of its own.
    if pipeline["sha"] != request["sha"] && !text(&pipeline["ref"]).ends_with("/merge") {
        return Ok(vec![whole(CheckState::Pending)]);
    }
    let base = text(&request["target_branch"]);
    let failed = |jobs: &[Value]| -> Vec<String> {
        let failed = jobs.iter().filter(|job| job["status"] == "failed");
        failed.filter_map(|job| job["name"].as_str().map(str::to_owned)).collect()
    };
    let newest =
        asked.api().get(&format!("{project}/pipelines?ref={}&per_page=1", percent_encoded_whole(&base)))?;
    let on_base = match list(&newest).next().and_then(|pipeline| pipeline["id"].as_u64()) {
        Some(id) => failed(&pages(asked, &format!("{project}/pipelines/{id}/jobs"))?),
        None => Vec::new(),
    };
    let jobs = pages(asked, &format!("{project}/pipelines/{id}/jobs"))?;
    let read = |job: &Value| {
        let name = text(&job["name"]);
        let state = match CheckState::of_word(&text(&job["status"])) {
            CheckState::Failure | CheckState::Cancelled | CheckState::Blocked
                if job["allow_failure"] == true =>
            {
                CheckState::Success
            }
            state => state,
        };
        let id = job["id"].as_u64().map(|id| id.to_string());
        CheckRun {
            fails_on_base: on_base.contains(&name),
            name,
            state,
            url: text(&job["web_url"]),
            job: id,
            ..CheckRun::default()
        }
    };
    let mut checks: Vec<CheckRun> = jobs.iter().map(read).collect();
    if checks.iter().all(|check| check.state == CheckState::Success) {
        checks.push(whole(CheckState::of_word(&text(&pipeline["status"]))));
    }
    Ok(checks)
}

/// Whether a job has run only once in its pipeline.
pub(super) fn has_run_once(asked: &Asked<'_>, job: &str) -> bool {
    let project = project(asked);
    let Ok(this) = asked.api().get(&format!("{project}/jobs/{job}")) else { return false };
    let Some(pipeline) = this["pipeline"]["id"].as_u64() else { return false };
    let Ok(all) = pages(asked, &format!("{project}/pipelines/{pipeline}/jobs?include_retried=true")) else {
        return false;
    };
    all.iter().filter(|other| other["name"] == this["name"]).count() == 1
}

pub(super) fn run_again(asked: &Asked<'_>, job: &str) -> bool {
    asked.api().send("POST", &format!("{}/jobs/{job}/retry", project(asked)), &Map::new()).is_ok()
}

pub(super) fn answer(asked: &Asked<'_>, number: u64, thread: &Thread, text: &str) -> Result<()> {
    let id = percent_encoded_whole(&thread.id);
    let endpoint = format!("{}/merge_requests/{number}/discussions/{id}/notes", project(asked));
    asked.api().send("POST", &endpoint, &BTreeMap::from([("body", text)])).map(drop)
}

fn person(asked: &Asked<'_>, id: &str) -> Person {
    let api = asked.api();
    let bot = api.get(&format!("users/{id}")).is_ok_and(|user| user["bot"] == true);
    let member = api.get(&format!("{}/members/all/{id}", project(asked)));
    let may_write =
        member.is_ok_and(|member| member["access_level"].as_u64().is_some_and(|level| level >= DEVELOPER));
    Person { may_write, bot }
}

/// Whether the only user with this address may write.
fn has_address(access: &mut Access<'_>, asked: &Asked<'_>, address: &str) -> bool {
    if !address.contains('@') {
        return false;
    }
    let found = asked.api().get(&format!("users?search={}", percent_encoded_whole(address)));
    let users: Vec<&Value> = found.iter().flat_map(list).collect();
    matches!(users.as_slice(), [only] if access.counts(only))
}
