"""From text to a lattice of typed spans: every run of tokens with everything that it may mean, and its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.misspelling import mended
from askwell.question.periods import day_of, period_at, whole_day, year_of
from askwell.question.stems import Stems, stem, stems_of_word
from askwell.question.tokens import Token, TokenKind, plain_number
from askwell.question.words import MONTHS, NUMBER_WORDS
from askwell.semantic_parsing.catalog import DATE, FLAG, SYNONYM, WEAK, Catalog
from askwell.semantic_parsing.forms import Amount, Ref, Value
from askwell.sql.rules.lexicon import value_words
from askwell.sql.rules.words.fillers import FEMALE_WORDS, MALE_WORDS
from askwell.sql.world import BY_NAME

_SHORTEST_NAMED_FILLER = 5
LONGEST_NAME, LONGEST_VALUE, MOST_OPTIONS, MOST_TABLES, MOST_PEOPLE = 5, 7, 8, 3, 4
_LINKS = frozenset(
    {"TABLE", "COL", "VAL", "NUM", "STR", "PERSON", "YEAR", "PERIOD", "MONTH", "DATE", "TIMES", "UNIT", "SOMEBODY"}
)
# Operators that stand in longer names as well: the number of "phone number of".
_DOUBTED = frozenset({"COUNT", "AGGREGATE", "SUPERLATIVE", "ADJECTIVE", "COMMON", "TOP", "UNIT", "BUCKET", "LIKE"})
_DOUBTED |= {"COMPARE", "COMPARE_BY", "ORDER", "NOT", "SPENT", "HOW"}
_GLUE = frozenset(
    {"OF", "IN", "WITH", "RELATIVE", "BE", "AND", "COMMA", "POSSESSIVE", "ASK", "STOP", "EQUALS", "YEAR_IN"}
)
_GLUE |= {"BY", "SOMEBODY", "SOME"}
# What begins a question, and what says something about the model.
_ASKING = frozenset({"ASK", "COUNT", "SOMEBODY", "WHEN", "WHERE", "HOW", "SHARE"})
_SAYING = frozenset({"TABLE", "COL", "VAL", "NUM", "STR", "YEAR", "PERIOD", "DATE", "MONTH", "PERSON"})
# Evidence that is too weak to say so.
_LOOSE = frozenset({"table:3", "col:3", "val:common", "val:stem", "val:beginning", "val:ending"})
_RESTRICTING = frozenset({"VAL", "NOT", "COMPARE", "COMPARE_BY", "BETWEEN", "LIKE", "EMPTY", "OR_MORE", "EXACTLY"})
_VERB_ENDINGS = ("ed", "ing")


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


class Lattice:
    """The spans of one question by where they start, and what it costs to leave a token out."""

    def __init__(self, catalog: Catalog, tokens: Sequence[Token]) -> None:
        self.catalog = catalog
        self.tokens, self.fixes = mended(_without_end(tokens), catalog.spelled)
        self.size = len(self.tokens)
        self.spans: list[list[Span]] = [[] for _ in range(self.size + 1)]
        for start, token in enumerate(self.tokens):
            found = self._quoted(start) if token.kind is TokenKind.QUOTED else self._unquoted(start)
            self.spans[start] += found
        for start in range(self.size):
            self.spans[start] += self._second_looks(start)
        self._doubt_operators_in_names()
        idioms = [span for spans in self.spans for span in spans if span.category == "NOTHING"]
        self._idle = {place for span in idioms for place in range(span.start, span.end)}
        self.skips = [self._skip(place) for place in range(self.size)]
        self.signs = self._signs()
        self._free_what_frames()

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all tokens."""
        return frozenset(s for token in self.tokens for s in stems_of_word(token.low))

    def _unquoted(self, start: int) -> Iterator[Span]:
        yield from self._numbers(start)
        yield from self._phrases(start)
        yield from self._names(start)
        yield from self._coordinated(start)
        yield from self._values(start)

    # ------------------------------------------------------------ literals
    def _quoted(self, start: int) -> Iterator[Span]:
        text = self.tokens[start].text
        held = self.catalog.values.get(value_words(text), {})
        evidence = "val:quoted" if held else "val:unseen"
        yield Span(start, start + 1, "VAL", Value(tuple(held.items()), text), (evidence,))
        yield Span(start, start + 1, "STR", Value((), text))
        yield from self._people(start, start + 1, value_words(text))

    def _numbers(self, start: int) -> Iterator[Span]:
        token = self.tokens[start]
        period = period_at(self.tokens, start)
        if period is not None:
            yield Span(start, start + period[1], "PERIOD", period[0])
        month = MONTHS.get(token.low) if len(token.low) > 3 or token.text == "May" else None
        if month is not None and period is None:
            yield Span(start, start + 1, "MONTH", month)
        if token.kind is TokenKind.NUMBER:
            day = day_of(token.text) if "-" in token.text else None
            if day is not None:
                yield Span(start, start + 1, "DATE", whole_day(day))
            value = plain_number(token.text)
            if value is not None and "-" not in token.text:
                yield Span(start, start + 1, "NUM", Amount(value, token.text))
                if (year := year_of(token)) is not None and year >= 1500:
                    yield Span(start, start + 1, "YEAR", Amount(year, token.text))
        elif token.low in NUMBER_WORDS:
            yield Span(start, start + 1, "NUM", Amount(NUMBER_WORDS[token.low], token.low), ("num:word",))

    def _phrases(self, start: int) -> Iterator[Span]:
        lexicon = english()
        for end in range(start + 1, min(start + lexicon.longest, self.size) + 1):
            for category, meaning in lexicon.phrases.get(tuple(t.low for t in self.tokens[start:end]), ()):
                if category == "SOMEBODY":
                    people = self.catalog.people[:MOST_PEOPLE]
                    yield from (Span(start, end, category, table) for table in people)
                else:
                    yield Span(start, end, category, meaning)

    # ------------------------------------------------------------ names
    def _names(self, start: int) -> Iterator[Span]:
        if self.tokens[start].kind is TokenKind.MARK:
            return
        low = self.tokens[start].low
        for noun in english().events.get(low, ()):
            for target, level in self.catalog.words.get((noun,), {}).items():
                if isinstance(target, str) and level < WEAK:
                    yield Span(start, start + 1, "TABLE", target, ("table:event",))
        key: Stems = ()
        for end in range(start + 1, min(start + LONGEST_NAME, self.size) + 1):
            token = self.tokens[end - 1]
            if (
                token.kind is TokenKind.QUOTED
                or token.text == "'s"
                or (token.kind is TokenKind.MARK and token.text not in "&-/")
            ):
                break
            key += stems_of_word(token.low) if token.kind is not TokenKind.MARK else ()
            if token.kind is not TokenKind.MARK and (targets := self.catalog.words.get(key)):
                yield from self._named(start, end, targets)

    def _coordinated(self, start: int) -> Iterator[Span]:
        """ "first and last name", "start and end dates": two columns that share their last word."""
        words = [token.low for token in self.tokens[start : start + 4]]
        if len(words) < 4 or words[1] not in ("and", "&", "n"):
            return
        refs = []
        for word in (words[0], words[2]):
            targets = self.catalog.words.get((*stems_of_word(word), *stems_of_word(words[3])), {})
            named = sorted((level, c.table, c.column) for c, level in targets.items() if isinstance(c, ColumnRef))
            refs.append(Ref(tuple((ColumnRef(table, column), level) for level, table, column in named[:MOST_OPTIONS])))
        if all(ref.options for ref in refs):
            yield Span(start, start + 4, "COLS", tuple(refs))

    def _named(self, start: int, end: int, targets: Mapping[Any, int]) -> Iterator[Span]:
        tables = sorted((level, table) for table, level in targets.items() if isinstance(table, str))
        columns = sorted((level, ref.table, ref.column) for ref, level in targets.items() if isinstance(ref, ColumnRef))
        best = tables[0][0] if tables else SYNONYM + 1
        for level, table in tables[:MOST_TABLES]:
            if level <= best + 1:
                rivals = sum(other == level for other, _ in tables) > 1
                yield Span(start, end, "TABLE", table, (f"table:{level}", *["table:rival"] * rivals))
        if columns:
            options = tuple((ColumnRef(table, column), level) for level, table, column in columns[:MOST_OPTIONS])
            low = options[0][1]
            signs = [f"col:{low}"]
            signs += ["col:weak_verb"] * (low >= WEAK and self.tokens[start].low.endswith(_VERB_ENDINGS))
            signs += ["col:also_table"] * (best <= low)
            yield Span(start, end, "COL", Ref(options), tuple(signs))

    # ------------------------------------------------------------ values
    def _values(self, start: int) -> Iterator[Span]:
        for end in range(start + 1, min(start + LONGEST_VALUE, self.size) + 1):
            part = self.tokens[start:end]
            if part[-1].kind is TokenKind.QUOTED:
                break
            words = value_words(" ".join(t.text for t in part).replace(" 's", "'s"))
            if words and part[-1].kind is not TokenKind.MARK:
                yield from self._value(start, end, words)
            if len(part) == 2:
                yield from self._people(start, end, words)

    def _value(self, start: int, end: int, words: tuple[str, ...]) -> Iterator[Span]:
        part = self.tokens[start:end]
        if len(part) == 1 and part[0].kind is TokenKind.NUMBER:
            return
        sign, held = self._held(words, capital=part[0].text[:1].isupper() and (start > 0 or len(part) > 1))
        if not held:
            return
        lexicon = english()
        capital = part[0].text[:1].isupper() and (start > 0 or len(part) > 1)
        common = len(words) == 1 and (
            words[0] in lexicon.common_values or words[0] in lexicon.fillers or len(words[0]) < 2
        )
        if len(words) == 1 and words in lexicon.phrases and not part[0].text[:1].isupper():
            return
        short = words[0] in lexicon.fillers and (sign != "exact" or len(words[0]) < _SHORTEST_NAMED_FILLER)
        if common and (short or (len(words[0]) < 2 and not capital)):
            return
        signs = [f"val:{sign}", "val:capital" if capital else "val:plain"]
        signs += ["val:long"] * (len(words) > 1) + ["val:common"] * common
        if any(s.category in ("TABLE", "COL") and s.end == end for s in self.spans[start]) or self.catalog.words.get(
            tuple(s for word in words for s in stems_of_word(word))
        ):
            signs.append("val:also_name")
        yield Span(start, end, "VAL", Value(tuple(held.items()), " ".join(t.text for t in part)), tuple(signs))

    def _held(self, words: tuple[str, ...], *, capital: bool) -> tuple[str, Mapping[ColumnRef, str]]:
        """The columns that hold the words as a value, and how they do."""
        catalog, last = self.catalog, words[-1]
        if held := catalog.values.get(words):
            return "exact", held
        for ending in ("s", "es"):
            if (
                len(last) > 3
                and last.endswith(ending)
                and (held := catalog.values.get((*words[:-1], last.removesuffix(ending))))
            ):
                return "plural", held
        if len(words) == 1:
            if held := self._gender(last):
                return "gender", held
            if last not in english().verbs and (held := catalog.value_stems.get(stem(last))):
                return "stem", held
        if held := self._otherwise(" ".join(words).removeprefix("the ")):
            return "alias", held
        if len(words) == 1 and not capital and words not in catalog.words and (held := catalog.endings.get(last)):
            return "ending", held
        if capital and len(words[0]) > 2 and last not in english().fillers and (held := catalog.beginnings.get(words)):
            return "beginning", held
        return "", {}

    def _otherwise(self, name: str) -> Mapping[ColumnRef, str]:
        """Values that mean the same: Germany for "german"; codes only in columns that are called like what they are."""
        found: dict[ColumnRef, str] = {}
        for meaning in BY_NAME.get(name, ()):
            told = {stem(word) for word in meaning.told_by}
            for other in meaning.names:
                found |= self.catalog.values.get(value_words(other), {})
            for code in meaning.codes if not found else ():
                held = self.catalog.values.get(value_words(code), {})
                found |= {ref: text for ref, text in held.items() if told & set(self.catalog.column(ref).words)}
        return found

    def _gender(self, word: str) -> Mapping[ColumnRef, str]:
        letters = ("m", "male") if word in MALE_WORDS else ("f", "female") if word in FEMALE_WORDS else ()
        return {ref: value for ref, seen in self.catalog.genders.items() for value in seen if value.lower() in letters}

    def _people(self, start: int, end: int, words: tuple[str, ...]) -> Iterator[Span]:
        """A first and a last name that two columns of one table hold."""
        for split in range(1, len(words)):
            firsts, lasts = (self.catalog.values.get(part, {}) for part in (words[:split], words[split:]))
            for table in self.catalog.facts.tables.values():
                if table.person is not None and table.person[0] in firsts and table.person[1] in lasts:
                    pair = zip(table.person, (firsts, lasts), strict=True)
                    names = tuple(Value(((ref, held[ref]),), held[ref]) for ref, held in pair)
                    yield Span(start, end, "PERSON", names, ("val:person",))

    # ------------------------------------------------------------ what depends on the neighbours
    def _second_looks(self, start: int) -> Iterator[Span]:
        for span in self.spans[start]:
            follows = span.end < self.size
            if span.category == "LIKE" and follows and self.tokens[span.end].kind is TokenKind.WORD:
                text = self.tokens[span.end].text  # "the letter a"
                self.spans[span.end].append(Span(span.end, span.end + 1, "STR", Value((), text), ("str:bare",)))
            if span.category == "EACH" and not any(
                s.category in ("TABLE", "COL", "UNIT", "DISTINCT") for s in self.spans[span.end]
            ):
                yield Span(span.start, span.end, "EACH_ONE", "each")  # "how many does each have?"

    def _doubt_operators_in_names(self) -> None:
        linked = ("COL", "VAL", "TABLE")
        names = [s for spans in self.spans for s in spans if s.category in linked and s.end - s.start > 1]
        for spans in self.spans:
            for place, span in enumerate(spans):
                if span.category in _DOUBTED and any(_inside(span, name) for name in names):
                    evidence = (*span.evidence, "phrase:inside")
                    spans[place] = Span(span.start, span.end, span.category, span.meaning, evidence)

    def _signs(self) -> tuple[str, ...]:
        """Features of the whole question: what was put right, and that it asks whether something is so of all."""
        lexicon = english()
        lows = [token.low for token in self.tokens]
        whether_all = bool(lows) and lows[0] in lexicon.auxiliaries and not lexicon.universals.isdisjoint(lows)
        return (*["spell:fixed"] * len(self.fixes), *["question:whether_all"] * whether_all)

    # ------------------------------------------------------------ what may be left out
    def _free_what_frames(self) -> None:
        """What is said before a question and after it ("hey, my boss wants to know …, can you pull that up?") restricts
        nothing, where none of its words is one of the model, a number or a name."""
        linked = [self._is_linked(place) for place in range(self.size)]
        if True not in linked:
            return
        first, last = linked.index(True), self.size - 1 - linked[::-1].index(True)
        asking = [p for p in range(first + 1) if any(s.category in _ASKING for s in self.spans[p])]
        opening = range(asking[-1]) if asking and asking[-1] > 0 else range(0)
        ends = [p for p in range(last + 1, self.size) if self.tokens[p].kind is TokenKind.MARK]
        for name, frame in (("opening", opening), ("closing", range(ends[0], self.size) if ends else range(0))):
            chatty = name == "opening" or any(self.tokens[place].low in english().chat for place in frame)
            if chatty and not any(self._is_name(place) or self._restricts(place) for place in frame):
                for place in frame:
                    if not self.skips[place].free:
                        self.skips[place] = Skip((name,))

    @property
    def is_about_the_model(self) -> bool:
        """Whether any word says something about the model."""
        return any(self._is_linked(place) for place in range(self.size))

    def _is_linked(self, place: int) -> bool:
        """Whether a token says something about the model."""
        return any(
            span.category in _SAYING and not any(sign in _LOOSE for sign in span.evidence)
            for start in range(max(0, place - LONGEST_VALUE), place + 1)
            for span in self.spans[start]
            if span.start <= place < span.end
        )

    def _is_name(self, place: int) -> bool:
        """Whether a token is written like a name, and not only because a sentence begins with it."""
        begins = place == 0 or self.tokens[place - 1].text in ".?!:"
        capital = self.tokens[place].text[:1].isupper() and self.tokens[place].text != "I"
        return (capital and not begins) or self.tokens[place].kind in (TokenKind.NUMBER, TokenKind.QUOTED)

    def _says_when_or_whether(self, spans: Sequence[Span]) -> bool:
        """Whether a verb is a value, or the name of a date or of a flag: "how many orders were shipped"."""
        refs = [ref for span in spans if span.category == "COL" for ref, _ in span.meaning.options]
        told = any(self.catalog.kind(ref) in (DATE, FLAG) for ref in refs)
        return told or any("val:exact" in span.evidence for span in spans)

    def _restricts(self, place: int) -> bool:
        """Whether a token may say which rows are meant, however loosely: "except for cancelled ones, how many …"."""
        return any(span.category in _RESTRICTING for span in self.spans[place])

    def _is_country(self, place: int) -> bool:
        """Whether "us" stands where a country would, in a model that has it: "shops from us"."""
        before = self.tokens[place - 1].low if place > 1 else ""
        named = any(s.category == "TABLE" and "table:event" not in s.evidence for s in self.spans[place - 2])
        said = english().doubtful.get(self.tokens[place].low, ())
        return before in ("in", "from") and named and any(value_words(name) in self.catalog.values for name in said)

    def _skip(self, place: int) -> Skip:
        """What leaving the token out means."""
        token, lexicon = self.tokens[place], english()
        spans = [s for s in self.spans[place] if s.end == place + 1]
        classes = {s.category for s in spans}
        if token.low in lexicon.doubtful and self._is_country(place):
            return Skip(("plain_value",))
        if place in self._idle:
            return Skip(("idiom",))
        if token.kind is TokenKind.WORD and token.low in lexicon.fillers:
            return _skipped_filler(spans)
        if token.kind is TokenKind.MARK and not classes - _GLUE:
            return Skip(("filler",), free=True)
        if classes & _GLUE:
            return Skip(("glue",))
        if token.kind in (TokenKind.NUMBER, TokenKind.QUOTED):
            return Skip(("literal",))
        if operators := sorted(classes - _LINKS):
            return Skip(("operator", *(f"operator:{name}" for name in operators)))
        if token.low in lexicon.verbs:
            return Skip(("column",)) if self._says_when_or_whether(spans) else Skip(("verb",))
        if "VAL" in classes:
            return Skip(("value" if token.text[:1].isupper() else "plain_value",))
        for kind, category in (("table", "TABLE"), ("column", "COL")):
            if category in classes:
                return Skip((kind, min(e for s in spans if s.category == category for e in s.evidence)))
        if token.text[:1].isupper() and place > 0:
            return Skip(("proper",))
        return Skip(("verblike" if token.low.endswith(_VERB_ENDINGS) else "unknown",))


def _skipped_filler(spans: Sequence[Span]) -> Skip:
    """What a word that mostly says nothing means where it names something: "available rooms" beside `available_yn`."""
    signs = {sign for span in spans for sign in span.evidence}
    if "val:exact" in signs:
        return Skip(("plain_value",))
    if signs & {"col:0", "col:1", "col:2"}:
        return Skip(("column",))
    return Skip(("named_filler",)) if "table:0" in signs else Skip(("filler",), free=True)


def _inside(span: Span, name: Span) -> bool:
    return name.start <= span.start < name.end and not (span.start == name.start and span.end >= name.end)


def _without_end(tokens: Sequence[Token]) -> tuple[Token, ...]:
    end = len(tokens)
    while end and tokens[end - 1].text in "?.!;,:":
        end -= 1
    return tuple(tokens[:end])
