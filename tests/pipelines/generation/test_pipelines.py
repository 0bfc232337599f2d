"""The pipelines with a server that speaks the real protocol: what they ask, how often, and what they make of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from askwell.errors import ModelUnavailable
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.pipelines.generation.question import Intent
from askwell.pipelines.generation.reading import is_cut_object
from askwell.pipelines.generation.understanding import FAST_INTENT, intent_classification
from askwell.providers.llm.call_options import within
from tests.fakes.model_at import pipelines_at
from tests.fakes.openai_server import Answer, ChatScript
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.tables import case_rows

Stages = Mapping[str, Sequence[Answer | str]]


async def test_each_pipeline_makes_one_call_with_its_own_schema() -> None:
    async with pipelines_at() as (p, server):
        question, context, rejected = c.RICH_QUESTION, c.RICH, c.UNKNOWN_COLUMN
        await p.pruning.run(question, context)
        await p.intent.run(question, context)
        await p.reformulation.run(question)
        await p.joins.run(question, context, pairs=c.OPEN_JOINS, model=c.RICH_MODEL)
        await p.generation.run(question, context)
        await p.diagnosis.run(question, context, rejected=rejected)
        await p.correction.run(question, context, rejected=rejected, diagnosis=c.DIAGNOSIS, earlier=(c.UNKNOWN_TABLE,))
        await p.regeneration.run(question, context, plan=c.PLAN)
        await p.summaries.run(question, steps=c.STEPS)
        await p.question.run(sql=c.SQL)
        await p.answer.run(question, sql=c.SQL, rows=c.ROWS)
        for assistance in p.assistance.values():
            await assistance.run(question, context)
    structured = [(r.stage, sorted(_schema(r.body)["properties"])) for r in server.requests if r.response_format]
    assert structured == [
        ("column_pruning", ["results"]),
        ("intent_classification", ["intent", "reasoning", "rephrased_question"]),
        ("question_reformulation", ["question"]),
        ("join_inference", ["joins"]),
        ("sql_generation", ["sql"]),
        ("sql_diagnosis", ["diagnosis", "suggested_fix"]),
        ("sql_correction", ["sql"]),
        ("sql_regeneration", ["sql"]),
        ("sql_summaries", ["description", "summaries"]),
        ("sql_question", ["question"]),
    ]
    in_words = [r.stage for r in server.requests if not r.response_format]
    assert in_words == ["sql_answer", "data_assistance", "misleading_assistance", "user_guide"]
    for request in server.requests:
        if request.response_format:
            assert _schema(request.body)["required"] == list(_schema(request.body)["properties"])
            assert _schema(request.body)["additionalProperties"] is False


def _schema(body: dict[str, object]) -> dict[str, dict[str, object]]:
    return body["response_format"]["json_schema"]["schema"]  # type: ignore[index,no-any-return]


async def test_the_schema_of_column_pruning_is_strict_all_the_way_down() -> None:
    async with pipelines_at() as (p, server):
        await p.pruning.run(c.RICH_QUESTION, c.RICH)
    results: Any = _schema(server.requests[0].body)["properties"]["results"]
    columns = results["items"]["properties"]["columns"]
    for item, names in ((results["items"], ["table", "reason", "columns"]), (columns["items"], ["name", "reason"])):
        assert item["required"] == list(item["properties"]) == names
        assert item["additionalProperties"] is False


@pytest.mark.parametrize(
    ("text", "tables"),
    case_rows(__file__, "column_choices_are_read_tolerantly", "text", "tables"),
)
async def test_column_choices_are_read_tolerantly(text: str, tables: dict[str, list[str]]) -> None:
    async with pipelines_at({"column_pruning": [text]}) as (p, server):
        choice = await p.pruning.run(c.RICH_QUESTION, c.RICH)
    assert choice.value == {table: tuple(names) for table, names in tables.items()}
    assert choice.usage.llm_calls == server.calls() == _calls(text)


async def test_a_column_choice_that_broke_off_is_none() -> None:
    answer = Answer(text='{"results": [{"table": "orders", "columns": ["id"]}]}', finish_reason="length")
    async with pipelines_at({"column_pruning": [answer]}) as (p, _):
        assert (await p.pruning.run(c.RICH_QUESTION, c.RICH)).value == {}


async def test_intent_with_a_rewritten_question() -> None:
    answer = Answer(json={"rephrased_question": " Offene? ", "reasoning": "Weil.", "intent": "GENERAL"})
    async with pipelines_at({"intent_classification": [answer]}) as (p, _):
        reading = await p.intent.run(c.RICH_QUESTION, c.RICH)
    assert (reading.value.intent, reading.value.rephrased_question, reading.value.reasoning) == (
        Intent.GENERAL,
        "Offene?",
        "Weil.",
    )
    assert reading.usage.llm_calls == 1


def _calls(text: str) -> int:
    """Half an object is asked for twice more."""
    return 3 if is_cut_object(text) else 1


@pytest.mark.parametrize(
    ("text", "intent", "read"),
    [
        ("MISLEADING_QUERY", Intent.MISLEADING_QUERY, True),
        ("I think this is a USER_GUIDE question.", Intent.USER_GUIDE, True),
        ('```json\n{"intent": "general"}\n```', Intent.GENERAL, True),
        ("intent: GENERAL", Intent.GENERAL, True),
        ("It is GENERAL or TEXT_TO_SQL.", Intent.TEXT_TO_SQL, False),
        ('{"intent": "SOMETHING"}', Intent.TEXT_TO_SQL, False),
        ('{"intent": ["GENERAL"', Intent.GENERAL, True),
        ("", Intent.TEXT_TO_SQL, False),
        ("42", Intent.TEXT_TO_SQL, False),
    ],
)
async def test_intent_is_read_tolerantly_and_falls_back_to_sql_saying_so(text: str, intent: Intent, read: bool) -> None:
    async with pipelines_at({"intent_classification": [text]}) as (p, server):
        reading = await p.intent.run(c.RICH_QUESTION, c.RICH)
    assert reading.value.intent is intent
    assert reading.value.rephrased_question == c.RICH_QUESTION.question
    assert ("could not be read" in reading.value.reasoning) is not read
    assert server.calls() == _calls(text)


async def test_a_rewritten_question_that_is_none_leaves_the_question_alone() -> None:
    for rephrased in ("", "   ", "x" * 5000, 7, None):
        answer = Answer(text=json.dumps({"rephrased_question": rephrased, "intent": "TEXT_TO_SQL"}))
        async with pipelines_at({"intent_classification": [answer]}) as (p, _):
            reading = await p.intent.run(c.RICH_QUESTION, c.RICH)
        assert reading.value.rephrased_question == c.RICH_QUESTION.question


async def test_a_first_question_stays_as_it_is_whatever_the_model_makes_of_it() -> None:
    answer = Answer(json={"rephrased_question": "How many customers are there?", "reasoning": "", "intent": "GENERAL"})
    async with pipelines_at({"intent_classification": [answer]}) as (p, _):
        reading = await p.intent.run(c.PLAIN_QUESTION, c.PLAIN)
    assert (reading.value.intent, reading.value.rephrased_question) == (Intent.GENERAL, c.PLAIN_QUESTION.question)


async def test_fast_intent_gives_a_label_and_leaves_the_question_alone() -> None:
    model = RecordingModel('{"intent": "USER_GUIDE", "rephrased_question": "Other?"}')
    reading = await intent_classification.build(model, prompt=FAST_INTENT).run(c.PLAIN_QUESTION, c.PLAIN)
    assert reading.value.intent is Intent.USER_GUIDE
    schema = model.calls[0].schema
    assert schema is not None
    assert schema.schema["properties"] == {"intent": {"type": "string", "enum": [intent.value for intent in Intent]}}
    standard = RecordingModel()
    await intent_classification.build(standard).run(c.PLAIN_QUESTION, c.PLAIN)
    fast, full = (len(m.calls[0].system + m.calls[0].user) for m in (model, standard))
    assert fast < full


@pytest.mark.parametrize(("text", "question"), case_rows(__file__, "reformulation", "text", "question"))
async def test_reformulation(text: str, question: str | None) -> None:
    async with pipelines_at({"question_reformulation": [text]}) as (p, _):
        written = await p.reformulation.run(c.RICH_QUESTION)
    assert written.value == (question or c.RICH_QUESTION.question)


async def test_without_histories_nothing_is_reformulated_and_no_model_asked() -> None:
    async with pipelines_at() as (p, server):
        written = await p.reformulation.run(c.PLAIN_QUESTION)
    assert (written.value, written.usage.llm_calls, server.calls()) == (c.PLAIN_QUESTION.question, 0, 0)


@pytest.mark.parametrize("lead", ["<think>\nLet me see. A < B.\n</think>\n\n", "  <think></think>"])
async def test_thinking_aloud_is_kept_from_people_and_from_readers(lead: str) -> None:
    pieces: list[str] = []
    stages = {"data_assistance": [lead + "Es **gibt** so."], "sql_generation": [lead + '{"sql": "SELECT 1"}']}
    async with pipelines_at(stages) as (p, _):
        words = await p.assistance[Intent.GENERAL].run(c.RICH_QUESTION, c.RICH, on_delta=pieces.append)
        sql = await p.generation.run(c.RICH_QUESTION, c.RICH)
    assert words.value == "".join(pieces) == "Es **gibt** so."
    assert sql.sql == "SELECT 1"


@pytest.mark.parametrize("text", ["", "<thi", "a <think> b", "<b>x</b>"])
async def test_what_only_looks_like_thinking_is_passed_on(text: str) -> None:
    pieces: list[str] = []
    async with pipelines_at({"data_assistance": [text]}) as (p, _):
        words = await p.assistance[Intent.GENERAL].run(c.RICH_QUESTION, c.RICH, on_delta=pieces.append)
    assert words.value == "".join(pieces) == text


async def test_sql_or_the_problem_with_the_reply() -> None:
    answers = [Answer(json={"sql": "SELECT 1"}, fenced=True), "I cannot.", "", '{"sql": "SEL']
    async with pipelines_at({"sql_generation": answers, "sql_correction": answers}) as (p, server):
        replies = [await p.generation.run(c.PLAIN_QUESTION, c.PLAIN) for _ in answers]
        replies += [await p.correction.run(c.PLAIN_QUESTION, c.PLAIN, rejected=c.NO_ROWS) for _ in answers]
    assert [reply.sql for reply in replies] == ["SELECT 1", None, None, None] * 2
    assert all((reply.problem is None) == (reply.sql is not None) for reply in replies)
    assert [reply.usage.llm_calls for reply in replies] == [1, 1, 1, 3] * 2
    assert server.calls() == 12


@pytest.mark.parametrize(
    ("text", "cause", "fix"),
    [
        ('{"diagnosis": "Falsch.", "suggested_fix": "Richtig."}', "Falsch.", "Richtig."),
        ("The column is misspelled.", "The column is misspelled.", ""),
        ('{"diagnosis": "The col', c.UNKNOWN_COLUMN.error, ""),
        ("", c.UNKNOWN_COLUMN.error, ""),
    ],
)
async def test_diagnosis(text: str, cause: str, fix: str) -> None:
    async with pipelines_at({"sql_diagnosis": [text]}) as (p, _):
        diagnosis = await p.diagnosis.run(c.RICH_QUESTION, c.RICH, rejected=c.UNKNOWN_COLUMN)
    assert (diagnosis.value.diagnosis, diagnosis.value.suggested_fix) == (cause, fix)


async def test_answers_in_words_are_streamed_from_their_own_prompt() -> None:
    for intent, assistance in _names().items():
        pieces: list[str] = []
        async with pipelines_at({assistance: ["Hallo, frag mich etwas."]}) as (p, server):
            answer = await p.assistance[intent].run(c.RICH_QUESTION, c.RICH, on_delta=pieces.append)
        assert answer.value == "".join(pieces) == "Hallo, frag mich etwas."
        assert [request.stage for request in server.requests] == [assistance]


def _names() -> dict[Intent, str]:
    return {
        Intent.GENERAL: "data_assistance",
        Intent.MISLEADING_QUERY: "misleading_assistance",
        Intent.USER_GUIDE: "user_guide",
    }


async def test_each_pipeline_may_have_its_own_model() -> None:
    models = {}

    def llm_for(name: str) -> RecordingModel:
        return models.setdefault(name, RecordingModel('{"sql": "SELECT 1"}'))

    p = GenerationPipelines(llm_for)
    with within(7):
        await p.generation.run(c.PLAIN_QUESTION, c.PLAIN)
    assert [name for name, model in models.items() if model.calls] == ["sql_generation"]
    assert models["sql_generation"].calls[0].timeout == 7


async def test_a_model_that_is_down_or_late_is_said_untouched() -> None:
    stages = {"sql_generation": [Answer(hang=True)], "sql_diagnosis": [Answer(status=401)]}
    async with pipelines_at(stages) as (p, server):
        with pytest.raises(ModelUnavailable, match="needs an API key"):
            await p.diagnosis.run(c.RICH_QUESTION, c.RICH, rejected=c.UNKNOWN_COLUMN)
        with pytest.raises(ModelUnavailable, match=r"within 0\.1 seconds"):
            with within(0.1):
                await p.generation.run(c.RICH_QUESTION, c.RICH)
        assert await server.ended(server.requests[-1]) == "abandoned"


async def test_stopping_a_pipeline_closes_its_connection_and_leaves_no_task() -> None:
    async with pipelines_at({"sql_generation": [Answer(hang=True)]}) as (p, server):
        before = asyncio.all_tasks()
        run = asyncio.create_task(p.generation.run(c.RICH_QUESTION, c.RICH))
        request = await server.arrived("sql_generation")
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert await server.ended(request) == "abandoned"
        assert {task for task in asyncio.all_tasks() - before if "_chat" not in repr(task)} <= _server_tasks()


def _server_tasks() -> set[asyncio.Task[object]]:
    """The scripted server runs in the same loop: its connection handlers are not the pipeline's."""
    return {task for task in asyncio.all_tasks() if "RequestHandler" in repr(task)}


async def test_json_is_still_asked_for_where_the_server_knows_no_schema() -> None:
    script = ChatScript({"sql_generation": [Answer(json={"sql": "SELECT 1"}, fenced=True)]}, accepts="text")
    async with pipelines_at(script) as (p, server):
        assert (await p.generation.run(c.PLAIN_QUESTION, c.PLAIN)).usage.llm_calls == 3
        assert (await p.generation.run(c.PLAIN_QUESTION, c.PLAIN)).usage.llm_calls == 1
    assert {request.stage for request in server.requests} == {"sql_generation"}
    assert '"required": ["sql"]' in server.requests[-1].user


async def test_many_questions_at_once_do_not_mix() -> None:
    answers = [Answer(json={"sql": f"SELECT {n}"}, when=f"number <{n}>", delay=0.01 * (n % 3)) for n in range(30)]
    async with pipelines_at({"sql_generation": answers}) as (p, _):
        questions = [replace(c.PLAIN_QUESTION, question=f"number <{n}>") for n in range(30)]
        replies = await asyncio.gather(*(p.generation.run(question, c.PLAIN) for question in questions))
    assert [reply.sql for reply in replies] == [f"SELECT {n}" for n in range(30)]
