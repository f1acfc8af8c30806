//! Pull requests of GitHub: what is on one is read through its GraphQL API.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::Value;

use super::access::{Access, Person};
use super::address::percent_encoded_whole;
use super::asking::{Asked, PAGES, SquashMessage, list, not_all_read, not_understood};
use super::check_state::CheckState;
use super::followed::{CheckRun, Comment, FollowedRequest, RequestCommit, RequestState, Side, Thread};
use super::place::ForgePlace;
use crate::error::{Error, Kind, Result};
use crate::text::one_line;

/// Everything on a request. Each list is read page by page, from its own cursor.
const QUERY: &str = "query($owner: String!, $name: String!, $number: Int!, $threads: String, $checks: String, \
    $baseChecks: String, $comments: String, $reviews: String, $commits: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    url state mergeable reviewDecision baseRefName headRefOid
    baseRef { target { ... on Commit { statusCheckRollup { contexts(first: 100, after: $baseChecks) { ...checks } } } } }
    tip: commits(last: 1) { nodes { commit { statusCheckRollup { state contexts(first: 100, after: $checks) { ...checks } } } } }
    reviewThreads(first: 100, after: $threads) { pageInfo { hasNextPage endCursor } nodes {
      id isResolved isOutdated path line originalLine diffSide
      comments(first: 100) { ...threadComments } } }
    comments(first: 100, after: $comments) { pageInfo { hasNextPage endCursor } nodes {
      body createdAt lastEditedAt author { __typename login } } }
    latestOpinionatedReviews(first: 100, writersOnly: true) { nodes { state } }
    reviews(first: 100, after: $reviews) { pageInfo { hasNextPage endCursor } nodes {
      body state submittedAt lastEditedAt author { __typename login } } }
    commits(first: 100, after: $commits) { pageInfo { hasNextPage endCursor } nodes {
      commit { oid statusCheckRollup { state } author { user { login } } } } }
  } }
}
fragment checks on StatusCheckRollupContextConnection { pageInfo { hasNextPage endCursor } nodes { __typename
  ... on CheckRun { databaseId name status conclusion detailsUrl }
  ... on StatusContext { context state targetUrl } } }
fragment threadComments on PullRequestReviewCommentConnection { pageInfo { hasNextPage endCursor } nodes {
  databaseId body createdAt lastEditedAt author { __typename login } originalCommit { oid } pullRequestReview { state } } }";

/// The comments of one thread behind a cursor.
const MORE: &str = "query($id: ID!, $after: String) { node(id: $id) { ... on PullRequestReviewThread {
  comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes {
    databaseId body createdAt lastEditedAt author { __typename login } originalCommit { oid } pullRequestReview { state } } } } } }";

const ANSWER: &str = "mutation($thread: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $thread, body: $body}) { comment { id } } }";

/// The lists of a request: the variable of the cursor, and where the list is.
const LISTS: [(&str, &str); 6] = [
    ("threads", "/reviewThreads"),
    ("checks", "/tip/nodes/0/commit/statusCheckRollup/contexts"),
    ("baseChecks", "/baseRef/target/statusCheckRollup/contexts"),
    ("comments", "/comments"),
    ("reviews", "/reviews"),
    ("commits", "/commits"),
];

/// Where it says when something was written or last edited.
const TIMES: [&str; 3] = ["lastEditedAt", "createdAt", "submittedAt"];

/// A pull request that is to be opened.
#[derive(Serialize)]
struct NewRequest<'a> {
    title: &'a str,
    head: String,
    base: &'a str,
    body: &'a str,
    draft: bool,
}

/// A question in the language of the API.
#[derive(Serialize)]
struct Question<'a, V> {
    query: &'a str,
    variables: V,
}

/// Which pages of the lists of a request are asked for.
#[derive(Serialize)]
struct WhichPages<'a> {
    owner: &'a str,
    name: &'a str,
    number: u64,
    /// The end of the last page of each list; those that are missing begin.
    #[serde(flatten)]
    after: HashMap<&'a str, String>,
}

pub(super) fn find(asked: &Asked<'_>) -> Result<Vec<Value>> {
    let head = percent_encoded_whole(&format!("{}:{}", asked.from.owner, asked.branch));
    let pulls = format!("{}/pulls?state=open&per_page=100&head={head}", asked.endpoint(asked.place));
    let answer = asked.api().get(&pulls)?;
    Ok(list(&answer).filter(|one| one["head"]["ref"] == asked.branch).cloned().collect())
}

