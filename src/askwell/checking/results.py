"""The rows that a statement found, and sums over several units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, finding
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords
from askwell.checking.statement import Written
from askwell.checking.values import ValueIndex
from askwell.providers.engine.base import QueryRows
from askwell.question.stems import stems

_WHOLE = 100


def results(asked: AskedWords, written: Written, rows: QueryRows) -> Iterator[Finding]:
    """What rows can hardly be the answer."""
    if all(value is None for row in rows.rows for value in row):
        yield finding("no_value" if rows.rows else "no_rows")
    elif written.root is not None and len(written.items) == len(rows.columns):
        for item, column in zip(written.items, zip(*rows.rows, strict=True), strict=True):
            yield from _figures(asked, written, item, [number for value in column for number in _number(value)])
        yield from _repeated(written, rows)


def _figures(asked: AskedWords, written: Written, item: exp.Expr, numbers: list[float]) -> Iterator[Finding]:
    """Averages of 0, durations below 0, and shares above 100."""
    text, least, most = written.text(item.unalias()), min(numbers, default=0), max(numbers, default=0)
    if numbers and least == most == 0 and item.find(exp.Avg):
        yield finding("zero_average", sql=text)
    dates = [ref for ref in written.refs_in(item) if not cues().stems["date"].isdisjoint(stems(ref.column))]
    if least < 0 and len(dates) > 1 and item.find(exp.Sub, exp.DateDiff, exp.TimestampDiff):
        yield finding("negative_duration", sql=text, least=least)
    if most > _WHOLE and item.find(exp.Div) and (share := asked.cue("SHARE")):
        yield finding("share_above_100", share.words, text, most=most)


def _repeated(written: Written, rows: QueryRows) -> Iterator[Finding]:
    """The same row twice, and more groups than the things that they are shown for."""
    group, shown = written.clause("group"), [item.unalias() for item in written.items]
    hidden = [ref for node in group.expressions if node not in shown and (ref := written.ref(node))] if group else []
    labels = Counter(tuple(value for value in row if isinstance(value, str)) for row in rows.rows)
    label, count = labels.most_common(1)[0]
    if hidden and written.keys.isdisjoint(hidden) and label and count > 1:
        yield finding("more_groups", label=" ".join(label), count=count)
    elif len(set(map(str, rows.rows))) < len(rows.rows):
        yield finding("row_twice")


def _number(value: object) -> Iterator[float]:
    """The number that a value of a result is; decimals come as text."""
    try:
        yield float(str(value))
    except ValueError:
        return


def mixed_units(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Sums and averages over rows that are in several currencies or units, as a column of their table says."""
    chosen = {written.ref(node) for group in written.tree.find_all(exp.Group) for node in group.expressions}
    chosen |= {part.ref for part in written.filters} | set(written.shown if written.clause("group") else ())
    others = cues().stems["date"] | cues().stems["flags"]
    for figure in written.tree.find_all(exp.Sum, exp.Avg):
        refs = set(written.refs_in(figure))
        if len(refs) > 1:
            continue  # what is calculated may be converted
        tables = {ref.table for ref in refs if others.isdisjoint(stems(ref.column))}
        for ref, texts in index.texts.items():
            is_unit = ref.table in tables and ref.column.lower().split("_")[-1] in cues().words["unit"]
            if is_unit and len(texts) > 1 and ref not in chosen:
                units = " and ".join(sorted(texts)[:2])
                yield finding("mixed_units", sql=written.text(figure), units=units, ref=ref)
