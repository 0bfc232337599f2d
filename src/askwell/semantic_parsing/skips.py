"""Words that a reading may leave out, and what each costs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from askwell.question.lexicon import STANDING, english
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import stem
from askwell.semantic_parsing.model.catalog import DATE, FLAG, Catalog
from askwell.semantic_parsing.model.names import value_words

# Words that a value may have.
LONGEST_VALUE = 7
# Operators whose words may as well be what something has become: paid.
ALSO_A_STATE = frozenset({"SPENT"})
# What stands for a table.
NAMING = frozenset({"TABLE", "SOMEBODY"})


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `start` to `end` (not included) as one thing of a category; `evidence` names what speaks for the link."""

    start: int
    end: int
    category: str
    meaning: Any
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skip:
    """What leaving a token out means: `kinds` are features, the first is the coarse one; `free` costs nothing."""

    kinds: tuple[str, ...]
    free: bool = False


_LINKS = frozenset({"TABLE", "COL", "DONE", "UNDONE", "VAL", "NUM", "STR", "PERSON", "YEAR", "PERIOD", "MONTH", "DATE"})
_LINKS |= {"TIMES", "UNIT", "SOMEBODY", "DATED"}
_GLUE = frozenset({"OF", "IN", "WITH", "HAVE", "RELATIVE", "BE", "AND", "COMMA", "POSSESSIVE", "ASK", "STOP", "EQUALS"})
_GLUE |= {"YEAR_IN", "SOMEBODY", "SOME"}
# What begins a question; what is called so in the model, and all that says something about it.
_ASKING = frozenset({"ASK", "COUNT", "SOMEBODY", "WHEN", "WHERE", "HOW", "SHARE"})
NAMES = frozenset({"TABLE", "COL", "DONE", "UNDONE"})
_SAYING = NAMES | {"VAL", "NUM", "STR", "YEAR", "PERIOD", "DATE", "MONTH", "PERSON"}
# Evidence that is too weak to say so.
_LOOSE = frozenset({"table:3", "col:3", "val:common", "val:stem", "val:beginning", "val:ending"})
_RESTRICTING = frozenset({"VAL", "NOT", "COMPARE", "COMPARE_BY", "BETWEEN", "LIKE", "EMPTY", "OR_MORE", "EXACTLY"})
_NEVER_IDLE = frozenset({"BELOW", "ABOVE", "STOCKED", "STAR", "STATE", "ALL_OF", "KIND"})
# What "only" stands before where it says how few are shown.
_FEW = frozenset({"NUM", "TOP", "ADJECTIVE", "SUPERLATIVE", "COMMON", "NEW"})
# What stands before rows of a kind, and no verb.
_BEFORE_ROWS = frozenset({"ASK", "EACH", "ADJECTIVE", "SUPERLATIVE", "NUM"})
# What says of rows how many they are, and which ones.
_HOW_MANY = frozenset({"NUM", "COMPARE", "SUPERLATIVE", "EXACTLY"})
_WHICH = frozenset({"VAL", "STR", "PERSON", "EQUALS", "RELATIVE", "WITH", "HAVE", "ID"})
# Letters that the verb and the noun of one family share.
_SHORTEST_ROOT = 4
# Of a word that is called like several things the first of these counts.
_NAMED = (("table", "TABLE"), ("column", "COL"), ("column", "DONE"), ("column", "UNDONE"))
Spans = Sequence[Sequence[Span]]


def skips_of(catalog: Catalog, tokens: Sequence[Token], spans: Spans) -> list[Skip]:
    """What leaving each token out means, given all spans by where they start."""
    return _Skipping(catalog, tokens, spans).skips()


def says_something(span: Span) -> bool:
    """Whether it says something about the model."""
    return span.category in _SAYING and not any(sign in _LOOSE for sign in span.evidence)


