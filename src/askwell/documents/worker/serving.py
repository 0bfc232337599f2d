"""The loop of a process that reads documents: a file comes in, its blocks go out, until the service closes the pipe.

Whoever wrote a document may want to harm its reader: there is no network here, no environment, no file that may be
written, and little memory and time.

Reading HTML, of which scripts, styles and what is hidden say nothing. No link is followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from askwell.documents.blocks import Block, table_block
from askwell.documents.worker.plain import decoded, read_csv, read_markdown, read_text
from askwell.documents.worker.refusals import Refused
from askwell.providers.engine.wire import pack, read_frame
from askwell.providers.engine.worker import limits
from askwell.providers.engine.worker.serving import begin, write_all

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head", "nav", "iframe", "object", "select"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}
)
_BREAKS = frozenset(
    {"p", "div", "section", "article", "main", "aside", "header", "footer", "ul", "ol", "li", "dl", "dt", "dd", "pre"}
    | {"blockquote", "table", "form", "figure", "figcaption", "body", "address", "details", "summary"}
)
# How many tags and comments without an end are read as text. Each makes the parser read all that follows again.
_MOST_OPEN = 20
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def read_html(content: bytes) -> Iterator[Block]:
    """Headings, paragraphs (list items too) and tables. A table inside another one is read as its words."""
    page = _Page()
    page.feed(decoded(content))
    for again in reversed(range(_MOST_OPEN)):
        if not page.rawdata.startswith("<"):
            break
        rest, page.rawdata = page.rawdata, ""
        page.handle_data(rest[0] if again else rest)
        page.feed(rest[1:] if again else "")
    page.close()
    page.end_block()
    yield from page.blocks


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._words: list[str] = []
        self._silent: list[str] = []
        self._open = Counter[str]()  # how often each is among these
        self._level = 0
        self._rows: list[list[str]] | None = None
        self._tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self._words.append("\n" if tag in ("br", "hr") else " ")
            return
        if self._silent or tag in _SILENT or _is_hidden(attrs):
            self._silent.append(tag)
            self._open[tag] += 1
            return
        if tag == "table":
            self._tables += 1
            if self._tables == 1:
                self.end_block()
                self._rows = []
        elif self._rows is not None:
            self._in_table(tag)
        elif tag in _HEADINGS:
            self.end_block()
            self._level = _HEADINGS[tag]
        elif tag in _BREAKS:
            self.end_block()

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            ended = "" if self._open[tag] else tag
            while ended != tag:
                ended = self._silent.pop()
                self._open[ended] -= 1
            return
        if tag == "table" and self._tables:
            self._tables -= 1
            if self._tables == 0:
                self._end_table()
        elif self._rows is not None:
            if tag in ("td", "th"):
                self._end_cell()
        elif tag in _HEADINGS or tag in _BREAKS:
            self.end_block()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._words.append(data)

    def end_block(self) -> None:
        """What was gathered is a block."""
        text = "\n".join(" ".join(line.split()) for line in "".join(self._words).split("\n") if line.strip())
        self._words.clear()
        if text:
            kind = Block("heading", " ".join(text.split()), level=self._level) if self._level else None
            self.blocks.append(kind or Block("paragraph", text))
        self._level = 0

    def _in_table(self, tag: str) -> None:
        rows = self._rows if self._rows is not None else []
        if tag == "tr":
            rows.append([])
        elif tag in ("td", "th") and self._tables == 1:
            self._words.clear()
            if not rows:
                rows.append([])
        else:
            self._words.append(" ")

    def _end_cell(self) -> None:
        if self._tables == 1 and self._rows:
            self._rows[-1].append("".join(self._words))
            self._words.clear()

    def _end_table(self) -> None:
        table = table_block(self._rows or [])
        self._rows = None
        self._words.clear()
        if table is not None:
            self.blocks.append(table)


def _is_hidden(attrs: list[tuple[str, str | None]]) -> bool:
    known = dict(attrs)
    style = (known.get("style") or "").replace(" ", "").lower()
    return "hidden" in known or "display:none" in style or "visibility:hidden" in style


_MEMORY_MIB = 768
# What is read of one document: a thousand dense pages are three million characters.
_MOST_CHARACTERS = 12_000_000
_MOST_BLOCKS = 200_000
_BATCH_CHARACTERS = 128 * 1024


def main() -> None:
    """Read the settings, then serve until the pipe closes."""
    requests, replies, _ = begin()
    limits.leave_network()
    limits.restrict_process()
    limits.tighten_address_space(_MEMORY_MIB)
    while (request := read_frame(requests)) is not None:
        limits.allow_cpu_seconds(request["timeout"] * 2)
        for frame in _answer(request):
            write_all(replies, frame)


def _answer(request: dict[str, Any]) -> Iterator[bytes]:
    try:
        content = Path(request["file"]).read_bytes()
        for batch in _batches(_limited(_READERS[request["format"]](content))):
            yield pack({"rows": [block.to_wire() for block in batch]})
        yield pack({"end": True})
    except Refused as refused:
        yield pack({"end": True, "refused": refused.reason})
    except MemoryError:
        yield pack({"end": True, "refused": "too_large"})
    except Exception:  # noqa: BLE001 - of whatever a library meets in what it reads; its words may quote the document
        yield pack({"end": True, "refused": "damaged"})


def _limited(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that have text. Raises `Refused` where there is none, or more than anybody wants."""
    characters = count = 0
    for block in blocks:
        if not block.text.strip():
            continue
        characters, count = characters + len(block.text), count + 1
        if characters > _MOST_CHARACTERS or count > _MOST_BLOCKS:
            raise Refused("too_large")
        yield block
    if not count:
        raise Refused("no_text")


def _batches(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    batch: list[Block] = []
    size = 0
    for block in blocks:
        batch.append(block)
        size += len(block.text)
        if size > _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read_pdf(content: bytes) -> Iterator[Block]:
    from askwell.documents.worker.pdf import read_pdf

    yield from read_pdf(content)


def _read_docx(content: bytes) -> Iterator[Block]:
    from askwell.documents.worker.word import read_docx

    yield from read_docx(content)


_READERS: dict[str, Callable[[bytes], Iterable[Block]]] = {
    "md": read_markdown,
    "txt": read_text,
    "html": read_html,
    "csv": read_csv,
    "pdf": _read_pdf,
    "docx": _read_docx,
}
