"""How conditions combine: "or" between two of them, and "both", which no single row can meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.words.phrases import Mark


def read_combinations(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """The draft with its conditions joined as the question says."""
    draft = _either(reader, draft)
    draft = _both(reader, draft)
    yield _contradiction(reader, draft)


def _either(reader: Reader, draft: Draft) -> Draft:
    for i in reader.sentence.where(Mark.OR):
        if i in draft.used or len(draft.conditions) != 2 or reader.sentence.span(i).low == "either":
            continue
        sides = [placed.at < i for placed in draft.conditions]
        if sides.count(True) == 1:
            either = (k for k in range(i) if reader.sentence.span(k).low == "either")
            draft = draft.take(i, *either).assume(assumption("any_condition")).set(any_of=True).shaped("or")
    return draft


def _both(reader: Reader, draft: Draft) -> Draft:
    for i in reader.sentence.where(Mark.BOTH):
        if i in draft.used:
            continue
        after = [placed.condition for placed in draft.conditions if placed.at > i]
        if len(after) == 2 == len(draft.conditions) and after[0].column == after[1].column:
            draft = draft.take(i).assume(assumption("both"))
            draft = draft.set(both=tuple(after), both_said=True, conditions=()).shaped("both")
    return draft


def _contradiction(reader: Reader, draft: Draft) -> Draft:
    """Two conditions on one column that no row meets mean two rows: "has a price above 10 and one below 5"."""
    conditions = tuple(placed.condition for placed in draft.conditions)
    times = [condition.column for condition in conditions if condition.period is not None]
    closed = [c for c in conditions if c.period is not None and c.period.start is not None and c.period.end is not None]
    if len(closed) > 1 and len(set(times)) < len(times) and not draft.any_of:
        raise DeadEnd("several_at_once", *(reader.readable(column) for column in set(times)))
    if len(conditions) > 2 and not draft.any_of:
        _refuse_clashes(conditions)
    if len(conditions) != 2 or draft.any_of or draft.both or conditions[0].column != conditions[1].column:
        return draft
    if any(c.negated or c.than_average or len(c.values) != 1 for c in conditions) or not _clash(*conditions):
        return draft
    named = assumption("contradiction", "", reader.readable(conditions[0].column))
    return draft.assume(named).set(both=conditions, both_said=True, conditions=()).shaped("both")


def _refuse_clashes(conditions: Sequence[Condition]) -> None:
    """Two different values of one column among more conditions: it is not clear which belong together."""
    for k, a in enumerate(conditions):
        for b in conditions[k + 1 :]:
            equal = {a.operator, b.operator} <= {"=", "in"} and not (a.negated or b.negated)
            if a.column == b.column and equal and set(a.values) != set(b.values):
                raise DeadEnd("several_at_once", *(str(value) for value in (*a.values, *b.values)))


def _clash(a: Condition, b: Condition) -> bool:
    x, y = a.values[0], b.values[0]
    if a.operator == b.operator == "=":
        return x != y
    if isinstance(x, str) != isinstance(y, str) or a.operator[0] == b.operator[0]:
        return False
    if a.operator[0] not in "<>" or b.operator[0] not in "<>":
        return False
    low, high = (x, y) if a.operator[0] == "<" else (y, x)
    return bool(low <= high)  # type: ignore[operator]
