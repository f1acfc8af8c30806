#!/usr/bin/env python3
"""Compares `status` with many branches of tasks with the same tasks on one branch.

    benches/status_branches.py [PROGRAM] [TASKS]

Both repositories have the same commits for each task; the two take turns, and the ratio of the medians is printed."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/git-arborist")
TASKS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
ROUNDS = 15


def plan():
    nodes = {"p": {"id": "p", "name": "Phase", "children": [f"T{n:04}" for n in range(TASKS)]}}
    for n in range(TASKS):
        task = f"T{n:04}"
        nodes[task] = {"id": task, "name": f"Task {n}", "parent": "p", "test_commands": []}
    return json.dumps({"spec_id": "many", "nodes": nodes, "root_ids": ["p"]}, indent=1)


def steps(task):
    yield f'task({task}): implement "Task"\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n'
    yield f'task({task}): tests pass for "Task"\n\nArborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\n'
    yield f'task({task}): approved "Task"\n\nArborist-Step: review\nArborist-Review: approved\nArborist-Retry: 0\n'
    yield f'task({task}): complete "Task"\n\nArborist-Step: complete\nArborist-Result: pass\n'


def stream(on_branches):
    """What `git fast-import` reads."""
    out, mark = [], 1
    when = int(time.time()) - 100_000

    def commit(ref, message, parent, files=""):
        nonlocal mark
        head = f"commit {ref}\nmark :{mark}\ncommitter A <a@example.com> {when + mark} +0000\n"
        out.append(f"{head}data {len(message.encode())}\n{message}\n" + (f"from :{parent}\n" if parent else "") + files)
        mark += 1
        return mark - 1

    text = plan()
    base = commit("refs/heads/main", "Add the plan\n", None, f"M 644 inline task-tree.json\ndata {len(text)}\n{text}\n")
    tip = base
    for n in range(TASKS):
        task = f"T{n:04}"
        ref = f"refs/heads/arborist/many/{task}" if on_branches else "refs/heads/main"
        tip = base if on_branches else tip
        for message in steps(task):
            tip = commit(ref, message, tip, f"M 644 inline {task}.txt\ndata 2\nx\n\n" if "implement" in message else "")
    return "\n".join(out).encode()


def repository(folder, on_branches):
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=stream(on_branches), check=True)
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=folder, check=True)
    return folder


def seconds(folder, args, cold):
    if cold:
        subprocess.run(["rm", "-rf", os.path.join(folder, ".git/arborist")], check=True)
    began = time.perf_counter()
    subprocess.run([PROGRAM, "status", *args], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def main():
    with tempfile.TemporaryDirectory() as root:
        many = repository(os.path.join(root, "many"), True)
        one = repository(os.path.join(root, "one"), False)
        for args in (["--json"], [], ["--short"]):
            for cold in (True, False):
                times = {many: [], one: []}
                for _ in range(ROUNDS):
                    for folder in (many, one):
                        times[folder].append(seconds(folder, args, cold))
                medians = [statistics.median(times[folder]) for folder in (many, one)]
                name = " ".join(["status", *args]) + (", cold" if cold else "")
                print(f"{name:24} {TASKS} branches {medians[0] * 1000:7.1f} ms, one branch {medians[1] * 1000:7.1f} ms: {medians[0] / medians[1]:.2f}")


main()
