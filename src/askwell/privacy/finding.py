"""Finds the values in a text that people or models wrote: those that have a token already, and whatever is not known to
be none.

What stands in quotation marks, addresses, dates and all numbers in digits are values; of the words, those that are
neither the model's nor everyday ones, and those that are written like names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from askwell.privacy.tokens import (
    AMOUNT,
    SUFFIXES,
    TOKEN,
    Found,
    Value,
    dates_in,
    number_value,
    numbers_in,
    text_value,
    value_of,
)
from askwell.privacy.vocabulary import (
    SAME_EVERYWHERE,
    Vocabulary,
    calendar_names,
    is_calendar,
    is_given,
    is_item,
    is_period,
    sure_names,
    whole_name,
)

_WORD = re.compile(r"[^\W_]+")
_WORD_RUN = re.compile(r"\w+")
_ENDS_WITH_RUN = re.compile(r"\w+\Z")
# A single letter stands in too many texts.
_LEAST_LETTERS = 2


class Again:
    """Finds them by their first word, whatever their number: prompts are long, and rows have many cells. A model writes
    the plural of what a token stands for by putting an s to it, and an alias by an underscore. `vocabulary` has the
    names of the semantic model, and none that statements brought."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._by_word: dict[str, list[tuple[int, Value]]] = {}

    def add(self, value: Value) -> None:
        """From now on it is found. Numbers are found by their digits, in every text."""
        first = _WORD.search(value.written)
        if value.kind == "NUMBER" or first is None or len(value.written.strip()) < _LEAST_LETTERS:
            return
        values = [*self._by_word.get(first[0], []), (first.start(), value)]
        # A new list: another thread may be going through the old one.
        self._by_word[first[0]] = sorted(values, key=lambda one: -len(one[1].written))

    def found(self, text: str) -> Iterator[tuple[int, int, Value]]:
        """Where they stand, whole words in the letter case that they have. Names of the model stay."""
        if not self._by_word:
            return
        least = 0
        for word in _WORD.finditer(text):
            for before, value in self._beginning_with(word[0]):
                start = word.start() - before
                end = start + len(value.written)
                if (
                    start >= least
                    and text.startswith(value.written, start)
                    and not is_period(text, start, end)
                    and _is_whole(text, start, end, self._vocabulary)
                ):
                    yield start, end, value
                    least = end
                    break

    def _beginning_with(self, word: str) -> list[tuple[int, Value]]:
        values = self._by_word.get(word, [])
        return values + self._by_word.get(word[:-1], []) if word.endswith("s") else values


def _is_whole(text: str, start: int, end: int, vocabulary: Vocabulary) -> bool:
    written = text[start:end]
    if vocabulary.has_name(written.strip()):
        return False
    if written[0].isalnum() and text[start - 1 : start].isalnum():
        return False
    after = text[end : end + 2]
    is_plural = after[:1] == "s" and not after[1:].isalnum()
    if written[-1].isalnum() and after[:1].isalnum() and not is_plural:
        return False
    # Within a longer name, such as `is_closed`, it stays where all of that is the model's.
    begun = _ENDS_WITH_RUN.search(text[max(start - 80, 0) : start])
    ended = _WORD_RUN.match(text, end)
    if begun is None and ended is None:
        return True
    return not vocabulary.has_name((begun[0] if begun else "") + written + (ended[0] if ended else ""))


_QUOTED = re.compile(
    r"\"(?P<a>[^\"\n]{1,500})\"|“(?P<b>[^”\n]{1,500})”|„(?P<c>[^“”\n]{1,500})[“”]|«(?P<d>[^»\n]{1,500})»"
    r"|‘(?P<e>[^’\n]{1,500})’|(?<!\w)'(?P<g>(?:[^'\n]|'(?=\w)){1,500})'(?!\w)"
)


def quoted(text: str, vocabulary: Vocabulary) -> Iterator[Found | tuple[int, int]]:
    """The values that stand in quotation marks, and the places of names of the model that do."""
    for one in _QUOTED.finditer(text):
        group = next(name for name, inner in one.groupdict().items() if inner is not None)
        inner = one[group]
        if vocabulary.has_name(inner.strip()) or not any(map(str.isalnum, inner)):
            yield one.span(group)
        elif not TOKEN.search(inner):
            # French sets blanks beside its marks, and so do people by mistake: the value has none.
            value = inner.strip()
            start = one.start(group) + len(inner) - len(inner.lstrip())
            yield Found(start, start + len(value), value_of(value))
        else:
            yield from _between_tokens(inner, one.start(group))


