#!/usr/bin/env python3
"""Measures what `git arborist status --watch` costs: percent of a core, while a step runs and commits land.

    cargo build --release && benches/watch.py [SECONDS [TASKS]]

It makes a repository with a plan, draws the state on a terminal of its own for SECONDS (60), and commits a step every
five seconds. The time of the processor is that of the one process that watches, as the kernel counts it.
"""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
TASKS = int(sys.argv[2]) if len(sys.argv) > 2 else 300
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("PROGRAM", os.path.join(TOP, "target/release/git-arborist"))


def git(folder, *args):
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "-C", folder, *who, *args], check=True, stdout=subprocess.DEVNULL)


def plan():
    nodes = {}
    for number in range(TASKS):
        phase = f"P{number // 10:03}"
        nodes.setdefault(phase, {"id": phase, "name": f"Phase {number // 10}"})
        task = f"T{number:04}"
        tests = [{"type": "unit", "command": "true"}]
        nodes[task] = {"id": task, "name": f"Task {number}", "parent": phase, "test_commands": tests}
    return json.dumps({"spec_id": "watched", "nodes": nodes})


def seconds_used(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "-q")
        with open(os.path.join(folder, "task-tree.json"), "w") as file:
            file.write(plan())
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "Add the plan")
        # A run whose agent works all the time.
        git(folder, "config", "arborist.runner", "slow")
        git(folder, "config", "arborist.runner.slow.command", "sleep 1000")
        env = dict(os.environ, ARBORIST_TRUST_PLAN="true", ARBORIST_TRUST_PROVE="off", TERM="xterm")
        run = subprocess.Popen([PROGRAM, "gardener"], cwd=folder, env=env, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        time.sleep(2)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execve(PROGRAM, [PROGRAM, "status", "--watch"], env)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        drawn = bytearray()

        def read():
            try:
                while piece := os.read(terminal, 65536):
                    drawn.extend(piece)
            except OSError:
                pass

        threading.Thread(target=read, daemon=True).start()
        time.sleep(1)
        before, began = seconds_used(pid), time.monotonic()
        commits = 0
        while time.monotonic() - began < SECONDS:
            time.sleep(5)
            message = f"task(T{TASKS - 1 - commits:04}): complete \"x\"\n\nArborist-Step: complete\nArborist-Result: pass\n"
            git(folder, "commit", "-q", "--allow-empty", "-m", message)
            commits += 1
        used, passed = seconds_used(pid) - before, time.monotonic() - began
        os.write(terminal, b"q")
        _, status = os.waitpid(pid, 0)
        run.terminate()
        run.wait()
        assert os.waitstatus_to_exitcode(status) == 0, status
        assert b"(implementing" in drawn, drawn[-2000:]
        print(f"{TASKS} tasks, {commits} commits in {passed:.0f} s: {100 * used / passed:.2f} % of a core, {len(drawn) / passed:.0f} bytes/s drawn")


main()
