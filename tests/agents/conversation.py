"""Decides what the model in the loopback server answers: a tool call that does what the prompt asks, or a final text.

Every decision follows from the request alone, so a request that is sent again gets the same answer.
"""

import dataclasses
import json
import re

from scenarios import SCENARIOS

FILE = "greet.txt"
FIRST_TEXT = "Hello, world\n"
SECOND_TEXT = "Hello, world\nHow are you?\n"

# When the trouble of a scenario strikes.
TIMES = {"before": "at the first request", "mid": "after two turns of the work", "review": "in the review"}

TASK_MARK = "Implement task"
REVIEW_MARK = "Review the change for task"
FEEDBACK_MARKS = ("Previous feedback", "Answer each of these objections", "## Earlier attempts")

# What the second question to a reviewer says about the first answer.
ASKED_AGAIN_MARK = "Your answer"
ASKED_ONCE_MORE_MARKS = {"work": "You have changed nothing, and your answer does not say why", "review": "Answer once more"}
# The tools by which claude and qwen take an answer that is bound to a schema, and what claude says when it was called.
STRUCTURED = ("StructuredOutput", "structured_output")
STRUCTURED_DONE = "Structured output provided successfully"

PATH_NAMES = {"file_path", "filepath", "absolute_path", "path", "filename", "file", "target_file", "dir_path"}
CONTENT_NAMES = {"content", "contents", "file_text", "text", "new_text", "newtext", "file_content", "code_edit"}
COMMAND_NAMES = {"command", "cmd", "script", "commands"}

# The tools of the agents for each kind of work, the most wanted one first.
TOOLS = {
    "write": ["write", "write_file", "create", "create_file", "write_to_file", "editor", "apply_patch", "applypatch"],
    "read": ["read", "read_file", "view", "read_files", "open_file"],
    "shell": ["bash", "shell", "run_shell_command", "exec_command", "shell_command", "local_shell", "execute_command",
              "execute", "run_commands", "run_command", "developer__shell", "terminal"],
}


@dataclasses.dataclass
class Tool:
    """A tool that a request offers."""

    name: str
    schema: dict
    freeform: bool = False
    namespace: str | None = None

    @property
    def runs_javascript(self):
        """Whether it is the tool of codex that runs a script, which then calls the other tools."""
        return self.freeform and self.name == "exec"

    @property
    def plain_name(self):
        return self.name.lower()


@dataclasses.dataclass
class Request:
    """What all APIs have in common."""

    prompt: str  # everything that the user said
    whole: str  # the body as it came, with the system prompt
    tools: list
    results: int  # how many results of tools the request reports
    answer_schema: dict | None = None


@dataclasses.dataclass
class Call:
    """A tool call of the model."""

    tool: Tool
    arguments: dict | str


@dataclasses.dataclass
class Answer:
    """A message of the model; without a call it is the final one."""

    text: str
    call: Call | None = None


