"""The values of one job and the tokens that stand for them: all that is masked, and put back, goes through it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

from askwell.privacy.finding import Again, KnownValues, values_in
from askwell.privacy.replies import objects_changed
from askwell.privacy.statements import Masking, masked_sql, restored_sql, texts_in
from askwell.privacy.tokens import MISSPELT, TOKEN, Restoring, Value, as_token, value_of
from askwell.privacy.vocabulary import Vocabulary

# Beyond this, nobody looks for values of the database in a text: numbers, names and unknown words go all the same.
_LOOKED_UP = 4_000
# A text that has to be this long, and no everyday word, for it to be looked for in what is sent.
_TELLING = 4
_SQL_KEYS = frozenset({"sql", "query_sql", "sql_query", "planned_sql", "statement"})
_SCHEMA_VALUES = frozenset({"enum", "const", "default", "examples"})
_SCHEMA_NAMES = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_SCHEMA_WORDS = frozenset({"description", "title", "$comment"})
_BEGINS_QUERY = re.compile(r"(?:[\s(]|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*(?:select|with)\b", re.IGNORECASE)
_SELECTS = re.compile(r"\bselect\b", re.IGNORECASE)
# Of a value that the tool that finds values gives.
_PLACE = ("table", "column")
_FOUND_VALUE = frozenset({*_PLACE, "value", "said", "score"})


class Vault:
    """Masks what goes to models and restores what comes from them. The same value has the same token all through a job,
    so that a model recognises it, and a value that has one leaves in no later text. `known` finds values of the
    database in a text. Belongs to one job; nothing of it is kept anywhere. May be used by several threads: long texts
    are masked beside the event loop."""

    def __init__(
        self,
        mode: Literal["values_stay", "schema_only"],
        vocabulary: Vocabulary,
        dialect: str = "",
        known: KnownValues = lambda text: (),
    ) -> None:
        self.mode = mode
        self._vocabulary = vocabulary
        self._dialect = dialect
        self._known = known
        self._tokens: dict[Value, str] = {}
        self._values: dict[str, Value] = {}
        self._by_written: dict[str, str] = {}
        self._written_prompts: set[str] = set()
        self._again = Again(vocabulary)
        # Words that look like tokens and stand for nothing: names of the model, and what people typed.
        self._typed = {name.upper() for name in vocabulary.names if TOKEN.fullmatch(name.upper())}
        # Words that look like tokens, stand for nothing, and were written by models.
        self._invented: set[str] = set()
        self._made: set[str] = set()
        self._seen: set[str] = set()
        self._masking = Masking(
            literal=self._literal,
            number=self._number,
            name=self._named,
            quoted=self._quoted,
            is_value=self._by_written.__contains__,
            stayed=self._seen.add,
        )
        self._net: tuple[int, re.Pattern[str] | None] = (0, None)
        self._lock = threading.Lock()

    # -- masking ----------------------------------------------------------------------------------------------------

    def words(self, text: str) -> str:
        """A text in words, with a token in the place of each value."""
        self._hear(text)
        return self._replaced(text, self._token)

    def blanked(self, text: str, word: str) -> str:
        """A text in words, with the same word in the place of each value and token. Nothing is remembered of it."""
        return TOKEN.sub(word, self._replaced(text, lambda _: word))

    def whole(self, text: str) -> str:
        """The token of a text that is a value as it stands."""
        if not any(map(str.isalnum, text)) or TOKEN.fullmatch(text):
            self._hear(text)
            return text
        return self._token(value_of(text))

    def cell(self, value: Any) -> Any:
        """A value of a row. There and not there, and yes and no, may be told."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Mapping):
            return {self.name(str(name)): self.cell(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.cell(one) for one in value]
        if isinstance(value, int | float | Decimal):
            return self._number(str(value))
        return self.whole(str(value))

    def name(self, name: str) -> str:
        """A name of a column in a result: one of known words stays."""
        return self._named(name) or name

    def sql(self, sql: str) -> str:
        """A statement, with a token for each literal. One that nobody can read is words."""
        if not sql.strip():
            return sql
        self._hear(sql)
        masked = masked_sql(sql, self._dialect, self._masking)
        return self.words(sql) if masked is None else masked

    def json(self, text: str) -> str:
        """A text that may be JSON, such as what a tool gave: rows as rows, statements as statements, the rest words."""
        try:
            loaded = json.loads(text)
            masked = self.structure(loaded) if isinstance(loaded, dict | list) else None
        except (ValueError, RecursionError):
            masked = None
        return self.words(text) if masked is None else json.dumps(masked, ensure_ascii=False)

    def structure(self, value: Any, key: str = "") -> Any:
        """The same for what is loaded. Keys are names, and numbers are values, but for how many rows there are and how
        likely something is."""
        if key in ("rows", "data", "values", "examples", "samples"):
            if self.mode == "schema_only":
                return []
            are_found = isinstance(value, list) and all(map(_is_found_value, value))
            return [self._found_value(one) for one in value] if are_found else self.cell(value)
        if isinstance(value, Mapping):
            return {self.name(str(name)): self.structure(one, str(name)) for name, one in value.items()}
        if isinstance(value, list):
            return [self.structure(one, key) for one in value]
        if isinstance(value, str):
            # Of words that are read as SQL, all would stay that look like names.
            if key in _SQL_KEYS and _BEGINS_QUERY.match(value):
                return self.sql(value)
            return value if self._stays(value) else self.words(value)
        return value if _is_count(key, value) else self.cell(value)

    def know(self, names: Iterable[str]) -> None:
        """Names that are no values, such as those of our tools."""
        self._seen.update(names)

    def schema(self, value: Any, key: str = "") -> Any:
        """A JSON Schema of a client: its descriptions are words, and what it lists or fixes are values."""
        if key in _SCHEMA_VALUES:
            return self.cell(value)
        if isinstance(value, Mapping):
            return {name: self.schema(one, "" if key in _SCHEMA_NAMES else name) for name, one in value.items()}
        if isinstance(value, list):
            return [self.schema(one) for one in value]
        return self.words(value) if isinstance(value, str) and key in _SCHEMA_WORDS else value

    def wrote(self, *prompts: str) -> None:
        """Remember texts from which values were left out when they were written."""
        self._written_prompts.update(prompts)

    def sent(self, text: str) -> tuple[str, int]:
        """A text as it may be sent, and how many values had to be taken out of it that should not have been there: none
        of one that was not written by a prompt, which is masked as a whole."""
        return self._netted_text(text) if text in self._written_prompts else (self.words(text), 0)

    def _netted_text(self, text: str) -> tuple[str, int]:
        """The last net: without the values of this job that are still in it."""
        values = list(self._values.values())
        of, net = self._net
        if of != len(values):
            telling = {one.written for one in values if self._is_telling(one)}
            written = sorted(telling, key=len, reverse=True)
            net = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, written))})(?!\w)") if written else None
            self._net = len(values), net
        return (text, 0) if net is None else net.subn(lambda found: self._by_written[found[0]], text)

    # -- restoring --------------------------------------------------------------------------------------------------

    def restored(self, text: str) -> str:
        """A text with the values as they were written."""
        return TOKEN.sub(lambda found: self._written(found[0]), text)

    def restored_sql(self, sql: str) -> str:
        """A statement with each value as a literal, written by sqlglot."""
        return restored_sql(sql, self._dialect, self._values.get, self._made)

    def invented(self, sql: str) -> tuple[str, ...]:
        """The words of a restored statement's literals that look like tokens and that nobody was given."""
        texts = [text for text in texts_in(sql, self._dialect) if text not in self._made]
        found = {as_token(one[0]) for text in texts for one in MISSPELT.finditer(text)} - self._typed
        self._invented |= found
        return tuple(sorted(found))

    def restored_reply(self, text: str) -> str:
        """A reply that should be JSON, as `objects_changed` finds it: statements in it are restored as such, the rest
        as text. What is broken is restored as text within JSON, unless it holds a statement: whoever reads that
        restores it (`restored_statement`)."""
        try:
            found = objects_changed(text, self.restored_structure)
        except RecursionError:
            return text  # nobody reads what is nested so deeply
        if found is not None:
            return found
        is_words = text.lstrip().startswith(("{", "[")) and not _SELECTS.search(text)
        return self._in_json(text) if is_words else text

    def restored_structure(self, value: Any, key: str = "") -> Any:
        """Loaded JSON with the values put back. A text that is a number's token stays a text."""
        if isinstance(value, Mapping):
            return {self.restored(str(name)): self.restored_structure(one, str(name)) for name, one in value.items()}
        if isinstance(value, list):
            return [self.restored_structure(one, key) for one in value]
        if isinstance(value, str):
            # What is called a query may be words as well.
            is_statement = key.lower() in _SQL_KEYS or (key.lower() == "query" and _SELECTS.search(value))
            return self.restored_sql(value) if is_statement else self.restored(value)
        return value

    def restoring(self, on_delta: Callable[[str], None], *, in_json: bool = False) -> Restoring:
        """Hears a reply in pieces and passes it on restored."""
        return Restoring(on_delta, self._in_json if in_json else self.restored)

    # -- within -----------------------------------------------------------------------------------------------------

    def _replaced(self, text: str, instead: Callable[[Value], str]) -> str:
        known = self._known if len(text) <= _LOOKED_UP else lambda text: ()
        pieces: list[str] = []
        end = 0
        for one in values_in(text, self._words_of_job(), known, self._again):
            pieces += [text[end : one.start], instead(one.value)]
            end = one.end
        return "".join([*pieces, text[end:]])

    def _token(self, value: Value) -> str:
        with self._lock:
            if (known := self._tokens.get(value)) is not None:
                return known
            number = len(self._tokens) + 1
            while (token := f"{value.kind}_{number}") in self._typed or token in self._values:
                number += 1
            # The net of another thread has whatever is in `_values`, and looks it up by how it is written.
            self._by_written.setdefault(value.written, token)
            self._tokens[value] = token
            self._values[token] = value
            self._again.add(value)
            return token

    def _words_of_job(self) -> Vocabulary:
        """The vocabulary, with the names that statements of this job have: errors tell of them."""
        seen = self._seen.copy()
        if not seen <= self._vocabulary.names:
            names = self._vocabulary.names | {name.casefold() for name in seen} | seen
            self._vocabulary = replace(self._vocabulary, names=names)
        return self._vocabulary

    def _hear(self, text: str) -> None:
        """Remember what looks like a token in a text of ours or of people; models may write it too."""
        found = {token for token in TOKEN.findall(text) if token not in self._values}
        self._typed |= found - self._invented

    def _written(self, token: str) -> str:
        value = self._values.get(token)
        if value is None and token not in self._typed:
            self._invented.add(token)
        return token if value is None else value.written

    def _in_json(self, text: str) -> str:
        return TOKEN.sub(lambda found: json.dumps(self._written(found[0]), ensure_ascii=False)[1:-1], text)

    def _literal(self, text: str) -> str:
        return self._token(value_of(text))

    def _number(self, text: str) -> str:
        return self._token(Value("NUMBER", text, text))

    def _found_value(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """A value with its place. Where it stands and how likely it is meant may be told."""
        names = self._words_of_job().names
        return {
            name: one if name == "score" or (name in _PLACE and one.casefold() in names) else self.cell(one)
            for name, one in found.items()
        }

    def _named(self, name: str) -> str | None:
        stays = TOKEN.fullmatch(name) or not any(map(str.isalnum, name)) or self._stays(name)
        return None if stays else self._token(Value("NAME", name, name))

    def _quoted(self, text: str) -> str | None:
        is_name = text.casefold() in self._words_of_job().names
        return None if is_name or not any(map(str.isalnum, text)) else self._token(Value("NAME", text, text))

    def _stays(self, name: str) -> bool:
        """Whether it is the model's, or of known words and without a value of this job in it."""
        if self._words_of_job().has_name(name):
            return True
        has_value = next(self._again.found(name), None) is not None
        return self._vocabulary.is_identifier(name) and not has_value

    def _is_telling(self, value: Value) -> bool:
        if value.kind == "NUMBER":
            return len(value.written) > _TELLING and not value.written.startswith(("19", "20"))
        # One everyday word may be one of ours, or of a description.
        is_everyday = self._vocabulary.is_identifier(value.written) and " " not in value.written.strip()
        return len(value.written) >= _TELLING and not is_everyday and not self._vocabulary.has_name(value.written)


def _is_found_value(value: Any) -> bool:
    """Whether it is what the tool that finds values gives for one; rows of clients may have some of its fields."""
    return (
        isinstance(value, Mapping)
        and value.keys() == _FOUND_VALUE
        and all(isinstance(value[name], str) for name in _PLACE)
        and _is_count("score", value["score"])
    )


def _is_count(key: str, value: Any) -> bool:
    """Whether it is a number that our tools tell beside values. Those of clients may mean something else by a score."""
    is_likelihood = key in ("score", "confidence") and isinstance(value, int | float) and 0 <= value <= 1
    return key == "row_count" or is_likelihood
