"""Starts what the job files of `export` start, as Slurm, make, GitHub or GitLab would, and says which jobs are running."""

import os
import re
import signal
import subprocess
import tempfile

import cluster


class Slurm:
    """A job array, or the jobs of `--dag`, on a cluster of four nodes."""

    def __init__(self, folder, environment):
        self.cluster = cluster.Cluster(folder / "slurm", 4)
        environment["SLURM_CONF"] = str(folder / "slurm/slurm.conf")
        self.environment = environment

    def __enter__(self):
        self.cluster.__enter__()
        return self

    def __exit__(self, *_):
        self.cluster.end()

    def start(self, file, logs, dag):
        self.cluster.environment = self.environment
        print(self.cluster.call(*(["sh"] if dag else ["sbatch"]), str(file), cwd=logs).strip(), flush=True)

    def jobs(self):
        return [" ".join(job) for job in self.cluster.jobs()]

    def end(self):
        self.cluster.call("scancel", "--user=root", check=False)
        cluster.wait("the jobs to end", lambda: not self.cluster.jobs())


class Local:
    """Processes on this machine, each of which leads a session."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment
        self.running = {}
        self.waiting = []
        self.done = set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def begin(self, name, command, logs, variables=None, folder=None):
        with open(logs / f"{name}.out", "wb") as log:
            self.running[name] = subprocess.Popen(
                command,
                env={**self.environment, **(variables or {})},
                cwd=folder or logs,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def jobs(self):
        for name, process in list(self.running.items()):
            if (status := process.poll()) is not None:
                del self.running[name]
                if status == 0:
                    self.done.add(name)
        for job in list(self.waiting):
            if job["needs"] <= self.done:
                self.waiting.remove(job)
                job["begin"]()
        return sorted(self.running)

    def end(self):
        self.waiting = []
        for process in self.running.values():
            os.killpg(process.pid, signal.SIGTERM)
        for process in self.running.values():
            process.wait()
            cluster.wait("the processes to end", lambda: not is_there(process.pid))
        self.running = {}


def is_there(group):
    """Whether a process of the group is left."""
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


class Make(Local):
    """`make -j4`."""

    def start(self, file, logs, dag):
        self.begin("make", ["make", "-f", str(file), "-k", "-j4"], logs)


class Ci(Local):
    """The scripts of a file for GitHub or GitLab, each in a checkout of its own, after the jobs that they need."""

    def start(self, file, logs, dag):
        text = file.read_text()
        found = self.per_task(text) if dag else [(str(number), self.equal(number), set()) for number in range(1, 5)]
        for name, variables, needs in found:
            checkout = self.folder / f"checkout-{name}"
            subprocess.run(
                ["git", "clone", "-q", self.environment["REMOTE"], str(checkout)], env=self.environment, check=True
            )
            if self.detached:
                subprocess.run(["git", "-C", str(checkout), "checkout", "-q", "--detach"], env=self.environment, check=True)
            begin = lambda name=name, variables=variables, checkout=checkout: self.begin(
                name, ["sh", "-e", "-c", self.script(text)], logs, {**self.run, **variables}, checkout
            )
            self.waiting.append({"needs": needs, "begin": begin})
        self.jobs()

    def script(self, text):
        """The script that all jobs of the file have, without its indentation."""
        after = text.split(self.begins, 1)[1]
        indent = len(after) - len(after.lstrip(" "))
        lines = []
        for line in after.splitlines():
            if not line.startswith(" " * indent):
                break
            lines.append(line[indent:])
        return "\n".join(lines).replace("${{ '${{' }}", "${{") + "\n"


class Github(Ci):
    begins, detached = "run: |\n", False
    run = {
        "GITHUB_RUN_ID": "71",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_SERVER_URL": "https://example.com",
        "RUNNER_TEMP": tempfile.gettempdir(),
        "LOGIN": "unused",
    }

    def equal(self, number):
        return {"WORKER": str(number)}

    def per_task(self, text):
        pattern = r'^  (task-\S+):\n    name: "(.*)"\n(?:    needs: \[(.*)\]\n)?'
        found = re.findall(pattern, text, re.MULTILINE)
        return [(job, {"TASK": task}, set(needs.split(", ")) - {""}) for job, task, needs in found]


class Gitlab(Ci):
    begins, detached = "- |\n", True
    run = {"CI_PIPELINE_ID": "71", "CI_JOB_ID": "1"}

    def start(self, file, logs, dag):
        self.environment["CI_REPOSITORY_URL"] = self.environment["REMOTE"]
        super().start(file, logs, dag)

    def equal(self, number):
        return {"CI_NODE_INDEX": str(number)}

    def per_task(self, text):
        found = re.findall(r'^"task (.*)":\n  extends: .arborist\n  needs: \[(.*)\]\n', text, re.MULTILINE)
        needed = lambda needs: {name.removeprefix('"task ').removesuffix('"') for name in needs.split(", ")} - {""}
        return [(task, {"TASK": task}, needed(needs)) for task, needs in found]


ENGINES = {"slurm": Slurm, "make": Make, "github": Github, "gitlab": Gitlab}
