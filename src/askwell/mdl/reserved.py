"""Names that a model, view or column cannot have, and places where no model may have its rows."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Catalogues of the databases: a model by such a name would hide, or be taken for, what the guard refuses.
_SYSTEM_PREFIXES = ("sqlite_", "pragma_", "duckdb_", "information_schema")
_SYSTEM_SCHEMAS = frozenset({"pg_catalog", "sys", "mysql", "performance_schema"})
_SYSTEM_NAMES = _SYSTEM_SCHEMAS | {"dual"}
# Schemas besides these: PostgreSQL's storage, DuckDB's own database.
_MORE_SCHEMAS = frozenset({"pg_toast", "system"})

# PostgreSQL's catalogue, which it and DuckDB find without its schema. Not all that begins with pg_: people do that too.
_PG_CATALOGUE = re.compile(
    r"pg_(aggregate|am|amop|amproc|attrdef|attribute|auth_members|authid|cast|class|collation|config|constraint|"
    r"conversion|cursors|database|db_role_setting|default_acl|depend|description|enum|event_trigger|extension|"
    r"file_settings|foreign_\w+|group|hba_file_rules|ident_file_mappings|index(es)?|inherits|init_privs|language|"
    r"largeobject\w*|locks|matviews|namespace|opclass|operator|opfamily|parameter_acl|partitioned_table|policy|policies|"
    r"prepared_\w+|proc|publication\w*|range|replication_\w+|rewrite|roles|rules|seclabels?|sequences?|settings|"
    r"shadow|shdepend|shdescription|shmem_allocations|shseclabel|stat_\w+|statio_\w+|statistic\w*|stats\w*|"
    r"subscription\w*|tables|tablespace|timezone_\w+|transform|trigger|ts_\w+|type|user|user_mappings?|views)"
)

# Where DuckDB finds no table it looks for a file of that name.
_FILE = re.compile(
    r"[/\\]|\.(csv|tsv|txt|parquet|json|jsonl|ndjson|geojson|xlsx?|arrow|db|duckdb|sqlite3?)(\W|$)", re.I
)

MAX_NAME_CHARACTERS = 200


def is_reserved(name: str) -> bool:
    """Whether the name belongs to the databases' own catalogues."""
    lowered = name.lower()
    return lowered.startswith(_SYSTEM_PREFIXES) or lowered in _SYSTEM_NAMES


def is_system_place(table: str, qualifiers: Iterable[str] = ()) -> bool:
    """Whether a table of the database belongs to the system rather than to its owner.

    `qualifiers` are the schema and catalog before it, if any; a dot inside one of them counts as separating two.
    """
    before = [part for qualifier in qualifiers for part in qualifier.strip().lower().split(".") if part.strip()]
    name = table.strip().lower()
    if any(part.startswith(_SYSTEM_PREFIXES) or part in _SYSTEM_SCHEMAS | _MORE_SCHEMAS for part in before):
        return True
    return name.startswith(_SYSTEM_PREFIXES) or (not before and _PG_CATALOGUE.fullmatch(name) is not None)


def is_file_place(table: str) -> bool:
    """Whether a table's name reads as that of a file, which some databases would open."""
    return _FILE.search(table.strip()) is not None


def unusable_characters(name: str) -> frozenset[str]:
    """The characters of a name that no quoting carries safely through every database: quotes and control characters."""
    return frozenset(character for character in name if character in "\"`[]'\\" or not character.isprintable())
