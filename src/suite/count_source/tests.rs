//! Names of frameworks and of reports, as plans have them.

use super::*;

#[test]
fn frameworks_are_known_by_every_name_in_any_spelling() {
    for (name, framework) in [
        ("pytest", Framework::Pytest),
        ("PyTest", Framework::Pytest),
        ("py.test", Framework::Pytest),
        ("unittest", Framework::Unittest),
        (" jest ", Framework::Jest),
        ("Vitest", Framework::Vitest),
        ("go", Framework::Go),
        ("go test", Framework::Go),
        ("cargo", Framework::CargoTest),
        ("cargo-test", Framework::CargoTest),
        ("cargo_test", Framework::CargoTest),
        ("nextest", Framework::Nextest),
        ("Cargo Nextest", Framework::Nextest),
        ("node", Framework::NodeTest),
        ("node:test", Framework::NodeTest),
    ] {
        assert_eq!(CountSource::parse(name), Ok(CountSource::Printed(framework)), "{name:?}");
    }
}

#[test]
fn no_two_frameworks_share_a_name_and_each_is_found_by_its_own() {
    for framework in Framework::ALL {
        for name in framework.names() {
            assert_eq!(Framework::from_name(name), Some(framework), "{name}");
        }
        assert_eq!(Framework::from_name(&framework.to_string()), Some(framework));
    }
}

#[test]
fn a_junit_report_is_named_by_a_path_inside_the_work_tree() {
    let source = CountSource::parse("JUnit: reports/junit.xml").unwrap();
    assert_eq!(source, CountSource::JunitReport("reports/junit.xml".into()));
    for outside in ["", "/tmp/junit.xml", "../junit.xml", "a/../../b.xml", "a\0b"] {
        let problem = CountSource::parse(&format!("junit:{outside}")).unwrap_err();
        assert_eq!(problem.what, format!("the JUnit report {outside:?} is not a path inside the work tree"));
    }
}

#[test]
fn an_unknown_framework_is_told_with_the_known_ones_and_the_nearest() {
    let near = CountSource::parse("pytets").unwrap_err();
    assert_eq!(near.what, "the test framework \"pytets\" is not known");
    assert_eq!(
        near.help,
        "Did you mean pytest? Known are pytest, unittest, jest, vitest, go, cargo, nextest, node, tap and junit:PATH."
    );
    for far in ["", "karma", "shell", "junit"] {
        let problem = CountSource::parse(far).unwrap_err();
        assert!(problem.what.ends_with(" is not known"), "{far:?}: {}", problem.what);
    }
    assert!(CountSource::parse("cypress").unwrap_err().help.starts_with("Known are pytest"));
    assert!(CountSource::parse("junit").unwrap_err().help.starts_with("Did you mean junit:PATH?"));
}
