"""Reading HTML, of which scripts, styles and what is hidden say nothing. No link is followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

from askwell.documents.blocks import Block, table_block
from askwell.documents.worker.plain import decoded

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
