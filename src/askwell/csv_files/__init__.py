"""CSV files as tables: a file or a folder of them becomes a DuckDB file, with types, keys and units by all values."""

CSV_SUFFIXES = (".csv", ".tsv", ".tab")
