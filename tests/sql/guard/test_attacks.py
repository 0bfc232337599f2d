"""Every attack is refused, by a rule that fits, saying where."""

from __future__ import annotations

import pytest

from askwell.sql.guard import DIALECTS, GuardRefusal
from tests.sql.guard.attacks import ATTACKS
from tests.sql.guard.parcels import GUARDS, allowed


# No server is asked, so the ids are not those of tests for servers.
@pytest.mark.parametrize("dialect", ATTACKS, ids="of {}".format)
def test_attacks_are_refused(dialect: str) -> None:
    for rules, sql in ATTACKS[dialect]:
        outcome = GUARDS[dialect].check(sql, allowed(dialect))
        assert isinstance(outcome, GuardRefusal), sql
        assert outcome.rule in rules.split(), (sql, outcome)
        assert outcome.message.endswith((".", ")")), (sql, outcome)
        assert len(outcome.where) <= 120, (sql, outcome)


def test_every_dialect_has_attacks() -> None:
    assert set(ATTACKS) == set(DIALECTS)


def test_refusal_names_the_place() -> None:
    outcome = GUARDS["duckdb"].check("SELECT id, getenv('HOME') FROM people", allowed("duckdb"))
    assert isinstance(outcome, GuardRefusal)
    assert outcome.where == "GETENV('HOME')"


def test_unknown_function_names_the_nearest() -> None:
    outcome = GUARDS["duckdb"].check("SELECT list_dist([1]) FROM people", allowed("duckdb"))
    assert isinstance(outcome, GuardRefusal)
    assert outcome.rule == "function_unknown"
    assert "list_distinct" in outcome.message
    assert outcome.name == "list_dist"
    assert "list_distinct" in outcome.nearest


def test_a_function_of_another_dialect_names_ours() -> None:
    outcome = GUARDS["sqlite"].check("SELECT mean(weight) FROM shipments", allowed("sqlite"))
    assert isinstance(outcome, GuardRefusal)
    assert outcome.message == "The database has no function mean; nearest: avg."


def test_unknown_dialect_is_an_error() -> None:
    from askwell.sql.guard import Guard

    with pytest.raises(ValueError, match="knows no dialect"):
        Guard("klingon")
