//! Says in sentences what the runs of a proof have shown, as the trailer of a test step records them in words such as
//! `clean=pass`.

/// The sentences for the words of a trailer. Words that are not known say nothing. `some_fail` says that awaited tests fail.
pub(crate) fn sentences(words: &str, some_fail: bool) -> Vec<String> {
    let pairs: Vec<(&str, &str)> = words.split(' ').filter_map(|word| word.split_once('=')).collect();
    let value = |name: &str| pairs.iter().find(|(found, _)| *found == name).map(|(_, value)| *value);
    let evidence = value("evidence").and_then(|count| count.parse::<u32>().ok());
    let mut shown: Vec<String> = pairs
        .iter()
        .filter_map(|(name, value)| {
            Some(match (*name, *value) {
                ("red", value) => red(value, evidence)?,
                ("clean", "pass") if some_fail => {
                    "On a clean checkout of the commit, the test commands fail as well, only because of awaited tests."
                        .to_owned()
                }
                (name, value) => run(name, value)?.to_owned(),
            })
        })
        .collect();
    shown.extend(value("is").and_then(result).map(str::to_owned));
    shown
}

fn run(name: &str, value: &str) -> Option<&'static str> {
    Some(match (name, value) {
        ("clean", "pass") => "On a clean checkout of the commit, the test commands pass.",
        ("clean", "fail") => "On a clean checkout of the commit, the test commands fail.",
        ("clean", "na" | "skip") => "The test commands were not run on a clean checkout of the commit.",
        ("old", "pass") => {
            "With the tests and the other files that judge as they were before the task, each test that passed before still passes."
        }
        ("old", "fail") => {
            "With the tests and the other files that judge as they were before the task, tests fail that passed before."
        }
        ("old", "none") => "No run with the tests from before the task was needed.",
        ("old", "na" | "skip") => {
            "It is not known whether the tests from before the task still pass as they were."
        }
        ("literals", "pass") => "A test fails if a value that it expects is changed.",
        ("literals", "fail") => "No test failed when some of the values were changed that the tests expect.",
        ("canary", "pass") => "A test that must fail was added for a moment, and the commands noticed it.",
        ("canary", "fail") => {
            "A test that must fail was added for a moment, and the commands did not notice it."
        }
        ("canary", "na" | "skip") => "It was not tried whether the commands notice a test that fails.",
        _ => return None,
    })
}

fn red(value: &str, evidence: Option<u32>) -> Option<String> {
    Some(match (value, evidence) {
        ("pass", Some(1)) => "One test fails without the change and passes with it.".to_owned(),
        ("pass", Some(count)) if count > 1 => {
            format!("{count} tests fail without the change and pass with it.")
        }
        ("pass", Some(0)) => {
            "Nothing loads without the change, but a test fails if a statement of it is taken out.".to_owned()
        }
        ("pass", _) => "The test commands fail without the change and pass with it.".to_owned(),
        ("fail", _) => "No test is known to fail without the change.".to_owned(),
        ("none", _) => "No test run without the change was needed.".to_owned(),
        ("na" | "skip", _) => "The tests were not run without the change.".to_owned(),
        _ => return None,
    })
}

fn result(value: &str) -> Option<&'static str> {
    Some(match value {
        "proven" => "All in all, the change is proven by its tests.",
        "equal" => "All in all, the same tests pass with and without the change.",
        "tested" => "All in all, the change is tested.",
        "unproven" => "All in all, the change is tested but not proven: no test is known to notice it.",
        "untested" => "All in all, the change is not tested.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn every_word_of_a_proof_becomes_a_sentence() {
        let proven = "clean=pass old=pass red=pass literals=pass canary=pass evidence=3 is=proven";
        assert_eq!(
            sentences(proven, false),
            [
                "On a clean checkout of the commit, the test commands pass.",
                "With the tests and the other files that judge as they were before the task, each test that passed before still passes.",
                "3 tests fail without the change and pass with it.",
                "A test fails if a value that it expects is changed.",
                "A test that must fail was added for a moment, and the commands noticed it.",
                "All in all, the change is proven by its tests.",
            ]
        );
        let unproven = sentences("clean=pass old=none red=fail canary=na evidence=0 is=unproven", false);
        assert_eq!(unproven.len(), 5, "{unproven:?}");
        assert!(
            sentences("red=pass evidence=1", false)
                .contains(&"One test fails without the change and passes with it.".to_owned())
        );
    }

    #[test]
    fn unknown_words_say_nothing() {
        assert_eq!(sentences("clean=maybe dance=pass is=fine hunks=17/19", false), [""; 0]);
    }
}
