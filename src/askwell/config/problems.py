"""A configuration problem in words: where it stands, which key, what is wrong, and the nearest valid name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails, PydanticCustomError
from rapidfuzz import process

from askwell.resources import words_file

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """`origin` is `file:line` or the name of an environment variable; `key` is dotted; `order` sorts a listing."""

    order: int
    origin: str
    key: str
    what: str

    def __str__(self) -> str:
        key = f"{self.key}: " if self.key else ""
        return f"{self.origin}: {key}{self.what}"


@dataclass(slots=True)
class Origins:
    """Where each value came from, so that a problem with it can say so."""

    source: str
    places: dict[Path, tuple[int, str]] = field(default_factory=dict)

    def record(self, path: Path, place: str, order: int) -> None:
        """`order` sorts the problems: the line of a file, or past its end for the environment."""
        self.places[path] = (order, place)

    def problem(self, path: Path, what: str) -> Problem:
        """A problem with the value at `path`, placed there or at the nearest section around it."""
        known = (self.places[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.places)
        order, place = next(known, (0, self.source))
        return Problem(order, place, dotted(path), what)

    def misplaced_key(self, path: Path) -> Problem:
        """That a key itself stands at `path`; another setting there names the variable that holds it."""
        what = f"a key does not belong here: put it into an environment variable and name that in `{path[-1]}_env`."
        return self.problem(path, what)

    def is_from_environment(self, path: Path) -> bool:
        """Whether the value at `path` was given by a variable rather than by the file."""
        return path in self.places and not self.places[path][1].startswith(f"{self.source}:")

    def at_line(self, line: int, what: str, path: Path = ()) -> Problem:
        """A problem with the text of the file itself."""
        return Problem(line, f"{self.source}:{line}", dotted(path), what)


def words(code: str, /, **values: object) -> str:
    """What is said of a value, by a code of `words.yaml`."""
    said: str = words_file("askwell.config", "words.yaml")[code]
    return said.format(**values)


def wrong(code: str, /, **values: object) -> PydanticCustomError:
    """The same, for validators to raise."""
    return PydanticCustomError(code, words(code, **values))


def dotted(path: Sequence[str | int]) -> str:
    """`("llm", "default")` → `llm.default`."""
    return ".".join(str(part) for part in path)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """` Did you mean "x"?`, then what there is to choose from unless that is long and a good guess stands already."""
    best = process.extractOne(word.casefold(), known, score_cutoff=60, processor=str.casefold) if known else None
    question = f' Did you mean "{best[0]}"?' if best else ""
    if not known or (best and len(known) > 12):
        return question
    return f"{question} Known here: {', '.join(known)}."


def in_words(error: ErrorDetails, root: type[BaseModel]) -> str:
    """What pydantic found, in words. The value itself is shown only where it cannot be a secret."""
    path, kind, context = error["loc"], error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"unknown key.{did_you_mean(str(path[-1]), known_keys(root, path[:-1]))}"
    if kind == "missing":
        return "is missing."
    if kind == "literal_error":
        choices = _choices(context)
        return f"{_shown(error['input'])} is not one of the choices.{did_you_mean(str(error['input']), choices)}"
    given = error["input"]
    if (bound := _words("bounds").get(kind)) is not None:
        [limit] = context.values()
        return f"has to be {bound} {_number(limit)}, not {_shown(given)}."
    if (wanted := _words("types").get(kind)) is not None:
        is_part = isinstance(given, float) and kind in ("int_type", "int_from_float")
        return f"has to be {wanted}, not {given if is_part else _type_of(given)}."
    message = error["msg"]
    return message if message.endswith(".") else f"{message}."


def _type_of(value: object) -> str:
    if value == "":
        return "empty text"
    return _words("names").get(type(value).__name__, type(value).__name__)


def _words(kind: str) -> Mapping[str, str]:
    found: Mapping[str, str] = words_file("askwell.config", "words.yaml")[kind]
    return found


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, str):
        return "a URL" if "://" in value else f'"{value[:40]}"'  # URLs may hold passwords
    return _type_of(value)


def _number(value: float) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _choices(context: Mapping[str, Any]) -> list[str]:
    # pydantic gives the choices as text: "'openai' or 'none'".
    return [part for part in str(context.get("expected", "")).split("'")[1::2] if part]


def known_keys(root: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The keys that may stand in the section at `path`; none where any name may."""
    section = section_at(root, path)
    return [] if section is None else [name for name in section.model_fields if name not in HIDDEN]


# Filled by the loader, never written by people.
HIDDEN = frozenset({"api_key", "connection_info", "headers", "public_key", "secret_key"})


def section_at(root: type[BaseModel], path: Sequence[str | int]) -> type[BaseModel] | None:
    """The section type that a path leads to; None where it leads to a value or to names people choose."""
    target = _without_none(type_at(root, path))
    return target if isinstance(target, type) and issubclass(target, BaseModel) else None


def type_at(root: type[BaseModel], path: Sequence[str | int]) -> Any:
    """The annotation that a path leads to, or None when there is no such key."""
    here: Any = root
    for part in path:
        here = _without_none(here)
        if isinstance(here, type) and issubclass(here, BaseModel):
            known = here.model_fields.get(str(part))
            if known is None or part in HIDDEN:
                return None
            here = known.annotation
        else:
            here = _value_of_mapping(here)
    return here


def _without_none(annotation: Any) -> Any:
    """The section of `Section | None`; anything else as it is."""
    kinds = get_args(annotation)
    inner = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
    return inner if inner is not None and len(kinds) == 2 and NoneType in kinds else annotation


def _value_of_mapping(annotation: Any) -> Any:
    arguments = get_args(annotation)
    return arguments[1] if len(arguments) == 2 else None
