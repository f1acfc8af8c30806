//! Writes the job files with which other engines run a plan: Slurm, GitHub Actions, GitLab CI, Kubernetes and make. A text is
//! made from a plan and settings; nothing is read or started here.

mod engine;
mod github;
mod gitlab;
mod header;
mod job;
mod kubernetes;
mod make;
mod needs;
mod quote;
mod slurm;
mod tasks;
mod worker;

use header::JobHead;

pub(crate) use engine::{JobEngine, Place, TaskJobs};
pub(crate) use header::is_job_file;
pub(crate) use job::{Form, JobAuthor, JobFile, JobRunner, JobVariable};
pub(crate) use needs::{KnownPlace, RunBranch};
pub(crate) use tasks::OpenTasks;

pub(crate) const ENGINES: [JobEngine; 5] =
    [slurm::ENGINE, github::ENGINE, gitlab::ENGINE, kubernetes::ENGINE, make::ENGINE];

impl JobEngine {
    /// The engine with this word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        ENGINES.into_iter().find(|engine| engine.word == word)
    }

    /// The whole file; `None` if it would need dependencies between jobs, which the engine does not know.
    pub(crate) fn text(&self, job: &JobFile<'_>, form: &Form) -> Option<String> {
        let head = JobHead { engine: self, job, form };
        match form {
            Form::Equal(jobs) => Some((self.equal)(job, &head.text(self.start, &[]), *jobs)),
            Form::PerTask(open) => {
                let TaskJobs { start, limits, write, .. } = self.per_task?;
                Some(write(job, &head.text(start, limits), open))
            }
        }
    }
}