def _between_tokens(text: str, at: int) -> Iterator[Found]:
    """What stands in quotation marks beside a token."""
    ends = [0, *(end for one in TOKEN.finditer(text) for end in one.span()), len(text)]
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        piece = text[start:end]
        if any(map(str.isalnum, piece)):
            start += len(piece) - len(piece.lstrip())
            end -= len(piece) - len(piece.rstrip())
            yield Found(at + start, at + end, value_of(text[start:end]))


# The words of a text that are values in the database, as the text has them.
KnownValues = Callable[[str], Sequence[str]]

_ADDRESS = re.compile(
    r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s<>\"']+[^\s<>\"'.,;:!?)]"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
)
# At the beginning of a line: what numbers the lines of a list.
_LIST_MARK = re.compile(r"^[ \t]*\d{1,2}[.)](?=\s)", re.MULTILINE)
_RUN = re.compile(r"\w+(?:[-_./@#&:'’]+\w+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,'’]\d+)*|_+|[^\w]+")
_CODE_MARKS = frozenset("@_./#:")
_PIECES = re.compile(r"[^-/.:#&_@]+")
_TOKEN_AND_MORE = re.compile(rf"{TOKEN.pattern}\w*")
_SENTENCE_END = re.compile(r"(?:\A|[.!?:\n\"“(>¿¡]|[-*])\s*\Z")
_BETWEEN_NAMES = re.compile(r"\s+(?:(?:of|de|da|del|la|le|van|von|der|den|di|du|the|&)\s+)*|\s*&\s*|-")
# The word before a place, and the one after it.
_BEFORE = re.compile(r"(?<![\w'’.-])([^\W\d_]+) \Z")
_AFTER = re.compile(r" ([^\W\d_]+)(?![\w'’-])")
_CLOSING_MARKS = "\"”“»’'"
_POSSESSIVE = re.compile(r"['’][sS]?\Z")
# Apart from shorter ones, what people write in capitals in a sentence is a code.
_LEAST_SHARE_OF_TITLE = 0.75
_LEAST_SHOUTED = 3
# What French and Italian put to the beginning of a word.
_ELIDED = re.compile(r"(?:[ldjmtsnc]|qu|dell|nell|all|un)['’](?=\w)")


def values_in(text: str, vocabulary: Vocabulary, known: KnownValues, again: Again) -> list[Found]:
    """The values, in their order; they do not overlap. What is there `again` is one whatever it looks like."""
    taken = bytearray(len(text))  # 1 for each character of what is a value already, or known to be none
    for pattern in (_TOKEN_AND_MORE, _LIST_MARK):
        for one in pattern.finditer(text):
            taken[one.start() : one.end()] = b"\1" * len(one[0])
    found: list[Found] = []

    def take(candidates: Iterable[Found | tuple[int, int]]) -> None:
        for one in candidates:
            start, end = (one.start, one.end) if isinstance(one, Found) else one
            if taken.find(1, start, end) < 0:
                taken[start:end] = b"\1" * (end - start)
                if isinstance(one, Found):
                    found.append(one)

    take(quoted(text, vocabulary))
    take(Found(one.start(), one.end(), text_value(one[0])) for one in _ADDRESS.finditer(text))
    take(Found(*one) for one in dates_in(text))
    is_english = len(vocabulary.plain.of([word.lower() for word in _LETTERS.findall(text)])) == 1
    take(Found(*one) for one in numbers_in(text, is_english=is_english))
    old = [Found(start, end, value) for start, end, value in again.found(text)]
    take(old)
    # Asked for once: a question's first prompt is to tell of them what every later one does.
    held = {_POSSESSIVE.sub("", words) for words in known(text)}
    called = calendar_names(text, [words for words in held if is_calendar(words)])
    sure = [*_known(text, vocabulary, held), *(Found(*at, text_value(text[slice(*at)])) for at in called)]
    take(sure)
    sure += old
    take(Found(start, end, text_value(text[start:end])) for start, end in sure_names(text, vocabulary))
    take(_words(text, vocabulary, taken, is_english=is_english))
    found.sort(key=lambda one: one.start)
    known_starts = {one.start for one in sure}
    joined = _joined(text, _with_neighbours(text, found, known_starts, vocabulary), known_starts)
    return [_without_possessive(text, one) for one in _whole_names(text, joined)]


def _without_possessive(text: str, found: Found) -> Found:
    """What is said of "Ann Archer's fees" is Ann Archer; what stands in quotation marks is as it stands there."""
    words = text[found.start : found.end]
    bare = _POSSESSIVE.sub("", words)
    if len(bare) in (0, len(words)) or text[found.end : found.end + 1] in tuple(_CLOSING_MARKS):
        return found
    return Found(found.start, found.start + len(bare), text_value(bare))


