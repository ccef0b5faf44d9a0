"""What the tests of documents need of Markdown: fenced blocks, headings, links, code spans."""

import re
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path.relative_to(PROJECT).as_posix()
    for path in [*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")]
)

_FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SPAN = re.compile(r"`([^`\n]+)`")


class Block(NamedTuple):
    """A fenced block: its language, the line of the document where its text begins, its text."""

    language: str
    line: int
    text: str


def read(document: str) -> str:
    return (PROJECT / document).read_text(encoding="utf-8")


def blocks(document: str) -> list[Block]:
    text = read(document)
    return [
        Block(match[2], text[: match.start(3)].count("\n") + 1, match[3])
        for match in _FENCE.finditer(text)
    ]


def prose(document: str) -> str:
    """The document without its fenced blocks."""
    return _FENCE.sub("", read(document))


def links(document: str) -> list[str]:
    return _LINK.findall(prose(document))


def spans(document: str) -> list[str]:
    return _SPAN.findall(prose(document))


def headings(document: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)


def anchors(document: str) -> set[str]:
    """The anchors of the headings, as GitHub makes them."""
    made = set()
    for heading in headings(document):
        kept = re.sub(r"[^\w\- ]", "", heading.lower())
        made.add(kept.replace(" ", "-"))
    return made


def section(document: str, heading: str) -> str:
    """The text under a heading, down to the next one of its rank or above."""
    lines = read(document).splitlines()
    start = next(i for i, line in enumerate(lines) if line.lstrip("#") == f" {heading}")
    rank = len(lines[start]) - len(lines[start].lstrip("#"))
    found = []
    fenced = False
    for line in lines[start + 1 :]:
        fenced ^= line.startswith("```")
        if not fenced and re.match(rf"#{{1,{rank}}} ", line):
            break
        found.append(line)
    return "\n".join(found)
