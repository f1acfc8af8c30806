//! Runs the real commands, in real repositories, away from all settings of the machine.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};

use super::repo::{Commit, Repo, git};
use git_arborist::record::{
    Attempt, CommitId, Counts, Outcome, ProofRecord, Quote, Step, StepDraft, StepFacts, SubjectForm, TaskId,
    TaskRef, Work,
};

/// What a command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// The answer of a command that is done.
    #[track_caller]
    pub(crate) fn answer(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""));
        self.out
    }

    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.answer()).unwrap()
    }
}

/// `git ARGS` in a folder, with our commands on PATH and a locale that has UTF-8.
pub(crate) fn git_with_commands(folder: &Path, args: &[&str]) -> Command {
    let mut command = git(folder, args);
    let own = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(own).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).unwrap()).env("LC_ALL", "C.UTF-8");
    for name in ["NO_COLOR", "TERM", "CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE"] {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ARBORIST_") {
            command.env_remove(name);
        }
    }
    // The plans of the tests are written for the tests.
    command.env("ARBORIST_TRUST_PLAN", "true");
    // They would run every test command several times more.
    command.env("ARBORIST_CONFIRM", "0").env("ARBORIST_TRUST_PROVE", "off");
    // Most test commands of the tests count nothing, and every step would say so.
    command.env("ARBORIST_TRUST_COUNTS", "off");
    command
}

/// Runs `git arborist ARGS` in a folder.
pub(crate) fn arborist(folder: &Path, args: &[&str]) -> Said {
    Said::of(git_with_commands(folder, &[&["arborist"], args].concat()).output().unwrap())
}

/// Runs `git arborist ARGS` in a folder on a terminal with so many columns and without colours, and without a pager.
pub(crate) fn on_terminal(folder: &Path, args: &str, columns: usize) -> Said {
    let plain = git_with_commands(folder, &[]);
    let mut command = Command::new("script");
    command.current_dir(folder).env_clear().stdin(std::process::Stdio::null());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("NO_COLOR", "1").env("GIT_PAGER", "cat");
    command.args(["-qec", &format!("stty cols {columns} rows 50; git arborist {args}"), "/dev/null"]);
    let said = Said::of(command.output().unwrap());
    Said { out: said.out.replace('\r', "").replace("^D\u{8}\u{8}", ""), ..said }
}

/// The plan of the tests: two phases of two tasks; T002 and T003 build on T001, T004 on T003.
pub(crate) const PLAN: &str = r#"{
  "spec_id": "my-project",
  "nodes": {
    "phase1": {"id": "phase1", "name": "Database Layer", "children": ["T001", "T002"]},
    "T001": {"id": "T001", "name": "Create schema", "parent": "phase1", "description": "Design the schema."},
    "T002": {"id": "T002", "name": "Add migrations", "parent": "phase1", "depends_on": ["T001"], "test_commands": [{"type": "unit", "command": "true"}]},
    "phase2": {"id": "phase2", "name": "API Layer", "children": ["T003", "T004"]},
    "T003": {"id": "T003", "name": "Build endpoints", "parent": "phase2", "depends_on": ["T001"],
             "description": "REST endpoints.\nWith errors.",
             "test_commands": [{"type": "unit", "command": "pytest tests/ -x", "framework": "pytest", "timeout": 60}]},
    "T004": {"id": "T004", "name": "Add tests", "parent": "phase2", "depends_on": ["T003"],
             "test_commands": [{"type": "unit", "command": "true"}]}
  },
  "root_ids": ["phase1", "phase2"]
}
"#;

/// What happens after a plan was committed, step by step.
pub(crate) struct Story {
    commits: Vec<Commit>,
    now: i64,
}

