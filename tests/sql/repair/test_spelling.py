"""When one name is another one misspelt, and when it is another name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.sql.repair.spelling import closest, slip, words

SLIPS = [
    ("frist_name", "first_name"),
    ("Custmer", "Customer"),
    ("nme", "name"),
    ("agex", "age"),
    ("Counttry", "country"),
    ("natioality", "Nationality"),
    ("Ref_CCalendar", "ref_calendar"),
    ("gymnast_d", "Gymnast_ID"),
    ("i_iid", "i_id"),
    ("Addres", "Address"),
    ("STU_NUUM", "stu_num"),
]
OTHERS = [
    ("height", "weight"),
    ("country", "county"),
    ("first_name", "last_name"),
    ("created_at", "updated_at"),
    ("addr1", "addr2"),
    ("aircraft_id", "aircraft"),
    ("t_people", "people"),
    ("pname", "name"),
    ("min_price", "max_price"),
    ("sale_date", "sale_rate"),
    ("id", "is"),
]


@pytest.mark.parametrize(("wrong", "meant"), SLIPS)
def test_slips_of_the_fingers(wrong: str, meant: str) -> None:
    assert closest(wrong, [meant, "quite_another"]) == meant


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_one_real_word_is_never_taken_for_another(one: str, other: str) -> None:
    assert closest(one, [other]) is None
    assert closest(other, [one]) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("CustomerID", "customer_id"),
        ("customerId", "CUSTOMER_ID"),
        ("customers_ids", "customer_id"),
        ("name_first", "first_name"),
        ("Movies", "Movie"),
        ("cities", "city"),
        ("ENROLLs", "ENROLL"),
        ("addresses", "Address"),
    ],
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
