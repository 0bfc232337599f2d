"""A semantic model for people."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from askwell.cli.answer import console_for_output, show_sql
from askwell.cli.plain_text import shown
from askwell.mdl.ddl import model_ddl
from askwell.mdl.manifest import Manifest, RelationshipEntry, content_hash
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.view import authorised_view


def show_model(manifest: Manifest) -> None:
    """Print what can be asked about: the tables, how they belong together, and the model's text."""
    model = authorised_view(manifest, content_hash(manifest))
    console = console_for_output()
    _show_tables(console, manifest, model)
    if manifest.relationships:
        _show_relationships(console, manifest.relationships)
    show_sql(console, model_ddl(model))


def _show_tables(console: Console, manifest: Manifest, model: SemanticModel) -> None:
    guessed = {entry.name for entry in manifest.models if entry.properties.get("inferredKey") is True}
    table = Table(box=box.SIMPLE)
    for heading in ("table", "kind", "columns", "key", "called", "description"):
        table.add_column(heading, justify="right" if heading == "columns" else "left")
    for one in model:
        key = ", ".join(one.primary_key) + (" (inferred)" if one.name in guessed else "")
        cells = (one.name, one.kind.value, str(len(one.columns)), key, one.display_name or "", one.description or "")
        table.add_row(*(Text(shown(cell, lines=False)) for cell in cells))
    console.print(table)


def _show_relationships(console: Console, relationships: tuple[RelationshipEntry, ...]) -> None:
    table = Table(box=box.SIMPLE)
    for heading in ("relationship", "kind", "condition", "from"):
        table.add_column(heading)
    for entry in relationships:
        inferred = entry.properties.get("inferred") is True
        origin = f"inferred: {entry.properties.get('reason', '')}" if inferred else "declared"
        cells = (entry.name, entry.join_type, entry.condition, origin)
        table.add_row(*(Text(shown(cell, lines=False)) for cell in cells))
    console.print(table)
