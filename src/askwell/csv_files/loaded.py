"""What came of loading CSV files."""

from __future__ import annotations

from dataclasses import dataclass, field

from askwell.mdl.problems import Problem


@dataclass(slots=True)
class LoadedFolder:
    """`problems` keep the rows from being written, `warnings` do not. `keys` are the columns that tell a table's rows
    apart, by table; `units` are those of amounts, by table and column."""

    problems: list[Problem]
    warnings: list[Problem]
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    units: dict[tuple[str, str], str] = field(default_factory=dict)
