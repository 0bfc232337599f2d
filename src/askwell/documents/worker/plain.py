"""Reading text, Markdown and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from askwell.documents.blocks import Block, table_block
from askwell.documents.worker.refusals import Refused

# Each reads a line once, whatever it holds: nothing here is tried again from the next letter.
_HEADING = re.compile(r"(#{1,6})\s+(.+)")
_UNDERLINE = re.compile(r"(=+|-+)\s*")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_TABLE_LINE = re.compile(r"\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?)?")
# With what only begins like a link, up to where the next one may begin.
_LINK = re.compile(r"!?\[([^\]\n]*)(?:\]\([^)\n]*(\))?)?")
# A file of another encoding than UTF-8 is most often of this one.
_ELSE = "cp1252"
_MOST_CELL = 200_000
# How much of a file tells its separator.
_SAMPLE = 20_000
_IN_QUOTES = re.compile(r'"[^"]*"')


def decoded(content: bytes) -> str:
    """The text of a file. Raises `Refused` for what is none."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content:
        raise Refused("damaged")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode(_ELSE, errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(content: bytes) -> Iterator[Block]:
    """Paragraphs, which empty lines end."""
    for paragraph in re.split(r"\n[ \t]*\n", decoded(content)):
        yield Block("paragraph", paragraph.strip())


def read_markdown(content: bytes) -> Iterator[Block]:
    """Headings of both forms, paragraphs, and tables of pipes; code stays as it is, and of links their words."""
    lines = _without_front_matter(decoded(content)).split("\n")
    held: list[str] = []
    fence = ""
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if fence:
            held.append(line)
            fence = "" if line.strip().startswith(fence) else fence
            continue
        if opened := _FENCE.match(line):
            fence = opened[1][:3]
            held.append(line)
            continue
        if heading := _HEADING.fullmatch(line):
            yield from _paragraph(held)
            words = heading[2].rstrip()
            yield Block("heading", _plain(words.rstrip("#").rstrip() or words[:1]), level=len(heading[1]))
        elif held and len(held) == 1 and held[0].strip() and _UNDERLINE.fullmatch(line):
            yield Block("heading", _plain(held.pop().strip()), level=1 if line.startswith("=") else 2)
        elif "|" in line and place < len(lines) and _TABLE_LINE.fullmatch(lines[place].strip()):
            yield from _paragraph(held)
            rows = [_cells(line)]
            place += 1
            while place < len(lines) and "|" in lines[place]:
                rows.append(_cells(lines[place]))
                place += 1
            if (table := table_block(rows)) is not None:
                yield table
        elif not line.strip():
            yield from _paragraph(held)
        else:
            held.append(line)
    yield from _paragraph(held)


def read_csv(content: bytes) -> Iterator[Block]:
    """One table."""
    text = decoded(content)
    csv.field_size_limit(_MOST_CELL)
    lines = _IN_QUOTES.sub("", text[:_SAMPLE]).split("\n")
    # The one that most lines have: csv.Sniffer takes the square of the text for it, or more.
    delimiter = max(",;\t|", key=lambda one: (sum(one in line for line in lines), lines[0].count(one)))
    try:
        table = table_block(list(csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)))
    except csv.Error:
        raise Refused("damaged") from None
    if table is not None:
        yield table


def _paragraph(held: list[str]) -> Iterator[Block]:
    text = _plain("\n".join(held).strip())
    held.clear()
    if text:
        yield Block("paragraph", text)


def _plain(text: str) -> str:
    return _LINK.sub(lambda found: found[1] if found[2] else found[0], text)


def _cells(line: str) -> list[str]:
    return [_plain(cell.strip().replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _without_front_matter(text: str) -> str:
    """Without the lines between `---` that some tools put first."""
    if not text.startswith("---\n"):
        return text
    _, found, rest = text[4:].partition("\n---\n")
    return rest if found else text
