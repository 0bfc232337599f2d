"""SQL pairs from a file: loaded at each start, checked like saved ones, and no pair in another's way."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.config import load_config
from askwell.container import Container
from askwell.errors import ConfigurationError
from askwell.services.sql_pair_file import read_pair_file
from tests.cli.test_doctor import findings
from tests.support.examples import examples
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_table

OPEN = {"question": "How many are still open?", "sql": "SELECT count(*) AS n FROM orders WHERE status = 'open'"}
BY_COUNTRY = case_table(__file__, "by_country")


def configured(folder: Path, content: Any, name: str = "pairs.yaml") -> Path:
    text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
    (folder / name).write_text(text, encoding="utf-8")
    return write_config(folder, sql_pairs_path=name)


async def listed(service: Client, project_id: str = "default") -> list[dict[str, Any]]:
    status, found = await service.call("GET", f"/v1/sql-pairs?project_id={project_id}")
    assert status == 200
    return list(found["sql_pairs"])


async def test_pairs_are_there_from_the_start_and_answer(tmp_path: Path) -> None:
    async with running_service(configured(tmp_path, {"default": [OPEN, BY_COUNTRY]})) as service:
        second, first = await listed(service)
        assert first["id"].startswith("file-")
        assert {"question": first["question"], "sql": first["sql"]} == OPEN
        assert second == {
            **BY_COUNTRY,
            "parameters": [BY_COUNTRY["parameters"][0] | {"required": True}, BY_COUNTRY["parameters"][1]],
        }
        await service.prepare()
        answer = await service.answer("How many are still open?", execute=True)
    assert answer["sql_source"] == "history"
    assert answer["data"]["rows"] == [[1]]


async def test_the_second_start_changes_only_what_changed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with running_service(configured(tmp_path, {"default": [OPEN, BY_COUNTRY]})) as service:
        await service.prepare()
        before = await listed(service)
    caplog.clear()
    async with running_service(tmp_path / "config.yaml") as service:
        assert await listed(service) == before
    assert "saved SQL pairs of a file" not in caplog.text
    changed = OPEN | {"sql": "SELECT count(*) AS n FROM orders"}
    async with running_service(configured(tmp_path, {"default": [changed, BY_COUNTRY]})) as service:
        after = await listed(service)
        answer = await service.answer("How many are still open?", execute=True)
    assert after == [before[0], before[1] | changed]
    assert answer["data"]["rows"] == [[4]]


async def test_what_is_wrong_with_one_is_told_and_in_no_others_way(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = case_table(__file__, "wrong")
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare()
    configured(tmp_path, text)
    config = write_config(tmp_path, sql_pairs_path="pairs.yaml", projects=[])
    async with running_service(config) as service:
        assert [pair["id"] for pair in await listed(service)] == ["7"]
    told = [record.getMessage() for record in caplog.records if "not loaded" in record.getMessage()]
    for line, words in case_table(__file__, "told").items():
        assert any(f"pairs.yaml:{line}: " in one and words.lower() in one.lower() for one in told), (line, told)
    assert any("entry 8 of project default: it has to be a map" in one for one in told)
    assert any('"elsewhere/else" is not a project id' in one for one in told)
    assert any("project third has to have a list" in one for one in told)
    assert any("project other were not saved. The configuration of this service does not name" in one for one in told)
    assert len(told) == 11


def test_json_says_which_entry(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps({"a": [OPEN | {"id": 3}, {"question": "x"}], "b": [BY_COUNTRY]}))
    file = read_pair_file(path)
    assert {project: [one.pair.id for one in pairs] for project, pairs in file.pairs.items()} == {
        "a": ["3"],
        "b": ["by-country"],
    }
    assert file.problems == (f"{path}: entry 2 of project a: its sql is missing, or no text.",)


_LIST = "its parameters have to be a list of {name, type, description?, required?, default?}."


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"parameters": "x"}, _LIST),
        ({"parameters": ["x"]}, _LIST),
        ({"parameters": [{"name": "x y"}]}, "parameter 1 cannot be used: name "),
        ({"id": "x" * 200}, "its id is longer than 128 characters."),
        ({"sql": "x" * 100_001}, "its sql is longer than 100,000 characters."),
    ],
)
def test_what_is_wrong_with_a_field_is_told_in_words(tmp_path: Path, more: dict[str, object], told: str) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps({"a": [OPEN | more]}))
    (problem,) = read_pair_file(path).problems
    assert problem.startswith(f"{path}: entry 1 of project a: {told}")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("pairs.yaml", "default: [", "pairs.yaml:1"),
        ("pairs.yaml", "- a", "has to hold sections"),
        ("pairs.yaml", "a: []\na: []", "stands twice"),
        ("pairs.json", '{"a": [\n}', "pairs.json:2: is not JSON"),
        ("pairs.json", "[]", "has to hold an object"),
        ("pairs.json", "[" * 100_000, "cannot be read as JSON"),
        ("pairs.yaml", b"\xff\xfe\x00", "not UTF-8"),
        ("pairs.yaml", None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_with_its_line(
    tmp_path: Path, name: str, content: str | bytes | None, told: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigurationError) as caught:
        read_pair_file(tmp_path / name)
    assert told in caught.value.message


async def test_such_a_file_stops_the_start(tmp_path: Path) -> None:
    container = Container(load_config(configured(tmp_path, "default: ["), {}))
    with pytest.raises(ConfigurationError, match="The file of SQL pairs cannot be read"):
        await container.start()


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["SELECT 1", "name"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "question", "sql", "parameters", "name", "type", "default"]), inner)
    ),
    max_leaves=15,
)


@settings(max_examples=examples(200))
@given(st.dictionaries(st.text(max_size=5), ANY | st.lists(ANY), max_size=3))
def test_whatever_it_holds_pairs_or_problems_come_out(tmp_path_factory: pytest.TempPathFactory, content: Any) -> None:
    path = tmp_path_factory.mktemp("pairs") / "pairs.json"
    path.write_text(json.dumps(content))
    file = read_pair_file(path)
    assert all(one.pair.question and one.pair.sql and one.pair.id for pairs in file.pairs.values() for one in pairs)
    assert all("\n" not in problem for problem in file.problems)


@pytest.mark.deep
async def test_the_doctor_reads_the_file(tmp_path: Path) -> None:
    _, found = await findings(configured(tmp_path, {"default": [OPEN, {"question": "x"}]}))
    assert found["sql_pairs"]["state"] == "warning"
    assert "1 SQL pair to load, and 1 that can't be" in found["sql_pairs"]["message"]
    _, found = await findings(configured(tmp_path, "default: ["))
    assert found["sql_pairs"]["state"] == "failed"
