"""Replies come in every shape; what cannot be used is a problem with words, never half a statement."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.pipelines.generation.reading import read_object, read_sql
from askwell.providers.llm.base import ModelReply, UnfinishedReply, Usage
from tests.support.tables import case_rows, case_table

SQL = "SELECT name\nFROM customers\nWHERE city = 'Köln'"
USAGE = Usage(1, 10, 5)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"sql": SQL}),
        json.dumps({"SQL": SQL}),
        json.dumps({"sql": f"```sql\n{SQL}\n```"}),
        json.dumps({"reasoning": "Because of {braces}.", "sql": SQL}),
        '{"sql": "' + SQL + '"}',
        '{"sql": "' + SQL.replace("\n", "\\n") + '",}',
        '{"sql": "' + SQL.replace("\n", "\\n") + '"',
        f"```json\n{json.dumps({'sql': SQL})}\n```",
        f"Sure! Here it is:\n```json\n{json.dumps({'sql': SQL})}\n```\nIt selects the {{name}}.",
        f"Thinking of {{things}} first. {json.dumps({'sql': SQL})} That is all.",
        "```yaml\nsql: |\n  " + SQL.replace("\n", "\n  ") + "\n```",
        "sql: |\n  " + SQL.replace("\n", "\n  "),
        f"```sql\n{SQL}\n```",
        f"```\n{SQL};\n```",
        f"You can ask:\n\n{SQL}\n\nThis lists the names.",
        SQL,
        SQL + ";",
    ],
)
def test_a_statement_is_found(text: str) -> None:
    reply = read_sql(ModelReply(text, USAGE))
    assert (reply.sql, reply.problem, reply.usage) == (SQL, None, USAGE)


@pytest.mark.parametrize(
    ("text", "problem"),
    case_rows(__file__, "what_cannot_be_used_has_a_reason", "text", "problem"),
)
def test_what_cannot_be_used_has_a_reason(text: str, problem: str) -> None:
    reply = read_sql(ModelReply(text, USAGE))
    assert reply.sql is None
    assert problem in (reply.problem or "")


def test_a_reply_cut_at_its_length_limit_is_never_used() -> None:
    with pytest.raises(UnfinishedReply, match="length limit") as failure:
        read_sql(ModelReply("SELECT a FROM t WHERE x = 1", USAGE, truncated=True))
    assert failure.value.usage == USAGE
    assert "max_tokens" in failure.value.hint


@pytest.mark.parametrize("text", case_table(__file__, "an_object_is_found"))
def test_an_object_is_found(text: str) -> None:
    found = read_object(text, "intent")
    assert found is not None
    assert found["intent"] == "GENERAL"


@given(st.text(max_size=300) | st.text("{}[]\"':,`\n sqlSELECT&*!|>-", max_size=120))
def test_no_text_breaks_the_reader(text: str) -> None:
    reply = read_sql(ModelReply(text, USAGE))
    assert (reply.sql is None) != (reply.problem is None)
    read_object(text, "intent")


def test_a_hostile_reply_is_read_quickly_enough_to_end() -> None:
    bomb = "a: &a [x,x]\n" + "\n".join(f"b{n}: &b{n} [*a,*a,*a]" for n in range(9))
    assert read_object(bomb, "intent") is None
    assert read_object("{" * 200_000, "intent") is None
    assert read_object('{"a":' * 100_000, "intent") is None
