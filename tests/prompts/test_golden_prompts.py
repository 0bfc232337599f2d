"""What a model really gets to read, for a rich and for a bare question. `pytest --update-golden` rewrites the files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from askwell.charts.adjusting import Adjustment
from askwell.charts.labels import Labels
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.pipelines.generation.question import Intent, QuestionContext
from askwell.pipelines.generation.result_rows import FittedRows
from askwell.pipelines.generation.sql_writing import sql_generation
from askwell.pipelines.generation.understanding import FAST_INTENT, intent_classification
from askwell.prompts.loader import PromptSet, PromptStyle
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c

GOLDEN = Path(__file__).parent / "golden"

Run = Callable[[GenerationPipelines], Awaitable[object]]
# One call says what kind of question it is, and writes the plan and the SQL.
ASKS = {"asks_intent": True, "asks_plan": True}


def _with_passages(question: QuestionContext) -> QuestionContext:
    return replace(question, passages=c.PASSAGES)


CASES: dict[str, Run] = {
    "column_pruning-rich": lambda p: p.pruning.run(c.RICH_QUESTION, c.RICH),
    "table_relevance-rich": lambda p: p.relevance.run(
        c.RICH_QUESTION, c.RICH, table=c.RICH_MODEL.tables["addresses"], ddl=c.ORDERS_TEXT
    ),
    "table_refinement-rich": lambda p: p.refinement.run(c.RICH_QUESTION, c.RICH, judged=c.JUDGED, tokens=4_000),
    "table_refinement-short": lambda p: p.refinement.run(c.RICH_QUESTION, c.RICH, judged=c.JUDGED, tokens=50),
    "intent_classification-passages": lambda p: p.intent.run(_with_passages(c.RICH_QUESTION), c.RICH),
    "sql_generation-passages": lambda p: p.generation.run(_with_passages(c.RICH_QUESTION), c.RICH),
    "sql_correction-passages": lambda p: p.correction.run(
        _with_passages(c.PLAIN_QUESTION), c.PLAIN, rejected=c.UNKNOWN_TABLE
    ),
    "sql_generation-asks-passages": lambda p: p.generation.run(_with_passages(c.PLAIN_QUESTION), c.PLAIN, **ASKS),
    "data_assistance-passages": lambda p: p.assistance[Intent.GENERAL].run(_with_passages(c.RICH_QUESTION), c.RICH),
    "query_requirements-rich": lambda p: p.requirements.run(
        c.RICH_QUESTION, c.RICH, tables=("orders", "addresses"), model=c.RICH_MODEL
    ),
    "sql_generation-required": lambda p: p.generation.run(
        replace(c.RICH_QUESTION, requirements=c.REQUIREMENTS), c.RICH
    ),
    "intent_classification-rich": lambda p: p.intent.run(c.RICH_QUESTION, c.RICH),
    "intent_classification-plain": lambda p: p.intent.run(c.PLAIN_QUESTION, c.PLAIN),
    "question_reformulation-rich": lambda p: p.reformulation.run(c.RICH_QUESTION),
    "join_inference-rich": lambda p: p.joins.run(c.RICH_QUESTION, c.RICH, pairs=c.OPEN_JOINS, model=c.RICH_MODEL),
    "field_extraction-rich": lambda p: p.extraction.run(
        c.RICH_QUESTION,
        said="ab Neujahr, nur Bayern",
        fields=[
            {"name": "from", "type": "DATE", "required": True, "description": "der erste Tag"},
            {"name": "until", "type": "DATE", "required": True, "is_excluded": True},
            {"name": "region", "type": "VARCHAR", "required": False},
        ],
        known={"to": "2024-03-31"},
    ),
    "choice_matching-rich": lambda p: p.matching.run(
        c.RICH_QUESTION,
        asked="“Betrag” could be Net amount or Gross amount.",
        options=[
            {"id": "1", "label": "Net amount", "detail": ""},
            {"id": "2", "label": "Gross amount", "detail": "with VAT"},
        ],
        said="der mit Steuer",
    ),
    "sql_generation-asks-rich": lambda p: p.generation.run(c.RICH_QUESTION, c.RICH, **ASKS),
    "sql_generation-asks-plain": lambda p: p.generation.run(c.PLAIN_QUESTION, c.PLAIN, **ASKS),
    "sql_generation-plans": lambda p: p.generation.run(c.PLAIN_QUESTION, c.PLAIN, asks_plan=True),
    "sql_generation-rich": lambda p: p.generation.run(c.RICH_QUESTION, c.RICH),
    "sql_generation-plain": lambda p: p.generation.run(c.PLAIN_QUESTION, c.PLAIN),
    "sql_diagnosis-rich": lambda p: p.diagnosis.run(c.RICH_QUESTION, c.RICH, rejected=c.UNKNOWN_COLUMN),
    "sql_correction-rich": lambda p: p.correction.run(
        c.RICH_QUESTION,
        c.RICH,
        plan=c.PLAN,
        rejected=c.UNKNOWN_COLUMN,
        diagnosis=c.DIAGNOSIS,
        earlier=(c.UNKNOWN_TABLE,),
    ),
    "sql_correction-guard": lambda p: p.correction.run(c.RICH_QUESTION, c.RICH, rejected=c.REFUSED),
    "sql_correction-no-statement": lambda p: p.correction.run(
        c.PLAIN_QUESTION, c.PLAIN, rejected=c.NO_STATEMENT, earlier=(c.NO_STATEMENT,)
    ),
    "sql_correction-anew": lambda p: p.correction.run(
        c.RICH_QUESTION, c.RICH, rejected=c.UNKNOWN_TABLE, earlier=(c.UNKNOWN_TABLE, c.REFUSED), anew=True
    ),
    "sql_correction-timeout": lambda p: p.correction.run(c.PLAIN_QUESTION, c.PLAIN, rejected=c.TOO_SLOW),
    "sql_correction-no-rows": lambda p: p.correction.run(c.PLAIN_QUESTION, c.PLAIN, rejected=c.NO_ROWS),
    "sql_correction-question": lambda p: p.correction.run(c.PLAIN_QUESTION, c.PLAIN, rejected=c.ANOTHER_QUESTION),
    "sql_regeneration-rich": lambda p: p.regeneration.run(c.RICH_QUESTION, c.RICH, plan=c.PLAN, sql=c.SQL),
    "sql_regeneration-plain": lambda p: p.regeneration.run(c.PLAIN_QUESTION, c.PLAIN, plan="1. Count the rows."),
    "sql_summaries-rich": lambda p: p.summaries.run(c.RICH_QUESTION, steps=c.STEPS, words=c.IN_WORDS),
    "sql_question-rich": lambda p: p.question.run(sql=c.SQL, words=c.IN_WORDS, language="German", dialect="duckdb"),
    "sql_question-plain": lambda p: p.question.run(sql="SELECT count(*) FROM customers", dialect="sqlite"),
    "sql_answer-rich": lambda p: p.answer.run(
        c.RICH_QUESTION, sql=c.SQL, rows=c.ROWS, instructions=c.RICH.instructions
    ),
    "sql_answer-cut": lambda p: p.answer.run(
        c.PLAIN_QUESTION, sql="SELECT id FROM customers", rows=FittedRows('["id"]', ("[1]", "[2]"), 500)
    ),
    "chart_generation-rich": lambda p: p.charts.run(c.RICH_QUESTION, c.DRAWN, labels=Labels()),
    "chart_generation-plain": lambda p: p.charts.run(c.PLAIN_QUESTION, c.PLAIN_DRAWN, labels=Labels()),
    "chart_adjustment-rich": lambda p: p.chart_adjustment.run(
        c.RICH_QUESTION, c.DRAWN, adjustment=Adjustment("multi_line", y_axis="revenue"), labels=Labels()
    ),
    "data_assistance-rich": lambda p: p.assistance[Intent.GENERAL].run(c.RICH_QUESTION, c.RICH),
    "data_assistance-plain": lambda p: p.assistance[Intent.GENERAL].run(c.PLAIN_QUESTION, c.PLAIN),
    "misleading_assistance-rich": lambda p: p.assistance[Intent.MISLEADING_QUERY].run(c.RICH_QUESTION, c.RICH),
    "misleading_assistance-plain": lambda p: p.assistance[Intent.MISLEADING_QUERY].run(c.PLAIN_QUESTION, c.PLAIN),
    "user_guide-rich": lambda p: p.assistance[Intent.USER_GUIDE].run(c.RICH_QUESTION, c.RICH),
    "question_recommendation-rich": lambda p: p.recommendation.run(
        c.QUESTION_BRIEF, model=c.RICH_MODEL, tables=("orders", "addresses")
    ),
    "question_suggestion-rich": lambda p: p.suggestion.run(
        c.RICH_QUESTION, sql="SELECT SUM(total) AS total FROM revenue", model=c.RICH_MODEL, tables=("revenue", "orders")
    ),
    "relationship_recommendation-rich": lambda p: p.relationships.run(c.RICH_MODEL, language="German"),
    "semantics_description-rich": lambda p: p.description.run(c.DESCRIPTION_BRIEF),
}


@pytest.fixture(scope="module")
def model() -> RecordingModel:
    return RecordingModel()


@pytest.fixture(scope="module")
def pipelines(model: RecordingModel) -> GenerationPipelines:
    return GenerationPipelines(lambda _: model)


def _as_read(model: RecordingModel) -> str:
    asked = model.calls[-1]
    return f"{asked.system}\n----- user -----\n\n{asked.user}"


@pytest.mark.parametrize("case", CASES)
async def test_the_prompt_reads_as_in_its_golden_file(
    case: str, pipelines: GenerationPipelines, model: RecordingModel, golden: Callable[[Path, str], None]
) -> None:
    await CASES[case](pipelines)
    golden(GOLDEN / f"{case}.md", _as_read(model))


_LEAN: dict[str, Run] = {
    "sql_generation-lean": lambda p: p.generation.run(c.PLAIN_QUESTION, c.PLAIN),
    "sql_generation-rich-lean": lambda p: p.generation.run(c.RICH_QUESTION, c.RICH),
    "sql_generation-passages-lean": lambda p: p.generation.run(_with_passages(c.PLAIN_QUESTION), c.PLAIN),
    "sql_correction-lean": lambda p: p.correction.run(c.PLAIN_QUESTION, c.PLAIN, rejected=c.UNKNOWN_TABLE),
    "intent_classification-lean": lambda p: p.intent.run(c.PLAIN_QUESTION, c.PLAIN),
    "sql_generation-asks-lean": lambda p: p.generation.run(c.PLAIN_QUESTION, c.PLAIN, **ASKS),
}


@pytest.mark.parametrize("case", _LEAN)
async def test_the_prompt_for_a_small_model(
    case: str, model: RecordingModel, golden: Callable[[Path, str], None]
) -> None:
    await _LEAN[case](GenerationPipelines(lambda _: model, prompts_for=lambda _: PromptSet("lean")))
    golden(GOLDEN / f"{case}.md", _as_read(model))


@pytest.mark.parametrize(("case", "style"), [("sql_generation-ranks", "full"), ("sql_generation-ranks-lean", "lean")])
async def test_the_prompt_with_ranks(
    case: str, style: PromptStyle, model: RecordingModel, golden: Callable[[Path, str], None]
) -> None:
    ranks = PromptSet(style, ranking_style="dense_rank")
    await sql_generation.build(model, prompts=ranks).run(c.PLAIN_QUESTION, c.PLAIN)
    golden(GOLDEN / f"{case}.md", _as_read(model))


@pytest.mark.parametrize(
    ("case", "question"),
    [
        ("intent_classification_fast-rich", c.RICH_QUESTION),
        ("intent_classification_fast-passages", _with_passages(c.RICH_QUESTION)),
    ],
)
async def test_the_fast_intent_prompt(
    case: str,
    question: QuestionContext,
    model: RecordingModel,
    golden: Callable[[Path, str], None],
) -> None:
    await intent_classification.build(model, prompt=FAST_INTENT).run(question, c.RICH)
    golden(GOLDEN / f"{case}.md", _as_read(model))


@pytest.mark.parametrize(
    "dialect", ["duckdb", "sqlite", "postgres", "mysql", "trino", "bigquery", "snowflake", "tsql", ""]
)
async def test_json_and_epoch_are_read_with_the_dialects_own_functions(
    dialect: str, pipelines: GenerationPipelines, model: RecordingModel, golden: Callable[[Path, str], None]
) -> None:
    await pipelines.generation.run(replace(c.RICH_QUESTION, dialect=dialect), c.RICH)
    system = model.calls[-1].system
    epoch, json = (
        system.partition(f"## {title}\n")[2].partition("\n## ")[0] for title in ("Times as numbers", "JSON columns")
    )
    golden(GOLDEN / f"dialect-{dialect or 'unknown'}.md", f"{epoch}\n\n{json}")
