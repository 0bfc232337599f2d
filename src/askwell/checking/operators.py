"""Operators that the wording of a question demands, and operators that a statement has and nothing asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlglot import exp

from askwell.checking.finding import Finding, Severity, finding
from askwell.checking.question import AskedWords, Cue, cues, flat_letters
from askwell.checking.shape import listed_for_count
from askwell.checking.statement import Written, named
from askwell.checking.values import ValueIndex, is_state
from askwell.question.stems import stem, stems, stems_of_word
from askwell.question.tokens import TokenKind
from askwell.question.words import NUMBER_WORDS

FIGURES = ("COUNT", "HOW", "SHARE", "MONEY", "SPENT", "SPENDER", "CURRENCY", "AGGREGATE")
ENDS = ("SUPERLATIVE", "COMMON", "ADJECTIVE", "TOP", "SPENDER", "IN_TIME", "DIRECTION")
_MORE = (exp.GT, exp.GTE)
# How many words may stand between "more than" and its number.
_NEAR = 2
_PLACES = (exp.Rank, exp.DenseRank, exp.RowNumber)
_MIDDLES = (exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.RowNumber, exp.Ntile, exp.Offset)


def _reads(written: Written, words: str) -> bool:
    return bool(cues().stems[words] & written.column_stems)


def _sorts(written: Written, *, down: bool) -> bool:
    return any(bool(node.args.get("desc")) is down for node in written.tree.find_all(exp.Ordered))


def _negates(written: Written) -> bool:
    joins = any(join.side in ("LEFT", "RIGHT", "FULL") for join in written.tree.find_all(exp.Join))
    values = {one.name.lower() for part in written.filters for one in part.values}
    return joins or written.has(exp.Not, exp.NEQ, exp.Except, exp.Is) or bool(values & cues().words["negative_values"])


def _groups(written: Written) -> bool:
    if written.has(exp.Group, exp.Window, exp.Union, exp.Distinct, exp.Div):
        return True
    root = written.root
    return root is not None and not any(node.find_ancestor(exp.Select) is root for node in root.find_all(exp.AggFunc))


# What holds for a statement that does what is demanded.
_HOLDS: Mapping[str, Callable[[Written], bool]] = {
    "no_average": lambda it: it.has(exp.Avg, *_MIDDLES) or (it.has(exp.Sum, exp.Count) and it.has(exp.Div)),
    "no_count": lambda it: it.has(exp.AggFunc, exp.Sub) or _reads(it, "quantity_words"),
    "no_total": lambda it: it.has(exp.Sum, exp.Count, exp.Add) or _reads(it, "quantity_words"),
    "no_ranking": lambda it: it.has(exp.Max, exp.Min, exp.Ordered, *_PLACES, exp.All, exp.ArgMax, exp.ArgMin),
    "no_maximum": lambda it: it.has(exp.Max, exp.ArgMax, exp.Rank, exp.All) or _sorts(it, down=True),
    "no_minimum": lambda it: it.has(exp.Min, exp.ArgMin, exp.Rank, exp.All) or _sorts(it, down=False),
    "no_negation": _negates,
    "no_group": _groups,
    "no_share": lambda it: it.has(exp.Div, exp.Avg) or _reads(it, "share_words"),
    "no_distinct": lambda it: it.has(exp.Distinct, exp.Group, exp.Intersect, exp.Except, exp.Union),
    "no_order": lambda it: it.has(exp.Ordered),
}


def _demanded(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What the wording demands and the statement lacks."""
    listed = listed_for_count(asked, written)
    for code, demand in cues().demands.items():
        cue = next((cue for cue in asked.cues if _is_meant(cue, demand)), None)
        if cue is None or _HOLDS[code](written) or _is_a_name(cue, asked, written):
            continue
        if code == "no_negation":
            if not _compares_otherwise(asked, written):
                yield finding(code, cue.words, severity=Severity.NOTE if _is_aside(cue, asked) else None)
        elif code == "no_count" and listed is not None:
            yield finding(code, cue.words, rewrite=listed.rewrite)
            listed = None
        else:
            yield finding(code, cue.words)
    if listed is not None:
        yield listed
    if (median := cues().first(asked, "median")) and not written.has(*_MIDDLES):
        yield finding("no_median", median)


