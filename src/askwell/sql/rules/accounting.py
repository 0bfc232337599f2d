"""Every word of a question has to be accounted for: here is what is left over when a reading is done."""

from __future__ import annotations

from collections.abc import Iterable

from askwell.sql.rules.sentence import Sentence
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark

# Kinds that add nothing when no clause took them. Negations, numbers and quoted text are never among them.
_FREE = frozenset({Thing.FILLER, Thing.STOP, Thing.COMMA, Mark.AND, Mark.ASK, Mark.OF, Mark.EQUALS})


def unplaced(sentence: Sentence, used: Iterable[int], *, timed: bool = False) -> tuple[str, ...]:
    """The words that no clause took and that are not mere context. `timed`: the query is about a time, so that the
    "new" of "new customers in May" is said by it."""
    placed = frozenset(used)
    return tuple(
        span.text
        for i, span in enumerate(sentence.spans)
        if i not in placed
        and span.kind not in _FREE
        and not sentence.light(i)
        and not (span.kind is Thing.ENTITY and sentence.table(i) is not None)
        and not (timed and span.low == "new" and sentence.table(i + 1) is not None)
    )
