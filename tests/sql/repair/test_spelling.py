"""When one name is another one misspelt, and when it is another name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.sql.repair.spelling import closest, slip, words
from tests.support.tables import case_rows

SLIPS = case_rows(__file__, "slips", "wrong", "meant")
OTHERS = case_rows(__file__, "others", "one", "other")


@pytest.mark.parametrize(("wrong", "meant"), SLIPS)
def test_slips_of_the_fingers(wrong: str, meant: str) -> None:
    assert closest(wrong, [meant, "quite_another"]) == meant


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_one_real_word_is_never_taken_for_another(one: str, other: str) -> None:
    assert closest(one, [other]) is None
    assert closest(other, [one]) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    case_rows(__file__, "another_style_is_the_same_name", "written", "meant"),
)
def test_another_style_is_the_same_name(written: str, meant: str) -> None:
    assert closest(written, [meant, "customer", "last_name"]) == meant


def test_two_that_are_as_near_are_none() -> None:
    assert closest("naame", ["naame_1", "naames", "naamy"]) == "naames"
    assert closest("categoryy", ["category", "categorys"]) is None
    assert closest("customr", ["customer", "customer_", "invoices"]) is None


def test_a_word_that_names_here_are_made_of_is_no_slip() -> None:
    assert closest("depat", ["depot"]) == "depot"
    assert closest("depat", ["depot"], known=frozenset({"depat"})) is None


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=6))
def test_any_text_gives_a_candidate_or_none(name: str, candidates: list[str]) -> None:
    found = closest(name, candidates)
    assert found is None or found in candidates


@given(st.from_regex(r"[a-z]{2,8}(_[a-z0-9]{1,8}){0,3}", fullmatch=True))
def test_a_name_is_no_slip_of_itself_in_another_style(name: str) -> None:
    assert closest(name.upper(), [name]) == name
    assert slip(name, name) is None
    assert words(name) == words(name.upper())
