"""Whatever stands in the file or the environment, the answer is a configuration or a list of problems."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.config import Config, Settings, load_config
from askwell.errors import ConfigurationError
from tests.support.examples import examples

SECRET = "sk-hidden-in-a-value"
SECTIONS = sorted(Config.model_fields)
WORDS = st.sampled_from(
    [*SECTIONS, "default", "provider", "openai", "path", "engine", "api_key", "api_key_env", "x", ""]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just(SECRET), WORDS)
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)


def load(text: str, environ: dict[str, str] | None = None) -> Config | str:
    """The configuration, or what was said of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            return load_config(path, environ or {})
        except ConfigurationError as error:
            return error.message


@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    assert load(text)


@settings(max_examples=examples(200))
@given(st.dictionaries(st.sampled_from(SECTIONS), TREES, max_size=4))
def test_any_tree_of_values(tree: dict[str, object]) -> None:
    assert load(yaml.safe_dump(tree))


@given(st.sampled_from(["llm.default", "llm.other", "embedder.default"]), st.sampled_from(["api_key", "api_key_env"]))
def test_a_secret_in_the_wrong_place_is_never_repeated(section: str, key: str) -> None:
    kind, name = section.split(".")
    said = load(yaml.safe_dump({kind: {name: {"provider": "openai", key: SECRET}}}))
    assert isinstance(said, str)
    assert SECRET not in said


@given(st.sampled_from(sorted(Settings.model_fields)), st.text(max_size=12))
def test_any_value_of_a_variable(name: str, value: str) -> None:
    assert load("", {f"ASKWELL_SETTINGS__{name.upper()}": value})


@given(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", max_size=30))
def test_any_name_of_a_variable(name: str) -> None:
    assert load("", {f"ASKWELL_{name}": "1"})
