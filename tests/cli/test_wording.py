"""Whoever asks a database directly has no service, no configuration of data sources and no log to look into."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

from askwell.cli.local.wording import explained
from askwell.errors import EngineUnavailable
from askwell.providers.engine import file_engine, sqlalchemy_engine
from askwell.providers.engine.factory import create_engine, create_server_engine

ONLY_A_SERVICE_HAS = ("data source", "service", "configuration", "pool_size")


def told(error: EngineUnavailable) -> str:
    in_words = explained(error)
    return f"{in_words.message}\n{in_words.hint}"


@pytest.mark.parametrize(
    "sentences", [file_engine.UNUSABLE, sqlalchemy_engine.UNUSABLE], ids=["of a file", "of a server"]
)
def test_all_that_engines_say_of_a_database_is_put_into_words_for_the_command_line(
    sentences: Mapping[str, tuple[str, str]],
) -> None:
    for reason, (message, hint) in sentences.items():
        said = told(EngineUnavailable(message, hint))
        assert not [word for word in ONLY_A_SERVICE_HAS if word in said], reason


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        ("missing", "The file does not exist", "the path that you gave"),
        ("folder", "It is a directory", "The path has to lead to one DuckDB file."),
        ("other kind", "but a SQLite database", "the path that you gave"),
        ("locked", "Another process has it open for writing", "Close it there, then ask again."),
        ("no server", "Nothing accepts connections", "port in the URL that you gave"),
        ("no host", "host name is not known", "Check the host in the URL that you gave."),
    ],
)
async def test_what_they_really_say(tmp_path: Path, make: str, message: str, hint: str) -> None:
    path = tmp_path / "a.duckdb"
    held = None
    match make:
        case "folder":
            path.mkdir()
        case "other kind":
            path.write_bytes(b"SQLite format 3\0" + bytes(100))
        case "locked":
            held = duckdb.connect(str(path))
    if make.startswith("no "):
        pytest.importorskip("psycopg", reason="psycopg is not installed, so PostgreSQL is not tested")
        engine = create_server_engine(f"postgresql://u:p@{'127.0.0.1:9' if make == 'no server' else 'no.invalid'}/d")
    else:
        engine = create_engine("duckdb", path)
    try:
        with pytest.raises(EngineUnavailable) as caught:
            await engine.introspect()
    finally:
        await engine.close()
        if held is not None:
            held.close()
    assert message in told(caught.value)
    assert hint in told(caught.value)
