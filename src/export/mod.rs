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
mod table;
mod tasks;
mod worker;

pub use engine::{Engine, MostJobs, PerTask, Place};
pub use header::is_job_file;
pub use job::{Form, JobAuthor, JobFile, JobRunner, Variable};
pub use needs::{KnownPlace, RunBranch};
pub use table::ENGINES;
pub use tasks::{DagTask, OpenTasks};
