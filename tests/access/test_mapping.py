"""Whatever stands in a claim becomes one SQL literal, or the person is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from askwell.access.mapping import UnusableClaim, principal_from
from askwell.config import SignInConfig
from askwell.principal import Principal
from tests.support.tables import case_rows

TYPES = ("text", "number", "boolean")
ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.lists(st.text()), st.just("1e5"),
    st.dictionaries(st.text(), st.text()), st.text("'\\\";-/*` 0a", max_size=20),
)  # fmt: skip


def mapped(claims: dict[str, Any], **section: Any) -> Principal:
    config = SignInConfig.model_validate({"keys": True, **section})
    return principal_from(claims, id="i", name="n", role="ask", projects=None, mapping=config)


@pytest.mark.parametrize("kind", TYPES)
@given(value=ANYTHING)
def test_a_claim_is_one_literal_or_refused(kind: str, value: Any) -> None:
    try:
        person = mapped({"c": value}, properties={"p": {"claim": "c", "type": kind}}).person
    except UnusableClaim:
        return
    if value is None:
        assert person.session_properties == {}
        return
    tree = parse_one(f"SELECT {person.session_properties['p']}")
    (only,) = tree.expressions
    inner = only.this if isinstance(only, exp.Neg) else only
    assert isinstance(inner, exp.Literal | exp.Boolean)
    if kind == "text":
        assert inner.this == str(value)


@pytest.mark.parametrize(
    ("kind", "value", "literal"),
    case_rows(__file__, "what_becomes_what", "kind", "value", "literal"),
)
def test_what_becomes_what(kind: str, value: Any, literal: str) -> None:
    found = mapped({"c": value}, properties={"p": {"claim": "c", "type": kind}})
    assert found.person.session_properties == {"p": literal}


@pytest.mark.parametrize(
    ("kind", "value"),
    [("text", ["a"]), ("text", "a\0b"), ("text", "x" * 1_001), ("text", True), ("number", "1; DROP TABLE x"),
     ("number", "1e400"), ("number", 1e-40), ("number", float("nan")), ("number", True), ("boolean", "yes"),
     ("boolean", 1)],
)  # fmt: skip
def test_what_is_refused(kind: str, value: Any) -> None:
    with pytest.raises(UnusableClaim):
        mapped({"c": value}, properties={"p": {"claim": "c", "type": kind}})


def test_a_database_role_is_one_of_the_map_or_the_person_is_refused() -> None:
    chosen = {"claim": "team", "roles": {"emea": "askwell_emea"}}
    assert mapped({"team": "emea"}, database_role=chosen).person.database_role == "askwell_emea"
    assert mapped({}, database_role={**chosen, "default": "least"}).person.database_role == "least"
    assert mapped({"team": "r_1"}, database_role={"claim": "team"}).person.database_role == "r_1"
    for team in ("apac", "askwell_emea", ["emea"], "", None):
        with pytest.raises(UnusableClaim):
            mapped({"team": team}, database_role=chosen)
    for role in ("a; DROP ROLE b", 'a"b', "NONE; ", "", "x" * 64):
        with pytest.raises(UnusableClaim):
            mapped({"team": role}, database_role={"claim": "team"})
