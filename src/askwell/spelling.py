"""Where words begin and end, in names and in texts, in any alphabet; and names that differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

# A run of capitals before a capitalised word (`HTTPServer`), a word, a run of capitals, or a number.
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# The same for any alphabet: `re` knows no classes of capitals, so each letter is written as one of ASCII's first.
_ANY_WORD = re.compile(r"(?:Um*)+(?=Um*l)|(?:Um*)?(?:lm*)+|(?:Um*)+|d+|(?:om*)+")
# One word, in whichever way it is written.
_EMAIL = re.compile(r"(?<![A-Za-z])(e)[-_ ]?mail", re.IGNORECASE)
# Letters that are none with an accent, and those that are also written as two.
_WHOLE_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
    | {"ð": "d", "þ": "th", "ı": "i"}
)
_TWO_LETTERS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa", "Ø": "Oe"}
)


def spelled_words(text: str) -> list[str]:
    """The words of a text as they are written, those of an identifier apart: `orderItems_2` → order, Items, 2."""
    text = one_word(text)
    if text.isascii():
        return _WORD.findall(text)
    return [word for part in text.split() for word in _words_of_part(part)]


def one_word(text: str) -> str:
    """The text with "e-mail", `e_mail` and `eMail` as one word: email."""
    return _EMAIL.sub(lambda found: found[1] + ("MAIL" if found[0].isupper() else "mail"), text)


def without_accents(text: str) -> str:
    """The text with plain letters: "Gonçalves" as people type it who have no ç."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_WHOLE_LETTERS))
    return "".join(mark for mark in plain if not unicodedata.combining(mark))


def transliterated(text: str) -> str:
    """The text with two plain letters where these stand for one: "Koeln" for "Köln", "Aarhus" for "Århus"."""
    return text if text.isascii() else without_accents(unicodedata.normalize("NFC", text).translate(_TWO_LETTERS))


def free_name(wanted: str, taken: set[str], fold: Callable[[str], str] = str) -> str:
    """`wanted`, with a number behind it where that is `taken`, as `fold` writes names; it is taken from now on."""
    name, number = wanted, 1
    while fold(name) in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(fold(name))
    return name


def _words_of_part(part: str) -> list[str]:
    if part.isascii():
        return _WORD.findall(part)
    shape = "".join(map(_kind_of_letter, part))
    return [part[found.start() : found.end()] for found in _ANY_WORD.finditer(shape)]


def _kind_of_letter(character: str) -> str:
    if character.isalpha():
        # Letters without capitals (Chinese, Arabic) stand together.
        return "U" if character.isupper() else "l" if character.islower() else "o"
    if unicodedata.category(character).startswith("M"):  # belongs to the letter before
        return "m"
    return "d" if character.isdecimal() else " "
