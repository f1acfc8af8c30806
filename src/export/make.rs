//! The makefile: targets that are equal workers, or a target for each task. `JOB` is what starts a shell elsewhere.

use super::engine::{JobEngine, JobIdentity, MostJobs, Place, TaskJobs};
use super::job::JobFile;
use super::quote::make;
use super::tasks::OpenTasks;
use super::worker::{LOGIN_FILE, Worker};

/// The script gets the name of this call of make, how often it was started, and the worker or the task.
const IDENTITY: JobIdentity = JobIdentity { claimant: "make:$1.$3", attempt: "$2" };

/// make.
pub(super) const ENGINE: JobEngine = JobEngine {
    word: "make",
    name: "make",
    most_jobs: MostJobs { count: 1000, why: "more workers at one remote repository were never tried" },
    place: Place::Address,
    limits_pushes: false,
    is_elsewhere: false,
    logins: &[
        "Each machine needs LOGIN, in ~/.config/git-arborist/login or as the agent itself keeps it, and a login of git for the remote repository.",
    ],
    most_bytes: None,
    start: "make -f FILE -k -j N, where N is the number of workers; JOB=\"ssh HOST\" starts them elsewhere",
    equal: workers,
    per_task: Some(TaskJobs {
        most_needs: None,
        limits: &["make has no limit of its own: `-j N` says how many jobs run at the same time."],
        start: "make -f FILE -k -j N, where N is how many jobs run at the same time; JOB=\"ssh HOST\" starts them elsewhere",
        write: one_for_each,
    }),
};

/// Variables, with what they are for.
const VARIABLES: &str = "# What starts a shell that reads a script from its standard input and runs it: nothing for a shell on this machine. In it, $*
# is the number of the worker or the task: JOB='ssh node$*'.
JOB ?=

# Who holds a claim. What an earlier call has left is taken over at once by RUN=NAME, if that is the name of the call, with a higher
# ATTEMPT; otherwise when nothing has moved for longer than a step may take.
RUN := $(shell uname -n)-$(shell od -An -N6 -tx1 /dev/urandom | tr -d ' ')
ATTEMPT ?= 0
$(info RUN=$(RUN))
";

fn workers(job: &JobFile<'_>, head: &str, jobs: u32) -> String {
    let targets: Vec<String> = (1..=jobs).map(|number| format!("worker-{number}")).collect();
    let worker = Worker { job, identity: IDENTITY, before: LOGIN_FILE, login: "", task: None };
    MakeRules { worker, targets: &targets, order: "", pattern: "worker-%" }.file(head)
}

fn one_for_each(job: &JobFile<'_>, head: &str, open: &OpenTasks) -> String {
    let name = |id: &str| format!("task-{id}");
    let targets: Vec<String> = open.tasks.iter().map(|task| name(&task.id)).collect();
    let mut order = String::new();
    for task in open.tasks.iter().filter(|task| !task.needs.is_empty()) {
        let needs: Vec<String> = task.needs.iter().map(|need| name(&open.tasks[*need].id)).collect();
        order.push_str(&format!("{}: {}\n", name(&task.id), needs.join(" ")));
    }
    let worker = Worker { job, identity: IDENTITY, before: LOGIN_FILE, login: "", task: Some("\"$3\"") };
    MakeRules { worker, targets: &targets, order: &format!("\n{order}"), pattern: "task-%" }.file(head)
}

/// The rules of a makefile.
struct MakeRules<'a> {
    worker: Worker<'a>,
    targets: &'a [String],
    /// The lines that say which target waits for which.
    order: &'a str,
    /// What all targets are like, with `%` for what tells them apart.
    pattern: &'a str,
}

impl MakeRules<'_> {
    fn file(&self, head: &str) -> String {
        // A worker must not read what is left of its script.
        let script = format!("{} </dev/null", self.worker.script().trim_end());
        format!(
            "{head}\n{VARIABLES}\ndefine arborist_worker\n{}\nendef\nexport arborist_worker\n\nTARGETS := {}\n\n\
             .PHONY: all $(TARGETS)\nall: $(TARGETS)\n{}\n$(TARGETS): {}:\n\
             \t@printf '%s\\n' \"$$arborist_worker\" | $(JOB) sh -s -- '$(RUN)' $(ATTEMPT) $*\n",
            make(&script),
            self.targets.join(" \\\n  "),
            self.order,
            self.pattern,
        )
    }
}
