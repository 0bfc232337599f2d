"""Keyword rules: which questions they match, what a pattern may be, and where they are kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.errors import InvalidRequest
from askwell.knowledge.keywords import MAX_KEYWORDS, MAX_PATTERN, Keyword, check_pattern, tables_meant
from askwell.knowledge.record import Record

RETURNS = Keyword("returns", r"\breturns?\b|money back", ("rma_2",))
STAFF = Keyword("staff", "staff|colleagues", ("hr_x", "rma_2"))


@pytest.mark.parametrize(
    ("question", "tables"),
    [
        ("How many RETURNS were there?", ("rma_2",)),
        ("Who got his Money Back?", ("rma_2",)),
        ("When is she returning?", ()),
        ("Which colleagues handled a return?", ("rma_2", "hr_x")),
        ("", ()),
    ],
)
def test_a_rule_matches_anywhere_in_any_letter_case(question: str, tables: tuple[str, ...]) -> None:
    assert tables_meant(question, [RETURNS, STAFF]) == tables


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(x+x+)+y", "(.*a)+z", r"(\w*\s*)*!"])
def test_a_pattern_that_other_engines_never_finish_is_matched(pattern: str) -> None:
    assert tables_meant("a" * 10_000 + "é!", [Keyword("k", f"q{pattern}", ("t",))]) == ()


@given(st.text(max_size=MAX_PATTERN))
def test_whatever_is_accepted_can_be_matched(pattern: str) -> None:
    try:
        check_pattern(pattern)
    except ValueError:
        return
    assert tables_meant("", [Keyword("k", pattern, ("t",))]) == ()


async def test_rules_are_kept_by_project_and_id(record: Record) -> None:
    await record.saved.save_keywords("p", [RETURNS, STAFF])
    await record.saved.save_keywords("q", [Keyword("returns", "q", ("own",))])
    await record.saved.save_keywords("p", [Keyword("staff", "staff", ("hr_y",))])
    await record.saved.delete_keywords("q", ["staff", "unknown"])
    assert dict((await record.saved.of("p")).keywords) == {
        "returns": RETURNS,
        "staff": Keyword("staff", "staff", ("hr_y",)),
    }
    await record.saved.delete_keywords("p", ["returns"])
    assert set((await record.saved.of("p")).keywords) == {"staff"}
    assert set((await record.saved.of("q")).keywords) == {"returns"}


async def test_there_are_not_more_than_can_be_matched_quickly(record: Record) -> None:
    await record.saved.save_keywords("p", [Keyword(str(n), f"word{n}", ("t",)) for n in range(MAX_KEYWORDS)])
    await record.saved.save_keywords("p", [Keyword("0", "changed", ("t",))])
    with pytest.raises(InvalidRequest, match="500 keyword rules"):
        await record.saved.save_keywords(
            "p", [Keyword("1", "not this one", ("t",)), Keyword("new", "nor this", ("t",))]
        )
    kept = (await record.saved.of("p")).keywords
    assert (len(kept), kept["0"].pattern, kept["1"].pattern) == (MAX_KEYWORDS, "changed", "word1")


async def test_what_is_indexed_does_not_change_with_them(record: Record) -> None:
    before = (await record.saved.of("p")).digest
    await record.saved.save_keywords("p", [RETURNS])
    assert (await record.saved.of("p")).digest == before
