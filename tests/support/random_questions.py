"""Random questions about a random model: sentences that people write, heaps of words that mean something to whoever
reads them, real questions about other things, and texts that nobody would write."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterable, Sequence
from importlib import resources
from importlib.resources.abc import Traversable

from tests.support.random_models import RandomDatabase, RandomTable
from tests.support.random_words import NUMBERS, ODD_TEXTS, SENTENCES, TAILS, TIMES

_PHRASE = re.compile(r"[a-z][a-z' -]*")
# T: rows of a table, C: a column, V: a value, N: a number, W: a time, K: any phrase that a reader of questions knows.


def phrases_in(package: str) -> tuple[str, ...]:
    """The words and phrases that a package knows: every lower-case text in double quotes in its code, with alternatives
    such as "most|highest" apart, and every text in its YAML."""
    found: set[str] = set()
    for text in _texts(resources.files(package)):
        parts = (part.strip() for part in re.split(r"[|,]", text))
        found.update(part for part in parts if len(part) < 40 and _PHRASE.fullmatch(part))
    return tuple(sorted(found))


def _texts(folder: Traversable) -> Iterable[str]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _texts(entry)
        elif entry.name.endswith((".py", ".yaml", ".yml")):
            text = entry.read_text(encoding="utf-8")
            yield from re.findall(r'"([^"\\\n]+)"' if entry.name.endswith(".py") else r"[a-z][a-z' -]*", text)


class QuestionMaker:
    """Makes questions about one database. `known` are phrases that mean something in any question, `real` questions
    that people asked. Of those that `learn` is told of it makes variations."""

    def __init__(
        self, rng: random.Random, database: RandomDatabase, known: Sequence[str], real: Sequence[str] = ()
    ) -> None:
        self._rng = rng
        self._known = known
        self._real = real
        self._words = frozenset(word for phrase in known for word in phrase.split())
        self._database = database
        self._focus = database.tables[0]
        self._learned: list[str] = []

    def question(self) -> str:
        """One more question."""
        rng = self._rng
        form = rng.random()
        if form < 0.45:
            return self._decorated(self._sentence())
        if form < 0.60 and self._learned:
            return self._varied(rng.choice(self._learned))
        if form < 0.75 and self._real:
            return self._transferred(rng.choice(self._real))
        if form < 0.90:
            return " ".join(self._word() for _ in range(rng.randint(1, 14)))
        return self._odd()

    def learn(self, question: str) -> None:
        """This one was understood: what differs from it a little may reach as far."""
        self._learned.append(question)

    def _sentence(self) -> str:
        rng = self._rng
        self._focus = rng.choice(self._database.tables)
        text = rng.choice(SENTENCES)
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            tail = rng.choice(TAILS)
            text += tail if tail[0] in ",?" else f" {tail}"
        return re.sub(r"\b(?:un)?[TCVNWK]\b", lambda slot: self._slot(slot[0]), text)

    def _slot(self, slot: str) -> str:
        """What stands for a letter of a sentence. Tables change to related ones, columns and values are mostly those of
        the last table."""
        rng = self._rng
        if len(slot) > 1:
            return "un" + self._slot(slot[-1])
        if rng.random() < 0.04:
            slot = rng.choice("TCVNWK")
        match slot:
            case "T":
                table = self._next_table()
                return _inflected(rng, rng.choice(_names(table.name, table.mdl)))
            case "C":
                column = rng.choice(self._any_table().columns)
                return _inflected(rng, rng.choice(_names(column.name, column.mdl)))
            case "V":
                value = self._value()
                return rng.choice((value, value, value, f"'{value}'", f'"{value}"', value.lower(), value.title()))
            case "N":
                return rng.choice(NUMBERS if rng.random() < 0.4 else ("1", "2", "3", "5", "10"))
            case "W":
                return rng.choice(TIMES)
            case _:
                return rng.choice(self._known)

    def _next_table(self) -> RandomTable:
        """The table in focus, which then is one that is related to it."""
        rng, tables = self._rng, self._database.tables
        found = self._any_table()
        links = (link["models"] for link in self._database.relationships if found.name in link["models"])
        related = {side for sides in links for side in sides}
        near = [table for table in tables if table.name in related]
        self._focus = rng.choice(near if near and rng.random() < 0.7 else tables)
        return found

    def _any_table(self) -> RandomTable:
        return self._focus if self._rng.random() < 0.75 else self._rng.choice(self._database.tables)

    def _value(self) -> str:
        table, values = self._any_table().name, self._database.values
        own = [value for ref, held in values.items() if ref.table == table for value in held]
        return self._rng.choice(own or [value for held in values.values() for value in held] or ["Paris"])

    def _word(self) -> str:
        return self._slot(self._rng.choice("TTTCCCVNWKKKKKK"))

    def _decorated(self, text: str) -> str:
        rng = self._rng
        form = rng.random()
        if form < 0.1:
            text = text.upper() if rng.random() < 0.3 else text[:1].upper() + text[1:]
        if form < 0.2:
            text += rng.choice((".", "?", "!", " ?", "??", " please", ", please"))
        return text

    def _varied(self, text: str) -> str:
        """With a word left out, doubled, moved, replaced or put in."""
        rng = self._rng
        words = text.split(" ")
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(words))
            match rng.randrange(6):
                case 0 if len(words) > 1:
                    del words[at]
                case 1:
                    words.insert(at, words[rng.randrange(len(words))])
                case 2:
                    other = rng.randrange(len(words))
                    words[at], words[other] = words[other], words[at]
                case 3:
                    words[at] = self._word()
                case 4:
                    words.insert(at, self._word())
                case _:
                    words.append(self._word())
        return " ".join(words)

    def _transferred(self, text: str) -> str:
        """A real question with the names of this model in place of the words that mean something there only."""
        rng = self._rng
        words = text.split(" ")
        if rng.random() < 0.2:
            rng.shuffle(words)
        unknown = [i for i, word in enumerate(words) if word.strip(string.punctuation).lower() not in self._words]
        for i in unknown:
            if rng.random() < 0.85:
                words[i] = self._slot(rng.choice("TTTCCV" if not any(map(str.isdigit, words[i])) else "NW"))
        return " ".join(words)

    def _odd(self) -> str:
        rng = self._rng
        match rng.randrange(7):
            case 0:
                return "".join(rng.choice(ODD_TEXTS) for _ in range(rng.randint(0, 12)))
            case 1:
                return "".join(chr(rng.randrange(0x11000)) for _ in range(rng.randint(0, 40)))
            case 2:  # long, of one word, number or sentence
                piece = rng.choice(
                    (self._word(), self._sentence(), rng.choice(ODD_TEXTS), "9", "a", "'s ", "(", "per ", "no ")
                )
                return (piece * 4_000)[: rng.choice((100, 1_000, 3_999, 4_001, 12_000))]
            case 3:
                digits = rng.choice(("9" * 500, "9" * 3_000, "1" * 400 + " million", "0." + "1" * 900, "9" * 5_000))
                return f"how many {self._slot('T')} have {self._slot('C')} {digits}"
            case 4:
                return " ".join(self._word() for _ in range(rng.choice((60, 110, 119, 125, 2_000))))
            case 5:
                text = self._sentence()
                at = rng.randrange(len(text) + 1)
                return text[:at] + rng.choice(ODD_TEXTS) + text[at:]
            case _:
                return rng.choice(("", " ", "\n", "?", ".", "the", "by", "'", "''", '""', "'' ''"))


def _names(name: str, mdl: dict[str, object]) -> list[str]:
    """What people may call something: its name, its words, its display name and its synonyms."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)
    found = [name, spaced, spaced.lower(), spaced.lower()]
    facts = mdl.get("properties")
    if isinstance(facts, dict):
        found += [str(facts["displayName"])] if "displayName" in facts else []
        found += map(str, facts.get("synonyms", ()))
    return found


def _inflected(rng: random.Random, name: str) -> str:
    form = rng.random()
    if form < 0.5:
        return name
    if form < 0.7:
        return f"{name}s" if not name.endswith("s") else name[:-1]
    if form < 0.78:
        return f"{name}'s" if not name.endswith("s") else f"{name}'"
    if form < 0.84:
        return name.split(" ")[-1]
    if form < 0.88:
        return name.split(" ")[0]
    if form < 0.92:
        return f"{name.removesuffix('e')}{rng.choice(('ed', 'ing', 'er', 'ies', 'ly'))}"
    return rng.choice((name.upper(), name.title(), f"the {name}", f'"{name}"', f"'{name}'", f"{name}, {name}"))
