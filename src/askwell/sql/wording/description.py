"""What a statement does, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sqlglot import exp

from askwell.mdl.names import listed
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.wording.conditions import condition_words
from askwell.sql.wording.joins import from_words
from askwell.sql.wording.names import SpokenNames, result_name, sources_of
from askwell.sql.wording.queries import (
    group_words,
    is_combination,
    kept_rows,
    projection_words,
    projections,
    query_words,
    shows_each_once,
    unsaid,
)
from askwell.sql.wording.terms import Speaker, order_words, the
from askwell.sql.wording.values import value_words

_TOO_DEEP = "This statement is nested too deeply to be put in words."
_COMBINED: Mapping[type[exp.Expr], tuple[str, str]] = {
    exp.Union: ("Keeps the rows of both, each once.", "Keeps the rows of both."),
    exp.Intersect: ("Keeps the rows that are in both, each once.", "Keeps the rows that are in both."),
    exp.Except: (
        "Keeps the rows of the first that are not in the second, each once.",
        "Keeps the rows of the first that are not in the second.",
    ),
}


def new_speaker(tree: exp.Expr, model: SemanticModel, dialect: str) -> Speaker:
    """A speaker about `tree`, which nobody may change meanwhile."""
    names = SpokenNames(tree, model, dialect)
    return Speaker(model, dialect, names, value_words, condition_words, query_words)


def describe_sql(tree: exp.Expr, model: SemanticModel, dialect: str = "") -> str:
    """What a bound statement does, in plain sentences and in the order in which it is done. Parts that have no words
    are quoted as SQL; nothing is said that is not in the tree. Long statements take tenths of a second: call it on a
    thread."""
    try:
        return " ".join(_sentences(new_speaker(tree, model, dialect), tree, shows_names=False))
    except RecursionError:
        return _TOO_DEEP


def describe_step(tree: exp.Expr, model: SemanticModel, dialect: str, *, name: str, told: Collection[str]) -> str:
    """What one step does that `steps_of` made: its own part, and the CTEs before it that are not among the `told` ones.
    `name` is its CTE, empty for the last step."""
    with_ = tree.args.get("with_")
    ctes = list(with_.expressions) if with_ is not None else []
    own, kept = tree, {fold(one) for one in told}
    if name and ctes:
        own = ctes[-1].this
        kept.add(fold(name))
    speaker = new_speaker(tree, model, dialect)
    try:
        sentences = list(_ctes(speaker, tree, kept)) if own is not tree else []
        return " ".join([*sentences, *_sentences(speaker, own, shows_names=bool(name), told=kept)])
    except RecursionError:
        return _TOO_DEEP


def _ctes(speaker: Speaker, query: exp.Expr, told: Collection[str] = ()) -> Iterator[str]:
    with_ = query.args.get("with_")
    if with_ is None:
        return
    for cte in with_.expressions:
        if fold(cte.alias) not in told:
            yield from _named(speaker, cte, cte.this, reads_itself=bool(with_.args.get("recursive")))


def _sentences(speaker: Speaker, query: exp.Expr, *, shows_names: bool, told: Collection[str] = ()) -> Iterator[str]:
    """`shows_names` for a query whose columns another one reads by the names that it gives; `told` are CTEs of it that
    were described before."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    yield from _ctes(speaker, query, told)
    if isinstance(query, exp.Select):
        for source in sources_of(query):
            if isinstance(source, exp.Subquery) and source.alias:
                yield from _named(speaker, source, source.this)
                speaker.told.add(id(source))
        yield from _select(speaker, query, shows_names)
    elif isinstance(query, exp.SetOperation) and is_combination(query):
        yield from _combination(speaker, query, shows_names)
    else:
        yield f"Takes {speaker.code(query)}."


def _named(speaker: Speaker, named: exp.Expr, query: exp.Expr, *, reads_itself: bool = False) -> Iterator[str]:
    """The steps of a CTE or derived table, after its name."""
    alias = named.args["alias"]
    columns = [column.name for column in alias.args.get("columns") or ()]
    notes = [f"with the columns {listed(columns)}"] if columns else []
    if reads_itself and any(table.name.lower() == alias.name.lower() for table in query.find_all(exp.Table)):
        notes.append("which reads its own rows until there are no more")
    first, *rest = _sentences(speaker, query, shows_names=True)
    yield f"“{alias.name}”{''.join(f', {note}' for note in notes)}: {first}"
    yield from rest
    yield f"That is “{alias.name}”."


def _combination(speaker: Speaker, query: exp.SetOperation, shows_names: bool) -> Iterator[str]:
    first, *more = _sentences(speaker, query.this, shows_names=shows_names)
    yield f"First result: {first}"
    yield from more
    first, *more = _sentences(speaker, query.expression, shows_names=shows_names)
    yield f"Second result: {first}"
    yield from more
    once, repeated = _COMBINED[type(query)]
    yield once if query.args.get("distinct") else repeated
    yield from _tail(speaker, query)


def _select(speaker: Speaker, select: exp.Select, shows_names: bool) -> Iterator[str]:
    args = select.args
    reads = from_words(speaker, select, say_declared=True)
    if reads:
        yield f"Reads {reads}."
    if args.get("where") is not None:
        yield f"Keeps rows where {speaker.condition(args['where'].this)}."
    keys = group_words(speaker, select)
    if keys:
        yield f"Groups them by {listed(keys)}."
    if args.get("having") is not None:
        yield f"Keeps {'groups' if keys else 'the result'} where {speaker.condition(args['having'].this)}."
    yield _shown(speaker, select, shows_names=shows_names, grouped=bool(keys))
    if args.get("qualify") is not None:
        yield f"Keeps rows where {speaker.condition(args['qualify'].this)}."
    for part in unsaid(select):
        yield f"Also says {speaker.code(part)}."
    yield from _tail(speaker, select)


def _shown(speaker: Speaker, select: exp.Select, *, shows_names: bool, grouped: bool) -> str:
    if shows_names:
        words = [speaker.value(one) for one in projections(select)]
        given = [one.alias for one in select.expressions]
        items = [
            f"{said} as “{name}”" if name and result_name(name) != said else said
            for said, name in zip(words, given, strict=True)
        ]
    else:
        items = projection_words(speaker, select)
    start = "Shows, for each group," if grouped else "Shows"
    if shows_each_once(select):
        return f"{start} each different {listed(items)}, once."
    return f"{start} {the(listed(items))}."


def _tail(speaker: Speaker, query: exp.Expr) -> Iterator[str]:
    if query.args.get("order") is not None:
        yield f"Sorts by {order_words(speaker, query.args['order'])}."
    count, skipped = kept_rows(query)
    if skipped:
        yield f"Skips the first {skipped} rows."
    if count:
        yield f"Shows at most {count} row{'' if count == '1' else 's'}."
