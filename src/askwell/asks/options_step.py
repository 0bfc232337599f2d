"""Which of the readings that somebody is asked to choose from really differ: in their statements, and in what these
find."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from askwell.providers.engine.base import QueryRows
from askwell.semantic_parsing.translation import Abstention, Choice, RulesMode, Translation, leads_on
from askwell.sql.bindings import Bindings

Glance = Callable[[str], Awaitable[QueryRows | None]]


async def that_differ(
    given: Abstention,
    mode: RulesMode,
    read: Callable[[Bindings], Translation | Abstention],
    glance: Glance,
) -> Abstention:
    """The abstention with those of its choices that lead to an answer or to another question, that find something where
    `glance` shows the first rows of a statement, and that find something else than those before them. As long as two
    are left, what leads nowhere or finds nothing is left out; a single one is left where all find the same."""

    readings = await asyncio.to_thread(lambda: [read(choice.bindings) for choice in given.choices])
    rows = await asyncio.gather(*(_rows(reading, glance) for reading in readings))
    found = list(zip(given.choices, readings, rows, strict=True))
    leading = [one for one in found if leads_on(one[1], mode)]
    found = leading if len(leading) > 1 else found
    filled = [one for one in found if one[2] is None or one[2].rows]
    differing: dict[str, Choice] = {}
    for choice, reading, seen in filled if len(filled) > 1 else found:
        differing.setdefault(_result(choice, reading, seen), choice)
    return replace(given, choices=tuple(differing.values()))


async def _rows(reading: Translation | Abstention, glance: Glance) -> QueryRows | None:
    return await glance(reading.sql) if isinstance(reading, Translation) else None


def _result(choice: Choice, reading: Translation | Abstention, seen: QueryRows | None) -> str:
    """The same text for the same result."""
    if not isinstance(reading, Translation):
        return choice.label
    if seen is None or seen.truncated:
        return reading.sql
    cells = [repr([f"{cell:.9g}" if isinstance(cell, float) else cell for cell in row]) for row in seen.rows]
    return repr(cells if reading.ordered else sorted(cells))
