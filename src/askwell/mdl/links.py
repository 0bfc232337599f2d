"""Links between tables that no relationship declares, as far as names and types suggest them.

`LinkNames` looks at every column of a model; `services.link_evidence` looks at the values as well. `likely_keys` are
the columns whose names call them the key of a table that declares none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache

from askwell.mdl.abbreviations import SchemaWords, kept_of, written_out
from askwell.mdl.names import is_left_of, singular, words
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, LinkCandidate, SemanticModel, Table, TableKind
from askwell.mdl.types import TypeFamily, comparable, type_family
from askwell.resources import words_file

# So many of a table's columns, or of the tables, share a first word before it counts as a prefix.
_SHARE_WITH_PREFIX = 0.6
_FEWEST_WITH_PREFIX = 3
_SHORTEST_SUBJECT = 2
# A name that is that of more keys than this tells nothing.
_MOST_PARENTS = 6
# A key whose name is the end of another column's has at least so many letters.
_SHORTEST_KEY = 5
_SHORTEST_PREFIX = 2
_KEY_FAMILIES = (TypeFamily.NUMBER, TypeFamily.TEXT, TypeFamily.UNKNOWN)
# The last words of a table's own key, best first; a name only where there is nothing else.
_OWN_KEY_WORDS = ("id", "key", "code", "cd", "no", "nr", "number", "uuid", "guid", "name")
_OWN_INITIALS, _OWN_SHORTENED, _OWN_SHARED, _OWN_NAME = 20, 25, 30, 40


class NameEvidence(IntEnum):
    """How a column's name names a table, the strongest first."""

    KEY = 1  # customer_id, and the key of customers is called so
    TABLE = 2  # customer_id or customerid, and the key of customers is called otherwise
    ROLE = 3  # home_team_id, and there are teams
    SAME = 4  # custid, and the key of accounts is called so
    PART = 5  # claim_id for claim_headers, cust_no for customers
    BARE = 6  # author, chip_model or host_city
    SELF = 7  # reports_to or parent_entry_id, another row of the same table
    NONE = 8


class ValueEvidence(StrEnum):
    """What the data says for a link."""

    TELLING = "telling"  # that so many values are keys would hardly happen by accident
    THERE = "there"  # enough values are keys, as those of many a column would be: 1 to 20
    UNSEEN = "unseen"  # nobody looked, or there is nothing to see


# A table's own `train_number` is no reference to itself, but `parent_train_number` is.
_WITHIN_A_TABLE = (NameEvidence.ROLE, NameEvidence.PART, NameEvidence.SELF)


def confidence(names: NameEvidence, values: ValueEvidence) -> float:
    """How sure a link is (0..1) by its names and values; 0 for one that is none."""
    sure: list[float] = words_file("askwell.mdl", "link_words.yaml")["confidence"][names.name]
    return sure[list(ValueEvidence).index(values)]


@cache
def link_words(kind: str) -> frozenset[str]:
    """The words of one kind in `link_words.yaml`."""
    return frozenset(map(str, words_file("askwell.mdl", "link_words.yaml")[kind]))


@cache
def _doers() -> dict[str, frozenset[str]]:
    """The names of tables to which a column refers by its last words."""
    return {last: frozenset(names) for last, names in words_file("askwell.mdl", "link_words.yaml")["doers"].items()}


@dataclass(frozen=True, slots=True)
class NamedLink:
    """`column` of `table` may hold the values of `to_column` of `to_table`. `reason` says why, in words. With
    `needs_values` that is nothing without them: a number and a text, or two keys."""

    table: str
    column: str
    to_table: str
    to_column: str
    evidence: NameEvidence
    reason: str
    needs_values: bool = False

    @property
    def here(self) -> tuple[str, str]:
        """The table and column that refer."""
        return self.table, self.column

    @property
    def there(self) -> tuple[str, str]:
        """The table and column that are referred to."""
        return self.to_table, self.to_column

    def candidate(self, model: SemanticModel, confidence: float, seen: str = "") -> LinkCandidate:
        """The link with its cardinality, as sure as this; `seen` is what the data says."""
        one = is_key([self.column], model.tables[self.table])
        cardinality = Cardinality.ONE_TO_ONE if one else Cardinality.MANY_TO_ONE
        return LinkCandidate(*self.here, *self.there, cardinality, round(confidence, 2), self.reason, seen)


