"""The weights of features: priors that are set by hand, overridden by what was learned from execution."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

_FOLDER = resources.files("askwell.semantic_parsing")


@cache
def priors() -> Mapping[str, float]:
    """The weights that are set by hand, by feature."""
    data = yaml.safe_load(_FOLDER.joinpath("weights.yaml").read_text("utf-8"))
    flat: dict[str, float] = dict(data.pop("rules"))
    for family, weights in data.items():
        flat |= {f"{family}:{name}": weight for name, weight in weights.items()}
    return flat


@cache
def weights() -> Mapping[str, float]:
    """What readings are ranked by."""
    learned = _FOLDER.joinpath("learned.yaml")
    return {**priors(), **(yaml.safe_load(learned.read_text("utf-8")) if learned.is_file() else {})}
