"""Where the record may be, and that its password stays out of files, messages and dumps."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import Config, load_config, record_place
from askwell.errors import ConfigurationError

URL = "postgresql://askwell:hunter2@db:5433/askwell"


def load(folder: Path, text: str, environ: dict[str, str] | None = None) -> Config:
    (folder / "config.yaml").write_text(text)
    return load_config(folder / "config.yaml", environ or {})


def test_without_a_word_it_is_a_file_in_home(tmp_path: Path) -> None:
    assert record_place(load(tmp_path, "").knowledge) is None
    assert record_place(load(tmp_path, "knowledge: {url: sqlite}").knowledge) is None


@pytest.mark.parametrize(
    ("text", "environ"),
    [
        ("", {"ASKWELL_KNOWLEDGE__URL": URL}),
        ("knowledge: {url: sqlite}", {"ASKWELL_KNOWLEDGE__URL": URL}),
        ("knowledge: {url_env: RECORD}", {"RECORD": URL}),
        ("knowledge: {url_env: OTHER}", {"ASKWELL_KNOWLEDGE__URL": URL}),
        ("knowledge: {url_env: RECORD}", {"RECORD": URL.replace("postgresql:", "postgresql+psycopg:")}),
    ],
)
def test_a_server_with_a_password_comes_from_the_environment(
    tmp_path: Path, text: str, environ: dict[str, str]
) -> None:
    config = load(tmp_path, text, environ)
    assert config.knowledge.url.get_secret_value().endswith("://askwell:hunter2@db:5433/askwell")
    assert record_place(config.knowledge) == "postgresql askwell at db:5433"
    assert "hunter2" not in repr(config) + str(config.model_dump()) + config.model_dump_json()


@pytest.mark.parametrize(
    ("text", "environ", "words"),
    [
        (f"knowledge: {{url: '{URL}'}}", {}, "config.yaml:1: knowledge.url: holds a password"),
        ("knowledge: {url: 'postgresql://u@h/d?password=hunter2'}", {}, "knowledge.url: holds a password"),
        ("knowledge: {url: 'postgres://u@h/d'}", {}, "has to be `sqlite`, or the URL of a PostgreSQL database"),
        ("knowledge: {url: 'mysql://u@h/d'}", {}, "has to be `sqlite`, or the URL of a PostgreSQL database"),
        ("knowledge: {url: 'postgresql://u@h'}", {}, "has to be `sqlite`, or the URL of a PostgreSQL database"),
        ("knowledge: {url: 'postgresql://u@h:port/d'}", {}, "has to be `sqlite`"),
        ("", {"ASKWELL_KNOWLEDGE__URL": "hunter2"}, "ASKWELL_KNOWLEDGE__URL: knowledge.url: has to be `sqlite`"),
        ("knowledge: {url_env: RECORD}", {}, "the environment variable RECORD is not set"),
        ("knowledge: {url_env: RECORD}", {"RECORD": "hunter2"}, "the environment variable RECORD has to be `sqlite`"),
        ("knowledge: {url: sqlite, url_env: RECORD}", {"RECORD": URL}, "keep one of the two"),
    ],
)
def test_what_is_wrong_is_said_without_the_password(
    tmp_path: Path, text: str, environ: dict[str, str], words: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, text, environ)
    assert words in caught.value.message
    assert "a problem" in caught.value.message
    assert "hunter2" not in caught.value.message + caught.value.hint
