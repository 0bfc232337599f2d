"""Names, places, dates and numbers that everyday words and signs are a part of: what of a question may leave."""

from __future__ import annotations

import pytest

from askwell.privacy.vault import Vault
from askwell.services.private_values import everyday_vocabulary
from tests.support.tables import case_rows, case_table

QUESTIONS = case_table(__file__, "questions")


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_leaves_of_a_question(question: str) -> None:
    vault = Vault("values_stay", everyday_vocabulary())
    masked = vault.words(question)
    assert masked == QUESTIONS[question]
    assert vault.restored(masked) == question
    assert vault.words(masked) == masked


@pytest.mark.parametrize(("written", "in_sql"), case_rows(__file__, "what_sql_gets", "written", "in_sql"))
def test_what_sql_gets(written: str, in_sql: str) -> None:
    vault = Vault("values_stay", everyday_vocabulary())
    token = vault.words(f"orders above {written}").removeprefix("orders above ").removesuffix(" mg")
    assert vault.restored_sql(f"SELECT {token}") == f"SELECT {in_sql}"


@pytest.mark.parametrize(
    ("written", "in_sql"), [("1.500", "1500"), ("1,234", "1.234"), ("0,125", "0.125"), ("12,5", "12.5")]
)
def test_what_sql_gets_of_a_question_in_german(written: str, in_sql: str) -> None:
    vault = Vault("values_stay", everyday_vocabulary())
    token = vault.words(f"Welche Kunden haben mehr als {written} bezahlt?").split()[-2]
    assert vault.restored_sql(f"SELECT {token}") == f"SELECT {in_sql}"


@pytest.mark.parametrize("mark", ["'", "’"])
def test_what_belongs_to_somebody_names_them_without_the_s(mark: str) -> None:
    vault = Vault("values_stay", everyday_vocabulary())
    sent = vault.words(f"What are Grevnazedahl Quishocfenn{mark}s total fees?")
    token = next(word for word in sent.split() if "TEXT_" in word).split(mark)[0]
    statement = "SELECT 1 FROM a WHERE b = '{}'"
    assert vault.restored_sql(statement.format(token)) == statement.format("Grevnazedahl Quishocfenn")
