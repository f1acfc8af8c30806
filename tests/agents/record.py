#!/usr/bin/env python3
"""Records what the real agents print and return, as test data for the readers of their streams.

    tests/agents/record.py [--agent NAME]... [--scenario NAME]... [--keep]

Each recording starts the program as git-arborist does, in a new repository and with a home folder of its own, against
the loopback server. It is written to tests/fixtures/agents/AGENT/SCENARIO.stdout, .stderr and .status. The status is
that of the program, or `killed` if the time was up. Besides the scenarios of the server there is `review`, in which a
review approves; `reject` and `interim` are reviews as well.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import agents
import conversation
import server

TARGET = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "agents"
VERDICTS = ("verdict", "verdict-broken")
REVIEWS = ("review", "reject", "interim", *VERDICTS)
SCENARIOS = ["success", "review", "reject", "interim", *VERDICTS, "commit", "400", "401", "402", "403", "404", "429",
             "429-retry-after", "limit", "500", "503", "529", "hang", "hang-mid", "drop", "drop-mid", "malformed",
             "empty", "root"]
SCHEMA = TARGET.parent.parent.parent / "src" / "agents" / "review-schema.json"
LARGEST = 40_000
# The last lines of standard error that are kept: more than any reader looks back.
LAST_LINES = 60
IMPLEMENT = """Implement task T001: Greet the world

Description: greet.txt holds Hello, world.

Work in the current directory. Make all necessary file changes.
"""
REVIEW = """Review the change for task T001: Greet the world

Description: greet.txt holds Hello, world.

