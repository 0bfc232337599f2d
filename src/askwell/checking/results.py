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
from askwell.providers.engine.base import QueryRows
from askwell.question.stems import stems

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
        yield from _repeated(written, root, rows)


def _figures(asked: AskedWords, written: Written, item: exp.Expr, numbers: list[float]) -> Iterator[Finding]:
    """Averages of 0, durations below 0, and shares above 100."""
    text, least, most = written.text(item.unalias()), min(numbers, default=0), max(numbers, default=0)
    if numbers and least == most == 0 and item.find(exp.Avg):
        yield Finding("zero_average", _D, "", text, f"{text} is 0, which an average hardly is.")
    columns = [written.column(ref) for node in item.find_all(exp.Column) if (ref := written.refs.get(id(node)))]
    dates = [one for one in columns if one is not None and set(stems(one.name)) & cues().stems["date"]]
    if least < 0 and len(dates) > 1 and item.find(exp.Sub, exp.DateDiff, exp.TimestampDiff):
        yield Finding("negative_duration", _D, "", text, f"{text} gives durations below 0, such as {least:g}.")
    if most > _WHOLE and item.find(exp.Div) and (share := asked.cue("SHARE")):
        message = f"{text} gives a share of {most:g}, and none is above {_WHOLE}."
        yield Finding("share_above_100", _D, share.words, text, message)


def _repeated(written: Written, root: exp.Select, rows: QueryRows) -> Iterator[Finding]:
    """The same row twice, and more groups than the things that they are shown for."""
    group, shown = root.args.get("group"), [item.unalias() for item in root.expressions]
    hidden = [node for node in group.expressions if node not in shown and written.ref(node)] if group else []
    is_key = any((ref.table, ref.column) in written.keys for node in hidden if (ref := written.ref(node)))
    labels = Counter(tuple(value for value in row if isinstance(value, str)) for row in rows.rows)
    label, count = labels.most_common(1)[0]
    if hidden and not is_key and label and count > 1:
        yield Finding("more_groups", _D, "", "", f"“{' '.join(label)}” is in {count} rows of the result.")
    elif len(set(map(str, rows.rows))) < len(rows.rows):
        yield Finding("row_twice", _N, "", "", "The same row is in the result more than once.")


def _number(value: object) -> Iterator[float]:
    """The number that a value of a result is; decimals come as text."""
    try:
        yield float(str(value))
    except ValueError:
        return


def mixed_units(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Sums and averages over rows that are in several currencies or units, as a column of their table says."""
    groups = [written.ref(node) for group in written.tree.find_all(exp.Group) for node in group.expressions]
    if written.root is not None and written.root.args.get("group"):
        groups += [written.ref(item.unalias()) for item in written.root.expressions]  # GROUP BY 1
    chosen = {*groups, *(part.ref for part in written.filters)}
    for figure in written.tree.find_all(exp.Sum, exp.Avg):
        refs = [ref for node in figure.find_all(exp.Column) if (ref := written.refs.get(id(node)))]
        if len(set(refs)) > 1:
            continue  # what is calculated may be converted
        tables = {
            ref.table for ref in refs if not set(stems(ref.column)) & (cues().stems["date"] | cues().stems["flags"])
        }
        for ref, texts in index.texts.items():
            is_unit = ref.table in tables and ref.column.lower().split("_")[-1] in cues().words["unit"]
            if is_unit and len(texts) > 1 and ref not in chosen:
                text, some = written.text(figure), " and ".join(sorted(texts)[:2])
                yield Finding("mixed_units", _D, "", text, f"{text} adds up rows in {some}, as {ref} says.")
