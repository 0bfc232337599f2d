"""Prompts where values stay: what models read then, and that no variable is left out of the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.pipelines.generation.build import GenerationPipelines
from askwell.privacy.current import holding
from askwell.privacy.vault import Vault
from askwell.privacy.vocabulary import Vocabulary, plain_words
from askwell.prompts.masking import VARIABLES
from askwell.prompts.variables import PROMPT_VARIABLES
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.prompts.test_golden_prompts import CASES, GOLDEN


def vault(mode: str) -> Vault:
    names = [name for table in c.RICH_MODEL for name in (table.name, *(column.name for column in table.columns))]
    assert mode in ("values_stay", "schema_only")
    known = [match.words for match in c.RICH.values]
    return Vault(mode, Vocabulary.of(names, plain_words()), "duckdb", lambda text: known)  # type: ignore[arg-type]


def test_every_variable_has_a_line() -> None:
    assert frozenset().union(*PROMPT_VARIABLES.values()) == frozenset(VARIABLES)


@pytest.mark.parametrize("mode", ["values_stay", "schema_only"])
async def test_what_a_model_reads(mode: str, golden: Callable[[Path, str], None]) -> None:
    model = RecordingModel()
    with holding(vault(mode)):
        await CASES["sql_generation-rich"](GenerationPipelines(lambda _: model))
    golden(GOLDEN / f"sql_generation-{mode}.md", "\n".join(f"{call.system}\n{call.user}" for call in model.calls))


@pytest.mark.parametrize("mode", ["values_stay", "schema_only"])
@pytest.mark.parametrize("case", sorted(CASES))
async def test_every_prompt_can_be_written(case: str, mode: str) -> None:
    model = RecordingModel()
    with holding(vault(mode)):
        await CASES[case](GenerationPipelines(lambda _: model))
    assert model.calls
