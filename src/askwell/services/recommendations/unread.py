"""What stands in the way of an answer by rules, as a sentence for people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import listed, plural
from askwell.mdl.semantic_model import ColumnRef, SampledValues
from askwell.question.lexicon import classes_of, english
from askwell.question.misspelling import mended, short_for
from askwell.question.periods import day_of, period_at, year_of
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.question.words import MONTHS, stem, stems
from askwell.resources import words_file
from askwell.semantic_parsing.model.catalog import DATE, TRIMMED, Catalog
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention

# Values, or columns, that are named.
_MOST_NAMED = 5
UNKNOWN = frozenset({"unplaced_words", UNKNOWN_WORD})
_UNREAD = UNKNOWN | {"unclear_words"}
# More tables than these whose names begin with the same word have it for a prefix.
_OF_ONE_PREFIX = 2
_OF_DATES = frozenset({"any_date", "no_date"})
# What stands before a word that it is named with, and how many words after it.
_BEFORE, _MOST_FOLLOWING = frozenset({"EACH", "BY", "NOT"}), 2
# Classes of words that tie others together.
TIES = frozenset({"OF", "IN", "TO", "BY", "WITH", "HAVE", "AND", "OR", "RELATIVE", "NOT", "EACH", "YEAR_IN", "BE"})
TIES |= {"COMPARE", "COMPARE_BY", "BETWEEN", "COMMA"}


@cache
def sentences() -> Mapping[str, str]:
    """What is said, and the words that questions are made with."""
    return words_file("askwell.services.recommendations", "nearby.yaml")


def ties(token: Token) -> bool:
    """Whether a word only ties others together."""
    return token.kind is TokenKind.MARK or token.low in english().determiners or bool(classes_of(token.low) & TIES)


class UnreadQuestion:
    """The `tokens` of a question that was `given` no answer, and the places of those that stand in the way (`unread`).
    Of columns these `values` are known."""

    def __init__(self, question: str, given: Abstention, catalog: Catalog, values: SampledValues) -> None:
        self.catalog, self.given, self.values = catalog, given, values
        self.tokens = [one for one in mended(tokenize(question), catalog.spelled)[0] if one.text not in "?!."]
        said = {word.lower() for words in given.words for word in words.split()}
        said = said if given.reason != "no_join_path" else set()  # these are names of tables
        left = {place for place, token in enumerate(self.tokens) if token.low in said and not self._is_known(place)}
        self.unread = sorted(left | self._days_of_months(left))

    def _is_known(self, place: int) -> bool:
        """Whether a word begins a question, or is the name of a table: it does not stand in the way."""
        lows = [token.low for token in self.tokens]
        phrases = (lows[place : place + 1], lows[place : place + 2], lows[place - 1 : place + 1])
        classes = {category for words in phrases for category, _ in english().phrases.get(tuple(words), ())}
        return bool(classes & {"ASK", "COUNT", "HOW"}) or bool(self.tables_called(self.tokens[place]))

    def tables_called(self, token: Token) -> list[str]:
        """The tables of which a word is the name, in one word."""
        is_verb = token.low.endswith(english().verb_endings)
        whole, short = tuple(stems(token.low)), stem(short_for(token.low, self.catalog.short) or "")
        named = {} if is_verb else self.catalog.words.get(whole) or self.catalog.words.get((short,), {})
        return [name for name, level in named.items() if isinstance(name, str) and level <= TRIMMED]

    def called(self, table: str) -> str:
        """The rows of a table in the words of the question, or by its name."""
        said = [one.low for one in self.tokens if table in self.tables_called(one)]
        words = self.catalog.readable(table).lower().split()
        firsts = [self.catalog.table(name).words[:1] for name in self.catalog.facts.tables]
        is_prefix = len(words) > 1 and firsts.count(self.catalog.table(table).words[:1]) > _OF_ONE_PREFIX
        return plural(said[0] if said else " ".join(written_out(words[1:] if is_prefix else words)))

    def _days_of_months(self, places: Collection[int]) -> set[int]:
        """The numbers beside names of months."""
        beside = {near for place in places if self.tokens[place].low in MONTHS for near in (place - 1, place + 1)}
        return {near for near in beside if 0 < near < len(self.tokens) and self.tokens[near].kind is TokenKind.NUMBER}

    @property
    def run(self) -> range:
        """The first words, next to each other, that stand in the way."""
        start = self.unread[0] if self.unread else len(self.tokens)
        end = start
        while end in self.unread:
            end += 1
        return range(start, end)

    def not_among(self, columns: Sequence[ColumnRef]) -> str:
        """That columns have no such value, and which a single one has."""
        said = " ".join(self.tokens[place].text for place in self.run)
        names = [self.catalog.readable(column).lower() for column in columns]
        if len(set(names)) > 1:
            return sentences()["values_of"].format(said, listed(dict.fromkeys(map(plural, names)), "or"))
        values, name = sorted({text for column in columns for text in self.values[column]}), names[0]
        if len(values) > _MOST_NAMED:
            return sentences()["values_more"].format(said, name, plural(name), ", ".join(values[:_MOST_NAMED]))
        return sentences()["values"].format(said, name, plural(name), listed(values))

    def why(self) -> str | None:
        """What is missing: a link of two tables, dates, the name of a date; or the part of the question that is not
        read."""
        reason = self.given.reason
        said = range(len(self.tokens)) if reason == "no_join_path" else self.unread
        of_time = any(map(self._is_of_time, said))
        if self.given.tables and not self.given.choices and (of_time or reason in _OF_DATES):
            dates = [ref for name in self.given.tables for ref in self._dates(name)]
            if not dates or reason in _OF_DATES:
                tables = listed(map(self.catalog.readable, self.given.tables), "or")
                names = listed(dict.fromkeys(map(self.catalog.readable, dates)), "or")
                return sentences()["name_date" if dates else "no_dates"].format(names or tables)
        if reason == "no_join_path":
            return self._not_linked()
        if reason == "unclear_words" and not self.unread:
            return sentences()["whole"]
        if self.unread and reason in _UNREAD:
            return sentences()["unread" if reason == "unclear_words" else "unknown"].format(self._phrase())
        return None

    def _is_of_time(self, place: int) -> bool:
        token = self.tokens[place]
        is_day = day_of(token.text) is not None or year_of(token) is not None
        return is_day or "UNIT" in classes_of(token.low) or period_at(self.tokens, place) is not None

    def _not_linked(self) -> str | None:
        """That two tables are not linked, and over which columns they could be: those that are called alike."""
        tables = [one for one in self.catalog.facts.tables.values() if one.readable in self.given.words]
        named = [{c.words: c.readable for c in one.columns if c.ref != one.key and not c.is_measure} for one in tables]
        if len(named) != 2:
            return None
        both = [name for words, name in named[0].items() if words in named[1]][:_MOST_NAMED]
        names = [self.called(one.table.name) for one in tables]
        told = sentences()["apart"].format(names[0].capitalize(), names[1])
        if both:
            return f"{told} {sentences()['link'].format(listed(both))}"
        alone = (name for one, name in zip(tables, names, strict=True) if not self._neighbours(one.table.name))
        return next(map(sentences()["alone"].format, alone), told)

    def _neighbours(self, table: str) -> Sequence[str]:
        return self.catalog.facts.neighbours.get(table, ())

    def _dates(self, table: str) -> list[ColumnRef]:
        columns = (column.ref for column in self.catalog.table(table).columns)
        return [ref for ref in columns if self.catalog.kind(ref) == DATE or self.catalog.is_year(ref)]

    def _phrase(self) -> str:
        """The first words that stand in the way; known ones with what ties them to the others, and with that without
        which they say nothing: "per month", "no discount"."""
        run = self.run
        start, end = run.start, run.stop
        is_known = self.given.reason == "unclear_words"
        while is_known and 0 < start < end and classes_of(self.tokens[start - 1].low) & _BEFORE:
            start -= 1
        for following in self.tokens[end : end + _MOST_FOLLOWING] if is_known else ():
            if self.tokens[end - 1].low not in english().everywhere or following.low in english().being:
                break
            end += 1
        while end > run.stop and ties(self.tokens[end - 1]):
            end -= 1
        return " ".join(token.text for token in self.tokens[start:end])
