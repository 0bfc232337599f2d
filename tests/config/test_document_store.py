"""`document_store`: where Qdrant is, and what does not go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import load_config
from askwell.errors import ConfigurationError

QDRANT = "provider: qdrant, location: 'http://qdrant:6333/'"


def loaded(folder: Path, text: str, **environ: str) -> object:
    (folder / "config.yaml").write_text(f"document_store: {{{text}}}")
    return load_config(folder / "config.yaml", environ).document_store


def problem(folder: Path, text: str, **environ: str) -> str:
    with pytest.raises(ConfigurationError) as raised:
        loaded(folder, text, **environ)
    [_, only] = raised.value.message.splitlines()
    return only.strip().removeprefix(f"{folder / 'config.yaml'}:1: ")


def test_a_server_and_its_key(tmp_path: Path) -> None:
    found = load_config(None, {}).document_store
    assert (found.provider, found.location) == ("memory", None)
    (tmp_path / "config.yaml").write_text(
        f"document_store: {{{QDRANT}, api_key_env: QKEY, timeout: 2.5, collection_prefix: test-1}}"
    )
    found = load_config(tmp_path / "config.yaml", {"QKEY": "s3cret"}).document_store
    assert (found.location, found.timeout, found.collection_prefix) == ("http://qdrant:6333", 2.5, "test-1")
    assert found.api_key is not None
    assert found.api_key.get_secret_value() == "s3cret"
    assert "s3cret" not in f"{found!r}{found.model_dump()}"


def test_it_may_come_from_the_environment(tmp_path: Path) -> None:
    environ = {"ASKWELL_DOCUMENT_STORE__PROVIDER": "qdrant", "ASKWELL_DOCUMENT_STORE__LOCATION": "http://qdrant:6333"}
    (tmp_path / "config.yaml").write_text("document_store: {provider: memory}")
    assert load_config(tmp_path / "config.yaml", environ).document_store.location == "http://qdrant:6333"


@pytest.mark.parametrize(
    ("text", "key", "what"),
    [
        ("provider: qdrant", "location", "is missing: the URL of the Qdrant server, for example http://qdrant:6333."),
        ("provider: qdrant, location: ':memory:'", "location", "for an index in memory use the provider memory"),
        ("provider: qdrant, location: ./index", "location", "starts with http:// or https://"),
        (f"{QDRANT}, api_key: s3cret", "api_key", "name that in `api_key_env`"),
        (f"{QDRANT}, api_key_env: QKEY", "api_key_env", "the environment variable QKEY is not set"),
        (f"{QDRANT}, collection_prefix: a/b", "collection_prefix", "has to be letters, digits"),
        (f"{QDRANT}, timeout: 0", "timeout", "0"),
        ("provider: memory, location: 'http://q'", "location", "is a key of the provider qdrant only."),
        ("timeout: 5", "timeout", "is a key of the provider qdrant only."),
        ("provider: qdrnt", "provider", 'Did you mean "qdrant"?'),
    ],
)
def test_what_is_wrong_is_said_with_its_key(tmp_path: Path, text: str, key: str, what: str) -> None:
    said = problem(tmp_path, text)
    assert said.startswith(f"document_store.{key}: ")
    assert what in said
    assert "s3cret" not in said
