"""What retrieval hands to everything after it: the part of the model, and the knowledge, that a question needs.

Where a question is searched for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from askwell.mdl.prompt_schema import written_name
from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.joins import Joins
from askwell.providers.document_store.base import Section

Nearness = Literal["the same", "nearly the same"]
# "case" is equal but for letter case, accents and punctuation; "stem" but for number; "demonym" and "code" are other
# names of the same country, state, month or sex; "partial" is a part of the value, "fuzzy" another spelling.
ValueKind = Literal["exact", "case", "stem", "demonym", "code", "partial", "fuzzy"]


@dataclass(frozen=True, slots=True)
class ScoredTable:
    """A candidate table. `score` is the fused rank score, `words` the BM25 score, `vector` the cosine (0 if absent)."""

    name: str
    score: float
    words: float = 0.0
    vector: float = 0.0


@dataclass(frozen=True, slots=True)
class SampleSql:
    """A saved question with its SQL. `nearness` is set when it is as good as the question itself."""

    id: str
    question: str
    sql: str
    similarity: float
    nearness: Nearness | None = None


@dataclass(frozen=True, slots=True)
class InstructionText:
    """A rule that users gave; `is_default` ones are always in, others for questions like `questions`."""

    id: str
    text: str
    is_default: bool = False
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """Words of the question that are, or may be, a cell value of a column. `score` says how likely that is, from 0 to 1
    (0.96 and more for what stands in quotation marks); `kind` how the words lead to the value."""

    words: str
    column: ColumnRef
    value: str
    score: float = 1.0
    kind: ValueKind = "exact"

    @property
    def is_named(self) -> bool:
        """Whether the words are the value, in whatever letter case or number, rather than a part of it or like it."""
        return self.kind in ("exact", "case", "stem", "demonym")


@dataclass(frozen=True, slots=True)
class Outline:
    """All tables of a model in few words: the same text whatever the question is. `columns` are those that it names of
    each table, where it names all that a line may have; else nothing."""

    text: str = ""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


NO_OUTLINE = Outline()


@dataclass(frozen=True, slots=True)
class Hints:
    """What a question makes likely, best first: the tables that it may need, and those of which joins are told. A list
    of all joins has models join what nobody asks for."""

    tables: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True)
class SchemaContext:
    """The part of the model that goes into prompts, in two tiers: `tables` in full, with the `columns` that are shown
    of each, and the next ones on one line each, `listed` with the columns that the line names. `text` has both, in an
    order that no question changes, below an `outline` of the whole model where there is one; `lines` are all of these
    tables on one line each, where that is enough. `hints` stand behind all of it. `left_out` says in sentences which
    tables did not fit (what is left out of a table stands below it); `is_whole`: nothing is; `tokens` is the estimated
    size of all texts but `lines`. What the model has at all, such as `has_epoch`, does not depend on the question.
    Names are written as in `dialect`."""

    text: str
    tables: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    joins: Joins = field(default_factory=Joins)
    left_out: tuple[str, ...] = ()
    has_epoch: bool = False
    has_calculated_fields: bool = False
    has_metrics: bool = False
    has_json: bool = False
    is_whole: bool = False
    tokens: int = 0
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    outline: Outline = NO_OUTLINE
    hints: Hints = NO_HINTS
    dialect: str = "duckdb"

    @property
    def join_lines(self) -> tuple[str, ...]:
        """How tables that are surely meant can be joined: each join once, then what is to be said of them."""
        return (*self.joins.lines(self.dialect, self.hints.joined), *self.joins.sentences(self.dialect))

    @property
    def further_join_lines(self) -> tuple[str, ...]:
        """Of `join_lines` what no REFERENCES says, where all tables are shown in full. Of 281 questions with right SQL
        200 were told of joins, and 103 of these need none; one of 140 joins in the SQL stood in no REFERENCES."""
        lines = self.joins.lines(self.dialect, self.hints.joined, with_keys=not self.is_whole)
        return (*lines, *self.joins.sentences(self.dialect))

    @property
    def likely_names(self) -> tuple[str, ...]:
        """The tables that the question may need, as SQL has them; none where these are most of all."""
        few = 2 * len(self.hints.tables) >= len(self.tables) + len(self.listed) and not self.outline.text
        return () if few else tuple(written_name(name, self.dialect) for name in self.hints.tables)

    def written(self, column: ColumnRef) -> str:
        """The column with its table, as they have to be written in SQL."""
        return f"{written_name(column.table, self.dialect)}.{written_name(column.column, self.dialect)}"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whether anything in the project is near the question at all, and by how much `evidence` (in units of a cosine,
    about -0.4 to 1.6); `nearest` are table names to tell the user."""

    in_scope: bool
    evidence: float
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """Everything retrieval found for one question. `candidates` are the tables, best first, that a language model is to
    choose from, each with its text; none where retrieval chooses."""

    schema: SchemaContext
    tables: tuple[ScoredTable, ...]
    scope: Scope
    samples: tuple[SampleSql, ...] = ()
    instructions: tuple[InstructionText, ...] = ()
    functions: tuple[str, ...] = ()
    values: tuple[ValueMatch, ...] = field(default_factory=tuple)
    candidates: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sections:
    """The project's model and its saved knowledge, in the editions that the ask is about."""

    model: Section
    knowledge: Section
