"""Types: SQL types that a database has, or enums of the manifest."""

from __future__ import annotations

from askwell.mdl.checks.scope import Scope
from askwell.mdl.names import nearest
from askwell.mdl.problems import shown
from askwell.mdl.types import COMMON_TYPES, is_sql_type


def check_type(scope: Scope, where: str, type_name: str) -> None:
    """Warn of a type that no database has and the manifest does not define."""
    name = type_name.strip()
    if not name or name.lower() in scope.lookup.enums or scope.is_broken(name):
        return
    if scope.findings.enough_warnings or is_sql_type(name, scope.dialect):
        return
    model = scope.lookup.model(name)
    if model is not None:
        what = f'its type is the model {model.name}, but it names no "relationship"'
        scope.findings.warn(where, what, "Name the relationship that leads there, or give it a SQL type.")
        return
    near = nearest(name, [*(enum.name for enum in scope.manifest.enum_definitions), *COMMON_TYPES])
    hint = f"Nearest: {', '.join(near)}." if near else "Use one such as INTEGER, DOUBLE, VARCHAR, DATE or TIMESTAMP."
    scope.findings.warn(where, f'its type "{shown(name)}" is neither a SQL type nor an enum of the model', hint)
