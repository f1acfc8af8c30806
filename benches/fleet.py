#!/usr/bin/env python3
"""Measures what the owner of a fleet waits for: workers on this machine, with a remote repository behind `git daemon` on the loopback
interface. Usage: benches/fleet.py [PROGRAM] [ROW...]; the program is target/release/git-arborist unless another one is named. Nearly all
of the time is that of agents and tests that sleep, so the figures are comparable on machines that have nothing else to do."""

import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

WORDS = sys.argv[1:]
PROGRAM = os.path.abspath(WORDS.pop(0) if WORDS and os.path.exists(WORDS[0]) else "target/release/git-arborist")
IDENTITY = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"))}
COMPLETE = 'task({0}): complete "Do {0}"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-By: user\n'


class Fleet:
    """A plan in a clone, a remote repository behind a daemon, and the programs that work on it."""

    def __init__(self, root, tasks, agent="", test="test -f {0}.txt", files=0, commits=0):
        self.root, self.clone, self.bare = root, root / "clone", root / "served/plan.git"
        for name in ["home", "tmp", "served"]:
            (root / name).mkdir()
        self.environment = {
            "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}", "HOME": str(root / "home"), "TMPDIR": str(root / "tmp"),
            "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "ARBORIST_TRUST_PLAN": "true", "ARBORIST_TRUST_PROVE": "off", **IDENTITY}
        self.git("init", "-q", "--bare", "-b", "main", str(self.bare), folder=root)
        self.git("init", "-q", "-b", "main", str(self.clone), folder=root)
        if commits:
            self.git("fast-import", "--quiet", text="".join(old_commit(number) for number in range(commits)))
            self.git("reset", "-q", "--hard", "main")
        nodes = {"p1": {"id": "p1", "name": "Everything", "children": list(tasks)}}
        for task, needs in tasks.items():
            tests = [{"type": "unit", "command": test.format(task)}]
            nodes[task] = {"id": task, "name": f"Do {task}", "parent": "p1", "depends_on": needs, "test_commands": tests}
        (self.clone / "task-tree.json").write_text(json.dumps({"spec_id": "fleet", "nodes": nodes}) + "\n")
        for number in range(files):
            file = self.clone / f"src/{number % 50}/{number}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("a line\n")
        script = root / "agent"
        script.write_text(f'#!/bin/sh\ncat >/dev/null\n{agent}\necho x >"$ARBORIST_TASK.txt"\necho wrote it\n')
        script.chmod(0o755)
        for key, value in [("runner", "mine"), ("runner.mine.command", f"exec {script}"), ("review", "false")]:
            self.git("config", "--global", f"arborist.{key}", value)
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "Add the plan")
        self.base = self.git("rev-parse", "HEAD").strip()
        self.daemon = None

    def git(self, *args, folder=None, text=None):
        return subprocess.run(["git", *args], cwd=folder or self.clone, env=self.environment, input=text, check=True,
                              capture_output=True, text=True).stdout

    def serve(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        served = self.root / "served"
        self.daemon = subprocess.Popen(
            ["git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack", "--max-connections=0", "--listen=127.0.0.1",
             f"--port={port}", f"--base-path={served}", str(served)], env=self.environment, start_new_session=True, stderr=subprocess.DEVNULL)
        time.sleep(1)
        self.address = f"git://127.0.0.1:{port}/plan.git"
        self.git("remote", "add", "origin", self.address)
        self.git("push", "-q", "origin", "main")
        return self

    def end(self):
        if self.daemon:
            os.killpg(self.daemon.pid, signal.SIGTERM)
            self.daemon.wait()

    def start(self, *args, remote="origin", folder=None, out=subprocess.DEVNULL):
        named = ["--remote", remote, "--branch", "main"] if args[0] != "gardener" else []
        return subprocess.Popen(["git", "arborist", *args, *named], cwd=folder or self.clone, env=self.environment, stdout=out,
                                stderr=subprocess.STDOUT, text=True)

    def merged(self, folder=None):
        return self.git("log", "--format=%s", "main", folder=folder or self.bare).count("Merge task ")

    def finished_branches(self, tasks, bad=None):
        """Branches whose tasks a person has done. That of `bad` also has a file with this name."""
        stream = []
        for task in tasks:
            message = COMPLETE.format(task)
            more = "M 644 inline bad\ndata 4\nbad\n\n" if task == bad else ""
            stream.append(f"commit refs/heads/arborist/fleet/{task}\ncommitter A <a@example.com> {int(time.time())} +0000\n"
                          f"data {len(message)}\n{message}\nfrom {self.base}\nM 644 inline {task}.txt\ndata 5\nwork\n\n{more}")
        self.git("fast-import", "--quiet", text="".join(stream))


def old_commit(number):
    return (f"commit refs/heads/main\ncommitter A <a@example.com> {1700000000 + number} +0000\ndata 11\nAn old one\n\n"
            f"M 644 inline old/{number % 200}.txt\ndata 7\n{number:06}\n\n")


def levels():
    return {f"T{row}{place}": [f"T{row - 1}{place}"] if row else [] for row in range(4) for place in range(3)}


def took(processes):
    began = time.monotonic()
    statuses = [process.wait() for process in processes]
    assert not any(statuses), statuses
    return time.monotonic() - began


def four_workers(fleet):
    return took([fleet.start("work", "--until-done", "--claimant", f"w{number}") for number in range(4)])


def jobs(root):
    """12 tasks of 5 s in 4 levels, `gardener --jobs 4`: at best 20 s"""
    fleet = Fleet(root, levels(), "sleep 5")
    return f"{took([fleet.start('gardener', '--jobs', '4')]):.1f} s"


def workers(root):
    """the same by 4 `work` processes"""
    fleet = Fleet(root, levels(), "sleep 5").serve()
    try:
        time_taken = four_workers(fleet)
        assert fleet.merged() == 12
    finally:
        fleet.end()
    return f"{time_taken:.1f} s"


def long_task(root):
    """a task of 15 s before four others of 5 s, 4 `work` processes"""
    tasks = {"T0": [], **{f"T{number}": ["T0"] for number in range(1, 5)}}
    fleet = Fleet(root, tasks, 'case "$ARBORIST_TASK" in T0) sleep 15;; *) sleep 5;; esac').serve()
    try:
        time_taken = four_workers(fleet)
        assert fleet.merged() == 5
    finally:
        fleet.end()
    return f"{time_taken:.1f} s"


def first_claim(root):
    """the first claim of a worker, 45,000 commits: in a clone, and outside of any"""
    fleet = Fleet(root, {"T1": [], "T2": []}, commits=45_000).serve()
    try:
        answers = []
        for task, folder, remote in [("T1", fleet.clone, "origin"), ("T2", root, fleet.address)]:
            began = time.monotonic()
            worker = fleet.start("work", task, folder=folder, remote=remote, out=subprocess.PIPE)
            while (line := worker.stdout.readline()) and "claimed" not in line:
                pass
            assert line, "the worker has claimed nothing"
            answers.append(f"{time.monotonic() - began:.1f} s")
            worker.stdout.read()
            worker.wait()
    finally:
        fleet.end()
    return " and ".join(answers)


def processor_time(root):
    """processor time of a task beside its agent, 5,000 files, `--jobs 4`"""
    tasks = {f"T{number}": [] for number in range(12)}
    fleet = Fleet(root, tasks, files=5_000)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    took([fleet.start("gardener", "--jobs", "4")])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert fleet.merged(fleet.clone) == 12
    return f"{(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 12:.2f} s"


def integrator(root):
    """`integrate --remote` with tests of 0.1 s, 300 finished branches"""
    tasks = {f"T{number}": [] for number in range(300)}
    fleet = Fleet(root, tasks, test="sleep 0.1").serve()
    try:
        fleet.finished_branches(tasks)
        fleet.git("push", "-q", "origin", "refs/heads/arborist/*:refs/heads/arborist/*")
        time_taken = took([fleet.start("integrate", "--claimant", "i")])
        assert fleet.merged() == 300
    finally:
        fleet.end()
    return f"{300 / time_taken:.1f} in a second"


def red_batch(root):
    """32 finished branches, one of them bad, tests of 6 s, 8 idle workers: how long until the others are merged, in rounds of tests"""
    tasks = {f"T{number:02}": [] for number in range(32)}
    seconds = 6
    fleet = Fleet(root, tasks, "rm -f bad", test=f"sleep {seconds}; test ! -f bad").serve()
    processes = []
    try:
        fleet.finished_branches(tasks, bad="T13")
        fleet.git("push", "-q", "origin", "refs/heads/arborist/*:refs/heads/arborist/*")
        began = time.monotonic()
        processes.append(fleet.start("integrate", "--claimant", "i"))
        while "@integrate" not in fleet.git("for-each-ref", folder=fleet.bare):
            time.sleep(0.2)
        processes += [fleet.start("work", "--until-done", "--claimant", f"w{number}") for number in range(8)]
        while fleet.merged() < 31:
            assert time.monotonic() - began < 300, "the others were not merged"
            time.sleep(0.2)
        rounds = (time.monotonic() - began) / seconds
    finally:
        for process in processes:
            process.terminate()
            process.wait()
        fleet.end()
    return f"{rounds:.1f} rounds"


ROWS = [jobs, workers, long_task, first_claim, processor_time, integrator, red_batch]

for row in ROWS:
    if not WORDS or row.__name__ in WORDS:
        with tempfile.TemporaryDirectory(prefix="git-arborist-fleet-") as folder:
            print(f"{row.__doc__}: {row(pathlib.Path(folder))}", flush=True)