class _Skipping:
    def __init__(self, catalog: Catalog, tokens: Sequence[Token], spans: Spans) -> None:
        self.catalog, self.tokens, self.spans = catalog, tokens, spans
        self.size = len(tokens)
        idioms = [span for found in spans for span in found if span.category == "NOTHING"]
        self._idle = {place for span in idioms for place in range(span.start, span.end)}

    def skips(self) -> list[Skip]:
        found = [self._skip(place) for place in range(self.size)]
        for name, frame in self._frames():
            for place in frame:
                if not found[place].free:
                    found[place] = Skip((name,))
        return found

    def _skip(self, place: int) -> Skip:
        """What leaving the token out means."""
        spans = [s for s in self.spans[place] if s.end == place + 1]
        return self._as_a_turn(place, spans) or self._as_glue(place, spans) or self._as_a_word(place, spans)

    def _as_a_turn(self, place: int, spans: Sequence[Span]) -> Skip | None:
        """What the token is by what stands around it, whatever it may be called."""
        token, lexicon = self.tokens[place], english()
        if token.low in lexicon.doubtful and self._is_country(place):
            return Skip(("plain_value",))
        if any(span.category in _NEVER_IDLE for span in self.spans[place]):
            return Skip(("operator",))
        if any(span.category in STANDING for span in self.spans[place]) and place not in self._idle:
            return Skip(("unknown",))
        if any("state" in span.evidence for span in self.spans[place]):
            return Skip(("column",))
        if token.low in lexicon.whatever and self._is_done(place + 1):
            return Skip(("filler",), free=True)
        if place and self._is_unsaid(place):
            return Skip(("unknown",))  # "where was it and when", "and for what?"
        if place in self._idle or (place and token.low in lexicon.units and self._is_number(place - 1)):
            return Skip(("idiom",))
        if token.low in lexicon.personal and any(s.category == "TABLE" for s in self.spans[place + 1]):
            return Skip(("unknown",))  # nobody knows whose "my bike" is
        if any(s.category == "ONLY" for s in spans) and not self._is_idle_only(place):
            return Skip(("unknown",))  # "who have only closed tickets" have no others
        if token.kind is TokenKind.WORD and token.low in lexicon.fillers:
            return _skipped_filler(spans)
        if place and any(s.category == "POSSESSIVE" for s in spans) and self._is_kind_of_row(place - 1):
            return Skip(("unknown",))  # "which buyer's bookings" asks for the buyer
        return None

    def _is_done(self, place: int) -> bool:
        """Whether a verb follows that says by which rows it was done: "everything we delivered"."""
        idle = english().fillers | english().being
        while place < self.size and (self.tokens[place].low in idle or self._is_a(place, "RELATIVE")):
            place += 1
        return any({"table:event", "table:verb"} & set(s.evidence) for s in self.spans[place])

    def _ends_a_clause(self, place: int, passed: Collection[str] = ()) -> bool:
        """Whether nothing stands there before the next clause but "was it", or words to be `passed`."""
        idle = english().fillers | english().being | set(passed)
        while place < self.size and self.tokens[place].low in idle:
            place += 1
        return place == self.size or any(s.category in ("AND", "COMMA", "STOP") for s in self.spans[place])

    def _is_unsaid(self, place: int) -> bool:
        """Whether a "when" stands alone, or a "what" with nothing but a verb: "the target and what we got"."""
        if any(s.end == place + 1 and s.category in ("WHEN", "WHERE") for s in self.spans[place]):
            return self._ends_a_clause(place + 1)
        joined = self._is_a(place - 1, "AND") or self._is_a(place - 1, "COMMA")
        ends = self._ends_a_clause(place + 1, english().verbs if joined else ())
        return ends and self.tokens[place].low in english().unsaid and not self._is_a(place - 1, "BE")

    def _is_a(self, place: int, category: str) -> bool:
        return any(s.category == category for s in self.spans[place])

    def _is_idle_only(self, place: int) -> bool:
        """Whether "only" leaves nothing out: before all that is asked about, before a number, or after the rows."""
        following = place + 1
        while following < self.size and self.tokens[following].low in english().determiners:
            following += 1
        begins = not any(_is_linked(self.spans, before) for before in range(place))
        ends = following == self.size and self._names_a_table(place)
        return begins or ends or any(s.category in _FEW for s in self.spans[following])

    def _is_number(self, place: int) -> bool:
        return self.tokens[place].kind is TokenKind.NUMBER

    def _as_glue(self, place: int, spans: Sequence[Span]) -> Skip | None:
        """What the token is where it ties others together."""
        classes = {s.category for s in spans}
        if self.tokens[place].kind is TokenKind.MARK and not classes - _GLUE:
            return Skip(("filler",), free=True)
        if "AND" in classes and place and self._names_rows(place - 1, place + 1):
            return Skip(("and_table",))
        if "ASK" in classes and place and classes & {"COL", "FULL_NAME"}:
            return Skip(("column",))
        if classes & _GLUE:
            return Skip(("with",) if "WITH" in classes else ("glue",))
        return None

    def _as_a_word(self, place: int, spans: Sequence[Span]) -> Skip:
        """What the token is by what it is called."""
        token, lexicon = self.tokens[place], english()
        classes, is_capital = {s.category for s in spans}, token.text[:1].isupper()
        if token.kind in (TokenKind.NUMBER, TokenKind.QUOTED):
            return Skip(("literal",))
        if classes == ALSO_A_STATE and token.low in lexicon.support:
            return Skip(("verb",))
        if "BY" in classes and self._names_who_did(place):
            return Skip(("glue",))
        if operators := sorted(classes - _LINKS):
            return Skip(("operator", *(f"operator:{name}" for name in operators)))
        is_verb = token.low in lexicon.verbs and token.low not in self.catalog.written_tables
        if is_verb and not (place and self._is_noun(place, spans)):
            return self._as_a_verb(place, spans)
        if "VAL" in classes:
            return Skip(("value" if is_capital else "plain_value",))
        for kind, category in _NAMED:
            if category in classes:
                return Skip((kind, min(e for s in spans if s.category == category for e in s.evidence)))
        if is_capital and place > 0:
            return Skip(("proper",))
        is_done = any(s.category == "BY" for s in self.spans[place + 1]) and self._names_who_did(place + 1)
        if is_done or self._is_deed_of_what_is_named(place):
            return Skip(("verb",))
        return Skip(("verblike" if token.low.endswith(lexicon.verb_endings) else "unknown",))

    def _names_who_did(self, place: int) -> bool:
        """Whether "by" stands between what was done and rows that did it, of which more is said: "bought by more than
        two customers", "taught by the tutor called Ann". "Ordered by customer" groups."""
        before = self.tokens[place - 1].low if place else ""
        phrase = any(s.end > place for start in range(max(0, place - 2), place) for s in self.spans[start])
        if phrase or not (before in english().verbs or before.endswith(english().past_endings)):
            return False
        rows = (p for p in range(place + 1, self.size) if any(s.category == "TABLE" for s in self.spans[p]))
        first = next(rows, self.size)
        said = {s.category for p in range(place + 1, first) for s in self.spans[p]}
        after = {s.category for named in self.spans[first] if named.category == "TABLE" for s in self.spans[named.end]}
        return first < self.size and not said & _SAYING - {"NUM"} and bool(said & _HOW_MANY or after & _WHICH)

    def _is_deed_of_what_is_named(self, place: int) -> bool:
        """Whether a word is the verb of a noun that is named as well: "climbed", beside climbers."""
        root = stem(self.tokens[place].low)
        others = (p for p in range(self.size) if p != place and stem(self.tokens[p].low).startswith(root))
        return len(root) >= _SHORTEST_ROOT and any(
            s.category in ("TABLE", "COL") for p in others for s in self.spans[p]
        )

    def _as_a_verb(self, place: int, spans: Sequence[Span]) -> Skip:
        if self._qualifies(place):
            return Skip(("unknown",))
        named = any(s.category == "COL" and s.evidence[:1] == ("col:0",) for s in spans)
        return Skip(("column",)) if named or self._says_when_or_whether(spans) else Skip(("verb",))

    def _is_noun(self, place: int, spans: Sequence[Span]) -> bool:
        """Whether a word that may be a verb is rows by what stands before it: "which play earned the most"."""
        named = any(s.category == "TABLE" and s.evidence[:1] == ("table:0",) for s in spans)
        before = {s.category for s in self.spans[place - 1] if s.end == place}
        return named and (bool(before & _BEFORE_ROWS) or self.tokens[place - 1].low in english().determiners)

    def _frames(self) -> list[tuple[str, range]]:
        """What is said before a question and after it ("hey, my boss wants to know …, can you pull that up?"), which
        restricts nothing where none of its words is one of the model, a number or a name."""
        linked = [_is_linked(self.spans, place) for place in range(self.size)]
        if True not in linked:
            return []
        first, last = linked.index(True), self.size - 1 - linked[::-1].index(True)
        asking = [p for p in range(first + 1) if any(s.category in _ASKING for s in self.spans[p])]
        opening = range(asking[-1]) if asking and asking[-1] > 0 else range(0)
        ends = [p for p in range(last + 1, self.size) if self.tokens[p].kind is TokenKind.MARK]
        closing = range(ends[0], self.size) if ends else range(0)
        return [(name, frame) for name, frame in (("opening", opening), ("closing", closing)) if self._is_chat(frame)]

    def _is_chat(self, frame: range) -> bool:
        apart = bool(frame) and self.tokens[frame[-1]].kind is TokenKind.MARK
        chatty = apart or any(self.tokens[place].low in english().chat for place in frame)
        return chatty and not any(self._is_name(place) or self._restricts(place) for place in frame)

    def _is_name(self, place: int) -> bool:
        """Whether a token is written like a name, and not only because a sentence begins with it."""
        begins = place == 0 or self.tokens[place - 1].text in ".?!:"
        capital = self.tokens[place].text[:1].isupper() and self.tokens[place].text != "I"
        return (capital and not begins) or self.tokens[place].kind in (TokenKind.NUMBER, TokenKind.QUOTED)

    def _says_when_or_whether(self, spans: Sequence[Span]) -> bool:
        """Whether a verb is a value, or the name of a date or of a flag: "how many orders were shipped"."""
        named = [s for s in spans if s.category == "COL" and "col:event" not in s.evidence]  # not "to deliver an order"
        refs = [ref for span in named for ref, _ in span.meaning.options]
        told = any(self.catalog.kind(ref) in (DATE, FLAG) or self.catalog.column(ref).self_reference for ref in refs)
        return told or any("val:exact" in span.evidence for span in spans)

    def _restricts(self, place: int) -> bool:
        """Whether a token may say which rows are meant, however loosely: "except for cancelled ones, how many …"."""
        return any(span.category in _RESTRICTING for span in self.spans[place])

    def _is_country(self, place: int) -> bool:
        """Whether "us" stands where a country would, in a model that has it: "shops from us"."""
        before = self.tokens[place - 1].low if place > 1 else ""
        named = any(s.category == "TABLE" and "table:event" not in s.evidence for s in self.spans[place - 2])
        said = english().doubtful.get(self.tokens[place].low, ())
        return before in english().places and named and any(value_words(name) in self.catalog.values for name in said)

    def _qualifies(self, place: int) -> bool:
        """Whether a word that may be a verb stands before a noun as a part of its name: "the average order value"."""
        low = self.tokens[place].low
        if low.endswith(english().verb_endings) or not any(s.category == "COL" for s in self.spans[place + 1]):
            return False
        before = {s.category for start in range(place) for s in self.spans[start] if s.end == place}
        determined = place > 0 and self.tokens[place - 1].low in english().determiners
        return determined or bool(before & {"AGGREGATE", "SUPERLATIVE"})

    def _is_kind_of_row(self, place: int) -> bool:
        """Whether a plain word is a value and no table: buyers, among guests."""
        spans = [s for s in self.spans[place] if s.end == place + 1]
        return any("val:plain" in s.evidence for s in spans) and not any(s.category == "TABLE" for s in spans)

    def _names_rows(self, before: int, after: int) -> bool:
        """Whether the name of a table ends at the one place, and one more name begins at the other: "guests and
        bookings"."""
        return self._names_a_table(before + 1) and any(s.category in ("TABLE", "COL") for s in self.spans[after])

    def _names_a_table(self, end: int) -> bool:
        """Whether the name of a table ends there."""
        return any(s.category == "TABLE" and s.end == end for start in range(end) for s in self.spans[start])


def _is_linked(spans: Spans, place: int) -> bool:
    """Whether a token says something about the model."""
    return any(
        says_something(span)
        for start in range(max(0, place - LONGEST_VALUE), place + 1)
        for span in spans[start]
        if span.start <= place < span.end
    )


def _skipped_filler(spans: Sequence[Span]) -> Skip:
    """What a word that mostly says nothing means where it names something: "available rooms" beside `available_yn`."""
    signs = {sign for span in spans for sign in span.evidence}
    if "val:exact" in signs:
        return Skip(("plain_value",))
    if signs & {"col:0", "col:1", "col:2"}:
        return Skip(("column",))
    return Skip(("named_filler",)) if "table:0" in signs else Skip(("filler",), free=True)
