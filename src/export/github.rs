//! The workflow for GitHub Actions: a matrix of equal jobs, or a job for each task.

use super::engine::{Engine, Identity, MostJobs, PerTask, Place};
use super::job::JobFile;
use super::quote::{block, github, plain_names, yaml};
use super::tasks::OpenTasks;
use super::worker::Worker;

/// How often the workflow was started again.
const ATTEMPT: &str = "$GITHUB_RUN_ATTEMPT";

const EQUAL: Identity = Identity { claimant: "github:$GITHUB_RUN_ID.$WORKER", attempt: ATTEMPT };

const PER_TASK: Identity = Identity { claimant: "github:$GITHUB_RUN_ID.$TASK", attempt: ATTEMPT };

/// GitHub Actions.
pub(super) const ENGINE: Engine = Engine {
    word: "github",
    name: "GitHub Actions",
    most_jobs: MostJobs { count: 256, why: "a matrix has at most 256 jobs in a run of a workflow" },
    place: Place::Checkout,
    most_bytes: Some(500_000),
    start: START,
    equal: matrix,
    per_task: Some(PerTask {
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

/// The steps before the worker begins, in every job.
const PREPARE: &str = "      # Install git-arborist and the agent here, and log the agent in.
      - name: Look for git arborist
        run: git arborist --version
";

/// Who commits.
const AUTHOR: &str = "      GIT_AUTHOR_NAME: ${{ github.actor }}
      GIT_AUTHOR_EMAIL: ${{ github.actor_id }}+${{ github.actor }}@users.noreply.github.com
      GIT_COMMITTER_NAME: ${{ github.actor }}
      GIT_COMMITTER_EMAIL: ${{ github.actor_id }}+${{ github.actor }}@users.noreply.github.com
";

fn begin(head: &str) -> String {
    format!("{head}name: arborist\non: workflow_dispatch\npermissions:\n  contents: write\njobs:\n")
}

fn matrix(job: &JobFile<'_>, head: &str, jobs: u32) -> String {
    let workers: Vec<String> = (1..=jobs).map(|worker| worker.to_string()).collect();
    format!(
        "{}  work:\n    runs-on: ubuntu-latest\n    timeout-minutes: 360\n    strategy:\n      fail-fast: false\n      \
         matrix:\n        worker: [{}]\n    env:\n      WORKER: ${{{{ matrix.worker }}}}\n{AUTHOR}{}",
        begin(head),
        workers.join(", "),
        steps(&Worker { job, identity: EQUAL, task: None })
    )
}

fn one_for_each(job: &JobFile<'_>, head: &str, open: &OpenTasks) -> String {
    let names = plain_names(open.tasks.iter().map(|task| task.id.as_str()));
    let mut text = begin(head);
    for (task, name) in open.tasks.iter().zip(&names) {
        let needs: Vec<String> = task.needs.iter().map(|need| format!("task-{}", names[*need])).collect();
        let needs = match needs.as_slice() {
            [] => String::new(),
            needs => format!("    needs: [{}]\n", needs.join(", ")),
        };
        text.push_str(&format!(
            "  task-{name}:\n    name: {}\n{needs}    runs-on: ubuntu-latest\n    timeout-minutes: 360\n    env:\n      \
             TASK: {}\n{AUTHOR}{}",
            yaml(&task.id),
            yaml(&task.id),
            steps(&Worker { job, identity: PER_TASK, task: Some("\"$TASK\"") })
        ));
    }
    text
}

fn steps(worker: &Worker<'_>) -> String {
    format!(
        "    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: {}\n          fetch-depth: 0\n\
         {PREPARE}      - name: Work\n        shell: sh\n        run: |\n{}",
        yaml(&github(worker.job.branch)),
        block(&github(&worker.script()), 10)
    )
}
