//! The job for Kubernetes: equal pods. Kubernetes knows no dependencies between jobs.

use super::engine::{Engine, Identity, MostJobs, Place};
use super::job::{JobAuthor, JobFile};
use super::quote::{block, kubernetes, yaml};
use super::worker::Worker;

/// Kubernetes counts how often a place was filled before, in annotations of the pod.
const EQUAL: Identity = Identity {
    claimant: "k8s:$JOB_UID.$JOB_COMPLETION_INDEX",
    attempt: "$((${FAILURES:-0} + ${DISRUPTIONS:-0}))",
};

/// What tells the worker alone how git logs in.
const LOGIN: &str =
    " -c credential.helper= \\\n  -c credential.helper='store --file=/etc/git-arborist/git-credentials'";

/// Kubernetes.
pub(super) const ENGINE: Engine = Engine {
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
        "{head}apiVersion: batch/v1
kind: Job
metadata:
  generateName: {name}-
  labels:
    app.kubernetes.io/name: git-arborist
spec:
  completionMode: Indexed
  completions: {jobs}
  parallelism: {jobs}
  # Each worker may be started again so often; none ends the others.
  backoffLimitPerIndex: 10
  podReplacementPolicy: Failed
  ttlSecondsAfterFinished: 86400
{POLICY}  template:
    metadata:
      labels:
        app.kubernetes.io/name: git-arborist
      annotations:
        cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\"
    spec:
      restartPolicy: Never
      # A worker that is told to end gives its task back.
      terminationGracePeriodSeconds: 120
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: worker
          # An image that has what a worker needs; the Dockerfile of git arborist makes one.
          image: registry.example/git-arborist-worker
          workingDir: /work
          envFrom:
            # The login of the agent: kubectl create secret generic arborist-agent --from-env-file=FILE
            - secretRef:
                name: arborist-agent
          env:
{ENVIRONMENT}{author}          resources:
            # What the agent and the tests need.
            requests:
              cpu: \"1\"
              memory: 2Gi
              ephemeral-storage: 10Gi
            limits:
              memory: 4Gi
              ephemeral-storage: 20Gi
          securityContext:
            allowPrivilegeEscalation: false
            capabilities:
              drop: [ALL]
          volumeMounts:
            - name: work
              mountPath: /work
            - name: git-login
              mountPath: /etc/git-arborist
              readOnly: true
          command:
            - sh
            - -c
            - |
{script}      volumes:
        - name: work
          emptyDir:
            sizeLimit: 20Gi
        # The login of git, a line such as https://USER:TOKEN@HOST:
        # kubectl create secret generic arborist-git --from-file=git-credentials=FILE
        - name: git-login
          secret:
            secretName: arborist-git
            defaultMode: 0440
"
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
