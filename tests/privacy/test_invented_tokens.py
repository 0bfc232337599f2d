"""Tokens that a model writes and was never given, or writes wrongly."""

from __future__ import annotations

import pytest

from askwell.pipelines.generation.reading import read_sql
from askwell.privacy.current import holding
from askwell.privacy.vault import Vault
from askwell.providers.llm.base import ModelReply, Usage
from askwell.services.private_values import everyday_vocabulary

STATEMENT = "SELECT id FROM patients WHERE name = '{}'"


def _vault() -> Vault:
    vault = Vault("values_stay", everyday_vocabulary(), "sqlite")
    assert vault.words('patients named "Zorblax" and "Text 1"') == 'patients named "TEXT_1" and "TEXT_2"'
    return vault


@pytest.mark.parametrize("token", ["TEXT_1", "text_1", "TEXT 1", "Text-1"])
def test_one_that_was_given_is_put_back_however_it_is_written(token: str) -> None:
    with holding(_vault()):
        reply = read_sql(ModelReply(STATEMENT.format(token), Usage()))
    assert reply.sql == STATEMENT.format("Zorblax")


def test_a_value_that_looks_like_a_token_is_put_back_as_it_was_written() -> None:
    vault = _vault()
    once = vault.restored_sql(STATEMENT.format("TEXT_2"))
    with holding(vault):
        assert read_sql(ModelReply(once, Usage())).sql == STATEMENT.format("Text 1")


@pytest.mark.parametrize("token", ["TEXT_77", "text_77", "TEXT 77", "%TEXT_77%"])
def test_one_that_was_never_given_is_a_problem_to_be_corrected(token: str) -> None:
    vault = _vault()
    with holding(vault):
        for _ in range(2):  # what the correction is told of it makes it no better
            reply = read_sql(ModelReply(STATEMENT.format(token), Usage()))
            assert reply.sql is None
            assert reply.problem is not None
            assert "TEXT_77" in vault.words(reply.problem)
            vault.sql(STATEMENT.format(token))


def test_what_people_typed_is_none() -> None:
    vault = _vault()
    vault.words("patients with the code TEXT_88")
    with holding(vault):
        assert read_sql(ModelReply(STATEMENT.format("TEXT_88"), Usage())).sql == STATEMENT.format("TEXT_88")
