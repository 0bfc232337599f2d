"""The rows that a statement found, and sums over several units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords
from askwell.checking.statement import Written
from askwell.checking.values import ValueIndex
from askwell.mdl.semantic_model import ColumnRef
from askwell.providers.engine.base import QueryRows

_D, _N = Severity.DOUBT, Severity.NOTE
_WHOLE = 100


def results(asked: AskedWords, written: Written, rows: QueryRows) -> Iterator[Finding]:
    """What rows can hardly be the answer."""
    root = written.root
    if all(value is None for row in rows.rows for value in row):
        code, message = ("no_value", "The result has no value.") if rows.rows else ("no_rows", "Nothing was found.")
        yield Finding(code, _N, "", "", message)
    elif root is not None and len(root.expressions) == len(rows.columns):
        for item, column in zip(root.expressions, zip(*rows.rows, strict=True), strict=True):
            yield from _figures(asked, written, item, [number for value in column for number in _number(value)])
    if root is None or len(rows.rows) == len(set(map(str, rows.rows))):
        group = root.args.get("group") if root is not None else None
        labels = Counter(tuple(value for value in row if isinstance(value, str)) for row in rows.rows)
        hidden = (
            [n for n in group.expressions if (r := written.ref(n)) and (r.table, r.column) not in written.keys]
            if group
            else []
        )
        label, count = labels.most_common(1)[0] if labels else ((), 0)
        if hidden and label and count > 1 and not all(_is_shown(node, root) for node in hidden):
            yield Finding("more_groups", _D, "", "", f"“{' '.join(label)}” is in {count} rows of the result.")
    else:
        yield Finding("row_twice", _N, "", "", "The same row is in the result more than once.")


def _is_shown(node: exp.Expr, root: exp.Select | None) -> bool:
    return root is not None and any(node == item.unalias() for item in root.expressions)


def _figures(asked: AskedWords, written: Written, item: exp.Expr, numbers: list[float]) -> Iterator[Finding]:
    """Averages of 0, durations below 0, and shares above 100."""
    text = written.text(item.unalias())
    if numbers and not any(numbers) and item.find(exp.Avg):
        yield Finding("zero_average", _D, "", text, f"{text} is 0, which an average hardly is.")
    dates = [
        ref for node in item.find_all(exp.Column) if (ref := written.refs.get(id(node))) and _is_date(written, ref)
    ]
    if numbers and min(numbers) < 0 and len(dates) > 1:
        yield Finding("negative_duration", _D, "", text, f"{text} gives durations below 0, such as {min(numbers):g}.")
    if numbers and max(numbers) > _WHOLE and item.find(exp.Div) and (share := asked.cue("SHARE")):
        message = f"{text} gives a share of {max(numbers):g}, and none is above {_WHOLE}."
        yield Finding("share_above_100", _D, share.words, text, message)


def _number(value: object) -> Iterator[float]:
    """The number that a value of a result is; decimals come as text."""
    try:
        yield float(str(value))
    except ValueError:
        return


def _is_date(written: Written, ref: ColumnRef) -> bool:
    column = written.column(ref)
    return column is not None and cues().is_type(column, "times")


def mixed_units(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Sums and averages over rows that are in several currencies or units, as a column of their table says."""
    chosen = {part.ref for part in written.filters}
    chosen |= {written.ref(node) for group in written.tree.find_all(exp.Group) for node in group.expressions}
    for figure in written.tree.find_all(exp.Sum, exp.Avg):
        tables = {ref.table for node in figure.find_all(exp.Column) if (ref := written.refs.get(id(node)))}
        for ref, texts in index.texts.items():
            is_unit = ref.table in tables and ref.column.lower().split("_")[-1] in cues().words["unit"]
            if is_unit and len(texts) > 1 and ref not in chosen:
                text, some = written.text(figure), " and ".join(sorted(texts)[:2])
                yield Finding("mixed_units", _D, "", text, f"{text} adds up rows in {some}, as {ref} says.")
