//! The pipeline for GitLab CI: parallel jobs that are equal, or a job for each task.

use super::engine::{JobEngine, JobIdentity, MostJobs, Place, TaskJobs};
use super::job::JobFile;
use super::quote::{block, yaml};
use super::tasks::OpenTasks;
use super::worker::Worker;

/// A job that is repeated gets a new number, which is higher.
const ATTEMPT: &str = "$CI_JOB_ID";

const EQUAL: JobIdentity =
    JobIdentity { claimant: "gitlab:$CI_PIPELINE_ID.$CI_NODE_INDEX", attempt: ATTEMPT };

const PER_TASK: JobIdentity = JobIdentity { claimant: "gitlab:$CI_PIPELINE_ID.$TASK", attempt: ATTEMPT };

/// GitLab CI.
pub(super) const ENGINE: JobEngine = JobEngine {
    word: "gitlab",
    name: "GitLab CI",
    most_jobs: MostJobs { count: 200, why: "`parallel` goes up to 200" },
    place: Place::Checkout,
    limits_pushes: false,
    is_elsewhere: true,
    logins: &[
        "The variables of the project need LOGIN, masked: Settings > CI/CD > Variables.",
        "Settings > CI/CD > Job token permissions must allow Git push requests to the repository.",
    ],
    most_bytes: None,
    start: START,
    equal: parallel,
    per_task: Some(TaskJobs {
        most_needs: Some(50),
        limits: &[
            "A job may depend on at most 50 others unless an administrator has raised that, and a pipeline has a limit of jobs.",
            "A job ends after six hours, or after the time limit of its runner if that is shorter; jobs that wait for a failed one are skipped.",
        ],
        start: START,
        write: one_for_each,
    }),
};

/// How the file is handed to GitLab.
const START: &str =
    "Build > Pipelines > New pipeline, after it was committed as .gitlab-ci.yml or included there";

/// What all jobs share. Their script follows.
const SHARED: &str = r#".arborist:
  # Settings > CI/CD > Job token permissions must allow git push requests to the repository.
  # An image that has what a worker needs; the Dockerfile of git arborist makes one.
  image: registry.example/git-arborist-worker
  # Settings > CI/CD > Variables: the login of the agent, masked and protected.
  timeout: 6h
  rules:
    # Branches of tasks start no pipelines; other jobs need this rule as well if they run for every branch.
    - if: $CI_COMMIT_BRANCH =~ /^arborist\//
      when: never
    - if: $CI_PIPELINE_SOURCE == "web" || $CI_PIPELINE_SOURCE == "api" || $CI_PIPELINE_SOURCE == "schedule"
  retry:
    max: 2
    when: [runner_system_failure, stuck_or_timeout_failure]
  variables:
    GIT_DEPTH: "0"
    # Agents run as root in most images, and a job is disposable.
    IS_SANDBOX: "1"
    GIT_AUTHOR_NAME: $GITLAB_USER_NAME
    GIT_AUTHOR_EMAIL: $GITLAB_USER_EMAIL
    GIT_COMMITTER_NAME: $GITLAB_USER_NAME
    GIT_COMMITTER_EMAIL: $GITLAB_USER_EMAIL
  script:
    - |
"#;

fn parallel(job: &JobFile<'_>, head: &str, jobs: u32) -> String {
    let script = block(&Worker { job, identity: EQUAL, before: "", login: "", task: None }.script(), 6);
    format!("{head}{SHARED}{script}\narborist:\n  extends: .arborist\n  parallel: {jobs}\n")
}

fn one_for_each(job: &JobFile<'_>, head: &str, open: &OpenTasks) -> String {
    let worker = Worker { job, identity: PER_TASK, before: "", login: "", task: Some("\"$TASK\"") };
    let mut text = format!("{head}{SHARED}{}", block(&worker.script(), 6));
    let name = |id: &str| yaml(&format!("task {id}"));
    for task in &open.tasks {
        let needs: Vec<String> = task.needs.iter().map(|need| name(&open.tasks[*need].id)).collect();
        text.push_str(&format!(
            "\n{}:\n  extends: .arborist\n  needs: [{}]\n  variables:\n    TASK: {}\n",
            name(&task.id),
            needs.join(", "),
            yaml(&task.id)
        ));
    }
    text
}