def _is_meant(cue: Cue, demand: Mapping[str, Any]) -> bool:
    said, classes = [(category, f"{category} {meaning}") for category, meaning in cue.meanings], demand["classes"]
    is_all = all(category in classes or whole in classes for category, whole in said)
    is_among = demand.get("among") in (None, *(whole for _, whole in said))
    return is_all and is_among and cue.words not in cues().words["loose_ends"]


def _is_a_name(cue: Cue, asked: AskedWords, written: Written) -> bool:
    """Whether the words of a phrase are those of a table or column that is read; of a count, also what is counted
    and what has the number: "how many downloads" and "phone number of" may be columns."""
    if cue.words in cues().words["verbs"]:
        return True
    start, end, names = cue.start, cue.end, written.stems
    if cue.may_be("COUNT"):
        is_number = start > 0 and stem(asked.tokens[start].low) in cues().stems["quantity_words"]
        start, end, names = start - is_number, end + 1, written.column_stems
    return any(one in names for token in asked.tokens[start:end] for one in stems_of_word(token.low))


def _is_aside(cue: Cue, asked: AskedWords) -> bool:
    """Whether a phrase stands behind a comma or a dash, where people tell what they do not mean."""
    return any(token.kind is TokenKind.MARK for token in asked.tokens[: cue.start])


def _compares_otherwise(asked: AskedWords, written: Written) -> bool:
    """Whether a condition on values that were not said may be what leaves something out: "without the unpaid"."""
    values = [value for part in written.filters for value in part.values]
    return any(flat_letters(value.name) not in asked.flat for value in values)


