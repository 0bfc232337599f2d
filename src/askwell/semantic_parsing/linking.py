"""What runs of a question's tokens may mean: numbers, phrases of English, names and values of the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import STANDING, english
from askwell.question.periods import SURELY_YEARS, ago_at, day_of, period_at, whole_day, year_of
from askwell.question.tokens import Token, TokenKind, plain_number
from askwell.question.words import (
    ANY_OF_THEM,
    MONTHS,
    NUMBER_WORDS,
    PARTS_OF_A_DAY,
    SHIFTS,
    WEEKDAYS,
    Stems,
    is_superlative,
    plain_english,
    singulars,
    stem,
    stems_of_word,
)
from askwell.semantic_parsing.forms import Amount, Clock, Duration, Metric, Ref, Value
from askwell.semantic_parsing.model.catalog import DATE, EXACT, FLAG, SYNONYM, TRIMMED, WEAK, Catalog, Target
from askwell.semantic_parsing.model.names import value_words
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.semantic_parsing.skips import ALSO_A_STATE, LONGEST_VALUE, Span
from askwell.sql.world import BY_NAME

_SHORTEST_NAMED_FILLER, _SHORTEST_ROOT = 5, 3
LONGEST_NAME, MOST_OPTIONS, MOST_TABLES, MOST_PEOPLE = 5, 8, 3, 4
# The evidence of words that somebody has said the meaning of.
TAUGHT = "taught"
# What words mean beside the names of the model, by their stems.
Names = Mapping[Stems, Target | Metric | Value]
# The largest number that every database holds.
_LARGEST = 2**63 - 1


class Linker:
    """Links the tokens of one question to what they may mean."""

    def __init__(self, catalog: Catalog, tokens: Sequence[Token], taught: Names) -> None:
        """`taught` are words with what they mean, whatever the model has that may be called so."""
        self.catalog, self.tokens, self.size = catalog, tokens, len(tokens)
        self._taught = taught

    def spans(self, start: int) -> list[Span]:
        """Everything that runs of tokens beginning at `start` may mean, whatever stands around them."""
        if self.tokens[start].kind is TokenKind.QUOTED:
            return list(self._quoted(start))
        if coordinated := list(self._coordinated(start)):
            return coordinated  # "first" ranks nothing there
        named = [*self._names(start), *self._deed(start)]
        return [*self._numbers(start), *self._phrases(start), *named, *self._values(start, named)]

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
        if (ago := ago_at(self.tokens, start)) is not None:
            yield Span(start, start + ago[1], "AGO", ago[0])
        month = MONTHS.get(token.low) if len(token.low) > 3 or token.text == "May" else None
        if month is not None and period is None:
            yield Span(start, start + 1, "MONTH", month)
        yield from self._days(start)
        if token.kind is TokenKind.NUMBER:
            day = day_of(token.text) if "-" in token.text else None
            if day is not None:
                yield Span(start, start + 1, "DATE", whole_day(day))
            value = plain_number(token.text)
            if value is not None and "-" not in token.text and abs(value) <= _LARGEST:
                yield Span(start, start + 1, "NUM", Amount(value, token.text))
                yield from self._times(start, value)
                if (year := year_of(token)) is not None and year in SURELY_YEARS:
                    yield Span(start, start + 1, "YEAR", Amount(year, token.text))
        elif token.low[:1] == "p" and token.low[1:].isdigit() and 0 < int(token.low[1:]) < 100:
            yield Span(start, start + 1, "AGGREGATE", token.low)
        elif token.low[2:3] == ":":
            yield Span(start, start + 1, "CLOCK", Clock(token.low))
        elif token.low in NUMBER_WORDS:
            yield Span(start, start + 1, "NUM", Amount(NUMBER_WORDS[token.low], token.low), ("num:word",))

    def _days(self, start: int) -> Iterator[Span]:
        """ "saturdays", "on a friday", "saturday nights", "in the evenings": of any week."""
        low, before = self.tokens[start].low, self.tokens[start - 1].low if start else ""
        end = start + 1 + (self.size > start + 1 and self.tokens[start + 1].low.removesuffix("s") in PARTS_OF_A_DAY)
        is_any = before in ANY_OF_THEM or self.tokens[end - 1].low.endswith("s")
        days, hours = (known.get(low.removesuffix("s")) for known in (WEEKDAYS, PARTS_OF_A_DAY))
        if days is not None and is_any and before not in SHIFTS and (low,) not in self.catalog.values:
            part = self.tokens[end - 1].low.removesuffix("s") if end > start + 1 else ""
            yield Span(start, end, "DAYS", (tuple(days), tuple(PARTS_OF_A_DAY.get(part, ()))))
        elif hours is not None and (before == "the" or is_any) and (low,) not in self.catalog.values:
            yield Span(start, start + 1, "DAYS", ((), tuple(hours)))

    def _times(self, start: int, value: int | float) -> Iterator[Span]:
        """ "2 hours"."""
        unit = self.tokens[start + 1].low if start + 1 < self.size else ""
        if (milliseconds := word_forms().milliseconds.get(unit)) is not None:
            text = f"{self.tokens[start].text} {unit}"
            yield Span(start, start + 2, "NUM", Amount(Duration(value * milliseconds), text), ("num:time",))

    def _phrases(self, start: int) -> Iterator[Span]:
        lexicon = english()
        if self._is_unit(start):
            yield Span(start, start + 2, "NOTHING", "nothing")
        for end in range(start + 1, min(start + lexicon.longest, self.size) + 1):
            for category, meaning in lexicon.phrases.get(tuple(t.low for t in self.tokens[start:end]), ()):
                if category == "SOMEBODY":
                    people = self._those_who(end) or self.catalog.people[:MOST_PEOPLE]
                    yield from (Span(start, end, category, table) for table in people)
                elif category != "SPENT" or not self._is_of_most_rows(end):
                    yield Span(start, end, category, meaning)

    def _is_of_most_rows(self, place: int) -> bool:
        """Whether "the most" follows, and rows: who "made the most bookings" made them, and no money."""
        words = [token.low for token in self.tokens[place : place + 4] if token.low not in english().determiners]
        most = len(words) > 1 and any(kind == "SUPERLATIVE" for kind, _ in english().phrases.get((words[0],), ()))
        key = stems_of_word(words[1]) if most else ()
        named = (target for target, level in self.catalog.words.get(key, {}).items() if level < WEAK)
        return any(isinstance(target, str) for target in (*named, self._taught.get(key)))

    def _those_who(self, place: int) -> list[str]:
        """The tables that are called by what is done: trainers, where "who trained Rex" is asked, or "who taught"."""
        root = stem(self.tokens[place].low) if place < self.size else ""
        doers = ((name, table.words[-1]) for name, table in self.catalog.facts.tables.items())
        known = english().doers.get(root, ())
        return [n for n, doer in doers if doer in known or (len(root) >= _SHORTEST_ROOT and doer[:-2] == root)]

    def _is_unit(self, start: int) -> bool:
        """Whether "in hours" says how a time between two dates is to be shown."""
        unit = self.tokens[start + 1].low if start + 1 < self.size else ""
        ties = {category for category, _ in english().phrases.get((self.tokens[start].low,), ())}
        return unit in word_forms().milliseconds and "IN" in ties and self.catalog.computes_times

    # ------------------------------------------------------------ names
    def _names(self, start: int) -> Iterator[Span]:
        if self.tokens[start].kind is TokenKind.MARK:
            return
        low = self.tokens[start].low
        for noun in english().events.get(stem(low), ()):
            if (noun,) == stems_of_word(low):
                continue  # the noun itself
            recorded = self.catalog.words.get((noun,), {})
            yield from (
                Span(start, start + 1, "TABLE", target, ("table:event",))
                for target, level in recorded.items()
                if isinstance(target, str) and level < WEAK
            )
            dates = tuple(one for one in _best(recorded) if self.catalog.kind(one[0]) == DATE)
            if dates:  # "delivered", beside a `delivery_date`
                past = low.endswith(english().past_endings)
                yield Span(start, start + 1, "COL", Ref(dates), (f"col:{WEAK}", *["col:event"] * (not past)))
                yield from self._done(start, start + 1, dates) if past else ()
        yield from self._undone(start)
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
            if token.kind is TokenKind.MARK:
                continue
            if (meant := self._taught.get(key)) is not None:
                yield self._by_teaching(start, end, meant)
                continue
            if (metric := self.catalog.metrics.get(key)) is not None:
                yield Span(start, end, "METRIC", metric)
            if called := self.catalog.words.get(key):
                yield from self._named(start, end, called)

    def _by_teaching(self, start: int, end: int, target: Target | Metric | Value) -> Span:
        said = self.tokens[end - 1].low
        match target:
            case str():
                return Span(start, end, "TABLE", target, ("table:0", TAUGHT))
            case Metric():
                return Span(start, end, "METRIC", target, (TAUGHT,))
            case Value():
                return Span(start, end, "VAL", target, ("val:exact", TAUGHT))
            case _:
                ranks = end == start + 1 and is_superlative(said)
                return Span(start, end, "RANKED" if ranks else "COL", Ref(((target, EXACT),)), ("col:0", TAUGHT))

    def _coordinated(self, start: int) -> Iterator[Span]:
        """ "first and last name", "start and end dates": two columns that share their last word."""
        words = [token.low for token in self.tokens[start : start + 4]]
        if len(words) < 4 or words[1] not in english().joining:
            return
        refs = []
        for word in (words[0], words[2]):
            targets = self.catalog.words.get((*stems_of_word(word), *stems_of_word(words[3])), {})
            refs.append(Ref(_best(targets)[:MOST_OPTIONS]))
        if all(ref.options for ref in refs):
            yield Span(start, start + 4, "COLS", tuple(refs))

    def _named(self, start: int, end: int, targets: Mapping[Any, int]) -> Iterator[Span]:
        low = self.tokens[start].low
        follows = self.tokens[end].low if end < self.size else ""
        if end == start + 1 and low in english().name_parts and follows not in english().listing:
            return  # "what did she buy last?" asks for no last name
        if end == start + 1 and any(category == "BUCKET" for category, _ in english().phrases.get((low,), ())):
            return  # "monthly" is no month
        tables = sorted((level, table) for table, level in targets.items() if isinstance(table, str))
        columns = _best(targets)
        if columns and columns[0][1] <= TRIMMED:  # what is called so is meant before what an everyday word stands for
            columns = tuple(one for one in columns if one[1] < SYNONYM)
        best = tables[0][0] if tables else SYNONYM + 1
        for level, table in tables[:MOST_TABLES]:
            if level <= best + 1:
                rivals = sum(other == level for other, _ in tables) > 1
                verb = end == start + 1 and low.endswith(english().past_endings)
                verb = verb and low not in self.catalog.table(table).readable.lower().split()
                evidence = (f"table:{level}", *["table:rival"] * rivals, *["table:verb"] * verb)
                yield Span(start, end, "TABLE", table, evidence)
        if columns:
            options = columns[:MOST_OPTIONS]
            level = options[0][1]
            signs = [f"col:{level}"]
            signs += ["col:weak_verb"] * (level >= WEAK and low.endswith(english().verb_endings))
            signs += ["col:also_table"] * (best <= level)
            if (low,) in english().phrases and any(c == "AGGREGATE" for c, _ in english().phrases[low,]):
                signs.append("col:also_aggregate")
            yield Span(start, end, "COL", Ref(options), tuple(signs))
            if end == start + 1 and low.endswith(english().past_endings):
                yield from self._done(start, end, options)

    def _undone(self, start: int) -> Iterator[Span]:
        """ "unpaid", "inactive", "non-members": a date or a flag that says no."""
        low = self.tokens[start].low
        rests = [(low.removeprefix(beginning), start + 1) for beginning in english().negations if low != beginning]
        following = start + 1 + (start + 1 < self.size and self.tokens[start + 1].text == "-")
        if low in english().negations and following < self.size:
            rests.append((self.tokens[following].low, following + 1))
        rests += [(beginning + low, start + 1) for beginning in english().negations if len(low) > _SHORTEST_ROOT]
        for rest, end in rests:  # also "active", beside `inactive`
            targets = self.catalog.words.get((stem(rest),), {}) if rest != low and len(rest) > 3 else {}
            told = tuple((ref, level) for ref, level in _best(targets) if self.catalog.kind(ref) in (DATE, FLAG))
            if told and stem(low) not in self.catalog.first_words:
                yield Span(start, end, "UNDONE", Ref(told), (f"col:{told[0][1]}",))

    def _deed(self, start: int) -> Iterator[Span]:
        """ "opened their account", where members have an `account_opened`."""
        following = self.tokens[start + 1 : start + 3]
        nouns = [token.low for token in following if token.low not in english().determiners][:1]
        if nouns and self.tokens[start].low.endswith(english().past_endings):
            targets = self.catalog.words.get((stem(nouns[0]), stem(self.tokens[start].low)), {})
            end = start + 2 + (nouns[0] != following[0].low)
            yield from self._done(start, end, tuple(one for one in _best(targets) if one[1] <= TRIMMED))

    def _done(self, start: int, end: int, options: tuple[tuple[ColumnRef, int], ...]) -> Iterator[Span]:
        """What has happened to a row, where a date or a flag says whether: "shipped orders"."""
        told = tuple((ref, level) for ref, level in options if self.catalog.kind(ref) in (DATE, FLAG))
        if told:
            yield Span(start, end, "DONE", Ref(told), (f"col:{told[0][1]}",))

    # ------------------------------------------------------------ values
    def _values(self, start: int, named: Sequence[Span]) -> Iterator[Span]:
        for end in range(start + 1, min(start + LONGEST_VALUE, self.size) + 1):
            part = self.tokens[start:end]
            if part[-1].kind is TokenKind.QUOTED:
                break
            words = value_words(" ".join(t.text for t in part).replace(" 's", "'s"))
            if words and part[-1].kind is not TokenKind.MARK:
                yield from self._value(start, end, words, named)
            if len(part) == 2:
                yield from self._people(start, end, words)

    def _value(self, start: int, end: int, words: tuple[str, ...], named: Sequence[Span]) -> Iterator[Span]:
        part = self.tokens[start:end]
        if len(part) == 1 and part[0].kind is TokenKind.NUMBER:
            return
        capital = part[0].text[:1].isupper() and (len(part) > 1 or (start > 0 and part[0].text != "I"))
        sign, held = self._held(words, capital=capital)
        if not held or (part[-1].text == "'s" and sign != "exact"):
            return
        lexicon = english()
        common = len(words) == 1 and (
            words[0] in lexicon.common_values or words[0] in lexicon.fillers or len(words[0]) < 2
        )
        phrases = {category for category, _ in lexicon.phrases.get(words, ())}
        if len(words) == 1 and phrases - ALSO_A_STATE - STANDING and not part[0].text[:1].isupper():
            return
        short = (
            words[0] in lexicon.fillers
            and not part[0].text.isupper()
            and (sign != "exact" or len(words[0]) < _SHORTEST_NAMED_FILLER)
        )
        if common and (short or (len(words[0]) < 2 and not capital)):
            return
        signs = [f"val:{sign}", "val:capital" if capital else "val:plain"]
        signs += ["val:long"] * (len(words) > 1) + ["val:common"] * common
        targets = self.catalog.words.get(tuple(s for word in words for s in stems_of_word(word)), {})
        is_name = bool(targets) or any(s.category in ("TABLE", "COL") and s.end == end for s in named)
        # What a code means, as the model says it, is more than part of a column's name: "done" of `dt_done`.
        is_loose = all(isinstance(one, ColumnRef) and level > TRIMMED for one, level in targets.items())
        is_meant = is_loose and any(self.catalog.meaning(ref, text) == words for ref, text in held.items())
        signs += ["val:also_name"] * (is_name and not is_meant)
        yield Span(start, end, "VAL", Value(tuple(held.items()), " ".join(t.text for t in part)), tuple(signs))

    def _held(self, words: tuple[str, ...], *, capital: bool) -> tuple[str, Mapping[ColumnRef, str]]:
        """The columns that hold the words as a value, and how they do."""
        catalog, last = self.catalog, words[-1]
        if held := catalog.values.get(words):
            return "exact", held
        for single in singulars(last):
            if held := catalog.values.get((*words[:-1], single)):
                return "plural", held
        if len(words) == 1:
            if held := self._gender(last):
                return "gender", held
            if last not in english().verbs and (held := catalog.value_stems.get(stem(last))):
                return "stem", held
        if held := self._otherwise(" ".join(words).removeprefix("the ")):
            return "alias", held
        if len(words) == 1 and last not in english().function_words and (held := self._coded(last)):
            return "code", held
        if len(words) == 1 and (last in plain_english() or last in word_forms().milliseconds):
            return "", {}  # "in minutes" is no song called "Three Minutes"
        if len(words) == 1 and not capital and words not in catalog.words and (held := catalog.endings.get(last)):
            return "ending", held
        if capital and len(words[0]) > 2 and last not in english().fillers and (held := catalog.beginnings.get(words)):
            return "beginning", held
        return "", {}

    def _coded(self, word: str) -> Mapping[ColumnRef, str]:
        return next(filter(None, map(self.catalog.coded, (word, *singulars(word)))), {})

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
        letters = english().genders.get(word, ())
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


def _best(targets: Mapping[Any, int]) -> tuple[tuple[ColumnRef, int], ...]:
    """The columns among what words may mean, each with its level, the best first."""
    columns = ((ref, level) for ref, level in targets.items() if isinstance(ref, ColumnRef))
    return tuple(sorted(columns, key=lambda one: (one[1], one[0])))
