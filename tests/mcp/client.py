"""A scripted worker that does a whole task over `git arborist mcp`, with the official SDK: client.py python MODE PROGRAM FOLDER"""

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import Implementation

MODE, PROGRAM, FOLDER = sys.argv[2], sys.argv[3], Path(sys.argv[4])


def open_client(name):
    server = StdioServerParameters(command=PROGRAM, args=["mcp"], cwd=FOLDER, env=dict(os.environ))
    return Client(stdio_client(server), mode=MODE, client_info=Implementation(name=name, version="1.0"))


def tell(event):
    print(json.dumps(event), flush=True)


async def call(client, tool, arguments=None, **options):
    result = await client.call_tool(tool, arguments or {}, **options)
    said = result.structured_content
    assert json.loads(result.content[0].text) == said, result
    size = len(result.model_dump_json(by_alias=True, exclude_none=True))
    tell({"tool": tool, "bytes": size, "isError": bool(result.is_error), **said})
    return result


def work(unit):
    """Writes what the step asks for."""
    prompt = unit.get("prompt") or (Path(unit["prompt_file"]).read_text() if "prompt_file" in unit else "")
    assert unit["step"] == "complete" or unit["task"] in prompt, unit
    if unit["step"] == "red":
        (FOLDER / "tests").mkdir(exist_ok=True)
        (FOLDER / "tests/check.sh").write_text("echo looking; grep -q right T001.txt\n")
    elif unit["step"] == "implement":
        (FOLDER / "T001.txt").write_text("wrong\n" if unit["attempt"] == 0 else "right\n")


async def main():
    async with open_client("First Worker") as one, open_client("Second Worker") as two:
        tools = await one.list_tools()
        listed = tools.model_dump(by_alias=True, exclude_none=True, mode="json")
        tell({"version": one.protocol_version, "tools": listed})
        await call(one, "run_status")
        for _ in range(9):
            unit = (await call(one, "unit_next")).structured_content
            if unit["unit"] is None:
                break
            other = (await call(two, "unit_next")).structured_content
            work(unit)
            news = []

            async def progress(count, total, message):
                news.append(message)

            arguments = {"unit": unit["unit"], "note": "All tests pass, 99 of 99."}
            done = await call(one, "unit_done", arguments, progress_callback=progress)
            tell({"progress": len(news)})
            # The other client has got the same unit.
            stale = await call(two, "unit_done", {"unit": other["unit"]})
            assert stale.is_error and not done.is_error, "both have handed in the same unit"
        await call(two, "run_status")


asyncio.run(main())
