"""Links between tables that no relationship declares: by names, and by values, which are looked at within bounds."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.join_graph import JoinGraph
from askwell.mdl.links import (
    LinkNames,
    NamedLink,
    NameEvidence,
    ValueEvidence,
    confidence,
    declared_keys,
    likely_keys,
    link_words,
    may_refer,
    referring_columns,
)
from askwell.mdl.semantic_model import Cardinality, LinkCandidate, Relationship, SemanticModel, TableKind
from askwell.mdl.types import comparable
from askwell.services.value_probe import ColumnProfile, Refused, ValueProbe
from askwell.sql.checker import SqlChecker

# Below this probability it hardly happens by accident that all values of a column are keys.
_BY_ACCIDENT = 0.01
_FEWEST_VALUES = 3
# Real data has some orphans; where the name says less, there may be none.
_SHARE_THERE = {NameEvidence.KEY: 0.9, NameEvidence.TABLE: 0.9, NameEvidence.ROLE: 0.9, NameEvidence.PART: 0.95}
_SHARE_THERE |= {NameEvidence.BARE: 0.95}
# A draft takes so many for granted where a key's name says what it is, if there are more others: a small table has few
# rows. On Spider's tuning databases that finds one more key, and two links that are not declared.
_FEW_ORPHANS = 2
# In a smaller table many a column has a value of its own in each row.
_FEWEST_ROWS = 20
# Columns of a table that are looked at at once.
_MOST_COLUMNS = 40
# Columns of keys of a kind that are looked for in other tables.
_MOST_KINDS = 20
# Pairs of columns of which only the values may tell, that are looked at.
_MOST_PAIRS = 400
# Tables that are asked for a kind of row.
_MOST_HOLDINGS = 100


@dataclass(frozen=True, slots=True)
class Seen:
    """What the data says for a link: how many different values were found to be among the keys, 0 where none was looked
    at, and that in words."""

    values: int
    words: str


@dataclass(frozen=True, slots=True)
class Inferred:
    """What was found: `keys` are columns that tell all rows of a table apart, where the model knows no key of it;
    `links` the surest first."""

    keys: Mapping[str, str] = field(default_factory=dict)
    links: tuple[LinkCandidate, ...] = ()


async def infer_links(
    model: SemanticModel, probe: ValueProbe | None, *, views: Set[str] | None = None, drafts: bool = True
) -> Inferred:
    """The links that the model's relationships lack, one at most for a column but where several are equally likely.
    What `drafts` a model takes a few orphans of small tables for granted. `probe` looks at values (None: there is no
    database to look at); `views` are the database's own, which refer to nothing themselves: where they are not known,
    tables that look like it."""
    inference = _Inference(model, probe, _copies_of_others(model) if views is None else views, drafts)
    await inference.find_keys()
    named = await asyncio.to_thread(inference.named)
    for candidates in named:
        await inference.weigh(candidates)
    inference.settle()
    await inference.look_further()
    await inference.look_for_kinds()
    links = sorted(inference.links, key=lambda link: (-link.confidence, link.table, link.column, link.to_table))
    return Inferred(inference.guessed, tuple(links))


async def link_candidates(model: SemanticModel, checker: SqlChecker) -> tuple[LinkCandidate, ...] | None:
    """What prompts may mention beside the relationships of a model; None where these connect all of its tables, so
    that nothing is looked for."""
    tables = [table.name for table in model if table.kind is TableKind.MODEL]
    if len(JoinGraph(model).groups(tables)) < 2:
        return None
    return (await infer_links(model, ValueProbe(model, checker))).links


async def look_at_values(
    probe: ValueProbe | None, here: tuple[str, str], there: tuple[str, str], share: float, orphans: int = 0
) -> Seen | None:
    """Whether the values of a column (`here`, as table and column) are among those of another, at least this
    `share` of them, or most and all but so many `orphans`; None where they are not, or cannot be."""
    (left, column), (right, to_column) = here, there
    link = Relationship("", left, right, Cardinality.MANY_TO_ONE, ((column, to_column),))
    try:
        found = await probe.found(link) if probe is not None else None
    except Refused:
        return None
    if found is None:
        return Seen(0, "its values were not looked at")
    values, known = found
    if values == 0:
        return Seen(0, "there are no values to look at")
    if known < values * share and not known > values - known <= orphans:
        return None
    words = f"all {values} values looked at are there" if known == values else f"{known} of {values} values are there"
    return Seen(values, words)


@dataclass(frozen=True, slots=True)
class _WeighedLink:
    link: NamedLink
    values: ValueEvidence
    seen: str
    confidence: float

    @property
    def rank(self) -> tuple[bool, NameEvidence]:
        """What says more of two links of a column comes first: values that are there, then names."""
        return self.values is ValueEvidence.UNSEEN, self.link.evidence


class _Inference:
    def __init__(self, model: SemanticModel, probe: ValueProbe | None, apart: Set[str], drafts: bool) -> None:
        self._model, self._drafts = model, drafts
        self._probe = probe
        self._tables = [table for table in model if table.kind is TableKind.MODEL]
        self._referring = [table for table in self._tables if table.name not in apart]
        self.guessed: dict[str, str] = {}
        # Elsewhere a number and a text are never equal, or the first text that is no number fails.
        self._compares_any = sql_dialect(model.data_source) == "sqlite"
        self._keys = declared_keys(self._tables)
        self._taken = referring_columns(model)
        self._joined = {frozenset((one.left, one.right)) for one in model.relationships}
        self._profiles: dict[str, Mapping[str, ColumnProfile]] = {}
        self._order = {table.name: number for number, table in enumerate(self._tables)}
        self._likeliest: list[list[_WeighedLink]] = []
        self.links: list[LinkCandidate] = []

    async def find_keys(self) -> None:
        """Columns that names call the key of a table without one, and that tell its rows apart."""
        likely = likely_keys(self._tables)
        for table in self._referring:
            if table.name in self._keys:
                continue
            columns = likely.get(table.name, [])
            if self._probe is None:
                self._keys.update((table.name, column.name) for column in columns[:1])
                continue
            for column in columns:
                if await self._is_unique(table.name, column.name):
                    self._keys[table.name] = self.guessed[table.name] = column.name
                    break

    def named(self) -> list[tuple[NamedLink, ...]]:
        """What names tell of columns that no relationship uses, the most telling first."""
        free = (links for links in LinkNames(self._referring, self._keys).links() if links[0].here not in self._taken)
        found = [left for links in free if (left := tuple(link for link in links if not self._is_told(link)))]
        return sorted(found, key=lambda candidates: candidates[0].evidence)

    def _is_told(self, link: NamedLink) -> bool:
        """Whether a relationship says already how the tables of two keys belong together."""
        return self._are_keys(link) and frozenset((link.table, link.to_table)) in self._joined

    def _are_keys(self, link: NamedLink) -> bool:
        return all(self._keys.get(table) == column for table, column in (link.here, link.there))

    async def weigh(self, candidates: Sequence[NamedLink]) -> None:
        """Take what the values of a column do not speak against: the likeliest, and those that are as likely."""
        weighed = [found for link in candidates if (found := await self._weighed(link)) is not None]
        likeliest = [found for found in weighed if found.rank == min(one.rank for one in weighed)]
        if likeliest:
            self._likeliest.append(likeliest)

    def settle(self) -> None:
        """Take what names tell. Of two keys that refer to each other, the one that more refer to is the other's; a
        column refers to the key that its rivals refer to themselves."""
        refers = {(found.link.here, found.link.there) for rivals in self._likeliest for found in rivals}
        incoming = Counter(there for _, there in refers)

        def place(key: tuple[str, str]) -> tuple[int, int]:
            return incoming[key], -self._order[key[0]]

        turned = {(here, there) for here, there in refers if (there, here) in refers and place(here) > place(there)}
        for rivals in self._likeliest:
            left = [found for found in rivals if (found.link.here, found.link.there) not in turned]
            roots = {found.link.there for found in left}
            left = [
                found
                for found in left
                if not any((found.link.there, root) in refers - turned for root in roots - {found.link.there})
            ]
            for found in left:
                self._take(found, found.confidence / len(left))

    async def look_for_kinds(self) -> None:
        """Keys of a kind of row that another table has: `mechanic_id`, where the role of some of the staff is that."""
        if self._probe is None:
            return
        free = [
            one
            for one in LinkNames(self._referring, self._keys).kinds()
            if (one[0].name, one[1].name) not in self._taken
        ]
        holdings: dict[tuple[str, str], str | None] = {}
        for table, column, kind in free[:_MOST_KINDS]:
            for parent in self._tables:
                key, asked = parent.column(self._keys.get(parent.name, "")), (parent.name, kind)
                if key is None or parent is table or not comparable(column.type, key.type):
                    continue
                if asked not in holdings and len(holdings) < _MOST_HOLDINGS:
                    holdings[asked] = await self._probe.holding(*asked)
                if (holding := holdings.get(asked)) is None:
                    continue
                reason = f"{column.name} names a {holding} of {parent.name}"
                link = NamedLink(table.name, column.name, parent.name, key.name, NameEvidence.ROLE, reason)
                found = await self._weighed(link)
                if found is not None and found.values is not ValueEvidence.UNSEEN:
                    self._take(found, found.confidence)
                    break

    async def look_further(self) -> None:
        """Links that only values tell."""
        if self._probe is None:
            return
        looked = 0
        for link in self._pairs(await self._profiled()):
            if (link.table, link.column) in self._taken:
                continue
            looked += 1
            if looked > _MOST_PAIRS:
                return
            found = await self._weighed(link)
            if found is not None and found.values is ValueEvidence.TELLING and await self._is_key(link):
                self._take(found, found.confidence)

    async def _weighed(self, link: NamedLink) -> _WeighedLink | None:
        """What the values say for a link; None where they speak against it."""
        if not self._compares_any and not comparable(self._type(*link.here), self._type(*link.there)):
            return None
        values, seen = await self._look(link)
        if values is None or (link.needs_values and values is ValueEvidence.UNSEEN):
            return None
        if self._joined and link.evidence is NameEvidence.SAME and self._are_keys(link):
            if values is not ValueEvidence.TELLING:
                return None  # where links are declared, rows that are numbered from 1 are no link
        sure = confidence(link.evidence, values)
        return _WeighedLink(link, values, seen, sure) if sure else None

    async def _look(self, link: NamedLink) -> tuple[ValueEvidence | None, str]:
        is_named = link.evidence in (NameEvidence.KEY, NameEvidence.TABLE) and not link.needs_values
        orphans = _FEW_ORPHANS if self._drafts and is_named else 0
        share = _SHARE_THERE.get(link.evidence, 1.0)
        seen = await look_at_values(self._probe, link.here, link.there, share, orphans)
        if seen is None or not seen.values:
            return (None if seen is None else ValueEvidence.UNSEEN), (seen.words if seen else "")
        telling = await self._accident(link, seen.values) < _BY_ACCIDENT
        return ValueEvidence.TELLING if telling else ValueEvidence.THERE, seen.words

    async def _accident(self, link: NamedLink, values: int) -> float:
        """How probable it is that so many values in the range of the keys are all keys."""
        profile = (await self._profile(link.to_table)).get(link.to_column)
        if profile is None:
            return 1.0
        if profile.density is None:  # texts
            return 0.0 if min(values, profile.distinct) >= _FEWEST_VALUES else 1.0
        return float(profile.density**values) if profile.whole else 1.0

    def _take(self, found: _WeighedLink, confidence: float) -> None:
        self._taken.add(found.link.here)
        self.links.append(found.link.candidate(self._model, confidence, found.seen))

    async def _is_key(self, link: NamedLink) -> bool:
        known = self._keys.get(link.to_table) == link.to_column
        return known or await self._is_unique(link.to_table, link.to_column)

    async def _is_unique(self, table: str, column: str) -> bool:
        try:
            return self._probe is not None and await self._probe.tells_rows_apart(table, column) is True
        except Refused:
            return False

    async def _profile(self, table: str) -> Mapping[str, ColumnProfile]:
        if table not in self._profiles and self._probe is not None:
            columns = [column.name for column in self._model.tables[table].columns if may_refer(column)]
            self._profiles[table] = await self._probe.profiles(table, columns[:_MOST_COLUMNS])
        return self._profiles.get(table, {})

    async def _profiled(self) -> dict[tuple[str, str], ColumnProfile]:
        return {
            (table.name, column): profile
            for table in self._referring
            for column, profile in (await self._profile(table.name)).items()
        }

    def _pairs(self, profiles: Mapping[tuple[str, str], ColumnProfile]) -> Iterator[NamedLink]:
        """Columns whose values may be those of a key, by their number and range, or of a column of the same name."""
        yield from self._namesakes(profiles)
        keys = [(table, key, profiles[table, key]) for table, key in self._keys.items() if (table, key) in profiles]
        for (table, column), profile in profiles.items():
            if self._keys.get(table) == column or column.lower() in link_words("common"):
                continue
            kind = self._type(table, column)
            for to_table, key, there in keys:
                fits = to_table != table and comparable(kind, self._type(to_table, key))
                if fits and _may_be_among(profile, there):
                    yield NamedLink(table, column, to_table, key, NameEvidence.NONE, "the values tell it")

    def _namesakes(self, profiles: Mapping[tuple[str, str], ColumnProfile]) -> Iterator[NamedLink]:
        """Columns of the same name, where one has a value of its own in each row."""
        places: dict[str, list[tuple[str, str]]] = {}
        for table, column in profiles:
            if column.lower() not in link_words("common"):
                places.setdefault(column.lower(), []).append((table, column))
        for same in places.values():
            for to_table, to_column in same:
                there = profiles[to_table, to_column]
                for table, column in same if there.rows == there.distinct >= _FEWEST_ROWS else ():
                    fits = comparable(self._type(table, column), self._type(to_table, to_column))
                    if table != to_table and fits and _may_be_among(profiles[table, column], there):
                        reason = f"{column} is called so in {to_table}"
                        yield NamedLink(table, column, to_table, to_column, NameEvidence.SAME, reason)

    def _type(self, table: str, column: str) -> str:
        found = self._model.tables[table].column(column)
        return found.type if found is not None else ""


def _may_be_among(here: ColumnProfile, there: ColumnProfile) -> bool:
    """Whether the values of one column may all be among those of a key, and not by accident."""
    if here.distinct < _FEWEST_VALUES or (there.whole and here.distinct > there.distinct):
        return False
    density = there.density
    if (density is None) != (here.density is None):
        return False
    if density is None:
        return True
    inside = float(here.low) >= float(there.low) and float(here.high) <= float(there.high)
    return there.whole and inside and density**here.distinct < _BY_ACCIDENT


def _copies_of_others(model: SemanticModel) -> frozenset[str]:
    """Tables without a key that mostly repeat columns of others, and not only their keys: the database's own views,
    which nobody joins to what they are made of."""
    keyed = [table for table in model if table.primary_key]
    keys = {name.lower() for table in keyed for name in table.primary_key}
    facts = {column.name.lower() for table in keyed for column in table.columns} - keys
    names = facts | keys
    return frozenset(
        table.name
        for table in model
        if not table.primary_key
        and any(column.name.lower() in facts for column in table.columns)
        and 2 * sum(column.name.lower() in names for column in table.columns) >= len(table.columns)
    )