pub(super) fn open(asked: &Asked<'_>, title: &str, body: &str, base: &str, draft: bool) -> Result<Value> {
    let head = match asked.is_fork() {
        true => format!("{}:{}", asked.from.owner, asked.branch),
        false => asked.branch.to_owned(),
    };
    let request = NewRequest { title, head, base, body, draft };
    asked.api().send("POST", &format!("{}/pulls", asked.endpoint(asked.place)), &request)
}

pub(super) fn squash(repository: &Value) -> SquashMessage {
    match (repository["allow_squash_merge"].as_bool(), repository["squash_merge_commit_message"].as_str()) {
        (Some(false), _) => SquashMessage::Off,
        (_, Some("PR_BODY")) => SquashMessage::RequestBody,
        (_, Some("COMMIT_MESSAGES")) => SquashMessage::AllMessages,
        (_, Some("BLANK")) => SquashMessage::TitleOnly,
        // Only those who may push are told.
        _ => SquashMessage::Unknown,
    }
}

fn ask(asked: &Asked<'_>, query: &str, variables: impl Serialize) -> Result<Value> {
    let answer = asked.api().send("POST", "graphql", &Question { query, variables })?;
    let errors: Vec<String> =
        list(&answer["errors"]).filter_map(|error| error["message"].as_str().map(one_line)).collect();
    match errors.first() {
        None => Ok(answer["data"].clone()),
        Some(first) => Err(Error::new(
            Kind::Environment,
            format!("gh failed: {first}"),
            format!("Check that your login may see {}.", asked.place.page()),
        )),
    }
}

/// The next page of a list; `None` if this was the last one.
fn next_page(page: &Value) -> Option<&str> {
    let info = &page["pageInfo"];
    info["endCursor"].as_str().filter(|_| info["hasNextPage"] == true)
}

pub(super) fn follow(asked: &Asked<'_>, number: u64) -> Result<FollowedRequest> {
    let ForgePlace { owner, name, .. } = asked.place;
    let mut which = WhichPages { owner, name, number, after: HashMap::new() };
    let mut all: HashMap<&str, Vec<Value>> = HashMap::new();
    let mut open: Vec<(&str, &str)> = LISTS.to_vec();
    let mut pull = Value::Null;
    for _ in 0..PAGES {
        let answer = ask(asked, QUERY, &which)?;
        pull = answer["repository"]["pullRequest"].clone();
        open.retain(|(name, place)| {
            let Some(page) = pull.pointer(place).filter(|page| page.is_object()) else { return false };
            all.entry(name).or_default().extend(list(&page["nodes"]).cloned());
            which.after.remove(name);
            which.after.extend(next_page(page).map(|next| (*name, next.to_owned())));
            which.after.contains_key(name)
        });
        if open.is_empty() {
            break;
        }
    }
    if let Some((name, _)) = open.first() {
        return Err(not_all_read(&format!("the list `{name}` of the request")));
    }
    let text = |field: &str| pull[field].as_str().unwrap_or_default().to_owned();
    let state = match pull["state"].as_str() {
        Some("OPEN") => RequestState::Open,
        Some("MERGED") => RequestState::Merged,
        Some("CLOSED") => RequestState::Closed,
        _ => return Err(not_understood()),
    };
    // The last word of each reviewer who may write.
    let verdicts: Vec<&Value> = list(&pull["latestOpinionatedReviews"]["nodes"])
        .map(|review| &review["state"])
        .filter(|state| **state != "DISMISSED")
        .collect();
    let of = |name: &str| all.get(name).map(Vec::as_slice).unwrap_or_default();
    let mut access = Access::new(asked, person);
    let mut threads = Vec::new();
    for thread in of("threads") {
        threads.push(read_thread(asked, thread, &mut access)?);
    }
    let comments: Vec<Comment> = of("comments")
        .iter()
        .chain(of("reviews"))
        .filter(|one| has_words(one))
        .map(|one| access.comment(one, &TIMES))
        .collect();
    let fails_on_base: Vec<CheckRun> =
        of("baseChecks").iter().map(read_check).filter(|check| check.state == CheckState::Failure).collect();
    let checks = of("checks").iter().map(|check| {
        let check = read_check(check);
        CheckRun { fails_on_base: fails_on_base.iter().any(|other| other.name == check.name), ..check }
    });
    let rollup =
        |commit: &Value| commit["commit"]["statusCheckRollup"]["state"].as_str().map(CheckState::of_word);
    let of_tip = rollup(&pull["tip"]["nodes"][0]);
    // A new head has none until the first one reports.
    let had_checks = of("commits").iter().any(|commit| rollup(commit).is_some());
    let commits = of("commits").iter().map(|commit| {
        let commit = &commit["commit"];
        let user = &commit["author"]["user"];
        RequestCommit {
            id: commit["oid"].as_str().unwrap_or_default().to_owned(),
            author: user["login"].as_str().unwrap_or_default().to_owned(),
            may_write: access.of(user).may_write,
        }
    });
    let commits: Vec<RequestCommit> = commits.collect();
    Ok(FollowedRequest {
        url: text("url"),
        state,
        base: text("baseRefName"),
        head: text("headRefOid"),
        approved: match pull["reviewDecision"].as_str() {
            Some(decision) => decision == "APPROVED",
            // No rule asks for a review there.
            None => !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == "APPROVED"),
        },
        conflict: pull["mergeable"] == "CONFLICTING",
        checks_expected: of_tip.map_or(had_checks, |state| state == CheckState::Pending),
        checks: checks.collect(),
        commits,
        threads,
        comments,
    })
}

