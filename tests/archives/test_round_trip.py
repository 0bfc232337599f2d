"""A project to a file and back, on both databases."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from typing import Any

import numpy as np
import pytest

from askwell.archives import ProjectArchives
from askwell.archives.parts import LEFT_OUT, PARTS
from askwell.errors import Conflict, InvalidRequest
from askwell.knowledge.record import Record
from askwell.knowledge.schema import metadata
from tests.archives.shop import AT, SECRET, content, fill, rows
from tests.knowledge.conftest import record as record

ALL = ("history", "asks")
SAVED = [name for name in rows("p") if name not in ("threads", "messages", "jobs")]


async def archive(record: Record, *options: Any, project: str = "shop") -> io.BytesIO:
    file = io.BytesIO()
    await ProjectArchives(record).write(project, file, options)
    return file


def model(number: int) -> dict[str, str]:
    manifest = f'{{"models":[],"schema":"of release {number}"}}'
    return {"manifest": manifest, "content_hash": hashlib.sha256(manifest.encode()).hexdigest()}


async def insert(record: Record, name: str, more: list[dict[str, Any]]) -> None:
    await record.project_rows.change(lambda connection: connection.execute(metadata.tables[name].insert(), more))


@pytest.mark.parametrize("into", ["shop", "store"])
async def test_everything_comes_back_in_another_record_and_under_another_name(record: Record, into: str) -> None:
    await fill(record, "shop")
    await fill(record, "other")
    before, others = await content(record, "shop"), await content(record, "other")
    file = await archive(record, *ALL)
    replace = into == "shop"
    read = await ProjectArchives(record).read(into, file, replace=replace)
    assert read.made_of == "shop"
    assert read.parts == {
        "models": 1, "labels": 1, "current_model": 1, "sql_pairs": 1, "instructions": 1, "keywords": 1, "lessons": 1,
        "documents": 1, "passages": 2, "agents": 1, "threads": 1, "messages": 3, "asks": 1,
    }  # fmt: skip
    after = await content(record, into)
    for name in (*SAVED, "threads", "messages"):
        assert after[name] == before[name], name
    asks = [one for one in after["jobs"] if one["kind"] == "ask" and "finished_at" in one]
    assert [one["request"]["project_id"] for one in asks] == [into]
    assert [(one["result"]["text"], one["owner"]) for one in asks] == [("It is one.", "ann")]
    # What goes along with the work done for somebody stays theirs; which process did it is of no use elsewhere.
    assert asks[0]["person"]["session_properties"] == {"region": "'north'"}
    assert not asks[0].keys() & {"worker", "parked_until"}
    # Where its id is another project's, it gets one of its own.
    assert (asks[0]["id"] == "a1-shop") is replace
    # Who polls the label of the model hears that it is ready.
    prepared = await record.jobs.latest("preparation", into, "v1")
    assert prepared is not None
    assert prepared.status == "finished"
    assert await content(record, "other") == others
    if not replace:
        assert await content(record, "shop") == before


async def test_shelves_see_what_was_read(record: Record) -> None:
    await fill(record, "shop")
    file = await archive(record, *ALL)
    assert (await record.saved.of("store")).pairs == {}
    await ProjectArchives(record).read("store", file)
    saved = await record.saved.of("store")
    assert [*saved.pairs, *saved.instructions, *saved.keywords, *saved.lessons] == ["p1", "i1", "k1", "l1"]
    assert await record.models.resolve("store", "v1") == await record.models.resolve("shop", None)
    assert [one.text for one in await record.threads.messages("store", "t1")] == ["words 0", "words 1", "words 2"]
    assert len(await record.documents.all_passages("store")) == 2


async def test_history_and_asks_are_there_where_they_were_wanted(record: Record) -> None:
    await fill(record, "shop")
    for options, parts in ((), set()), (("history",), {"threads", "messages"}), (("asks",), {"asks"}):
        with zipfile.ZipFile(await archive(record, *options)) as found:
            optional = {part.name for part in PARTS if part.option is not None}
            assert {name.removesuffix(".jsonl") for name in found.namelist()} & optional == parts
    # What the file has no part for stays.
    before = await content(record, "shop")
    await ProjectArchives(record).read("shop", await archive(record), replace=True)
    after = await content(record, "shop")
    assert (after["threads"], after["messages"]) == (before["threads"], before["messages"])
    assert [one["id"] for one in after["jobs"] if one["kind"] == "ask"] == ["a1-shop", "a2-shop"]


async def test_no_secret_no_key_and_no_embedding_is_in_it(record: Record) -> None:
    await fill(record, "shop")
    await record.embeddings.keep("embedder", {"orders": np.zeros(4)})
    with zipfile.ZipFile(await archive(record, *ALL)) as found:
        text = b"".join(found.read(name) for name in found.namelist())
        header = json.loads(found.read("project.json"))
    assert SECRET.encode() not in text
    assert b"embedder" not in text
    assert (header["format"], header["version"], header["project_id"]) == ("askwell-project", 1, "shop")


async def test_a_project_that_has_something_is_not_written_over_unasked(record: Record) -> None:
    await fill(record, "shop")
    await fill(record, "store")
    before = await content(record, "store")
    with pytest.raises(Conflict, match="Project store is not empty"):
        await ProjectArchives(record).read("store", await archive(record))
    assert await content(record, "store") == before


async def test_nothing_is_replaced_while_work_on_it_goes_on(record: Record) -> None:
    await fill(record, "shop")
    file = await archive(record)
    job = {"kind": "sql_pair", "id": "e1", "project_id": "shop", "request": {}, "body_hash": "", "attempts": 0}
    accepted = {**job, "accepted_at": AT}
    await record.project_rows.change(lambda connection: connection.execute(metadata.tables["jobs"].insert(), accepted))
    with pytest.raises(Conflict, match="Project shop is busy"):
        await ProjectArchives(record).read("shop", file, replace=True)


async def test_what_is_written_can_be_read_again(record: Record) -> None:
    """A project with as many models as years of deployments leave."""
    await fill(record, "shop")
    many = [{"project_id": "shop", "stored_at": AT, **model(number)} for number in range(1_200)]
    await insert(record, "manifests", many)
    read = await ProjectArchives(record).read("store", await archive(record))
    assert read.parts["models"] == 1_201


async def test_what_could_not_be_read_again_is_not_written(record: Record) -> None:
    """Said when the file is made, not when somebody needs it."""
    await fill(record, "shop")
    [passage] = (row for row in rows("shop")["chunks"] if row["place"] == 0)
    await insert(record, "chunks", [{**passage, "place": 2, "text": "," * 1_000_001}])
    with pytest.raises(InvalidRequest, match="a row of passages with more in it than an archive can hold"):
        await archive(record)
    await fill(record, "store")
    [keyword] = rows("store")["keywords"]
    await insert(record, "keywords", [{**keyword, "id": f"more{number}"} for number in range(500)])
    with pytest.raises(InvalidRequest, match="has more keywords than an archive can hold"):
        await archive(record, project="store")


async def test_the_event_loop_reads_nothing_of_a_file(record: Record) -> None:
    """An archive may hold a hundred thousand labels, and others ask meanwhile."""
    await fill(record, "shop")

    class Watched(io.BytesIO):
        readers: set[int] = set()

        def read(self, size: int | None = -1, /) -> bytes:
            self.readers.add(threading.get_ident())
            return super().read(size)

    await ProjectArchives(record).read("store", Watched((await archive(record)).getvalue()))
    assert Watched.readers
    assert threading.get_ident() not in Watched.readers


async def test_a_name_that_is_none_is_refused(record: Record) -> None:
    with pytest.raises(InvalidRequest, match="isn't a project id"):
        await archive(record, project="../etc")


def test_every_table_of_projects_is_a_part_or_left_out_on_purpose() -> None:
    """A new table has to be one of the two: what belongs to a project, or why it does not go along."""
    of_projects = {name for name, table in metadata.tables.items() if "project_id" in table.columns}
    assert {part.place.table.name for part in PARTS} | LEFT_OUT.keys() == of_projects
