"""Which translations stand as an answer in which mode."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from askwell.sql.rules import Assumption, RulesMode, Translation, accepts

from .bookshop import translator
from .test_golden_questions import BY_FORM

NOW = datetime(2026, 5, 4, tzinfo=UTC)
ALL = [question for questions in BY_FORM.values() for question in questions]


def _translation(probability: float, *kinds: str) -> Translation:
    assumptions = tuple(Assumption(kind, "") for kind in kinds)
    return Translation("SELECT 1", probability, assumptions, ("t",), benchmark_probability=probability)


def test_off_accepts_nothing_and_certainty_is_accepted_by_the_others() -> None:
    certain, hopeless = _translation(1.0), _translation(0.0)
    assert not accepts(certain, RulesMode.OFF)
    for mode in (RulesMode.STRICT, RulesMode.BALANCED):
        assert accepts(certain, mode)
        assert not accepts(hopeless, mode)


def test_what_strict_accepts_balanced_accepts_as_well() -> None:
    outcomes = [translator().translate(question, now=NOW) for question in ALL]
    translations = [outcome for outcome in outcomes if isinstance(outcome, Translation)]
    strict = [t for t in translations if accepts(t, RulesMode.STRICT)]
    balanced = [t for t in translations if accepts(t, RulesMode.BALANCED)]
    assert strict
    assert len(strict) < len(balanced)
    assert all(t in balanced for t in strict)


@pytest.mark.parametrize("kind", ["bridge", "row_repeats", "ranked_join", "ambiguous_column"])
def test_strict_never_takes_these_for_granted(kind: str) -> None:
    assert accepts(_translation(0.99), RulesMode.STRICT)
    assert not accepts(_translation(0.99, kind), RulesMode.STRICT)
    assert accepts(_translation(0.99, kind), RulesMode.BALANCED)


def test_plain_questions_are_surer_than_guesses() -> None:
    rules = translator()
    plain = rules.translate("How many readers are there?", now=NOW)
    guess = rules.translate("Which genres are in orders?", now=NOW)
    assert isinstance(plain, Translation)
    assert isinstance(guess, Translation)
    assert accepts(plain, RulesMode.STRICT)
    assert not accepts(guess, RulesMode.BALANCED)
    assert all(assumption.text and assumption.text[-1] == "." for assumption in guess.assumptions)
