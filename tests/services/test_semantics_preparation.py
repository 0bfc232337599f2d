"""From a manifest to a model that can be asked about, without disturbing the one in use."""

from __future__ import annotations

import asyncio
import copy
import json
import signal
import sqlite3
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from askwell import parts
from askwell.config import load_config
from askwell.errors import ConfigurationError, InvalidModel, NotFound
from askwell.knowledge.jobs import AcceptedJob
from askwell.mdl.join_graph import JoinSource
from askwell.mdl.semantic_model import ColumnRef
from askwell.providers.document_store.base import Section
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.services.value_sampling import SamplingBounds
from tests.mdl.shop import SHOP_ROWS, legacy_manifest
from tests.services.conftest import Desk, open_desk
from tests.support import tiny_shop
from tests.support.counting_embedder import CountingEmbedder
from tests.support.service import running_service, write_config


def changed(**properties: Any) -> dict[str, Any]:
    manifest = tiny_shop.manifest()
    manifest["models"][0]["properties"] |= properties
    return manifest


def sampling(desk: Desk, bounds: SamplingBounds | None) -> Desk:
    """The same desk, with other bounds for values."""
    preparation = SemanticsPreparation(desk.projects, desk.indexing, desk.jobs, bounds=bounds)
    return replace(desk, preparation=preparation)


async def test_a_prepared_model_can_be_asked_about(desk: Desk) -> None:
    assert await desk.prepare(json.dumps(tiny_shop.manifest())) == {"status": "finished"}
    project = await desk.model("m1")
    assert project.values == {
        ColumnRef("customers", "name"): ("Ada Lovelace", "Alan Turing", "Grace Hopper"),
        ColumnRef("customers", "country"): ("France", "Germany"),
        ColumnRef("orders", "status"): ("open", "paid", "shipped"),
    }
    assert project.model.candidates is None  # the relationships connect all tables
    found = await desk.retrieval.run(project, "How many orders from Germany?")
    assert {table.name for table in found.tables} == {"customers", "orders", "paid_orders"}
    assert "CREATE TABLE orders" in found.schema.text
    assert [match.value for match in found.values] == ["Germany"]


async def test_hidden_and_sensitive_columns_are_never_looked_at_nor_any_without_sampling(desk: Desk) -> None:
    manifest = tiny_shop.manifest()
    manifest["models"][0]["columns"][1]["properties"] = {"sensitive": True}
    await desk.prepare(manifest)
    project = await desk.model()
    assert {str(ref) for ref in project.values} == {"customers.country", "orders.status"}
    assert "hush" not in str(project.values)
    assert await sampling(desk, None).prepare(tiny_shop.manifest(), "m2") == {"status": "finished"}
    assert (await desk.model("m2")).values == {}


