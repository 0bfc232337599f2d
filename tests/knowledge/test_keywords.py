"""Keyword rules: which questions they match, what a pattern may be, and where they are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.errors import InvalidRequest
from askwell.knowledge.keywords import MAX_KEYWORDS, MAX_PATTERN, Keyword, check_pattern, tables_meant
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction, PairParameter, SqlPair
from tests.support.records import save_pairs, written
from tests.support.tables import case_rows

RETURNS = Keyword("returns", r"\breturns?\b|money back", ("rma_2",))
STAFF = Keyword("staff", "staff|colleagues", ("hr_x", "rma_2"))


@pytest.mark.parametrize(
    ("question", "tables"),
    case_rows(__file__, "a_rule_matches_anywhere_in_any_letter_case", "question", "tables"),
)
def test_a_rule_matches_anywhere_in_any_letter_case(question: str, tables: list[str]) -> None:
    assert list(tables_meant(question, [RETURNS, STAFF])) == tables


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


# -- When two questions are the same text.


@pytest.mark.parametrize(
    ("one", "other"),
    case_rows(__file__, "letter_case_spacing_and_closing_marks_do_not_matter", "one", "other"),
)
def test_letter_case_spacing_and_closing_marks_do_not_matter(one: str, other: str) -> None:
    assert normalise_question(one) == normalise_question(other)


@pytest.mark.parametrize(("one", "other"), case_rows(__file__, "whatever_can_change_the_meaning_stays", "one", "other"))
def test_whatever_can_change_the_meaning_stays(one: str, other: str) -> None:
    assert normalise_question(one) != normalise_question(other)


@given(st.text(max_size=80))
def test_a_normal_form_is_its_own(text: str) -> None:
    once = normalise_question(text)
    assert normalise_question(once) == once


# -- SQL pairs and instructions: stored by project and id.


PAIR = SqlPair("1", "How many orders?", "SELECT COUNT(*) FROM orders", (PairParameter(name="day", type="date"),))
RULE = Instruction("1", "Amounts are in euros.", ("What is the revenue?",), is_default=True, scope="sql")


async def test_what_is_saved_survives_reopening(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    await save_pairs(record, "p", [PAIR])
    await written(record, "p", record.saved.saving("p", [RULE]))
    before = await record.saved.of("p")
    await record.close()
    record = await Record.open("sqlite", tmp_path)
    after = await record.saved.of("p")
    assert (dict(after.pairs), dict(after.instructions)) == ({"1": PAIR}, {"1": RULE})
    assert after.digest == before.digest
    await record.close()


async def test_the_same_id_replaces_and_other_projects_stay_apart(record: Record) -> None:
    await save_pairs(record, "p", [PAIR, SqlPair("2", "b", "SELECT 2")])
    await save_pairs(record, "q", [SqlPair("1", "q's own", "SELECT 1")])
    await save_pairs(record, "p", [SqlPair("1", "changed", "SELECT 3")])
    assert {pair.question for pair in (await record.saved.of("p")).pairs.values()} == {"b", "changed"}
    assert [pair.question for pair in (await record.saved.of("q")).pairs.values()] == ["q's own"]
    await written(record, "p", record.saved.deleting("sql_pair", "p", ["1", "unknown"]))
    assert set((await record.saved.of("p")).pairs) == {"2"}
    assert set((await record.saved.of("q")).pairs) == {"1"}


async def test_the_digest_follows_the_content(record: Record) -> None:
    empty = (await record.saved.of("p")).digest
    await written(record, "p", record.saved.saving("p", [RULE]))
    full = (await record.saved.of("p")).digest
    await written(record, "p", record.saved.deleting("instruction", "p", ["1"]))
    assert (await record.saved.of("p")).digest == empty != full


async def test_a_pair_with_parameters_is_no_answer_by_itself(record: Record) -> None:
    await save_pairs(record, "p", [PAIR, SqlPair("2", "Which are open?", "SELECT 2")])
    assert set((await record.saved.of("p")).pairs_by_question) == {"which are open"}


async def test_whoever_saves_reads_what_was_saved_whatever_is_read_meanwhile(record: Record) -> None:
    async def save(n: int) -> bool:
        await save_pairs(record, "p", [SqlPair(str(n), f"question {n}", "SELECT 1")])
        return str(n) in (await record.saved.of("p")).pairs

    async def read() -> bool:
        await record.saved.of("p")
        return True

    assert all(await asyncio.gather(*(save(n) if n % 2 else read() for n in range(60))))
    assert len((await record.saved.of("p")).pairs) == 30
