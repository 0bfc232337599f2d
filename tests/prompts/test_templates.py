"""Templates are strict, and data in them stays data."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import askwell.prompts
from askwell.errors import ConfigurationError
from askwell.mdl.join_graph import JoinEdge, JoinWay
from askwell.mdl.prompt_schema import table_ddl
from askwell.mdl.semantic_model import Cardinality, Column, Table, TableKind
from askwell.pipelines.generation.charting import result_values
from askwell.pipelines.generation.question import values_of
from askwell.pipelines.generation.result_rows import fit_rows
from askwell.pipelines.retrieval.context import InstructionText, SampleSql
from askwell.pipelines.retrieval.joins import Joins
from askwell.prompts.loader import PromptSet, PromptStyle, load_prompt
from askwell.prompts.variables import PROMPT_VARIABLES
from askwell.providers.engine.base import QueryRows, ResultColumn
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.steps import Step
from tests.prompts import contexts as c
from tests.support.tables import case_table

FOLDER = Path(askwell.prompts.__file__).parent


def _values(**more: Any) -> dict[str, Any]:
    extra = {
        "labels": (),
        "plan": c.PLAN,
        "rejected": c.UNKNOWN_COLUMN,
        "diagnosis": c.DIAGNOSIS,
        "earlier": (),
        "anew": False,
        "asks_intent": True,
        "asks_plan": True,
    }
    extra |= result_values(c.DRAWN) | {"problem": "", "chart_type": "bar", "placed": (), "open_channels": "x_axis"}
    extra |= {"ddl": c.RICH.schema.text, "pairs": c.OPEN_JOINS, "judged": c.JUDGED, "categories": ("Descriptive",)}
    extra |= {"sql": c.SQL, "words": c.IN_WORDS, "steps": c.STEPS, "rows": c.ROWS}
    extra |= {
        "count": 5,
        "previous": ("Old?",),
        "column_names": ("id",),
        "column_values": [("id", ("1",))],
        "about": "a shop",
        "said": "last month",
        "fields": ({"name": "from", "type": "DATE", "required": True},),
        "known": {"to": "2024-03-31"},
        "clarification": "Net or gross?",
        "options": [{"id": "1", "label": "Net amount", "detail": ""}],
    }
    extra |= {"name": "Ada", "persona": "", "variables": (), "seen": (), "looked_up": (), "passages": ()}
    extra |= {"ways": (), "reasons": True, "answer": "Two.", "tables": (), "asked": ("Old?",)}
    return values_of(c.RICH_QUESTION, c.RICH, **extra) | more


def _folder(tmp_path: Path, system: str, user: str) -> Path:
    prompt = tmp_path / "own"
    prompt.mkdir()
    (prompt / "system.md.jinja").write_text(system)
    (prompt / "user.md.jinja").write_text(user)
    (tmp_path / "part.jinja").write_text("{{ included }}")
    return tmp_path


def test_every_prompt_on_disk_is_declared_and_loads() -> None:
    on_disk = {path.parent.name for path in FOLDER.glob("*/system.md.jinja")}
    assert on_disk == set(PROMPT_VARIABLES)
    for name in PROMPT_VARIABLES:
        assert load_prompt(name).variables == PROMPT_VARIABLES[name]


@pytest.mark.parametrize("name", PROMPT_VARIABLES)
def test_every_prompt_gets_the_users_language_says_its_task_once_and_bounds_its_reply(name: str) -> None:
    text = load_prompt(name).write(_values(language="Klingon"))
    both = text.system + text.user
    assert "Klingon" in both
    assert re.findall(r"^Task: (\w+)$", both, re.MULTILINE) == [name.removesuffix("_fast")]
    assert text.reply_tokens is not None
    assert text.reply_tokens >= 100


@pytest.mark.parametrize("name", [name for name, variables in PROMPT_VARIABLES.items() if "question" in variables])
def test_the_question_stands_last_and_once(name: str) -> None:
    user = load_prompt(name).write(_values(question="the-question")).user
    assert re.search(r"<question>\nthe-question\n</question>\n(Reply with [^\n]+\n)?$", user)
    assert user.count("the-question") == 1


@pytest.mark.parametrize("name", [name for name, variables in PROMPT_VARIABLES.items() if "now" in variables])
def test_the_time_stands_before_the_question_without_its_seconds(name: str) -> None:
    user = load_prompt(name).write(_values()).user
    assert "</now>\n<question>" in user
    assert "2026-11-17 09:05 +01:00 (Europe/Berlin)" in user


@pytest.mark.parametrize(
    ("user", "variables", "words"),
    [
        ("{{ a }} {{ b }}", {"a"}, "uses b, which is not declared"),
        ("{{ a }}", {"a", "b"}, "does not use b, which is declared"),
        ("{{ a }} {% include 'part.jinja' %}", {"a"}, "uses included, which is not declared"),
    ],
)
def test_a_template_and_its_declared_variables_have_to_agree(
    tmp_path: Path, user: str, variables: set[str], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        load_prompt("own", folder=_folder(tmp_path, "x", user), variables=frozenset(variables))


def test_variables_of_includes_count(tmp_path: Path) -> None:
    folder = _folder(tmp_path, "x", "{% include 'part.jinja' %}")
    assert load_prompt("own", folder=folder, variables=frozenset({"included"})).write({"included": 7}).user == "7\n"


def test_a_missing_value_a_missing_field_and_a_value_that_is_no_text_are_errors(tmp_path: Path) -> None:
    prompt = load_prompt("own", folder=_folder(tmp_path, "x", "{{ a.field }}"), variables=frozenset({"a"}))
    with pytest.raises(KeyError):
        prompt.write({})
    with pytest.raises(Exception, match="has no attribute 'field'"):
        prompt.write({"a": "text"})
    for value in (None, {"k": 1}, [1]):
        with pytest.raises(TypeError, match="cannot print"):
            prompt.write({"a": type("A", (), {"field": value})()})


def _frames(text: str) -> list[str]:
    return re.findall(r"</?[a-z_]+(?: mark=\"[a-z ]+\")?>", text)


_SNEAKY = case_table(__file__, "sneaky")


def _joins(text: str) -> Joins:
    edge = JoinEdge(text, text, text, ((text, text),), Cardinality.MANY_TO_ONE)
    ways = (JoinWay((text, text, text), 0.5), JoinWay((text, text), 0.5))
    return Joins((edge, edge), (ways,), (text,), ((text,), (text, text), (text, text)))


@given(st.lists(st.sampled_from(_SNEAKY), min_size=1, max_size=4).map(" ".join))
def test_no_text_can_leave_its_block_in_what_is_recommended(text: str) -> None:
    told = {"ddl": text, "sql": text, "question": text, "previous": (text,), "categories": (text,)}
    told |= {"columns": (text,), "column_values": [(text, (text, text))], "about": text}
    for name in (
        "question_recommendation",
        "question_suggestion",
        "relationship_recommendation",
        "semantics_description",
    ):
        honest, sneaky = (load_prompt(name).write(_values(**more)) for more in ({}, told))
        assert _frames(sneaky.user) == _frames(honest.user)


@given(st.lists(st.sampled_from(_SNEAKY), min_size=1, max_size=4).map(" ".join))
def test_no_text_can_close_its_block_or_open_another(text: str) -> None:
    correction = load_prompt("sql_correction")
    honest = correction.write(_values())
    rejected = RejectedSql(RejectionKind.BIND, text, text, text, (text,))
    schema = replace(c.RICH.schema, text=text, joins=_joins(text), left_out=(text, text))
    sneaky = correction.write(
        _values(
            question=text,
            schema=schema,
            samples=tuple(SampleSql("p", text, text, 1.0, sample.nearness) for sample in c.RICH.samples),
            instructions=(InstructionText("i", text),),
            custom_instruction=text,
            functions=(text,),
            plan=text,
            rejected=rejected,
            diagnosis=replace(c.DIAGNOSIS, diagnosis=text, suggested_fix=text),
            values=tuple(replace(match, words=text, value=text) for match in c.RICH.values),
        )
    )
    assert _frames(sneaky.user) == _frames(honest.user)
    assert _frames(sneaky.system) == _frames(honest.system)
    assert not re.search(r"<\|im_start\|>|\[INST\]|<<SYS>>", sneaky.user)
    if "{{ now }}" in text:
        assert "{{ now }}" in sneaky.user


@given(st.lists(st.sampled_from([*_SNEAKY, "</result>", "</sql>", "<shown>", "</in_words>"]), min_size=1, max_size=4))
def test_no_cell_and_no_statement_can_close_its_block(sneaky: list[str]) -> None:
    text = " ".join(sneaky)
    result = QueryRows((ResultColumn(text, ""),), ((text,), ([text],)))
    rows = fit_rows(result, other_tokens=0, context_window=8_000, max_output=1_000)
    steps = tuple(Step(text, text) for _ in c.STEPS)
    for name in ("sql_answer", "sql_summaries", "sql_question", "sql_regeneration"):
        honest = load_prompt(name).write(_values())
        written = load_prompt(name).write(
            _values(question=text, sql=text, words=text, plan=text, steps=steps, rows=rows)
        )
        assert _frames(written.user) == _frames(honest.user)


@pytest.mark.parametrize("sql", case_table(__file__, "sql_is_not_touched"))
def test_sql_is_not_touched(sql: str) -> None:
    rejected = RejectedSql(RejectionKind.BIND, sql, sql, "error")
    assert sql in load_prompt("sql_correction").write(_values(rejected=rejected)).user


def test_sections_appear_only_when_the_context_has_such_columns() -> None:
    generation = load_prompt("sql_generation")
    titles = {
        "has_epoch": "## Times as numbers",
        "has_calculated_fields": "## Calculated fields",
        "has_metrics": "## Metrics",
        "has_json": "## JSON columns",
    }
    for flag, title in titles.items():
        system = generation.write(_values(schema=replace(c.PLAIN.schema, **{flag: True}))).system
        assert [t for t in titles.values() if t in system] == [title]


@pytest.mark.parametrize("style", ["full", "lean"])
def test_whatever_plans_writes_or_explains_sql_begins_with_the_same_rules(style: PromptStyle) -> None:
    names = (
        "sql_generation",
        "sql_correction",
        "sql_regeneration",
        "sql_diagnosis",
        "data_assistance",
        "misleading_assistance",
    )
    written = [PromptSet(style).load(name).write(_values()) for name in names]
    assert len({text.system for text in written}) == 1
    assert "Where none is given, columns that hold the same thing may be joined" in " ".join(written[0].system.split())
    assert len({text.user.partition("\nTask: ")[0] for text in written}) == 1


def test_no_rule_forbids_a_join_that_may_exist() -> None:
    for style in get_args(PromptStyle):
        text = PromptSet(style).load("sql_generation").write(_values(schema=c.PLAIN.schema))
        assert not re.search(r"and no others|cannot be joined|only (?:the )?joins", text.system + text.user)


def test_lean_rules_are_a_fifth_of_what_rules_were() -> None:
    """3,352 characters of rules and 1,226 of functions stood in a prompt for Chinook before there were two sizes."""
    values = values_of(c.PLAIN_QUESTION, c.PLAIN, asks_intent=False, asks_plan=False)
    text = PromptSet("lean").load("sql_generation").write(values)
    assert len(text.system + text.user) - len(c.PLAIN.schema.text) <= (3_352 + 1_226) / 5


def test_the_same_values_are_told_once() -> None:
    user = load_prompt("sql_correction").write(_values()).user
    assert user.count("nearest: order_value, status") == 1


def test_an_essential_column_carries_the_mark_that_the_rules_speak_of() -> None:
    columns = (Column("id", "BIGINT"), Column("total", "DOUBLE", essential=True, description="Paid"))
    text = table_ddl(Table("orders", TableKind.MODEL, columns))
    user = load_prompt("sql_generation").write(_values(schema=replace(c.PLAIN.schema, text=text))).user
    assert "  total DOUBLE -- [ESSENTIAL] Paid\n" in user
    assert user.count("[ESSENTIAL]") == 1