def is_key(columns: Collection[str], table: Table) -> bool:
    """Whether no two rows have all of these columns alike."""
    return any(key and set(key) <= set(columns) for key in (table.primary_key, *table.unique_keys))


def declared_keys(tables: Sequence[Table]) -> dict[str, str]:
    """The column that is each table's key on its own, where the model has one."""
    found: dict[str, str] = {}
    for table in tables:
        for key in (table.primary_key, *table.unique_keys):
            if len(key) == 1:
                found.setdefault(table.name, key[0])
    return found


def referring_columns(model: SemanticModel) -> set[tuple[str, str]]:
    """The tables and columns that refer to another table by a relationship."""
    return {
        (link.right, there) if link.cardinality is Cardinality.ONE_TO_MANY else (link.left, here)
        for link in model.relationships
        for here, there in link.pairs
    }


def named_links(model: SemanticModel, *, guess_keys: bool) -> Iterator[LinkCandidate]:
    """What names and types suggest for columns that no relationship uses: the strongest for each, several where several
    tables are as likely. With `guess_keys` also to keys that only names call so."""
    tables = [table for table in model if table.kind is TableKind.MODEL]
    keys = declared_keys(tables)
    if guess_keys:
        likely = likely_keys(tables)
        keys = {name: found[0].name for name, found in likely.items() if found} | keys
    taken = referring_columns(model)
    for rivals in LinkNames(tables, keys).links():
        best = [link for link in rivals if link.evidence is rivals[0].evidence and not link.needs_values]
        for link in best if rivals[0].here not in taken else ():
            yield link.candidate(model, confidence(link.evidence, ValueEvidence.UNSEEN) / len(best))


def may_refer(column: Column) -> bool:
    """Whether a column may hold keys: a plain one of numbers or texts."""
    return column.role is ColumnRole.PLAIN and type_family(column.type) in _KEY_FAMILIES


# -- names ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A column's name: `subject` are its words without `word`, the one that says it is a key; "" where there is none.
    Words are singular and in lower case, abbreviations among them written out. `own` says that the table's prefix was
    taken away, `plural` that the name is one, and `name` is the whole in one."""

    name: str
    subject: tuple[str, ...]
    word: str
    own: bool = False
    plural: bool = False


def _table_stems(tables: Sequence[Table], keys: Mapping[str, str], words: SchemaWords) -> dict[str, tuple[str, ...]]:
    """The words of each table's name, without a first one that most tables share, that says how the table came about,
    or that is the next one cut short, as its key has it: `hrs_horse` with `hrs_id`."""
    parts = {table.name: words.of(table.name) for table in tables}
    shared = _shared_first(list(parts.values()))
    found = {}
    for name, own in parts.items():
        is_cut = own[1:] and words.of(keys.get(name, ""))[:1] == own[:1] and is_left_of(own[0], own[1])
        found[name] = _stems(without_prefix(own, {shared, own[0]} if is_cut else {shared}))
    return found


def without_prefix(words: tuple[str, ...], prefixes: Collection[str] = ()) -> tuple[str, ...]:
    """The words of a table's name without a first one that only says how the table came about: `tbl`, `T_`."""
    is_prefix = words[:1] and (words[0] in prefixes or words[0] in link_words("tables") or len(words[0]) == 1)
    return words[1:] if is_prefix and len(words) > 1 else words


