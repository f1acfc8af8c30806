//! The comment at the top of a job file: what it runs, how it is started, what a node needs, and when it is out of date.

use super::engine::{JobEngine, Place};
use super::job::{Form, JobFile};
use crate::text::{advice, one_line};

/// What every job file says of itself.
const MARK: &str = "# Made by `git arborist export";

/// How many tasks are named that have no job.
const MOST_NAMED: usize = 20;

/// Whether this is the beginning of a job file that was made here, or of an empty one.
pub(crate) fn is_job_file(beginning: &str) -> bool {
    beginning.trim().is_empty() || beginning.contains(MARK)
}

/// The comment of a file.
#[derive(Clone, Copy)]
pub(super) struct JobHead<'a> {
    pub(super) engine: &'a JobEngine,
    pub(super) job: &'a JobFile<'a>,
    pub(super) form: &'a Form,
}

impl JobHead<'_> {
    /// The comment, in lines that begin with `#`. `start` says how the file is handed to the engine.
    pub(super) fn text(&self, start: &str, limits: &[&str]) -> String {
        let Self { engine, job, form } = *self;
        let mut lines = Lines::default();
        let plan = one_line(job.plan);
        match form {
            Form::Equal(jobs) => lines.say(&format!(
                "Runs the plan {plan} on {}: {}.",
                engine.name,
                if *jobs == 1 { "one worker".to_owned() } else { format!("{jobs} equal workers") }
            )),
            Form::PerTask(open) => lines.say(&format!(
                "Runs the plan {plan} on {}: one job for each of {} open tasks.",
                engine.name,
                open.tasks.len()
            )),
        }
        let dag = if form.is_per_task() { " --dag" } else { "" };
        lines.0.push_str(&format!("{MARK} --to {}{dag}` of version {}.\n", engine.word, job.version));
        lines.gap();
        lines.say(&format!("Start it with: {}", start));
        lines.gap();
        lines.say("Each machine needs:");
        lines.item(match engine.place {
            Place::Checkout => "git 2.36 or newer",
            Place::Address if engine.word == "k8s" && job.author.is_some() => "git 2.36 or newer",
            Place::Address => "git 2.36 or newer with user.name and user.email",
        });
        lines.item(&format!("git arborist {}", job.version));
        lines.item(&match job.runners {
            [] => {
                "a coding agent that is logged in, and arborist.runner, which is not set in this repository"
                    .to_owned()
            }
            runners => {
                let names: Vec<&str> = runners.iter().map(|runner| runner.name.as_str()).collect();
                format!("{}, logged in{}", one_line(&names.join(", ")), by_secret(&job.secrets()))
            }
        });
        lines.item(&match engine.place {
        Place::Checkout => format!("the right to push to {}, to its branches below arborist/ as well", one_line(job.remote)),
        Place::Address => format!(
            "a login for {} that fetches and pushes without a question, to branches below arborist/ as well",
            one_line(job.remote)
        ),
    });
        if let Some(setup) = job.setup {
            lines.item(&format!("what the set-up command needs: {}", one_line(setup)));
        }
        lines.gap();
        lines.say(&format!(
            "{} with the same options says what is missing.",
            advice::export_check(engine.word)
        ));
        lines.gap();
        lines.say("Workers run the commands of the plan without a question. Nothing else has to be running anywhere:");
        lines.say(&format!("{} shows how far the run is.", advice::watch_remote(job.remote, job.branch)));
        if let Form::PerTask(open) = form {
            lines.gap();
            lines.say(&format!(
            "This file is out of date as soon as the plan changes: it has the tasks that were open at commit {}.",
            job.commit
        ));
            lines.say("Export it again then. A file without --dag does not depend on the plan.");
            if !open.stuck.is_empty() {
                let named =
                    open.stuck.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
                let more = match open.stuck.len().saturating_sub(MOST_NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                lines.say(&format!(
                    "Without a job, because they have failed or wait for failed tasks: {named}{more}."
                ));
            }
            limits.iter().for_each(|limit| lines.say(limit));
        }
        lines.0
    }
}

/// By which secrets agents are logged in.
fn by_secret(variables: &[&str]) -> String {
    if variables.is_empty() { String::new() } else { format!(", for example by {}", variables.join(" and ")) }
}

/// Lines of a comment.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn say(&mut self, line: &str) {
        self.0.push_str(&format!("# {line}\n"));
    }

    fn item(&mut self, line: &str) {
        self.say(&format!("- {line}"));
    }

    fn gap(&mut self) {
        self.0.push_str("#\n");
    }
}
