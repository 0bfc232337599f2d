"""Whether two questions ask the same: equal facts first, then equal words in one form, whatever their vectors say.

An embedder finds "shipped late" and "not shipped late" 0.96 alike. So two questions are alike only if their numbers (in
their order), values, negations, comparisons, aggregates, times and units are the same.

Vectors hardly see what stands where: MiniLM finds "flights from Lyon to Hamburg" and "flights from Hamburg to Lyon"
0.99 alike, "customers per product" and "products per customer" 0.96. So every word counts here, in its order. Taken
away is only how people begin a question, and words that change no answer; made equal are only words that always mean
the same. Plural and singular stay apart: "the best customer" is one row.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from askwell.resources import words_file

_DATA = words_file("askwell.question", "same_questions.yaml")
NUMBER_WORDS: Mapping[str, str] = _DATA["numbers"]
_PHRASES = tuple((re.compile(pattern), meaning) for pattern, meaning in _DATA["phrases"])
_MEANING_OF = {word: meaning for meaning, words in _DATA["meanings"].items() for word in words.split()} | {
    word: f"date_{word[:3]}" for word in _DATA["calendar"].split()
}

QUOTED = re.compile(r"'([^']*)'(?!\w)|\"([^\"]*)\"|“([^“”]*)”")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:(?:st|nd|rd|th)(?!\w))?")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class QuestionFacts:
    """Equal facts do not make two questions the same; different ones make them different."""

    numbers: tuple[str, ...]
    values: frozenset[str]
    meanings: tuple[str, ...]


def question_facts(question: str, values: Iterable[str] = ()) -> QuestionFacts:
    """The facts of a question. `values` are the cell values found in it; quoted texts are added."""
    quoted = {next(filter(None, groups), "").casefold() for groups in QUOTED.findall(question)}
    text = question.casefold()
    for pattern, meaning in _PHRASES:
        text = pattern.sub(meaning, text)
    words = _WORD.findall(text)
    numbers = [plain_number(found) for found in _NUMBER.findall(text)]
    # "Q3" and "covid19" are numbers of a kind.
    numbers += [NUMBER_WORDS.get(word, word) for word in words if word in NUMBER_WORDS or word[-1].isdigit()]
    meanings = {_MEANING_OF[word] for word in words if word in _MEANING_OF}
    negations = sum(_MEANING_OF.get(word) == "not" for word in words)
    return QuestionFacts(
        numbers=tuple(sorted(numbers)),
        values=frozenset(value.casefold() for value in values) | quoted,
        meanings=(*sorted(meanings), str(negations)),
    )


def plain_number(text: str) -> str:
    """Digits without separators of thousands and zeros that say nothing: `1,000.50` → `1000.5`."""
    plain = text.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


# `list` and `name` begin a question only before some words: list prices are not prices.
_OPENING = re.compile("".join(_DATA["opening"]))
_OPENING_AS_TYPED = re.compile("".join(_DATA["opening"]), re.IGNORECASE)
_FRONTED = re.compile(_DATA["fronted"])
_CLAUSES = tuple((re.compile(pattern), form) for pattern, form in _DATA["clauses"])
_STANDS_FOR = {word: name for name, words in _DATA["same"].items() for word in words.split()}
_SILENT, _PAST, _FIGURES, _NOT_ON_Y = (
    frozenset(_DATA[name].split()) for name in ("silent", "past", "figures", "not_on_y")
)
_PARTICIPLE = re.compile(_DATA["participle"])

# A number, a word, or a sign that means something.
_TOKEN = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?|[^\W\d]+\d*|[^\s\w,.?!;:'’()\"-]")


@lru_cache(maxsize=20_000)
def question_wording(question: str) -> tuple[str, ...]:
    """The words that count, in order: numbers in digits, quoted texts as they are, the rest in lower case."""
    text = unicodedata.normalize("NFKC", question)
    quoted = [found.group() for found in QUOTED.finditer(text)]
    text = " ".join(QUOTED.sub(" quoted_text ", text).split()).rstrip("?!. ")
    # "class A" names a class; at the beginning it is an article.
    text = re.sub(r"(?<=\w )A\b", "letter_a", text).casefold()
    text = _OPENING.sub("", text, count=1)
    if (fronted := _FRONTED.fullmatch(text)) is not None:
        text = f"{_OPENING.sub('', fronted[2], count=1)} {fronted[1]}"
    for pattern, form in _CLAUSES:
        text = pattern.sub(form, text)
    words = _without_of(_loud(_TOKEN.findall(text)))
    texts = iter(quoted)
    return tuple(next(texts, word) if word == "quoted_text" else word for word in words)


def without_opening(question: str) -> str:
    """The question without how people begin one: "what was", "show me the"."""
    return _OPENING_AS_TYPED.sub("", question.strip(), count=1)


def _loud(tokens: list[str]) -> list[str]:
    """Without the silent words, the others in their one form."""
    words: list[str] = []
    for token, following in zip_longest(tokens, tokens[1:], fillvalue=""):
        if token in _SILENT or (token in _PAST and _PARTICIPLE.fullmatch(following)):
            continue
        if token[-1].isdigit() and not token[0].isalpha():
            words.append(plain_number(token))
        else:
            words.append(NUMBER_WORDS.get(token) or _STANDS_FOR.get(token, token))
    return words


def _without_of(words: list[str]) -> list[str]:
    """ "price of the products" → "product price": what stands before and after an "of" change places."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word != "of" or not found:
            found.append(word)
            continue
        owner = next(rest, "")
        if found[-1] in _FIGURES or not owner.isalpha():
            found.append(owner)
            continue
        head = found.pop()
        if owner == "per":  # "customers of each product"
            found.append(owner)
            owner = next(rest, "")
        found += [_singular(owner), head]
    return [word for word in found if word]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-1] if word in _NOT_ON_Y else f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
