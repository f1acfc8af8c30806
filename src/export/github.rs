//! The workflow for GitHub Actions: a matrix of equal jobs, or a job for each task.

use super::engine::{JobEngine, JobIdentity, MostJobs, Place, TaskJobs};
use super::job::JobFile;
use super::quote::{block, github, plain_names, yaml};
use super::tasks::OpenTasks;
use super::worker::Worker;

/// How often the workflow was started again.
const ATTEMPT: &str = "$GITHUB_RUN_ATTEMPT";

const EQUAL: JobIdentity = JobIdentity { claimant: "github:$GITHUB_RUN_ID.$WORKER", attempt: ATTEMPT };

const PER_TASK: JobIdentity = JobIdentity { claimant: "github:$GITHUB_RUN_ID.$TASK", attempt: ATTEMPT };

/// GitHub Actions.
pub(super) const ENGINE: JobEngine = JobEngine {
    word: "github",
    name: "GitHub Actions",
    most_jobs: MostJobs { count: 256, why: "a matrix has at most 256 jobs in a run of a workflow" },
    place: Place::Checkout,
    limits_pushes: true,
    is_elsewhere: true,
    logins: &[
        "The secrets of the repository need LOGIN: `gh secret set NAME`.",
        "The branch of the run must not be protected against pushes of the job, and the workflow must be on the default branch.",
    ],
    most_bytes: Some(500_000),
    start: START,
    equal: matrix,
    per_task: Some(TaskJobs {
        most_needs: None,
        limits: &[
            "GitHub starts no workflow whose file is larger than 500 KB, and each plan of GitHub has its own limit of jobs that run at the same time.",
            "A job on a runner of GitHub ends after six hours; jobs that wait for a failed one are skipped.",
        ],
        start: START,
        write: one_for_each,
    }),
};

/// How the file is handed to GitHub.
const START: &str = "gh workflow run arborist.yml, after it was committed as .github/workflows/arborist.yml on the default branch";

/// What keeps the right to push away from agents: the token is in a file outside of every work tree, and git is told where by the
/// worker alone.
const BEFORE: &str = r#"login=$RUNNER_TEMP/arborist-login
(umask 077 && printf 'https://x-access-token:%s@%s\n' "$LOGIN" "${GITHUB_SERVER_URL#*://}" >"$login")
unset LOGIN
"#;

const LOGIN: &str = " -c credential.helper= \\\n  -c credential.helper=\"store --file='$login'\"";

/// Who commits.
const AUTHOR: &str = "      GIT_AUTHOR_NAME: ${{ github.actor }}
      GIT_AUTHOR_EMAIL: ${{ github.actor_id }}+${{ github.actor }}@users.noreply.github.com
      GIT_COMMITTER_NAME: ${{ github.actor }}
      GIT_COMMITTER_EMAIL: ${{ github.actor_id }}+${{ github.actor }}@users.noreply.github.com
";

fn begin(job: &JobFile<'_>, head: &str) -> String {
    let slug = &job.slug;
    format!(
        "{head}#\n# Pushes with the token of a job start no workflows. If you let workers push with another one, those that run on\n# every \
         push need `branches-ignore: ['arborist/**']`.\nname: arborist\non: workflow_dispatch\npermissions:\n  contents: write\n\
         concurrency:\n  group: arborist-{slug}\n  cancel-in-progress: false\njobs:\n"
    )
}

fn matrix(job: &JobFile<'_>, head: &str, jobs: u32) -> String {
    let workers: Vec<String> = (1..=jobs).map(|worker| worker.to_string()).collect();
    format!(
        "{}  work:\n    runs-on: ubuntu-latest\n    timeout-minutes: 350\n    strategy:\n      fail-fast: false\n      \
         matrix:\n        worker: [{}]\n    env:\n      WORKER: ${{{{ matrix.worker }}}}\n{AUTHOR}{}",
        begin(job, head),
        workers.join(", "),
        steps(&Worker { job, identity: EQUAL, before: BEFORE, login: LOGIN, task: None })
    )
}

fn one_for_each(job: &JobFile<'_>, head: &str, open: &OpenTasks) -> String {
    let names = plain_names(open.tasks.iter().map(|task| task.id.as_str()));
    let mut text = begin(job, head);
    for (task, name) in open.tasks.iter().zip(&names) {
        let needs: Vec<String> = task.needs.iter().map(|need| format!("task-{}", names[*need])).collect();
        let needs = match needs.as_slice() {
            [] => String::new(),
            needs => format!("    needs: [{}]\n", needs.join(", ")),
        };
        text.push_str(&format!(
            "  task-{name}:\n    name: {}\n{needs}    runs-on: ubuntu-latest\n    timeout-minutes: 350\n    env:\n      \
             TASK: {}\n{AUTHOR}{}",
            yaml(&task.id),
            yaml(&task.id),
            steps(&Worker { job, identity: PER_TASK, before: BEFORE, login: LOGIN, task: Some("\"$TASK\"") })
        ));
    }
    text
}

fn steps(worker: &Worker<'_>) -> String {
    let job = worker.job;
    let mut text = format!(
        "    steps:\n      - uses: actions/checkout@v6\n        with:\n          ref: {}\n          fetch-depth: 0\n          \
         persist-credentials: false\n      # OWNER is who publishes git-arborist for you.\n      - uses: OWNER/git-arborist@v{}\n        \
         with:\n          mode: install\n          version: {}\n",
        yaml(&github(job.branch)),
        job.version,
        yaml(job.version),
    );
    for install in job.installs() {
        text.push_str(&format!("      - run: {install}\n"));
    }
    if job.installs().next().is_none() {
        text.push_str("      # Install the agent here.\n");
    }
    text.push_str(
        "      - name: Work\n        shell: sh\n        env:\n          LOGIN: ${{ github.token }}\n",
    );
    for secret in job.secrets() {
        text.push_str(&format!("          {secret}: ${{{{ secrets.{secret} }}}}\n"));
    }
    text.push_str(&format!("        run: |\n{}", block(&github(&worker.script()), 10)));
    text
}
