//! Tests the trace context that agents and tests get.

use crate::support::garden::{Garden, one_task};

/// The values that programs got, in order: what got it, trace and span.
fn seen(garden: &Garden) -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(garden.root().join("traces")).unwrap_or_default();
    let row = |line: &str| {
        let (what, value) = line.split_once(' ').unwrap();
        let parts: Vec<&str> = value.split('-').collect();
        let ["00", trace, span, "01"] = parts[..] else { panic!("{line}") };
        assert_eq!([trace.len(), span.len()], [32, 16], "{line}");
        [what, trace, span].map(str::to_owned)
    };
    text.lines().map(row).collect()
}

/// A repository whose agents and tests note what they get. The first review rejects.
fn noting() -> Garden {
    let garden = Garden::new(&one_task(&["echo test $TRACEPARENT >> \"$ROOT/traces\""]));
    garden.agent(
        "echo $work $TRACEPARENT >> \"$ROOT/traces\"
         test $work != T001.review.0 || { echo REJECTED; exit; }",
    );
    garden
}

#[test]
fn all_steps_of_a_run_have_one_trace_and_each_a_span_of_its_own() {
    let garden = noting();
    garden.run(&["gardener"]).assert(0, &[]);
    let seen = seen(&garden);
    let whats: Vec<&str> = seen.iter().map(|[what, ..]| what.as_str()).collect();
    let expected = ["T001.implement.0", "test", "T001.review.0", "T001.implement.1", "test", "T001.review.1"];
    assert_eq!(whats, expected);
    assert!(seen.iter().all(|[_, trace, _]| *trace == seen[0][1]), "{seen:?}");
    let mut spans: Vec<&String> = seen.iter().map(|[.., span]| span).collect();
    spans.sort();
    spans.dedup();
    assert_eq!(spans.len(), seen.len(), "{seen:?}");
}

#[test]
fn a_run_that_is_continued_keeps_its_trace_and_one_on_another_branch_has_its_own() {
    let garden = noting();
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    garden.run(&["gardener", "--failed"]).assert(0, &[]);
    let before = seen(&garden);
    assert!(before.iter().all(|[_, trace, _]| *trace == before[0][1]), "{before:?}");
    garden.git(&["switch", "-q", "-c", "other", &garden.lines(&["rev-list", "--max-parents=0", "HEAD"])[0]]);
    garden.forget_history();
    garden.run(&["gardener"]).assert(0, &[]);
    let after = &seen(&garden)[before.len()..];
    assert!(!after.is_empty() && after.iter().all(|[_, trace, _]| *trace != before[0][1]), "{after:?}");
}

#[test]
fn a_trace_that_git_arborist_was_started_in_is_kept() {
    let garden = noting();
    let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let mut run = garden.arborist(&["gardener"]);
    run.env("TRACEPARENT", format!("00-{trace}-{span}-01"));
    garden.finish(run).assert(0, &[]);
    let seen = seen(&garden);
    assert!(seen.iter().all(|[_, theirs, own]| theirs == trace && own != span), "{seen:?}");
}