impl Story {
    /// A work tree in which `plan` was committed.
    pub(crate) fn of(plan: &str) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let story = Self { commits: Vec::new(), now: i64::try_from(now).unwrap() };
        story.commit("Add the plan\n", &[("task-tree.json", plan)])
    }

    /// The last commit is made `seconds` ago, those before it earlier, a second each.
    pub(crate) fn told(mut self, seconds: i64) -> (Repo, Vec<CommitId>) {
        let count = i64::try_from(self.commits.len()).unwrap();
        for (place, commit) in (1..).zip(&mut self.commits) {
            commit.time = self.now - seconds - (count - place);
        }
        let (repo, ids) = Repo::with(&self.commits);
        repo.git(&["reset", "-q", "--hard"]);
        (repo, ids)
    }

    pub(crate) fn commit(mut self, message: &str, files: &[(&str, &str)]) -> Self {
        let place = self.commits.len();
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), Some((*text).to_owned())));
        self.commits.push(Commit {
            parents: place.checked_sub(1).into_iter().collect(),
            time: 0,
            message: message.to_owned(),
            files: files.collect(),
        });
        self
    }

    pub(crate) fn implement(self, id: &str, number: u32, outcome: Outcome) -> Self {
        let work = Work {
            runner: "claude/opus".to_owned(),
            duration: std::time::Duration::from_millis(12_300),
            ..Work::default()
        };
        let mut draft = draft(id, Step::IMPLEMENT, number, outcome).done_by(&work);
        draft.quotes.push(Quote::runner(b"wrote it"));
        let path = format!("src/{id}.txt");
        self.commit(&text(&draft), &[(&path, &format!("attempt {number}\n"))])
    }

    pub(crate) fn test(self, id: &str, number: u32, outcome: Outcome) -> Self {
        let failed = u32::from(outcome == Outcome::Fail);
        let log = format!("spec/logs/{id}_test_{number}.log");
        let mut draft = draft(id, Step::TEST, number, outcome);
        draft.facts = StepFacts {
            test_type: Some("unit".to_owned()),
            tests: Some(Counts { passed: 4, failed, skipped: 1 }),
            test_time: Some(std::time::Duration::from_millis(800)),
            test_log: Some(log.clone()),
            ..StepFacts::default()
        };
        if outcome == Outcome::Pass {
            return self.commit(&text(&draft), &[]);
        }
        draft.quotes.push(Quote::test("unit", "stderr", b"FAILED test_m.py::test_m - AssertionError"));
        self.commit(&text(&draft), &[(&log, "log\n")])
    }

    /// Tests that pass, and their proof in four runs of 8.4 seconds.
    pub(crate) fn proven(self, id: &str, number: u32) -> Self {
        let proof = "clean=pass old=none red=pass canary=pass evidence=1 ran=4 took=8.4 is=proven";
        let mut draft = draft(id, Step::TEST, number, Outcome::Pass);
        draft.facts = StepFacts {
            test_type: Some("unit".to_owned()),
            tests: Some(Counts { passed: 4, failed: 0, skipped: 0 }),
            test_time: Some(std::time::Duration::from_millis(2100)),
            proof: ProofRecord::parse(proof),
            ..StepFacts::default()
        };
        self.commit(&text(&draft), &[])
    }

    pub(crate) fn review(self, id: &str, number: u32, outcome: Outcome) -> Self {
        let log = format!("spec/logs/{id}_review_{number}.log");
        let said = match outcome {
            Outcome::Pass => "Looks right. APPROVED",
            _ => "The change misses a newline check.\nREJECTED",
        };
        let mut draft = draft(id, Step::REVIEW, number, outcome);
        draft.facts.review_log = Some(log.clone());
        draft.quotes.push(Quote::review(None, said.as_bytes()));
        self.commit(&text(&draft), &[(&log, "log\n")])
    }

    pub(crate) fn complete(self, id: &str, attempts: u32) -> Self {
        self.completed(id, attempts, None)
    }

    /// The end of a task whose proof is that of [`Story::proven`].
    pub(crate) fn complete_proven(self, id: &str) -> Self {
        self.completed(id, 1, ProofRecord::parse("clean=pass old=none red=pass canary=pass is=proven"))
    }

    fn completed(self, id: &str, attempts: u32, proof: Option<ProofRecord>) -> Self {
        let report = format!("spec/reports/{id}_run.json");
        let mut draft = draft(id, Step::COMPLETE, 0, Outcome::Pass);
        draft.notes.push(format!("Completed after {attempts} attempt(s). Report: {report}"));
        draft.facts = StepFacts { report: Some(report.clone()), proof, ..StepFacts::default() };
        self.commit(&text(&draft), &[(&report, "{}\n")])
    }

    /// All steps of a task that goes well at the first attempt.
    pub(crate) fn whole(self, id: &str) -> Self {
        self.implement(id, 0, Outcome::Pass)
            .test(id, 0, Outcome::Pass)
            .review(id, 0, Outcome::Pass)
            .complete(id, 1)
    }

    /// Two attempts: the tests reject the first one, the reviewer the second.
    pub(crate) fn rejected_twice(self, id: &str) -> Self {
        self.implement(id, 0, Outcome::Pass)
            .test(id, 0, Outcome::Fail)
            .implement(id, 1, Outcome::Pass)
            .test(id, 1, Outcome::Pass)
            .review(id, 1, Outcome::Fail)
    }

    pub(crate) fn failed(self, id: &str) -> Self {
        self.commit(&text(&draft(id, Step::COMPLETE, 0, Outcome::Fail)), &[])
    }

    /// An agent has changed nothing, and asks.
    pub(crate) fn asked(self, id: &str, question: &str) -> Self {
        let draft = draft(id, Step::BLOCK, 0, Outcome::Pass).asking(None, question, question);
        self.commit(&text(&draft), &[])
    }

    pub(crate) fn phase(self, id: &str) -> Self {
        self.phase_ends(id, Outcome::Pass)
    }

    /// The end of a phase, whose tests pass or fail.
    pub(crate) fn phase_ends(self, id: &str, outcome: Outcome) -> Self {
        self.commit(&text(&draft(id, Step::PHASE_COMPLETE, 0, outcome)), &[])
    }
}

fn draft(id: &str, step: Step, number: u32, outcome: Outcome) -> StepDraft {
    let task = TaskRef { id: &TaskId::parse(id).unwrap(), name: "A name" };
    StepDraft::new(step, task, Attempt { number, max: 5, merge: None }, outcome)
}

fn text(draft: &StepDraft) -> String {
    draft.message(str::to_owned, &SubjectForm::default()).text
}

/// A clone of one of the repositories that the older system made, and its tree file.
pub(crate) fn reference(bundle: &str) -> (Repo, &'static str) {
    let (branch, tree) = match bundle {
        "agent-arborist-newest" => ("os-47-demo--v1", "openspec/changes/os-47/task-tree.json"),
        _ => ("feature/demo", "specs/feature/demo/task-tree.json"),
    };
    let file = super::repo::fixture("reference").join(format!("{bundle}.bundle"));
    (Repo::clone_of(file.to_str().unwrap(), &["-b", branch]), tree)
}

/// The names of those bundles.
pub(crate) const REFERENCES: [&str; 3] =
    ["agent-arborist-anchor", "agent-arborist-branch", "agent-arborist-newest"];
