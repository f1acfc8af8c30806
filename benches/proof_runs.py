#!/usr/bin/env python3
"""Counts how often a task runs its test command, by what kind of change it makes.

`benches/proof_runs.py PROGRAM` plays one task of each kind with `PROGRAM garden`, an agent that does it well, and a script as the test
command, which counts its calls. The trial of the command before the first task is not counted."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CALC = "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a\n"
TESTS = """import unittest

from calc import add, double


class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
%s

if __name__ == "__main__":
    unittest.main()
"""
DOUBLE = """
    def test_double(self):
        self.assertEqual(double(2), 4)
"""
CORRECT = "printf 'def add(a, b):\\n    return a + b\\n\\n\\ndef double(a):\\n    return 2 * a\\n' > calc.py"
NEW = """printf '\\n\\ndef triple(a):\\n    return 3 * a\\n' >> calc.py
printf 'import unittest\\n\\nfrom calc import triple\\n\\n\\nclass TripleTest(unittest.TestCase):\\n    def test_triple(self):\\n        self.assertEqual(triple(2), 6)\\n' > tests/test_triple.py"""
MORE = """printf 'import unittest\\n\\nfrom calc import double\\n\\n\\nclass DoubleTest(unittest.TestCase):\\n    def test_double(self):\\n        self.assertEqual(double(2), 4)\\n' > tests/test_double.py"""

# The kind of change, the kind of the task in the plan, whether its test is there before, and what the agent does.
KINDS = [
    ("tests untouched", "change", True, CORRECT),
    ("tests added", "change", False, CORRECT + "\n" + MORE),
    ("a new function with new tests", "change", False, NEW),
    ("refactoring", "refactor", False, "printf 'def add(a, b):\\n    return b + a\\n\\n\\ndef double(a):\\n    return a\\n' > calc.py"),
    ("documentation", "docs", False, "echo '# Calculator' > README.md"),
]


def count(program, expect, has_test, script):
    with tempfile.TemporaryDirectory() as root:
        top, home = Path(root, "work"), Path(root, "home")
        (top / "tests").mkdir(parents=True)
        home.mkdir()
        path = f"{Path(program).resolve().parent}{os.pathsep}{os.environ['PATH']}"
        env = {"PATH": path, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "ARBORIST_TRUST_PLAN": "true",
               "LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1"}
        env |= {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"))}
        run = lambda *words: subprocess.run(words, cwd=top, env=env, stdin=subprocess.DEVNULL, check=True,
                                            capture_output=True, text=True)
        counter = Path(root, "count")
        counter.touch()
        counting = Path(root, "counting.sh")
        counting.write_text(f"echo run >> {counter}\nexec python3 -m unittest discover -s tests\n")
        (top / "calc.py").write_text(CALC)
        (top / "tests/test_calc.py").write_text(TESTS % (DOUBLE if has_test else ""))
        (top / ".gitignore").write_text("__pycache__/\n")
        task = {"id": "T1", "name": "Change it", "expect": expect,
                "test_commands": [{"type": "unit", "command": f"sh {counting}"}]}
        if expect == "change":
            del task["expect"]
        (top / "task-tree.json").write_text(json.dumps({"nodes": {"T1": task}}))
        agent = Path(root, "agent.sh")
        agent.write_text(f"cat > /dev/null\ncase $ARBORIST_STEP in\nimplement) {script};;\n*) echo APPROVED;;\nesac\n")
        run("git", "init", "-q", "-b", "main")
        run("git", "config", "arborist.runner", "mine")
        run("git", "config", "arborist.runner.mine.command", f"sh {agent}")
        run("git", "add", "-A")
        run("git", "commit", "-q", "-m", "Begin")
        ended = run(program, "garden", "T1", "--verbose")
        proof = run("git", "log", "-1", "--format=%(trailers:key=Arborist-Proof,valueonly)").stdout.strip()
        runs = len(counter.read_text().splitlines())
        trials = ended.stderr.count(" trial ")
        return runs - trials, proof


def main():
    arguments = sys.argv[1:]
    program = arguments[0]
    rows = ["| change | runs of the test command | proof |", "|---|--:|---|"]
    for kind, expect, has_test, script in KINDS:
        runs, proof = count(program, expect, has_test, script)
        rows.append(f"| {kind} | {runs} | `{proof}` |")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
