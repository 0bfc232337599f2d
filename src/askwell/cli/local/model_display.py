"""A semantic model for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from askwell.cli.answer import console_for_output, show_sql
from askwell.cli.plain_text import shown
from askwell.errors import ConfigurationError
from askwell.mdl.ddl import model_ddl
from askwell.mdl.manifest import Manifest, RelationshipEntry, content_hash
from askwell.mdl.names import nearest_hint
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.semantic_model import Table as SemanticTable
from askwell.mdl.view import authorised_view

# Of more tables than these the text is only shown where they are named.
_SHOWN_WHOLE = 30


def show_model(manifest: Manifest, names: Collection[str] = ()) -> None:
    """Print what can be asked about: the tables, how they belong together, and the model's text; with `names` only of
    these tables. Raises `ConfigurationError` for a name that is none."""
    model = authorised_view(manifest, content_hash(manifest))
    chosen = [_chosen(model, name) for name in names] or list(model)
    own = {table.name for table in chosen}
    console = console_for_output()
    _show_tables(console, manifest, chosen)
    if links := [entry for entry in manifest.relationships if own & set(entry.models)]:
        _show_relationships(console, links)
    if names or len(chosen) <= _SHOWN_WHOLE:
        show_sql(console, model_ddl(model, own))
    else:
        console.print(
            Text(f"The text of {len(chosen)} tables is left out; add the names of tables to see theirs."),
            soft_wrap=True,
        )


def _chosen(model: SemanticModel, name: str) -> SemanticTable:
    table = model.table(name)
    if table is None:
        hint = nearest_hint(name, (one.name for one in model)) or "Without a name, all tables are listed."
        raise ConfigurationError(f"The model has no table {name}.", hint)
    return table


def _show_tables(console: Console, manifest: Manifest, tables: Iterable[SemanticTable]) -> None:
    guessed = {entry.name for entry in manifest.models if entry.properties.get("inferredKey") is True}
    table = Table(box=box.SIMPLE)
    for heading in ("table", "kind", "columns", "key", "called", "description"):
        table.add_column(heading, justify="right" if heading == "columns" else "left")
    for one in tables:
        key = ", ".join(one.primary_key) + (" (inferred)" if one.name in guessed else "")
        cells = (one.name, one.kind.value, str(len(one.columns)), key, one.display_name or "", one.description or "")
        table.add_row(*(Text(shown(cell, lines=False)) for cell in cells))
    console.print(table)


def _show_relationships(console: Console, relationships: Iterable[RelationshipEntry]) -> None:
    table = Table(box=box.SIMPLE)
    for heading in ("relationship", "kind", "condition", "from"):
        table.add_column(heading)
    for entry in relationships:
        inferred = entry.properties.get("inferred") is True
        origin = f"inferred: {entry.properties.get('reason', '')}" if inferred else "declared"
        cells = (entry.name, entry.join_type, entry.condition, origin)
        table.add_row(*(Text(shown(cell, lines=False)) for cell in cells))
    console.print(table)
