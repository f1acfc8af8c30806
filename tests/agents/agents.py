"""The programs under test: how each is installed, told to use the loopback server, and started."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

KEY = "mock-key"
MODEL = "mock-model"
# In the repository, because some agents let git see no other configuration.
IDENTITY = {"user.name": "A", "user.email": "a@example.com"}


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("GIT_ARBORIST_AGENTS") or pathlib.Path(base) / "git-arborist-agents")


@dataclasses.dataclass
class Agent:
    """A coding agent."""

    name: str
    package: str
    implement: list
    review: list
    settings: object  # (home, server URL, scenario) -> environment; writes the configuration files
    registry: str = "npm"
    program: str = ""
    model: str | None = None  # for `git arborist --model`, if the agent needs one
    argument: bool = False  # the prompt is the last argument
    schema: list = dataclasses.field(default_factory=list)  # what binds a review to a schema: {schema} or {schema_file}

    @property
    def folder(self):
        return cache_folder() / self.name

    @property
    def path(self):
        place = "bin" if self.registry == "pip" else "node_modules/.bin"
        return self.folder / place / (self.program or self.name)

    def install(self):
        """Installs it unless it is there; says why if that fails."""
        if self.path.exists():
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.registry == "npm":
            (self.folder / "package.json").write_text('{"private": true}\n')
            steps = [["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", self.package]]
        else:
            python = next(filter(shutil.which, ("python3.12", "python3.13", "python3")), "python3")
            pip = [str(self.folder / "bin" / "pip"), "install", "-q", "--disable-pip-version-check"]
            steps = [[python, "-m", "venv", str(self.folder)], [*pip, self.package]]
        for step in steps:
            try:
                done = subprocess.run(step, capture_output=True, text=True, timeout=900, check=False,
                                      cwd=self.folder, stdin=subprocess.DEVNULL)
            except (OSError, subprocess.TimeoutExpired) as error:
                return f"{step[0]} failed: {error}"
            if done.returncode:
                lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
                return f"{step[0]} exited with status {done.returncode}: {lines[-1] if lines else 'no output'}"
        return None if self.path.exists() else f"{self.package} has no program {self.path.name}"

    def version(self, home):
        try:
            done = subprocess.run([str(self.path), "--version"], capture_output=True, text=True, timeout=60, cwd=home,
                                  stdin=subprocess.DEVNULL, env=base_environment(home), check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"unknown ({error})"
        words = [word.lstrip("v").rstrip(".,") for word in (done.stdout + " " + done.stderr).split()]
        return next((word for word in words if word[:1].isdigit() and "." in word), "unknown")


def base_environment(home):
    """An environment without the user's settings, keys and proxies."""
    names = ("PATH", "LANG", "TMPDIR", "USER")
    environment = {name: os.environ[name] for name in names if name in os.environ}
    write(home, ".gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n")
    return environment | {"HOME": str(home), "TERM": "dumb", "NO_COLOR": "1", "TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1"}


def write(home, name, text):
    path = pathlib.Path(home) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text, indent=2) + "\n")


def claude(home, url, scenario):
    retries = "2" if scenario == "429-retry-after" else "0"  # without it, claude tries for minutes
    environment = {"ANTHROPIC_BASE_URL": url, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                   "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_MAX_RETRIES": retries}
    if scenario != "root":
        environment["IS_SANDBOX"] = "1"
    # Only a subscription has a usage limit that ends at a known time.
    environment["CLAUDE_CODE_OAUTH_TOKEN" if scenario in ("limit", "week", "expired")
                else "ANTHROPIC_API_KEY"] = KEY
    return environment


def codex(home, url, _scenario):
    write(home, ".codex/config.toml", f'''model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
''')
    return {"MOCK_API_KEY": KEY}


def gemini(home, url, _scenario):
    write(home, ".gemini/settings.json", {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    })
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_NO_RELAUNCH": "true"}


def open_code(name):
    """opencode, and kilo, which descends from it."""

    def settings(home, url, _scenario):
        model = {"name": "Mock", "tool_call": True, "limit": {"context": 1000000, "output": 32000},
                 "cost": {"input": 1, "output": 2, "cache_read": 0.1}}
        write(home, f".config/{name}/{name}.json", {
            "$schema": "https://opencode.ai/config.json", "model": f"mock/{MODEL}", "autoupdate": False,
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "Mock", "models": {MODEL: model},
                                  "options": {"baseURL": f"{url}/v1", "apiKey": KEY}}},
        })
        upper = name.upper()
        return {f"{upper}_DISABLE_AUTOUPDATE": "1", f"{upper}_DISABLE_MODELS_FETCH": "1",
                f"{upper}_DISABLE_LSP_DOWNLOAD": "1"}

    return settings


