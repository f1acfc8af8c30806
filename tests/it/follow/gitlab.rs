//! Tests that the forms in which GitLab documents its answers are understood.

use super::*;

/// What each row changes, and what is said then.
struct Row {
    name: &'static str,
    change: fn(&mut Value),
    status: i32,
    says: &'static str,
    says_not: &'static str,
    has_threads: bool,
}

const THREAD: &str = "T001 (Do T001): review of T001.txt:2 by ann";
const CHECK: &str = "T002 (Do T002): the check unit fails";

fn row(
    name: &'static str,
    status: i32,
    says: &'static str,
    says_not: &'static str,
    change: fn(&mut Value),
) -> Row {
    Row { name, change, status, says, says_not, has_threads: true }
}

/// A row where nothing else is to be done.
fn alone(name: &'static str, says: &'static str, change: fn(&mut Value)) -> Row {
    Row { has_threads: false, ..row(name, 0, says, "the check unit fails", change) }
}

fn rows() -> Vec<Row> {
    vec![
        row("request", 0, THREAD, "merge", |request| {
            request["draft"] = json!(true);
            request["work_in_progress"] = json!(true);
            request["detailed_merge_status"] = json!("draft_status");
        }),
        row("request", 0, "is merged", "T001", |request| request["state"] = json!("merged")),
        row("request", 0, THREAD, "is closed", |request| request["state"] = json!("locked")),
        row("request", 0, THREAD, "the check unit", |request| request["head_pipeline"] = Value::Null),
        // A new head has no pipeline until it begins.
        alone("request", "no check has reported on the newest commit yet", |request| {
            request["head_pipeline"] = Value::Null;
        }),
        // The pipeline is that of the commit before the push.
        alone("request", "the check pipeline has not ended", |request| {
            request["head_pipeline"]["sha"] = json!("0123456789012345678901234567890123456789");
        }),
        row("request", 0, CHECK, "has not ended", |request| {
            request["head_pipeline"]["sha"] = json!("0123456789012345678901234567890123456789");
            request["head_pipeline"]["ref"] = json!("refs/merge-requests/7/merge");
        }),
        // A pipeline below it has failed, which is none of its jobs.
        row("jobs", 0, "T002 (Do T002): the check pipeline fails", "the check unit", |jobs| {
            jobs[0]["status"] = json!("success");
        }),
        row(
            "jobs",
            7,
            "the check unit was cancelled: run it again, https://gitlab.com",
            "unit fails",
            |jobs| {
                jobs[0]["status"] = json!("canceled");
            },
        ),
        row("jobs", 7, "the check unit waits for a person", "unit fails", |jobs| {
            jobs[0]["status"] = json!("manual");
        }),
        row("jobs", 0, THREAD, "the check docs", |_| ()),
        alone("jobs", "the check unit has not ended", |jobs| {
            jobs[0]["status"] = json!("waiting_for_resource");
        }),
        row("member", 0, "words of ann, eve, who may not write", THREAD, |member| {
            member["access_level"] = json!(20);
        }),
        row("member", 0, THREAD, "words of ann", |member| member["access_level"] = json!(40)),
        row("member", 0, THREAD, "words of ann", |member| member["access_level"] = json!(50)),
        row("member", 0, "words of ann, eve, who may not write", THREAD, |member| {
            *member = json!({"message": "403 Forbidden"});
        }),
        row("discussions", 0, CHECK, "review", |all| {
            all[0]["notes"][0]["resolved"] = json!(true);
            all[0]["notes"][1]["resolved"] = json!(true);
        }),
        // What GitLab writes into a thread is nobody's word.
        row("discussions", 0, THREAD, "changed this line", |all| {
            let mut note = all[1]["notes"][0].clone();
            note["body"] = json!("changed this line in version 2 of the diff");
            all[0]["notes"].as_array_mut().unwrap().insert(0, note);
        }),
        row("discussions", 0, "a new task: review by ann", "on :", |all| {
            all[0]["notes"][0]["type"] = json!("DiscussionNote");
            all[0]["notes"][0].as_object_mut().unwrap().remove("position");
        }),
        row("discussions", 0, "review of gone.txt:1 by ann", "T001.txt", |all| {
            let position = &mut all[0]["notes"][0]["position"];
            (position["old_path"], position["new_path"]) = (json!("gone.txt"), json!("gone.txt"));
            (position["old_line"], position["new_line"]) = (json!(1), Value::Null);
        }),
        // A line that did not change has both numbers.
        row("discussions", 0, THREAD, "removed", |all| all[0]["notes"][0]["position"]["old_line"] = json!(1)),
        row("discussions", 0, "review of T001.txt by ann", "T001.txt:", |all| {
            let position = &mut all[0]["notes"][0]["position"];
            (position["position_type"], position["new_line"]) = (json!("file"), Value::Null);
        }),
        row("reviewers", 0, "Left: review of T001.txt:2 by ann", THREAD, |all| {
            all[0]["state"] = json!("reviewed");
        }),
    ]
}

