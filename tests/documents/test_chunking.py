"""How documents are cut into passages."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from askwell.documents.blocks import Block
from askwell.documents.chunking import MOST_ROWS, MOST_WORDS, OVERLAP, chunks_of

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
