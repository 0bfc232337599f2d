"""Orders that stand where only data should stand, and what a model that obeys them would do.

`place` is where the text stands, `text` what it says, `orders` the calls that a model makes which takes it for an
order. None of the calls may have what it wants. `{victim_ask}` and `{victim_thread}` in arguments are ids of another
project's question and conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.agent.talking import Call
from tests.support.tables import case_rows, case_table

PLACES = case_table(__file__, "places")


@dataclass(frozen=True)
class Attempt:
    place: str
    text: str
    orders: Sequence[Call]


def _call(order: Any) -> Call:
    if isinstance(order, str):
        return Call("run_sql", {"sql": order})
    [(name, arguments)] = order.items()
    return Call(name, arguments)


ATTEMPTS = tuple(
    Attempt(place, text, tuple(map(_call, orders)))
    for place, text, orders in case_rows(__file__, "attempts", "place", "text", "orders")
)