def qwen(home, url, _scenario):
    write(home, ".qwen/settings.json", {
        "security": {"auth": {"selectedType": "openai"}}, "model": {"name": MODEL},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
    })
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": MODEL,
            "NO_PROXY": "127.0.0.1"}


# What an author writes outside of the repository so that the reviewer does what it wants, by the scenario.
MARK = "PLANTED-BY-THE-AUTHOR"
RAN = "planted-program-ran"
COMMAND = f'echo x >> "$HOME/{RAN}"'
SERVER = {"command": "sh", "args": ["-c", f"{COMMAND}; cat > /dev/null"]}
HOOKS = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "name": "x", "command": COMMAND}]}]}}
PLUGIN = f'''export const Plugin = async () => {{
  (await import("node:fs")).appendFileSync(process.env.HOME + "/{RAN}", "x")
  return {{}}
}}
'''
# How an author is started that its own sandbox would keep from doing any of the acts.
UNBOXED = {"codex": "codex exec --json --skip-git-repo-check --sandbox danger-full-access -"}
# A file that the author may not write, if its settings do not deny every file.
DENIED = {"claude": "{top}/outside.txt", "codex": "{top}/project/.git/outside.txt"}
# The settings with which an author may write no file.
DENIES = {"gemini": {".gemini/policies/deny.toml": '[[rule]]\ntoolName = "write_file"\nargsPattern = "greet"\n'
                                                   'decision = "deny"\npriority = 500\n'},
          "opencode": {".config/opencode/opencode.json": {"permission": {"edit": {"*": "allow", "*.txt": "deny"}}}}}
PLANTS = {
    "instructions": {"claude": {".claude/CLAUDE.md": MARK}, "codex": {".codex/AGENTS.md": MARK},
                     "gemini": {".gemini/GEMINI.md": MARK}, "opencode": {".config/opencode/AGENTS.md": MARK},
                     "qwen": {".qwen/QWEN.md": MARK}},
    "memory": {"claude": {".claude/rules/memory.md": MARK}, "codex": {".codex/memories/memory_summary.md": MARK},
               "gemini": {".gemini/GEMINI.md": f"## Gemini Added Memories\n- {MARK}"},
               "opencode": {".claude/CLAUDE.md": MARK}, "qwen": {".qwen/output-language.md": MARK}},
    "hooks": {"claude": {".claude/settings.json": HOOKS}, "codex": {".codex/hooks.json": HOOKS},
              "gemini": {".gemini/settings.json": HOOKS}, "opencode": {".config/opencode/plugin/x.js": PLUGIN},
              "qwen": {".qwen/settings.json": HOOKS}},
    "servers": {"claude": {".claude.json": {"mcpServers": {"x": SERVER}}},
                "codex": {".codex/config.toml": f"\n[mcp_servers.x]\ncommand = 'sh'\nargs = {json.dumps(SERVER['args'])}\n"},
                "gemini": {".gemini/settings.json": {"mcpServers": {"x": SERVER}}},
                "opencode": {".config/opencode/opencode.json": {
                    "mcp": {"x": {"type": "local", "command": ["sh", *SERVER["args"]], "enabled": True}}}},
                "qwen": {".qwen/settings.json": {"mcpServers": {"x": SERVER}}}},
}


def plant(home, files):
    """Writes into the home folder: texts are added to a file, fields to an object in it."""
    for name, added in files.items():
        path = pathlib.Path(home) / name
        there = path.read_text() if path.exists() else ""
        write(home, name, there + added if isinstance(added, str) else json.loads(there or "{}") | added)


AGENTS = {agent.name: agent for agent in [
    Agent("claude", "@anthropic-ai/claude-code@latest",
          ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"],
          ["-p", "--output-format", "stream-json", "--verbose", "--tools", "Read,Grep,Glob"], claude,
          schema=["--json-schema", "{schema}"]),
    Agent("codex", "@openai/codex@latest",
          ["exec", "--json", "--sandbox", "workspace-write", "--skip-git-repo-check", "--ephemeral", "-"],
          ["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral", "-"], codex,
          schema=["--output-schema", "{schema_file}"]),
    Agent("gemini", "@google/gemini-cli@latest",
          ["-o", "stream-json", "--approval-mode", "yolo", "--skip-trust"],
          ["-o", "stream-json", "--approval-mode", "plan", "--skip-trust"], gemini),
    Agent("opencode", "opencode-ai@latest",
          ["run", "--format", "json", "--auto"], ["run", "--format", "json", "--agent", "plan"], open_code("opencode")),
    Agent("qwen", "@qwen-code/qwen-code@latest",
          ["-o", "stream-json", "--approval-mode", "yolo"], ["-o", "stream-json", "--approval-mode", "plan"], qwen,
          schema=["--json-schema", "{schema}"]),
    Agent("kilo", "@kilocode/cli@7.7.7",
          ["run", "--auto", "--format", "json"], ["run", "--format", "json", "--agent", "architect"], open_code("kilo")),
]}
