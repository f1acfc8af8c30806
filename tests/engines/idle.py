"""Looks for workers that have nothing to do although a task is ready, from the branches of the remote repository and from /proc."""

import pathlib
import subprocess
import threading
import time

# What a worker lets run while it only asks the remote repository.
ASKING = {"git", "git-arborist", "git-remote-git", "git-remote-https"}
ASKED = {"fetch", "fetch-pack", "push", "send-pack", "rev-list", "index-pack", "unpack-objects", "ls-remote", "arborist", "maintenance"}


class Idle(threading.Thread):
    """Watches until it is told to end. `faults` names each worker that was idle for too long beside a task that was ready."""

    def __init__(self, round_, limit):
        super().__init__(daemon=True)
        self.round, self.limit = round_, limit
        self.faults = []
        self.ended = threading.Event()
        self.ready_since, self.busy = {}, {}

    def run(self):
        while not self.ended.wait(1):
            now = time.monotonic()
            try:
                ready = self.ready()
            except subprocess.CalledProcessError:
                continue
            self.ready_since = {task: self.ready_since.get(task, now) for task in ready}
            waiting = [task for task, since in self.ready_since.items() if now - since > self.limit]
            for job in self.idle(now):
                if waiting and not any(fault.startswith(job) for fault in self.faults):
                    self.faults.append(f"{job} was idle for more than {self.limit:.0f} s while {waiting[0]} was ready")

    def end(self):
        self.ended.set()
        self.join()

    def ready(self):
        """The tasks that anybody could begin now."""
        tips = dict(line.split("\t") for line in self.git("for-each-ref", "--format=%(refname:lstrip=2)%09%(subject)").splitlines())
        if "main" not in tips:
            return []
        merged = self.round.merged()
        return [task for task, needs in self.round.tasks.items()
                if task not in merged and all(need in merged for need in needs) and self.is_free(tips, f"arborist/chaos/{task}")]

    def is_free(self, tips, branch):
        """Whether nobody has begun the task of this branch, or somebody has given it back before it was complete. What is complete waits
        for whoever integrates."""
        if branch not in tips:
            return True
        if not tips[branch].endswith("claimed by nobody"):
            return False
        steps = self.git("log", "--first-parent", "--max-count=20", "--format=%s", branch, "--").splitlines()
        newest = next((step for step in steps if ": claimed by " not in step), "")
        return ": complete " not in newest

    def git(self, *args):
        return subprocess.run(["git", "-C", str(self.round.bare), *args], env=self.round.environment, capture_output=True, text=True, check=True).stdout

    def idle(self, now):
        """The workers that have done nothing but ask for so long."""
        families = descendants()
        jobs = [(job, process) for job, (_, what, process) in list(self.round.workers.items()) if what == "work" and process.poll() is None]
        for job, process in jobs:
            key = job, process.pid
            if any(not asks(pid) for pid in families.get(process.pid, [])):
                self.busy[key] = now
            if now - self.busy.setdefault(key, now) > self.limit:
                yield job


def descendants():
    """The processes below each process."""
    below = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        below.setdefault(parent, []).append(int(stat.parent.name))
    found = {}
    for top in list(below):
        family = list(below[top])
        for one in family:
            family += below.get(one, [])
        found[top] = family
    return found


def asks(pid):
    """Whether a process only asks the remote repository, or is the worker itself."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return True
    words = [word.decode("utf-8", "replace") for word in words]
    if pathlib.Path(words[0]).name not in ASKING:
        return False
    return "garden" not in words and any(word in ASKED for word in words) or words[1:2] == ["work"]
