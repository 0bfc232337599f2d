"""The question that a statement answers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from askwell.mdl.names import listed, plural
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.wording.description import (
    counts_rows,
    group_keys,
    kept_rows,
    key_of,
    new_speaker,
    ordering_of,
    projection_words,
    projections,
    query_words,
    tail_words,
    unsaid,
    where_words,
)
from askwell.sql.wording.joins import from_words, main_source
from askwell.sql.wording.terms import Label, Speaker, is_read_whole, operand, puts_nulls_elsewhere, sources_of, the

# Nobody asks longer questions, and nobody would read them.
_LONGEST = 600
_NUMBERS = re.compile(r"INT|DEC|NUM|DOUB|REAL|FLOAT|MONEY", re.IGNORECASE)
_DATES = re.compile(r"DATE|TIME", re.IGNORECASE)
# What the name of a column may end in, and no noun does.
_NO_NOUNS = frozenset({"on", "at", "by", "in", "to", "from", "for", "until", "since", "with"})
# The first of a sorted result by what it is sorted by: in descending order, and in ascending order.
_EXTREMES: Mapping[str, tuple[str, str]] = {"number": ("highest", "lowest"), "date": ("latest", "earliest")}


def question_of_sql(tree: exp.Expr, model: SemanticModel, dialect: str = "") -> str:
    """One question that a person would ask and that this bound statement answers; empty where no honest one is found:
    for several steps, for names that are not the model's, and where a part has no words."""
    try:
        return _question(tree, model, dialect)
    except RecursionError:
        return ""


def _question(tree: exp.Expr, model: SemanticModel, dialect: str) -> str:
    query = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    speaker = new_speaker(tree, model, dialect)
    if not speaker.names.known or not _reads_only_tables(speaker, query):
        return ""
    if isinstance(query, exp.Select):
        words = _of_select(speaker, query)
    elif isinstance(query, exp.SetOperation):
        words = f"what are {the(query_words(speaker, query))}"
    else:
        return ""
    if not words or speaker.quoted or len(words) > _LONGEST:
        return ""
    return f"{words[0].upper()}{words[1:]}?"


def _reads_only_tables(speaker: Speaker, query: exp.Expr) -> bool:
    """Whether everything is read from the model's tables, in one step."""
    sources = [source for select in query.find_all(exp.Select) for source in sources_of(select)]
    return (
        query.find(exp.With) is None
        and query.find(exp.Qualify) is None
        and bool(sources)
        and all(speaker.names.table(source) is not None for source in sources)
    )


def _of_select(speaker: Speaker, select: exp.Select) -> str:
    if unsaid(select) or not sources_of(select):
        return ""
    keys = group_keys(speaker, select)
    if keys is None:
        return ""
    if keys:
        return _of_groups(speaker, select, keys)
    if any(_aggregates(one) for one in projections(select)):
        return _of_total(speaker, select)
    return _of_rows(speaker, select) if select.args.get("having") is None else ""


def _aggregates(node: exp.Expr) -> bool:
    """Whether an aggregate of this SELECT stands in it, not of a query inside it."""
    return any(
        part.find_ancestor(exp.Select) is node.find_ancestor(exp.Select)
        and not isinstance(part.parent, exp.Window)
        and not (isinstance(part.parent, exp.Filter) and isinstance(part.parent.parent, exp.Window))
        for part in node.find_all(exp.AggFunc)
    )


def _of_total(speaker: Speaker, select: exp.Select) -> str:
    """One row over everything."""
    if select.args.get("having") is not None or kept_rows(select)[1] or not all(map(_aggregates, projections(select))):
        return ""
    reads, where = from_words(speaker, select, say_declared=False), where_words(speaker, select)
    shown = projections(select)
    if counts_rows(select):
        rows = reads if main_source(speaker, select) is not None else f"rows of {reads}"
        return f"how many {rows} are there{where}"
    if len(shown) == 1 and isinstance(shown[0], exp.Count) and isinstance(shown[0].this, exp.Distinct):
        counted = speaker.value(shown[0]).removeprefix("number of ")
        return f"how many {counted} are there among {reads}{where}"
    items = [speaker.value(one) for one in shown]
    return f"{_what(items, len(items))} among {reads}{where}"


def _what(items: list[str], shown: int) -> str:
    return f"what {'is' if shown == 1 and items[0] != 'all columns' else 'are'} {the(listed(items))}"


