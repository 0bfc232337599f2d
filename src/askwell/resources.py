"""Files of words and sentences that lie beside the modules that read them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def words_file(package: str, name: str) -> Mapping[str, Any]:
    """What a YAML file of a package says, by its keys; read once, and never to be changed."""
    import yaml  # `askwell --help` reads none

    # The one in C takes a tenth of the time.
    loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: Mapping[str, Any] = yaml.load(text_of(package, name), Loader=loader)
    return found


@cache
def words_of(package: str, name: str, key: str) -> frozenset[str]:
    """The words that a YAML file of a package has under a key, in one text."""
    return frozenset(words_file(package, name)[key].split())


@cache
def text_of(package: str, name: str) -> str:
    """A file of a package; read once."""
    return resources.files(package).joinpath(name).read_text("utf-8")
