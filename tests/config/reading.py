"""Configurations for tests: from a text or a tree, with an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell.config import Config, load_config
from askwell.errors import ConfigurationError

# Stands where a secret would, so that a test can look for it.
CANARY = "hunter2-canary"


def load(folder: Path, written: Any = "", environ: dict[str, str] | None = None) -> Config:
    path = folder / "config.yaml"
    path.write_text(written if isinstance(written, str) else yaml.safe_dump(written), encoding="utf-8")
    return load_config(path, environ or {})


def problems(folder: Path, written: Any, environ: dict[str, str] | None = None) -> list[str]:
    """The problem lines, without the file's folder; none of them repeats the canary."""
    with pytest.raises(ConfigurationError) as caught:
        load(folder, written, environ)
    assert caught.value.hint
    assert CANARY not in caught.value.message + caught.value.hint
    return [line.strip().replace(f"{folder}/", "") for line in caught.value.message.splitlines()[1:]]


def shown(config: Config) -> str:
    """Everything that shows a configuration to people."""
    return f"{config!r} {config} {config.model_dump()} {config.model_dump_json()}"
