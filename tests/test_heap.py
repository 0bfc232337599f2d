"""Many objects are made without full garbage collections, and what garbage that leaves is collected later."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from askwell.heap import collect_all, many_objects
from askwell.pipelines.retrieval.prepared import PreparedModel
from tests.support.models import semantic_model


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def eager_collector() -> Iterator[None]:
    """Of all that was collected for the run, which takes seconds: for those who look at the collector itself."""
    usual = gc.get_threshold()
    collect_all()
    gc.unfreeze()
    gc.collect()
    gc.set_threshold(50, 2, 2)
    yield
    gc.set_threshold(*usual)
    gc.freeze()


def full_collections(many: int) -> int:
    """How many there are while as many objects are made."""
    seen: list[int] = []

    def note(phase: str, info: dict[str, Any]) -> None:
        seen.append(info["generation"] if phase == "start" else -1)

    gc.callbacks.append(note)
    try:
        kept = [[n] for n in range(many)]
    finally:
        gc.callbacks.remove(note)
    assert len(kept) == many
    assert 0 in seen  # the young ones go on
    return seen.count(2)


@pytest.mark.deep
@pytest.mark.usefixtures("eager_collector")
def test_no_full_collection_takes_place_while_objects_are_made() -> None:
    many = 4 * len(gc.get_objects())
    with many_objects():
        assert full_collections(many) == 0
    assert full_collections(many) > 0
    assert gc.get_threshold() == (50, 2, 2)


@pytest.mark.deep
@pytest.mark.usefixtures("eager_collector")
def test_it_lasts_until_the_last_maker_is_done_also_on_threads_and_after_errors() -> None:
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        with many_objects():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    with pytest.raises(KeyError), many_objects():
        raise KeyError
    assert gc.get_threshold()[2] > 1_000_000
    assert not collect_all()  # somebody is still at it
    done.set()
    thread.join()
    assert gc.get_threshold() == (50, 2, 2)


@pytest.mark.deep
@pytest.mark.usefixtures("eager_collector")
def test_what_was_made_is_left_alone_until_somebody_has_time_for_it() -> None:
    with many_objects():
        knot = Knot()
        gone = weakref.ref(knot)
    del knot
    gc.collect()
    assert gone() is not None
    assert collect_all()
    assert gone() is None
    assert not collect_all()


def test_what_holds_no_cycle_goes_without_the_collector() -> None:
    class Plain:
        pass

    with many_objects():
        plain = Plain()
        gone = weakref.ref(plain)
    gc.disable()
    try:
        del plain
        assert gone() is None
    finally:
        gc.enable()


def test_a_prepared_model_holds_no_cycle() -> None:
    model = semantic_model({"customers": ["customer_id", "townname"], "orders": ["order_id", "customer_id"]})
    prepared = PreparedModel(model, {})
    assert prepared.table_words.found("custmer orders").any()
    gone = [weakref.ref(prepared), weakref.ref(prepared.table_words)]
    gc.disable()
    try:
        del prepared
        assert [one() for one in gone] == [None, None]
    finally:
        gc.enable()
