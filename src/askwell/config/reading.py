"""What a configuration is read from, and what has been found so far: problems, and values of the environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic_core import PydanticCustomError

from askwell.config.problems import Origins, Path, Problem, words


@dataclass(slots=True)
class Reading:
    """The data of a file with the environment laid over it, and where each value came from.

    `found` are values that only the environment holds, by the path of the key that takes them.
    """

    data: Mapping[str, Any]
    environ: Mapping[str, str]
    origins: Origins
    problems: list[Problem] = field(default_factory=list)
    found: dict[Path, Any] = field(default_factory=dict)

    def section(self, *path: str) -> Mapping[str, Any]:
        """The section at `path`; an empty one where there is none."""
        here: Any = self.data
        for part in path:
            here = here.get(part) if isinstance(here, Mapping) else None
        return here if isinstance(here, Mapping) else {}

    def sections(self, *path: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The sections within the one at `path`, by their names."""
        return [(name, one) for name, one in self.section(*path).items() if isinstance(one, Mapping)]

    def report(self, path: Path, what: str) -> None:
        """Add a problem with the value at `path`."""
        self.problems.append(self.origins.problem(path, what))

    def refuse(self, path: Path, code: str, **values: object) -> None:
        """Add a problem with the value at `path`, by its code in `words.yaml`."""
        self.report(path, words(code, **values))

    def refuse_key(self, path: Path) -> None:
        """Report that a key itself stands at `path`; another setting there names the variable that holds it."""
        self.problems.append(self.origins.misplaced_key(path))

    def variable(self, key: Path, variable: object) -> str:
        """What the environment variable holds that is named at `key`, or by default for it; "" where nothing is."""
        if not isinstance(variable, str) or not variable.isidentifier():
            return ""  # reported already, where it is there at all
        if not self.environ.get(variable):
            self.report(key, f"the environment variable {variable} is not set.")
        return self.environ.get(variable, "")

    def take_variable(self, key: Path, variable: object, target: str) -> None:
        """As `variable`, kept as the secret `target` beside `key`."""
        if text := self.variable(key, variable):
            self.found[(*key[:-1], target)] = SecretStr(text)

    def take_secret(self, here: Path, check: Callable[[SecretStr], object] = lambda value: value) -> None:
        """Keep the secret `here` where a variable holds it that is named beside it with `_env`, if `check` takes it.
        Where the environment gives the secret itself, there is nothing to take."""
        name, section = str(here[-1]), self.section(*map(str, here[:-1]))
        if section.get(name) is not None:
            if not self.origins.is_from_environment(here):
                self.refuse_key(here)
            return
        named, variable = (*here[:-1], f"{name}_env"), section.get(f"{name}_env")
        if not (text := self.variable(named, variable)):
            return
        try:
            check(SecretStr(text))
        except PydanticCustomError as error:
            self.report(named, f"the environment variable {variable} {error.message()}.")
        else:
            self.found[here] = SecretStr(text)

    def take_url(self, here: Path, wrong: Callable[[str, bool], str | None]) -> str | None:
        """Keep the URL in the variable that `url_env` of the section `here` names, unless the section has a `url`; the
        URL that counts comes back, None where there is none, or a wrong one.

        `wrong` says what is wrong with a URL; its second argument is whether it may hold a password.
        """
        section = self.section(*map(str, here))
        written, variable = section.get("url"), section.get("url_env")
        in_file = written is not None and not self.origins.is_from_environment((*here, "url"))
        if in_file and variable is not None:
            self.report((*here, "url_env"), "stands beside `url`: keep one of the two.")
            return None
        if written is not None:
            # Where the environment gives a URL itself, it wins over the name of another variable.
            what = wrong(written, not in_file) if isinstance(written, str) else None
            if what:
                self.report((*here, "url"), what)
            return None if what or not isinstance(written, str) else written
        text = self.variable((*here, "url_env"), variable)
        if text and (what := wrong(text, True)):
            self.report((*here, "url_env"), f"the environment variable {variable} {what}")
            return None
        if text:
            self.found[(*here, "url")] = SecretStr(text)
        return text or None


def with_values(section: Any, values: Mapping[Path, Any]) -> Any:
    """The same section, or mapping of sections, with these values in place of those at their paths."""
    if () in values:
        return values[()]
    changed: dict[str | int, dict[Path, Any]] = {}
    for path, value in values.items():
        changed.setdefault(path[0], {})[path[1:]] = value
    if isinstance(section, BaseModel):
        update = {str(name): with_values(getattr(section, str(name)), inner) for name, inner in changed.items()}
        return section.model_copy(update=update)
    return MappingProxyType({**section, **{name: with_values(section[name], one) for name, one in changed.items()}})
