"""Operators that the wording of a question demands, and operators that a statement has and nothing asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords, Cue, flat_letters
from askwell.checking.shown import listed_for_count
from askwell.checking.statement import Written, names_of
from askwell.checking.values import ValueIndex, is_state
from askwell.question.stems import stem, stems, stems_of_word
from askwell.question.tokens import TokenKind

Holds = Callable[[Written], bool]


@dataclass(frozen=True, slots=True)
class Demand:
    """What a phrase demands of a statement: that it `holds`. `classes` are those of the lexicon, or a class with a
    meaning; all that the phrase may mean is among them, and `among` is one of its meanings. Where a column that is read
    is called so itself, nothing is demanded."""

    code: str
    classes: frozenset[tuple[str, str] | str]
    holds: Holds
    severity: Severity
    message: str
    among: tuple[str, str] | None = None

    def finding(self, asked: AskedWords, written: Written) -> Finding | None:
        """What is wrong where the phrase stands in the question and the statement does not hold."""
        found = next((cue for cue in asked.cues if self._is_meant(cue)), None)
        if found is None or self.holds(written) or _is_a_name(found, asked, written):
            return None
        if self.code == "no_negation" and _compares_otherwise(asked, written):
            return None
        severity = Severity.NOTE if self.code == "no_negation" and _is_aside(found, asked) else self.severity
        return Finding(self.code, severity, found.words, "", self.message.format(words=found.words))

    def _is_meant(self, cue: Cue) -> bool:
        if cue.words in cues().words["loose_ends"]:
            return False
        if not all(meaning in self.classes or meaning[0] in self.classes for meaning in cue.meanings):
            return False
        return not self.among or self.among in cue.meanings


def _is_a_name(cue: Cue, asked: AskedWords, written: Written) -> bool:
    """Whether the words of a phrase are those of a table or column that is read; of a count, also what is counted
    and what has the number: "how many downloads" and "phone number of" may be columns."""
    if cue.words in cues().verbs:
        return True
    end = cue.end + 1 if cue.may_be("COUNT") else cue.end
    numbered = cue.start > 0 and stem(asked.tokens[cue.start].low) in cues().stems["quantity_words"]
    start = cue.start - 1 if numbered and cue.may_be("COUNT") else cue.start
    words = [one for token in asked.tokens[start:end] for one in stems_of_word(token.low)]
    named = written.column_stems if cue.may_be("COUNT") else written.stems
    return bool(words) and any(one in named for one in words)


def _averages(written: Written) -> bool:
    return written.has(exp.Avg) or (written.has(exp.Sum, exp.Count) and written.has(exp.Div)) or _has_median(written)


def _has_median(written: Written) -> bool:
    kinds = (exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.RowNumber, exp.Ntile, exp.Offset)
    return written.has(*kinds)


def _counts(written: Written) -> bool:
    return written.has(exp.AggFunc, exp.Sub) or _reads(written, "quantity_words")


def _adds(written: Written) -> bool:
    return written.has(exp.Sum, exp.Count, exp.Add) or _reads(written, "quantity_words")


def _reads(written: Written, words: str) -> bool:
    return bool(cues().stems[words] & written.column_stems)


def _ranks(written: Written) -> bool:
    ranked = (exp.Max, exp.Min, exp.Ordered, exp.Rank, exp.DenseRank, exp.RowNumber, exp.All, exp.ArgMax, exp.ArgMin)
    return written.has(*ranked)


def _tops(written: Written) -> bool:
    return written.has(exp.Max, exp.ArgMax, exp.Rank, exp.All) or any(
        o.args.get("desc") for o in written.tree.find_all(exp.Ordered)
    )


def _bottoms(written: Written) -> bool:
    return written.has(exp.Min, exp.ArgMin, exp.Rank, exp.All) or any(
        not o.args.get("desc") for o in written.tree.find_all(exp.Ordered)
    )


def _negates(written: Written) -> bool:
    if written.has(exp.Not, exp.NEQ, exp.Except, exp.Is):
        return True
    joins = any(join.side in ("LEFT", "RIGHT", "FULL") for join in written.tree.find_all(exp.Join))
    denies = cues().negative_values
    return joins or any(one.name.lower() in denies for part in written.filters for one in part.values)


def _is_aside(cue: Cue, asked: AskedWords) -> bool:
    """Whether a phrase stands behind a comma or a dash, where people tell what they do not mean."""
    return any(token.kind is TokenKind.MARK for token in asked.tokens[: cue.start])


def _compares_otherwise(asked: AskedWords, written: Written) -> bool:
    """Whether a condition on values that were not said may be what leaves something out: "without the unpaid"."""
    values = [value for part in written.filters for value in part.values]
    return any(flat_letters(value.name) not in asked.flat for value in values)


def _groups(written: Written) -> bool:
    if written.has(exp.Group, exp.Window, exp.Union, exp.Distinct, exp.Div):
        return True
    root = written.root
    return root is not None and not any(node.find_ancestor(exp.Select) is root for node in root.find_all(exp.AggFunc))


def _divides(written: Written) -> bool:
    return written.has(exp.Div, exp.Avg) or _reads(written, "share_words")


def _distinguishes(written: Written) -> bool:
    return written.has(exp.Distinct, exp.Group, exp.Intersect, exp.Except, exp.Union)


def _sorts(written: Written) -> bool:
    return written.has(exp.Ordered)


def _several(written: Written) -> bool:
    """Whether a question for two things at once can have been answered."""
    if (
        written.has(exp.Intersect, exp.Exists, exp.Join, exp.Or, exp.And, exp.Having, exp.Union)
        or len(written.literals) > 1
    ):
        return True
    root = written.root
    return root is not None and len(root.expressions) > 1


_W, _D, _N = Severity.WRONG, Severity.DOUBT, Severity.NOTE
DEMANDS = (
    Demand(
        "no_average",
        frozenset({("AGGREGATE", "avg")}),
        _averages,
        _W,
        "“{words}” asks for an average, and nothing is averaged.",
    ),
    Demand(
        "no_count", frozenset({("COUNT", "count")}), _counts, _W, "“{words}” asks for a count, and nothing is counted."
    ),
    Demand(
        "no_total", frozenset({("AGGREGATE", "sum")}), _adds, _D, "“{words}” asks for a total, and nothing is added up."
    ),
    Demand(
        "no_ranking",
        frozenset({"SUPERLATIVE", "COMMON", "ADJECTIVE", "SPENDER", ("AGGREGATE", "max"), ("AGGREGATE", "min"), "TOP"}),
        _ranks,
        _W,
        "“{words}” asks for the first in an order, and nothing is ranked.",
    ),
    Demand(
        "no_maximum",
        frozenset({"AGGREGATE", "SUPERLATIVE"}),
        _tops,
        _W,
        "“{words}” asks for the most, and the statement does not look for it.",
        ("AGGREGATE", "max"),
    ),
    Demand(
        "no_minimum",
        frozenset({"AGGREGATE", "SUPERLATIVE"}),
        _bottoms,
        _W,
        "“{words}” asks for the least, and the statement does not look for it.",
        ("AGGREGATE", "min"),
    ),
    Demand(
        "no_negation",
        frozenset({"NOT"}),
        _negates,
        _W,
        "“{words}” leaves something out, and the statement leaves nothing out.",
    ),
    Demand(
        "no_group",
        frozenset({"EACH", "EACH_ONE"}),
        _groups,
        _W,
        "“{words}” asks for a figure for each, and there is one for all.",
    ),
    Demand("no_share", frozenset({"SHARE"}), _divides, _W, "“{words}” asks for a share, and nothing is divided."),
    Demand(
        "no_distinct",
        frozenset({"DISTINCT"}),
        _distinguishes,
        _D,
        "“{words}” asks for each once, and the statement may repeat them.",
    ),
    Demand(
        "no_order",
        frozenset({"ORDER", "DIRECTION", "IN_TIME"}),
        _sorts,
        _W,
        "“{words}” asks for an order, and nothing is sorted.",
    ),
    Demand("not_both", frozenset({"BOTH"}), _several, _D, "“{words}” asks for two things, and one is looked for."),
)


def demanded(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What the wording demands and the statement lacks."""
    listed = listed_for_count(asked, written)
    for finding in (demand.finding(asked, written) for demand in DEMANDS):
        if finding is not None and finding.code == "no_count" and listed is not None:
            finding, listed = replace(finding, rewrite=listed.rewrite), None
        yield from () if finding is None else (finding,)
    yield from () if listed is None else (listed,)
    if (median := cues().first(asked, "median")) and not _has_median(written):
        yield Finding(
            "no_median", _W, median, "", f"“{median}” asks for the median, and nothing takes the middle value."
        )


