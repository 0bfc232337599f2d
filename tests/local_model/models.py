"""Small local models in a user's data folder, which stand for real ones."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from askwell.errors import AskwellError
from askwell.resources import words_file

LLAMA = Path(__file__).parents[1] / "fakes" / "llama"


def known(data: Path, content: bytes, address: str, size: int | None = None) -> Path:
    """A list with the model `small`, whose file has this content; where that file is to be."""
    folder = data / "askwell" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    entry = {
        "address": address,
        "size": len(content) if size is None else size,
        "sha256": hashlib.sha256(content).hexdigest(),
        "licence": "none",
        "memory_gb": 1,
    }
    (folder / "models.yaml").write_text(yaml.safe_dump({"small": entry}))
    return folder / "small.gguf"


def fetched(data: Path, model: Mapping[str, Any]) -> None:
    """The model `small` as the fake of xllamacpp reads it, fetched already."""
    content = json.dumps(model).encode()
    known(data, content, "http://127.0.0.1:9/small.gguf").write_bytes(content)


def code_of(error: AskwellError) -> str | None:
    """By which code of a local model's messages it was said, whatever fills the places."""
    for code, texts in words_file("askwell.messages", "service.yaml")["local_model"].items():
        pattern = re.sub(r"\\\{.*?\\\}", ".*", re.escape(texts["message"]))
        if re.fullmatch(pattern, error.message):
            return str(code)
    return None
