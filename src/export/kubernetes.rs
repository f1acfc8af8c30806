//! The job for Kubernetes: equal pods. Kubernetes knows no dependencies between jobs.

use super::engine::{Engine, Identity, MostJobs, Place};
use super::job::JobFile;
use super::quote::{block, kubernetes};
use super::worker::Worker;

/// A pod does not know how often its place was filled before, so the time at which it begins stands for that.
const EQUAL: Identity = Identity { claimant: "k8s:$JOB_UID.$JOB_COMPLETION_INDEX", attempt: "$(date +%s)" };

/// Kubernetes.
pub(super) const ENGINE: Engine = Engine {
    word: "k8s",
    name: "Kubernetes",
    most_jobs: MostJobs { count: 1000, why: "more workers at one remote repository were never tried" },
    place: Place::Address,
    most_bytes: None,
    start: "kubectl apply -f FILE",
    equal: pods,
    per_task: None,
};

/// A name of an object has at most 63 characters; those of its pods are longer by an index and a random part.
const LONGEST_NAME: usize = 50;

fn pods(job: &JobFile<'_>, head: &str, jobs: u32) -> String {
    let name = object_name(job.slug);
    let script = block(&kubernetes(&Worker { job, identity: EQUAL, task: None }.script()), 14);
    format!(
        "{head}apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {jobs}
  parallelism: {jobs}
  backoffLimit: 20
  podFailurePolicy:
    rules:
      # A pod that is evicted or preempted is started again, however often that happens.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: \"True\"
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: worker
          # An image of yours that has what a node needs.
          image: registry.example/git-arborist-worker
          envFrom:
            # A secret of yours with the logins of git and of the agent, as variables.
            - secretRef:
                name: git-arborist
          env:
            - name: JOB_UID
              valueFrom:
                fieldRef:
                  fieldPath: metadata.labels['batch.kubernetes.io/controller-uid']
          command:
            - sh
            - -c
            - |
{script}"
    )
}

/// A name of small letters, digits and `-`.
fn object_name(slug: &str) -> String {
    let name = crate::text::slug(slug, LONGEST_NAME);
    if name.is_empty() { "arborist".to_owned() } else { format!("arborist-{name}") }
}
