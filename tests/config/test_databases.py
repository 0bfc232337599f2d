"""Entries of `data_sources`, whatever is written in them: a password is never repeated."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from askwell.config import DataSourceConfig, load_config, whereabouts
from askwell.errors import ConfigurationError
from tests.config.reading import CANARY as PASSWORD

KEYS = st.sampled_from([*DataSourceConfig.model_fields, "nonsense"])
ENGINES = st.sampled_from(["duckdb", "sqlite", "sqlalchemy", "wren_ibis", "wren_ui", "other"])
VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=6),
    st.just(f"postgresql://u:{PASSWORD}@h/d"),
    st.dictionaries(st.text(max_size=3), st.just(PASSWORD), max_size=2),
    st.lists(st.just(PASSWORD), max_size=2),
)


@given(engine=ENGINES, entry=st.dictionaries(KEYS, VALUES, max_size=5))
def test_whatever_is_written_a_password_is_never_repeated(engine: str, entry: dict[str, object]) -> None:
    said = _said_of({**entry, "engine": engine})
    # Schemas are no secrets, and neither is the path of a file.
    if not entry.get("schema_map") and not entry.get("path"):
        assert PASSWORD not in said


def _said_of(entry: dict[str, object]) -> str:
    """What is said of the entry, or shown of the configuration with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_text(yaml.safe_dump({"data_sources": {"default": entry}}))
        try:
            config = load_config(path, {})
        except ConfigurationError as error:
            return error.message
        return f"{config!r} {config.model_dump()} {whereabouts(config.data_sources['default'])}"
