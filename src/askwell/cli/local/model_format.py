"""Which format of another tool a file or folder has."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from askwell.csv_files import CSV_SUFFIXES
from askwell.errors import ConfigurationError

_EXCEL = (".xlsx", ".xlsm", ".xltx", ".xls", ".xlsb", ".ods")
_YAML = (".yaml", ".yml")
# dbt writes what a manifest is into its first characters.
_START = 4_096


class ModelFormat(StrEnum):
    """What a model can be imported from."""

    EXCEL = "excel"
    CSV = "csv"
    DBT = "dbt"
    OSSIE = "ossie"


def format_of(source: Path) -> ModelFormat:
    """The format of a file or folder, by its name and first characters. Raises `ConfigurationError`."""
    suffix = source.suffix.lower()
    if not (source.is_file() or source.is_dir()):
        raise ConfigurationError(
            f"There is no {source}.", "Name a workbook, a folder of CSV files, or a file of dbt or Ossie."
        )
    if source.is_dir() or suffix in CSV_SUFFIXES:
        return ModelFormat.CSV
    if suffix in _EXCEL:
        return ModelFormat.EXCEL
    if suffix in _YAML:
        return ModelFormat.OSSIE
    if suffix == ".json":
        try:
            with source.open("rb") as file:
                start = file.read(_START)
        except OSError as error:
            raise ConfigurationError(f"The file {source} cannot be read: {error.strerror}.", "Name another.") from None
        return ModelFormat.DBT if b"dbt_schema_version" in start else ModelFormat.OSSIE
    raise ConfigurationError(f"What {source} holds cannot be told by its name.", "Say it with --format.")
