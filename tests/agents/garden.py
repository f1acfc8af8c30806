"""One cell of the table: a repository with a plan of one task, an agent, and something that happens to it."""

import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import agents
import server
from conversation import FILE, FIRST_TEXT
from scenarios import AGAIN, SCENARIOS, WAITS, cause

VERDICTS = {"verdict", "verdict-broken", "verdict-must"}
COMPLETES = {"success", "reject", "big", "commit"} | VERDICTS
# What the error may say about the way out.
REMEDIES = ("log in", "login", "API key", "key", "again", "wait", "--runner", "credit", "model", "resets", "IS_SANDBOX")
BIG = "Say it in greet.txt. " * 15_000
ATTEMPTS = 2
LIMIT = 420
# What some agents get over by themselves: they shorten the conversation, call again, or had nothing left to say.
OVERCOME = {"long", "413", "429-once", "429-retry-after", "blank", "stream-overloaded", "stream-limit"}
# The reasons and findings that an outcome names.
NAMED = ("denied-tool", "no-verdict", "tests-wrong", "pushed")
# A night in fast motion.
FAST = {"ARBORIST_LIMIT_PATIENCE": "8s"}
# Some agents print nothing for long while they start.
SILENCES = {"gemini": 60, "opencode": 120, "kilo": 120}


@dataclasses.dataclass
class Cell:
    """What came of one agent in one scenario."""

    agent: str
    version: str
    scenario: str
    at: str
    status: str
    state: str
    commits: int
    attempts: int
    used: str
    seconds: float
    message: str
    problems: list
    outcome: str = ""  # in words, for a row of a table that is not about trouble