def without_ending(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a table's name without a last one that says so: `_MST`, `_HDR`."""
    return words[:-1] if len(words) > 1 and words[-1] in link_words("table_endings") else words


def _column_prefix(table: Table, words: SchemaWords) -> str:
    """The first word that most columns of a table share (`cu` of cuId, cuName, cuCity); "" where there is none."""
    return _shared_first([words.of(column.name) for column in table.columns])


def _shared_first(names: Sequence[tuple[str, ...]]) -> str:
    counted = Counter(parts[0] for parts in names if len(parts) > 1)
    first, count = counted.most_common(1)[0] if counted else ("", 0)
    return first if count >= max(_FEWEST_WITH_PREFIX, _SHARE_WITH_PREFIX * len(names)) else ""


def _tokens(parts: tuple[str, ...], prefix: str = "") -> _Tokens:
    """What the words of a column's name say; `prefix` is taken away where it is more than that."""
    while len(parts) > 1 and parts[-1].isdecimal():  # club_id_1 and club_id_2
        parts = parts[:-1]
    if own := bool(prefix) and len(parts) > 1 and parts[0] == prefix:
        parts = parts[1:]
    name = "".join(parts)
    if parts and parts[-1] in link_words("key"):
        return _Tokens(name, _stems(parts[:-1]), parts[-1], own)
    for suffix in sorted(link_words("suffixes"), key=len, reverse=True) if parts else ():
        rest = parts[-1].removesuffix(suffix)
        if rest != parts[-1] and len(rest) >= _SHORTEST_SUBJECT:
            return _Tokens(name, _stems((*parts[:-1], rest)), suffix, own)
    return _Tokens(name, _stems(parts), "", own, plural=bool(parts) and _singular(parts[-1]) != parts[-1])


def _stems(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_singular, written_out(parts)))


def _singular(word: str) -> str:
    return word[:-2] if word.endswith("uses") and word[-5:-4] not in ("o", "a", "") else singular(word)


def _tails(stems: Sequence[str]) -> list[str]:
    return ["".join(stems[start:]) for start in range(len(stems))]


# -- links ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Parent:
    """A table that may be referred to, by its key."""

    table: str
    key: Column
    tokens: _Tokens
    stems: tuple[str, ...]

    @property
    def names_itself(self) -> bool:
        """Whether the key's name is the table's, so that the same name elsewhere means this table."""
        subject = self.tokens.subject[:-1] if self.tokens.subject[-1:] == ("name",) else self.tokens.subject
        return self.tokens.own or not subject or "".join(subject) in _tails(self.stems)