class Work:
    """The change that the model makes, and the folder in which it works if the request does not name it."""

    def __init__(self, folder=".", at="before"):
        self.folder = folder
        self.at = at
        self.denied = None  # the file that the author may not write
        self.plant = None  # what the author does outside of the repository when the work begins
        self.review_has = ""  # everything that the reviewer was told

    def strikes(self, request):
        """Whether the trouble of the scenario strikes at this request."""
        if self.at == "mid":
            return REVIEW_MARK not in request.prompt and TASK_MARK in request.prompt and request.results >= 2
        return self.at == "before" or REVIEW_MARK in request.prompt

    def answer(self, request, scenario):
        if scenario == "blank":
            return Answer("")
        if request.answer_schema and not request.tools:
            return Answer(json_text(request.answer_schema))
        role = "review" if REVIEW_MARK in request.prompt else "work" if TASK_MARK in request.prompt else ""
        if role and SCENARIOS[scenario].by == role and SCENARIOS[scenario].answers:
            answer = self.said(request, SCENARIOS[scenario])
            if answer:
                return answer
        if REVIEW_MARK in request.prompt:
            self.review_has += request.whole
            return self.review(request, scenario)
        if TASK_MARK in request.prompt:
            if self.plant and request.results == 0:
                self.plant()
            return self.implement(request, scenario)
        return Answer("Greet the world")

    def said(self, request, known):
        """The answer of a scenario, as a text or as an object; `None` where the work goes on as usual."""
        asked = ASKED_ONCE_MORE_MARKS[known.by] in request.prompt
        answer = known.answers[-1 if asked else 0]
        if answer is None or known.works and request.results == 0:
            return None
        if known.fails and any(mark in request.prompt for mark in (*FEEDBACK_MARKS, "How are you?")):
            return None
        return Answer(answer) if isinstance(answer, str) else self.document(request, answer)

    def implement(self, request, scenario):
        again = any(mark in request.prompt for mark in FEEDBACK_MARKS)
        text = SECOND_TEXT if again else FIRST_TEXT
        if "SEARCH/REPLACE" in request.whole and not request.tools:
            return Answer(search_and_replace(text, again))
        steps = [("I will write the greeting.", self.write(request, text))]
        if self.at == "mid":
            steps.insert(0, ("Let me look around.", self.shell(request, "ls", "List the files")))
        if again:  # some agents refuse to write a file that was not read before
            steps.insert(0, ("Let me look at the file.", self.read(request)))
        if SCENARIOS[scenario].runs and not again:
            steps.append(("Now I put it away.", self.shell(request, SCENARIOS[scenario].runs, "Put it away")))
            if SCENARIOS[scenario].answers:  # it has done nothing here, and does so when it is asked
                steps.reverse()
        if scenario == "commit":
            command = f"git add {FILE} && git commit -q -m 'Greet the world'"
            steps.append(("Now I commit it.", self.shell(request, command, "Commit the greeting")))
        steps = [(said, call) for said, call in steps if call]
        if request.results < len(steps):
            return Answer(*steps[request.results])
        return Answer(f"I wrote the greeting to {FILE}.\n\nNothing else was necessary.")

    def review(self, request, scenario):
        if scenario.startswith("verdict"):
            return self.verdict(request, scenario)
        if scenario == "outside" and request.results == 0:
            call = self.read(request, "/etc/hostname")
            if call:
                return Answer("Let me see on which machine this is.", call)
        if scenario == "interim" and request.results == 0:
            call = self.read(request)
            if call:
                return Answer("At first sight it looks right. Let me read the file before I decide.\n\nAPPROVED", call)
        rejected = scenario == "interim" or (scenario == "reject" and "How are you?" not in request.prompt)
        if rejected:
            return Answer("The greeting does not ask how the world is.\n\nREJECTED")
        return Answer("The file holds the greeting that the task asks for.\n\nAPPROVED")

    def verdict(self, request, scenario):
        """A review as a document, by the tool that claude offers for it or as a text."""
        asked_again = ASKED_AGAIN_MARK in request.prompt
        finding = {"severity": "should", "file": FILE, "line": 1, "what": "The greeting should end with a full stop."}
        document = {"findings": [finding], "summary": "The file holds the greeting.", "verdict": "approved"}
        if scenario == "verdict" and "How are you?" not in request.prompt:
            finding |= {"severity": "must", "what": "The greeting does not ask how the world is."}
            document["verdict"] = "rejected"
        if scenario == "verdict-must":
            finding["severity"] = "must"
        if scenario == "verdict-broken" and not asked_again:
            return Answer(json.dumps(document)[:-20])
        return self.document(request, document)

    @staticmethod
    def document(request, document):
        """An answer that is an object, by the tool that claude offers for it or as a text."""
        tool = next((tool for tool in request.tools if tool.name in STRUCTURED), None)
        if tool and STRUCTURED_DONE not in request.whole:
            return Answer("I have looked at it.", Call(tool, document))
        return Answer(json.dumps(document))

    def write(self, request, text):
        tool = find(request, "write")
        added = "".join(f"+{line}\n" for line in text.splitlines())
        patch = f"*** Begin Patch\n*** Add File: {self.denied or FILE}\n{added}*** End Patch"
        script = find_script(request)
        if script:
            return Call(script, f"text(await tools.apply_patch({json.dumps(patch)}));")
        if tool and tool.plain_name in ("apply_patch", "applypatch"):
            return Call(tool, patch if tool.freeform else filled(tool, {}, patch))
        if tool:
            return Call(tool, filled(tool, {"path": self.path(request), "content": text, "command": "create"}))
        return self.shell(request, f"printf '%s' '{text}' > {FILE}", "Write the greeting")

    def read(self, request, path=None):
        tool = find(request, "read")
        if tool:
            return Call(tool, filled(tool, {"path": path or self.path(request), "command": "view"}))
        return self.shell(request, f"cat {path or FILE}", "Read the greeting")

    def shell(self, request, command, description):
        script = find_script(request)
        if script:
            return Call(script, f"text((await tools.exec_command({json.dumps({'cmd': command})})).output);")
        tool = find(request, "shell")
        if not tool:
            return None
        values = {"command": command, "description": description}
        return Call(tool, command if tool.freeform else filled(tool, values))

    def path(self, request):
        return self.denied or f"{self.working_folder(request)}/{FILE}"

    def working_folder(self, request):
        for pattern in (r"[Ww]orking directory(?: is)?:? *`?(/[^\s`\"\\<]+)", r"<cwd>(/[^<]+)</cwd>"):
            found = re.search(pattern, request.whole)
            if found:
                return found.group(1).rstrip(".,/")
        return self.folder


