"""What stands in double quotes in a statement: names of the model and aliases stay, and nothing else does."""

from __future__ import annotations

import pytest

from askwell.privacy import Vault, Vocabulary, plain_words

STATEMENTS = {
    'SELECT id FROM patients WHERE name = "Hope"': 'SELECT id FROM patients WHERE name = "NAME_1"',
    'SELECT id FROM patients WHERE name IN ("Mark White", "Rose")': (
        'SELECT id FROM patients WHERE name IN ("NAME_1", "NAME_2")'
    ),
    'SELECT "name", sum(1) AS "Total cost" FROM "patients" GROUP BY 1 ORDER BY "Total cost"': (
        'SELECT "name", sum(1) AS "Total cost" FROM "patients" GROUP BY 1 ORDER BY "Total cost"'
    ),
    'WITH "Hope first" AS (SELECT p."name" "Title" FROM patients p) SELECT "Title" FROM "Hope first"': (
        'WITH "Hope first" AS (SELECT p."name" "Title" FROM patients p) SELECT "Title" FROM "Hope first"'
    ),
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_stands_in_double_quotes(statement: str) -> None:
    vocabulary = Vocabulary.of({"patients", "name", "id"}, plain_words())
    vault = Vault("values_stay", vocabulary, "duckdb")
    masked = vault.sql(statement)
    assert masked == STATEMENTS[statement]
    assert vault.restored_sql(masked) == statement
    # In what is sent later, such as an error, it is a value too.
    assert "White" not in vault.words('There is no column "Mark White".')
