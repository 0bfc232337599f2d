"""What stands in double quotes in a statement: names of the model and aliases stay, and nothing else does."""

from __future__ import annotations

import pytest

from askwell.privacy.vault import Vault
from askwell.privacy.vocabulary import Vocabulary, plain_words
from tests.support.tables import case_table

STATEMENTS = case_table(__file__, "statements")


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_stands_in_double_quotes(statement: str) -> None:
    vocabulary = Vocabulary.of({"patients", "name", "id"}, plain_words())
    vault = Vault("values_stay", vocabulary, "duckdb")
    masked = vault.sql(statement)
    assert masked == STATEMENTS[statement]
    assert vault.restored_sql(masked) == statement
    # In what is sent later, such as an error, it is a value too.
    assert "White" not in vault.words('There is no column "Mark White".')