def operators(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """What the wording demands and the statement lacks, what it does and no word asks for, and what it turns round."""
    yield from _demanded(asked, written)
    yield from _unasked_aggregates(asked, written)
    yield from _limits(asked, written)
    yield from _unasked_negations(asked, written, index)
    yield from _wrong_end(asked, written)
    yield from _wrong_adjective(asked, written)
    yield from _turned(asked, written)


def _unasked_aggregates(asked: AskedWords, written: Written) -> Iterator[Finding]:
    average = written.tree.find(exp.Avg)
    averaged = asked.cue("AGGREGATE", "HOW", "SHARE") or cues().first(asked, "average") or cues().first(asked, "median")
    if average is not None and not averaged and not cues().stems["average"] & asked.stems:
        yield finding("average_unasked", sql=written.text(average))
    only = written.items[0].unalias() if len(written.items) == 1 and written.root is written.tree else None
    if isinstance(only, exp.Count) and written.clause("group") is None:
        if not (asked.cue("COUNT", "AGGREGATE", "SHARE") or cues().first(asked, "count")):
            yield finding("count_for_list", sql=written.text(only))


def _limits(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Rows that are cut, and rows that are not, against what is said."""
    limit, stated = written.tree.find(exp.Limit), cues().stated_limit(asked)
    if limit is None:
        yield from _missing_limit(asked, written)
        if stated and not written.has(*_PLACES, exp.Fetch):
            yield finding("no_limit", stated[0], count=stated[1])
        return
    count, text = limit.expression.name if limit.expression is not None else "", written.text(limit)
    if stated:
        if count.isdigit() and stated[1] != count:
            said, given = f"“{stated[0]}” asks for {stated[1]} rows", f"the statement gives {count}"
            yield finding("other_limit", stated[0], text, said=said, given=given)
    elif count in asked.numbers:
        return
    elif not (asked.cue(*ENDS, "AGGREGATE") or cues().first(asked, "limit")):
        yield finding("limit_unasked", sql=text, count=count)
    elif count.isdigit() and int(count) > 1:
        said, given = f"{count} rows are given", f"the question does not say {count}"
        yield finding("other_limit", "", text, Severity.DOUBT, said=said, given=given)


def _missing_limit(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The first of an order is asked for, and the whole order is given."""
    first = asked.cue("SUPERLATIVE", "COMMON", "ADJECTIVE")
    if first is None or first.words in cues().words["loose_ends"] or written.clause("order") is None:
        return
    if asked.cue("ORDER", "DIRECTION", "IN_TIME") or cues().first(asked, "first_of_order"):
        return
    if not written.has(exp.Max, exp.Min, *_PLACES, exp.Fetch):
        yield finding("limit_missing", first.words)


def _unasked_negations(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    if asked.cue("NOT") or cues().first(asked, "negation"):
        return
    parts = [part for part in written.filters if any(one.name for one in part.values) and not is_state(part, index)]
    compared = {id(part.node) for part in parts}
    states = {id(part.node) for part in written.filters} - compared
    for node in written.tree.find_all(exp.NEQ, exp.Except, exp.Not):
        if id(node.this) in states:
            continue
        is_not = isinstance(node.this, exp.In | exp.Like | exp.Exists | exp.EQ | exp.Paren)
        if is_not if isinstance(node, exp.Not) else isinstance(node, exp.Except) or id(node) in compared:
            yield finding("negation_unasked", sql=written.text(node))
            return


def _wrong_end(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The most where the least is asked for."""
    ends = [cue for cue in asked.cues if cue.is_only("SUPERLATIVE", "COMMON", "DIRECTION", "TOP")]
    wanted = {meaning.split()[0] for cue in ends for _, meaning in cue.meanings}
    if len(wanted) != 1 or cues().first(asked, "either_end"):
        return
    down, words = wanted == {"desc"}, ends[0].words
    orders = list(written.tree.find_all(exp.Ordered))
    if len(orders) == 1 and (written.has(exp.Limit) or any(cue.is_only("DIRECTION") for cue in ends)):
        if bool(orders[0].args.get("desc")) is not down:
            yield finding("wrong_end", words, written.text(orders[0]))
        return
    found = written.tree.find(exp.Max, exp.Min)
    if found is not None and not orders and not (written.has(exp.Max) and written.has(exp.Min)):
        if isinstance(found, exp.Max) is not down:
            yield finding("wrong_end", words, written.text(found))


def _wrong_adjective(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The youngest where the oldest are asked for, by a column that the adjective is about."""
    adjectives = [cue for cue in asked.cues if cue.is_only("ADJECTIVE")]
    orders = list(written.tree.find_all(exp.Ordered))
    if len(adjectives) != 1 or len(orders) != 1 or not written.has(exp.Limit):
        return
    names = named(written.column(written.ref(orders[0].this)))
    said = [meaning.split() for _, meaning in adjectives[0].meanings]
    wanted = {end for end, *about in said if names & {one for word in about for one in stems(word)}}
    if len(wanted) == 1 and (wanted == {"desc"}) is not bool(orders[0].args.get("desc")):
        yield finding("wrong_end", adjectives[0].words, written.text(orders[0]))


def _turned(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Numbers and averages that are compared the other way round than the question says."""
    for words, more, number in _stated(asked):
        if {_is_more(node, other) for node, other in _compared(written, number)} == {not more}:
            yield finding("comparison_turned", words)


def _stated(asked: AskedWords) -> Iterator[tuple[str, bool, str]]:
    """The words of a comparison, whether more is meant, and the number as digits (empty for the average)."""
    found = [cue for cue in asked.cues if cue.is_only("COMPARE", "COMPARE_BY", "OR_MORE")]
    for cue in found if asked.cue("NOT") is None else ():
        operators = {meaning[0] for _, meaning in cue.meanings}
        behind = asked.tokens[cue.end : cue.end + _NEAR + 1]
        before = asked.tokens[: cue.start][-1:]
        for token in (before if cue.is_only("OR_MORE") else behind) if len(operators) == 1 else ():
            number = token.text if token.kind is TokenKind.NUMBER else str(NUMBER_WORDS.get(token.low, ""))
            if number or token.low in cues().words["average"]:
                yield f"{cue.words} {token.text}", operators == {">"}, number.removesuffix(".0")
                break


def _compared(written: Written, number: str) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Comparisons with the number, or with an average; with the side that it stands on."""
    for node in written.tree.find_all(*_MORE, exp.LT, exp.LTE):
        for side in (node.this, node.expression) if not _is_turned(node) else ():
            inner = side.unnest() if hasattr(side, "unnest") else side
            if isinstance(inner, exp.Literal) if number else isinstance(inner, exp.Select):
                if _near(inner.name, number) if number else inner.find(exp.Avg):
                    yield node, side


def _is_turned(node: exp.Expr) -> bool:
    """Whether it stands in a NOT, or in the part of an EXCEPT that is taken away."""
    child: exp.Expr = node
    while (parent := child.parent) is not None:
        if isinstance(parent, exp.Not) or (isinstance(parent, exp.Except) and parent.expression is child):
            return True
        child = parent
    return False


def _near(text: str, number: str) -> bool:
    try:
        return abs(float(text) - float(number)) <= 1
    except ValueError:
        return False


def _is_more(node: exp.Expr, side: exp.Expr) -> bool:
    return isinstance(node, _MORE) is (node.expression is side)
