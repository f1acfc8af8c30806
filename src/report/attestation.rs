//! Writes attestations: in-toto statements that say of commits how the tests of their tasks went.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::json_document;
use super::proofs::ProofRunView;
use crate::check::attestation::{ATTESTED_WORDS, PREDICATE, STATEMENT};
use crate::record::{CommitId, RunWord};

/// A task that was proven, and how.
#[derive(Clone, Debug)]
pub struct AttestedTask {
    /// The task.
    pub task: String,
    /// Its name.
    pub name: String,
    /// The commit that was tested.
    pub commit: CommitId,
    /// The word that says what is known of it: `proven`, `equal`, `tested`, `unproven` or `untested`.
    pub word: String,
    /// The test commands.
    pub commands: Vec<String>,
    /// The runs, in order.
    pub runs: Vec<ProofRunView>,
}

/// A task together with what its commit contains.
#[derive(Clone, Debug)]
pub struct TaskInCommit {
    /// The task.
    pub task: AttestedTask,
    /// The commit as git has it, without the header of the object.
    pub raw: Vec<u8>,
    /// The plan in that commit, if it has one.
    pub plan: Option<PlanInCommit>,
}

/// A plan in a commit.
#[derive(Clone, Debug)]
pub struct PlanInCommit {
    /// Its path, from the top.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
}

impl AttestedTask {
    /// Whether an attestation can be about it: it is proven, or a refactoring with equal results.
    #[must_use]
    pub fn is_attestable(&self) -> bool {
        ATTESTED_WORDS.contains(&self.word.as_str())
    }
}

/// The SHA-256 of some bytes, in hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One statement about these tasks, all of which are attestable, as a JSON document. Its subjects are their commits.
#[must_use]
pub fn attestation(tasks: &[TaskInCommit]) -> String {
    let mut subjects: Vec<Value> = Vec::new();
    let mut plans: Vec<Value> = Vec::new();
    let add = |list: &mut Vec<Value>, value: Value| {
        if !list.contains(&value) {
            list.push(value);
        }
    };
    for task in tasks {
        add(&mut subjects, json!({"name": task.task.commit.to_string(), "digest": task.digest()}));
        if let Some(plan) = &task.plan {
            add(&mut plans, json!({"name": plan.path, "digest": {"sha256": sha256(&plan.content)}}));
        }
    }
    let configuration = plans.into_iter().chain(tasks.iter().map(TaskInCommit::configuration));
    json_document(&json!({
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": PREDICATE,
        "predicate": {
            "result": "PASSED",
            "configuration": configuration.collect::<Vec<_>>(),
            "passedTests": passed_runs(tasks),
            "warnedTests": Vec::<String>::new(),
            "failedTests": Vec::<String>::new(),
        },
    }))
}

/// The names of the runs that have passed: `T001 clean`.
fn passed_runs(tasks: &[TaskInCommit]) -> Vec<String> {
    let of_task = |TaskInCommit { task, .. }: &TaskInCommit| {
        let runs = task.runs.iter().filter(|run| run.verdict == RunWord::Pass);
        runs.map(|run| format!("{} {}", task.task, run.run)).collect::<Vec<_>>()
    };
    tasks.iter().flat_map(of_task).collect()
}

impl TaskInCommit {
    fn digest(&self) -> Value {
        json!({"sha256": sha256(&self.raw), "gitCommit": self.task.commit.to_string()})
    }

    /// What the task was judged by, and how each run of the proof went.
    fn configuration(&self) -> Value {
        let AttestedTask { task, name, word, commands, runs, .. } = &self.task;
        json!({
            "name": task,
            "digest": self.digest(),
            "annotations": {
                "title": name,
                "is": word,
                "plan": self.plan.as_ref().map(|plan| sha256(&plan.content)),
                "commands": commands,
                "runs": runs.iter().map(run).collect::<Vec<_>>(),
            },
        })
    }
}

fn run(run: &ProofRunView) -> Value {
    let mut fields = Map::new();
    fields.insert("run".to_owned(), run.run.into());
    fields.insert("result".to_owned(), run.verdict.word().into());
    for (name, count) in [("passed", run.passed), ("failed", run.failed), ("skipped", run.skipped)] {
        fields.extend(count.map(|count| (name.to_owned(), count.into())));
    }
    fields.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::attestation::{Attested, attested_in};
    use crate::record::Counts;

    fn task(id: &str, word: &str) -> TaskInCommit {
        let commit = CommitId::from_hex("a".repeat(40).as_bytes()).unwrap();
        let counts = Counts { passed: 3, failed: 0, skipped: 1 };
        let run = |run, verdict| ProofRunView {
            run,
            verdict,
            seen: String::new(),
            tests: Vec::new(),
            failure: None,
            passed: None,
            failed: None,
            skipped: None,
            seconds: 0.0,
            output: String::new(),
        };
        TaskInCommit {
            task: AttestedTask {
                task: id.into(),
                name: "A task".into(),
                commit,
                word: word.into(),
                commands: vec!["make test".into()],
                runs: vec![run("clean", RunWord::Pass).counted(Some(counts)), run("old", RunWord::None)],
            },
            raw: id.as_bytes().to_vec(),
            plan: Some(PlanInCommit { path: "task-tree.json".into(), content: b"{}".to_vec() }),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = attestation(&[task("T1", "proven"), task("T2", "equal")]);
        let read = attested_in(text.as_bytes()).unwrap();
        let of =
            |id: &str| Attested { task: id.into(), commit: sha256(id.as_bytes()), plan: Some(sha256(b"{}")) };
        assert_eq!(read, [of("T1"), of("T2")]);
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["predicate"]["passedTests"], json!(["T1 clean", "T2 clean"]));
        assert_eq!(json["predicate"]["configuration"].as_array().unwrap().len(), 3, "the plan once");
        assert_eq!(attested_in(format!("[{text}]{text}").as_bytes()).unwrap().len(), 4);
    }

    #[test]
    fn a_statement_that_says_something_else_attests_nothing() {
        let text = attestation(&[task("T1", "proven")]);
        let digest = sha256(b"T1");
        let other = sha256(b"T2");
        for (from, to) in [
            ("PASSED", "FAILED"),
            ("test-result/v0.1", "test-result/v9"),
            ("\"proven\"", "\"tested\""),
            (&format!("\"sha256\": \"{digest}\""), &format!("\"sha256\": \"{other}\"")),
        ] {
            assert!(text.contains(from), "{from} in {text}");
            assert_eq!(attested_in(text.replacen(from, to, 1).as_bytes()), Ok(Vec::new()), "{from}");
        }
        assert!(
            attested_in(b"{}").is_err() && attested_in(b"").is_err() && attested_in(b"{\"_type\"").is_err()
        );
    }

    #[test]
    fn the_digest_is_the_one_of_the_standard() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
