"""Whether what SQLite would read for a statement is what it was meant to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

# Functions that stand where a table stands; what they give comes from their arguments.
_TABLE_FUNCTIONS = frozenset({"json_each", "json_tree"})


class Read(NamedTuple):
    """What SQLite asks its authorizer: a table, folded, by way of a view or CTE, or of none.

    Without `columns` none of its columns is read, only whether and how often it has rows; SQLite then asks for CTEs
    too, and no longer says which view it goes by.
    """

    table: str
    columns: bool
    via: str


def strange_reads(reads: Iterable[Read], behind: Iterable[Read], relations: Collection[str]) -> list[str]:
    """The tables among `reads` that have no business there.

    `behind` is what the bodies of the views read that may be read; `relations` are all the tables and views of the
    file, folded. A name that is not among them is a CTE, or a table function.
    """
    through = {(read.table, read.via) for read in behind if read.via}
    tables = {read.table for read in behind}
    strange = set()
    for read in reads:
        if read.table not in relations:
            fine = not read.columns or read.table in _TABLE_FUNCTIONS
        else:
            fine = (read.table, read.via) in through or (not read.columns and read.table in tables)
        if not fine:
            strange.add(read.table)
    return sorted(strange)
