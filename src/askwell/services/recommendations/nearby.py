"""Questions near to one that has no answer: made of its own words, and each of them is answered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

from askwell.mdl.names import listed, plural
from askwell.mdl.semantic_model import ColumnRef, SampledValues
from askwell.question.lexicon import classes_of, english
from askwell.question.misspelling import mended, nearest
from askwell.question.periods import day_of, period_at, year_of
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.question.words import DAYS, MONTHS, stem, stems
from askwell.resources import words_file
from askwell.semantic_parsing.model.catalog import DATE, FLAG, KEY, TEXT, TRIMMED, Catalog
from askwell.semantic_parsing.translation import UNKNOWN_WORD, UNSURE, Abstention, Choice, Translation

# Questions that are offered, and those that are tried: each takes as long as the one that was asked.
_MOST, _MOST_TRIED = 3, 9
# A question has at least so many words.
_SHORTEST = 2
# More tables than these whose names begin with the same word have it for a prefix.
_OF_ONE_PREFIX = 2
# Ways of each kind that are tried, values that are named, and those from which on a column has no vocabulary.
_MOST_OF_KIND, _MOST_VALUES, _VOCABULARY = 3, 5, 200
_OF_DATES = frozenset({"any_date", "no_date"})
# What stands before a word that it is named with, and how many words after it.
_BEFORE, _MOST_FOLLOWING = frozenset({"EACH", "BY", "NOT"}), 2
_OF_WORDS = frozenset({"ambiguous_column", "ambiguous_table", "ambiguous_value", UNKNOWN_WORD})
_UNKNOWN = frozenset({"unplaced_words", UNKNOWN_WORD})
_UNREAD = _UNKNOWN | {"unclear_words"}
# Classes of words that tie others together, that begin a question, and after which no value stands.
_TIES = frozenset({"OF", "IN", "TO", "BY", "WITH", "HAVE", "AND", "OR", "RELATIVE", "NOT", "EACH", "YEAR_IN", "BE"})
_TIES |= {"COMPARE", "COMPARE_BY", "BETWEEN", "COMMA"}
_BEGINNING = frozenset({"ASK", "AGGREGATE", "COUNT", "SHARE", "HOW"})
_BEFORE_TIMES = frozenset({"IN", "YEAR_IN", "COMPARE_BY", "BETWEEN", "TO"})
_NO_VALUE_AFTER = _BEGINNING | {"EACH", "HAVE", "NOT"}

Answer = Callable[[str], Translation | None]


@dataclass(frozen=True, slots=True)
class _Variant:
    """A changed question; `column` is what a value of it was put in its place for."""

    text: str
    column: ColumnRef | None = None


@cache
def _words() -> Mapping[str, str]:
    return words_file("askwell.services.recommendations", "nearby.yaml")


@cache
def _places() -> frozenset[str]:
    return frozenset(map(stem, _words()["places"].split()))


@dataclass(frozen=True, slots=True)
class Nearby:
    """Complete questions that are answered, each with its SQL; `missing` says that a column has no such value, and
    which it has, where that is why the question has no answer. `why` says why it has none, where more can be said than
    was."""

    questions: Mapping[str, str]
    missing: str | None = None
    why: str | None = None


def nearby_questions(
    question: str, given: Abstention, catalog: Catalog, values: SampledValues, answer: Answer
) -> Nearby:
    """What `answer` answers of the questions near to this one, which was `given` no answer. Takes up to some tenths of
    a second: call it on a thread."""
    changing = _Changing(catalog.read_aloud(question), given, catalog, values)
    found: dict[str, str] = {}
    tried: dict[str, Translation | None] = {changing.text: None}
    column = None
    for variant in changing.variants():
        if len(found) == _MOST or len(tried) > _MOST_TRIED:
            break
        if variant.column is not None and column is not None:
            continue
        if variant.text not in tried:
            tried[variant.text] = answer(variant.text)
        answered = tried[variant.text]
        if answered is None or answered.sql in found.values():
            continue
        if variant.column is None or f".{variant.column.column}" in answered.sql:
            found[variant.text] = answered.sql
            column = column or variant.column
    return Nearby(found, changing.not_among(column) if column is not None else None, changing.why())


class _Changing:
    """The words of a question, and which of them stand in the way."""

    def __init__(self, question: str, given: Abstention, catalog: Catalog, values: SampledValues) -> None:
        self._catalog, self._given, self._texts = catalog, given, values
        self._tokens = [one for one in mended(tokenize(question), catalog.spelled)[0] if one.text not in "?!."]
        unread = {word.lower() for words in given.words for word in words.split()}
        left = {place for place, token in enumerate(self._tokens) if token.low in unread and not self._is_known(place)}
        self._unread = sorted(left | self._days_of_months(left))
        self._end = "?" if question.rstrip().endswith("?") else ""
        self.text = self._sentence(self._tokens)

    def _is_known(self, place: int) -> bool:
        """Whether a word begins a question, or is the name of a table: it does not stand in the way."""
        lows = [token.low for token in self._tokens]
        phrases = (lows[place : place + 1], lows[place : place + 2], lows[place - 1 : place + 1])
        classes = {category for words in phrases for category, _ in english().phrases.get(tuple(words), ())}
        return bool(classes & {"ASK", "COUNT", "HOW"}) or bool(self._tables_called(self._tokens[place]))

    def _tables_called(self, token: Token) -> list[str]:
        """The tables of which a word is the name, in one word."""
        is_verb = token.low.endswith(english().verb_endings)
        named = {} if is_verb else self._catalog.words.get(tuple(stems(token.low)), {})
        return [name for name, level in named.items() if isinstance(name, str) and level <= TRIMMED]

    def _days_of_months(self, places: Collection[int]) -> set[int]:
        """The numbers beside names of months."""
        beside = {near for place in places if self._tokens[place].low in MONTHS for near in (place - 1, place + 1)}
        return {near for near in beside if 0 < near < len(self._tokens) and _is_number(self._tokens[near])}

    @property
    def _run(self) -> range:
        """The first words, next to each other, that stand in the way."""
        start = self._unread[0] if self._unread else len(self._tokens)
        end = start
        while end in self._unread:
            end += 1
        return range(start, end)

    def variants(self) -> Iterator[_Variant]:
        """Changed questions, the nearest first. Where it could mean several things, those that say which."""
        if self._given.choices:
            yield from map(_Variant, filter(None, map(self._chosen, self._given.choices)))
            return
        if self._unread and self._given.reason in _UNKNOWN:
            yield from islice(self._with_values(), _MOST_OF_KIND)
            yield from map(_Variant, islice(self._with_figures(), _MOST_OF_KIND))
        yield from map(_Variant, filter(None, self._shorter()))
        yield from map(_Variant, islice(self._counted(), _MOST_OF_KIND))

    def _chosen(self, choice: Choice) -> str | None:
        """The question that says what it means: with the name of that in place of what was said, or before a time."""
        if self._given.reason == UNSURE:
            return choice.label
        said = [token.low for token in tokenize(" ".join(self._given.words[:1]))]
        lows = [token.low for token in self._tokens]
        meant = Token(TokenKind.WORD, choice.label, "")
        places = [place for place in range(len(lows)) if said and lows[place : place + len(said)] == said]
        if len(places) == 1 and self._given.reason in _OF_WORDS:
            shown = [meant, *self._tokens[places[0] : places[0] + len(said)]] if self._is_of_value else [meant]
            return self._sentence([*self._tokens[: places[0]], *shown, *self._tokens[places[0] + len(said) :]])
        times = [place for place, token in enumerate(self._tokens) if place and classes_of(token.low) & _BEFORE_TIMES]
        dated = times and all(self._catalog.kind(ref) == DATE for ref in choice.bindings.columns)
        if not dated or not _was_done(choice.label) or _was_done(lows[times[0] - 1]):
            return None
        return self._sentence([*self._tokens[: times[0]], meant, *self._tokens[times[0] :]])

    @property
    def _is_of_value(self) -> bool:
        return self._given.reason == "ambiguous_value"

    def not_among(self, column: ColumnRef) -> str:
        """That a column has no such value, and which it has."""
        said = " ".join(self._tokens[place].text for place in self._run)
        values = sorted(self._texts[column])
        name = self._catalog.readable(column).lower()
        if len(values) > _MOST_VALUES:
            return _words()["values_more"].format(said, name, plural(name), ", ".join(values[:_MOST_VALUES]))
        return _words()["values"].format(said, name, plural(name), listed(values))

    def why(self) -> str | None:
        """What is missing: a link of two tables, dates, the name of a date; or the part of the question that is not
        read."""
        reason = self._given.reason
        said = range(len(self._tokens)) if reason == "no_join_path" else self._unread
        of_time = any(map(self._is_of_time, said))
        if self._given.tables and not self._given.choices and (of_time or reason in _OF_DATES):
            dates = [ref for name in self._given.tables for ref in self._dates(name)]
            if not dates or reason in _OF_DATES:
                tables = listed(map(self._catalog.readable, self._given.tables), "or")
                names = listed(dict.fromkeys(map(self._catalog.readable, dates)), "or")
                return _words()["name_date" if dates else "no_dates"].format(names or tables)
        if reason == "no_join_path":
            return self._not_linked()
        if reason == "unclear_words" and not self._unread:
            return _words()["whole"]
        if self._unread and reason in _UNREAD:
            return _words()["unread" if reason == "unclear_words" else "unknown"].format(self._phrase())
        return None

    def _is_of_time(self, place: int) -> bool:
        token = self._tokens[place]
        is_day = day_of(token.text) is not None or year_of(token) is not None
        return is_day or "UNIT" in classes_of(token.low) or period_at(self._tokens, place) is not None

    def _not_linked(self) -> str | None:
        """That two tables are not linked, and over which columns they could be: those that are called alike."""
        tables = [one for one in self._catalog.facts.tables.values() if one.readable in self._given.words]
        named = [{c.words: c.readable for c in one.columns if c.ref != one.key and not c.is_measure} for one in tables]
        if len(named) != 2:
            return None
        both = [name for words, name in named[0].items() if words in named[1]][:_MOST]
        told = f"{self._given.message[:1].upper()}{self._given.message[1:]}"
        return f"{told} {_words()['link'].format(listed(both))}" if both else told

    def _dates(self, table: str) -> list[ColumnRef]:
        columns = (column.ref for column in self._catalog.table(table).columns)
        return [ref for ref in columns if self._catalog.kind(ref) == DATE or self._catalog.is_year(ref)]

    def _phrase(self) -> str:
        """The first words that stand in the way; known ones with what ties them to the others, and with that without
        which they say nothing: "per month", "no discount"."""
        run = self._run
        start, end = run.start, run.stop
        is_known = self._given.reason == "unclear_words"
        while is_known and 0 < start < end and classes_of(self._tokens[start - 1].low) & _BEFORE:
            start -= 1
        for following in self._tokens[end : end + _MOST_FOLLOWING] if is_known else ():
            if self._tokens[end - 1].low not in english().everywhere or following.low in english().being:
                break
            end += 1
        while end > run.stop and _ties(self._tokens[end - 1]):
            end -= 1
        return " ".join(token.text for token in self._tokens[start:end])

    def _with_values(self) -> Iterator[_Variant]:
        """What is unknown stands where a value would: with one of a column in its place."""
        run = self._run
        first = self._tokens[run.start]
        before = [token for token in self._tokens[: run.start] if token.low not in english().determiners][-1:]
        ends = run.stop == len(self._tokens) or _ties(self._tokens[run.stop])
        if not before or not ends or not first.text[:1].isalpha() or first.low.rstrip("s") in {*DAYS, *MONTHS}:
            return
        is_place = before[0].low in english().places or "TO" in classes_of(before[0].low)
        is_name = first.text[:1].isupper() and not classes_of(before[0].low) & _NO_VALUE_AFTER
        said = " ".join(self._tokens[place].low for place in run)
        for column in self._holders(is_place=is_place) if is_place or is_name else ():
            by_low = {text.lower(): text for text in self._texts[column]}
            near = nearest(said, by_low)
            if near is not None or len(by_low) <= _VOCABULARY:
                value = Token(TokenKind.WORD, by_low[near or min(by_low)], "")
                yield _Variant(self._sentence([*self._tokens[: run.start], value, *self._tokens[run.stop :]]), column)

    def _holders(self, *, is_place: bool) -> list[ColumnRef]:
        """The columns of texts that a name could be in: those of places for what stands like one, else first those that
        rows are shown by."""
        tables = self._near_tables()
        labels = {ref for name in tables for ref in self._catalog.labels(name)}
        found = [ref for ref in self._texts if ref.table in tables and self._catalog.kind(ref) == TEXT]
        if is_place:
            found = [ref for ref in found if _places() & self._catalog.words_of(ref)]
        return sorted(found, key=lambda ref: (ref not in labels, tables.index(ref.table)))

    def _near_tables(self) -> list[str]:
        """What was understood, and the tables next to that."""
        neighbours = self._catalog.facts.neighbours
        near = [other for name in self._given.tables for other in neighbours.get(name, ())]
        return list(dict.fromkeys((*self._given.tables, *near)))

    def _with_figures(self) -> Iterator[str]:
        """What is measured is unknown: with figures of the tables in its place."""
        run = self._run
        classes = classes_of(self._tokens[run.start - 1].low) if run.start else _BEGINNING
        rest = self._tokens[run.stop :]
        if not classes & {"ASK", "AGGREGATE"} or not rest or not _ties(rest[0]):
            return
        for name in self._near_tables():
            sums = [ref for ref, _ in self._catalog.amounts(name)]
            others = [c.ref for c in self._catalog.table(name).columns if c.is_measure and c.formula is None]
            for ref in (sums or others)[:1]:
                said = _words()["total" if sums else "average"].format(self._catalog.readable(ref).lower())
                yield self._sentence([Token(TokenKind.WORD, said, ""), *rest])

    def _shorter(self) -> Iterator[str | None]:
        """Without what stands in the way: its words alone, the part of the sentence that they are in, and all that
        follows; or else without the last parts."""
        size = len(self._tokens)
        if self._unread:
            parts = [self._part(place) for place in self._unread]
            unread = [self._tokens[place] for place in self._unread]
            is_verb = any(_ties(token) or token.low.endswith(english().verb_endings) for token in unread)
            ends = any(place + 1 == size or _ties(self._tokens[place + 1]) for place in self._unread)
            if not is_verb and not ends:
                yield self._kept([place for place in range(size) if place not in self._unread])
            yield self._with_have()
            yield self._kept([place for place in range(size) if not any(place in part for part in parts)])
            yield self._kept(range(parts[0].start))
        else:
            cuts = [place for place in range(size - 1, 1, -1) if _ties(self._tokens[place])]
            yield from (self._kept(range(cut)) for cut in islice(cuts, _MOST))

    def _with_have(self) -> str | None:
        """What some do is unknown: with what they have in its place."""
        run, (one, several) = self._run, _words()["have"].split()
        before, after = self._tokens[: run.start], self._tokens[run.stop :]
        named = before and self._tables_called(before[-1])
        if len(run) > 1 or not named or not after or after[0].low not in english().determiners:
            return None
        have = several if before[-1].low == plural(before[-1].low) else one
        return self._sentence([*before, Token(TokenKind.WORD, have, have), *after])

    def _counted(self) -> Iterator[str]:
        """How many rows there are: for each of what the question groups by, or in all."""
        tail = self._tail()
        grouped = {one for token in tail for one in stems(token.low)}
        beside = [name for name in self._near_tables() if tail and not grouped & self._catalog.words_of(name)]
        for name in beside[:1]:
            yield self._sentence([Token(TokenKind.WORD, _words()["many"].format(self._called(name)), ""), *tail], "?")
        for name in self._given.tables or self._central():
            yield _words()["how_many"].format(self._called(name))

    def _tail(self) -> Sequence[Token]:
        """What the question groups by, with "per" or "by"; nothing where it groups by nothing that is known."""
        for place, (by, of) in enumerate(pairwise(self._tokens)):
            named = self._catalog.words.get(tuple(stems(of.low)), {})
            kinds = {KEY if isinstance(one, str) else self._catalog.kind(one) for one in named}
            groups = classes_of(by.low) & {"BY", "EACH"} and by.low not in english().determiners
            if groups and kinds & {KEY, TEXT, FLAG} and not {place, place + 1} & set(self._unread):
                return (by, of)
        return ()

    def _called(self, table: str) -> str:
        """The rows of a table in the words of the question, or by its name."""
        said = [one.low for one in self._tokens if table in self._tables_called(one)]
        words = self._catalog.readable(table).lower().split()
        firsts = [self._catalog.table(name).words[:1] for name in self._catalog.facts.tables]
        is_prefix = len(words) > 1 and firsts.count(self._catalog.table(table).words[:1]) > _OF_ONE_PREFIX
        return plural(said[0] if said else " ".join(words[1:] if is_prefix else words))

    def _central(self) -> list[str]:
        """The tables by how many others they are linked to, the most first."""
        neighbours = self._catalog.facts.neighbours
        return sorted(self._catalog.facts.tables, key=lambda name: -len(neighbours.get(name, ())))

    def _part(self, place: int) -> range:
        """The part of a sentence that a word is in, with what ties it to the others."""
        start, end = place, place + 1
        while start > 1 and _ties(self._tokens[start - 1]):
            start -= 1
        while end < len(self._tokens) and not _ties(self._tokens[end]):
            end += 1
        return range(start, end)

    def _kept(self, places: Sequence[int]) -> str | None:
        """The question with these words alone; None where they are no sentence."""
        kept = list(places)
        while kept and kept[-1] < len(self._tokens) - 1 and self._dangles(self._tokens[kept[-1]]):
            kept.pop()
        said = [self._tokens[place] for place in kept]
        content = [token for token in said if not _ties(token) and self._says_something(token)]
        asks = said[:1] and said[0].low in english().rows_asked
        if (
            len(said) < _SHORTEST
            or len(content) < (_SHORTEST if asks else 1)
            or classes_of(said[0].low) & _TIES - {"BE"}
        ):
            return None
        for here, there in pairwise(kept):
            before, after = self._tokens[here], self._tokens[there]
            is_cut = there > here + 1
            if is_cut and _ties(after) and (_ties(before) or classes_of(before.low) & _BEGINNING):
                return None
            if is_cut and (after.kind is TokenKind.MARK or after.low in english().determiners) and not _ties(before):
                return None
        return self._sentence(said, "?" if asks else "")

    def _dangles(self, token: Token) -> bool:
        """Whether a sentence does not end in the word."""
        return token.low in english().verbs or _ties(token) or not self._says_something(token)

    def _says_something(self, token: Token) -> bool:
        """Whether it is no word of every question, or one that the model has."""
        return token.low not in english().everywhere or tuple(stems(token.low)) in self._catalog.words

    def _sentence(self, tokens: Sequence[Token], end: str = "") -> str:
        """The words as they would be asked."""
        text = " ".join(token.text for token in tokens).replace(" 's", "'s").replace(" ,", ",")
        if text.lower().startswith(_words()["many"].format("").lower()) and not any(map(_is_verb, tokens)):
            text, end = text + _words()["there"], "?"
        return f"{text[:1].upper()}{text[1:]}{end or self._end}"


def _ties(token: Token) -> bool:
    """Whether a word only ties others together."""
    return token.kind is TokenKind.MARK or token.low in english().determiners or bool(classes_of(token.low) & _TIES)


def _is_number(token: Token) -> bool:
    return token.kind is TokenKind.NUMBER


def _was_done(said: str) -> bool:
    return said.endswith(english().past_endings)


def _is_verb(token: Token) -> bool:
    lexicon = english()
    return token.low in lexicon.being | lexicon.verbs | lexicon.auxiliaries or "HAVE" in classes_of(token.low)