class LinkNames:
    """The names of the tables of a model, looked up: a thousand tables of twenty columns would be twenty million pairs
    to look at. `keys` are the columns that are each table's key on their own."""

    def __init__(self, tables: Sequence[Table], keys: Mapping[str, str]) -> None:
        self._tables = tables
        self._keys = keys
        self._words = SchemaWords(tables)
        self._stems = _table_stems(tables, keys, self._words)
        self._subjects = set(map("".join, self._stems.values()))
        self._prefixes = {table.name: _column_prefix(table, self._words) for table in tables}
        # Parents by what names them: their key, whole name, a part of it, the prefix of their columns, a first letter.
        self._parents: dict[tuple[str, str], list[_Parent]] = {}
        for table in tables:
            key = table.column(keys.get(table.name, ""))
            if key is not None:
                tokens = self._tokens(key, self._prefixes[table.name])
                self._add(_Parent(table.name, key, tokens, self._stems[table.name]))

    def _tokens(self, column: Column, prefix: str = "") -> _Tokens:
        return _tokens(self._words.of(column.name), prefix)

    def _add(self, parent: _Parent) -> None:
        full, stems, prefix = self._tokens(parent.key), parent.stems, self._prefixes[parent.table]
        whole = "".join(stems)
        found = {("whole", whole), ("whole", "".join(without_ending(stems))), ("letter", whole[:1])}
        found |= {("after", last) for last, doers in _doers().items() if stems and stems[-1] in doers}
        if full.subject:
            found |= {("key", full.name), ("key", parent.tokens.name if parent.tokens.subject else full.name)}
        parts = {"".join(stems[start:]) for start in range(1, len(stems))}
        parts |= {"".join(stems[:end]) for end in range(1, len(stems))}
        if len(stems) > 1:
            parts.add("".join(stem[:1] for stem in stems))
        if parent.tokens.own:
            parts |= {prefix, *_tokens((prefix,)).subject}
            found.add(("prefix", prefix))
        for place in found | {("part", part) for part in parts - {whole}}:
            self._parents.setdefault(place, []).append(parent)

    def kinds(self) -> Iterator[tuple[Table, Column, str]]:
        """Columns whose name says that they hold keys, of what no table is called: `mechanic_id`, with "mechanic"."""
        for table in self._tables:
            for column in filter(may_refer, table.columns):
                tokens, own = self._tokens(column), self._keys.get(table.name) == column.name
                if tokens.word and tokens.subject and not own and not self._of_column(table, column):
                    yield table, column, " ".join(tokens.subject)

    def links(self) -> Iterator[tuple[NamedLink, ...]]:
        """For each column whose name names tables, what it may refer to, the strongest first."""
        for table in self._tables:
            for column in table.columns:
                if may_refer(column) and (found := self._of_column(table, column)):
                    yield found

    def _of_column(self, table: Table, column: Column) -> tuple[NamedLink, ...]:
        found: dict[str, NamedLink] = {}
        whole, without = self._tokens(column), self._tokens(column, self._prefixes[table.name])
        own_name = "".join(without.subject) in {"", *_tails(self._stems[table.name])}
        for tokens in (whole, without) if without.own else (whole,):
            for parent, evidence in self._named(table, column, tokens):
                link = self._link(table, column, parent, evidence, own_name=own_name)
                known = found.get(parent.table)
                if link is not None and (known is None or link.evidence < known.evidence):
                    found[parent.table] = link
        if len(found) > _MOST_PARENTS:
            return ()
        return tuple(sorted(found.values(), key=lambda link: link.evidence))

    def _named(self, table: Table, column: Column, tokens: _Tokens) -> Iterator[tuple[_Parent, NameEvidence]]:
        subject, name = tokens.subject, tokens.name
        if not subject:
            return
        common = column.name.lower() in link_words("common") or name in link_words("common")
        of_a_table = "".join(subject) in self._subjects
        for parent in () if common else self._find("key", name):
            if parent.names_itself or not of_a_table:  # the key of fees by campus is that of campuses
                yield parent, NameEvidence.KEY if parent.names_itself else NameEvidence.SAME
        for start, tail in enumerate(_tails(subject)):
            yield from self._by_subject(tail, tokens, start)
        if tokens.word:
            yield from ((parent, NameEvidence.PART) for parent in self._shortened(subject[-1]))
            for start in range(1, len(name) - _SHORTEST_KEY + 1):  # supplier_company_id, citedpaperid
                yield from ((parent, NameEvidence.ROLE) for parent in self._find("key", name[start:]))
        for size in (1, 2):  # approved_by, sold_to
            last = " ".join(words(column.name)[-size:])
            yield from ((parent, NameEvidence.PART) for parent in self._find("after", last))
        measures = tokens.word or subject[-1] in link_words("common")  # order_quantity
        for word in () if measures else subject[:-1]:  # cas_tec_made, where the columns of technicians are tec_
            found = () if word in self._subjects else self._find("prefix", word)
            yield from ((parent, NameEvidence.PART) for parent in found if parent.table != table.name)
        if name in link_words("self") or subject[0] in link_words("self"):
            own = self._find("whole", "".join(self._stems[table.name]))
            yield from ((parent, NameEvidence.SELF) for parent in own if parent.table == table.name)

    def _find(self, kind: str, name: str) -> Sequence[_Parent]:
        return self._parents.get((kind, name), ())

    def _by_subject(self, subject: str, tokens: _Tokens, start: int) -> Iterator[tuple[_Parent, NameEvidence]]:
        for parent in self._find("whole", subject):
            if not tokens.word:
                if not tokens.plural:  # home_games counts them
                    yield parent, NameEvidence.BARE
            elif parent.tokens.word in (tokens.word, "id", "") or not parent.tokens.subject:
                yield parent, NameEvidence.ROLE if start else NameEvidence.TABLE
            else:
                yield parent, NameEvidence.PART
        if tokens.word:
            yield from ((parent, NameEvidence.PART) for parent in self._find("part", subject))

    def _shortened(self, subject: str) -> Iterator[_Parent]:
        if self._find("whole", subject):
            return
        for parent in self._find("letter", subject[:1]):
            if any(kept_of(subject, stem) is not None for stem in ("".join(parent.stems), *parent.stems[-1:])):
                yield parent
        for size in range(_SHORTEST_PREFIX, len(subject)):  # cust for a table whose columns begin with cu
            yield from self._find("prefix", subject[:size])

    def _link(
        self, table: Table, column: Column, parent: _Parent, evidence: NameEvidence, *, own_name: bool
    ) -> NamedLink | None:
        """None where the column does not refer to it. `own_name`: the column has the name of its table, or none."""
        own_key = self._keys.get(table.name) == column.name
        if parent.table == table.name and (own_key or own_name or evidence not in _WITHIN_A_TABLE):
            return None
        if own_key and evidence in (NameEvidence.ROLE, NameEvidence.PART):
            return None
        here, there = type_family(column.type), type_family(parent.key.type)
        mixed = not comparable(column.type, parent.key.type)
        if there not in _KEY_FAMILIES or (mixed and {here, there} != {TypeFamily.NUMBER, TypeFamily.TEXT}):
            return None
        # The key of old_customers says nothing of customers, but that of locations may be restaurant_id.
        two_keys = own_key and (own_name or evidence not in (NameEvidence.KEY, NameEvidence.TABLE))
        said = words_file("askwell.mdl", "link_words.yaml")["reasons"].get(evidence.name, "names")
        reason = f"{column.name} {said} {parent.table}"
        return NamedLink(table.name, column.name, parent.table, parent.key.name, evidence, reason, mixed or two_keys)


