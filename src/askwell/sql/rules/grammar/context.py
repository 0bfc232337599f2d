"""What the filter modules share: the column named before a condition, negations, and placing a condition."""

from __future__ import annotations

from askwell.question.stems import stem_set
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.hints import COMPARED_VERBS
from askwell.sql.rules.words.phrases import Mark

_PLAIN_NEGATIONS = frozenset(
    phrase
    for phrases in (
        "not|are not|is not|was not|were not|that is not|that are not|that were not|who is not|who are not|but not",
        "do not|does not|did not|have not|has not|have not been|has not been",
        "have never been|has never been|were never|was never|never",
        "that do not|who do not|which do not|do not have|does not have|do not have a|does not have a",
        "are not in|excluding|except|except for|other than|outside|outside of|apart from",
    )
    for phrase in phrases.split("|")
)
_NEGATION_REACH = 8


def column_before(reader: Reader, draft: Draft, i: int) -> int | None:
    """The unused column named right before the condition at `i`: "country is France"."""
    sentence = reader.sentence
    skip = [Mark.EQUALS, Mark.NOT, Mark.OF, Mark.ASK, Mark.BOTH]
    if sentence.span(i - 1).low == "either":
        skip.append(Mark.OR)
    j = sentence.before(i, *skip)
    named = sentence.kind(j) is Thing.ENTITY and bool(sentence.span(j).columns) and not says_amount(reader, j)
    return j if named and not sentence.is_value(j) and j not in draft.used else None


def negation_before(reader: Reader, draft: Draft, i: int) -> int | None:
    """The negation that the condition at `i` stands under."""
    sentence = reader.sentence
    for j in range(i - 1, max(-1, i - 1 - _NEGATION_REACH), -1):
        kind = sentence.kind(j)
        if kind is Mark.NOT and j not in draft.used:
            return j
        light = sentence.light(j) or kind in (Mark.OF, Mark.ASK, Mark.EQUALS)
        noun = kind is Thing.ENTITY and not sentence.is_value(j) and sentence.table(j) != sentence.main
        if not light and not noun:
            return None
    return None


def place(reader: Reader, draft: Draft, condition: Condition, i: int) -> Draft:
    """Add the condition read at `i`, negated where a negation stands before it."""
    negation = negation_before(reader, draft, i)
    if negation is None:
        return draft.where(condition, i)
    word = reader.sentence.span(negation).low
    if condition.operator == "during" and _denies_second(reader, negation):
        raise DeadEnd("negation", word)
    draft = draft.take(negation)
    if condition.column.table != reader.sentence.main:
        # "customers who did not buy X" leaves out customers, not rows of the purchase
        if condition.operator not in ("=", "in") or draft.negated_join is not None or draft.conditions:
            raise DeadEnd("negation_over_a_join", word)
        return draft.set(negated_join=condition).shaped("negated_join", "filter")
    if word not in _PLAIN_NEGATIONS:
        raise DeadEnd("negation", word)
    negated = Condition(
        condition.column, condition.operator, condition.values, True, condition.period, condition.than_average
    )
    return draft.where(negated, i).shaped("negation")


def _denies_second(reader: Reader, negation: int) -> bool:
    """ "issued but not paid in 2025": the time may be that of either, and of both."""
    sentence = reader.sentence
    but = sentence.span(negation).low.startswith("but") or sentence.kind(negation - 1) is Mark.AND
    at = negation - 1 if sentence.kind(negation - 1) is not Mark.AND else negation - 2
    verb = sentence.span(at)
    done = verb.loose_verb or verb.low.endswith("ed") or verb.kind is Thing.FILLER
    return (but or sentence.span(negation - 1).low == "but") and done


def verb_column(reader: Reader, i: int) -> Choice | None:
    """ "products that cost more than 50", "employees paid above 3000": the one amount of the rows that the verb before
    says."""
    sentence = reader.sentence
    word = sentence.span(i - 1).low
    owner = reader.owner(i, back=True)
    trade = reader.facts.trade
    back = i - 1
    while (
        reader.sentence.kind(back) in (Thing.PERIOD, Thing.NUMBER, Mark.OF, Mark.ASK)
        or reader.sentence.is_value(back)
        or reader.sentence.span(back).low in _COPULAS
    ):
        back -= 1
    if trade is not None and owner == trade.document == reader.sentence.table(back):
        ref = trade.revenue[0]  # "invoices above 20"
        total = ref.table == owner and reader.sentence.kind(i) is Mark.COMPARE
        return Choice(ref, (assumption("implicit_column", "", reader.readable(ref)),)) if total else None
    if word not in COMPARED_VERBS:
        return None
    if owner is None and reader.sentence.span(i - 2).low in _ANYBODY:
        return of_somebody(reader, word)  # "who earns more than 3000"
    if owner is None:
        return None
    return said_amount(reader, owner, word)


_COPULAS = frozenset({"is", "are", "was", "were", "there"})
_ANYBODY = frozenset({"who", "everyone", "everybody", "anyone", "anybody", "people", "those"})


def said_amount(reader: Reader, table: str, word: str) -> Choice | None:
    """The one amount of a table that the verb says. What things cost is their price, or what they cost the seller."""
    hints = stem_set(frozenset(COMPARED_VERBS[word]))
    found = [c for c in reader.facts.tables[table].columns if c.is_measure and hints & set(c.words)]
    if len(found) > 1:
        raise DeadEnd("ambiguous_column", word, *(reader.readable(column.ref) for column in found))
    return Choice(found[0].ref, (assumption("adjective", word, reader.readable(found[0].ref)),)) if found else None


def of_somebody(reader: Reader, word: str) -> Choice | None:
    """The amount that the verb says of the only people that have one."""
    people = [name for name, table in reader.facts.tables.items() if table.person is not None]
    found = [choice for name in people if (choice := said_amount(reader, name, word)) is not None]
    return found[0] if len(found) == 1 else None


def says_amount(reader: Reader, i: int) -> bool:
    """Whether the word at `i` is a verb of a comparison, "products that cost more than 50", though a column may be
    called so in part."""
    sentence = reader.sentence
    if sentence.span(i).low not in COMPARED_VERBS or sentence.span(i).best_column < Evidence.TRIMMED:
        return False
    return sentence.table(i - 1) is not None or sentence.span(i - 1).low in _RELATIVE


_RELATIVE = frozenset({"that", "which", "who"})
