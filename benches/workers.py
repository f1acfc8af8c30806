#!/usr/bin/env python3
"""Simulates a plan of 10,000 tasks on 100 workers: pushes, branches, and how busy the integrator is.

What a push and a fetch take, and what they hear, is measured first, against a bare repository behind `git daemon` on the
loopback interface, with few branches and with many. Then time is simulated, so this takes a minute and not a week.

    benches/workers.py [--tasks 10000] [--workers 100] [--minutes 5] [--tests 60]
"""

import argparse
import heapq
import os
import random
import socket
import subprocess
import tempfile
import time

STEPS = 4  # implement, test, review, complete
MERGE = 0.03  # seconds for a merge: 32.5 of them in a second, measured
LOOK = 15.0  # seconds between two looks of a worker that has nothing to do


def git(folder, *args, **more):
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True, **more).stdout.strip()


class Server:
    def __init__(self, folder):
        self.bare = os.path.join(folder, "r.git")
        git(folder, "init", "-q", "--bare", "r.git")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"git://127.0.0.1:{port}/r.git"
        self.daemon = subprocess.Popen(
            [os.path.join(git(folder, "--exec-path"), "git-daemon"), "--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1",
             f"--port={port}", f"--base-path={folder}"], stderr=subprocess.DEVNULL)
        while True:
            with socket.socket() as ask:
                if ask.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)

    def end(self):
        self.daemon.terminate()
        self.daemon.wait()


def measure(branches):
    """Seconds for a push and for a fetch, and how many bytes a push hears, with so many branches of tasks."""
    with tempfile.TemporaryDirectory() as folder:
        server, work = Server(folder), os.path.join(folder, "w")
        try:
            git(folder, "init", "-q", "w")
            git(work, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a")
            head = git(work, "rev-parse", "HEAD")
            git(work, "push", "-q", server.url, "HEAD:refs/heads/main")
            lines = "".join(f"create refs/heads/arborist/p/T{n:05} {head}\n" for n in range(branches))
            git(server.bare, "update-ref", "--stdin", input=lines)
            git(server.bare, "pack-refs", "--all")
            trace = os.path.join(folder, "trace")
            pushes, fetches = [], []
            for n in range(15):
                git(work, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", str(n))
                began = time.perf_counter()
                git(work, "push", "-q", server.url, f"HEAD:refs/heads/arborist/p/X{n}")
                pushes.append(time.perf_counter() - began)
                began = time.perf_counter()
                git(work, "fetch", "-q", "--no-tags", server.url, "refs/heads/main")
                fetches.append(time.perf_counter() - began)
            git(work, "push", "-q", server.url, "HEAD:refs/heads/last", env={**os.environ, "GIT_TRACE_PACKET": trace})
            heard = sum(len(line.split("< ", 1)[1]) + 4 for line in open(trace, errors="replace") if "push< " in line)
            return sorted(pushes)[7], sorted(fetches)[7], heard
        finally:
            server.end()


def simulate(options, push, fetch):
    """Counts what happens until all tasks are merged. The plan has layers of 500 tasks, each depending on one of the layer before."""
    dice = random.Random(1)
    waits = {n: (n - 500 + dice.randrange(-50, 50)) if n >= 600 else None for n in range(options.tasks)}
    followers = {}
    for task, before in waits.items():
        followers.setdefault(before, []).append(task)
    ready, complete, merged = followers.pop(None), [], 0
    ready.reverse()
    events = [(dice.random() * 10, worker, "free", None) for worker in range(options.workers)]
    heapq.heapify(events)
    count = {"pushes": 0, "fetches": 0, "lost claims": 0, "batches": 0}
    open_branches = most = 0
    integrating, busy, worked, now = None, 0.0, 0.0, 0.0
    recent = []
    while merged < options.tasks:
        now, worker, what, task = heapq.heappop(events)
        if what == "done":
            complete.append(task)
        elif what == "merged":
            for one in task:
                ready[:0] = followers.get(one, [])
            merged += len(task)
            open_branches -= len(task)
            integrating = None
            count["pushes"] += 2  # the claim of the integration, and the branch of the run with the deletions
        # A worker that has just ended a task looks, integrates if nobody does, and takes the next one.
        count["fetches"] += 1
        if complete and integrating is None:
            batch, complete = complete, []
            length = MERGE * len(batch) + options.tests + 2 * push + fetch
            integrating, busy = worker, busy + length
            count["batches"] += 1
            heapq.heappush(events, (now + length, worker, "merged", batch))
        elif ready:
            task = ready.pop()
            # Whoever looked within the time of a fetch and a push before may want the same task.
            recent = [one for one in recent if one > now - fetch - push]
            lost = sum(dice.random() < 1 / max(1, len(ready)) for _ in recent)
            recent.append(now)
            count["lost claims"] += lost
            count["pushes"] += 1 + STEPS + lost
            count["fetches"] += 2
            open_branches += 1
            most = max(most, open_branches)
            length = dice.lognormvariate(0, 0.6) * options.minutes * 60 + (1 + STEPS) * push + 2 * fetch
            worked += length
            heapq.heappush(events, (now + length, worker, "done", task))
        else:
            heapq.heappush(events, (now + LOOK, worker, "free", None))
    return now, worked, busy, most, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=5, help="of work in a task, in the middle")
    parser.add_argument("--tests", type=float, default=60, help="seconds of the tests of a merge")
    options = parser.parse_args()
    few = {n: measure(n) for n in (100, 1_000, 10_000)}
    print("| branches | a push | a fetch | a push hears |\n|---|---|---|---|")
    for branches, (push, fetch, heard) in few.items():
        print(f"| {branches:,} | {push * 1000:.0f} ms | {fetch * 1000:.0f} ms | {heard / 1024:.0f} KiB |")
    push, fetch, _ = few[1_000]
    print("\n| workers | time | workers at work | pushes | of them lost claims | pushes/s | fetches/s | branches at most |"
          " tasks in a batch | integrator at work |\n|---|---|---|---|---|---|---|---|---|---|")
    for workers in (options.workers // 4, options.workers, options.workers * 4, options.workers * 16):
        options.workers = workers
        took, worked, busy, most, count = simulate(options, push, fetch)
        print(f"| {workers:,} | {took / 3600:.1f} h | {worked / took / workers:.0%} | {count['pushes']:,} | "
              f"{count['lost claims']:,} | {count['pushes'] / took:.1f} | {count['fetches'] / took:.1f} | {most:,} | "
              f"{options.tasks / count['batches']:.1f} | {busy / took:.0%} |")


if __name__ == "__main__":
    main()
