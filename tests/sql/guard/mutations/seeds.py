"""Statements that read what the project does not have, write, lock, wait or reach out, by engine.

`<DIR>` is a folder that every database server may write to; `<OWN>` is the schema (or catalog) of the model's tables.
Harmless statements are among them: changed a little, they are what an attack hides in.
"""

from __future__ import annotations

from tests.support.tables import case_table

_READS = case_table(__file__, "reads")
_WRITES = case_table(__file__, "writes")
HARMLESS = case_table(__file__, "harmless")

_DUCKDB = case_table(__file__, "duckdb")
_SQLITE = case_table(__file__, "sqlite")
_POSTGRES = case_table(__file__, "postgres")
_MYSQL = case_table(__file__, "mysql")

ATTACKS: dict[str, list[str]] = {
    "duckdb": _READS + _WRITES + _DUCKDB,
    "sqlite": _READS + _WRITES + _SQLITE,
    "postgres": _READS + _WRITES + _POSTGRES,
    "mysql": _READS + _WRITES + _MYSQL,
}
