"""The weights of features: priors that are set by hand, overridden by what was learned from execution."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from askwell.resources import words_file

_PACKAGE = "askwell.semantic_parsing"


@cache
def priors() -> Mapping[str, float]:
    """The weights that are set by hand, by feature."""
    data = words_file(_PACKAGE, "weights.yaml")
    flat: dict[str, float] = dict(data["rules"])
    for family, weights in data.items():
        if family != "rules":
            flat |= {f"{family}:{name}": weight for name, weight in weights.items()}
    return flat


@cache
def weights() -> Mapping[str, float]:
    """What readings are ranked by."""
    is_learned = resources.files(_PACKAGE).joinpath("learned.yaml").is_file()
    return {**priors(), **(words_file(_PACKAGE, "learned.yaml") if is_learned else {})}
