"""Whatever is written, searched and removed in whatever order: a project finds what is its own, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askwell.providers.document_store.base import KEPT_EDITIONS, Document, DocumentStore, Kind, Section
from tests.providers.document_store.test_contract import STORES, unit
from tests.support.examples import examples
from tests.support.tables import case_table

# Some begin with others, some differ only in case, width or composition, some are what a filter or a path might read.
NAMES = case_table(__file__, "names")
SHELVES: list[Literal["model", "knowledge"]] = ["model", "knowledge"]
VECTOR = unit(1, 0, 0)

Write = tuple[str, Literal["model", "knowledge"], str, int]
names = st.sampled_from(NAMES) | st.text(max_size=4)
writes = st.tuples(names, st.sampled_from(SHELVES), st.sampled_from("123"), st.integers(0, 3))
# A name alone is a removal.
steps = st.lists(writes | names, min_size=1, max_size=12)


class Expected:
    """What has to be there: the last editions of each shelf, each with the mark of who wrote it."""

    def __init__(self) -> None:
        self.shelves: dict[tuple[str, str], dict[str, list[Document]]] = {}

    def write(self, section: Section, documents: list[Document]) -> None:
        editions = self.shelves.setdefault((section.project_id, section.shelf), {})
        editions.pop(section.edition, None)
        editions[section.edition] = documents
        for old in list(editions)[:-KEPT_EDITIONS]:
            del editions[old]

    def remove(self, project_id: str) -> None:
        self.shelves = {key: value for key, value in self.shelves.items() if key[0] != project_id}

    def of(self, section: Section) -> list[Document] | None:
        return self.shelves.get((section.project_id, section.shelf), {}).get(section.edition)


async def play(store: DocumentStore, played: list[Write | str]) -> None:
    expected, names = Expected(), {step if isinstance(step, str) else step[0] for step in played} | {"p", "elsewhere"}
    for number, step in enumerate(played):
        if isinstance(step, str):
            await store.delete(step)
            expected.remove(step)
            continue
        project_id, shelf, edition, many = step
        section = Section(project_id, shelf, edition)
        # The same tables in every project: what they are told apart by is who wrote them.
        documents = [Document(Kind.TABLE, f"orders {n}", "orders of the shop", str(number)) for n in range(many)]
        documents += [Document(Kind.COLUMN, "orders 0", "status of orders", str(number))]
        await store.replace(section, documents, np.tile(VECTOR, (len(documents), 1)))
        expected.write(section, documents)
    for project_id in sorted(names):
        for shelf in SHELVES:
            for edition in "123":
                section = Section(project_id, shelf, edition)
                known = expected.of(section)
                assert await store.holds(section) == (known is not None), section
                for kind in (Kind.TABLE, Kind.COLUMN):
                    found = (await store.search(section, kind, "orders", VECTOR)).documents
                    assert list(found) == [one for one in known or [] if one.kind is kind], section


@pytest.mark.parametrize("make", STORES)
@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(played=steps)
def test_a_project_finds_its_own_and_nothing_else(
    make: Callable[[], AbstractAsyncContextManager[DocumentStore]], played: list[Write | str]
) -> None:
    async def run() -> None:
        async with make() as store:
            await play(store, played)

    asyncio.run(run())