async def test_the_same_content_again_changes_nothing_and_embeds_nothing(
    desk: Desk, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    await desk.prepare(json.dumps(tiny_shop.manifest(), indent=4))
    embedder.texts.clear()
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("UPDATE orders SET status = 'changed'")
    reordered = dict(reversed(tiny_shop.manifest().items()))
    assert await desk.prepare(reordered, "another label") == {"status": "finished"}
    assert embedder.texts == []
    first, second = await desk.model("m1"), await desk.model("another label")
    assert first.content_hash == second.content_hash
    assert second.values[ColumnRef("orders", "status")] == ("open", "paid", "shipped")


async def test_values_that_are_old_are_looked_at_anew_when_the_model_comes_again(desk: Desk, tmp_path: Path) -> None:
    old = sampling(desk, SamplingBounds(max_age=0))
    manifest = changed()
    manifest["models"][0]["columns"].append({"name": "lost", "type": "VARCHAR"})
    first = await old.prepare(manifest)
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("UPDATE orders SET status = 'returned' WHERE status = 'paid'")
    again = await old.prepare(manifest)
    assert again == first, "a warning is not said twice"
    project = await desk.model()
    assert project.values[ColumnRef("orders", "status")] == ("open", "returned", "shipped")
    found = await desk.retrieval.run(project, "How many orders were returned?")
    assert [match.value for match in found.values] == ["returned"]


async def test_a_value_is_found_by_another_name_of_it_and_misspelt(desk: Desk) -> None:
    await desk.prepare(tiny_shop.manifest())
    project = await desk.model()
    found = await desk.retrieval.run(project, "How many Germans are there?")
    assert [(match.words, str(match.column), match.value, match.kind) for match in found.values] == [
        ("Germans", "customers.country", "Germany", "demonym")
    ]
    misspelt = await desk.retrieval.run(project, "What did Ada Lovelase order?")
    assert [(match.value, match.kind) for match in misspelt.values] == [("Ada Lovelace", "fuzzy")]


async def test_joins_that_nobody_declared_are_told_of_as_candidates_also_after_a_restart(desk: Desk) -> None:
    manifest = tiny_shop.manifest() | {"relationships": []}
    for model in manifest["models"]:
        model["columns"] = [column for column in model["columns"] if not column.keys() & {"relationship", "expression"}]
    assert await desk.prepare(manifest) == {"status": "finished"}
    project = await desk.model()
    assert project.model.relationships == ()
    desk.projects.forget("default")  # what is kept is read from the record again
    again = await desk.model()
    for found in (project, again):
        (link,) = found.model.candidates or ()
        assert (link.table, link.column, link.to_table, link.to_column) == ("orders", "customer_id", "customers", "id")
        assert link.because.endswith("are there")
    schema = (await desk.retrieval.run(again, "How many orders from Germany?")).schema
    (edge,) = schema.joins.edges
    assert (edge.source, edge.inferred, edge.confidence < 1) == (JoinSource.VALUES, True, True)


async def test_a_changed_model_embeds_only_what_changed(desk: Desk, embedder: CountingEmbedder) -> None:
    await desk.prepare(tiny_shop.manifest())
    embedder.texts.clear()
    await desk.prepare(changed(description="Everyone who ever bought."), "m2")
    assert len(embedder.texts) == 1
    assert "Everyone who ever bought" in embedder.texts[0]


async def test_a_model_that_does_not_validate_is_refused_with_every_problem_and_replaces_nothing(desk: Desk) -> None:
    await desk.prepare(tiny_shop.manifest())
    before = await desk.projects.get("default", None)
    bad = tiny_shop.manifest()
    bad["models"][0]["primaryKey"] = "nope"
    bad["relationships"][0]["joinType"] = "SOMETIMES"
    del bad["views"][0]["statement"]
    for label in ("m1", "m2"):
        status = await desk.prepare(bad, label)
        assert status["status"] == "failed"
        assert status["error"]["code"] == "MDL_PARSE_ERROR"
        assert "unchanged" in status["error"]["hint"]
        for sign in ("nope", "SOMETIMES", "statement"):
            assert sign in status["error"]["message"]
    assert await desk.projects.get("default", None) is before
    assert await desk.projects.get("default", "m1") is before
    assert await desk.projects.get("default", "m2") is None


async def test_what_is_no_manifest_at_all_is_refused_in_words(desk: Desk) -> None:
    for mdl in ("", "not json", "[]", "null", "{}", '{"models": 3}'):
        status = await desk.prepare(mdl)
        assert (status["status"], status["error"]["code"]) == ("failed", "MDL_PARSE_ERROR")
        with pytest.raises(InvalidModel):
            await desk.preparation.start("default", mdl, None)
    status = await desk.prepare(tiny_shop.manifest() | {"dataSource": "POSTGRES"})
    assert status["status"] == "failed"
    assert "SQLITE" in status["error"]["message"]
    with pytest.raises(ConfigurationError):
        await desk.preparation.start("homeless", tiny_shop.manifest(), "m1")


async def test_a_model_that_reads_files_or_the_catalogue_is_refused(desk: Desk) -> None:
    await desk.prepare(tiny_shop.manifest())
    before = await desk.projects.get("default", None)
    bad = tiny_shop.manifest()
    columns = [{"name": "name", "type": "VARCHAR"}]
    bad["models"] += [
        {"name": "files", "refSql": "SELECT * FROM read_csv('/etc/passwd')", "columns": columns},
        {"name": "catalogue", "refSql": "SELECT name FROM sqlite_master", "columns": columns},
    ]
    status = await desk.prepare(bad, "m2")
    assert (status["status"], status["error"]["code"]) == ("failed", "MDL_PARSE_ERROR")
    assert '"files" . refSql: it cannot be used' in status["error"]["message"]
    assert '"catalogue" . refSql: it reads "sqlite_master"' in status["error"]["message"]
    assert await desk.projects.get("default", None) is before is not None


async def test_without_a_label_the_content_is_the_label(desk: Desk) -> None:
    label = await desk.preparation.start("default", tiny_shop.manifest())
    await desk.ended(lambda: desk.preparation.status("default", label))
    assert (await desk.model(label)).content_hash == label


async def test_what_the_database_lacks_is_a_warning_with_the_nearest_name(desk: Desk) -> None:
    manifest = tiny_shop.manifest()
    manifest["models"][0]["columns"][2] = {"name": "country", "type": "VARCHAR", "expression": "contry"}
    manifest["models"][1]["tableReference"]["table"] = "order"
    status = await desk.prepare(manifest)
    assert status["status"] == "finished"
    warnings = "\n".join(status["warnings"])
    assert '"contry"' in warnings
    assert "country" in warnings
    assert '"order"' in warnings
    assert "orders" in warnings
    again = await desk.prepare(manifest)
    assert set(again["warnings"]) == set(status["warnings"])


async def test_a_model_that_is_sent_again_is_held_against_its_database_again(desk: Desk, tmp_path: Path) -> None:
    async def sent_again() -> str:
        answer = await desk.prepare(tiny_shop.manifest())
        assert answer["status"] == "finished"
        return "\n".join(answer.get("warnings", ()))

    def rename(old: str, new: str) -> None:
        with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
            connection.execute(f"ALTER TABLE orders RENAME COLUMN {old} TO {new}")

    place = ColumnRef("orders", "status")
    assert await sent_again() == ""
    rename("status", "state")
    for _ in range(2):
        assert 'no column "status"' in await sent_again()
    project = await desk.model()
    assert place not in project.values
    rename("state", "status")
    assert await sent_again() == ""
    project = await desk.model()
    assert project.values[place] == ("open", "paid", "shipped")


async def test_a_database_that_is_not_there_yet_is_looked_at_when_the_model_comes_again(
    tmp_path: Path, embedder: CountingEmbedder
) -> None:
    async with open_desk(tmp_path, embedder) as desk:
        aside = (tmp_path / "shop.sqlite").rename(tmp_path / "aside")
        status = await desk.prepare(tiny_shop.manifest())
        assert status["status"] == "finished"
        assert "not checked" in status["warnings"][0]
        project = await desk.model()
        assert project.values == {}
        aside.rename(tmp_path / "shop.sqlite")
        assert await desk.prepare(tiny_shop.manifest()) == {"status": "finished"}
        project = await desk.model()
        assert ColumnRef("orders", "status") in project.values


async def test_an_embedder_that_fails_leaves_the_model_in_use_and_is_said(
    desk: Desk, embedder: CountingEmbedder
) -> None:
    await desk.prepare(tiny_shop.manifest())
    embedder.broken = True
    status = await desk.prepare(changed(description="New."), "m2")
    assert (status["status"], status["error"]["code"]) == ("failed", "OTHERS")
    assert await desk.projects.get("default", "m2") is None
    current = await desk.model()
    assert current.label == "m1"
    embedder.broken = False
    assert await desk.prepare(changed(description="New."), "m2") == {"status": "finished"}


async def test_asks_go_on_over_the_old_model_until_the_new_one_is_whole(
    tmp_path: Path,
) -> None:
    embedder = CountingEmbedder(delay=0.02)
    async with open_desk(tmp_path, embedder) as desk:
        await desk.prepare(tiny_shop.manifest())
        new = tiny_shop.manifest()
        for model in new["models"]:
            model["properties"]["description"] = "Rewritten."
        new["models"].append({**copy.deepcopy(new["models"][0]), "name": "buyers"})
        new["models"][-1]["columns"] = [{"name": "id", "type": "INTEGER"}]
        await desk.preparation.start("default", new, "m2")
        seen: list[frozenset[str]] = []
        while (await desk.preparation.status("default", "m2"))["status"] == "indexing":
            project = await desk.model()
            found = await desk.retrieval.run(project, "buyers and orders")
            names = frozenset(table.name for table in found.tables)
            assert names == frozenset(project.model.tables)
            seen.append(names)
        project = await desk.model()
        found = await desk.retrieval.run(project, "buyers and orders")
    assert "buyers" not in seen[0]
    # The preparation may end between the status and the question: then it is the new one, and stays so.
    assert sorted(seen, key=lambda names: "buyers" in names) == seen
    assert "buyers" in {table.name for table in found.tables}


async def test_progress_is_told_while_it_lasts_and_never_goes_back(tmp_path: Path) -> None:
    stages = ["checking", "sampling", "indexing"]
    for delay in (0.0, 0.3):  # the index is made before sampling ends, and after
        async with open_desk(tmp_path, CountingEmbedder(delay=delay)) as desk:
            await desk.preparation.start("default", changed(description=f"New {delay}."), "m1")
            seen: list[tuple[int, int]] = []
            while (status := await desk.preparation.status("default", "m1"))["status"] == "indexing":
                if progress := status.get("progress"):
                    assert 0 <= progress["done"] <= progress["total"]
                    seen.append((stages.index(progress["stage"]), progress["done"]))
                await asyncio.sleep(0.002)
            assert seen == sorted(seen)
            assert seen[-1][0] == stages.index("indexing")
            assert "progress" not in status


async def test_projects_are_apart_and_no_project_means_default_alone(desk: Desk) -> None:
    await desk.prepare(tiny_shop.manifest(), "m1", "default")
    await desk.prepare(changed(description="Other."), "m2", "other")
    assert await desk.projects.get("other", "m1") is None
    with pytest.raises(NotFound):
        await desk.preparation.status("default", "m2")
    await desk.preparation.delete("default")
    assert await desk.projects.get("default", None) is None
    assert await desk.projects.get("default", "m1") is None
    other = await desk.model(project_id="other")
    assert (await desk.retrieval.run(other, "orders")).tables
    with pytest.raises(NotFound):
        await desk.preparation.status("default", "m1")


async def test_removing_a_project_stops_its_preparation_for_good(tmp_path: Path) -> None:
    async with open_desk(tmp_path, CountingEmbedder(delay=0.3)) as desk:
        await desk.preparation.start("default", tiny_shop.manifest(), "m1")
        await asyncio.sleep(0.2)
        await desk.preparation.delete("default")
        assert desk.runner.depth == 0
        await asyncio.sleep(0.4)
        assert await desk.projects.get("default", None) is None
        assert await desk.record.jobs.unfinished("preparation") == []


async def test_the_model_sent_last_is_the_current_one(tmp_path: Path) -> None:
    async with open_desk(tmp_path, CountingEmbedder(delay=0.02)) as desk:
        for n in range(4):
            await desk.preparation.start("default", changed(description=f"Version {n}."), f"m{n}")
        for n in range(4):
            await desk.ended(lambda n=n: desk.preparation.status("default", f"m{n}"))
        project = await desk.model()
        assert project.label == "m3"


async def test_a_label_that_is_sent_again_with_other_content_means_the_new_content(tmp_path: Path) -> None:
    async with open_desk(tmp_path, CountingEmbedder(delay=0.05)) as desk:
        await desk.preparation.start("default", changed(description="Old."), "m1")
        await asyncio.sleep(0.1)
        await desk.prepare(changed(description="New."), "m1")
        project = await desk.model("m1")
        table = project.model.table("customers")
        assert table is not None
        assert table.description == "New."


async def test_a_restart_keeps_the_model_and_embeds_nothing(tmp_path: Path, embedder: CountingEmbedder) -> None:
    async with open_desk(tmp_path, embedder) as desk:
        await desk.prepare(tiny_shop.manifest())
    embedder.texts.clear()
    async with open_desk(tmp_path, embedder) as desk:
        assert await desk.preparation.jobs.resume() == 0
        project = await desk.model()
        assert project.values
        await desk.retrieval.run(project, "orders?")
        assert embedder.texts == ["orders?"]


CHILD = """
import asyncio, json, sys
from pathlib import Path
from askwell.knowledge.saved import SqlPair
from tests.services.conftest import open_desk
from tests.support import tiny_shop
from tests.support.counting_embedder import CountingEmbedder

async def main():
    async with open_desk(Path(sys.argv[1]), CountingEmbedder(delay=float(sys.argv[2]))) as desk:
        await desk.preparation.start("default", tiny_shop.manifest(), "m1")
        await desk.knowledge.save_sql_pairs("default", [SqlPair("1", "q", "SELECT 1")])
        print("accepted", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("delay", "wait"),
    [(60, 0.0), pytest.param(60, 0.3, marks=pytest.mark.deep), pytest.param(0.1, 0.25, marks=pytest.mark.deep)],
)
async def test_what_was_accepted_is_prepared_after_kill_9(
    tmp_path: Path, embedder: CountingEmbedder, delay: float, wait: float
) -> None:
    tiny_shop.make_database(tmp_path / "shop.sqlite")
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(tmp_path), str(delay), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"accepted\n"
    await asyncio.sleep(wait)
    child.send_signal(signal.SIGKILL)
    await child.wait()
    async with open_desk(tmp_path, embedder) as desk:
        await desk.preparation.jobs.resume()
        await desk.knowledge.resume()
        status = await desk.ended(lambda: desk.preparation.status("default", "m1"))
        assert status == {"status": "finished"}
        project = await desk.model()
        assert [sample.id for sample in (await desk.retrieval.run(project, "q")).samples] == ["1"]


async def test_a_preparation_that_never_survives_is_given_up(tmp_path: Path, embedder: CountingEmbedder) -> None:
    async with open_desk(tmp_path, embedder) as desk:
        await desk.prepare(tiny_shop.manifest(), "m0")
        digest = (await desk.model()).content_hash
        request = {"mdl_hash": "m1", "content_hash": digest}
        moment = datetime.now(UTC)
        left = AcceptedJob("left", "preparation", "default", request, None, "", moment, attempts=2, label="m1")
        await desk.record.jobs.accept(left)
    async with open_desk(tmp_path, embedder) as desk:
        assert await desk.preparation.jobs.resume() == 1
        status = await desk.ended(lambda: desk.preparation.status("default", "m1"))
        assert status["status"] == "failed"
        assert "gave up" in status["error"]["message"]
        current = await desk.model()
        assert current.label == "m0"


# -- Several models of a project can be asked at once, each by the label that it was sent under.


def renamed(number: int) -> dict[str, Any]:
    """The tiny shop whose orders are called otherwise."""
    mdl = tiny_shop.manifest()
    mdl["views"] = []
    for model in mdl["models"]:
        if model["name"] == "orders":
            model["properties"] = {"displayName": f"sales {'abcdefgh'[number]}"}
        if model["name"] == "customers":
            model["columns"] = [
                column for column in model["columns"] if not column.get("isCalculated") and "relationship" not in column
            ]
            model["columns"][1] = {"name": f"label{number}", "type": "VARCHAR", "expression": "name"}
    return mdl


async def test_an_ask_is_for_the_model_that_it_names(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        for number in range(5):
            assert (await service.prepare(renamed(number), f"m{number}"))["status"] == "finished"
        for number in (0, 4, 2, 3, 1):
            answer = await service.answer("List the customers.", id=f"m{number}", execute=True)
            names = [column["name"] for column in answer["data"]["columns"]]
            assert f"label{number}" in names, answer
        status, answer = await service.call("POST", "/v1/asks", json={"query": "List the customers.", "id": "m9"})
        assert status == 202


async def test_as_many_stay_in_the_index_as_the_configuration_says(tmp_path: Path) -> None:
    store = parts.document_store(load_config(write_config(tmp_path, settings={"model_versions": 4}), {}))
    sections = [Section("p", "model", str(number)) for number in range(6)]
    for section in sections:
        await store.replace(section, [], np.zeros((0, 0), np.float32))
    assert [await store.holds(section) for section in sections] == [False, False, True, True, True, True]


# -- A model as the legacy web client writes it can be deployed and asked about.


async def test_the_model_of_the_legacy_client_is_deployed_and_asked(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute(SHOP_ROWS)
    source = {"engine": "duckdb", "path": str(tmp_path / "shop.duckdb"), "shared": True}
    async with running_service(write_config(tmp_path, data_sources={"default": source})) as service:
        assert (await service.prepare(legacy_manifest()))["status"] == "finished"
        counted = await service.answer("How many orders are there?", execute=True)
        assert counted["data"]["rows"] == [[4]]
        viewed = await service.answer("Which orders are big?", execute=True)
        assert len(viewed["data"]["rows"]) == 2
        calculated = await service.answer("What is the total pieces of all orders?", execute=True)
        assert calculated["data"]["rows"] == [[16]]
