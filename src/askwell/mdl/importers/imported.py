"""What an importer hands back, and what all of them share: names, relationships, and types that are left open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from askwell.mdl.names import listed
from askwell.mdl.problems import AND_MORE, Findings, Problem, TooManyProblems, item
from askwell.mdl.semantic_model import Cardinality
from askwell.providers.engine.base import PhysicalSchema, PhysicalTable
from askwell.spelling import free_name

# Anything can be read as text; a warning says for which columns that was assumed.
UNKNOWN_TYPE = "VARCHAR"
# Columns that a warning names before it counts the rest.
_NAMED = 8


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """`mdl` is the model as JSON, in which a column without `type` is one whose type the source does not say. With
    `problems` it is not to be used; `warnings` say what was left out or assumed. `guesses`
    are types, by model and column, for where no database says one."""

    mdl: dict[str, Any]
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    guesses: Mapping[tuple[str, str], str] = field(default_factory=dict)


def collect(
    read: Callable[[Findings], dict[str, Any]], guesses: Mapping[tuple[str, str], str] | None = None
) -> ImportedModel:
    """The model that `read` returns, with the problems and warnings that it found. It may fill `guesses`."""
    findings = Findings()
    try:
        mdl = read(findings)
    except TooManyProblems:
        return ImportedModel({}, (*findings.problems, AND_MORE), tuple(findings.warnings))
    return ImportedModel(mdl, tuple(findings.problems), tuple(findings.warnings), guesses or {})


def quoted(name: str) -> str:
    """A name as SQL that is the same in any letter case and with any characters."""
    return '"' + name.replace('"', '""') + '"'


def join_condition(left: str, right: str, pairs: Iterable[tuple[str, str]]) -> str:
    """The condition of a relationship: each pair is a column of the left and one of the right model."""
    sides = ((f"{quoted(left)}.{quoted(here)}", f"{quoted(right)}.{quoted(there)}") for here, there in pairs)
    return " AND ".join(f"{here} = {there}" for here, there in sides)


def model_entry(
    name: str,
    reference: Mapping[str, str],
    columns: list[dict[str, Any]],
    *,
    primary: Sequence[str] = (),
    unique: Sequence[Sequence[str]] = (),
    properties: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A model over a table; the parts of `reference` and the properties that are empty are left out."""
    model: dict[str, Any] = {
        "name": name,
        "tableReference": {part: value for part, value in reference.items() if value},
    }
    model["columns"] = columns
    if primary:
        model["primaryKey"] = _key(primary)
    if unique:
        model["uniqueKeys"] = [_key(key) for key in unique]
    return with_properties(model, properties or {})


def _key(columns: Sequence[str]) -> str | list[str]:
    return columns[0] if len(columns) == 1 else list(columns)


def relationship_entry(
    left: str,
    right: str,
    pairs: Sequence[tuple[str, str]],
    taken: set[str],
    *,
    one_to_one: bool = False,
) -> dict[str, Any]:
    """A relationship in which `left` refers to `right` by `pairs` of columns, under a name that is not in `taken`."""
    return {
        "name": free_name(f"{left}_{'_'.join(here for here, _ in pairs)}", taken, str.lower),
        "models": [left, right],
        "joinType": str(Cardinality.ONE_TO_ONE if one_to_one else Cardinality.MANY_TO_ONE),
        "condition": join_condition(left, right, pairs),
    }


def with_properties(entry: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with those of its properties that are not empty."""
    filled = {name: value for name, value in properties.items() if value}
    return entry | ({"properties": filled} if filled else {})


def physical_name(column: Mapping[str, Any]) -> str:
    """The database's name of a plain column: its expression where that is one quoted name, else its own."""
    expression = str(column.get("expression") or "")
    if len(expression) > 1 and expression[0] == expression[-1] == '"' and '"' not in expression[1:-1].replace('""', ""):
        return expression[1:-1].replace('""', '"')
    return str(column.get("name", ""))


def complete_types(
    mdl: dict[str, Any],
    physical: PhysicalSchema | None,
    guesses: Mapping[tuple[str, str], str] | None = None,
) -> list[Problem]:
    """Give every column a type in place: the database's, else the guess for it, else text. The warnings that come back
    say which are not the database's."""
    warnings = []
    for position, model in enumerate(mdl.get("models", ())):
        table = _physical_table(model, physical) if physical else None
        types = {column.name.lower(): column.type for column in table.columns} if table else {}
        assumed: dict[str, list[str]] = {}
        for column in model["columns"]:
            if "type" in column:
                continue
            known = types.get(physical_name(column).lower(), "").strip()
            guess = (guesses or {}).get((model["name"], column["name"]), UNKNOWN_TYPE)
            column["type"] = known or guess
            if not known:
                assumed.setdefault(guess, []).append(column["name"])
        for kind, columns in assumed.items():
            names = listed([*columns[:_NAMED], *([f"{len(columns) - _NAMED} more"] if len(columns) > _NAMED else [])])
            what = f"no type is known for {names}; {kind} was taken"
            todo = "Correct the model, write the types where it comes from, or import it with --database."
            warnings.append(Problem(item("models", position, model["name"]), what, todo))
    return warnings


def _physical_table(model: Mapping[str, Any], physical: PhysicalSchema) -> PhysicalTable | None:
    reference = model.get("tableReference") or {}
    table, schema = str(reference.get("table", "")).lower(), str(reference.get("schema") or "").lower()
    found = [
        one
        for one in physical.tables
        if one.name.lower() == table and (not schema or (one.schema or "").lower() in ("", schema))
    ]
    return found[0] if found else None
