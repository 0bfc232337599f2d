"""Operators that the wording of a question demands, and operators that a statement has and nothing asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlglot import exp

from askwell.checking.finding import Finding, Rewrite, Severity, finding
from askwell.checking.question import UNLISTED, AskedWords, Cue, cues, flat_letters
from askwell.checking.shape import listed_for_count
from askwell.checking.statement import Written, named
from askwell.checking.values import ValueIndex, is_state
from askwell.mdl.names import is_left_of, singular
from askwell.mdl.names import words as words_of
from askwell.mdl.types import TypeFamily, type_family
from askwell.question.periods import SURELY_YEARS, year_of
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import NUMBER_WORDS, is_superlative, stem, stems, stems_of_word

FIGURES = ("COUNT", "HOW", "SHARE", "MONEY", "SPENT", "SPENDER", "CURRENCY", "AGGREGATE")
ENDS = ("SUPERLATIVE", "COMMON", "ADJECTIVE", "TOP", "SPENDER", "IN_TIME", "DIRECTION")
_MORE = (exp.GT, exp.GTE)
_OPERATORS: Mapping[str, type[exp.Binary]] = {">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}
# How many words may stand between "more than" and its number.
_NEAR = 2
# With fewer letters a word may be part of any value.
_SHORTEST = 4
_PLACES = (exp.Rank, exp.DenseRank, exp.RowNumber)
_MIDDLES = (exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.RowNumber, exp.Ntile, exp.Offset)


def _reads(written: Written, words: str) -> bool:
    return bool(cues().stems[words] & written.column_stems)


def _sorts(written: Written, *, down: bool) -> bool:
    return any(bool(node.args.get("desc")) is down for node in written.tree.find_all(exp.Ordered))


def _negates(written: Written) -> bool:
    equal = [one.expression.name for one in written.tree.find_all(exp.EQ) if isinstance(one.expression, exp.Literal)]
    is_empty = not {"", "0"}.isdisjoint(equal)
    joins = is_empty or any(join.side in ("LEFT", "RIGHT", "FULL") for join in written.tree.find_all(exp.Join))
    values = {one.name.lower() for part in written.filters for one in part.values}
    return joins or written.has(exp.Not, exp.NEQ, exp.Except, exp.Is) or bool(values & cues().words["negative_values"])


def _groups(written: Written) -> bool:
    if written.has(exp.Group, exp.Window, exp.Union, exp.Distinct, exp.Div, exp.Case, exp.Filter):
        return True
    root = written.root
    if sum(item.find(exp.AggFunc) is not None for item in written.items) > 1:
        return True
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


def _demanded(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """What the wording demands and the statement lacks."""
    listed = listed_for_count(asked, written)
    if listed is not None and any(_is_a_number(cue, asked, written) for cue in asked.cues):
        listed = None
    for code, demand in cues().demands.items():
        if code == "no_distinct" and cues().first(asked, "counted_once"):
            continue
        cue = next((cue for cue in asked.cues if _is_meant(cue, demand)), None)
        if cue is None or _HOLDS[code](written) or _is_a_name(cue, asked, written):
            continue
        if code == "no_group" and _is_of_rows(cue, asked, written):
            continue
        if (code == "no_order" and _is_a_place(cue, asked)) or (code == "no_count" and _are_numbers(cue, written)):
            continue
        if code == "no_negation":
            if not _compares_otherwise(asked, written):
                states = [part.ref for part in written.filters if is_state(part, index)]
                is_one_of_more = any(len(index.texts.get(ref, ())) > 2 for ref in states)  # it leaves the others out
                is_note = is_one_of_more or _is_aside(cue, asked)
                yield finding(code, cue.words, severity=Severity.NOTE if is_note else None)
        elif code == "no_count" and listed is not None:
            yield finding(code, cue.words, rewrite=listed.rewrite)
            listed = None
        else:
            yield finding(code, cue.words)
    if listed is not None:
        yield listed
    if (median := cues().first(asked, "median")) and not written.has(*_MIDDLES):
        yield finding("no_median", median)


def _is_a_place(cue: Cue, asked: AskedWords) -> bool:
    """Whether "listed in" is about where something stands, and not about an order."""
    after = {token.low for token in asked.tokens[cue.end : cue.end + _NEAR]}
    return cue.words.split()[-1] in ("in", "from") and after.isdisjoint(cues().words["orders"])


def _are_numbers(cue: Cue, written: Written) -> bool:
    """Whether "the numbers of" things are those by which they go."""
    shown = {ref for ref in written.shown if ref is not None}
    return cue.words.split()[0] == "numbers" and not shown.isdisjoint(written.keys)


def _is_meant(cue: Cue, demand: Mapping[str, Any]) -> bool:
    said, classes = [(category, f"{category} {meaning}") for category, meaning in cue.meanings], demand["classes"]
    is_all = all(category in classes or whole in classes for category, whole in said)
    is_among = demand.get("among") in (None, *(whole for _, whole in said))
    if any(whole == UNLISTED for _, whole in said):
        return False  # "our keenest customers" are not always ranked by something
    return is_all and is_among and cue.words not in cues().words["loose_ends"]


def _is_a_name(cue: Cue, asked: AskedWords, written: Written) -> bool:
    """Whether the words of a phrase are those of a table or column that is read; of a count, also what is counted
    and what has the number: "how many downloads" and "phone number of" may be columns."""
    after = asked.tokens[cue.end : cue.end + cue.may_be("COUNT", "NOT")]
    said = (*asked.tokens[cue.start : cue.end], *after)
    words = flat_letters("".join(singular(token.low) for token in said))  # "no shows" of a status no-show
    is_value = len(words) > _SHORTEST and any(words in flat_letters(text) for text in written.texts)
    if is_value or cue.words in cues().words["verbs"] or _is_a_number(cue, asked, written):
        return True
    names = written.column_stems if cue.may_be("COUNT") else written.stems
    some = said if cue.may_be("COUNT") else said[: cue.end - cue.start]
    return any(one in names for token in some for one in stems_of_word(token.low))


def _is_a_number(cue: Cue, asked: AskedWords, written: Written) -> bool:
    """Whether "number of" follows what a column that is read is called: a phone number is no count."""
    before = asked.tokens[cue.start - 1 : cue.start]
    may_be_number = stem(asked.tokens[cue.start].low) in cues().stems["quantity_words"]
    is_number = may_be_number and cue.may_be("COUNT", "NOT")
    return is_number and any(one in written.column_stems for token in before for one in stems_of_word(token.low))


def _is_of_rows(cue: Cue, asked: AskedWords, written: Written) -> bool:
    """Whether an average for each is one over all rows: nothing that could be grouped by is called so."""
    after = {one for token in asked.tokens[cue.end : cue.end + 1] for one in stems_of_word(token.low)}
    if cue.words not in cues().words["of_each_row"] or not written.has(exp.Avg) or len(written.tables) != 1:
        return False
    others = frozenset().union(*(named(table) for table in written.model if table not in written.tables))
    return after.isdisjoint(others.union(*map(named, written.tables[0].columns)))


def _is_aside(cue: Cue, asked: AskedWords) -> bool:
    """Whether a phrase stands behind a comma or a dash, where people tell what they do not mean."""
    return any(token.kind is TokenKind.MARK for token in asked.tokens[: cue.start])


def _compares_otherwise(asked: AskedWords, written: Written) -> bool:
    """Whether a condition on values that were not said may be what leaves something out: "without the unpaid"."""
    values = [value for part in written.filters for value in part.values]
    return any(flat_letters(value.name) not in asked.flat for value in values)


def operators(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """What the wording demands and the statement lacks, what it does and no word asks for, and what it turns round."""
    yield from _demanded(asked, written, index)
    yield from _unasked_aggregates(asked, written)
    yield from _limits(asked, written)
    yield from _unasked_negations(asked, written, index)
    yield from _wrong_end(asked, written)
    yield from _wrong_adjective(asked, written)
    yield from _wrong_time(asked, written)
    yield from _turned(asked, written)
    yield from _counted_twice(asked, written)
    yield from _firsts(asked, written)
    yield from _changes(asked, written)


def _counted_twice(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Rows are counted where different things that they refer to are asked for."""
    count, found = written.tree.find(exp.Count), cues().patterns["counted_once"].search(asked.text.lower())
    if found is None or count is None or written.has(exp.Distinct, exp.Union, exp.Intersect, exp.Except):
        return
    after = set(stems(" ".join(asked.text[found.end() :].split()[:2])))
    rows = [table for table in written.tables if named(table) & after]
    columns = frozenset().union(*(named(column) for table in written.tables for column in table.columns))
    if len(written.tables) == 1 and not columns & after:
        return  # each row is another one, whatever it is called
    read = {table.name for table in written.tables}
    is_inner = any(group.find_ancestor(exp.Select) is not written.root for group in written.tree.find_all(exp.Group))
    if not is_inner and not any(read <= written.looked_up(table.name) for table in rows):
        yield finding("no_distinct", found[0], written.text(count))