def _known(text: str, vocabulary: Vocabulary, held: Set[str]) -> Iterator[Found]:
    lower = text.casefold()
    if len(lower) != len(text):
        lower = text.lower()
    for words in sorted(held, key=lambda one: (-len(one), one)):
        if all(vocabulary.has(word) or word.casefold() in SAME_EVERYWHERE for word in words.split()):
            continue
        # Within an address or a code, all of that is the value.
        for one in re.finditer(rf"(?<!\w)(?<!\w[.@/_]){re.escape(words.casefold())}(?![.@/_]?\w)", lower):
            yield Found(one.start(), one.end(), text_value(text[one.start() : one.end()]))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Which words of one text may stay."""

    vocabulary: Vocabulary
    lists: Sequence[frozenset[str]]
    nouns: frozenset[str]
    is_title: bool
    is_shouted: bool
    is_english: bool

    def keeps(self, word: str, *, is_first: bool) -> bool:
        """Whether the word is the model's or an everyday one."""
        bare = _POSSESSIVE.sub("", word)
        lower = bare.lower()
        if len(bare) == 1 and not bare.isupper():
            return True
        if lower in SAME_EVERYWHERE or lower in self.vocabulary.sql or self.vocabulary.has(bare):
            return True
        if lower in self.vocabulary.nobody:
            return False
        if self.is_shouted:
            return lower in self.vocabulary.plain.common and not is_given(lower)
        is_written_like_a_name = bare[:1].isupper() and not is_first and not self.is_title
        contracted = word.lower().replace("’", "'")
        lists = (*self.lists, self.vocabulary.plain.common)
        if not is_written_like_a_name and any(lower in one or contracted in one for one in lists):
            return True
        if lower in self.nouns:
            return True
        return self.vocabulary.nearly_has(bare)


def _words(text: str, vocabulary: Vocabulary, taken: bytearray, *, is_english: bool) -> Iterator[Found]:
    rest = "".join(" " if is_taken else char for char, is_taken in zip(text, taken, strict=True))
    runs = list(_RUN.finditer(rest))
    spelled = [run[0] for run in runs if run[0].isalpha()]
    all_spelled = [run[0] for run in _RUN.finditer(text) if run[0].isalpha()]
    capitals = sum(word[0].isupper() for word in all_spelled)
    is_title = len(all_spelled) > 3 and capitals >= _LEAST_SHARE_OF_TITLE * len(all_spelled)
    lists = list(vocabulary.plain.of([word.lower() for word in spelled]))
    nouns = vocabulary.plain.nouns if len(lists) > 1 else frozenset()
    reader = _Reader(vocabulary, lists, nouns, is_title, _is_shouted(all_spelled), is_english)
    for run in runs:
        is_first = _SENTENCE_END.search(text[max(run.start() - 6, 0) : run.start()]) is not None
        if run.start() > 6 and is_first and not text[run.start() - 6 : run.start()].strip():
            is_first = "\n" in text[run.start() - 6 : run.start()]
        if is_first and is_item(text, run.start(), run.end()):
            is_first = run[0].lower() in vocabulary.plain.common and not is_given(run[0])
        elided = _ELIDED.match(run[0])
        at = elided.end() if elided is not None else 0
        yield from _of_run(run[0][at:], run.start() + at, reader, is_first=is_first)


def _is_shouted(words: Sequence[str]) -> bool:
    """Whether all is in capitals, so that no word looks like a name."""
    longer = [word for word in words if len(word) > 1 and not TOKEN.match(word)]
    return len(longer) >= _LEAST_SHOUTED and all(map(str.isupper, longer))