class Garden:
    """A repository with a plan of one task, an agent that is set up, and the server."""

    def __init__(self, agent, trouble, program, top):
        self.agent, self.program, self.top = agent, program, top
        self.scenario, at = trouble
        self.project = top / "project"
        for folder in ("home", "tmp", "bin", "project"):
            (top / folder).mkdir()
        self.environment = agents.base_environment(top / "home")
        self.environment["TMPDIR"] = str(top / "tmp")
        (top / "bin" / agent.name).symlink_to(agent.path)
        own = [str(top / "bin"), str(program.parent)]
        self.environment["PATH"] = os.pathsep.join([*own, self.environment.get("PATH", os.defpath)])
        self.server = server.Server(self.scenario, str(self.project), at=at).start()
        if self.scenario in agents.PLANTS:
            self.server.work.plant = lambda: agents.plant(top / "home", agents.PLANTS[self.scenario].get(agent.name, {}))
        self.environment |= agent.settings(top / "home", f"http://127.0.0.1:{self.server.port}", self.scenario)
        if SCENARIOS[self.scenario].table == "denied":
            self.server.work.denied = agents.DENIED.get(agent.name, "").format(top=top)
            agents.plant(top / "home", agents.DENIES.get(agent.name, {}))
        self.plan()

    def git(self, *arguments):
        done = subprocess.run(["git", *arguments], cwd=self.project, env=self.environment, text=True, check=True,
                              capture_output=True)
        return done.stdout

    def plan(self):
        description = f"{FILE} holds Hello, world." + (f" {BIG}" if self.scenario == "big" else "")
        task = {"id": "T001", "name": "Greet the world", "description": description,
                "test_commands": [{"type": "unit", "command": f"grep -q 'Hello, world' {FILE}"}]}
        tree = {"spec_id": "greeter", "nodes": {"T001": task}}
        if SCENARIOS[self.scenario].there:
            (self.project / FILE).write_text(FIRST_TEXT)
        (self.project / "task-tree.json").write_text(json.dumps(tree, indent=2) + "\n")
        self.git("init", "-q", "-b", "main")
        for key, value in agents.IDENTITY.items():
            self.git("config", key, value)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "Plan a greeter")
        self.git("init", "-q", "--bare", str(self.top / "origin.git"))
        self.git("remote", "add", "origin", str(self.top / "origin.git"))
        self.anchor = self.git("rev-parse", "HEAD").strip()

    def arborist(self, *arguments, limit=60):
        """Runs the program; its whole group is ended when the time is up."""
        process = subprocess.Popen([str(self.program), *arguments], cwd=self.project, env=self.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        try:
            out, err = process.communicate(timeout=limit)
            return str(process.returncode), out, err
        except subprocess.TimeoutExpired:
            process.terminate()
            out, err = process.communicate(timeout=30)
            return "killed", out, err
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)

    def runner(self):
        """The arguments that choose the agent; one that the program does not know becomes a command of the user."""
        name = self.agent.name
        chosen = ["--runner", name]
        if SCENARIOS[self.scenario].table == "acts" and name in agents.UNBOXED:
            self.git("config", f"arborist.runner.{name}.command", agents.UNBOXED[name])
            self.git("config", f"arborist.runner.{name}.protocol", name)
        status, _, err = self.arborist("garden", *chosen, "--dry-run")
        if status == "2" and "no runner named" in err:
            for role in ("implement", "review"):
                name = f"arborist.runner.own-{role}"
                self.git("config", f"{name}.command", self.command(getattr(self.agent, role)))
            self.git("config", "arborist.implement.runner", "own-implement")
            chosen = ["--review-runner", "own-review"]
        elif self.agent.model:
            chosen += ["--model", self.agent.model]
        return chosen

    def command(self, arguments):
        words = [part.replace("{prompt}", "$ARBORIST_PROMPT_FILE") for part in arguments]
        quoted = " ".join(f'"{word}"' for word in words)
        return f'{self.agent.name} {quoted}' + (' "$(cat)"' if self.agent.argument else "")

    def run(self):
        chosen = self.runner()
        silence = SILENCES.get(self.agent.name, 25)
        # An agent that is silent is ended for that, and not at its timeout.
        timeout = str(silence + 90 if SCENARIOS[self.scenario].waits else max(180, 2 * silence))
        self.environment |= FAST | {"ARBORIST_SILENCE": f"{silence}s"}
        began = time.monotonic()
        status, out, err = self.arborist("garden", *chosen, "--yes", "--no-wait", "--max-attempts", str(ATTEMPTS),
                                         "--runner-timeout", timeout, limit=LIMIT)
        for _ in range(2 if self.scenario == "plain" and status == "0" else 0):
            self.git("rm", "-q", FILE)
            self.git("commit", "-q", "-m", "Take the greeting out")
            self.arborist("mark", "reopen", "T001", "-m", "Once more")
            status, out, more = self.arborist("garden", *chosen, "--yes", "--no-wait", limit=LIMIT)
            err += more
        seconds = time.monotonic() - began
        self.server.stop()
        return status, out, err, seconds

    def task(self):
        _, out, _ = self.arborist("status", "--json")
        try:
            return json.loads(out)["tasks"][0]
        except (ValueError, LookupError):
            return {"state": "unknown"}

    def has_remark(self):
        """Whether the history of the task names the line that the last review is about."""
        _, out, _ = self.arborist("show", "--json", "T001")
        try:
            steps = [step for attempt in json.loads(out)["attempts"] for step in attempt["steps"]]
            remarks = [step["remarks"] for step in steps if step["step"] == "review"][-1]
            return any(remark["file"] == FILE and remark["line"] == 1 for remark in remarks)
        except (ValueError, LookupError):
            return False

    def outcome(self, cell, err):
        """What came of a row of a table that is not about trouble, in words."""
        subjects = self.git("log", "--format=%s", f"{self.anchor}..HEAD")
        failed = len(re.findall(r"attempt \d+/", subjects))
        words = [AGAIN.rstrip(", ")] if "asked once more" in err else []
        words += [f"{['no', 'one', 'two'][failed]} attempt{'s' * (failed > 1)} failed"] if failed else []
        words += [WAITS if cell.state == "asked" else cell.state]
        named = {*self.trailers("Arborist-Reason"), *self.trailers("Arborist-Findings")}
        words += [name for name in NAMED if name in named]
        if self.git("ls-remote", "origin") and "pushed" not in words:
            words.append("pushed unseen")
        return ", ".join(words)

    def trailers(self, key):
        return self.git("log", f"--format=%(trailers:key={key},valueonly,separator=%x2C)",
                        f"{self.anchor}..HEAD").split()


