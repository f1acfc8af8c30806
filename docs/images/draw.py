#!/usr/bin/env python3
"""Draws a picture of a run on a terminal: runs `git arborist demo` with a slow agent in tmux, and writes an SVG file.

usage: docs/images/draw.py PROGRAMS FILE

PROGRAMS is the folder of the programs, such as target/debug.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import time
import unicodedata

COLUMNS, ROWS = 100, 30
WIDTH, HEIGHT, SIZE = 8.4, 18, 14
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff", "2": "#8b949e"}
PLAIN = "#e6edf3"
# Renderers keep only one of several ordinary spaces.
NBSP = "\u00a0"


def capture(programs):
    """The screen in the middle of a run, with its colours."""
    folder = tempfile.mkdtemp()
    socket = os.path.join(folder, "tmux")

    def tmux(*words):
        return subprocess.run(["tmux", "-S", socket, *words], check=True, capture_output=True, text=True).stdout

    # The steps of the demo take so little time that nothing could be seen.
    slow = os.path.join(folder, "sh")
    with open(slow, "w") as file:
        file.write('#!/bin/sh\ncase "$*" in *demo-agent*) sleep 1;; esac\nexec /bin/sh "$@"\n')
    os.chmod(slow, 0o755)
    env = f"PATH={folder}:{os.path.abspath(programs)}:$PATH LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null"
    command = f"{env} git arborist demo --dir {folder}/demo; sleep 60"
    tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), command)
    try:
        for _ in range(400):
            time.sleep(0.1)
            screen = tmux("capture-pane", "-p", "-e")
            plain = re.sub(r"\x1b\[[0-9;]*m", "", screen)
            if re.search(r"T004 implement by .*attempt 2/5\)  0\.[4-9]", plain):
                return screen.replace(folder, "/tmp").rstrip("\n").split("\n")
        sys.exit("the second attempt of T004 was never on the screen")
    finally:
        tmux("kill-server")


def runs(line):
    """The parts of a line with one style each: start column, text, colour, whether bold."""
    colour, bold, column = PLAIN, False, 0
    for code, text in re.findall(r"(?:\x1b\[([0-9;]*)m)?([^\x1b]*)", line):
        for part in (code or "").split(";") if code else []:
            if part in ("", "0", "39"):
                colour, bold = PLAIN, bold and part == "39"
            elif part == "1":
                bold = True
            elif part in COLOURS:
                colour = COLOURS[part]
        if text:
            yield column, text, colour, bold
            column += sum(2 if unicodedata.east_asian_width(c) == "W" else 1 for c in text)


def svg(lines):
    width, height = COLUMNS * WIDTH + 32, len(lines) * HEIGHT + 32
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">',
        "<title>git arborist at work on its demo</title>",
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
        f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="{SIZE}" xml:space="preserve">',
    ]
    for row, line in enumerate(lines):
        for column, text, colour, bold in runs(line):
            if text.strip():
                weight = ' font-weight="bold"' if bold else ""
                x, y = 16 + column * WIDTH, 16 + row * HEIGHT + SIZE
                length = len(text) * WIDTH
                shown = html.escape(text).replace(" ", NBSP)
                out.append(
                    f'<text x="{x:.1f}" y="{y}" fill="{colour}"{weight} textLength="{length:.1f}">{shown}</text>'
                )
    return "\n".join([*out, "</g>", "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w") as file:
        file.write(svg(capture(sys.argv[1])))