def unasked(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """What the statement does and no word asks for."""
    yield from _unasked_aggregates(asked, written)
    yield from _unasked_limits(asked, written)
    yield from _unasked_negations(asked, written, index)
    yield from _wrong_end(asked, written)
    yield from _wrong_adjective(asked, written)


FIGURES = ("COUNT", "HOW", "SHARE", "MONEY", "SPENT", "SPENDER", "CURRENCY", "AGGREGATE")
ENDS = ("SUPERLATIVE", "COMMON", "ADJECTIVE", "TOP", "SPENDER", "IN_TIME", "DIRECTION")


def _unasked_aggregates(asked: AskedWords, written: Written) -> Iterator[Finding]:
    average = written.tree.find(exp.Avg)
    averaged = asked.cue("AGGREGATE", "HOW", "SHARE") or cues().first(asked, "average") or cues().first(asked, "median")
    if average is not None and not averaged and not cues().stems["average"] & set(asked.stems):
        text = written.text(average)
        yield Finding("average_unasked", _D, "", text, f"{text} is an average, and no word asks for one.")
    total = written.tree.find(exp.Sum)
    if (
        total is not None
        and isinstance(total.this, exp.Column)
        and not (_asks_sum(asked) or _reads(written, "additive"))
    ):
        text = written.text(total)
        yield Finding("sum_unasked", _D, "", text, f"{text} is a total, and no word asks for one.")
    extreme = written.tree.find(exp.Max, exp.Min)
    if extreme is not None and not (asked.cue("AGGREGATE", *ENDS) or cues().first(asked, "extreme")):
        text = written.text(extreme)
        yield Finding("extreme_unasked", _N, "", text, f"{text} is the most or the least, and no word asks for that.")
    root = written.root
    if root is written.tree and root is not None and len(root.expressions) == 1 and root.args.get("group") is None:
        only = root.expressions[0].unalias()
        if isinstance(only, exp.Count) and not _asks_count(asked):
            text = written.text(only)
            yield Finding(
                "count_for_list", _W, "", text, "The question asks for things, and the statement only counts them."
            )


def _asks_sum(asked: AskedWords) -> bool:
    wanted = ("COUNT", "SHARE", "MONEY", "SPENT", "HOW", "CURRENCY", "SPENDER", *ENDS)
    return bool(asked.cue("AGGREGATE", *wanted) or cues().first(asked, "sum"))


def _asks_count(asked: AskedWords) -> bool:
    return bool(asked.cue("COUNT", "AGGREGATE", "SHARE") or cues().first(asked, "count"))


def _unasked_limits(asked: AskedWords, written: Written) -> Iterator[Finding]:
    limit = written.tree.find(exp.Limit)
    if limit is None:
        yield from _missing_limit(asked, written)
        if (stated := cues().stated_limit(asked)) and not written.has(
            exp.Rank, exp.DenseRank, exp.RowNumber, exp.Fetch
        ):
            yield Finding("no_limit", _W, stated[0], "", f"“{stated[0]}” asks for {stated[1]} rows, and all are given.")
        return
    count = limit.expression.name if limit.expression is not None else ""
    if stated := cues().stated_limit(asked):
        if count.isdigit() and stated[1] != count:
            yield Finding(
                "other_limit",
                _W,
                stated[0],
                written.text(limit),
                f"“{stated[0]}” asks for {stated[1]} rows, and the statement gives {count}.",
            )
    elif count not in asked.numbers and not (asked.cue(*ENDS, "AGGREGATE") or cues().first(asked, "limit")):
        yield Finding(
            "limit_unasked", _D, "", written.text(limit), f"Only {count} rows are given, and no word asks for so few."
        )
    elif count not in asked.numbers and count.isdigit() and int(count) > 1:
        yield Finding(
            "other_limit",
            _D,
            "",
            written.text(limit),
            f"{count} rows are given, and the question does not say {count}.",
        )


def _missing_limit(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The first of an order is asked for, and the whole order is given."""
    first = asked.cue("SUPERLATIVE", "COMMON", "ADJECTIVE")
    first = None if first is not None and first.words in cues().words["loose_ends"] else first
    root = written.root
    if first is None or root is None or root.args.get("order") is None or asked.cue("ORDER", "DIRECTION", "IN_TIME"):
        return
    if cues().first(asked, "first_of_order"):
        return
    if not written.has(exp.Max, exp.Min, exp.Rank, exp.DenseRank, exp.RowNumber, exp.Fetch):
        message = f"“{first.words}” asks for the first in an order, and all are given."
        yield Finding("limit_missing", _D, first.words, "", message)


def _unasked_negations(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    if asked.cue("NOT") or cues().first(asked, "negation"):
        return
    for node in written.tree.find_all(exp.NEQ, exp.Except, exp.Not):
        if isinstance(node, exp.Not) and not isinstance(node.this, exp.In | exp.Like | exp.Exists | exp.EQ | exp.Paren):
            continue
        if isinstance(node, exp.NEQ) and not any(
            part.node is node and any(value.name for value in part.values) and not is_state(part, index)
            for part in written.filters
        ):
            continue
        text = written.text(node)
        yield Finding("negation_unasked", _D, "", text, f"{text} leaves rows out, and no word asks for that.")
        return


def _wrong_end(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The most where the least is asked for."""
    wanted = {
        meaning.split()[0]
        for cue in asked.cues
        if cue.is_only("SUPERLATIVE", "COMMON", "DIRECTION", "TOP")
        for _, meaning in cue.meanings
    }
    if len(wanted) != 1 or cues().first(asked, "either_end"):
        return
    descending = wanted == {"desc"}
    limit = written.tree.find(exp.Limit)
    direct = next((cue for cue in asked.cues if cue.is_only("DIRECTION")), None)
    orders = list(written.tree.find_all(exp.Ordered))
    words = next(c.words for c in asked.cues if c.is_only("SUPERLATIVE", "COMMON", "DIRECTION", "TOP"))
    if len(orders) == 1 and (limit is not None or direct is not None):
        if bool(orders[0].args.get("desc")) is not descending:
            text = written.text(orders[0])
            yield Finding("wrong_end", _W, words, text, f"“{words}” asks for the other end of {text}.")
        return
    most, least = written.tree.find(exp.Max), written.tree.find(exp.Min)
    if not orders and (most is None) is not (least is None) and (most is not None) is not descending:
        text = written.text(most or least)  # type: ignore[arg-type]
        yield Finding("wrong_end", _W, words, text, f"“{words}” asks for the other end than {text}.")


def _wrong_adjective(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The youngest where the oldest are asked for, by a column that the adjective is about."""
    adjectives = [cue for cue in asked.cues if cue.is_only("ADJECTIVE")]
    orders = list(written.tree.find_all(exp.Ordered))
    if len(adjectives) != 1 or len(orders) != 1 or written.tree.find(exp.Limit) is None:
        return
    ref = written.ref(orders[0].this)
    column = written.column(ref) if ref is not None else None
    if column is None:
        return
    named = {one for name in names_of(column) for one in stems(name)}
    wanted = {m.split()[0] for _, m in adjectives[0].meanings if named & {s for w in m.split()[1:] for s in stems(w)}}
    if len(wanted) == 1 and (wanted == {"desc"}) is not bool(orders[0].args.get("desc")):
        text, words = written.text(orders[0]), adjectives[0].words
        yield Finding("wrong_end", _W, words, text, f"“{words}” asks for the other end of {text}.")
