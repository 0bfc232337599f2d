"""Models by project and content: what labels lead to, and when."""

from __future__ import annotations

from askwell.knowledge.record import Record
from askwell.mdl.semantic_model import ColumnRef
from tests.support.records import store_model


async def test_a_label_leads_to_a_model_only_once_it_is_prepared(record: Record) -> None:
    await store_model(record, "p", "hash1")
    assert await record.models.resolve("p", "m1") is None
    assert await record.models.resolve("p", None) is None
    assert await record.models.finish("p", "m1", "hash1")
    assert await record.models.resolve("p", "m1") == ("hash1", "m1")
    assert await record.models.resolve("p", None) == ("hash1", "m1")


async def test_the_last_one_finished_is_current_and_the_others_keep_their_labels(record: Record) -> None:
    for label, digest in (("m1", "hash1"), ("m2", "hash2")):
        await store_model(record, "p", digest)
        await record.models.finish("p", label, digest)
    assert await record.models.resolve("p", None) == ("hash2", "m2")
    assert await record.models.resolve("p", "m1") == ("hash1", "m1")


async def test_values_and_warnings_come_back_as_they_were(record: Record) -> None:
    await store_model(record, "p", "hash1", '{"a": "ü"}', ["said before"])
    stored = await record.models.find("p", "hash1")
    assert stored is not None
    assert (stored.manifest, stored.values, stored.warnings) == ('{"a": "ü"}', None, ("said before",))
    values = {ColumnRef("orders", "status"): ("open", "paid"), ColumnRef("orders", "empty"): ()}
    await record.models.keep_values("p", "hash1", values, ["said before", "said after"])
    stored = await record.models.find("p", "hash1")
    assert stored is not None
    assert (stored.values, stored.warnings) == (values, ("said before", "said after"))


async def test_projects_do_not_see_each_other(record: Record) -> None:
    await store_model(record, "p", "hash1")
    await record.models.finish("p", "m1", "hash1")
    assert await record.models.resolve("q", "m1") is None
    assert await record.models.find("q", "hash1") is None
    await record.models.delete("q")
    assert await record.models.projects() == ["p"]
    await record.models.delete("p")
    assert await record.models.projects() == []
    assert await record.models.find("p", "hash1") is None


async def test_a_model_removed_while_it_is_prepared_stays_removed(record: Record) -> None:
    await store_model(record, "p", "hash1")
    await record.models.delete("p")
    assert await record.models.finish("p", "m1", "hash1") is False
    assert await record.models.resolve("p", None) is None
