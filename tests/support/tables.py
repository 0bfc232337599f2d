"""Cases that stand in YAML beside their test: one row a case, with what goes in, what is expected, and why."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml


def case_rows(beside: str, name: str, *fields: str, lists: bool = False) -> list[tuple[Any, ...]]:
    """The rows of table `name` in the YAML of a test (`test_x.py`: `x.yaml`), each as the values of its fields.

    A field that a row lacks is None. Lists of lists are rows of a database, as tuples, or as they are with `lists`.
    `why` is for readers."""
    found = case_table(beside, name)
    unknown = {field for row in found for field in row} - {*fields, "why"}
    assert not unknown, f"{name}: {unknown} are no fields of its rows"
    return [tuple(row.get(field) if lists else _rows(row.get(field)) for field in fields) for row in found]


def case_table(beside: str, name: str) -> Any:
    """The table as it is written."""
    return case_file(beside)[name]


def case_file(beside: str) -> dict[str, Any]:
    """All tables of a test, by their names."""
    test = Path(beside)
    return _read(test.with_name(f"{test.stem.removeprefix('test_')}.yaml"))


def _rows(value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(one, list) for one in value):
        return [tuple(one) for one in value]
    return value


@cache
def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return found
