"""What somebody says when values are asked for, and what is taken from it on a fixed day."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from askwell.question.filling import values_said
from askwell.question.slots import Edge, Kind, Slot

TODAY = date(2026, 11, 24)
FROM, TO = Slot("from", Kind.DATE, Edge.START), Slot("to", Kind.DATE, Edge.LAST)
UNTIL, DAY = Slot("until", Kind.DATE, Edge.END), Slot("day", Kind.DATE)
MOMENTS = [Slot("begin", Kind.MOMENT, Edge.START), Slot("end", Kind.MOMENT, Edge.LAST)]
LEAST, MOST = Slot("minimum", Kind.NUMBER, Edge.START), Slot("maximum", Kind.NUMBER, Edge.LAST)
COUNTRY = Slot("country", known={"germany": "Germany", "italy": "Italy"})

SPRING = {"from": "2024-01-01", "to": "2024-03-31"}
SAID: list[tuple[str, list[Slot], dict[str, Any]]] = [
    ("last month", [FROM, TO], {"from": "2026-10-01", "to": "2026-10-31"}),
    ("last month", [FROM, UNTIL], {"from": "2026-10-01", "until": "2026-11-01"}),
    ("last month", MOMENTS, {"begin": "2026-10-01 00:00:00", "end": "2026-10-31 23:59:59"}),
    ("from January to March 2024", [FROM, TO], {"from": "2024-01-01", "to": "2024-03-31"}),
    ("November to February", [FROM, TO], {"from": "2025-11-01", "to": "2026-02-28"}),
    ("the first two weeks of May", [FROM, TO], {"from": "2026-05-01", "to": "2026-05-14"}),
    ("the last day of February 2024", [FROM, TO], {"from": "2024-02-29", "to": "2024-02-29"}),
    ("December", [FROM, TO], {"from": "2025-12-01", "to": "2025-12-31"}),
    ("24 November", [DAY], {"day": "2026-11-24"}),
    ("25 November", [DAY], {"day": "2025-11-25"}),
    ("Q1 2024", [FROM, UNTIL], {"from": "2024-01-01", "until": "2024-04-01"}),
    ("yesterday", [FROM, TO], {"from": "2026-11-23", "to": "2026-11-23"}),
    ("2024-01-01 to 2024-04-01", [FROM, UNTIL], {"from": "2024-01-01", "until": "2024-04-02"}),
    ("2024-01-01", [FROM, TO], {"from": "2024-01-01"}),
    ("since March 2024", [FROM, TO], {"from": "2024-03-01"}),
    ("before 2024", [FROM, TO], {"to": "2023-12-31"}),
    ("3 May 2024", [DAY], {"day": "2024-05-03"}),
    ("March 2024", [DAY], {}),
    ("not last month", [FROM, TO], {}),
    ("31 February 2024", [FROM, TO], {}),
    ("last 99999 years", [FROM, TO], {}),
    ("at least 100", [LEAST, MOST], {"minimum": 100}),
    ("up to 2 million", [LEAST, MOST], {"maximum": 2_000_000}),
    ("between 100 and 200.5", [LEAST, MOST], {"minimum": 100, "maximum": 200.5}),
    ("-5", [LEAST], {"minimum": -5}),
    ("it is germany, please", [COUNTRY], {"country": "Germany"}),
    ("Italy, last month", [COUNTRY, FROM, TO], {"country": "Italy", "from": "2026-10-01", "to": "2026-10-31"}),
    ("between January and March 2024 in Italy", [FROM, TO, COUNTRY], SPRING | {"country": "Italy"}),
    ("in Italy from January to March 2024", [FROM, TO, COUNTRY], SPRING | {"country": "Italy"}),
    ("January to March 2024 for San Marino", [FROM, TO, Slot("place")], SPRING | {"place": "San Marino"}),
    ("Italy, January to March 2024", [FROM, TO, COUNTRY], SPRING | {"country": "Italy"}),
    ("Washington, DC", [FROM, TO, Slot("place")], {"place": "Washington, DC"}),
    ("nowhere in particular", [COUNTRY], {}),
    ("Norway", [COUNTRY], {"country": "Norway"}),
    ("country: italy and minimum = 7", [COUNTRY, LEAST], {"country": "Italy", "minimum": 7}),
    ("1, 2 and 3", [Slot("ids", Kind.INTEGER, many=True)], {"ids": [1, 2, 3]}),
    ("'; DROP TABLE x; --", [Slot("name")], {"name": "'; DROP TABLE x; --"}),
    ("well", [FROM, Slot("state", required=False)], {}),
]


@pytest.mark.parametrize(("said", "slots", "values"), SAID, ids=lambda value: str(value)[:40])
def test_values_are_taken_as_they_were_meant(said: str, slots: list[Slot], values: dict[str, Any]) -> None:
    assert values_said(said, slots, TODAY) == values
