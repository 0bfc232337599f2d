"""Reading documents in a child process: text, Markdown, CSV, HTML, PDF and Word, each as blocks.

What a document links to is never followed, its scripts and macros are never run, and what is hidden is not read.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser

from askwell.child_process.child import Refused
from askwell.documents.blocks import Block, table_block

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


_MOST_PAGES = 3_000
# A line that ends so goes on in the next one.
_HYPHEN = re.compile(r"(\w)-\n(\w)")
_NUMBERED = re.compile(r"(?:\d+(?:\.\d+)*\.?|[A-Z]\.|(?:Chapter|Section|Part|Appendix)\b)")
_LONGEST_HEADING = 90


def read_pdf(content: bytes) -> Iterator[Block]:
    """Paragraphs with their pages; a short line by itself is a heading. Raises `Refused`."""
    from pypdf import PdfReader
    from pypdf.errors import PdfReadError

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Refused("encrypted")
        if len(reader.pages) > _MOST_PAGES:
            raise Refused("too_large")
        for number, page in enumerate(reader.pages, 1):
            yield from _page_blocks(page.extract_text() or "", number)
    except PdfReadError:
        raise Refused("damaged") from None


def _page_blocks(text: str, page: int) -> Iterator[Block]:
    for part in re.split(r"\n[ \t]*\n", _HYPHEN.sub(r"\1\2", text)):
        lines = [" ".join(line.split()) for line in part.split("\n") if line.strip()]
        while lines and _is_heading(lines[0], alone=len(lines) == 1):
            yield Block("heading", lines.pop(0), level=2, page=page)
        if lines:
            yield Block("paragraph", "\n".join(lines), page=page)


def _is_heading(line: str, *, alone: bool) -> bool:
    if len(line) > _LONGEST_HEADING or line.endswith((".", ",", ";", ":")) or not any(map(str.isalpha, line)):
        return False
    return (line[:1].isupper() and alone) or (_NUMBERED.match(line) is not None and any(map(str.isalpha, line[3:])))


_HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)", re.IGNORECASE)
_MOST_UNPACKED = 150_000_000
_MOST_FILES = 20_000


def read_docx(content: bytes) -> Iterator[Block]:
    """Headings by their styles, paragraphs and tables. Raises `Refused`."""
    _refuse_bombs(content)
    import docx
    from docx.table import Table

    document = docx.Document(io.BytesIO(content))
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            table = table_block([[cell.text for cell in row.cells] for row in part.rows])
            if table is not None:
                yield table
            continue
        style = (part.style.name if part.style is not None else "") or ""
        heading = _HEADING_STYLE.match(style)
        if heading or style.lower() == "title":
            yield Block("heading", " ".join(part.text.split()), level=int(heading[1]) if heading else 1)
        else:
            yield Block("paragraph", part.text.strip())


def _refuse_bombs(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            files = packed.infolist()
            if len(files) > _MOST_FILES or sum(one.file_size for one in files) > _MOST_UNPACKED:
                raise Refused("too_large")
            if any(one.flag_bits & 1 for one in files):
                raise Refused("encrypted")
    except zipfile.BadZipFile:
        raise Refused("damaged") from None


READERS: dict[str, Callable[[bytes], Iterable[Block]]] = {
    "md": read_markdown,
    "txt": read_text,
    "html": read_html,
    "csv": read_csv,
    "pdf": read_pdf,
    "docx": read_docx,
}
