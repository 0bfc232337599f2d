"""Absence: "customers without orders", "products that were never ordered", "who do not have any pets"."""

from __future__ import annotations

import re

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import AbsentRows, Draft
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark

_VERB = re.compile(r"(?:ed|en|ing)$")
_REACH = 5


def absence_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """A negation before a table that ends the question: no row of that table belongs to what is asked for."""
    sentence = reader.sentence
    verbs: list[int] = []
    j = i + 1
    while j < min(len(sentence), i + 1 + _REACH) and sentence.table(j) is None:
        span = sentence.span(j)
        light = sentence.light(j) or span.kind in (Mark.ASK, Mark.OF, Mark.DISTINCT)
        verb = span.kind in (Thing.UNKNOWN, Thing.ENTITY) and not span.values and bool(_VERB.search(span.low))
        if not (light or verb):
            return None
        if verb:
            verbs.append(j)
        j += 1
    table = sentence.table(j)
    before = [t for k in range(i) if (t := sentence.table(k)) is not None]
    if table is None or not before or before[-1] == table:
        return None
    rest = (k for k in range(j + 1, len(sentence)) if k not in draft.used and not sentence.light(k))
    if any(sentence.kind(k) not in (Thing.STOP, Thing.COMMA) for k in rest):
        return None
    draft = draft.assume(*(assumption("loose_verb", sentence.span(k).text) for k in verbs))
    absent = AbsentRows(missing=table, of=before[0])
    return draft.take(i, j, *verbs).set(absent=(*draft.absent, absent)).shaped("absence"), j + 1
