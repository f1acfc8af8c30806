//! Tests `JUnit` reports of all shapes.

use super::*;

fn counts(passed: u32, failed: u32, skipped: u32) -> Option<Counts> {
    Some(Counts { passed, failed, skipped })
}

fn counted(xml: &[u8]) -> Option<Counts> {
    read_junit(xml).map(|(counts, _)| counts)
}

#[test]
fn test_cases_are_counted_once_even_if_suites_are_nested() {
    for (xml, expected) in [
        (r"<testsuites/>", counts(0, 0, 0)),
        (r#"<testsuite tests="9"><testcase name="a"/></testsuite>"#, counts(1, 0, 0)),
        (
            r#"<testsuites tests="2"><testsuite tests="2"><testcase/><testsuite tests="1"><testcase><failure/></testcase></testsuite></testsuite></testsuites>"#,
            counts(1, 1, 0),
        ),
        (r"<testsuites><testcase/></testsuites>", counts(1, 0, 0)),
        (r"<testsuite><testcase><error/><failure/></testcase></testsuite>", counts(0, 1, 0)),
        (r"<testsuite><testcase><failure/><skipped/></testcase></testsuite>", counts(0, 1, 0)),
        (r"<testsuite><testcase><skipped/></testcase><error/></testsuite>", counts(0, 1, 1)),
        (r#"<testsuite><testcase status="notrun"/><testcase status="run"/></testsuite>"#, counts(1, 0, 1)),
        (r"<testsuite><testcase><flakyFailure/></testcase></testsuite>", counts(1, 0, 0)),
        (r"<testsuite><system-out><testcase/></system-out></testsuite>", counts(0, 0, 0)),
        ("\u{feff}\n<?xml version=\"1.0\"?><testsuite><testcase/></testsuite>", counts(1, 0, 0)),
    ] {
        assert_eq!(counted(xml.as_bytes()), expected, "{xml}");
    }
}

#[test]
fn anything_else_is_not_a_report() {
    let bomb = r#"<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuite>&b;</testsuite>"#;
    for no_report in
        ["", "400 passed validation", "<html/>", "<testsuite>", "<assemblies total=\"4\"/>", bomb]
    {
        assert_eq!(counted(no_report.as_bytes()), None, "{no_report}");
    }
}

#[test]
fn invalid_bytes_in_a_message_do_not_hide_test_cases() {
    let xml = b"<testsuite><testcase><failure message=\"\xff\"/></testcase><testcase/></testsuite>";
    assert_eq!(counted(xml), counts(1, 1, 0));
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let depth = 200_000;
    let xml = "<testsuite>".repeat(depth) + "<testcase/>" + &"</testsuite>".repeat(depth);
    let read = counted(xml.as_bytes());
    assert!(read.is_none() || read == counts(1, 0, 0), "{read:?}");
}