def _firsts(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The first of each is asked for, and one row is given."""
    first, limit = asked.cue("SUPERLATIVE", "COMMON", "ADJECTIVE", "TOP"), written.clause("limit")
    if first is None or written.has(exp.Window, exp.Lateral):
        return
    each = cues().first(asked, "one_each") if written.root is written.tree else ""
    if each and limit is not None and limit.expression is not None and limit.expression.name == "1":
        yield finding("one_for_all", each, written.text(limit))


def _changes(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """A change that nothing computes."""
    words, figures = cues().first(asked, "changed"), [item for item in written.items if item.find(exp.AggFunc)]
    if not words or len(figures) != 1 or written.has(exp.Sub, exp.Neg, exp.Lag, exp.Lead, exp.FirstValue):
        return
    ratios = [one for one in written.tree.find_all(exp.Div) if not isinstance(one.expression, exp.Literal)]
    if not ratios and written.column_stems.isdisjoint(stems(words)):
        yield finding("no_change", words)


def _unasked_aggregates(asked: AskedWords, written: Written) -> Iterator[Finding]:
    average = written.tree.find(exp.Avg)
    averaged = any(("AGGREGATE", "avg") in cue.meanings for cue in asked.cues) or asked.cue("HOW", "SHARE")
    is_said = averaged or cues().first(asked, "average") or cues().first(asked, "median")
    if average is not None and not is_said and not cues().stems["average"] & asked.stems:
        yield finding("average_unasked", sql=written.text(average))
    extremes = [node for item in written.items for node in item.find_all(exp.Max, exp.Min) if _is_amount(node, written)]
    if extremes and not (asked.cue(*ENDS, "SHARE") or cues().first(asked, "extreme")):
        if not any(("AGGREGATE", end) in cue.meanings for cue in asked.cues for end in ("max", "min")):
            yield finding("extreme_unasked", sql=written.text(extremes[0]))
    only = written.items[0].unalias() if len(written.items) == 1 and written.root is written.tree else None
    names = frozenset().union(*(named(column) for table in written.tables for column in table.columns))
    if isinstance(only, exp.Count) and (words := cues().first(asked, "sum_of")) and names & cues().stems["measures"]:
        yield finding("no_total", words)
    elif (words := cues().first(asked, "money")) and names & cues().stems["measures"]:
        aggregates = list(written.tree.find_all(exp.AggFunc))
        if aggregates and all(isinstance(one, exp.Count) for one in aggregates) and not written.read_measures:
            yield finding("no_total", words)
    if isinstance(only, exp.Count) and written.clause("group") is None:
        if not (asked.cue("COUNT", "AGGREGATE", "SHARE") or cues().first(asked, "count")):
            severity = None if asked.cue("ASK") else Severity.DOUBT  # "visits this year" may be counted
            yield finding("count_for_list", sql=written.text(only), severity=severity)


def _is_amount(node: exp.Expr, written: Written) -> bool:
    """Whether an aggregate is of numbers that are no keys and no years."""
    columns = [written.column(ref) for ref in written.refs_in(node) if ref not in written.keys]
    others = cues().stems["date"] | cues().stems["year"]
    are_numbers = [one and type_family(one.type) is TypeFamily.NUMBER and not named(one) & others for one in columns]
    return any(are_numbers) and node.find(exp.Predicate) is None


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
            said, given = f"“{stated[0]}” asks for {stated[1]} rows", f"the SQL gives {count}"
            yield finding("other_limit", stated[0], text, said=said, given=given)
    elif count in asked.numbers:
        return
    elif not (asked.cue(*ENDS, "AGGREGATE") or cues().first(asked, "limit")):
        yield finding("limit_unasked", sql=text, count=count)
    elif count.isdigit() and int(count) > 1:
        said, given = f"The SQL gives {count} rows", f"the question doesn't mention {count}"
        yield finding("other_limit", "", text, Severity.DOUBT, said=said, given=given)


def _missing_limit(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The first of an order is asked for, and the whole order is given."""
    first = asked.cue("SUPERLATIVE", "COMMON", "ADJECTIVE")
    one_time = cues().first(asked, "when_last") and not asked.cue("EACH", "EACH_ONE")
    is_loose = first is not None and first.words in cues().words["loose_ends"] and not one_time
    if first is None or is_loose or written.clause("order") is None:
        return
    if asked.cue("ORDER", "DIRECTION", "IN_TIME", "EACH", "EACH_ONE") or cues().first(asked, "first_of_order"):
        return
    names = {word for ref in written.columns for word in words_of(ref.column)}
    if first.words in names or any(is_left_of(name, first.words) for name in names):
        return  # "minimum stock" of min_stock
    if any(singular(token.low) != token.low for token in asked.tokens[first.end : first.end + 1]):
        return  # "the thirstiest vans" are as many as there are
    if not written.has(exp.Max, exp.Min, *_PLACES, exp.Fetch):
        yield finding("limit_missing", first.words)


def _unasked_negations(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    ranks = {one.alias for one in written.tree.find_all(exp.Alias) if isinstance(one.this, exp.Window)}
    for other in written.tree.find_all(exp.NEQ):
        if isinstance(other.this, exp.Column) and other.this.name in ranks:
            yield finding("negation_unasked", sql=written.text(other))
    if asked.cue("NOT") or cues().first(asked, "leaves_out"):
        return
    for part in written.filters:
        said = [value.name for value in part.values if value.is_string and len(value.name) > _SHORTEST]
        is_not = isinstance(part.node, exp.NEQ) or isinstance(part.node.parent, exp.Not)
        if is_not and any(flat_letters(text) in asked.flat for text in said):
            yield finding("negation_unasked", sql=written.text(part.node))
            return
    if cues().first(asked, "negation"):
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


def _says_which_end(after: Sequence[Token]) -> bool:
    """Whether a superlative says what the top is of: the top 3 shortest."""
    return any(is_superlative(token.low) for token in after)


def _wrong_end(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The most where the least is asked for."""
    ends = [cue for cue in asked.cues if cue.is_only("SUPERLATIVE", "COMMON", "DIRECTION", "TOP")]
    ends = [cue for cue in ends if not (cue.is_only("TOP") and _says_which_end(asked.tokens[cue.end :][:_NEAR]))]
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
    column = written.column(written.ref(orders[0].this))
    said = [meaning.split() for _, meaning in adjectives[0].meanings]
    ends, about = {end for end, *_ in said}, {word for _, *words in said for word in words}
    wanted = {end for end, *words in said if named(column) & {one for word in words for one in stems(word)}}
    if column is not None and type_family(column.type) is TypeFamily.NUMBER and not about & cues().words["turning"]:
        wanted = wanted or ends & {"asc", "desc"}  # "dearest" by a rate
    if len(wanted) == 1 and (wanted == {"desc"}) is not bool(orders[0].args.get("desc")):
        yield finding("wrong_end", adjectives[0].words, written.text(orders[0]))
    meant = frozenset(one for word in about for one in stems(word))
    others = ((table, one) for table in written.tables for one in table.columns if named(one) & meant)
    is_number = column is not None and type_family(column.type) is TypeFamily.NUMBER
    if is_number and adjectives[0].words not in cues().words["loose_ends"] and not written.column_stems & meant:
        for table, other in others:
            yield finding("column_unused", adjectives[0].words, name=other.name, table=table.name)
            return


def _wrong_time(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The first in time where the last is asked for, or the other way round."""
    order, limit = written.clause("order"), written.clause("limit")
    late, early = cues().first(asked, "late_end"), cues().first(asked, "early_end")
    first = order.expressions[0] if order is not None else None
    dates = [column for ref in written.refs_in(first) if (column := written.column(ref))] if first is not None else []
    if limit is None or first is None or bool(late) is bool(early) or len(dates) != 1:
        return
    is_date = type_family(dates[0].type) is TypeFamily.TIME or named(dates[0]) & cues().stems["date"]
    if is_date and bool(first.args.get("desc")) is not bool(late):
        yield finding("wrong_end", late or early, written.text(first))


def _turned(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Numbers and averages that are compared the other way round than the question says, or one beside it."""
    for words, wanted, number in _stated(asked):
        more, found = wanted[0] == ">", list(_compared(written, number))
        if {_is_more(node, other) for node, other in found} == {not more}:
            yield finding("comparison_turned", words)
        elif number and len(found) == 1 and _is_off(*found[0], wanted, float(number)):
            node = found[0][0]
            means, text = f"{wanted} {number}", written.text(node)
            right = _OPERATORS[wanted](this=node.this.copy(), expression=exp.Literal.number(number))
            is_plain = isinstance(node.expression, exp.Literal) and not node.expression.is_string
            rewrite = Rewrite(written.replaced(node, right), f"Takes {written.text(right)}.") if is_plain else None
            is_column = any(written.ref(side) for side in (node.this, node.expression))
            severity = None if node.find(exp.Count) else Severity.DOUBT if is_column else Severity.NOTE
            yield finding("comparison_off", words, text, severity, rewrite, wanted=means)


def _is_off(node: exp.Expr, side: exp.Expr, wanted: str, number: float) -> bool:
    """Whether a comparison of the right direction takes one whole number more or less; of what is not counted, the
    number itself."""
    other, value = node.this if side is node.expression else node.expression, float(side.name)
    step = 1 if wanted[0] == ">" else -1
    is_strict, strictly = isinstance(node, exp.GT | exp.LT), "=" not in wanted
    if isinstance(other.unnest(), exp.Count):
        return value + step * is_strict != number + step * strictly
    return value == number and is_strict is not strictly


def _stated(asked: AskedWords) -> Iterator[tuple[str, str, str]]:
    """The words of a comparison, the operator that is meant, and the number as digits (empty for the average)."""
    found = [cue for cue in asked.cues if cue.is_only("COMPARE", "COMPARE_BY", "OR_MORE")]
    for cue in found if asked.cue("NOT") is None else ():
        operators = {meaning.split()[0] for _, meaning in cue.meanings}
        next_cue = min((other.start for other in found if other.start >= cue.end), default=len(asked.tokens))
        behind = asked.tokens[cue.end : min(next_cue, cue.end + _NEAR + 1)]
        before = asked.tokens[: cue.start][-1:]
        is_after = cue.is_only("OR_MORE")
        if is_after and behind[:1] and behind[0].kind is TokenKind.NUMBER:  # above 50 or below 46
            is_after, operators = False, {operator.removesuffix("=") for operator in operators}
        for token in (before if is_after else behind) if len(operators) == 1 else ():
            number = token.text if token.kind is TokenKind.NUMBER else str(NUMBER_WORDS.get(token.low, ""))
            if any(meaning.endswith(" age") for _, meaning in cue.meanings) and year_of(token) in SURELY_YEARS:
                break  # what is older than 2015 was made before
            if number or token.low in cues().words["average"]:
                yield f"{cue.words} {token.text}", operators.pop(), number.removesuffix(".0")
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
