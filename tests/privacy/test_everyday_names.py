"""Names, places, dates and numbers that everyday words and signs are a part of: what of a question may leave."""

from __future__ import annotations

import pytest

from askwell.privacy.vault import Vault
from askwell.services.private_values import everyday_vocabulary
from tests.support.tables import case_rows

QUESTIONS = {
    "How many orders did Theresa May place?": "How many orders did TEXT_1 place?",
    "orders of Karl May and those of April Jones": "orders of TEXT_1 and those of TEXT_2",
    "April Jones orders in May": "TEXT_1 orders in May",
    "orders of mrs. White and dr Green in March": "orders of mrs. TEXT_1 and dr TEXT_2 in March",
    "How many visits had Rose Price?": "How many visits had TEXT_1?",
    "orders by Jan Monday in January": "orders by TEXT_1 in January",
    "orders of Sandy, Mark; Daisy": "orders of TEXT_1, TEXT_2; TEXT_3",
    "Sandy, Mark; Daisy": "TEXT_1, TEXT_2; TEXT_3",
    "- Rose\n- Mark": "- TEXT_1\n- TEXT_2",
    "Mark and Rose: how many orders?": "TEXT_1 and TEXT_2: how many orders?",
    "HOW MANY ORDERS DID MARK BROWN PLACE IN MAY?": "HOW MANY ORDERS DID TEXT_1 PLACE IN MAY?",
    "However, show orders. Yes, all.": "However, show orders. Yes, all.",
    "orders in May 2030 and on Monday": "orders in May NUMBER_1 and on Monday",
    "since 4. Oktober 2031, 15 de mayo de 2030": "since DATE_1, DATE_2",
    "since 1er mai 2030, 3. Mai, 09/14/2028": "since DATE_1, DATE_2, DATE_3",
    "above 4.711,37 or 2 845,19 € or 12,5 %": "above NUMBER_1 or NUMBER_2 € or NUMBER_3 %",
    "visits with 725mg, or 5 kg": "visits with NUMBER_1mg, or NUMBER_2 kg",
    "customers in united states, south africa": "customers in TEXT_1, TEXT_2",
    "customers in ivory coast or england": "customers in TEXT_1 or TEXT_2",
    "Welche Kunden sind von quarlbach oder zorblax?": "Welche Kunden sind von TEXT_1 oder TEXT_2?",
    "Combien de commandes de l'zorblax avec quarlbach?": "Combien de commandes de l'TEXT_1 avec TEXT_2?",
    "¿Cuántos pedidos tuvo zorblax y quarlbach?": "¿Cuántos pedidos tuvo TEXT_1 y TEXT_2?",
    "what is the surname and nickname of zorblax": "what is the surname and nickname of TEXT_1",
    "orders of TEXT_1 and NUMBER_2 above 88": "orders of TEXT_1 and NUMBER_2 above NUMBER_1",
    'orders with "TEXT_7 breast cancer"': 'orders with "TEXT_7 TEXT_1"',
    "doses of 12,5 mg and 1 250 000 euros or 20 000": "doses of NUMBER_1 mg and NUMBER_2 euros or NUMBER_3",
    "rooms 1,5 and 7 on 555 123 4567": "rooms NUMBER_1,NUMBER_2 and NUMBER_3 on NUMBER_4 NUMBER_5 NUMBER_6",
    "marketing 5, 2031 and 7 decision 2030": "marketing NUMBER_1, NUMBER_2 and NUMBER_3 decision NUMBER_4",
    "orders below -5 or above .5": "orders below -NUMBER_1 or above NUMBER_2",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_leaves_of_a_question(question: str) -> None:
    vault = Vault("values_stay", everyday_vocabulary())
    masked = vault.words(question)
    assert masked == QUESTIONS[question]
    assert vault.restored(masked) == question
    assert vault.words(masked) == masked


@pytest.mark.parametrize(
    ("written", "in_sql"),
    case_rows(__file__, "what_sql_gets", "written", "in_sql"),
)
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