#[test]
fn the_documents_of_gitlab_are_understood() {
    let story = Story::on_gitlab();
    let before = story.tip("work");
    for (number, Row { name, change, status, says, says_not, has_threads }) in rows().into_iter().enumerate()
    {
        let document = match name {
            "member" => json!({"id": 11, "username": "ann", "access_level": 30}),
            name => story.of_gitlab(name),
        };
        let mut changed = document.clone();
        change(&mut changed);
        story.answers(name, &changed.to_string());
        if !has_threads {
            story.answers("discussions", "[]");
        }
        let said = story.follow(&["--dry-run"]);
        said.assert(status, &[says]);
        assert!(!said.stderr.contains(says_not), "row {number}: {said:#?}");
        story.answers(name, &document.to_string());
        story.answers("discussions", &story.of_gitlab("discussions").to_string());
    }
    assert_eq!(story.tip("work"), before);
}

#[test]
fn all_pages_of_gitlab_are_read() {
    let story = Story::on_gitlab();
    let all = story.of_gitlab("discussions");
    story.answers("discussions", &json!(vec![all[1].clone(); 100]).to_string());
    story.answers("discussions2", &json!([all[0]]).to_string());
    story.follow(&["--dry-run"]).assert(0, &[THREAD]);
    story.answers("discussions2", &json!(vec![all[1].clone(); 100]).to_string());
    story.follow(&["--dry-run"]).assert(7, &["only the first 5000 entries of", "/discussions were read"]);
}

#[test]
fn only_an_approval_of_somebody_who_may_write_is_one() {
    let story = Story::on_gitlab();
    story.answers("discussions", "[]");
    let mut jobs = story.of_gitlab("jobs");
    jobs[0]["status"] = json!("success");
    story.answers("jobs", &jobs.to_string());
    let mut request = story.of_gitlab("request");
    request["head_pipeline"]["status"] = json!("success");
    story.answers("request", &request.to_string());
    let by = |id: u32| json!({"approved": true, "approved_by": [{"user": {"id": id, "username": "x"}}]});
    let done = "is approved, its checks pass";
    for (reviewer, state, approvals, is_done) in [
        (11, "unreviewed", json!({"approved": true, "approved_by": []}), false),
        (11, "unreviewed", by(12), false),
        (11, "unreviewed", by(11), true),
        (12, "requested_changes", by(11), true),
        (11, "requested_changes", by(11), false),
        (11, "approved", json!({"approved": true, "approved_by": []}), true),
        (12, "approved", json!({"approved": true, "approved_by": []}), false),
        (11, "approved", json!({"approved": false, "approved_by": []}), false),
    ] {
        story.answers("reviewers", &json!([{"user": {"id": reviewer}, "state": state}]).to_string());
        story.answers("approvals", &approvals.to_string());
        let said = story.follow(&["--dry-run"]);
        assert_eq!(said.stderr.contains(done), is_done, "{reviewer} {state} {approvals}: {said:#?}");
    }
}
