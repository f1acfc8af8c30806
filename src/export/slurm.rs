//! The job file for Slurm: a job array, or a script that submits a job for each task.

use std::collections::HashSet;

use super::engine::{JobEngine, JobIdentity, MostJobs, Place, TaskJobs};
use super::job::JobFile;
use super::tasks::OpenTasks;
use super::worker::{LOGIN_FILE, Worker};

/// How often Slurm started a job again.
const ATTEMPT: &str = "${SLURM_RESTART_COUNT:-0}";

const EQUAL: JobIdentity =
    JobIdentity { claimant: "slurm:${SLURM_ARRAY_JOB_ID}.${SLURM_ARRAY_TASK_ID}", attempt: ATTEMPT };

const PER_TASK: JobIdentity = JobIdentity { claimant: "slurm:${SLURM_JOB_ID}", attempt: ATTEMPT };

/// Slurm.
pub(super) const ENGINE: JobEngine = JobEngine {
    word: "slurm",
    name: "Slurm",
    most_jobs: MostJobs {
        count: 1000,
        why: "an array has at most 1000 jobs unless MaxArraySize is set in slurm.conf",
    },
    place: Place::Address,
    limits_pushes: false,
    is_elsewhere: true,
    logins: &[
        "Each machine needs LOGIN, in ~/.config/git-arborist/login or as the agent itself keeps it, and a login of git for the remote repository.",
    ],
    most_bytes: None,
    start: "sbatch FILE",
    equal: array,
    per_task: Some(TaskJobs {
        most_needs: None,
        limits: &[
            "Slurm keeps 10000 jobs of all users by default (MaxJobCount), and a site may allow each user fewer (MaxSubmitJobs).",
            "`scontrol show config` and `sacctmgr show associations` print these limits.",
            "A job that has failed ends all jobs that wait for it (--kill-on-invalid-dep).",
        ],
        start: "sh FILE, where sbatch is",
        write: submissions,
    }),
};

/// What a job asks for. A worker that is told to end gives its task back first.
const RESOURCES: &str = "#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.log
# At most what the partition allows:
#SBATCH --time=1-00:00:00
#SBATCH --cpus-per-task=1
#SBATCH --signal=B:TERM@120
# What the agent and the tests need; sites differ:
##SBATCH --mem=4G
##SBATCH --partition=...
##SBATCH --account=...
";

fn array(job: &JobFile<'_>, head: &str, jobs: u32) -> String {
    let worker = Worker { job, identity: EQUAL, before: LOGIN_FILE, login: "", task: None };
    format!(
        "#!/bin/sh\n{head}#SBATCH --job-name=arborist-{}\n#SBATCH --array=1-{jobs}\n{RESOURCES}\n{}",
        job.slug,
        worker.script()
    )
}

fn submissions(job: &JobFile<'_>, head: &str, open: &OpenTasks) -> String {
    // The script of each job is read from here, with the task as its only argument.
    let worker = Worker { job, identity: PER_TASK, before: LOGIN_FILE, login: "", task: Some("\"$1\"") };
    let mut text = format!(
        "#!/bin/sh\n{head}set -eu\n\n\
         # submit TASK [JOB...]: submits the job of a task, which begins after these jobs; prints its id.\n\
         submit() {{\n  \
           task=$1\n  shift\n  after=\n  \
           for id in \"$@\"; do after=$after:$id; done\n  \
           answer=$(sbatch --parsable --job-name=\"arborist-$task\" \\\n    \
             ${{after:+\"--dependency=afterok$after\"}} --kill-on-invalid-dep=yes \"$worker\" \"$task\")\n  \
           echo \"$task: job ${{answer%%;*}}\" >&2\n  \
           echo \"${{answer%%;*}}\"\n\
         }}\n\n\
         worker=$(mktemp)\ntrap 'rm -f \"$worker\"' EXIT\n\
         cat >\"$worker\" <<'END_OF_WORKER'\n#!/bin/sh\n{RESOURCES}{}END_OF_WORKER\n\n",
        worker.script()
    );
    let needed: HashSet<usize> = open.tasks.iter().flat_map(|task| task.needs.iter().copied()).collect();
    for (at, task) in open.tasks.iter().enumerate() {
        let needs: String = task.needs.iter().map(|need| format!(" \"$job{}\"", need + 1)).collect();
        text.push_str(&match needed.contains(&at) {
            true => format!("job{}=$(submit {}{needs})\n", at + 1, task.id),
            false => format!("submit {}{needs} >/dev/null\n", task.id),
        });
    }
    text
}
