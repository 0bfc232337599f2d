"""Whether SQL that is kept holds values that not everybody may read.

What people saved is used for others: their questions, and the values that stand in the SQL. Where rules depend on who
asks, such a value may be one that somebody may not know of.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence

from cachetools import LRUCache
from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.sql.compared_literals import compared_literals
from askwell.sql.names import fold

# Those of a table's columns of which everybody reads the same values.
SameForAll = Callable[[str, Sequence[str]], Collection[str]]

_KEPT = 10_000
# May hold a value that is no literal: the names that a PIVOT makes columns of, filters of JSON paths.
_UNREADABLE = (exp.Command, exp.Hint, exp.Pivot, exp.JSONPathFilter, exp.JSONPathScript)


class PrivateValues:
    """The columns of a model whose values depend on who asks, and statements, in sqlglot's `dialect`, that name such
    values. Where there may not be any such column (`are_any`), nothing is looked at. May be used by several threads."""

    def __init__(self, model: SemanticModel, same_for_all: SameForAll, dialect: str, *, are_any: bool) -> None:
        self._model = model
        self._same_for_all = same_for_all
        self.dialect = dialect
        self.are_any = are_any
        self._private: dict[str, frozenset[str]] = {}
        self._known: LRUCache[str, bool] = LRUCache(_KEPT)
        self._lock = threading.Lock()

    def in_sql(self, sql: str) -> bool:
        """Whether a statement over the model compares a private column with a value that stands in it, or may do so:
        what cannot be read counts as one that does, and so does a comment. One that was not looked at before takes
        milliseconds."""
        if not self.are_any:
            return False
        with self._lock:
            known = self._known.get(sql)
        if known is None:
            known = self._looked_for(sql)
            with self._lock:
                self._known[sql] = known
        return known

    def _looked_for(self, sql: str) -> bool:
        try:
            dialect = Dialect.get_or_raise(self.dialect)
            tokens = dialect.tokenize(sql)
            if any(token.comments for token in tokens):
                return True
            trees = dialect.parser().parse(tokens, sql)
            tree = trees[0] if len(trees) == 1 else None
            return not isinstance(tree, exp.Query) or self._in_query(tree)
        except (SqlglotError, RecursionError):
            return True

    def _in_query(self, tree: exp.Query) -> bool:
        names = _Names(tree, self._model, self._of)
        if names.are_public:
            return False
        if names.has_unknown_table or tree.find(*_UNREADABLE) is not None:
            return True
        # SQLite takes a name in double quotes that nothing has for a text.
        if any(column.this.args.get("quoted") and not names.is_known(column) for column in tree.find_all(exp.Column)):
            return True
        for compared in compared_literals(tree):
            columns = [] if compared is None else list(compared.find_all(exp.Column))
            if not columns or not all(map(names.is_public, columns)):
                return True
        return False

    def _of(self, table: Table) -> frozenset[str]:
        """The folded names of the table's private columns."""
        known = self._private.get(table.name)
        if known is None:
            names = [column.name for column in table.columns]
            private = set(names) - set(self._same_for_all(table.name, names))
            known = self._private[table.name] = frozenset(map(fold, private))
        return known


class _Names:
    """What the names of one statement may stand for, whatever scope they are in: a name that stands for a private
    column anywhere is taken for one everywhere."""

    def __init__(self, tree: exp.Query, model: SemanticModel, private_of: Callable[[Table], frozenset[str]]) -> None:
        self._private_of = private_of
        # By the name that columns are qualified with: tables of the model, and None for what a query gives.
        self._sources: dict[str, list[Table | None]] = {}
        ctes = {fold(cte.alias) for cte in tree.find_all(exp.CTE)}
        self.has_unknown_table = False
        for place in tree.find_all(exp.Table):
            table = None if isinstance(place.this, exp.Func) else model.table(place.name)
            is_derived = isinstance(place.this, exp.Func) or fold(place.name) in ctes
            self.has_unknown_table = self.has_unknown_table or (table is None and not is_derived)
            sources = self._sources.setdefault(fold(place.alias_or_name), [])
            sources += [table] if table is not None else []
            sources += [None] if is_derived else []
        self._tables = [table for sources in self._sources.values() for table in sources if table is not None]
        # What is renamed: by its new name, the expressions; None for one of a list of names.
        self._renamed: dict[str, list[exp.Expr | None]] = {}
        for alias in tree.find_all(exp.Alias):
            self._renamed.setdefault(fold(alias.alias), []).append(alias.this)
        for given in tree.find_all(exp.TableAlias):
            if not isinstance(given.parent, exp.Table) and given.name:
                self._sources.setdefault(fold(given.name), []).append(None)
            for column in given.columns:
                self._renamed.setdefault(fold(column.name), []).append(None)
        # A branch of a set operation gives its values under the names of the first one.
        self._has_nested_union = any(one is not tree for one in tree.find_all(exp.SetOperation))
        self._public: set[str] = set()
        while grown := {name for name in self._renamed if name not in self._public and self._gives_public(name)}:
            self._public |= grown

    @property
    def are_public(self) -> bool:
        """Whether nothing is read but tables of the model of which everybody reads the same."""
        return not self.has_unknown_table and not any(map(self._private_of, self._tables))

    def is_known(self, column: exp.Column) -> bool:
        """Whether anything in the statement has the column's name."""
        name = fold(column.name)
        return (
            name in self._renamed or name in self._sources or any(table.column(column.name) for table in self._tables)
        )

    def is_public(self, column: exp.Column, within: str = "") -> bool:
        """Whether everybody reads the same in this column, as far as can be told; `within` what is renamed to that
        name."""
        name = fold(column.name)
        sources = self._sources.get(fold(column.table)) if column.table else [None]
        if sources is None:
            return False
        if None in self._renamed.get(name, ()):
            return False
        is_derived = None in sources
        tables = self._tables if is_derived else [table for table in sources if table is not None]
        found = [table for table in tables if table.column(column.name) is not None]
        if any(name in self._private_of(table) for table in found):
            return False
        if not is_derived:
            return bool(found)
        if self._has_nested_union:
            return False
        if name in self._renamed and name not in self._public and (name != within or not found):
            return False
        return bool(found) or name in self._public

    def _gives_public(self, name: str) -> bool:
        for given in self._renamed[name]:
            columns = [] if given is None else list(given.find_all(exp.Column))
            if not columns or not all(self.is_public(column, name) for column in columns):
                return False
        return True
