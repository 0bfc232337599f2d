"""Putting a statement right without a model: only what is certain, and all of it said.

What comes out is text again. It counts for nothing until it has gone the whole way that any other text goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from askwell.mdl.join_graph import JoinGraph
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import Renamed, fold
from askwell.sql.repair.functions import misread_in_mysql, repair_functions, translated_calls
from askwell.sql.repair.grouping import own_aggregates, repair_clauses
from askwell.sql.repair.names import repair_names
from askwell.sql.repair.spelling import vocabulary
from askwell.sql.repair.wording import (
    Edit,
    balanced,
    names_quoted,
    next_edit,
    quotes_made_plain,
    reordered,
    reworded,
    tokens_of,
)
from askwell.sql.repair.work import NOTHING_ASKED, Asked, Surroundings, asked_of

# Texts, names in quotes and comments are passed over.
_PASSED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/"
_PLAIN = re.compile(r"[^\W\d]\w*")
_OPERATORS = re.compile(r"\s*[-+*/%.|&<>=]\s*")


class UnquotedNames:
    """Finds the names of a model that need quotes, and those that people read, where they stand without."""

    def __init__(self, model: SemanticModel, dialect: str) -> None:
        self._dialect = dialect
        # What is written, in lower case: the table, and how it and the name that is meant are spelled.
        self._meant: dict[str, list[tuple[str, str, str]]] = {}
        self._columns = {fold(table.name): {fold(column.name) for column in table.columns} for table in model}
        for table in model:
            for name, shown in ((table.name, table.display_name), *((c.name, c.display_name) for c in table.columns)):
                self._add(fold(table.name), name, shown)

    def quoted(self, sql: str) -> Edit | None:
        """The text with each of them in quotes, the longest first; None where there is none."""
        text = _spaced(sql)
        found = {key: name for key in self._meant if key in text and (name := self._name(key, sql, text)) is not None}
        if not found:
            return None
        names = "|".join(map(_pattern, sorted(found, key=len, reverse=True)))
        quotes = "`[" if self._dialect == "mysql" else '"`['
        read: dict[str, None] = {}

        def write(place: re.Match[str]) -> str:
            is_quoted = place["name"] is None
            key = _spaced(place[0][1:-1] if is_quoted and place[0][0] in quotes else place[0])
            name = found.get(key)
            if name is None or (is_quoted and fold(name) == key):
                return place[0]
            written = exp.to_identifier(name, quoted=True).sql(dialect=self._dialect)
            read[f"`{place[0].strip('`')}` read as `{written.strip('`')}`"] = None
            return written

        written = re.sub(f"{_PASSED}|(?P<name>{names})", write, sql, flags=re.IGNORECASE | re.DOTALL)
        return Edit(written, "; ".join(read)) if read else None

    def _add(self, table: str, name: str, shown: str | None) -> None:
        for written in filter(None, (name, shown)):
            if not _PLAIN.fullmatch(written):
                self._meant.setdefault(_spaced(written), []).append((table, written, name))

    def _name(self, key: str, sql: str, text: str) -> str | None:
        """The one name that is meant; None where it is open, or where it may be a calculation with other names."""
        here = [one for one in self._meant[key] if one[0] in text] or self._meant[key]
        parts = [part for part in _OPERATORS.split(key) if part]
        if len(parts) > 1 and set().union(*(self._columns[table] | {table} for table, *_ in here)).issuperset(parts):
            return None
        names = {name for *_, name in here}
        if len(names) > 1:
            names = {name for _, written, name in here if written in sql}
        return names.pop() if len(names) == 1 else None


def _spaced(text: str) -> str:
    return " ".join(fold(text).split())


def _pattern(key: str) -> str:
    words = r"\s+".join(map(re.escape, key.split()))
    before = r"(?<![\w$@:])" if re.match(r"\w", key) else ""
    return before + words + (r"(?!\w|\s*\()" if re.search(r"\w\Z", key) else "")


# Longer statements are not repaired: their author looks for the slip more quickly than every place can be tried.
_LONGEST = 4_000
_MOST_TEXT_EDITS = 4

Parse = Callable[[str], exp.Expr | None]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A statement put right. `sentences` say what was read as what, for people."""

    sql: str
    sentences: tuple[str, ...]


