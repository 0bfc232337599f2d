"""Words of cell values and of questions in one form, so that they can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from askwell.mdl.names import singular
from askwell.providers.document_store.words import is_empty
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
