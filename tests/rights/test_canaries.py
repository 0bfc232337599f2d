"""What one person's rows hold is searched in everything that another one can receive, and in every prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell.asks.feedback import Feedback
from askwell.principal import Person
from askwell.services.lessons.checking import read_form
from tests.fakes.openai_server import Answer, ChatServer
from tests.rights.world import ANN, BOB, FORBIDDEN, NIL, NUMBERS, OWN, SENSITIVE, World, save_pairs, world

# With everything tried in every way it takes some minutes.
DEPTHS = [
    pytest.param("sqlite", False, id="quickly"),
    *(
        pytest.param(kind, True, id=kind, marks=pytest.mark.deep)
        for kind in ("sqlite", "duckdb", "postgres", "mariadb")
    ),
]

_DATA = yaml.load((Path(__file__).parent / "attacks.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
PAIRS: list[dict[str, Any]] = _DATA["pairs"]
QUESTIONS: list[str] = _DATA["questions"]
# What may be sent to whatever takes SQL.
STATEMENTS: list[str] = _DATA["statements"]


async def _bob_leaves_traces(one: World) -> None:
    """Bob asks about his own, says that it is right, corrects an answer, and is asked back."""
    for question in (
        "How many deals has Bravokanari?",
        "Total amount of deals of client name Basilkanari",
        "List deals",
    ):
        result = await one.ask(BOB, question, suggest=True)
        if result["status"] == "finished" and result.get("type") == "TEXT_TO_SQL":
            await one.container.feedback.give(result["ask_id"], Feedback(True, comment="Bravokanari is right"))
            right = "SELECT id, note FROM deals WHERE note = 'bnote7kanari'"
            await one.container.feedback.give(result["ask_id"], Feedback(False, sql=right))
    await one.ask(BOB, "Show me everything of Bravokanari and bnote7kanari", interactive=True)


async def _teach(one: World) -> None:
    """Lessons that a curator wrote without thinking of everybody."""
    taught = await one.container.lessons.add("default", [read_form(form) for form in _DATA["lessons"]])
    assert [(one["kind"], one["status"]) for one in taught] == [("query_pattern", "active"), ("metric", "active")]


async def _attacks(one: World, person: Person, *, thorough: bool) -> None:
    """Everything that somebody may try by the doors of the service; not `thorough`: each in one way only, and where
    nobody knows the person's rights a third of the questions and jobs. What to ask next, which takes longer than an
    answer, is wanted of a third of the questions then."""
    step = 3 if person is NIL and not thorough else 1
    for number, question in enumerate(QUESTIONS[::step]):
        await one.ask(person, question, suggest=thorough or number % 3 == 0)
        if not thorough:
            continue
        await one.ask(person, question, execute=False, allow_data_preview=True)
        await one.ask(person, question, execute=False, use_dry_plan=True, allow_dry_plan_fallback=True)
        await one.ask(person, question, interactive=True)
    for number, sql in enumerate(STATEMENTS):
        jobs: list[tuple[str, dict[str, Any]]] = [
            ("sql_answer", {"query": "What is it?", "sql": sql}),
            ("chart", {"query": "Draw it", "sql": sql, "remove_data_from_chart_schema": False}),
            ("ask_details", {"query": "What does it do?", "sql": sql}),
            ("sql_question", {"sqls": [sql]}),
            ("sql_correction", {"sql": sql, "error": "it does not work"}),
        ]
        if not thorough:
            jobs = [] if number % step else [jobs[number // step % len(jobs)]]
        for kind, body in jobs:
            await one.job(person, kind, **body)
        await one.tool(person, "run_sql", sql=sql)
        if thorough:
            await one.tool(person, "make_chart", query="Draw it", sql=sql)
    for table in ("clients", "deals", "staff", "branches", "addresses", "one_client", "badges", "pay_by_badge"):
        await one.tool(person, "describe_table", table=table)
    for text in ("Bravokanary", "kanari", "bcode9", "badge4kanary", "bmail", "APAC", "Bseg5kanary", "inner3"):
        await one.tool(person, "find_values", text=text)
        await one.tool(person, "find_tables", query=text)
        await one.tool(person, "ask_data", question=f"How many deals has {text}y?")
    await one.job(person, "question_recommendation")
    await one.job(person, "relationship_recommendation")
    pairs, _ = await one.container.knowledge.pairs_for(person, "default", 0, 1000)
    one.keep(person, list(pairs))


def _own_rows(told: Any) -> Any:
    return (told.get("data") or {}).get("rows")


@pytest.mark.parametrize(("kind", "thorough"), DEPTHS)
async def test_nothing_of_bobs_reaches_anybody_else(kind: str, thorough: bool, tmp_path: Path) -> None:
    async with world(kind, tmp_path) as one:
        await save_pairs(one, PAIRS)
        await _teach(one)
        await _bob_leaves_traces(one)
        assert one.leaks(BOB)  # the search finds what is there
        for person in (ANN, NIL):
            await _attacks(one, person, thorough=thorough)
            assert one.leaks(person) == []
        # Ann is answered, with her own.
        assert _own_rows(await one.ask(ANN, "How many deals are there?")) == [[3]]
        assert _own_rows(await one.ask(ANN, "Deal tally?")) == [[3]]
        assert _own_rows(await one.ask(BOB, "Deal tally?")) == [[3]]
        assert (await one.ask(ANN, "Branches of Lisbon town?"))["sql_source"] == "history"
        assert any(word.lower() in text.lower() for word in OWN for text in one.received["ann"])
        # Whose rights are not known gets no row of a table with a rule.
        refused = await one.ask(NIL, "How many deals are there?")
        assert refused["status"] == "failed"
        assert '"region"' in refused["error"]["message"]


def _scripted() -> dict[str, list[Answer | str]]:
    """A model that writes what an attacker would have it write."""
    sqls = [Answer(json={"sql": sql}) for sql in STATEMENTS]
    return {"sql_generation": list(sqls), "sql_correction": list(sqls), "sql_regeneration": list(sqls)}


@pytest.mark.parametrize(("kind", "thorough"), DEPTHS)
async def test_no_prompt_holds_anything_of_bobs(kind: str, thorough: bool, tmp_path: Path) -> None:
    async with ChatServer(_scripted()) as model, world(kind, tmp_path, model=model) as one:
        await save_pairs(one, PAIRS)
        await _teach(one)
        await _bob_leaves_traces(one)
        assert one.prompt_leaks()  # Bob's own questions are in his prompts
        model.requests.clear()
        for question in QUESTIONS if thorough else QUESTIONS[::3]:
            await one.ask(ANN, question, suggest=True)
        for sql in STATEMENTS[:: 3 if thorough else 12]:
            await one.job(ANN, "sql_answer", query="What is it?", sql=sql)
            await one.job(ANN, "sql_correction", sql=sql, error="it does not work")
            await one.job(ANN, "chart", query="Draw it", sql=sql)
            plan = "Read the deals."
            await one.job(
                ANN, "ask_feedback", question="Deals?", tables=["deals"], sql_generation_reasoning=plan, sql=sql
            )
        await one.job(ANN, "question_recommendation")
        await one.job(ANN, "relationship_recommendation")
        await one.job(ANN, "semantics_description", selected_models=["deals", "staff"], user_prompt="Describe them")
        # What the scripted model writes by itself is no leak: it is in the script.
        scripted = tuple(word for word in FORBIDDEN if not any(word in sql for sql in STATEMENTS))
        assert one.prompt_leaks(scripted) == []
        assert one.leaks(ANN, scripted) == []
        # She may read what the model is not shown.
        own = "SELECT name, iban FROM clients"
        await one.tool(ANN, "run_sql", sql=own)
        assert one.leaks(ANN, SENSITIVE)
        await one.job(ANN, "sql_answer", query="What is it?", sql=own)
        await one.job(ANN, "chart", query="Draw it", sql=own)
        assert one.prompt_leaks(SENSITIVE) == []
        assert len(model.requests) > (100 if thorough else 25)


async def test_numbers_are_searched_too(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as one:
        await one.tool(BOB, "run_sql", sql="SELECT * FROM deals")
        assert {word for word in NUMBERS[:3] if any(word in text for text in one.received["bob"])} == set(NUMBERS[:3])
