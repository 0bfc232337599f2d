"""Expressions in words, aggregates and window functions among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from askwell.mdl.names import listed, plural
from askwell.sql.wording.joins import main_source
from askwell.sql.wording.terms import (
    WORDS,
    Speaker,
    is_read_whole,
    operand,
    order_words,
    projection_called,
    query_around,
    said_values,
    says_only,
    sources_of,
    words_by_type,
)

_AGGREGATES = words_by_type("aggregates")
_RANKINGS, _NEIGHBOURS = words_by_type("rankings"), words_by_type("neighbours")

_RUNNING = frozenset({*_AGGREGATES, exp.Count, exp.GroupConcat})


def _count(speaker: Speaker, node: exp.Expr) -> str | None:
    if not says_only(node, "this", "big_int"):
        return None
    counted = node.this
    if counted is None or isinstance(counted, exp.Star | exp.Literal):
        return f"number of {counted_rows(speaker, query_around(node))}"
    if isinstance(counted, exp.Distinct):
        return _different(speaker, counted.expressions)
    only = _only_case(counted, or_zero=False)
    if only is not None and isinstance(only[1], exp.Literal):
        return f"number of {counted_rows(speaker, query_around(node))} where {speaker.condition(only[0])}"
    rows = counted_rows(speaker, query_around(node))
    return f"number of {rows} with {speaker.value(counted)}" if isinstance(counted, exp.Column) else None


def _different(speaker: Speaker, counted: list[exp.Expr]) -> str:
    only = _only_case(counted[0], or_zero=False) if len(counted) == 1 else None
    if only is not None:
        return f"number of different {operand(speaker, only[1])} where {speaker.condition(only[0])}"
    if (rows := _rows_told_apart(speaker, counted)) is not None:
        return f"number of different {rows}"
    words = [plural(speaker.value(one)) if _is_bare(speaker, one) else operand(speaker, one) for one in counted]
    return f"number of different {listed(words)}"


def _rows_told_apart(speaker: Speaker, counted: list[exp.Expr]) -> str | None:
    """What the rows of a table are called, where its primary key is what is counted."""
    sources = [speaker.names.source_of(one) for one in counted]
    table = speaker.names.table(sources[0]) if sources[0] is not None else None
    label = speaker.names.label(sources[0]) if sources[0] is not None else None
    columns = [column.name for one in counted if (column := speaker.names.column_of(one)) is not None]
    if table is None or label is None or any(source is not sources[0] for source in sources):
        return None
    return label.many if columns and sorted(columns) == sorted(table.primary_key) else None


def _is_bare(speaker: Speaker, node: exp.Expr) -> bool:
    """Whether a column is said by its name alone."""
    return isinstance(node, exp.Column) and not speaker.names.needs_its_table(node)


def counted_rows(speaker: Speaker, select: exp.Expr | None) -> str:
    """What COUNT(*) of a SELECT counts: rows of its table, or of its join."""
    source = main_source(speaker, select)
    label = speaker.names.label(source) if source is not None else None
    return label.many if label is not None and not label.many.startswith("“") else "rows"


def _aggregate(speaker: Speaker, node: exp.Expr) -> str:
    of_name, of_phrase = map(str, _AGGREGATES[type(node)])
    inner = node.this
    if not says_only(node, "this") or inner is None:
        return speaker.code(node)
    if isinstance(inner, exp.Distinct):
        return of_phrase.format(f"different {listed(said_values(speaker, inner.expressions))}")
    only = _only_case(inner, or_zero=isinstance(node, exp.Sum))
    if only is not None:
        condition, value = only
        if isinstance(node, exp.Sum) and _is_number(value, "1"):
            return f"number of {counted_rows(speaker, query_around(node))} where {speaker.condition(condition)}"
        return f"{of_phrase.format(operand(speaker, value))} where {speaker.condition(condition)}"
    words = speaker.value(inner)
    if isinstance(node, exp.Sum) and (words == "total" or words.startswith("total ")):
        return words  # a total of totals is called as one
    return (of_name if _is_bare(speaker, inner) else of_phrase).format(words)


def _only_case(case: exp.Expr, *, or_zero: bool) -> tuple[exp.Expr, exp.Expr] | None:
    """The condition and the value of `CASE WHEN condition THEN value END`; with `or_zero`, `ELSE 0` may stand in it."""
    if not isinstance(case, exp.Case) or case.this is not None or len(case.args["ifs"]) != 1:
        return None
    branch, default = case.args["ifs"][0], case.args.get("default")
    if default is not None and not isinstance(default, exp.Null) and not (or_zero and _is_number(default, "0")):
        return None
    return branch.this, branch.args["true"]


def _is_number(node: exp.Expr, number: str) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.name == number


def _filtered(speaker: Speaker, node: exp.Expr) -> str:
    return f"{speaker.value(node.this)} where {speaker.condition(node.expression.this)}"


def _listing(speaker: Speaker, node: exp.Expr) -> str | None:
    if isinstance(node.this, exp.Order) or not says_only(node, "this", "separator"):
        return None
    inner, different = node.this, ""
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner, different = inner.expressions[0], "different "
    return f"list of {different}{speaker.value(inner)}"


def _window(speaker: Speaker, node: exp.Expr) -> str | None:
    if not says_only(node, "this", "partition_by", "order", "over"):
        return None
    function, order = node.this, node.args.get("order")
    within = listed(said_values(speaker, node.args.get("partition_by") or ()))
    within = f" within each {within}" if within else ""
    by = f" by {order_words(speaker, order)}" if order is not None else ""
    if type(function) in _RANKINGS and says_only(function):
        return f"{_RANKINGS[type(function)]}{within}{by}"
    if isinstance(function, exp.Ntile) and isinstance(function.this, exp.Literal) and by:
        return f"group number (of {function.this.name} nearly equal groups){within}{by}"
    if type(function) in _NEIGHBOURS and says_only(function, "this") and by:
        return f"{_NEIGHBOURS[type(function)]} {speaker.value(function.this)}{within}{by}"
    added_up = function.this if isinstance(function, exp.Filter) else function
    if type(added_up) not in _RUNNING:
        return None  # only aggregates run; others rank rows or take the value of one
    whole = speaker.value(function)
    return f"running {whole}{within}{by}" if by else f"{whole}{within or ' over all rows'}"


AGGREGATE_SAYINGS: Mapping[type[exp.Expr], Callable[[Speaker, exp.Expr], str | None]] = {
    **dict.fromkeys(_AGGREGATES, _aggregate),
    exp.Count: _count,
    exp.Filter: _filtered,
    exp.GroupConcat: _listing,
    exp.Window: _window,
}

_OPERATORS, _ONE_ARGUMENT, _FIXED = (words_by_type(kind) for kind in ("operators", "one_argument", "fixed"))
# Conditions that stand as values.
_CLAUSES = (exp.Predicate, exp.Connector, exp.Not)

_CASTS: Mapping[str, frozenset[exp.DType]] = {
    "date of {}": frozenset({exp.DType.DATE, exp.DType.DATE32}),
    "{} as a number": frozenset(exp.DataType.REAL_TYPES),
    "{} as a whole number": frozenset(exp.DataType.INTEGER_TYPES),
    "{} as text": frozenset(exp.DataType.TEXT_TYPES),
    "{} as a moment": frozenset({exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.DATETIME}),
}


def value_words(speaker: Speaker, node: exp.Expr) -> str:
    """An expression as a noun phrase without an article; quoted as SQL where there are no words for it."""
    kind = type(node)
    if kind in AGGREGATE_SAYINGS:  # they look at their arguments themselves
        said = AGGREGATE_SAYINGS[kind](speaker, node)
        return said if said is not None else speaker.code(node)
    if kind is exp.Select:
        return _subquery(speaker, node)
    if isinstance(node, _CLAUSES) and not isinstance(node, exp.All | exp.Any):
        return f"whether {speaker.condition(node)}"
    if not is_read_whole(node):
        return speaker.code(node)
    if kind in _FIXED:
        return str(_FIXED[kind])
    if kind in _ONE_ARGUMENT and says_only(node, "this"):
        return str(_ONE_ARGUMENT[kind].format(operand(speaker, node.this)))
    if kind in _OPERATORS:
        by = node.expression
        if kind is exp.Div and isinstance(by, exp.Nullif) and by.expression == exp.Literal.number(0):
            by = by.this  # that nothing is divided by 0 goes without saying
        return f"{operand(speaker, node.this)} {_OPERATORS[kind]} {operand(speaker, by)}"
    say = _SAYINGS.get(kind)
    said = say(speaker, node) if say is not None else None
    return said if said is not None else speaker.code(node)


def _column(speaker: Speaker, node: exp.Expr) -> str | None:
    names = speaker.names
    if isinstance(node.this, exp.Star):
        if not is_read_whole(node.this):
            return None
        label = _owner(speaker, node)
        return f"all columns of {label}" if label else None
    source = names.source_of(node)
    if source is None:
        meant = None if node.args.get("table") else projection_called(query_around(node), node.name)
        inside = meant is not None and any(part is node for part in meant.walk())
        return speaker.value(meant) if meant is not None and not inside else None
    if not names.needs_its_table(node):
        return names.column(node)
    owner = names.label(source)
    return f"{names.column(node)} of the {owner.one}" if owner is not None else None


def _owner(speaker: Speaker, node: exp.Expr) -> str:
    """The source whose alias or name stands before `*`."""
    for source in sources_of(query_around(node)):
        label = speaker.names.label(source)
        if label is not None and source.alias_or_name.lower() == node.text("table").lower():
            return label.many
    return ""


def _literal(speaker: Speaker, node: exp.Expr) -> str:
    text = f"“{node.this}”" if node.args.get("is_string") else str(node.this)
    parent, column = node.parent, None
    if isinstance(parent, exp.EQ | exp.NEQ | exp.In):
        other = parent.this if parent.this is not node else parent.expression
        column = speaker.names.column_of(other) if isinstance(other, exp.Column) else None
    meaning = column.value_names.get(node.name) if column is not None else None
    return f"{text} ({meaning})" if meaning else text


def _boolean(_: Speaker, node: exp.Expr) -> str:
    return "true" if node.this else "false"


def _alias(speaker: Speaker, node: exp.Expr) -> str:
    return speaker.value(node.this)


def _subquery(speaker: Speaker, node: exp.Expr) -> str:
    words = speaker.query(node.this if isinstance(node, exp.Subquery) else node)
    return f"({words})" if " where " in words or "," in words else words


def _paren(speaker: Speaker, node: exp.Expr) -> str:
    return speaker.value(node.this) if isinstance(node.this, exp.Column | exp.Literal) else operand(speaker, node.this)


def _case(speaker: Speaker, node: exp.Expr) -> str:
    subject = node.args.get("this")
    branches = []
    for branch in node.args["ifs"]:
        test = f"{speaker.value(subject)} is {speaker.value(branch.this)}" if subject is not None else ""
        test = test or speaker.condition(branch.this)
        branches.append(f"{speaker.value(branch.args['true'])} if {test}")
    default = node.args.get("default")
    return f"{', '.join(branches)}, otherwise {speaker.value(default) if default is not None else 'no value'}"


def _if(speaker: Speaker, node: exp.Expr) -> str:
    default = node.args.get("false")
    otherwise = speaker.value(default) if default is not None else "no value"
    return f"{speaker.value(node.args['true'])} if {speaker.condition(node.this)}, otherwise {otherwise}"


def _coalesce(speaker: Speaker, node: exp.Expr) -> str:
    return f"{speaker.value(node.this)} or, where there is none, {listed(said_values(speaker, node.expressions), 'or')}"


def _nullif(speaker: Speaker, node: exp.Expr) -> str:
    return f"{speaker.value(node.this)} unless it is {speaker.value(node.expression)}"


def _round(speaker: Speaker, node: exp.Expr) -> str | None:
    places = node.args.get("decimals")
    if places is None:
        return f"{operand(speaker, node.this)} rounded"
    if not isinstance(places, exp.Literal):
        return None
    return f"{operand(speaker, node.this)} rounded to {places.name} decimal{'' if places.name == '1' else 's'}"


def _cast(speaker: Speaker, node: exp.Expr) -> str | None:
    wanted = node.args["to"].this
    if isinstance(node.this, exp.Count) and wanted in exp.DataType.REAL_TYPES:
        return speaker.value(node.this)  # that it is divided with decimals goes without saying
    for words, types in _CASTS.items():
        if wanted in types:
            return words.format(operand(speaker, node.this))
    return None


def _joined_text(speaker: Speaker, node: exp.Expr) -> str:
    parts = list(node.flatten()) if isinstance(node, exp.DPipe) else node.expressions
    return f"{listed(said_values(speaker, parts))} joined as text"


def _extract(speaker: Speaker, node: exp.Expr) -> str:
    return f"{node.this.name.lower()} of {operand(speaker, node.expression)}"


def _start(speaker: Speaker, node: exp.Expr) -> str:
    return f"start of the {node.text('unit').lower()} of {operand(speaker, node.this)}"


def _format(speaker: Speaker, node: exp.Expr) -> str | None:
    part = WORDS["formats"].get(node.text("format"))
    return f"{part} of {operand(speaker, node.this)}" if part else None


def _interval(_: Speaker, node: exp.Expr) -> str | None:
    if not isinstance(node.this, exp.Literal) or not isinstance(node.args.get("unit"), exp.Var):
        return None
    unit = node.args["unit"].name.lower().removesuffix("s")
    return f"{node.this.name} {unit}{'' if node.this.name == '1' else 's'}"


_SAYINGS: Mapping[type[exp.Expr], Callable[[Speaker, exp.Expr], str | None]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Alias: _alias,
    exp.Subquery: _subquery,
    exp.Paren: _paren,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Round: _round,
    exp.Cast: _cast,
    exp.DPipe: _joined_text,
    exp.Concat: _joined_text,
    exp.Extract: _extract,
    exp.TimestampTrunc: _start,
    exp.DateTrunc: _start,
    exp.TimeToStr: _format,
    exp.Interval: _interval,
}
