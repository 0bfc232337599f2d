"""Months and days that people are called like: a question says the same of them in every prompt of an ask."""

from __future__ import annotations

import re

import pytest

from askwell.privacy.vault import Vault
from askwell.services.private_values import everyday_vocabulary
from tests.support.tables import case_table

_NAMES = re.compile(r"\b(?:May|April)\b", re.IGNORECASE)
# With a May and an April among the sampled values.
SAMPLED = case_table(__file__, "sampled")
UNSAMPLED = case_table(__file__, "unsampled")


def _vault(*, sampled: bool) -> Vault:
    known = _NAMES.findall if sampled else lambda text: ()
    return Vault("values_stay", everyday_vocabulary(), "sqlite", known)


@pytest.mark.parametrize("question", SAMPLED)
def test_one_that_is_sampled_is_a_value_wherever_it_is_not_clearly_a_period(question: str) -> None:
    vault = _vault(sampled=True)
    first = vault.words(question)
    # What later prompts are sent: the same values, with the sampled ones beside them.
    vault.cell(["May", "April"])
    assert first == SAMPLED[question]
    assert vault.words(question) == first
    assert vault.restored(first) == question


@pytest.mark.parametrize("question", UNSAMPLED)
def test_one_that_is_not_sampled_is_a_value_where_somebody_is_called_so(question: str) -> None:
    vault = _vault(sampled=False)
    first = vault.words(question)
    assert first == UNSAMPLED[question]
    assert vault.words(question) == first


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
def test_blanks_within_quotation_marks_are_no_part_of_the_value(blank: str) -> None:
    vault = _vault(sampled=False)
    asked = f"orders in «{blank}Nantes{blank}» or in “Bath{blank}”"
    assert vault.words(asked) == f"orders in «{blank}TEXT_1{blank}» or in “TEXT_2{blank}”"
    assert vault.restored_sql("SELECT 'TEXT_1', 'TEXT_2'") == "SELECT 'Nantes', 'Bath'"
