#!/usr/bin/env python3
"""Measures runs that work on several tasks at the same time: how much faster they are, what a task costs besides its agent, and how
many finished branches can be merged in a second. Usage: benches/parallel.py [PROGRAM]; the program is target/release/git-arborist
unless another one is named. Every figure is a ratio or comes from one run, because machines differ."""

import json
import os
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/git-arborist")
ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "ARBORIST_TRUST_PLAN": "true",
    "ARBORIST_TRUST_PROVE": "off",
    **{f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"))},
}


def git(folder, *args, text=None):
    return subprocess.run(["git", "-C", folder, *args], env=ENVIRONMENT, input=text, check=True, capture_output=True, text=True).stdout


def repository(folder, tasks, files=10, pause=0.0, test="true"):
    """A repository with independent tasks, files, and an agent that writes one file after a pause in seconds."""
    os.makedirs(folder)
    git(folder, "init", "-q", "-b", "main")
    ids = [f"T{number:04}" for number in range(1, tasks + 1)]
    nodes = {"p": {"id": "p", "name": "Phase", "children": ids}}
    for task in ids:
        nodes[task] = {"id": task, "name": f"Task {task}", "parent": "p", "test_commands": [{"type": "unit", "command": test}] if test else []}
    with open(f"{folder}/task-tree.json", "w") as file:
        json.dump({"spec_id": "bench", "nodes": nodes}, file)
    for number in range(files):
        os.makedirs(f"{folder}/src/{number % 50}", exist_ok=True)
        with open(f"{folder}/src/{number % 50}/{number}.txt", "w") as file:
            file.write(f"{number}\n" * 20)
    agent = f"{folder}/.git/agent"
    with open(agent, "w") as file:
        file.write(f"#!/bin/sh\ncat > /dev/null\nsleep {pause}\necho work > $ARBORIST_TASK.txt\n")
    os.chmod(agent, 0o755)
    for key, value in (("runner", "bench"), ("runner.bench.command", agent), ("review", "false")):
        git(folder, "config", f"arborist.{key}", value)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Add the plan")
    return ids


def run(folder, *args):
    began = time.monotonic()
    ended = subprocess.run([PROGRAM, *args], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{args} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return time.monotonic() - began


def speed_up(root):
    print("12 independent tasks of 5 s:")
    for jobs in (1, 2, 4, 8):
        folder = f"{root}/speed-{jobs}"
        repository(folder, 12, pause=5)
        took = run(folder, "gardener", "--jobs", str(jobs), "--branches", "task")
        if jobs == 1:
            alone = took
        print(f"  --jobs {jobs}: {took:6.1f} s, {alone / took:.2f} times as fast, {alone / took / jobs:.2f} for each job")


def overhead(root):
    """What a task takes with an agent that does not pause, minus what it takes in a run on one branch."""
    tasks = 10
    took = {}
    for name, args in (("one branch", ()), ("branches", ("--branches", "task"))):
        folder = f"{root}/overhead-{len(took)}"
        repository(folder, tasks, files=1000)
        took[name] = run(folder, "gardener", *args) / tasks
    more = took["branches"] - took["one branch"]
    print(f"a task among 1,000 files: {took['one branch']:.3f} s on one branch, {took['branches']:.3f} s on its own: {more:.3f} s more")


def integrator(root):
    folder = f"{root}/integrator"
    ids = repository(folder, 300, test=None)
    base = git(folder, "rev-parse", "HEAD").strip()
    stream = []
    for task in ids:
        mark = f"commit refs/heads/arborist/bench/{task}\ncommitter A <a@example.com> {int(time.time())} +0000\n"
        message = f'task({task}): complete "Task {task}"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-By: user\n'
        stream.append(f"{mark}data {len(message)}\n{message}\nfrom {base}\nM 644 inline {task}.txt\ndata 5\nwork\n\n")
    git(folder, "fast-import", "--quiet", text="".join(stream))
    took = run(folder, "gardener", "--jobs", "2")
    merges = git(folder, "rev-list", "--count", "--merges", "main").strip()
    print(f"{merges} finished branches merged in {took:.1f} s: {int(merges) / took:.0f} in a second")


with tempfile.TemporaryDirectory() as root:
    speed_up(root)
    overhead(root)
    integrator(root)
