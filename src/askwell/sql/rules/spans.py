"""Spans: what the linker makes of a question, each with all that its words may mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.periods import Period
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.words.phrases import Mark


class Thing(StrEnum):
    """What a span is, when it is no phrase with a grammatical meaning."""

    ENTITY = "entity"
    NUMBER = "number"
    QUOTED = "quoted"
    PERIOD = "period"
    FILLER = "filler"
    COMMA = "comma"
    STOP = "stop"
    UNKNOWN = "unknown"
    END = "end"


Kind = Mark | Thing


@dataclass(frozen=True, slots=True)
class Span:
    """`text` as written. `detail` is a mark's detail or a number's digits. `values` gives, for each column that holds
    the text, the value as the column writes it. `loose_verb` marks a verb that was taken for a filler, `role` a word
    that only tells relationships apart."""

    kind: Kind
    text: str
    detail: str = ""
    tables: Mapping[str, Evidence] = field(default_factory=dict)
    columns: Mapping[ColumnRef, Evidence] = field(default_factory=dict)
    values: Mapping[ColumnRef, str] = field(default_factory=dict)
    period: Period | None = None
    loose_verb: bool = False
    role: bool = False

    @property
    def low(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @property
    def capital(self) -> bool:
        """Whether it is written like a name."""
        return self.text[:1].isupper()

    @property
    def best_table(self) -> Evidence:
        """The best evidence for a table."""
        return min(self.tables.values(), default=Evidence.WEAK)

    @property
    def best_column(self) -> Evidence:
        """The best evidence for a column."""
        return min(self.columns.values(), default=Evidence.WEAK)

    @property
    def is_value(self) -> bool:
        """Whether it is a cell value before anything else."""
        if self.kind is Thing.QUOTED:
            return True
        if self.kind is not Thing.ENTITY or not self.values:
            return False
        named = [*self.tables.values(), *self.columns.values()]
        return not named or self.capital or min(named) >= Evidence.WEAK


END = Span(Thing.END, "")
