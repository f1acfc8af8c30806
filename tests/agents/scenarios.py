"""What the server on the loopback interface can play, and what has to come of it."""

import dataclasses
import json
import re


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One thing that happens to an agent."""

    about: str
    status: int | None = None  # of the response, unless the API of the agent has another for this
    cause: str = ""  # an expression for what the run must say; without one, this is no trouble that ends a run
    passes: bool = False  # trouble that is over by itself, so that the task is complete after its first attempt
    waits: bool = False  # nothing is answered for long
    places: tuple = ("before", "mid", "review")  # where it can strike
    table: str = "trouble"  # the table of outcomes.md
    ends: str = ""  # an expression for the outcome of a row of the other tables
    by: str = "work"  # whose answers these are
    answers: tuple = ()  # what is said first and when asked once more: a text, an object, or None for work as usual
    works: bool = False  # the file is written before the first answer
    there: bool = False  # the file is in the repository already
    runs: str = ""  # what the author runs in its shell
    fails: bool = False  # a mistake of the author, for which one attempt fails

    @property
    def is_trouble(self):
        """Whether it strikes from outside, and is not the work of the agent, so that no attempt may be used for it."""
        return bool(self.cause) or self.passes


LOGIN = "is not logged in"
CREDIT = "has no credit left"
LIMIT = "has hit its usage limit"
SERVICE = "the service of .* does not answer"
REFUSED = "refuses the request"
SILENT = SERVICE
KILLED = "was killed by a signal|broke off with an error"
# What was answered is not what the API promises. Agents take it for different things.
GARBLED = ("does not answer|could not be read|broke off|ended before it did anything|did not complete its review|"
           "ended without a final message")


def trouble(about, status, cause):
    return Scenario(about, status, cause)


def answer(about, *answers, ends, **more):
    """What a worker or a reviewer answers. No attempt may fail for its form."""
    return Scenario(about, table="answers", answers=answers, ends=ends, **more)


def act(about, runs, ends, *, fails=True, **more):
    """What an author does besides its work, or instead of it."""
    return Scenario(about, table="acts", runs=runs, ends=ends, fails=fails, **more)


def status(word, question=""):
    return {"status": word, "question": question, "answers": [], "notes": ""}


def passing(about, status=None):
    return Scenario(about, status, passes=True)


WHICH = "Which greeting does the task mean?"
MUTE = "I have looked at everything that is here."
VERDICT = {"findings": [], "summary": "The file holds the greeting.", "verdict": "approved"}
THERE = "I wrote the greeting in a work tree of my own."
WAITS = "waits"
AGAIN = "asked once more, "
OWN_TREE = ("git worktree add -q -b own ../own && echo 'Hello, world' > ../own/greet.txt && git -C ../own add . && "
            "git -C ../own commit -q -m 'Greet the world'")

SCENARIOS = {
    "success": Scenario("the model edits a file and then reports; a review approves"),
    "reject": Scenario("the first review rejects, the one after the next attempt approves"),
    "interim": Scenario("a review says APPROVED on the way and ends with REJECTED"),
    "verdict": Scenario("as reject; the reviews are documents, and the last one leaves a remark open"),
    "verdict-broken": Scenario("the first answer of the reviewer is a document that is cut off"),
    "verdict-must": Scenario("the reviewer approves, and names something that must not stay"),
    "commit": Scenario("the model also commits its change"),
    "big": Scenario("as success; the prompt is long"),
    "root": Scenario("as success; as root"),
    "outside": Scenario("the reviewer wants to read a file outside of its work tree", passes=True, places=("review",)),
    "plain": Scenario("as success, three times: the agents change nothing from which reviewers take instructions", passes=True,
                      places=("before",)),
    "instructions": Scenario("the author writes instructions of the user for the reviewer"),
    "memory": Scenario("the author writes memories for the reviewer"),
    "hooks": Scenario("the author writes hooks or plugins for the reviewer"),
    "servers": Scenario("the author adds a server of tools for the reviewer"),
    "blocked": answer("the worker ends with `BLOCKED:`", f"I cannot decide this.\n\nBLOCKED: {WHICH}", ends=WAITS),
    "blocked-fence": answer("the same line in a fence", f"I cannot decide this.\n\n```\nBLOCKED: {WHICH}\n```", ends=WAITS),
    "blocked-list": answer("the same line with a list below it", f"BLOCKED: {WHICH}\n\n- the short one\n- the long one",
                           ends=WAITS),
    "status-done": answer("an object with the status `done`", status("done"), works=True, ends="complete"),
    "status-blocked": answer("with `blocked`", status("blocked", WHICH), ends=WAITS),
    "status-nothing-left": answer("with `nothing-left`, and the file is there", status("nothing-left"), there=True,
                                  ends="complete"),
    "status-tests-wrong": answer("with `tests-wrong`, of tests that nobody wrote for the task",
                                 status("tests-wrong", "No code can pass this test."), ends=WAITS),
    "mute-first": answer("nothing was changed, and the worker does not say why; asked, it works", MUTE, None,
                        ends=f"{AGAIN}complete"),
    "mute": answer("asked, it says the same again", MUTE, MUTE, ends=f"{AGAIN}{WAITS}"),
    "mute-still": answer("asked, it says something else, and still has changed nothing", MUTE, "Nothing strikes me.",
                         ends=f"{AGAIN}one attempt failed, complete", fails=True),
    "approved": answer("the reviewer answers `APPROVED` alone", "APPROVED", by="review", ends="complete"),
    "approved-fence": answer("it answers an object in a fence", f"```json\n{json.dumps(VERDICT)}\n```", by="review",
                             ends="complete"),
    "approved-below": answer("it answers an object below a sentence", f"I have read the change.\n\n{json.dumps(VERDICT)}",
                             by="review", ends="complete"),
    "no-verdict-first": answer("it gives no verdict; asked, it approves", "The file holds the greeting.", None, by="review",
                              ends=f"{AGAIN}complete"),
    "no-verdict": answer("it gives no verdict, and none when asked", "The file holds the greeting.",
                         "As I said, the file holds the greeting.", by="review", ends=f"{AGAIN}{WAITS}, no-verdict"),
    "rejected": answer("it rejects; the next attempt does what it asks for",
                       "The greeting does not ask how the world is.\n\nREJECTED", by="review", ends="one attempt failed, complete", fails=True),
    "denied": Scenario("its permissions deny the tool that writes, and nothing is changed", table="denied", works=True,
                       answers=("I may not write here.", "As I said, I may not."), ends=f"{WAITS}, denied-tool"),
    "denied-beside": Scenario("they deny it, and the worker writes the file by its shell", table="denied",
                              runs="printf 'Hello, world\\n' > greet.txt", ends="complete"),
    "push": act("the worker pushes", "git push -q origin HEAD:refs/heads/other", "complete", fails=False),
    "push-around": act("it pushes around what is set for its git",
                       "git add . && git commit -q -m 'Greet the world' && GIT_CONFIG_COUNT=0 git push -q origin HEAD:other",
                       "complete, pushed", fails=False),
    "worktree-first": act("it makes a work tree of its own and works there; asked, it works here", OWN_TREE,
                          f"{AGAIN}complete", fails=False, works=True, answers=(THERE, None)),
    "worktree": act("asked, it says the same again", OWN_TREE, f"{AGAIN}{WAITS}", fails=False, works=True,
                    answers=(THERE,)),
    "switch": act("it switches to a new branch", "git switch -q -c other", "one attempt failed, complete"),
    "stash": act("it stashes its work", "git stash -q -u", "one attempt failed, complete"),
    "amend": act("it amends the last commit", "git add . && git commit -q --amend --no-edit",
                 "one attempt failed, complete"),
    "400": trouble("the request is refused as wrong", 400, REFUSED),
    "401": trouble("the key is wrong", 401, LOGIN),
    "402": trouble("no credit is left", 402, CREDIT),
    "403": trouble("the key may not be used for this", 403, LOGIN),
    "404": trouble("there is no such model", 404, REFUSED),
    "408": trouble("the service says that the request took too long", 408, SERVICE),
    "413": trouble("the request is too large", 413, REFUSED),
    "422": trouble("the request cannot be processed", 422, REFUSED),
    "429": trouble("too many requests, and no time is named", 429, LIMIT),
    "429-retry-after": trouble("too many requests; try again in two seconds, and so on", 429, LIMIT),
    "500": trouble("an error of the server", 500, SERVICE),
    "502": trouble("a gateway has no answer", 502, SERVICE),
    "503": trouble("the server is not available", 503, SERVICE),
    "504": trouble("a gateway has waited too long", 504, SERVICE),
    "529": trouble("the server has too much to do", 529, SERVICE),
    "html": trouble("a gateway answers with an HTML page and 502", 502, SERVICE),
    "portal": trouble("a captive portal answers with an HTML page and 200", None, GARBLED),
    "limit": trouble("the usage limit is reached and ends at a time that is named", 429, LIMIT),
    "week": trouble("as limit; it ends in three days", 429, LIMIT),
    "daily": trouble("the requests of a day are used up, and no time is named", 429, LIMIT),
    "credit": trouble("no credit is left, which services report as another error", 429, CREDIT),
    "key": trouble("the key was revoked, which some services report as a wrong request", 401, LOGIN),
    "expired": trouble("the login has expired", 401, LOGIN),
    "disabled": trouble("the account was disabled", 403, f"{LOGIN}|{REFUSED}"),
    "region": trouble("the service is not offered in this country", 403, f"{LOGIN}|{REFUSED}"),
    "long": trouble("the conversation is longer than the model can take", 400, REFUSED),
    "hang": Scenario("the request is accepted and never answered", None, SILENT, waits=True),
    "hang-mid": Scenario("the answer begins and never ends", None, SILENT, waits=True),
    "drop": trouble("the connection is closed before an answer", None, SERVICE),
    "drop-mid": trouble("the connection is closed in the middle of an answer", None, GARBLED),
    "reset": trouble("the connection is reset before an answer", None, SERVICE),
    "closed": trouble("nobody listens any more", None, SERVICE),
    "malformed": trouble("the answer is not what the API promises", None, GARBLED),
    "binary": trouble("the answer is not even text", None, GARBLED),
    "empty": trouble("the answer is empty", None, GARBLED),
    "blank": trouble("the answer is complete and has nothing in it", None, GARBLED),
    "stream-overloaded": trouble("the answer begins, and then the server says that it is overloaded", None, SERVICE),
    "stream-limit": trouble("the answer begins, and then the server says that a limit is reached", None, f"{LIMIT}|{SERVICE}"),
    "kill": trouble("the program of the agent is killed", None, KILLED),
    "term": trouble("the program of the agent is asked to end, by somebody else", None, f"{KILLED}|{SERVICE}|ended without a final message|ended before it did anything"),
    "segv": trouble("the program of the agent crashes", None, KILLED),
    "429-once": trouble("too many requests, once", 429, LIMIT),
    "500-once": passing("an error of the server, once", 500),
    "drop-once": passing("the connection is closed before an answer, once"),
    "drop-mid-once": passing("the connection is closed in the middle of an answer, once"),
    "kill-once": passing("the program of the agent is killed, once"),
}

SIGNALS = {"kill": "SIGKILL", "term": "SIGTERM", "segv": "SIGSEGV"}


# Where an agent calls its service again and again without a word, so that nobody can know why it is silent.
WORDLESS = {("gemini", "review"): {"404", "limit", "week", "daily"}}


def cause(cell):
    """An expression for what a run may say in this cell."""
    known = SCENARIOS[cell.scenario].cause
    return f"{known}|{SILENT}" if cell.scenario in WORDLESS.get((cell.agent, cell.at), ()) else known


def played(scenario):
    """What the server plays for a scenario while it strikes."""
    return re.sub("-once$", "", scenario)


def strikes_once(scenario):
    return scenario.endswith("-once")
