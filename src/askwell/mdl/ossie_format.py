"""What importing and exporting Apache Ossie (Open Semantic Interchange) have in common.

The specification: https://github.com/apache/ossie, core-spec, versions 0.1.1 (released; a list of
models in a document) and 0.2.0 (a draft; one model, at the document's root).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# What is written, and the versions whose files are read without a word.
WRITTEN_VERSION = "0.2.0.dev0"
KNOWN_VERSIONS = ("0.1", "0.2")

ANSI = "ANSI_SQL"
# The specification's dialects that are SQL, with the data sources that read them.
DIALECTS = {"SNOWFLAKE": "SNOWFLAKE", "DATABRICKS": "DATABRICKS", "BIGQUERY": "BIGQUERY"}
TYPES = {
    "String": "VARCHAR",
    "Integer": "BIGINT",
    "Decimal": "DECIMAL",
    "Float": "DOUBLE",
    "Boolean": "BOOLEAN",
    "Date": "DATE",
    "Time": "TIME",
    "DateTime": "TIMESTAMP",
    "DateTimeTz": "TIMESTAMPTZ",
}
DATATYPES = {kind: name for name, kind in TYPES.items()} | {"INTEGER": "Integer", "TEXT": "String"}

# What the specification has no place for is kept in a vendor's extension, which every reader passes over.
_VENDOR, _OWN = "COMMON", "askwell"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r'"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([^."`\[\]]+)')


def extension(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """The list of extensions that holds `content`; empty where there is none."""
    if not content:
        return []
    return [{"vendor_name": _VENDOR, "data": json.dumps({_OWN: content}, ensure_ascii=False)}]


def own_extension(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What `extension` kept in an entry."""
    for one in foreign_or_own(entry):
        try:
            found = json.loads(str(one.get("data", "")))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and isinstance(found.get(_OWN), dict):
            content: dict[str, Any] = found[_OWN]
            return content
    return {}


def foreign_or_own(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """All extensions of an entry."""
    listed = entry.get("custom_extensions")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def identifier(name: str) -> str:
    """A name as SQL, without quotes where it needs none."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def place_parts(source: str) -> list[str] | None:
    """The names of `database.schema.table`, any of which may be quoted; None for anything else, such as a query."""
    parts, rest = [], source.strip()
    while match := _PART.match(rest):
        quoted = (match[1] or "").replace('""', '"') or match[2] or match[3]
        bare = match[4] or ""
        if not quoted and not re.fullmatch(r"[\w$#@ -]+", bare):
            return None
        parts.append(quoted or bare.strip())
        rest = rest[match.end() :]
        if not rest:
            return parts if len(parts) <= _MOST_PARTS and all(parts) else None
        if not rest.startswith("."):
            return None
        rest = rest[1:]
    return None


_MOST_PARTS = 3
