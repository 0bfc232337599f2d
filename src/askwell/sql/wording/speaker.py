"""One statement that is being put in words: its names, what could not be said, and the ways from a node to words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.binder import readable
from askwell.sql.wording.names import SpokenNames

# Longer code tells a reader nothing.
_LONGEST_CODE = 300


@dataclass(slots=True)
class Speaker:
    """`value`, `condition` and `query` put an expression, a condition and a query's rows in words. What has no words is
    quoted as SQL, and `quoted` counts that."""

    model: SemanticModel
    dialect: str
    names: SpokenNames
    value_words: Callable[[Speaker, exp.Expr], str]
    condition_words: Callable[[Speaker, exp.Expr], str]
    query_words: Callable[[Speaker, exp.Expr], str]
    quoted: int = field(default=0, init=False)
    # Derived tables that were described already, by the identity of their nodes.
    told: set[int] = field(default_factory=set, init=False)

    def value(self, node: exp.Expr) -> str:
        """A noun phrase without an article: `average age`."""
        return self.value_words(self, node)

    def condition(self, node: exp.Expr) -> str:
        """A clause: `age is more than 22`."""
        return self.condition_words(self, node)

    def query(self, node: exp.Expr) -> str:
        """A noun phrase for the rows of a query inside another: `average age of students`."""
        return self.query_words(self, node)

    def code(self, node: exp.Expr) -> str:
        """The node as SQL."""
        self.quoted += 1
        text = " ".join(readable(node, self.dialect).split())
        text = text if len(text) <= _LONGEST_CODE else text[: _LONGEST_CODE - 1] + "…"
        return f"`{text}`"