fn has_words(comment: &Value) -> bool {
    comment["body"].as_str().is_some_and(|body| !body.trim().is_empty())
}

fn read_thread(asked: &Asked<'_>, thread: &Value, access: &mut Access<'_>) -> Result<Thread> {
    let id = thread["id"].as_str().ok_or_else(not_understood)?;
    let mut page = thread["comments"].clone();
    let mut comments: Vec<Value> = list(&page["nodes"]).cloned().collect();
    while let Some(after) = next_page(&page) {
        let more = ask(asked, MORE, BTreeMap::from([("id", id), ("after", after)]))?;
        page = more["node"]["comments"].clone();
        comments.extend(list(&page["nodes"]).cloned());
    }
    let first = comments.first();
    let read: Vec<Comment> = comments.iter().map(|comment| access.comment(comment, &TIMES)).collect();
    let requests = |(raw, comment): (&Value, &Comment)| {
        comment.counts() && raw["pullRequestReview"]["state"] == "CHANGES_REQUESTED"
    };
    let number = |field: &str| thread[field].as_u64().and_then(|line| u32::try_from(line).ok());
    Ok(Thread {
        id: id.to_owned(),
        path: thread["path"].as_str().unwrap_or_default().to_owned(),
        line: number("originalLine").or_else(|| number("line")),
        side: if thread["diffSide"] == "LEFT" { Side::Old } else { Side::New },
        commit: first
            .and_then(|first| first["originalCommit"]["oid"].as_str())
            .unwrap_or_default()
            .to_owned(),
        resolved: thread["isResolved"] == true,
        requests_changes: comments.iter().zip(&read).any(requests),
        comments: read,
    })
}

fn read_check(check: &Value) -> CheckRun {
    // A status of another service has other names for the same.
    let text = |names: [&str; 2]| names.iter().find_map(|name| check[*name].as_str()).unwrap_or_default();
    let url = text(["detailsUrl", "targetUrl"]);
    // Only jobs of Actions have such pages, and an output.
    let job =
        url.rsplit_once("/job/").map(|(_, rest)| rest.split(['?', '#', '/']).next().unwrap_or_default());
    let job = job.filter(|job| !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()));
    CheckRun {
        name: text(["name", "context"]).to_owned(),
        state: CheckState::of_word(text(["conclusion", "state"])),
        url: url.to_owned(),
        job: job.map(str::to_owned),
        ..CheckRun::default()
    }
}

/// Whether a job of Actions has run only once.
pub(super) fn has_run_once(asked: &Asked<'_>, job: &str) -> bool {
    let endpoint = format!("{}/actions/jobs/{job}", asked.endpoint(asked.place));
    asked.api().get(&endpoint).is_ok_and(|job| job["run_attempt"] == 1)
}

pub(super) fn run_again(asked: &Asked<'_>, job: &str) -> bool {
    asked.said_by(&["run", "rerun", "--job", job]).is_some()
}

pub(super) fn answer(asked: &Asked<'_>, _: u64, thread: &Thread, text: &str) -> Result<()> {
    ask(asked, ANSWER, BTreeMap::from([("thread", thread.id.as_str()), ("body", text)])).map(drop)
}

fn person(asked: &Asked<'_>, login: &str) -> Person {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if login.is_empty() || !login.chars().all(is_name) {
        return Person::default();
    }
    let endpoint = asked.endpoint(asked.place);
    let answer = asked.api().get(&format!("{endpoint}/collaborators/{login}/permission"));
    let may_write = answer
        .is_ok_and(|answer| matches!(answer["permission"].as_str(), Some("admin" | "maintain" | "write")));
    Person { may_write, bot: false }
}
