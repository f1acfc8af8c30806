//! Reads attestations: in-toto statements about proven tasks, as `prove --attest` writes them and as forges sign them.

use serde_json::{Deserializer, Value};

/// The type of a statement.
pub const STATEMENT: &str = "https://in-toto.io/Statement/v1";
/// The type of what it says: the result of tests.
pub const PREDICATE: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// The words of tasks that an attestation can be about: it is proven, or a refactoring with equal results.
pub const ATTESTED_WORDS: [&str; 2] = ["proven", "equal"];

/// What a statement says about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attested {
    /// The task.
    pub task: String,
    /// The SHA-256 of the commit that was tested, as git has it, in hexadecimal digits.
    pub commit: String,
    /// The SHA-256 of the plan in that commit.
    pub plan: Option<String>,
}

/// The tasks that the statements in a text vouch for. The text has one JSON document after the other, each a statement or a list of
/// them. Statements of other types are left out.
///
/// # Errors
/// A clause, if it is no JSON, or has no statement at all.
pub fn attested_in(text: &[u8]) -> Result<Vec<Attested>, String> {
    let mut attested = Vec::new();
    let mut count = 0;
    for document in Deserializer::from_slice(text).into_iter::<Value>() {
        let document = document.map_err(|error| format!("it is not JSON ({error})"))?;
        let statements = document.as_array().map_or(std::slice::from_ref(&document), Vec::as_slice);
        for statement in statements.iter().filter(|statement| statement["_type"] == STATEMENT) {
            count += 1;
            attested.extend(tasks_of(statement));
        }
    }
    if count == 0 { Err("it has no in-toto statement".to_owned()) } else { Ok(attested) }
}

fn tasks_of(statement: &Value) -> Vec<Attested> {
    let predicate = &statement["predicate"];
    if statement["predicateType"] != PREDICATE || predicate["result"] != "PASSED" {
        return Vec::new();
    }
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let subjects: Vec<Option<String>> =
        list(&statement["subject"]).iter().map(|subject| text(&subject["digest"]["sha256"])).collect();
    let tasks = list(&predicate["configuration"]).into_iter().filter_map(|entry| {
        let annotations = &entry["annotations"];
        let word = annotations["is"].as_str()?;
        let commit = text(&entry["digest"]["sha256"])?;
        // A signature holds for the subjects alone.
        let is_subject = subjects.contains(&Some(commit.clone()));
        (is_subject && ATTESTED_WORDS.contains(&word)).then_some(Attested {
            task: text(&entry["name"])?,
            commit,
            plan: text(&annotations["plan"]),
        })
    });
    tasks.collect()
}