def _of_groups(speaker: Speaker, select: exp.Select, keys: list[exp.Expr]) -> str:
    """One row for each group."""
    written, shown = {key.sql() for key in keys}, [one.sql() for one in projections(select)]
    rest = [one for one in projections(select) if one.sql() not in written]
    if select.args.get("distinct") and not written <= set(shown):
        return ""  # two groups may be shown as one
    labels = _labels_of(speaker, keys) if not written <= set(shown) else {}
    group = listed(dict.fromkeys(_group_name(speaker, key, labels) for key in keys))
    label = next(iter(labels.values())) if len(labels) == len(keys) and len(set(labels.values())) == 1 else None
    having = select.args.get("having")
    kept = f" for which {speaker.condition(having.this)}" if having is not None else ""
    extreme, many = _extreme(speaker, select), kept_rows(select)[0]
    several = _plural(group) if len(keys) == 1 else f"combinations of {group}"
    several = label.many if label is not None else several
    which = f"the {group}" if many == "1" else f"the {many} {several}"
    if not rest and written <= set(shown):
        if not extreme:
            among = _among(speaker, select, "")
            return f"what are the different {group}{kept}{among}{tail_words(speaker, select)}"
        subject = f"which {group} has" if many == "1" else f"which {many} {several} have"
        return f"{subject} the {extreme}{_among(speaker, select, extreme)}{_of_those(kept, group)}"
    items = [speaker.value(one) for one in rest or projections(select)]
    if extreme:
        among = _among(speaker, select, extreme)
        return f"{_what(items, len(items))} for {which} with the {extreme}{among}{_of_those(kept, group)}"
    among = _among(speaker, select, listed(items))
    return f"{_what(items, len(items))} for each {group}{kept}{among}{tail_words(speaker, select)}"


def _group_name(speaker: Speaker, key: exp.Expr, labels: Mapping[int, Label]) -> str:
    """What a group is called: one of the `labels`, by the node of its key, or else what its key is. A period is one,
    wherever it starts."""
    if (label := labels.get(id(key))) is not None:
        return label.one
    if isinstance(key, exp.DateTrunc | exp.TimestampTrunc) and is_read_whole(key):
        return f"{key.text('unit').lower()} of {operand(speaker, key.this)}"
    return speaker.value(key)


def _plural(name: str) -> str:
    """`years of paid on`, `dates of birth`; what has no plural has values."""
    first, of, rest = name.partition(" of ")
    if of:
        return f"{plural(first)} of {rest}"
    return f"values of {name}" if name.rpartition(" ")[2].lower() in _NO_NOUNS else plural(name)


def _labels_of(speaker: Speaker, keys: list[exp.Expr]) -> dict[int, Label]:
    """What is grouped by is called, by the nodes of the keys, where it is the rows of a table: all of its primary key,
    with whatever other columns it has."""
    found: dict[int, Label] = {}
    for source in dict.fromkeys(filter(None, map(speaker.names.source_of, keys))):
        table, label = speaker.names.table(source), speaker.names.label(source)
        own = [key for key in keys if speaker.names.source_of(key) is source]
        columns = {column.name for key in own if (column := speaker.names.column_of(key)) is not None}
        if table is not None and label is not None and table.primary_key and columns >= set(table.primary_key):
            found |= {id(key): label for key in own}
    return found


def _among(speaker: Speaker, select: exp.Select, said: str) -> str:
    """`, among rooms where …`; nothing where `said` tells already that all rows of the only table are counted."""
    label = speaker.names.label(sources_of(select)[0])
    reads, where = from_words(speaker, select, say_declared=False), where_words(speaker, select)
    if not where and label is not None and reads == label.many and f"number of {reads}" in said:
        return ""
    return f", among {reads}{where}"


def _of_those(kept: str, group: str) -> str:
    return f", counting only each {group}{kept}" if kept else ""


def _of_rows(speaker: Speaker, select: exp.Select) -> str:
    """One row for each row that is read."""
    items = projection_words(speaker, select)
    reads, where = from_words(speaker, select, say_declared=False), where_words(speaker, select)
    if select.args.get("distinct"):
        link = " of" if len(sources_of(select)) == 1 else ", for"
        return f"what are the different {listed(items)}{link} {reads}{where}{tail_words(speaker, select)}"
    label = speaker.names.label(sources_of(select)[0])
    if len(sources_of(select)) > 1 or label is None:
        return f"{_what(items, len(select.expressions))}, for {reads}{where}{tail_words(speaker, select)}"
    extreme = _extreme(speaker, select)
    if extreme:
        of = f"the {label.one}" if _count(select) == "1" else f"the {_count(select)} {label.many}"
        return f"{_what(items, len(select.expressions))} of {of} with the {extreme}" + (
            f", among {label.many}{where}" if where else ""
        )
    return f"{_what(items, len(select.expressions))} of each {label.one}{where}{tail_words(speaker, select)}"


def _count(select: exp.Select) -> str:
    return kept_rows(select)[0]


def _extreme(speaker: Speaker, select: exp.Select) -> str:
    """`highest price`, where the first rows by one number or date are kept; else nothing."""
    order = ordering_of(select)
    kept, skipped = kept_rows(select)
    if len(order) != 1 or not kept.isdigit() or kept == "0" or skipped or puts_nulls_elsewhere(speaker, order[0]):
        return ""
    key = key_of(order[0])
    kind = _kind(speaker, key)
    if not kind:
        return ""
    descending, ascending = _EXTREMES[kind]
    return f"{descending if order[0].args.get('desc') else ascending} {speaker.value(key)}"


def _kind(speaker: Speaker, key: exp.Expr) -> str:
    if isinstance(key, exp.Count | exp.Sum | exp.Avg):
        return "number"
    column = speaker.names.column_of(key.this if isinstance(key, exp.Min | exp.Max) else key)
    if column is None:
        return ""
    if _NUMBERS.search(column.type):
        return "number"
    return "date" if _DATES.search(column.type) else ""
