"""Which tables and columns go into prompts, within a budget of tokens.

From tables, columns and joins that were chosen to the text of a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from askwell.mdl.prompt_facts import BRIEF, WHOLE
from askwell.mdl.prompt_schema import TableText
from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import NO_OUTLINE, Hints, Outline, SchemaContext
from askwell.pipelines.retrieval.joins import Joins
from askwell.pipelines.retrieval.model_text import LINES_HEADING, Link, ModelText, estimated_tokens
from askwell.pipelines.retrieval.prepared import PreparedModel

# Columns that a table is shown with even when there is no room for them.
_LEAST_COLUMNS = 3
# The share of the room that tables may take with nothing but those: the rest is for the columns that are asked for.
_TABLES_SHARE = 0.6
# The share of the room for columns near the question that the nearest take with their comments, where not all have room
# even without: a column that is only named can still be used.
_COMMENTED_SHARE = 0.6
# The share of all room that tables with one line each may count on.
_LINES_SHARE = 0.25
# Tables that get one line each. Of 1,500 questions against the 793 tables of Spider's training set, all tables were
# among the first 10 for 88.3%, the first 60 for 98.0%, the first 110 for 98.9% and the first 200 for 99.4%.
_MOST_LINES = 100
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


def whole_model(prepared: PreparedModel, best_first: Sequence[str], hints: Hints | None = None) -> SchemaContext:
    """Everything: a model that fits needs no choosing. All joins are told where there are no `hints`."""
    text, model = prepared.text, prepared.model
    known = [name for name in best_first if name in model.tables]
    links = text.links(list(model.tables))
    hints = Hints(tuple(known), tuple(model.tables)) if hints is None else hints
    return schema_of(prepared, text.all_columns, text.whole, known, links, hints=hints)


def part_of_model(
    prepared: PreparedModel,
    tables: Sequence[str],
    wishes: Callable[[], ColumnWishes],
    token_budget: int,
    further: Sequence[str] = (),
    hints: Hints | None = None,
    outline: Outline = NO_OUTLINE,
) -> SchemaContext:
    """These tables, best first, each with as many columns as the budget allows: essential ones, primary keys, columns
    that the shown tables join by, columns named by pairs or values, then by similarity to the question. Tables that
    have no room, and the `further` ones, get a line each while there is room; those of the `outline`, which takes no
    room of the others, have one already. All joins are told where there are no `hints`.

    `tokens` is at most the budget. A budget that has no room for one table gets the best one without comments, with
    three columns at most. `wishes` is only asked where something has to be left out.
    """
    room = 4 * token_budget
    hints = Hints(tuple(tables), (*tables, *further)) if hints is None else hints
    stated = set(hints.joined)
    further = () if outline.columns else further
    kept = _kept_for_lines(prepared, further, room)
    links = [one if one.ends <= stated else replace(one, size=0) for one in prepared.text.links(tables)]
    written = partial(written_schema, prepared, outline=outline, hints=hints)
    whole = {name: prepared.text.table(name, WHOLE) for name in tables}
    size = sum(text.whole_size for text in whole.values()) + sum(link.size for link in links)
    if size <= room - kept:
        shown = {name: Shown.whole(text) for name, text in whole.items()}
        lines = Lines(prepared, shown, room - size, stated)
        lines.add(further)
        return written(shown, [*links, *lines.links], (), lines.listed)
    filling = _Filling(prepared, wishes(), room - kept)
    without = filling.admit(tables)
    more = max(0, min(_kept_for_lines(prepared, (*without, *further), room) - kept, filling.room))
    kept += more
    filling.room -= more
    filling.fill([link for link in links if link.needs.keys() <= filling.shown.keys()])
    lines = Lines(prepared, filling.shown, filling.room + kept, stated)
    lines.add([name for name in (*without, *further) if name not in outline.columns])
    left_out = _left_out([name for name in without if name not in (*lines.listed, *outline.columns)], lines.room)
    return written(filling.shown, [*filling.links, *lines.links], left_out, lines.listed)


def _kept_for_lines(prepared: PreparedModel, further: Sequence[str], room: int) -> int:
    """The characters that the lines of further tables may count on."""
    return min(int(room * _LINES_SHARE), sum(len(prepared.text.line(name).text) + 1 for name in further[:_MOST_LINES]))


def _left_out(tables: Sequence[str], room: int) -> tuple[str, ...]:
    if not tables:
        return ()
    sentence = f"Left out for lack of space: {_listed(tables, room // 2)}."
    return (sentence,) if len(sentence) < room else ()


class Lines:
    """Tables that get one line each below those that are `shown`, with the ways of the model to join them to others of
    those `told` of, as long as there is `room`, in characters."""

    def __init__(self, prepared: PreparedModel, shown: Mapping[str, Shown], room: int, stated: Set[str]) -> None:
        self.room = room
        self._told = stated
        self.listed: list[str] = []
        self.links: list[Link] = []
        self._texts = prepared.text
        self._columns: dict[str, Set[str]] = {name: one.columns.keys() for name, one in shown.items()}

    def add(self, tables: Sequence[str]) -> None:
        """Take the tables that have room, in their order."""
        heading = len(LINES_HEADING) + 2
        tables = tables[:_MOST_LINES]
        links = self._texts.links_of_lines(list(self._columns), tables)
        for name in tables:
            line = self._texts.line(name)
            cost = len(line.text) + 1 + (0 if self.listed else heading)
            if cost > self.room:
                continue
            self.room -= cost
            self.listed.append(name)
            self._columns[name] = set(line.columns)
            for link in links[name]:
                if link.ends <= self._told and link.size <= self.room and self._has(link):
                    self.room -= link.size
                    self.links.append(link)

    def _has(self, link: Link) -> bool:
        """Whether the columns that a join needs are all told of."""
        return all(self._columns.get(table, set()) >= set(names) for table, names in link.needs.items())


class _Filling:
    """Spends `room`, in characters, on what matters most. What was taken stays."""

    def __init__(self, prepared: PreparedModel, wishes: ColumnWishes, room: int) -> None:
        self.shown: dict[str, Shown] = {}
        self.room = room
        self.links: list[Link] = []
        self._model = prepared.model
        self._texts: ModelText = prepared.text
        self._wishes = wishes

    def admit(self, tables: Sequence[str]) -> list[str]:
        """Take the tables that have room in their smallest form, and give the others. The best one always has."""
        floor = self.room * (1 - _TABLES_SHARE)
        without: list[str] = []
        for name in tables:
            text = self._texts.table(name, BRIEF)
            columns = self._most_needed(name)
            cost = sum(text.sizes[column][0] for column in columns)
            frame = text.frame_size() + _COUNT_LINE
            bare = False
            if not self.shown and self.room < frame + cost:
                bare, frame = True, text.frame_size(bare=True) + _COUNT_LINE
            elif self.shown and self.room - frame - cost < floor:
                without.append(name)
                continue
            self.room -= frame + cost
            self.shown[name] = Shown(text, dict.fromkeys(columns, False), bare)
        return without

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

    def _most_needed(self, name: str) -> list[str]:
        """The columns of a table in its smallest form."""
        table = self._model.tables[name]

        def need(column: str) -> tuple[bool, bool, float]:
            ref = ColumnRef(name, column)
            return column in essential_or_key, ref in self._wishes.named, self._wishes.similarity.get(ref, 0.0)

        essential_or_key = {column.name for column in table.columns if column.essential} | set(table.primary_key)
        names = [column.name for column in table.columns]
        return sorted(names, key=need, reverse=True)[:_LEAST_COLUMNS]

    def _take(self, columns: Mapping[str, Collection[str]], extra: int = 0) -> bool:
        """Take columns of shown tables together, with their comments or, where those have no room, without."""
        for commented in (True, False):
            cost = extra + sum(self._cost(table, name, commented) for table, names in columns.items() for name in names)
            if cost <= self.room:
                self.room -= cost
                for table, names in columns.items():
                    for name in names:
                        own = self.shown[table].columns
                        own[name] = own.get(name, False) or commented
                return True
        return False

    def _take_link(self, link: Link) -> bool:
        taken = self._take(link.needs, link.size)
        if taken:
            self.links.append(link)
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
        kept_for_others = self.room * (1 - _COMMENTED_SHARE)
        for ref in refs:
            bare = self._cost(ref.table, ref.column, False)
            commented = self._cost(ref.table, ref.column, True)
            rest -= bare
            if self.room - commented >= min(rest, kept_for_others):
                self.shown[ref.table].columns[ref.column] = True
                self.room -= commented
            elif bare <= self.room:
                self.shown[ref.table].columns.setdefault(ref.column, False)
                self.room -= bare
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
                self.room -= _AND_MORE
                sizes = [len(name) + 2 for name in shown.left_out[:_MOST_NAMED]]
                while shown.named < len(sizes) and sizes[shown.named] <= self.room:
                    self.room -= sizes[shown.named]
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


@dataclass(slots=True)
class Shown:
    """A table that is shown, and its shown columns, each with whether its comments are; `bare` is without its own."""

    text: TableText
    columns: dict[str, bool] = field(default_factory=dict)
    bare: bool = False
    left_out: Sequence[str] = ()
    named: int = 0

    @classmethod
    def whole(cls, text: TableText) -> Shown:
        """The table with everything."""
        return cls(text, dict.fromkeys(text.columns, True))

    def in_order(self) -> tuple[str, ...]:
        """The shown columns in the order of the table."""
        return tuple(column for column in self.text.columns if column in self.columns)

    def written(self) -> str:
        """Its text."""
        if not self.bare and len(self.columns) == len(self.text.columns) and all(self.columns.values()):
            return self.text.whole
        return self.text.written(
            self.columns,
            bare=self.bare,
            without_comments={column for column, commented in self.columns.items() if not commented},
            left_out=self.left_out,
            named=self.named,
        )


def written_schema(
    prepared: PreparedModel,
    shown: Mapping[str, Shown],
    links: Iterable[Link],
    left_out: tuple[str, ...] = (),
    listed: Sequence[str] = (),
    *,
    hints: Hints,
    outline: Outline = NO_OUTLINE,
) -> SchemaContext:
    """The schema with these tables, best first, then those that are `listed` on one line each, and the ways to join
    them; `left_out` are sentences. The text has both in the order of the model."""
    columns = {name: one.in_order() for name, one in shown.items()}
    place = prepared.text.place.__getitem__
    texts = [outline.text] if outline.text else []
    texts += [shown[name].written() for name in sorted(shown, key=place)]
    if listed:
        texts.append("\n".join([LINES_HEADING, *(prepared.text.line(name).text for name in sorted(listed, key=place))]))
    listed = [*listed, *(name for name in outline.columns if name not in shown)]
    made = schema_of(prepared, columns, "\n\n".join(texts), list(shown), links, left_out, listed, hints=hints)
    return replace(made, outline=outline)


def schema_of(
    prepared: PreparedModel,
    columns: Mapping[str, tuple[str, ...]],
    text: str,
    best_first: Sequence[str],
    links: Iterable[Link],
    left_out: tuple[str, ...] = (),
    listed: Sequence[str] = (),
    *,
    hints: Hints,
) -> SchemaContext:
    """The schema with a text that was made of these columns and lines."""
    texts = prepared.text
    is_whole = text is texts.whole
    joins = Joins(tuple(link.edge for link in links))
    # A whole model reads the same whatever the question is, so that servers find it in their caches.
    in_lines = columns if is_whole else (*best_first, *listed)
    lines = joins.lines(texts.dialect, hints.joined)
    return SchemaContext(
        text=text,
        tables=tuple(best_first),
        columns=columns,
        joins=joins,
        left_out=left_out,
        has_epoch=texts.has_epoch,
        has_calculated_fields=texts.has_calculated_fields,
        has_metrics=texts.has_metrics,
        has_json=texts.has_json,
        is_whole=is_whole,
        tokens=estimated_tokens("\n".join([text, *lines, *left_out])),
        listed={name: texts.line(name).columns for name in listed},
        lines=tuple(texts.line(name).text for name in in_lines),
        hints=hints,
        dialect=texts.dialect,
    )
