"""Functions that give rows, by dialect, as far as statements may select from them."""

from __future__ import annotations

from askwell.resources import words_file

# With the columns they give; None where these depend on the call.
TABLE_FUNCTIONS: dict[str, dict[str, tuple[str, ...] | None]] = {
    dialect: {name: None if columns is None else tuple(columns.split()) for name, columns in functions.items()}
    for dialect, functions in words_file("askwell.sql", "table_functions.yaml").items()
}
