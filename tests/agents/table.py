"""What came of all cells, as a table for people and as one for the documentation."""

import itertools

from scenarios import SCENARIOS

# How the documentation calls what happened, by words of the error.
OUTCOMES = [("usage limit", "usage limit"), ("not logged in", "login"), ("no credit", "no credit"),
            ("refuses the request", "refused"), ("killed by a signal", "killed"),
            ("broke off", "broke off"), ("could not be read", "unreadable"), ("did not complete its review", "no review"),
            ("does not answer", "no answer"),
            ("before it did anything", "no turn"), ("without a final message", "empty")]
PLACES = ["before", "mid", "review"]
TABLES = ["trouble", "answers", "denied", "acts"]
BEGIN, END = "<!-- {}: made by tests/agents/run -->\n", "<!-- end -->\n"


def outcome(cell):
    """One or two words for what came of a cell; in bold if it must not happen."""
    word = next((word for words, word in OUTCOMES if words in cell.message), f"exit {cell.status}")
    if cell.outcome:
        word = cell.outcome
    elif cell.state == "complete":
        word = "complete"
    elif cell.scenario in ("interim",) and cell.state == "failed":
        word = "failed"
    return f"**{word}: {'; '.join(cell.problems)}**" if cell.problems else word


def printed(cells):
    """The lines of a table with all cells."""
    rows = [("agent", "version", "scenario", "at", "status", "task", "commits", "attempts", "s", "what must not happen / message")]
    for cell in cells:
        said = "; ".join(cell.problems).upper() if cell.problems else cell.used
        said = f"{said} | {cell.message}" if cell.state != "complete" else said
        rows.append((cell.agent, cell.version, cell.scenario, cell.at, cell.status, cell.state, str(cell.commits),
                     str(cell.attempts), f"{cell.seconds:.0f}", said[:300]))
    widths = [max(len(row[column]) for row in rows) for column in range(9)]
    for row in rows:
        yield "  ".join([*(word.ljust(width) for word, width in zip(row, widths)), row[9]]).rstrip()


def markdown(cells, table):
    """A table of the documentation: a row for each scenario, a column for each agent."""
    cells = [cell for cell in cells if SCENARIOS[cell.scenario].table == table]
    known = {(cell.scenario, cell.agent, cell.at): cell for cell in cells}
    versions = {cell.agent: cell.version for cell in cells}
    lines = ["| what happens | " + " | ".join(f"{agent} {versions[agent]}" for agent in versions) + " |",
             "|---|" + "---|" * len(versions)]
    for name, scenario in SCENARIOS.items():
        if (scenario.is_trouble or scenario.ends) and any((name, agent, at) in known for agent in versions for at in PLACES):
            columns = [in_places([known.get((name, agent, at)) for at in PLACES]) for agent in versions]
            lines.append(f"| {scenario.about} | " + " | ".join(columns) + " |")
    return "".join(f"{line}\n" for line in lines)


def in_places(cells):
    """What happened before the first answer, after two turns, and in the review; said once if it is the same."""
    outcomes = [outcome(cell) for cell in cells if cell]
    return " · ".join(each for each, _ in itertools.groupby(outcomes)) if len(set(outcomes)) == 1 else " · ".join(outcomes)


def write_into(path, cells):
    """Replaces the tables in a page of the documentation of which there are cells."""
    text = path.read_text()
    for table in TABLES:
        mark = BEGIN.format(table)
        if any(SCENARIOS[cell.scenario].table == table for cell in cells):
            begin = text.index(mark) + len(mark)
            text = f"{text[:begin]}\n{markdown(cells, table)}\n{text[text.index(END, begin):]}"
    path.write_text(text)
