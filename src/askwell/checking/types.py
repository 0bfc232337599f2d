"""Types: arithmetic, means and comparisons that mean nothing for the columns that they are made of."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from sqlglot import exp

from askwell.checking.finding import Finding, Rewrite, Severity, finding
from askwell.checking.question import cues
from askwell.checking.statement import Filter, Written
from askwell.checking.values import ValueIndex
from askwell.mdl.semantic_model import ColumnRef
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.written_values import DateForm, date_form
from askwell.question.words import stems
from askwell.semantic_parsing.model.facts import is_code
from askwell.sql.written_values import date_sql

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
# Numbers as people write them in texts; zeros before them make a code.
_AMOUNT = re.compile(r"[-+]?[$€£]? ?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)? ?[$€£%]?")
_MOST_COMPARED, _NUMERIC = 500, TypeFamily.NUMBER
_ISO = "year first"  # in date_shapes of cues.yaml
_ISO_BEGINS = re.compile(r"(?:19|20)\d\d(-(?:\d\d?)?(?:-\d{0,2})?)?%")
_DATE_ALONE = len("2026-11-28")
_READ = "{} is read as a date."
# Where a comparison is 1 or 0.
_ONE_FOR_TRUE = frozenset({"sqlite", "mysql"})
_SAME_TYPE = (exp.Sum, exp.Max, exp.Min, exp.Paren, exp.Neg, exp.Abs)
_READ_DATES = (exp.TimeToStr, exp.Date, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Anonymous)
_BOTH_SIDES = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Nullif)
_ORDERS: Mapping[type[exp.Expr], Any]
_ORDERS = {exp.GT: operator.gt, exp.GTE: operator.ge, exp.LT: operator.lt, exp.LTE: operator.le}


def types(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """What the types of the columns, and the values that they are known to hold, do not allow."""
    yield from _arithmetic(written, index)
    yield from _aggregates(written, index)
    yield from _divisions(written)
    yield from _text_orders(written, index)
    yield from _literals(written, index)
    yield from _unread_dates(written, index)
    yield from _date_orders(written, index)
    yield from _missing(written)


def _column(written: Written, node: exp.Expr | None) -> ColumnRef | None:
    """The column that an expression is, as it stands there: without a cast."""
    while isinstance(node, exp.Paren):
        node = node.this
    return written.refs.get(id(node)) if isinstance(node, exp.Column) else None


def _family(written: Written, ref: ColumnRef | None) -> TypeFamily | None:
    """What a column's values are for the database: SQLite keeps dates as texts."""
    column = written.column(ref)
    family = type_family(column.type) if column is not None else None
    return TypeFamily.TEXT if family is TypeFamily.TIME and written.bound.dialect == "sqlite" else family


