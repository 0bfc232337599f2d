"""Names that need quotes and stand without: `SUM(Cost Total $)`."""

from __future__ import annotations

import re

from sqlglot import exp

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.repair.wording import Edit

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
