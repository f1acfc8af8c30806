//! The job for Kubernetes: equal pods. Kubernetes knows no dependencies between jobs.

use super::engine::{JobEngine, JobIdentity, MostJobs, Place};
use super::job::{JobAuthor, JobFile};
use super::quote::{block, kubernetes, yaml};
use super::worker::Worker;

/// Kubernetes counts how often a place was filled before, in annotations of the pod.
const EQUAL: JobIdentity = JobIdentity {
    claimant: "k8s:$JOB_UID.$JOB_COMPLETION_INDEX",
    attempt: "$((${FAILURES:-0} + ${DISRUPTIONS:-0}))",
};

/// What tells the worker alone how git logs in.
const LOGIN: &str =
    " -c credential.helper= \\\n  -c credential.helper='store --file=/etc/git-arborist/git-credentials'";

/// Kubernetes.
pub(super) const ENGINE: JobEngine = JobEngine {
    word: "k8s",
    name: "Kubernetes",
    most_jobs: MostJobs { count: 1000, why: "more workers at one remote repository were never tried" },
    place: Place::Address,
    limits_pushes: false,
    is_elsewhere: true,
    logins: &["The secret arborist-agent needs LOGIN, and the secret arborist-git a file git-credentials."],
    most_bytes: None,
    start: "kubectl create -f FILE",
    equal: pods,
    per_task: None,
};

/// A name of an object has at most 63 characters; those of its pods are longer by an index and a random part.
const LONGEST_NAME: usize = 50;

fn pods(job: &JobFile<'_>, head: &str, jobs: u32) -> String {
    let name = object_name(job.slug);
    let worker = Worker { job, identity: EQUAL, before: "", login: LOGIN, task: None };
    let script = block(&kubernetes(&worker.script()), 14);
    let author: String = job.author.map(variables_of).unwrap_or_default();
    format!(
        include_str!("kubernetes.yaml"),
        head = head,
        name = name,
        jobs = jobs,
        POLICY = POLICY,
        ENVIRONMENT = ENVIRONMENT,
        author = author,
        script = script,
    )
}

/// Which ends of a worker are no reason to start it again.
const POLICY: &str = "  podFailurePolicy:
    rules:
      # A pod that is evicted or preempted is started again, however often that happens.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: \"True\"
      # A failed task, wrong input, an unusable repository, a danger, a question: another start changes nothing.
      - action: FailIndex
        onExitCodes:
          containerName: worker
          operator: In
          values: [1, 2, 3, 6, 7]
";

/// What a worker must know of its pod.
const ENVIRONMENT: &str = "            - name: HOME
              value: /work
            - name: TMPDIR
              value: /work
            - name: JOB_UID
              valueFrom:
                fieldRef:
                  fieldPath: metadata.labels['batch.kubernetes.io/controller-uid']
            - name: FAILURES
              valueFrom:
                fieldRef:
                  fieldPath: metadata.annotations['batch.kubernetes.io/job-index-failure-count']
            - name: DISRUPTIONS
              valueFrom:
                fieldRef:
                  fieldPath: metadata.annotations['batch.kubernetes.io/job-index-ignored-failure-count']
";

/// Who commits, as variables.
fn variables_of(author: &JobAuthor) -> String {
    let JobAuthor { name, email } = author;
    let pairs = ["AUTHOR", "COMMITTER"].map(|role| {
        format!(
            "            - name: GIT_{role}_NAME\n              value: {}\n            - name: GIT_{role}_EMAIL\n              value: {}\n",
            yaml(&kubernetes(name)),
            yaml(&kubernetes(email))
        )
    });
    pairs.concat()
}

/// A name of small letters, digits and `-`.
fn object_name(slug: &str) -> String {
    let name = crate::text::slug(slug, LONGEST_NAME);
    if name.is_empty() { "arborist".to_owned() } else { format!("arborist-{name}") }
}