def find_script(request):
    return next((tool for tool in request.tools if tool.runs_javascript), None)


def find(request, kind):
    offered = {tool.plain_name: tool for tool in request.tools}
    for name in TOOLS[kind]:
        if name in offered:
            return offered[name]
    return None


def filled(tool, values, anything="Write the greeting"):
    """Arguments for a tool: those that the schema requires, and those for which there is a value."""
    properties = tool.schema.get("properties") or {}
    required = tool.schema.get("required") or []
    arguments = {}
    for name, schema in properties.items():
        meaning = meaning_of(name)
        if meaning in values and (name in required or meaning != "command" or "path" not in values):
            arguments[name] = fitting(schema, values[meaning])
        elif name in required:
            arguments[name] = fitting(schema, anything)
    return arguments


def meaning_of(name):
    plain = name.lower()
    if plain in PATH_NAMES:
        return "path"
    if plain in CONTENT_NAMES:
        return "content"
    if plain in COMMAND_NAMES:
        return "command"
    return plain


def fitting(schema, value):
    """The value in the type that the schema asks for."""
    kinds = schema.get("type")
    kind = str((kinds[0] if isinstance(kinds, list) else kinds) or "").lower()
    if not kind and schema.get("anyOf"):
        return fitting(schema["anyOf"][0], value)
    if kind == "array":
        item = schema.get("items") or {}
        if item.get("type") == "object":
            return [{name: fitting(part, value) for name, part in (item.get("properties") or {}).items()
                     if name in (item.get("required") or [])}]
        return [value]
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        return 1
    if schema.get("enum") and value not in schema["enum"]:
        return schema["enum"][0]
    return value


def json_text(schema):
    """The smallest JSON text that fits a schema, for requests that want an answer in JSON."""
    arguments = filled(Tool("", schema), {}, "user")
    return json.dumps(arguments)


def search_and_replace(text, again):
    before = FIRST_TEXT if again else ""
    return (f"I will write the greeting.\n\n{FILE}\n```\n<<<<<<< SEARCH\n{before}=======\n{text}"
            ">>>>>>> REPLACE\n```\n")