class Repairer:
    """Repairs statements over one semantic model, for an engine that has these functions.

    `parse` gives the tree of a text that the guard finds nothing but unknown names in, and None for any other text:
    what the guard would refuse is not repaired.
    """

    def __init__(
        self, model: SemanticModel, dialect: str, functions: frozenset[str], parse: Parse, renamed: Renamed
    ) -> None:
        self._model = model
        self._dialect = dialect
        self._functions = functions
        self._parse = parse
        self._renamed = renamed

    def slips(self, sql: str) -> bool:
        """Whether a statement that binds has slips all the same: words that only the parser reads over, or functions
        that the engine does not have."""
        tokens = tokens_of(sql, self._dialect) if len(sql) <= _LONGEST else None
        if tokens is None:
            return False
        is_wrong = next_edit(sql, tokens, self._dialect) is not None
        return is_wrong or bool(translated_calls(sql, tokens, self._dialect, self._functions))

    def with_quotes(self, sql: str) -> Edit | None:
        """The text with quotes around names that need them; None where none lacks them."""
        return self._unquoted.quoted(sql) if len(sql) <= _LONGEST else None

    def repair(self, sql: str, question: str = "") -> Repaired | None:
        """The statement put right, or None where that is not certain or not possible. The `question` that it answers,
        where it is known, says which tables may have been meant."""
        if len(sql) > _LONGEST:
            return None
        try:
            return self._repaired(sql, asked_of(question, self._model) if question else NOTHING_ASKED)
        except RecursionError:
            return None

    def _repaired(self, sql: str, asked: Asked) -> Repaired | None:
        quotes = quotes_made_plain(sql) or names_quoted(sql, self._dialect)
        text, sentences = reworded(quotes.sql if quotes is not None else sql, self._dialect)
        if quotes is not None:
            sentences.insert(0, quotes.sentence)
        tree = self._parse(text)
        if tree is None:
            text, added = self._readable(text)
            sentences += added
            tree = self._parse(text)
        if tree is None or (self._dialect == "mysql" and misread_in_mysql(text)):
            return None
        sentences += translated_calls(text, tokens_of(text, self._dialect) or (), self._dialect, self._functions)
        tree = tree.copy()
        more = self._repair_tree(tree, asked)
        if more is None or not (sentences or more):
            return None
        return Repaired(tree.sql(dialect=self._dialect, comments=False), (*sentences, *more))

    @cached_property
    def _unquoted(self) -> UnquotedNames:
        return UnquotedNames(self._model, self._dialect)

    @cached_property
    def _around(self) -> Surroundings:
        graph, known = JoinGraph(self._model), vocabulary(self._model)
        return Surroundings(self._model, graph, self._dialect, known, self._functions, self._renamed)

    def _repair_tree(self, tree: exp.Expr, asked: Asked) -> tuple[str, ...] | None:
        names = repair_names(tree, self._around, asked)
        if names is None:
            return None
        functions = repair_functions(tree, self._dialect, self._functions)
        if functions is None:
            return None
        return (*names, *functions, *repair_clauses(tree))

    def _readable(self, text: str) -> tuple[str, list[str]]:
        """The text so that it can be parsed, as far as single edits lead there."""
        sentences: list[str] = []
        for _ in range(_MOST_TEXT_EDITS):
            tokens = tokens_of(text, self._dialect)
            if tokens is None:
                break
            edit = reordered(text, tokens)
            if edit is None or not self._works(edit.sql):
                edit = balanced(text, tokens, self._works)
            if edit is None:
                break
            text, more = reworded(edit.sql, self._dialect)
            sentences += [edit.sentence, *more]
            if self._parse(text) is not None:
                break
        return text, sentences

    def _works(self, text: str) -> bool:
        """Whether a text can be parsed, has its names right or repairable, and no aggregate of an aggregate."""
        tree = self._parse(reworded(text, self._dialect)[0])
        if tree is None:
            return False
        if any(own_aggregates(part) for node in tree.find_all(exp.AggFunc) for part in node.iter_expressions()):
            return False
        return repair_names(tree.copy(), self._around) is not None