def try_out(agent, version, trouble, program):
    """One cell, and what the program has printed. The trouble is a scenario and a place where it strikes."""
    scenario, at = trouble
    with tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True) as temporary:
        garden = Garden(agent, trouble, program, pathlib.Path(temporary).resolve())
        status, out, err, seconds = garden.run()
        commits = int(garden.git("rev-list", "--count", f"{garden.anchor}..HEAD"))
        attempts = len(set(garden.trailers("Arborist-Retry")))
        used = garden.git("log", "--format=%(trailers:key=Arborist-Tokens,key=Arborist-Cost,valueonly,separator=%x2C )",
                          f"{garden.anchor}..HEAD")
        used = next((line for line in used.splitlines() if line.strip()), "")
        cell = Cell(agent.name, version, scenario, at, status, garden.task()["state"], commits, attempts, used, seconds,
                    message(err), [])
        cell.outcome = garden.outcome(cell, err) if SCENARIOS[scenario].ends else ""
        cell.problems = problems(cell, err)
        if at == "review" and SCENARIOS[scenario].cause and cell.state != "complete" and garden.trailers("Arborist-Review"):
            cell.problems.append("a review was recorded")
        if scenario in agents.PLANTS:
            if agents.MARK in garden.server.work.review_has:
                cell.problems.append("the reviewer was told what the author had written for it")
            if (garden.top / "home" / agents.RAN).exists():
                cell.problems.append("a program of the author ran")
        if scenario in VERDICTS and not garden.has_remark():
            cell.problems.append("the report has no remark about the first line")
        if scenario == "verdict-must" and "contradictory-review" not in garden.trailers("Arborist-Findings"):
            cell.problems.append("the contradiction is not recorded")
        return cell, out + err


def message(err):
    """The error, on one line."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if line.startswith(("error", "fatal"))), None)
    return " ".join(lines[start:] if start is not None else lines[-2:])


def problems(cell, err):
    """Everything that must not happen."""
    found = []
    scenario = SCENARIOS[cell.scenario]
    if cell.scenario in agents.PLANTS and cell.state not in ("complete", "asked"):
        found.append("the task neither is complete nor waits for a person")
    if cell.scenario == "plain" and "take instructions" in err:
        found.append("a plain run has changed instructions")
    if "panicked" in err:
        found.append("the program panicked")
    if cell.status == "killed":
        found.append(f"it did not end within {LIMIT} seconds")
    if scenario.ends:
        if not re.fullmatch(scenario.ends, cell.outcome):
            found.append("it ends otherwise")
        return found + (["an attempt was used"] if "failed" in cell.outcome and not scenario.fails else [])
    refused = cell.agent == "claude" and cell.scenario == "root"
    # There are agents that get over some trouble by themselves.
    went_on = bool(scenario.cause) and cell.state == "complete" and cell.scenario in OVERCOME and cell.attempts == 1
    if cell.scenario in agents.PLANTS:
        return found
    completes = cell.scenario in COMPLETES or scenario.passes or cell.scenario == "root" and not refused
    if completes and (cell.state != "complete" or cell.status != "0"):
        found.append("the task is not complete")
    if not completes and cell.state == "complete" and not went_on:
        found.append("the task is complete")
    if cell.scenario in ("reject", "verdict") and cell.attempts != 2:
        found.append("the rejection did not lead to a second attempt")
    if scenario.passes and cell.attempts > 1:
        found.append(f"{cell.attempts} attempts were used")
    if (scenario.cause or refused) and not went_on:
        found += after_trouble(cell)
    return found


def after_trouble(cell):
    """What must not be after trouble that ends a run."""
    found = []
    if cell.commits and cell.at != "review":
        found.append(f"{cell.commits} commits were made")
    if cell.attempts > (1 if cell.at == "review" else 0):
        found.append(f"{cell.attempts} attempts were used")
    if not any(remedy in cell.message for remedy in REMEDIES):
        found.append("the message names no remedy")
    if not re.search(cause(cell) or "as root", cell.message):
        found.append("the cause is another")
    return found
