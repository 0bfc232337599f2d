"""Which tables and columns go into prompts, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from askwell.mdl.ddl_facts import BRIEF, WHOLE
from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import SchemaContext
from askwell.pipelines.retrieval.model_text import Link, ModelText
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.schema_writing import Shown, schema_of, written_schema

# Columns that a table is shown with even when there is no room for them.
_LEAST_COLUMNS = 3
# The share of the room that tables may take with nothing but those: the rest is for the columns that are asked for.
_TABLES_SHARE = 0.6
# The share of the room for columns near the question that the nearest take with their comments, where not all have room
# even without: a column that is only named can still be used.
_COMMENTED_SHARE = 0.6
# Names that are told of what is left out, where there is room for them: columns a table, and tables.
_MOST_NAMED = 20
# The longest line below a table that says how many columns are left out, with no name.
_COUNT_LINE = len("\n-- Columns left out here: 99999")
_AND_MORE = len(" and 99999 more")


@dataclass(frozen=True, slots=True)
class ColumnWishes:
    """What speaks for a column: `named` by a value or a saved pair, and its `similarity` to the question."""

    named: frozenset[ColumnRef]
    similarity: Mapping[ColumnRef, float]


def whole_model(prepared: PreparedModel, best_first: Sequence[str]) -> SchemaContext:
    """Everything: a model that fits needs no choosing."""
    text, model = prepared.text, prepared.model
    known = [name for name in best_first if name in model.tables]
    return schema_of(model, text.all_columns, text.whole, known, text.links(list(model.tables)), is_whole=True)


def part_of_model(
    prepared: PreparedModel, tables: Sequence[str], wishes: ColumnWishes, token_budget: int
) -> SchemaContext:
    """These tables, best first, each with as many columns as the budget allows: essential ones, primary keys, columns
    that the shown tables join by, columns named by pairs or values, then by similarity to the question.

    `tokens` is at most the budget. A budget that has no room for one table gets the best one without comments, with
    three columns at most.
    """
    links = prepared.text.links(tables)
    room = 4 * token_budget
    whole = {name: prepared.text.table(name, WHOLE) for name in tables}
    if sum(text.whole_size for text in whole.values()) + sum(link.size for link in links) <= room:
        shown = {name: Shown(text, dict.fromkeys(text.columns, True)) for name, text in whole.items()}
        return written_schema(prepared.model, shown, links)
    filling = _Filling(prepared, wishes, room)
    filling.admit(tables)
    filling.fill([link for link in links if link.needs.keys() <= filling.shown.keys()])
    return filling.context()


class _Filling:
    """Spends `room`, in characters, on what matters most. What was taken stays."""

    def __init__(self, prepared: PreparedModel, wishes: ColumnWishes, room: int) -> None:
        self.shown: dict[str, Shown] = {}
        self._model = prepared.model
        self._texts: ModelText = prepared.text
        self._wishes = wishes
        self._room = room
        self._links: list[Link] = []
        self._left_out: tuple[str, ...] = ()

    def admit(self, tables: Sequence[str]) -> None:
        """Take the tables that have room in their smallest form. The best one always has."""
        floor = self._room * (1 - _TABLES_SHARE)
        without: list[str] = []
        for name in tables:
            text = self._texts.table(name, BRIEF)
            columns = self._most_needed(name)
            cost = sum(text.sizes[column][0] for column in columns)
            frame = text.frame_size() + _COUNT_LINE
            bare = False
            if not self.shown and self._room < frame + cost:
                bare, frame = True, text.frame_size(bare=True) + _COUNT_LINE
            elif self.shown and self._room - frame - cost < floor:
                without.append(name)
                continue
            self._room -= frame + cost
            self.shown[name] = Shown(text, dict.fromkeys(columns, False), bare)
        if without:
            self._leave_out(without)

    def fill(self, links: Sequence[Link]) -> None:
        """Take columns, in the order that `part_of_model` tells, and the ways to join by them."""
        tables = [self._model.tables[name] for name in self.shown]
        for table in tables:
            for column in table.columns:
                if column.essential:
                    self._take({table.name: (column.name,)})
        for table in tables:
            self._take({table.name: table.primary_key})
        later = [link for link in links if not self._take_link(link)]
        for ref in sorted(self._wishes.named):
            if ref.table in self.shown and ref.column in self.shown[ref.table].text.columns:
                self._take({ref.table: (ref.column,)})
        self._take_similar()
        for link in later:
            self._take_link(link)
        self._name_left_out()

    def context(self) -> SchemaContext:
        """What was taken, as a text."""
        return written_schema(self._model, self.shown, self._links, self._left_out)

    def _most_needed(self, name: str) -> list[str]:
        """The columns of a table in its smallest form."""
        table = self._model.tables[name]

        def need(column: str) -> tuple[bool, bool, float]:
            ref = ColumnRef(name, column)
            return column in essential_or_key, ref in self._wishes.named, self._wishes.similarity.get(ref, 0.0)

        essential_or_key = {column.name for column in table.columns if column.essential} | set(table.primary_key)
        names = [column.name for column in table.columns]
        return sorted(names, key=need, reverse=True)[:_LEAST_COLUMNS]

    def _leave_out(self, tables: Sequence[str]) -> None:
        sentence = f"There was no room for: {_listed(tables, self._room // 2)}."
        if len(sentence) < self._room:
            self._room -= len(sentence) + 1
            self._left_out = (sentence,)

    def _take(self, columns: Mapping[str, Collection[str]], extra: int = 0) -> bool:
        """Take columns of shown tables together, with their comments or, where those have no room, without."""
        for commented in (True, False):
            cost = extra + sum(self._cost(table, name, commented) for table, names in columns.items() for name in names)
            if cost <= self._room:
                self._room -= cost
                for table, names in columns.items():
                    for name in names:
                        own = self.shown[table].columns
                        own[name] = own.get(name, False) or commented
                return True
        return False

    def _take_link(self, link: Link) -> bool:
        taken = self._take(link.needs, link.size)
        if taken:
            self._links.append(link)
        return taken

    def _take_similar(self) -> None:
        similarity = self._wishes.similarity
        refs = [
            ColumnRef(name, column)
            for name, shown in self.shown.items()
            for column in shown.text.columns
            if not shown.columns.get(column, False)
        ]
        refs.sort(key=lambda ref: -similarity.get(ref, 0.0))
        # What the columns that are still to come would take without their comments.
        rest = sum(self._cost(ref.table, ref.column, False) for ref in refs)
        kept_for_others = self._room * (1 - _COMMENTED_SHARE)
        for ref in refs:
            bare = self._cost(ref.table, ref.column, False)
            commented = self._cost(ref.table, ref.column, True)
            rest -= bare
            if self._room - commented >= min(rest, kept_for_others):
                self.shown[ref.table].columns[ref.column] = True
                self._room -= commented
            elif bare <= self._room:
                self.shown[ref.table].columns.setdefault(ref.column, False)
                self._room -= bare
        left_out: dict[str, list[str]] = {}
        for ref in refs:
            if ref.column not in self.shown[ref.table].columns:
                left_out.setdefault(ref.table, []).append(ref.column)
        for name, shown in self.shown.items():
            shown.left_out = left_out.get(name, [])

    def _name_left_out(self) -> None:
        """Name columns that are left out, the nearest first, with the room that is still there."""
        for shown in self.shown.values():
            if shown.left_out and not shown.bare:
                self._room -= _AND_MORE
                sizes = [len(name) + 2 for name in shown.left_out[:_MOST_NAMED]]
                while shown.named < len(sizes) and sizes[shown.named] <= self._room:
                    self._room -= sizes[shown.named]
                    shown.named += 1

    def _cost(self, table: str, column: str, commented: bool) -> int:
        """The characters that the column takes beyond those that it has."""
        shown = self.shown[table]
        bare, whole = shown.text.sizes[column]
        has = shown.columns.get(column)
        if has is None:
            return whole if commented else bare
        return whole - bare if commented and not has else 0


def _listed(names: Sequence[str], room: int) -> str:
    """The first names, as many as have room and tell something, and how many more there are."""
    shown: list[str] = []
    for name in names[:_MOST_NAMED]:
        room -= len(name) + 2
        if room < 0:
            break
        shown.append(name)
    more = len(names) - len(shown)
    if not shown:
        return f"{more} tables"
    return ", ".join(shown) + (f" and {more} more" if more else "")
