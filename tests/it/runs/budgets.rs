//! Tests the limits of what tasks and runs may use.

use serde_json::{Value, json};

use crate::support::agents::say;
use crate::support::garden::{Ended, Garden, one_task, plan};

/// What the claude of these tests does: every call costs $0.25 and 120 tokens, without those from a cache.
const WORKS: &str =
    "case $ARBORIST_STEP in implement) echo x >> $ARBORIST_TASK.txt; say done;; *) say APPROVED;; esac";

/// The end of a stream after a call that cost $0.25 and that its service did not answer, or that hit a limit.
const FAILS: &str = r#"fail() {
    printf '{"type":"system","subtype":"init","session_id":"s1"}\n'
    printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":%s,"result":"%s",' "$1" "$2"
    printf '"total_cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":20}}\n'
    exit 1
}
limit() { fail 429 'You have hit your limit · resets 11pm (UTC)'; }
unanswered() { fail 503 'API Error: 503 Service unavailable'; }"#;

/// A repository with two tasks whose runner is a claude that does `script`.
fn with_claude(script: &str) -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
    ]));
    agent(&garden, "claude", script);
    garden.config("arborist.runner", "claude");
    garden
}

fn agent(garden: &Garden, name: &str, script: &str) {
    let file = garden.root().join(format!("agent-{name}.sh"));
    garden.program(&file, &format!("cat > /dev/null\n{}\n{FAILS}\n{script}", say(name)));
    garden.config(&format!("arborist.runner.{name}.command"), &file.display().to_string());
    garden.config(&format!("arborist.runner.{name}.protocol"), name);
}

/// The last event of a run.
fn end_event(ended: &Ended) -> Value {
    serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap()
}

/// How many commits of these steps there are, apart from tests and phases.
fn count(garden: &Garden, step: &str) -> usize {
    garden.lines(&["log", "--format=%H", "--grep", &format!("^Arborist-Step: {step}$")]).len()
}

/// A task whose first step is committed, with these trailers about what it has used.
fn begun(trailers: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    step(
        &garden,
        "implement \"Do T001\"",
        &format!("Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n{trailers}"),
    );
    garden
}

fn step(garden: &Garden, subject: &str, trailers: &str) {
    let message = format!("task(T001): {subject}\n\n{trailers}");
    garden.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", message.trim_end()]);
}

fn end_of(garden: &Garden, args: &[&str]) -> Value {
    serde_json::from_str(garden.run(args).stdout.lines().last().unwrap()).unwrap()
}

#[test]
fn no_step_of_a_task_begins_after_it_has_used_as_much_as_it_may() {
    for (setting, trailers, low, high, words) in [
        ("maxCost", "Arborist-Cost: 1.50\n", "1.5", "2", "have cost $1.50, and the limit is $1.50"),
        (
            "maxTokens",
            "Arborist-Tokens: in=400000 out=100000 cached=900000\n",
            "500k",
            "1M",
            "have used 500,000 tokens, and the limit is 500,000",
        ),
        ("maxTime", "Arborist-Duration: 7200\n", "1h", "3h", "have taken 2 h"),
    ] {
        let garden = begun(trailers);
        let key = format!("arborist.task.{setting}");
        garden.config(&key, low);
        let words = [words, "the steps of T001", &key, "1 task is still open", "Raise the limit"];
        // A run that is started again does not forget it.
        for args in [&["gardener", "--no-review"][..], &["garden", "T001", "--no-review"]] {
            garden.run(args).assert(1, &words);
        }
        let end = end_of(&garden, &["gardener", "--no-review", "--json"]);
        assert_eq!((&end["reason"], &end["status"]), (&json!("task-budget"), &json!(1)), "{end}");
        assert_eq!(garden.steps().len(), 1, "no step has begun");
        garden.config(&key, high);
        garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    }
}

#[test]
fn a_task_that_is_asked_for_again_has_a_new_budget_and_a_runner_that_reports_no_cost_ends_the_run() {
    let garden = begun("Arborist-Runner: claude\nArborist-Cost: 5\n");
    garden.config("arborist.task.maxCost", "1");
    garden.run(&["garden", "T001"]).assert(1, &["arborist.task.maxCost"]);
    step(&garden, "failed \"Do T001\" after 1 retries", "Arborist-Step: complete\nArborist-Result: fail");
    let ended = garden.run(&["garden", "T001"]);
    ended.assert(4, &["mine has not reported what its step has cost", "arborist.task.maxTokens"]);
    assert!(!ended.stderr.contains("its tokens"), "tokens have no limit: {ended:#?}");
    assert_eq!(count(&garden, "implement"), 2, "the step is committed");
    assert!(!ended.stdout.contains("Agents in this run"), "nothing is known: {ended:#?}");
}

