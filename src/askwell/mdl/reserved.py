"""Names that a model, view or column cannot have."""

from __future__ import annotations

# Catalogues of the databases: a model by such a name would hide, or be taken for, what the guard refuses.
_SYSTEM_PREFIXES = ("sqlite_", "pragma_", "duckdb_", "information_schema")
_SYSTEM_NAMES = frozenset({"pg_catalog", "dual", "sys", "mysql", "performance_schema"})

MAX_NAME_CHARACTERS = 200


def is_reserved(name: str) -> bool:
    """Whether the name belongs to the databases' own catalogues."""
    lowered = name.lower()
    return lowered.startswith(_SYSTEM_PREFIXES) or lowered in _SYSTEM_NAMES


def unusable_characters(name: str) -> frozenset[str]:
    """The characters of a name that no quoting carries safely through every database: quotes and control characters."""
    return frozenset(character for character in name if character in "\"`[]'\\" or not character.isprintable())