def _of_run(run: str, at: int, reader: _Reader, *, is_first: bool) -> Iterator[Found]:
    """The values in a run of letters, digits and what joins them: none, its numbers, or all of it as one code."""
    if reader.vocabulary.has_name(run) or run.lower() in SAME_EVERYWHERE or run.lower() in reader.vocabulary.sql:
        return
    if "_" in run and not any(map(str.isdigit, run)) and reader.vocabulary.is_identifier(run):
        return
    parts = list(_PART.finditer(run))
    letters = [part for part in parts if part[0][0].isalnum() and not part[0][0].isdecimal()]
    numbers = [part for part in parts if part[0][0].isdecimal()]
    if not numbers:
        gone = [part for part in letters if not reader.keeps(part[0], is_first=is_first and part.start() == 0)]
        if len(gone) == len(letters) or any(not _CODE_MARKS.isdisjoint(part[0]) for part in parts):
            if gone:
                yield Found(at, at + len(_POSSESSIVE.sub("", run)), text_value(_POSSESSIVE.sub("", run)))
            return
        for part in gone:
            bare = _POSSESSIVE.sub("", part[0])
            yield Found(at + part.start(), at + part.start() + len(bare), text_value(bare))
        return
    if letters and not _is_numbered(run, reader):
        yield Found(at, at + len(run), text_value(run))
        return
    for part in numbers:
        if run[part.start() - 1 : part.end()].lower() in SAME_EVERYWHERE:
            continue
        times = SUFFIXES.get(run[part.end() :].lower())
        end = part.end() if times is None else len(run)
        value = number_value(part[0], times or 1, run[part.start() : end], is_english=reader.is_english)
        yield Found(at + part.start(), at + end, value)


def _is_numbered(run: str, reader: _Reader) -> bool:
    """Whether words and numbers stand beside each other (7-day, 5th, 2024-Q1, 10k) rather than in a code (INV-2024)."""
    pieces = _PIECES.findall(run)
    words = [piece for piece in pieces if not AMOUNT.fullmatch(piece) and piece.lower() not in SAME_EVERYWHERE]
    return all(len(word) > 2 and word.islower() and reader.keeps(word, is_first=False) for word in words)


def _with_neighbours(text: str, found: Sequence[Found], sure: Set[int], vocabulary: Vocabulary) -> list[Found]:
    """Unknown words with those beside them that may be of the same name: "marblux toaster" is one value, as "toaster"
    is none of the words that questions about data are made of."""
    if not vocabulary.plain.common:
        return list(found)
    grown: list[Found] = []
    for at, one in enumerate(found):
        if one.value.kind != "TEXT" or one.start in sure or not text[one.start : one.end].replace(" ", "").isalpha():
            grown.append(one)
            continue
        least = grown[-1].end if grown else 0
        most = found[at + 1].start if at + 1 < len(found) else len(text)
        start, end = one.start, one.end
        while (before := _BEFORE.search(text, least, start)) and _may_be_of_a_name(before[1], vocabulary):
            start = before.start(1)
        while (after := _AFTER.match(text, end, most)) and _may_be_of_a_name(after[1], vocabulary):
            end = after.end(1)
        grown.append(Found(start, end, text_value(text[start:end])))
    return grown


def _may_be_of_a_name(word: str, vocabulary: Vocabulary) -> bool:
    lower = word.lower()
    is_foreign = any(lower in one for one in vocabulary.plain.others.values()) and lower not in vocabulary.plain.english
    is_ours = lower in vocabulary.plain.common or lower in SAME_EVERYWHERE or vocabulary.has(word)
    return len(word) > 2 and not is_foreign and not is_ours


def _joined(text: str, found: Sequence[Found], sure: Set[int]) -> list[Found]:
    """Names of several words as one value. Those that begin where one in the database is `sure` are whole, unless both
    are written like names."""
    joined: list[Found] = []
    for one in found:
        last = joined[-1] if joined else None
        is_free = last is not None and (text[one.start].isupper() or sure.isdisjoint((last.start, one.start)))
        if last is not None and is_free and _are_one_name(text, last, one):
            whole = text[last.start : one.end]
            joined[-1] = Found(last.start, one.end, text_value(whole))
        else:
            joined.append(one)
    return joined


def _whole_names(text: str, found: Sequence[Found]) -> list[Found]:
    """Names with all their words, where these are everyday ones or the model's."""
    whole: list[Found] = []
    for at, one in enumerate(found):
        start, end = one.start, one.end
        if one.value.kind == "TEXT" and text[start].isupper() and not text[start:end].isupper():
            least = whole[-1].end if whole else 0
            most = found[at + 1].start if at + 1 < len(found) else len(text)
            start, end = whole_name(text, (start, end), (least, most), SAME_EVERYWHERE)
        whole.append(one if (start, end) == (one.start, one.end) else Found(start, end, text_value(text[start:end])))
    return whole


def _are_one_name(text: str, one: Found, two: Found) -> bool:
    if one.value.kind != "TEXT" or two.value.kind != "TEXT":
        return False
    between = text[one.end : two.start]
    if between.isspace() and "\n" not in between:
        return text[one.start].isupper() == text[two.start].isupper()
    return _BETWEEN_NAMES.fullmatch(between) is not None and text[one.start].isupper() and text[two.start].isupper()
