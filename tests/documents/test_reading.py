"""What is read of documents in their own process, and what becomes of those that mean harm."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.documents.blocks import Block
from askwell.documents.chunking import MOST_ROWS, MOST_WORDS, OVERLAP, chunks_of
from askwell.documents.extraction import Extraction, UnreadableDocument, format_of
from askwell.errors import InvalidRequest

from .making import encrypted_pdf, pdf_bomb, pdf_file, word_file, zip_bomb

MARKDOWN = """---
title: not read
---
# Returns

Goods may be sent back within [30 days](https://example.com/law).
It is free.

| fault | refund |
|:--|--:|
| broken | 100 % |
| ugly | none |

Shipping
--------
```
# no heading
```
"""
HTML = """<html><head><title>no</title><style>p {}</style></head><body><nav>Menu</nav><h1>Fees &amp; fines</h1>
<p>A day costs<br>one <b>euro</b>.</p><script>alert(1)</script><p hidden>unseen</p><ul><li>books<li>films</ul>
<table><tr><th>item</th><th>fee</th></tr><tr><td>book</td><td>1 <table><tr><td>inner</td></tr></table></td></tr></table>
<h2>End</h2>loose words"""


@pytest.fixture
async def extraction() -> AsyncIterator[Extraction]:
    reading = Extraction(seconds=60)
    yield reading
    await reading.close()


async def read(extraction: Extraction, name: str, content: bytes) -> list[tuple[str, str]]:
    blocks = await extraction.read(content, format_of(name, content))
    return [(block.kind, block.text) for block in blocks]


async def test_markdown(extraction: Extraction) -> None:
    assert await read(extraction, "a.md", MARKDOWN.encode()) == [
        ("heading", "Returns"),
        ("paragraph", "Goods may be sent back within 30 days.\nIt is free."),
        ("table", "fault | refund\nbroken | 100 %\nugly | none"),
        ("heading", "Shipping"),
        ("paragraph", "```\n# no heading\n```"),
    ]


async def test_html_says_what_is_seen(extraction: Extraction) -> None:
    """No script, no style, no menu, nothing hidden."""
    found = await read(extraction, "a.html", HTML.encode())
    assert found[:4] == [
        ("heading", "Fees & fines"),
        ("paragraph", "A day costs\none euro."),
        ("paragraph", "books"),
        ("paragraph", "films"),
    ]
    assert [kind for kind, _ in found[4:]] == ["table", "heading", "paragraph"]
    assert not any(word in text for _, text in found for word in ("alert", "unseen", "Menu", "{}"))


async def test_text_of_other_encodings(extraction: Extraction) -> None:
    """Latin letters and UTF-16 are read as what they are."""
    assert await read(extraction, "a.txt", "Größe\r\n\r\nzwei".encode("cp1252")) == [
        ("paragraph", "Größe"),
        ("paragraph", "zwei"),
    ]
    assert await read(extraction, "a.txt", "Größe".encode("utf-16")) == [("paragraph", "Größe")]


async def test_csv_of_any_separator(extraction: Extraction) -> None:
    assert await read(extraction, "a.csv", b'name;fee\n"Smith; J";3\n') == [("table", "name | fee\nSmith; J | 3")]


async def test_word_without_its_macros(extraction: Extraction) -> None:
    content = word_file("# Fees", "A day costs one euro.", [["item", "fee"], ["book", "1"]], macros=True)
    assert await read(extraction, "a.docm", content) == [
        ("heading", "Fees"),
        ("paragraph", "A day costs one euro."),
        ("table", "item | fee\nbook | 1"),
    ]


async def test_pdf_page_by_page(extraction: Extraction) -> None:
    content = pdf_file("1.2 Fees for loans\nA day costs one euro.", "The second page.", compress=True)
    blocks = await extraction.read(content, "pdf")
    assert [(block.kind, block.text, block.page) for block in blocks] == [
        ("heading", "1.2 Fees for loans", 1),
        ("paragraph", "A day costs one euro.", 1),
        ("paragraph", "The second page.", 2),
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        pytest.param("a.pdf", encrypted_pdf(), "encrypted", id="encrypted"),
        pytest.param("a.pdf", pdf_file(""), "no text", id="scanned"),
        pytest.param("a.pdf", b"%PDF-1.7\nnothing more", "damaged", id="damaged"),
        pytest.param("a.docx", b"PK\x03\x04 and no more", "damaged", id="no zip"),
        pytest.param("a.docx", lambda: zip_bomb(200), "too much", id="zip bomb"),
        pytest.param("a.txt", b"\x7fELF\x00\x00binary", "damaged", id="a program"),
        pytest.param("a.md", b"   \n\n", "no text", id="blank"),
    ],
)
async def test_what_cannot_be_read_says_why(
    extraction: Extraction, name: str, content: bytes | Callable[[], bytes], said: str
) -> None:
    content = content() if callable(content) else content
    with pytest.raises(UnreadableDocument) as raised:
        await extraction.read(content, format_of(name, content))
    assert said in raised.value.message
    assert raised.value.hint


async def test_a_bomb_costs_the_service_nothing(extraction: Extraction) -> None:
    """It ends in the process that reads it, and the next document is read."""
    with pytest.raises(UnreadableDocument):
        await extraction.read(pdf_bomb(400), "pdf")
    assert await extraction.read(b"still here", "txt") == [Block("paragraph", "still here")]


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("a.md", ["[", "(", "[(", "![", "[](", "*", "_", "`", "<", "&", "|", ">", "\n  - x", "# ", "a|\n|-", "<!["]),
        ("a.html", ["<", "<!--", "<a ", "<a b=", "</", "<?", "&", "<p hidden></i>"]),
        ("a.csv", ["\n- ", "\n>", "',", "a\n", ";"]),
    ],
)
async def test_what_only_begins_is_read_in_the_time_of_its_length(name: str, pieces: list[str]) -> None:
    """The square of it takes minutes at this length, and ends in a refusal."""
    extraction = Extraction(seconds=20)
    try:
        for piece in pieces:
            blocks = await read(extraction, name, (f"before {piece * (200_000 // len(piece))} >\n\nafter\n").encode())
            assert any("before" in text for _, text in blocks), piece
    finally:
        await extraction.close()


async def test_nobody_waits_for_ever() -> None:
    reading = Extraction(seconds=0.05)
    try:
        with pytest.raises(UnreadableDocument, match="takes more than"):
            await reading.read(b"a,b\n" + b"1,2\n" * 2_000_000, "csv")
    finally:
        await reading.close()


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.exe", b"MZ"), ("a.pdf", b"no pdf"), ("a.md", b"%PDF-1.4"), ("a.docx", b"plain"), ("a.xlsx", b"PK\x03\x04")],
)
def test_other_formats_are_refused(name: str, content: bytes) -> None:
    with pytest.raises(InvalidRequest):
        format_of(name, content)


# -- How documents are cut into passages.


WORDS = st.text("abcdefghij", min_size=1, max_size=6)
PARAGRAPHS = st.lists(WORDS, min_size=1, max_size=400).map(" ".join)
BLOCKS = st.lists(
    st.one_of(
        PARAGRAPHS.map(lambda text: Block("paragraph", text)),
        st.tuples(WORDS, st.integers(1, 6)).map(lambda one: Block("heading", one[0], level=one[1])),
        st.lists(WORDS, min_size=1, max_size=200).map(lambda rows: Block("table", "\n".join(rows))),
    ),
    max_size=8,
)


@given(BLOCKS)
def test_nothing_is_lost_and_nothing_is_long(blocks: list[Block]) -> None:
    """Every word of a paragraph and every row of a table is in a passage; no passage of words is longer than may be."""
    found = list(chunks_of(blocks))
    text = " ".join(chunk.text for chunk in found).split()
    for block in blocks:
        if block.kind != "heading":
            assert set(block.text.split()) <= set(text)
    tables = {line for block in blocks if block.kind == "table" for line in block.text.split("\n")}
    for chunk in found:
        rows = chunk.text.split("\n")
        assert len(chunk.text.split()) <= MOST_WORDS + OVERLAP or (len(rows) <= MOST_ROWS + 1 and set(rows) <= tables)


def test_passages_say_where_they_stand() -> None:
    """The headings above, and the page."""
    found = chunks_of(
        [
            Block("paragraph", "Before.", page=1),
            Block("heading", "Loans", level=1, page=1),
            Block("heading", "Fees", level=2, page=2),
            Block("paragraph", "One euro.", page=2),
            Block("heading", "Members", level=1, page=3),
            Block("paragraph", "All may join.", page=3),
        ]
    )
    assert [(chunk.locator, chunk.text) for chunk in found] == [
        ("page 1", "Before."),
        ("page 2, Loans › Fees", "One euro."),
        ("page 3, Members", "All may join."),
    ]


def test_a_long_text_is_cut_between_sentences_and_overlaps() -> None:
    sentences = [f"Sentence number {number} has exactly seven words." for number in range(120)]
    found = list(chunks_of([Block("paragraph", " ".join(sentences))]))
    assert len(found) > 2
    for before, after in pairwise(found):
        assert before.text.endswith(".")
        last = before.text.split(". ")[-1]
        assert last in after.text


def test_a_long_table_keeps_its_header() -> None:
    rows = ["name | fee", *(f"item {number} | {number}" for number in range(150))]
    found = list(chunks_of([Block("table", "\n".join(rows))]))
    assert [chunk.text.split("\n")[0] for chunk in found] == ["name | fee"] * 3
    assert [chunk.locator for chunk in found] == ["rows 1 to 60", "rows 61 to 120", "rows 121 to 150"]


def test_a_short_table_stays_whole() -> None:
    [chunk] = chunks_of([Block("table", "\n".join(["a | b"] * MOST_ROWS))])
    assert len(chunk.text.split("\n")) == MOST_ROWS
