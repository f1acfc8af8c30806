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

/// What keeps the right to push away from agents: the token of the job is in a file outside of every work tree, of which the worker alone
/// is told, and neither in a variable nor in the address of `origin`.
const BEFORE: &str = r#"login=$(mktemp)
printf '%s\n' "$CI_REPOSITORY_URL" >"$login"
git remote set-url origin "$(printf '%s\n' "$CI_REPOSITORY_URL" | sed 's#//[^/@]*@#//#')"
unset CI_REPOSITORY_URL CI_JOB_TOKEN CI_REGISTRY_PASSWORD CI_DEPENDENCY_PROXY_PASSWORD
"#;

const LOGIN: &str = " -c credential.helper= \\\n  -c credential.helper=\"store --file='$login'\"";

/// What all jobs share. Their script follows.
const SHARED: &str = r#".arborist:
  # Settings > CI/CD > Job token permissions must allow git push requests to the repository.
  # An image that has what a worker needs; the Dockerfile of git arborist makes one.
  image: registry.example/git-arborist-worker
  # Settings > CI/CD > Variables: the login of the agent, masked, and protected only if the branch of the pipeline is.
  timeout: 6h
  rules:
    # Branches of tasks start no pipelines; other jobs need this rule as well if they run for every branch.
    - if: $CI_COMMIT_BRANCH =~ /^arborist\//
      when: never
    - if: $CI_PIPELINE_SOURCE == "web" || $CI_PIPELINE_SOURCE == "api"
    # A schedule starts agents only if it sets this variable.
    - if: $CI_PIPELINE_SOURCE == "schedule" && $ARBORIST
  retry:
    max: 2
    when: [runner_system_failure, stuck_or_timeout_failure, job_execution_timeout]
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
    let script =
        block(&Worker { job, identity: EQUAL, before: BEFORE, login: LOGIN, task: None }.script(), 6);
    format!("{head}{SHARED}{script}\narborist:\n  extends: .arborist\n  parallel: {jobs}\n")
}

fn one_for_each(job: &JobFile<'_>, head: &str, open: &OpenTasks) -> String {
    let worker = Worker { job, identity: PER_TASK, before: BEFORE, login: LOGIN, task: Some("\"$TASK\"") };
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
