"""Values that a question names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.mdl.semantic_model import Column, ColumnRef
from askwell.pipelines.retrieval.context import ValueKind, ValueMatch
from askwell.pipelines.retrieval.value_index import ValueIndex
from askwell.pipelines.retrieval.value_words import value_hints
from tests.support.models import semantic_model
from tests.support.tables import case_rows

MODEL = semantic_model(
    {
        "customers": ["id", "name", "country", "city", "state", Column("email", "VARCHAR", sensitive=True)],
        "artists": ["id", "name"],
        "products": ["id", "name", "made_in"],
        "orders": ["id", Column("status", "VARCHAR", values=("open", "paid", "in transit", "Cancelled"))],
    }
)
VALUES = {
    ColumnRef("customers", "name"): ("Anna Jackson", "O'Brien & Sons", "Emma Lind"),
    ColumnRef("customers", "country"): ("Germany", "USA", "Netherlands", "United Arab Emirates", "Côte d'Ivoire"),
    ColumnRef("customers", "city"): ("New York", "York", "São Paulo", "Köln", "Malmö"),
    ColumnRef("customers", "state"): ("IN", "OR", "CA", "NY", "2024"),
    ColumnRef("customers", "email"): ("ada@example.org",),
    ColumnRef("artists", "name"): ("Michael Jackson", "The Otters", "Fox/Hen", "+"),
    ColumnRef("products", "name"): ("T-shirt", "Emma's Gumbo Mix", "Mixed Nuts", "Refund"),
    ColumnRef("products", "made_in"): ("Germany", "India"),
}
INDEX = ValueIndex(MODEL, VALUES)


def found(question: str) -> dict[tuple[str, str], str]:
    """The kind of each match, by column and value."""
    return {(str(match.column), match.value): match.kind for match in INDEX.matches(question)}


@pytest.mark.parametrize(("question", "expected"), case_rows(__file__, "matches", "question", "expected"))
def test_matches(question: str, expected: list[list[str]]) -> None:
    assert found(question) == {(column, value): kind for column, value, kind in expected}


def test_a_country_is_found_by_its_adjective_where_the_question_speaks_of_it() -> None:
    first, second = INDEX.matches("German customers")
    assert (first.words, str(first.column), first.value) == ("German", "customers.country", "Germany")
    assert str(second.column) == "products.made_in", "of two columns the one whose table is named comes first"
    assert first.score > second.score


def test_the_longest_name_comes_first_and_exact_ones_score_most() -> None:
    first, second, *_ = INDEX.matches("customers in New York")
    assert (first.value, second.value) == ("New York", "NY"), "York alone is less than New York"
    scores = [
        INDEX.matches(question)[0].score
        for question in ("artists 'Michael Jackson'", "artists michael jackson", "artists Micheal Jackson", "Jackson")
    ]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_a_part_of_a_name_leads_to_all_who_have_it_those_of_the_named_table_first() -> None:
    assert [str(match.column) for match in INDEX.matches("customers called jackson")] == [
        "customers.name",
        "artists.name",
    ]


def test_a_code_counts_only_in_a_column_of_its_kind() -> None:
    model = semantic_model({"parts": ["id", "grade"]})
    index = ValueIndex(model, {ColumnRef("parts", "grade"): ("CA", "DE")})
    assert index.matches("parts made in California or Germany") == ()


def test_an_everyday_word_is_a_value_only_beside_its_column_or_table() -> None:
    assert found("open orders") == found("what is the status open?") == {("orders.status", "open"): "exact"}
    assert found("at what time does the shop open") == {}


def test_of_the_columns_that_hold_a_quoted_text_the_named_one_comes_first() -> None:
    for question, first in {
        "products made in 'Germany'": "products.made_in",
        "country 'Germany'": "customers.country",
    }.items():
        assert str(INDEX.matches(question)[0].column) == first


def test_many_columns_with_one_value_leave_room_for_other_words() -> None:
    model = semantic_model({f"t{number}": ["id", "place"] for number in range(7)})
    values = {ColumnRef(f"t{number}", "place"): ("Graz",) if number < 6 else ("Linz",) for number in range(7)}
    matches = ValueIndex(model, values).matches("Graz or linz")
    assert matches[0].value == matches[-1].value == "Graz"
    assert "Linz" in {match.value for match in matches}


def test_the_words_as_written_are_told() -> None:
    (match,) = INDEX.matches("all from the united   arab emirates!")
    assert match.words == "united   arab emirates"


def test_a_word_in_many_values_leads_to_none_by_itself() -> None:
    model = semantic_model({"streets": ["id", "name"]})
    names = tuple(f"Harbour lane {chr(97 + n % 26) * 4}{chr(97 + n // 26) * 4}" for n in range(300))
    index = ValueIndex(model, {ColumnRef("streets", "name"): names})
    assert index.matches("who lives in the lane") == ()
    assert [match.value for match in index.matches("who lives in harbour lane bbbbcccc")] == ["Harbour lane bbbbcccc"]


@given(st.text(max_size=200))
def test_any_text_is_read(question: str) -> None:
    assert all(match.words in question and 0 < match.score <= 1 for match in INDEX.matches(question))


@given(st.text(min_size=1, max_size=30).filter(lambda text: text.strip() and not set(text) & set('"\n“”„')), st.text())
def test_a_quoted_value_is_always_found(value: str, around: str) -> None:
    index = ValueIndex(MODEL, {ColumnRef("artists", "name"): (value,)})
    before = around.replace('"', "").translate({ord(mark): None for mark in "'’‘“”„«»\n"})
    matches = index.matches(f'{before} "{value}"')
    assert matches[0].value == value
    assert matches[0].kind == "exact"


# -- Of the values that a question seems to name, those that a language model is told of.


@pytest.mark.parametrize(
    ("words", "value", "kind", "told"),
    case_rows(__file__, "only_what_is_likely_is_told", "words", "value", "kind", "told"),
)
def test_only_what_is_likely_is_told(words: str, value: str, kind: ValueKind, told: bool) -> None:
    match = ValueMatch(words, ColumnRef("t", "c"), value, 0.8, kind)
    assert value_hints([match]) == ((match,) if told else ())


def test_what_stands_in_quotation_marks_is_told_whatever_it_is() -> None:
    match = ValueMatch("10", ColumnRef("t", "c"), "10", 0.98, "exact")
    assert value_hints([match]) == (match,)


def test_spellings_of_a_value_are_told_once() -> None:
    column = ColumnRef("halls", "name")
    matches = [ValueMatch("Studio", column, value, 0.9, "case") for value in ("Studio", "STUDIO ", "studio")]
    assert value_hints(matches) == (matches[0],)