#[test]
fn a_plan_may_lower_the_budget_of_a_task_and_never_raise_it() {
    for (in_plan, of_user, allowed) in [(2.5, "10", 2.5), (50.0, "2", 2.0)] {
        let mut tree = one_task(&["true"]);
        tree["nodes"]["T001"]["max_cost"] = json!(in_plan);
        let garden = Garden::new(&tree);
        step(
            &garden,
            "implement \"Do T001\"",
            "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\nArborist-Cost: 3\n",
        );
        garden.config("arborist.task.maxCost", of_user);
        let words = format!("have cost $3.00, and the limit is ${allowed:.2}");
        garden.run(&["gardener"]).assert(1, &[&words]);
        let show: Value = serde_json::from_str(&garden.run(&["show", "T001", "--json"]).stdout).unwrap();
        assert_eq!(show["fields"]["max_cost"], json!(in_plan));
    }
}

#[test]
fn a_task_that_is_reopened_has_a_new_budget() {
    let garden = begun("Arborist-Cost: 5\n");
    garden.config("arborist.task.maxCost", "1");
    garden.run(&["mark", "reopen", "T001"]).assert(0, &[]);
    garden.run(&["gardener", "--no-review"]).assert(4, &["mine has not reported what its step has cost"]);
    garden.git(&["config", "--unset", "arborist.task.maxCost"]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
}

#[test]
fn the_limits_of_a_run_are_told_before_it_and_wrong_ones_are_refused() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.config("arborist.task.maxTokens", "20k");
    let dry = garden.run(&["gardener", "--max-cost", "2.5", "--max-tokens", "1.5M", "--dry-run"]).stdout;
    for words in ["after a cost of $2.50 (--max-cost)", "after 1,500,000 tokens (--max-tokens)"] {
        assert!(dry.contains(words), "{words}: {dry}");
    }
    assert!(dry.contains("20,000 tokens (arborist.task.maxTokens)"), "{dry}");
    for bad in [["--max-cost", "0"], ["--max-cost", "$5"], ["--max-tokens", "many"], ["--max-tokens", "0"]] {
        garden.run(&["gardener", bad[0], bad[1]]).assert(2, &[bad[0]]);
    }
    garden.config("arborist.task.maxCost", "free");
    garden.run(&["gardener"]).assert(2, &["arborist.task.maxCost", "US dollars"]);
    assert!(garden.steps().is_empty());
}

#[test]
fn a_run_ends_after_the_step_that_reaches_its_budget_and_goes_on_with_a_new_one() {
    for (option, low, high, words, reason) in [
        (
            "--max-cost",
            "0.5",
            "9",
            "its steps have cost $0.50, and the limit is $0.50 (--max-cost)",
            "max-cost",
        ),
        (
            "--max-tokens",
            "200",
            "1M",
            "its steps have used 240 tokens, and the limit is 200 (--max-tokens)",
            "max-tokens",
        ),
    ] {
        let garden = with_claude(WORKS);
        let ended = garden.run(&["gardener", option, low]);
        ended.assert(
            1,
            &[words, "2 tasks are still open", &format!("gardener {option}"), "continues from there"],
        );
        let totals = "Agents in this run: 200 tokens read, 40 written, 1,800 from a cache, $0.50\n";
        assert!(ended.stdout.contains(totals), "{ended:#?}");
        assert_eq!((count(&garden, "review"), count(&garden, "complete")), (1, 0), "{option}");
        // The next run has a new budget, with which it completes the task and does the other.
        let end = end_event(&garden.run(&["gardener", option, low, "--json"]));
        assert_eq!((&end["reason"], &end["status"]), (&json!(reason), &json!(1)), "{end:#}");
        assert_eq!(end["used"]["cost"], json!(0.5), "{end:#}");
        assert_eq!(end["used"]["tokens"], json!({"input": 200, "output": 40, "cached": 1800}), "{end:#}");
        assert_eq!((&end["used"]["agent_steps"], &end["used"]["cost_known_for"]), (&json!(2), &json!(2)));
        assert_eq!((&end["complete"], &end["open"]), (&json!(1), &json!(["T002"])), "{end:#}");
        let end = end_event(&garden.run(&["gardener", option, high, "--json"]));
        assert_eq!((&end["reason"], &end["status"]), (&json!("complete"), &json!(0)), "{end:#}");
        assert_eq!((&end["used"]["agent_steps"], &end["used"]["cost"]), (&json!(0), &json!(null)), "{end:#}");
        assert_eq!(count(&garden, "review"), 2);
    }
}

#[test]
fn the_budget_of_a_task_counts_what_its_agents_report_and_must_be_raised() {
    let garden = with_claude(WORKS);
    garden.config("arborist.task.maxCost", "0.25");
    let words = ["the steps of T001 have cost $0.25, and the limit is $0.25", "Raise the limit with"];
    for _ in 0..2 {
        garden.run(&["gardener"]).assert(1, &words);
        assert_eq!((count(&garden, "implement"), count(&garden, "review")), (1, 0));
    }
    garden.config("arborist.task.maxCost", "1");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(ended.stdout.contains("300 tokens read, 60 written, 2,700 from a cache, $0.75\n"), "{ended:#?}");
}

