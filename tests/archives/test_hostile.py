"""Archives that somebody made or changed: each is refused with a sentence, and nothing of it is written."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
import pytest_asyncio

from askwell.archives import ProjectArchives
from askwell.archives import reading as bounds
from askwell.errors import InvalidRequest
from askwell.knowledge.record import Record
from tests.archives.shop import content, fill
from tests.support.tables import case_table

Files = dict[str, bytes]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def record(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Record]:
    opened = await Record.open("sqlite", tmp_path_factory.mktemp("hostile"))
    await fill(opened, "shop")
    yield opened
    await opened.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def files(record: Record) -> Files:
    """A good archive, by the names of what is in it."""
    file = io.BytesIO()
    await ProjectArchives(record).write("shop", file, ("history", "asks"))
    with zipfile.ZipFile(file) as found:
        return {name: found.read(name) for name in found.namelist()}


def packed(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return file


def header(files: Files, **changes: Any) -> Files:
    return {**files, "project.json": json.dumps({**json.loads(files["project.json"]), **changes}).encode()}


def said(files: Files, part: str, **changes: Any) -> Files:
    """With a part of which the header says something else."""
    parts = json.loads(files["project.json"])["parts"]
    return header(files, parts={**parts, part: {**parts.get(part, {}), **changes}})


def lines(files: Files, part: str, data: bytes) -> Files:
    """With other lines, of which the header says what is true."""
    there = {**files, f"{part}.jsonl": data}
    return said(there, part, rows=data.count(b"\n"), bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def row(files: Files, part: str, **changes: Any) -> Files:
    """With a first row that is changed; None takes a field away."""
    first, *rest = files[f"{part}.jsonl"].splitlines()
    changed = {key: value for key, value in {**json.loads(first), **changes}.items() if value is not None}
    return lines(files, part, b"\n".join([json.dumps(changed).encode(), *rest, b""]))


def request(files: Files, **changes: Any) -> Files:
    """With an ask that asks something else."""
    return row(files, "asks", request={**json.loads(files["asks.jsonl"])["request"], **changes})


def without(files: Files, name: str) -> Files:
    return {key: data for key, data in files.items() if key != name}


def many_entries() -> io.BytesIO:
    """A million files of which the table of contents says that they are there, in one that is small when packed."""
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    contents = entry * 1_000_000
    return io.BytesIO(contents + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(contents), 0, 0))


def many_entries_said_elsewhere() -> io.BytesIO:
    """The same, of which only the larger of two ends tells."""
    data = many_entries().getvalue()
    contents, end = data[:-22], data[-22:-10] + struct.pack("<2LH", 0, 0, 0)
    larger = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 10**6, 10**6, len(contents), 0)
    return io.BytesIO(contents + larger + struct.pack("<4sLQL", b"PK\6\7", 0, len(contents), 1) + end)


def entry(files: Files, *changes: tuple[int, bytes]) -> io.BytesIO:
    """With other bytes at some places of the first entry of the table of contents."""
    data = bytearray(packed(files).getvalue())
    start = data.index(b"PK\1\2")
    for place, value in changes:
        data[start + place : start + place + len(value)] = value
    return io.BytesIO(bytes(data))


HOSTILE: dict[str, tuple[Callable[[Files], Any], str]] = {
    "no zip file": (lambda f: io.BytesIO(b"hello"), "a project archive, or it is damaged"),
    "empty": (lambda f: io.BytesIO(), "a project archive, or it is damaged"),
    "cut off": (lambda f: io.BytesIO(packed(f).getvalue()[:-200]), "a project archive, or it is damaged"),
    "another zip file": (lambda f: {"readme.txt": b"x"}, "it has no project.json"),
    "a path upwards": (lambda f: {**f, "../../etc/passwd": b"x"}, "'../../etc/passwd'"),
    "an absolute path": (lambda f: {**f, "/etc/cron.d/x": b"x"}, "'/etc/cron.d/x'"),
    "a windows path": (lambda f: {**f, "..\\models.jsonl": b"x"}, "models.jsonl'"),
    "an unknown file": (lambda f: {**f, "keys.jsonl": b"x"}, "'keys.jsonl'"),
    "another packing": (lambda f: packed(f, zipfile.ZIP_LZMA), "packed in a way"),
    "many files": (lambda f: many_entries(), "holds more files than ours do"),
    "many files, said elsewhere": (lambda f: many_entries_said_elsewhere(), "holds more files than ours do"),
    "a name that is no UTF-8": (lambda f: entry(f, (8, b"\0\x08"), (46, b"\xff")), "or it is damaged"),
    "a header that is none": (lambda f: {**f, "project.json": b"{"}, "it is not JSON"),
    "a header that is deep": (lambda f: {**f, "project.json": b"[" * 60_000}, "it is not JSON"),
    "a large header": (lambda f: {**f, "project.json": b" " * 70_000}, "project.json in the archive is too large"),
    "a missing part": (lambda f: without(f, "keywords.jsonl"), "are not those that its project.json names"),
    "a part that is not named": (
        lambda f: header(f, parts={k: v for k, v in json.loads(f["project.json"])["parts"].items() if k != "agents"}),
        "are not those that its project.json names",
    ),
    "a wrong checksum": (lambda f: said(f, "sql_pairs", sha256="0" * 64), "not what its checksum says"),
    "another content": (
        lambda f: {**f, "sql_pairs.jsonl": f["sql_pairs.jsonl"].replace(b"SELECT 1", b"SELECT 2")},
        "not what its checksum says",
    ),
    "a promise of much": (lambda f: said(f, "asks", bytes=10**13), "less than or equal to"),
    "a bomb": (lambda f: {**f, "asks.jsonl": b"0" * 50_000_000}, "larger than its header says"),
    "a bomb of brackets": (lambda f: lines(f, "agents", b"[" * 20_000_000 + b"\n"), "more in it than a row may have"),
    "half a letter": (lambda f: row(f, "labels", label="\ud800"), "its label must not contain"),
    "a large number": (lambda f: row(f, "instructions", is_default=2**40), "its is_default is not a valid number"),
    "the same id twice": (lambda f: lines(f, "agents", f["agents.jsonl"] * 2), "another line has its id"),
    "a model of brackets": (lambda f: row(f, "models", manifest="[" * 5_000_000), "more in it than"),
    "a label of no model": (lambda f: row(f, "labels", content_hash="0" * 64), "the archive has no such model"),
    "a thread with a long id": (lambda f: row(f, "threads", id="x" * 1_000), "its id"),
}
CHANGES: dict[str, Callable[..., Files]] = {"row": row, "header": header, "said": said, "request": request}
CHANGES["lines"] = lambda files, part, data: lines(files, part, data.encode())
HOSTILE |= {
    one["name"]: (
        lambda files, one=one: CHANGES[one["change"]](files, *filter(None, [one.get("part")]), **one["to"]),
        one["sentence"],
    )
    for one in case_table(__file__, "hostile")
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_it_is_refused_with_a_sentence_and_nothing_is_written(record: Record, files: Files, name: str) -> None:
    change, sentence = HOSTILE[name]
    made = change(files)
    file = made if isinstance(made, io.BytesIO) else packed(made)
    before = await content(record, "shop")
    for project in ("shop", "store"):
        with pytest.raises(InvalidRequest) as caught:
            await ProjectArchives(record).read(project, file, replace=True)
        assert sentence in caught.value.message
        assert len(caught.value.message) < 300
        assert caught.value.hint
    assert await content(record, "shop") == before
    assert not any((await content(record, "store")).values())


async def test_the_good_one_is_taken(record: Record, files: Files) -> None:
    """So what is refused above is refused for what was changed."""
    for change in (lambda f: f, lambda f: row(f, "agents"), lambda f: request(f)):
        await ProjectArchives(record).read("taken", packed(change(files)), replace=True)


async def test_what_earlier_versions_wrote_besides_is_left_out(record: Record, files: Files) -> None:
    """Asks that were answered by one of several processes had its name."""
    older = row(files, "asks", worker="w1", parked_until="2026-03-04T05:06:07+00:00")
    await ProjectArchives(record).read("older", packed(older))
    [ask] = [one for one in (await content(record, "older"))["jobs"] if one["kind"] == "ask"]
    assert ask["status"] == "finished"
    assert not ask.keys() & {"worker", "parked_until"}


async def test_a_file_twice_is_refused(record: Record, files: Files) -> None:
    file = packed(files)
    with zipfile.ZipFile(file, "a") as target, pytest.warns(UserWarning, match="Duplicate name"):
        target.writestr("agents.jsonl", b"")
    with pytest.raises(InvalidRequest, match="a file twice"):
        await ProjectArchives(record).read("store", file)


async def test_a_password_and_an_archive_that_is_too_large_are_refused(record: Record, files: Files) -> None:
    data = bytearray(packed(files).getvalue())
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        data[at + 8] |= 1
        at += 4
    with pytest.raises(InvalidRequest, match="packed in a way that ours are not"):
        await ProjectArchives(record).read("store", io.BytesIO(data))

    class Large(io.BytesIO):
        def tell(self) -> int:
            return bounds.MOST_BYTES + 1

    with pytest.raises(InvalidRequest, match="more than 256 MB"):
        await ProjectArchives(record).read("store", Large())
