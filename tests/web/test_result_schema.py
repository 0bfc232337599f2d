"""The result on the OpenAPI page and the result that is sent are the same."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import TypeAdapter

from askwell.asks.alternatives import AlternativeBody
from askwell.asks.citations import Citation
from askwell.asks.request import Clarification, Filling, Option
from askwell.asks.result import AskResult, render
from askwell.asks.states import (
    Account,
    AskError,
    AskState,
    AwaitingCorrection,
    Correcting,
    Failed,
    Finished,
    Generating,
    Known,
    Planning,
    Queued,
    Searching,
    SqlAnswer,
    Stopped,
    Understanding,
    WordsAnswer,
)
from askwell.checking.finding import Finding, Severity
from askwell.knowledge.lessons import Lesson
from askwell.knowledge.saved import AskedParameter
from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.generation.question import Intent, QueryRequirements
from askwell.providers.engine.base import QueryRows, ResultColumn
from askwell.providers.llm.base import Usage
from askwell.sql.bindings import Bindings
from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.support.tables import case_table

UNDERSTOOD = Known(is_followup=True, rephrased="How many orders in 2024?")
FOUND = replace(UNDERSTOOD, tables=("orders",), intent_reasoning="It asks for a count.")
REQUIRED = QueryRequirements(("orders",), filters=("placed in 2024",), aggregations=("count of rows",), reasoning="so")
REJECTED = RejectedSql(RejectionKind.BIND, "SELECT x", "SELECT x", "no column x")
VALID = ValidSql(
    "SELECT 1", "WITH …", "duckdb", ("orders",), ("spelling of x",), ("rows are multiplied",), renamed=True
)
ASKED = Clarification(
    "c1",
    "table_selection",
    "“orders” could mean a or b. Which one?",
    (
        Option("1", "a", "those of today", Bindings(tables=("a",), not_tables=("b",), columns=(ColumnRef("a", "x"),))),
        Option("2", "b", "a.x = b.y", Bindings(relationships=("a_b",))),
    ),
    1,
    3,
)
ACCOUNT = Account(Usage(2, 100, 20, 0.01), (("retrieval", 3.25),))
CITED = (Citation(1, "document-1", "Handbook", "page 3, Returns", "Goods may be sent back.", 9, 12),)
PLANNED = replace(FOUND, plan="1. **Count**")
PLAN_CITED = replace(PLANNED, citations=CITED)
ROWS = QueryRows((ResultColumn("n", "INTEGER"),), ((1,), (None,), ("text",)), truncated=True)
ALTERNATIVES: tuple[AlternativeBody, ...] = case_table(__file__, "alternatives")

RESULT = TypeAdapter(AskResult)
NO_SQL = AskError("NO_RELEVANT_SQL", "no")
DOUBT = Finding("value_unasked", Severity.DOUBT, "", "a = 'x'", "The question doesn't mention “x”.")
LESSON = Lesson("l-1", "table_mapping", "words zorb", {"said": "zorbs", "table": "orders"}, "manual", "active")
STATES: list[AskState] = [
    Queued(),
    Understanding(is_followup=True),
    Searching(UNDERSTOOD),
    Planning(FOUND),
    Generating(PLANNED),
    Generating(replace(PLANNED, requirements=REQUIRED)),
    Correcting(PLANNED, REJECTED, attempt=2),
    Generating(PLAN_CITED),
    Correcting(PLAN_CITED, REJECTED, 2),
    Finished(PLAN_CITED, SqlAnswer(VALID, "llm"), ACCOUNT),
    Finished(replace(FOUND, citations=CITED), WordsAnswer(Intent.GENERAL, ("not searched",)), ACCOUNT),
    Failed(NO_SQL, PLAN_CITED, REJECTED, ACCOUNT, findings=(DOUBT,)),
    Finished(
        PLANNED,
        SqlAnswer(VALID, "rules", ROWS, assumptions=("a",), warnings=("no rows",), findings=(DOUBT,), sureness=0.91),
        ACCOUNT,
    ),
    Finished(FOUND, SqlAnswer(VALID, "view", view_id="v-1"), ACCOUNT, ("What else?",), (LESSON,), (LESSON,)),
    Finished(FOUND, SqlAnswer(VALID, "history", pair_id="p-1"), ACCOUNT),
    Finished(FOUND, SqlAnswer(VALID, "rules", reading="How many?", alternatives=ALTERNATIVES), ACCOUNT),
    AwaitingCorrection(
        Clarification.of_fields(
            "The saved question “revenue since {from}” needs “from” (date).",
            (AskedParameter(name="from", type="DATE", description="the first day", default="2024-01-01"),),
            Filling("p-1", {"to": "2024-12-31"}),
            3,
        ).awaited(datetime(2026, 1, 1, tzinfo=UTC))
    ),
    *(
        Finished(FOUND, WordsAnswer(intent), ACCOUNT)
        for intent in (Intent.GENERAL, Intent.MISLEADING_QUERY, Intent.USER_GUIDE)
    ),
    Failed(AskError("NO_RELEVANT_SQL", "no", "say it differently", "3002"), PLANNED, REJECTED, ACCOUNT),
    Failed(AskError("OTHERS", "no")),
    Failed(AskError("NO_RELEVANT_SQL", "say which", nl2sql_code="3005"), clarification=ASKED),
    AwaitingCorrection(ASKED.awaited(datetime(2026, 11, 24, 9, tzinfo=UTC)), FOUND),
    Stopped(),
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: type(state).__name__)
def test_every_result_is_as_described(state: AskState) -> None:
    sent = render("ask-1", state)
    described = RESULT.validate_json(json.dumps(sent))
    assert json.loads(RESULT.dump_json(described, exclude_unset=True)) == json.loads(
        json.dumps(sent).replace("+00:00", "Z")
    )


def test_every_described_field_is_sent_by_some_state() -> None:
    assert set(AskResult.__annotations__) == {name for state in STATES for name in render("ask-1", state)}
