"""Words of cell values and of questions in one form, so that they can be compared.

The values that a language model is told of are chosen here too: a wrong one misleads it more than a right one helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from askwell.mdl.names import singular
from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import ValueMatch
from askwell.providers.document_store.words import is_empty
from askwell.question.same_wording import NUMBER_WORDS
from askwell.question.words import COMMON
from askwell.spelling import without_accents

# An apostrophe inside a word belongs to it: O'Brien, d'Ivoire, Germany's.
_WORD = re.compile(r"[^\W_]+(?:['’ʼ´`][^\W_]+)*")
_APOSTROPHE = re.compile(r"['’ʼ´`]")
_POSSESSIVE = re.compile(r"['’ʼ´`]s$", re.IGNORECASE)
# A quote opens where no word stands before it, and closes where none comes after it.
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)[‘’]([^‘’\n]+)’(?!\w)|\"([^\"\n]+)\"|[“”„]([^“”„\n]+)[“”]|«([^«»\n]+)»"
)
# Letters that Unicode does not take apart.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: where it stands, its plain form and that form's singular. `capital`: written like a name,
    and not because a sentence begins with it; `quoted`: inside quotation marks."""

    start: int
    end: int
    text: str
    plain: str
    stem: str
    capital: bool
    quoted: bool


def words_of_question(question: str) -> list[Word]:
    """Its words in order."""
    inside = {at for start, end, _ in quoted_texts(question) for at in range(start, end)}
    found = []
    begins = True
    last = 0
    for match in _WORD.finditer(question):
        start, end, text = match.start(), match.end(), match[0]
        begins = begins or any(mark in ".?!:;\n" for mark in question[last:start])
        plain = plain_word(text)
        if plain:
            # At the start of a sentence only capitals all through tell a name.
            capital = text[0].isupper() and (not begins or (len(text) > 1 and text.isupper()))
            quoted = start in inside and end - 1 in inside
            found.append(Word(start, end, text, plain, stem(plain), capital, quoted))
        begins, last = False, end
    return found


def quoted_texts(question: str) -> Iterator[tuple[int, int, str]]:
    """What stands in quotation marks, with where it begins and ends."""
    for match in _QUOTED.finditer(question):
        group = match.lastindex
        assert group is not None
        yield match.start(group), match.end(group), match[group]


def plain_words(text: str) -> list[str]:
    """The plain forms of its words."""
    return [plain for word in _WORD.findall(text) if (plain := plain_word(word))]


def plain_word(word: str) -> str:
    """Lower case, without accents, apostrophes and a possessive s: "Germany's" → germany, "São" → sao."""
    if not word.isascii():
        word = without_accents(word.casefold()).translate(_PLAIN)
    elif word.isalnum():
        return word.lower()
    return _APOSTROPHE.sub("", _POSSESSIVE.sub("", word)).lower()


def is_common(plain: str) -> bool:
    """Whether a word is one that questions about any data use."""
    return plain in COMMON or is_empty(plain)


def stem(plain: str) -> str:
    """The singular of a plain word, as far as spelling tells it."""
    return singular(plain)


def squeezed(words: Iterable[str]) -> str:
    """Words as one, so that "T-shirt" is "tshirt"; figures keep apart."""
    key = ""
    for word in words:
        key += f" {word}" if key[-1:].isdigit() and word[:1].isdigit() else word
    return key


# Of the letters of a value, what a question has to name.
_LEAST_SHARE = 0.5
# Marked by quotation marks, whatever it says.
_SURE = 0.96
_UNIT_WORDS = """
    mg g gr gram grams kg kilo kilos lb lbs oz ton tons tonne tonnes ml cl l liter liters litre litres mm cm m km
    meter meters metre metres mile miles inch inches ft feet piece pieces pc pcs box boxes bottle bottles bag bags
    pack packs second seconds minute minutes hour hours day days week weeks month months year years percent euro
    euros dollar dollars usd eur gbp
"""
_UNITS = frozenset(_UNIT_WORDS.split())


def value_hints(matches: Iterable[ValueMatch]) -> tuple[ValueMatch, ...]:
    """The likely ones, in their order, each in one spelling; none of which the question names a part, unless it stands
    in quotation marks: of 16 such hints on strangers' databases none was meant, of 166 of whole values 127 were."""
    unique: dict[tuple[str, ColumnRef, str], ValueMatch] = {}
    for match in likely_values(matches):
        if match.kind != "partial" or match.score >= _SURE:
            unique.setdefault((match.words.lower(), match.column, " ".join(match.value.lower().split())), match)
    return tuple(unique.values())


def likely_values(matches: Iterable[ValueMatch]) -> tuple[ValueMatch, ...]:
    """Those that may well be meant: none of which the question names less than half, and none that is a number, in
    digits or words, or a unit unless it stands in quotation marks."""
    return tuple(match for match in matches if match.score >= _SURE or _is_likely(match))


def _is_likely(match: ValueMatch) -> bool:
    named = plain_words(match.words)
    if all(word.isdigit() or word in _UNITS or word in NUMBER_WORDS for word in named):
        return False
    if match.kind != "partial":
        return True
    held = plain_words(match.value)
    known = set(map(stem, named))
    shared = sum(len(word) for word in held if stem(word) in known)
    return shared >= _LEAST_SHARE * sum(map(len, held))
