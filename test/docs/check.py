#!/usr/bin/env python3
"""Checks README.md and docs/: relative links exist, blocks marked mlir parse, and a block
under a comment that names a file is that file's text (which other tests run) and, where
it says how easily something is done, no longer than that.

usage: check.py SOURCE_FOLDER NORM_OPT
"""
import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
BLOCK = re.compile(r"^```mlir\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Embedding the compiler takes no more lines than these.
MOST_LINES = {"examples/embed/embed.c": 40, "examples/embed/embed.cpp": 20}

COPY = re.compile(r"^<!-- (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def broken_links(page, text):
    for match in LINK.finditer(text):
        target = match.group(1)
        if "://" not in target and not (page.parent / target).exists():
            yield f"{page}: link to {target}, which does not exist"


def broken_blocks(page, text, norm_opt):
    for match in BLOCK.finditer(text):
        done = subprocess.run([norm_opt, "-"], input=match.group(1), text=True,
                              capture_output=True)
        if done.returncode != 0:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{page}:{line}: block does not parse: {done.stderr.strip()}"


def broken_copies(root, page, text):
    for match in COPY.finditer(text):
        file = root / match.group(1)
        if not file.exists() or file.read_text() != match.group(2):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{page}:{line}: block is not the text of {match.group(1)}"


def too_long(root):
    for name, most in MOST_LINES.items():
        lines = len((root / name).read_text().splitlines())
        if lines > most:
            yield f"{name}: expected at most {most} lines, but got {lines}"


def main():
    root, norm_opt = Path(sys.argv[1]), sys.argv[2]
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    faults, blocks = [*too_long(root)], 0
    for page in pages:
        text = page.read_text()
        blocks += len(BLOCK.findall(text))
        faults += [*broken_links(page, text), *broken_blocks(page, text, norm_opt),
                   *broken_copies(root, page, text)]
    print("\n".join(faults))
    print(f"{len(pages)} pages, {blocks} blocks of IR, {len(faults)} faults")
    return 1 if faults or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