Change no files. Reply APPROVED if the code is correct, or REJECTED with reasons.
Give the reasons first. The last line must contain the verdict and nothing else: APPROVED or REJECTED.
"""


def repository(folder, environment):
    folder.mkdir(parents=True)
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        if arguments == ["add", "."]:
            (folder / "README.md").write_text("A greeter.\n")
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True)
    for key, value in agents.IDENTITY.items():
        subprocess.run(["git", "config", key, value], cwd=folder, env=environment, check=True)


def run(agent, scenario, limit, log):
    """Starts the agent once. Returns standard output, standard error, the status and the seconds."""
    with tempfile.TemporaryDirectory(prefix="agents-") as temporary:
        top = pathlib.Path(temporary).resolve()
        home, project = top / "home", top / "project"
        home.mkdir()
        environment = agents.base_environment(home) | {"TMPDIR": str(top / "tmp")}
        (top / "tmp").mkdir()
        repository(project, environment)
        reviews = scenario in REVIEWS
        if reviews:
            (project / conversation.FILE).write_text(conversation.FIRST_TEXT)
            subprocess.run(["git", "add", "."], cwd=project, env=environment, check=True)
            subprocess.run(["git", "commit", "-q", "-m", "Greet"], cwd=project, env=environment, check=True)
        played = server.Server("success" if scenario == "review" else scenario, str(project), log,
                               resets=coming_reset()).start()
        url = f"http://127.0.0.1:{played.port}"
        environment |= agent.settings(home, url, scenario)
        prompt = REVIEW if reviews else IMPLEMENT
        prompt_file = top / "prompt"
        prompt_file.write_text(prompt)
        arguments = [part.replace("{prompt}", str(prompt_file)) for part in (agent.review if reviews else agent.implement)]
        if scenario in VERDICTS:
            values = {"{schema}": SCHEMA.read_text(), "{schema_file}": str(SCHEMA)}
            arguments += [values.get(part, part) for part in agent.schema]
        if agent.argument:
            arguments.append(prompt)
        began = time.monotonic()
        with open(prompt_file, "rb") as given:
            process = subprocess.Popen([str(agent.path), *arguments], stdin=given, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, cwd=project, env=environment, start_new_session=True)
        status = None
        try:
            out, err = process.communicate(timeout=limit)
            status = str(process.returncode)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
            status = "killed"
        seconds = time.monotonic() - began
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        played.stop()
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=project, env=environment, text=True,
                                 capture_output=True, check=True).stdout.split("\n")
        changed = [line for line in changed if line]
        count = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=project, env=environment, text=True,
                               capture_output=True, check=True).stdout.strip()
        neutral = Neutral(agent, top, played.port)
        summary = f"{seconds:.0f} s, {played.requests} requests, commits {count}, changed {', '.join(changed) or 'nothing'}"
        return neutral.text(out), neutral.text(err), status, summary


def coming_reset():
    """A full hour about three hours away."""
    return (int(time.time()) // 3600 + 3) * 3600


class Neutral:
    """Takes everything out of a recording that belongs to this machine or this moment."""

    def __init__(self, agent, top, port):
        self.replaced = [(str(top / "home"), "/tmp/home"), (str(top / "project"), "/tmp/project"), (str(top), "/tmp"),
                         (str(top).replace("/", "-"), "-tmp"),
                         (f"127.0.0.1:{port}", "127.0.0.1:8080"), (str(agent.folder), "/opt/agents/" + agent.name),
                         (str(agents.cache_folder()), "/opt/agents"), (os.uname().nodename, "host")]
        self.known = {}

    def text(self, raw):
        text = raw.decode("utf-8", "replace")
        for old, new in self.replaced:
            text = text.replace(old, new)
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", self.uuid, text)
        return re.sub(r"\b(ses|msg|prt|tool|per|call|req|evt|snap)_[0-9A-Za-z]{16,}", self.named, text)

    def uuid(self, found):
        return f"00000000-0000-4000-8000-{self.number(found.group(0)):012}"

    def named(self, found):
        return f"{found.group(1)}_{self.number(found.group(0)):04}"

    def number(self, found):
        return self.known.setdefault(found, len(self.known) + 1)


def shortened(text):
    """The beginning and the end of a recording that is too long; whole lines, so that the stream stays true."""
    lines = text.splitlines(keepends=True)
    while sum(len(line.encode()) for line in lines) > LARGEST and len(lines) > 2:
        del lines[len(lines) // 2]
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", action="append", choices=agents.AGENTS)
    parser.add_argument("--scenario", action="append", choices=SCENARIOS)
    parser.add_argument("--limit", type=float, default=120, help="seconds for each recording; 45 for hang")
    parser.add_argument("--log", help="a file to which the requests are appended")
    parser.add_argument("--dry-run", action="store_true", help="print the recordings and write nothing")
    options = parser.parse_args()
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in options.agent or agents.AGENTS:
        agent = agents.AGENTS[name]
        problem = agent.install()
        if problem:
            print(f"{name}: skipped, because {problem}")
            continue
        with tempfile.TemporaryDirectory(prefix="agents-") as home:
            version = agent.version(home)
        note_version(name, version, options.dry_run)
        wanted = [each for each in SCENARIOS if agent.schema or each not in VERDICTS]
        for scenario in options.scenario or wanted:
            limit = min(options.limit, 45) if scenario.startswith("hang") else options.limit
            out, err, status, summary = run(agent, scenario, limit, options.log)
            print(f"{name} {version} {scenario}: {status} ({summary})", flush=True)
            if options.dry_run:
                print(out, err, sep="\n--- standard error\n")
                continue
            folder = TARGET / name
            folder.mkdir(exist_ok=True)
            (folder / f"{scenario}.stdout").write_text(shortened(out))
            last = "".join(err.splitlines(keepends=True)[-LAST_LINES:])
            (folder / f"{scenario}.stderr").write_text(shortened(last))
            (folder / f"{scenario}.status").write_text(status + "\n")


def note_version(name, version, dry_run):
    path = TARGET / "VERSIONS"
    known = dict(line.split() for line in path.read_text().splitlines()) if path.exists() else {}
    known[name] = version
    if not dry_run:
        path.write_text("".join(f"{each} {known[each]}\n" for each in sorted(known)))


if __name__ == "__main__":
    main()
