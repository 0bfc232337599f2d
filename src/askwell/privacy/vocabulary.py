"""Which words are no values: those of the semantic model, and everyday ones."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from rapidfuzz import process
from rapidfuzz.distance import OSA

from askwell.errors import ConfigurationError
from askwell.resources import words_file
from askwell.spelling import spelled_words

# Word lists of this many languages besides English; a question in another one keeps nothing but the model's words.
_OTHERS = ("de", "fr", "es", "it", "pt", "nl")
# Rarer words in these lists are mostly names of people and places.
_LEAST_FREQUENCY = 50
# A word that is one letter away from one of the model's is that word misspelt, from so many letters on.
_LEAST_LETTERS = 5
_APOSTROPHE = re.compile(r"['’].*\Z")


@dataclass(frozen=True, slots=True)
class Plain:
    """Everyday words by language, in lower case."""

    english: frozenset[str] = frozenset()
    others: Mapping[str, frozenset[str]] = field(default_factory=dict)
    nouns: frozenset[str] = frozenset()
    """Those of German, which are written like names."""
    common: frozenset[str] = frozenset()
    """Of English, what is no part of a name, whatever stands beside it."""

    def of(self, words: Sequence[str]) -> Collection[frozenset[str]]:
        """The lists that hold for a text of these words: English, and the one that knows more of them."""
        known = sum(word in self.english for word in words)
        best = max(self.others.values(), key=lambda one: sum(word in one for word in words), default=frozenset())
        return (self.english, best) if sum(word in best for word in words) > known else (self.english,)


@cache
def plain_words() -> Plain:
    """The lists. Takes half a second the first time: do it on a thread. Raises `ConfigurationError` where the package
    with them is not there."""
    try:
        lists = resources.files("spellchecker").joinpath("resources")
    except ImportError:
        raise ConfigurationError(
            "privacy needs the Python package pyspellchecker, which is not installed.",
            "Install it with: pip install 'askwell[privacy]'",
        ) from None

    def words(language: str) -> frozenset[str]:
        # As its own class reads them, which takes five times as long.
        counted = json.loads(gzip.decompress(lists.joinpath(f"{language}.json.gz").read_bytes()))
        return frozenset(word for word, count in counted.items() if count > _LEAST_FREQUENCY)

    own = words_file(__package__, "words.yaml")
    others = {language: words(language) | frozenset(own["elsewhere"][language].split()) for language in _OTHERS}
    joining = frozenset(f"{own['joining']} {own['titles']}".split())
    units = {unit for unit in own["units"].split() if len(unit) > 1}
    said = {word for word in joining if word.endswith("name")} | frozenset(own["titles"].split())
    english = words("en") | frozenset(own["everyday"]) | said | units
    return Plain(english, others, frozenset(own["elsewhere"]["de"].split()), joining)


@dataclass(frozen=True)
class Vocabulary:
    """The words of a semantic model and of everyday speech. `names` are whole names of the model, in any letter case;
    `nobody` are everyday words that are names all the same, such as countries; `sql` are words of SQL, in lower case,
    which stay outside of quotation marks."""

    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    plain: Plain = field(default_factory=Plain)
    nobody: frozenset[str] = frozenset()
    sql: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, names: Collection[str], plain: Plain, everyday: Collection[str] = (), nobody: Collection[str] = ()
    ) -> Vocabulary:
        """The vocabulary of a model with these names and synonyms; `everyday` words are plain ones too."""
        whole = {name.casefold() for name in names}
        parts = {word.lower() for name in names for word in spelled_words(name)}
        words = {form for word in parts | whole if not word.isdigit() for form in _forms(word)}
        common = frozenset(word.lower() for word in everyday)
        plain = replace(plain, english=plain.english | common, common=common | plain.common)
        return cls(frozenset(whole), frozenset(words), plain, frozenset(nobody))

    def has_name(self, text: str) -> bool:
        """Whether it is the whole name of something in the model, or one of its words."""
        return text.casefold() in self.names or text.casefold() in self.words

    def has(self, word: str) -> bool:
        """Whether the model uses the word, in whatever number."""
        return not _forms(_APOSTROPHE.sub("", word.casefold())).isdisjoint(self.words)

    def nearly_has(self, word: str) -> bool:
        """Whether the word seems to be one of the model's, misspelt."""
        lower = word.casefold()
        if len(lower) < _LEAST_LETTERS or not lower.isalpha():
            return False
        near = process.extractOne(lower, self.words, scorer=OSA.distance, score_cutoff=1)
        return near is not None and len(near[0]) >= _LEAST_LETTERS

    def is_identifier(self, text: str) -> bool:
        """Whether it is a name that is made of known words alone, such as `total_revenue`."""
        parts = [word.lower() for word in spelled_words(text)]
        known = (part in self.words or part in self.plain.english or part in SAME_EVERYWHERE for part in parts)
        return bool(parts) and all(known)


def _forms(word: str) -> set[str]:
    """The word in singular and plural, roughly: what is kept by mistake is a word of the model in another form."""
    forms = {word, f"{word}s", f"{word}es"}
    if word.endswith("ies"):
        forms.add(f"{word[:-3]}y")
    if word.endswith("y"):
        forms.add(f"{word[:-1]}ies")
    if word.endswith("es"):
        forms.add(word[:-2])
    if word.endswith("s"):
        forms.add(word[:-1])
    return {form for form in forms if len(form) > 1}


SAME_EVERYWHERE: frozenset[str] = frozenset(words_file("askwell.privacy", "words.yaml")["same_everywhere"])