# -- keys -----------------------------------------------------------------------------------------------------------


def likely_keys(tables: Sequence[Table]) -> dict[str, list[Column]]:
    """The columns that may be the key of each table that declares none, best first: `id`, its own name with a word for
    a key (`customer_id` or `customerid` of customers and of raw_customers), its initials (`aid` of authors), or a name
    shared with other tables that is no other table's. They are too weak to be believed without a look at the values."""
    hints = _KeyHints(tables)
    return {table.name: hints.keys(table) for table in tables if not table.primary_key}


class _KeyHints:
    def __init__(self, tables: Sequence[Table]) -> None:
        self._words = SchemaWords(tables)
        self._subjects = Counter("".join(_plain_stems(table, self._words)) for table in tables)
        self._columns = Counter(name for table in tables for name in {column.name.lower() for column in table.columns})
        self._declared = {table.primary_key[0].lower() for table in tables if len(table.primary_key) == 1}

    def keys(self, table: Table) -> list[Column]:
        prefix = _column_prefix(table, self._words)
        if singular(prefix) in self._subjects:  # columns that tell of another table
            prefix = ""
        stems = _plain_stems(table, self._words)
        ranked = []
        for column in filter(may_refer, table.columns):
            parts = self._words.of(column.name)
            ranks = [self._rank(stems, column.name, parts), self._rank_without(prefix, stems, column.name, parts)]
            if known := [rank for rank in ranks if rank is not None]:
                ranked.append((min(known), column))
        return [column for _, column in sorted(ranked, key=lambda pair: pair[0])]

    def _rank_without(self, prefix: str, stems: tuple[str, ...], column: str, parts: tuple[str, ...]) -> int | None:
        """The rank of a name without the first word that most columns of its table share."""
        first, *rest = parts or ("",)
        if not prefix or not rest or first != prefix:
            return None
        subject, word = _own_parts(rest)
        own = word not in ("", "name") and not subject
        return 1 + _OWN_KEY_WORDS.index(word) if own else self._rank(stems, "_".join(rest), rest)

    def _rank(self, stems: tuple[str, ...], column: str, parts: Sequence[str]) -> int | None:
        subject, word = _own_parts(parts)
        if not word:
            return None
        own = _tails(stems)
        of_another = self._subjects[subject] > (1 if subject == own[0] else 0)
        if not subject and word == "id":
            return 0
        if subject in own and (subject == own[0] or not of_another):
            return 1 + _OWN_KEY_WORDS.index(word) + (_OWN_NAME if word == "name" else 0)
        if word == "id" and subject == "".join(stem[0] for stem in stems):
            return _OWN_INITIALS
        if word != "name" and any(kept_of(subject, stem) is not None for stem in stems):
            return _OWN_SHORTENED
        shared = self._columns[column.lower()] > 1 and column.lower() not in self._declared
        return _OWN_SHARED if subject and shared and not of_another else None


def _own_parts(parts: Sequence[str]) -> tuple[str, str]:
    """What a name is about, as singular words written together, and its word for a key; "" where there is none."""
    if parts and parts[-1] in _OWN_KEY_WORDS:
        return "".join(map(singular, parts[:-1])), parts[-1]
    for word in ("id", "key", "code") if len(parts) == 1 else ():
        if parts[0].endswith(word):
            return singular(parts[0].removesuffix(word)), word
    return "", ""


def _plain_stems(table: Table, words: SchemaWords) -> tuple[str, ...]:
    return tuple(map(singular, words.of(table.name))) or (table.name.lower(),)
