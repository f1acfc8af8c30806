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


def copilot(_home, url, _scenario):
    return {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": KEY, "COPILOT_MODEL": MODEL, "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false"}


def pi(home, url, _scenario):
    write(home, ".pi/agent/models.json", {"providers": {"mock": {
        "baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": KEY,
        "models": [{"id": MODEL, "name": "Mock", "reasoning": False, "input": ["text"], "contextWindow": 1000000,
                    "maxTokens": 32000, "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}}]}}})
    write(home, ".pi/agent/settings.json", {"defaultProvider": "mock", "defaultModel": MODEL})
    return {"PI_OFFLINE": "1"}


def vibe(home, url, _scenario):
    write(home, ".vibe/config.toml", f'''active_model = "mock"
enable_update_checks = false
enable_telemetry = false

[[providers]]
name = "mock"
api_base = "{url}/v1"
api_key_env_var = "MISTRAL_API_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "{MODEL}"
provider = "mock"
alias = "mock"
input_price = 1.0
output_price = 2.0
''')
    return {"MISTRAL_API_KEY": KEY}


def droid(home, url, _scenario):
    write(home, ".factory/settings.json", {"customModels": [{
        "model": MODEL, "id": "custom:mock", "displayName": "mock", "baseUrl": f"{url}/v1", "apiKey": KEY,
        "provider": "generic-chat-completion-api", "maxOutputTokens": 32000}]})
    write(home, ".factory/config.json", {"custom_models": [{
        "model": MODEL, "model_display_name": "mock", "base_url": f"{url}/v1", "api_key": KEY,
        "provider": "generic-chat-completion-api", "max_tokens": 32000}]})
    return {"FACTORY_API_KEY": "fk-mock", "FACTORY_DISABLE_AUTOUPDATE": "1"}


def cline(home, url, _scenario):
    environment = {"CLINE_NO_AUTO_UPDATE": "1"}
    login = ["auth", "-p", "openai-compatible", "-k", KEY, "-m", MODEL, "-b", f"{url}/v1"]
    subprocess.run([str(AGENTS["cline"].path), *login], env=base_environment(home) | environment, cwd=home,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    return environment


def aider(home, url, _scenario):
    write(home, ".aider.conf.yml", f"model: openai/{MODEL}\nweak-model: openai/{MODEL}\nedit-format: diff\n")
    return {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{url}/v1", "AIDER_ANALYTICS": "false",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def goose(home, url, _scenario):
    write(home, ".config/goose/config.yaml", f"GOOSE_PROVIDER: openai\nGOOSE_MODEL: {MODEL}\nGOOSE_MODE: auto\n"
          "GOOSE_TELEMETRY_ENABLED: false\n")
    return {"OPENAI_API_KEY": KEY, "OPENAI_HOST": url, "GOOSE_DISABLE_KEYRING": "1"}


def amp(_home, url, _scenario):
    return {"AMP_URL": url, "AMP_API_KEY": KEY, "AMP_SKIP_UPDATE_CHECK": "1"}


AIDER = ["--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-analytics",
         "--no-check-update", "--no-show-model-warnings", "--no-pretty", "--no-stream", "--no-show-release-notes"]

AGENTS = {agent.name: agent for agent in [
    Agent("claude", "@anthropic-ai/claude-code@latest",
          ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"],
          ["-p", "--output-format", "stream-json", "--verbose", "--tools", "Read,Grep,Glob"], claude,
          schema=["--json-schema", "{schema}"]),
    Agent("codex", "@openai/codex",
          ["exec", "--json", "--sandbox", "workspace-write", "--skip-git-repo-check", "--ephemeral", "-"],
          ["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral", "-"], codex,
          schema=["--output-schema", "{schema_file}"]),
    Agent("gemini", "@google/gemini-cli",
          ["-o", "stream-json", "--approval-mode", "yolo", "--skip-trust"],
          ["-o", "stream-json", "--approval-mode", "plan", "--skip-trust"], gemini),
    Agent("opencode", "opencode-ai",
          ["run", "--format", "json", "--auto"], ["run", "--format", "json", "--agent", "plan"], open_code("opencode")),
    Agent("qwen", "@qwen-code/qwen-code",
          ["-o", "stream-json", "--approval-mode", "yolo"], ["-o", "stream-json", "--approval-mode", "plan"], qwen,
          schema=["--json-schema", "{schema}"]),
    Agent("copilot", "@github/copilot",
          ["--output-format", "json", "--allow-all"],
          ["--output-format", "json", "--allow-all-tools", "--deny-tool=write", "--deny-tool=shell"], copilot),
    Agent("pi", "@earendil-works/pi-coding-agent",
          ["-p", "--mode", "json", "--no-session"],
          ["-p", "--mode", "json", "--no-session", "--tools", "read,grep,find,ls"], pi),
    Agent("vibe", "mistral-vibe",
          ["-p", "--output", "streaming", "--auto-approve", "--trust"],
          ["-p", "--output", "streaming", "--trust", "--agent", "plan"], vibe, registry="pip"),
    Agent("droid", "droid",
          ["exec", "--auto", "high", "-o", "stream-json", "-m", "custom:mock"],
          ["exec", "-o", "stream-json", "-m", "custom:mock", "--only-tools", "Read,LS,Grep,Glob"], droid,
          model="custom:mock"),
    Agent("cline", "cline",
          ["--json", "-P", "openai-compatible", "-m", MODEL], ["--json", "-p", "-P", "openai-compatible", "-m", MODEL],
          cline, argument=True),
    Agent("aider", "aider-chat", [*AIDER, "--message-file", "{prompt}"],
          [*AIDER, "--dry-run", "--message-file", "{prompt}"], aider, registry="pip"),
    Agent("kilo", "@kilocode/cli@7.7.7",
          ["run", "--auto", "--format", "json"], ["run", "--format", "json", "--agent", "architect"], open_code("kilo")),
    Agent("amp", "@sourcegraph/amp", ["-x", "--stream-json"], ["-x", "--stream-json"], amp),
]}