#[test]
fn a_run_with_a_limit_on_the_cost_ends_after_the_first_step_of_a_runner_that_reports_none() {
    let garden = with_claude(WORKS);
    agent(&garden, "codex", WORKS);
    garden.config("arborist.runner", "codex");
    let ended = garden.run(&["gardener", "--max-cost", "5", "--max-tokens", "1M"]);
    ended.assert(4, &["codex has not reported what its step has cost", "--max-tokens"]);
    assert!(ended.stdout.contains("from a cache (unknown: the cost of 1 of 1 steps)"), "{ended:#?}");
    assert_eq!(count(&garden, "implement"), 1, "the step is committed");
    garden
        .run(&["gardener", "-j", "2", "--max-cost", "5"])
        .assert(4, &["has not reported what its step has cost"]);
    garden.run(&["gardener", "--max-tokens", "1M"]).assert(0, &[]);
}

#[test]
fn with_several_jobs_a_limit_counts_what_all_agents_report() {
    let garden = with_claude(WORKS);
    let words = ["and the limit is $0.50 (--max-cost)"];
    garden.run(&["gardener", "-j", "2", "--max-cost", "0.5"]).assert(1, &words);
    garden.run(&["gardener", "-j", "2", "--max-cost", "5"]).assert(0, &[]);
}

#[test]
fn a_step_that_was_ended_before_it_could_tell_its_cost_does_not_end_the_run() {
    let begins = r#"{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"I begin."}]}}"#;
    let hangs = format!(
        "[ $ARBORIST_STEP.$ARBORIST_ATTEMPT != implement.0 ] || {{ echo '{begins}'; exec sleep 600; }}"
    );
    let garden = with_claude(&format!("{hangs}\n{WORKS}"));
    garden.run(&["gardener", "--runner-timeout", "1", "--max-cost", "5"]).assert(0, &["timeout"]);
}

#[test]
fn a_call_that_is_made_again_counts_for_the_budget_of_the_run() {
    let script =
        format!("echo x >> \"$ROOT/calls\"; [ $(wc -l < \"$ROOT/calls\") -gt 1 ] || unanswered\n{WORKS}");
    let run = |budget: &str| {
        let garden = with_claude(&script);
        let mut command = garden.arborist(&["gardener", "--max-cost", budget]);
        command.env("ARBORIST_LIMIT_PATIENCE", "10s");
        (garden.finish(command), count(&garden, "implement"))
    };
    // A call without an answer and one with: the step is committed, and none begins after it.
    let (ended, implemented) = run("0.5");
    ended.assert(1, &["its steps have cost $0.50, and the limit is $0.50 (--max-cost)"]);
    assert_eq!(implemented, 1);
    // The first call reaches the budget, so there is no second.
    let (ended, implemented) = run("0.25");
    ended.assert(1, &["have cost $0.25", "does not answer", "no attempt is used up"]);
    assert!(ended.stdout.contains("$0.25\n"), "{ended:#?}");
    assert_eq!(implemented, 0);
}

#[test]
fn what_the_first_agent_of_a_fallback_has_used_counts_although_the_cost_of_the_second_is_unknown() {
    let garden = with_claude("limit");
    agent(&garden, "codex", WORKS);
    garden.config("arborist.runner", "claude,codex");
    let ended = garden.run(&["gardener", "--max-cost", "1"]);
    ended.assert(4, &["codex works instead", "codex has not reported what its step has cost"]);
    assert!(ended.stdout.contains("$0.25 (unknown: the cost of 1 of 1 steps)"), "{ended:#?}");
    // With the budget used up, nobody steps in.
    let garden = with_claude("limit");
    agent(&garden, "codex", WORKS);
    garden.config("arborist.runner", "claude,codex");
    garden
        .run(&["gardener", "--max-cost", "0.25"])
        .assert(1, &["have cost $0.25, and the limit is $0.25", "claude has hit its usage limit"]);
    assert!(garden.steps().is_empty());
}

#[test]
fn what_a_review_has_used_that_failed_is_told_at_the_end() {
    let script = format!("[ $ARBORIST_STEP = implement ] || limit\n{WORKS}");
    let garden = with_claude(&script);
    let ended = garden.run(&["gardener", "--no-wait"]);
    ended.assert(4, &["claude has hit its usage limit"]);
    assert!(ended.stdout.contains("Agents in this run: 200 tokens read, 40 written"), "{ended:#?}");
    assert!(ended.stdout.contains("$0.50\n"), "{ended:#?}");
    let end = end_event(&garden.run(&["gardener", "--no-wait", "--json"]));
    assert_eq!((&end["reason"], &end["status"]), (&json!(null), &json!(4)), "{end:#}");
    assert_eq!((&end["used"]["cost"], &end["used"]["agent_steps"]), (&json!(0.25), &json!(0)), "{end:#}");
    assert_eq!(end["complete"], json!(null));
}