def _texts(written: Written, index: ValueIndex, ref: ColumnRef | None) -> list[str]:
    """The known values of a column of texts, without the empty ones."""
    if ref is None or _family(written, ref) is not TypeFamily.TEXT:
        return []
    known = sorted(text for text in index.texts.get(ref, ()) if text)
    return known[:: 1 + len(known) // _MOST_COMPARED]


def _are_no_numbers(texts: list[str]) -> bool:
    """Whether most are something else: a blank that is spelled out does no harm."""
    return sum(_NUMBER.fullmatch(text) is None for text in texts) > len(texts) / 2


def _rewrite(written: Written, node: exp.Expr, old: exp.Expr, new: exp.Expr, said: str) -> Rewrite:
    """The statement with `old` replaced in all that reads like `node`."""
    by, tree = node.copy(), written.tree.copy()
    for part in [one for one in by.find_all(type(old)) if one == old]:
        if part is by:
            by = new
        else:
            part.replace(new.copy())
    for other in [one for one in tree.find_all(type(node)) if one == node]:
        other.replace(by.copy())
    return Rewrite(tree, said)


def _arithmetic(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Texts that are no numbers are subtracted, added or multiplied."""
    for node in written.tree.find_all(exp.Add, exp.Sub, exp.Mul, exp.Div):
        refs = [ref for side in (node.this, node.expression) if (ref := _column(written, side)) is not None]
        texts = [_texts(written, index, ref) for ref in refs if _family(written, ref) is TypeFamily.TEXT]
        text = written.text(node)
        if isinstance(node, exp.Mul) and isinstance(node.this, exp.Sum) and isinstance(node.expression, exp.Sum):
            yield finding("product_of_sums", sql=text)
        if any(map(_are_no_numbers, texts)):
            yield finding("text_arithmetic", sql=text, does="calculates with texts, which gives no amount")
        elif isinstance(node, exp.Sub) and len(texts) == 2 and not any(texts):
            does = "subtracts texts, which gives no duration"
            yield finding("text_arithmetic", sql=text, severity=Severity.DOUBT, does=does)


def _aggregates(written: Written, index: ValueIndex) -> Iterator[Finding]:
    for node in written.tree.find_all(exp.Avg, exp.Sum):
        inner = node.this
        ref, text = _column(written, inner), written.text(node)
        known = _texts(written, index, ref)
        if ref in written.keys:
            yield finding("aggregate_of_key", sql=text)
        elif _are_no_numbers(known):
            yield finding("aggregate_of_text", sql=text, text=min(known))
        elif ref is not None and is_code(stems(ref.column), is_total=isinstance(node, exp.Sum)):
            yield finding("aggregate_of_code", sql=text, ref=ref)
        elif isinstance(node, exp.Avg) and isinstance(inner, exp.Cast) and _is_cut(written, index, inner):
            if inner.find(exp.Div) is not None:
                continue  # ages in whole years
            by = exp.cast(inner.this.copy(), "double")
            rewrite = _rewrite(written, node, inner, by, "Each value keeps its decimals before the mean.")
            yield finding("cast_before_mean", sql=text, rewrite=rewrite)


def _is_cut(written: Written, index: ValueIndex, cast: exp.Cast) -> bool:
    """Whether a cast may take decimals away."""
    known = _texts(written, index, _column(written, cast.this))
    whole = bool(known) and all(map(str.isdecimal, known))
    return cast.is_type(*exp.DataType.INTEGER_TYPES) and not whole and not _is_whole(written, cast.this)


def _divisions(written: Written) -> Iterator[Finding]:
    """Whole numbers divided where the database cuts the result, but for what makes groups of ten years or the like."""
    for node in written.tree.find_all(exp.Div, exp.IntDiv):
        cuts = isinstance(node, exp.IntDiv) or node.args.get("typed")
        if not cuts or not all(_is_whole(written, side) for side in (node.this, node.expression)):
            continue
        if _is_meant_whole(node) or (node.this.find(exp.Mul) and isinstance(node.expression, exp.Literal)):
            continue
        if set(node.expression.name[1:]) == {"0"} and isinstance(node.parent, exp.EQ | exp.In | exp.Between):
            continue  # the year of 20261128
        over = exp.Mul(this=exp.Literal.number("1.0"), expression=node.this.copy())
        by = exp.Div(this=over, expression=node.expression.copy(), typed=node.args.get("typed"), safe=False)
        rewrite = _rewrite(written, node, node, by, "The division keeps its decimals.")
        yield finding("integer_division", sql=written.text(node), rewrite=rewrite)


def _is_meant_whole(node: exp.Expr) -> bool:
    """Whether a whole result is what a division is for: `year / 10 * 10`, a group, a part of a date."""
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    is_step = isinstance(above, exp.Mul | exp.Mod | exp.Concat | exp.DPipe | exp.Cast) and node.expression.is_int
    select = node.find_ancestor(exp.Select)
    grouped = select.args["group"].expressions if select is not None and select.args.get("group") else []
    shown = node.parent.alias if isinstance(node.parent, exp.Alias) else ""
    is_group = any(part == node or (shown and part.name == shown) for part in grouped)
    return is_step or is_group or node.find_ancestor(exp.Group) is not None


def _is_whole(written: Written, node: exp.Expr | None) -> bool:
    """Whether an expression is surely a whole number."""
    column = written.column(_column(written, node.this if isinstance(node, exp.Sum) else node))
    own_type = column.type.upper() if column is not None else ""
    match node:
        case exp.Column():
            return "INT" in own_type and type_family(own_type) is TypeFamily.NUMBER
        case exp.Count() | exp.Length() | exp.RowNumber():
            return True
        case exp.Predicate() | exp.Not() if written.bound.dialect in _ONE_FOR_TRUE:
            return True
        case exp.Cast():
            return bool(node.is_type(*exp.DataType.INTEGER_TYPES))
        case exp.Case():
            parts = [*(part.args["true"] for part in node.args["ifs"]), node.args.get("default")]
            return all(_is_whole(written, part) for part in parts if part is not None)
        case exp.Subquery() if isinstance(node.this, exp.Select) and len(node.this.expressions) == 1:
            return _is_whole(written, node.this.expressions[0].unalias())
        case exp.Sum() if written.bound.dialect == "postgres" and not isinstance(node.this, exp.Case):
            return own_type in ("INT", "INTEGER", "INT4", "SMALLINT", "INT2")
        case exp.Coalesce():
            return all(_is_whole(written, part) for part in (node.this, *node.expressions))
    if isinstance(node, _BOTH_SIDES):
        is_cut = not isinstance(node, exp.Div) or bool(node.args.get("typed"))
        return is_cut and _is_whole(written, node.this) and _is_whole(written, node.expression)
    return bool(node is not None and (node.is_int or (isinstance(node, _SAME_TYPE) and _is_whole(written, node.this))))


def _text_orders(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Numbers in texts that are compared or sorted as texts, where that makes a difference for the known ones."""
    for node in written.tree.find_all(*_ORDERS, exp.Between, exp.Ordered, exp.Max, exp.Min):
        cast = node.this if isinstance(node.this, exp.Cast) and node.this.is_type(*exp.DataType.TEXT_TYPES) else None
        bare = _column(written, cast.this) if cast is not None else None
        if cast is not None and bare is not None and _family(written, bare) is TypeFamily.NUMBER:
            if isinstance(node, exp.Ordered | exp.Max | exp.Min):
                plain = _rewrite(written, node, cast, cast.this.copy(), f"{bare} is read as a number.")
                yield finding("number_as_text", sql=written.text(node), rewrite=plain, ref=bare)
        ref, known = _column(written, node.this), _texts(written, index, _column(written, node.this))
        if not known or not all(map(_AMOUNT.fullmatch, known)) or not _differs_as_text(written, node, known):
            continue
        by = exp.cast(node.this.copy(), "double")
        are_numbers = all(map(_NUMBER.fullmatch, known))
        rewrite = _rewrite(written, node, node.this, by, f"{ref} is read as a number.") if are_numbers else None
        yield finding("text_order", sql=written.text(node), rewrite=rewrite, ref=ref)


def _value(text: str) -> float:
    return float(re.sub(r"[$€£%, ]", "", text))


def _differs_as_text(written: Written, node: exp.Expr, known: list[str]) -> bool:
    if not isinstance(node, (*_ORDERS, exp.Between)):
        return sorted(known) != sorted(known, key=lambda text: (_value(text), text))
    bounds = [node.args["low"], node.args["high"]] if isinstance(node, exp.Between) else [node.expression]
    are_texts = all(bound.is_string for bound in bounds) or written.bound.dialect == "sqlite"
    if not are_texts or not all(isinstance(one, exp.Literal) and _NUMBER.fullmatch(one.name) for one in bounds):
        return False
    orders = [operator.ge, operator.le] if isinstance(node, exp.Between) else [_ORDERS[type(node)]]
    pairs = [(holds, bound.name) for holds, bound in zip(orders, bounds, strict=True)]
    as_text = [all(holds(text, other) for holds, other in pairs) for text in known]
    return as_text != [all(holds(_value(text), float(other)) for holds, other in pairs) for text in known]


def _literals(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Literals in another form than the values of their column."""
    for part, value in [(one, value) for one in written.filters for value in one.values]:
        known, text, said = index.texts.get(part.ref, frozenset()), written.text(part.node), _date_format(value.name)
        own = _date_formats(known) if said else set()
        if isinstance(part.node, exp.Like | exp.ILike):
            if (rewrite := _with_dates(written, index, part, value)) is not None:
                yield finding("date_format", value.name, text, rewrite=rewrite, ref=part.ref, known=min(known))
        elif said and value.is_string and not known and _family(written, _column(written, part.node.this)) is _NUMERIC:
            yield finding("date_and_number", value.name, text, ref=part.ref)
        elif said == _ISO and (rewrite := _with_dates(written, index, part, value)) is not None:
            yield finding("date_format", value.name, text, rewrite=rewrite, ref=part.ref, known=min(known))
        elif len(own) == 1 and own.isdisjoint(("", said)):
            yield finding("date_format", value.name, text, ref=part.ref, known=min(known))
        elif not value.is_string and value.is_int and (meant := _padded(value.name, known)):
            if _family(written, _column(written, value.parent.this if value.parent else None)) is TypeFamily.TEXT:
                by = exp.Literal.string(meant)
                rewrite = _rewrite(written, part.node, value, by, f"{part.ref} is “{meant}”.")
                yield finding("leading_zeros", value.name, text, rewrite=rewrite, ref=part.ref, meant=meant)


def _with_dates(written: Written, index: ValueIndex, part: Filter, value: exp.Literal) -> Rewrite | None:
    """The statement with the column of a condition read as dates, where it writes them in a form of its own and `value`
    is an ISO date, or for LIKE the beginning of one; None for others."""
    column = next((one for one in (part.node.this, part.node.args.get("expression")) if _column(written, one)), None)
    form = _form(written, index, part.ref)
    if not isinstance(column, exp.Column) or form is None or not value.is_string:
        return None
    if isinstance(part.node, exp.Like | exp.ILike):
        found = _ISO_BEGINS.fullmatch(value.name)
        if found is None or (form.sorts and not found[1]):
            return None
    by = date_sql(column.copy(), replace(form, has_time=len(value.name) > _DATE_ALONE), written.bound.dialect)
    return _rewrite(written, part.node, column, by, _READ.format(part.ref))


def _form(written: Written, index: ValueIndex, ref: ColumnRef | None) -> DateForm | None:
    """How a column writes its dates, where that is otherwise than the database does and its values leave no doubt."""
    column = written.column(ref)
    if ref is None or column is None:
        return None
    texts = filter(None, index.texts.get(ref, ()))
    return date_form(column.name, texts, column.epoch, is_number=type_family(column.type) is _NUMERIC)


def _unread_dates(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Functions of SQLite that read ISO dates, over dates that are written otherwise."""
    for node in written.tree.find_all(*_READ_DATES) if written.bound.dialect == "sqlite" else ():
        if isinstance(node, exp.Anonymous) and node.name.lower() not in cues().words["date_functions"]:
            continue
        read = [part for part in (node.this, *node.expressions) if _column(written, part) is not None]
        ref = _column(written, read[0]) if read else None
        known = index.texts.get(ref, frozenset()) if ref is not None else frozenset()
        forms, form, rewrite = _date_formats(known), _form(written, index, ref), None
        if form is not None and form.epoch and "unixepoch" in (one.name for one in node.find_all(exp.Literal)):
            continue
        if form is not None:
            by = date_sql(read[0].copy(), form, "sqlite")
            rewrite = _rewrite(written, node, read[0], by, _READ.format(ref))
        if rewrite is not None or (len(forms) == 1 and forms.isdisjoint(("", _ISO))):
            yield finding("date_unread", sql=written.text(node), rewrite=rewrite, ref=ref, known=min(known))


def _date_orders(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Dates that are sorted, or compared with each other, as texts that begin with the day or the month."""
    for node in written.tree.find_all(*_ORDERS, exp.Ordered, exp.Max, exp.Min):
        sides = {name: side for name in ("this", "expression") if isinstance(side := node.args.get(name), exp.Expr)}
        forms = {name: _form(written, index, _column(written, side)) for name, side in sides.items()}
        unsorted = [sides[name] for name, form in forms.items() if form is not None and not (form.sorts or form.epoch)]
        if not unsorted or any(isinstance(side, exp.Literal) for side in sides.values()):
            continue
        by, select = node.copy(), node.find_ancestor(exp.Select)
        for name, form in forms.items():
            if form is not None:
                by.set(name, date_sql(sides[name].copy(), form, written.bound.dialect))
        ref = written.refs[id(unsorted[0])]
        is_sure = None not in forms.values() and (select is None or not select.args.get("distinct"))
        rewrite = _rewrite(written, node, node, by, _READ.format(ref)) if is_sure else None
        known = min(index.texts[ref])
        yield finding("date_order", sql=written.text(node), rewrite=rewrite, ref=ref, known=known)


def _date_formats(texts: Iterable[str]) -> set[str]:
    """The names of the formats of texts that are not empty."""
    return {_date_format(text) for text in islice(texts, _MOST_COMPARED) if text}


def _date_format(text: str) -> str:
    """The name of the format that a text is a date in; empty for other texts."""
    return next((name for name, pattern in cues().date_shapes.items() if pattern.match(text.lower())), "")


def _padded(number: str, known: frozenset[str]) -> str:
    """The one known value that is the number with zeros before it; empty where there is none."""
    found = [text for text in known if text[:1] == "0" != text and text.isdecimal() and int(text) == int(number)]
    return found[0] if len(found) == 1 else ""


def _missing(written: Written) -> Iterator[Finding]:
    """NOT IN over a subquery that may give NULL, for which it is never true."""
    for node in written.tree.find_all(exp.Not):
        inner = node.this.this if isinstance(node.this, exp.Paren) else node.this
        query = inner.args.get("query") if isinstance(inner, exp.In) else None
        select = query.this if isinstance(query, exp.Subquery) else query
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            continue
        ref, where = _column(written, select.expressions[0].unalias()), select.args.get("where")
        column, table = written.column(ref), written.model.table(ref.table) if ref is not None else None
        if ref is None or column is None or table is None or column.not_null or ref in written.keys:
            continue
        is_tested = where is not None and ref in written.refs_in(where)
        if not is_tested and any(other.not_null for other in table.columns):  # so that the others may be missing
            yield finding("not_in_nulls", sql=written.text(node), ref=ref)
