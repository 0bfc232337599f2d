"""From a prompt's folder to the two texts that a model gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.privacy.current import current_vault
from askwell.prompts.masking import NOTE, masked_values
from askwell.prompts.variables import PROMPT_VARIABLES, REPLY_TOKENS

FOLDER = Path(__file__).parent
_PARTS = ("system.md.jinja", "user.md.jinja")

PromptStyle = Literal["full", "lean"]
RankingStyle = Literal["limit", "dense_rank"]


@dataclass(frozen=True, slots=True)
class PromptText:
    """What goes to a model: the rules, and the question with its context. `reply_tokens` bounds the reply."""

    system: str
    user: str
    reply_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class PromptSet:
    """Which prompts a model gets: `lean` ones are short, for small models; `ranking_style` is how rankings are taught;
    files in `overrides` stand in for ours of the same name. Each file is checked when its prompt is loaded."""

    style: PromptStyle = "full"
    ranking_style: RankingStyle = "limit"
    overrides: Path | None = None

    def load(self, name: str) -> Prompt:
        """The prompt of that name. Raises `ConfigurationError` where its templates cannot be used."""
        fixed = {"lean": self.style == "lean", "ranking_style": self.ranking_style}
        return load_prompt(name, overrides=self.overrides, fixed=tuple(fixed.items()))


OURS = PromptSet()


class Prompt:
    """A prompt of that name below the first of `folders` that has its templates. `fixed` are the values of some of its
    variables. Its templates are read and compiled when they are first needed."""

    def __init__(
        self, name: str, folders: tuple[Path, ...], declared: frozenset[str], fixed: Mapping[str, Any]
    ) -> None:
        self.name = name
        self._folders = folders
        self._declared = declared
        self._fixed = fixed

    def check(self) -> None:
        """Raises as `variables` does."""
        assert self.variables is not None

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names it needs. Raises `ConfigurationError` when its templates and its declared variables differ; of more
        than one folder, a template may leave out all but the question."""
        from jinja2 import TemplateError, TemplateSyntaxError

        from askwell.prompts.template import template, variables_used

        try:
            used = frozenset().union(*(variables_used(self._folders, f"{self.name}/{part}") for part in _PARTS))
            for part in _PARTS:
                template(self._folders, f"{self.name}/{part}")  # also finds filters and templates that are not there
        except TemplateSyntaxError as error:
            raise self._unusable(f"{error.name}, line {error.lineno}: {error.message}") from None
        except (TemplateError, OSError, ValueError) as error:
            raise self._unusable(str(error)) from None
        needed = self._declared if len(self._folders) == 1 else self._declared & {"question"}
        found = [f"uses {name}, which is not declared" for name in sorted(used - self._declared)]
        found += [f"does not use {name}, which is declared" for name in sorted(needed - used)]
        if found:
            raise self._unusable("; ".join(found))
        return used

    def write(self, values: Mapping[str, Any]) -> PromptText:
        """The two texts, without values where these stay. `values` may hold more than the prompt needs; a name that is
        missing raises `KeyError`, and a template that does not fit its values `ConfigurationError`."""
        from jinja2 import TemplateError

        from askwell.prompts.template import template

        given = {**values, **self._fixed}
        needed = {name: given[name] for name in self.variables}
        vault = current_vault()
        if vault is not None:
            needed = masked_values(needed, vault)
        try:
            parts = (template(self._folders, f"{self.name}/{part}") for part in _PARTS)
            system, user = (_tidy(part.render(needed)) for part in parts)
        except TemplateError as error:
            raise self._unusable(str(error)) from None
        if vault is not None:
            system += NOTE
            vault.wrote(system, user)
        return PromptText(system, user, REPLY_TOKENS.get(self.name))

    def _unusable(self, reason: str) -> ConfigurationError:
        return ConfigurationError(*say("prompts.unusable", name=self.name, reason=reason.rstrip(".")))


@cache
def load_prompt(
    name: str,
    *,
    folder: Path = FOLDER,
    overrides: Path | None = None,
    variables: frozenset[str] | None = None,
    fixed: tuple[tuple[str, Any], ...] = (("lean", False), ("ranking_style", "limit")),
) -> Prompt:
    """The prompt of that name, read once: its files do not change while it is in use. Raises `ConfigurationError` for
    templates that are not ours and cannot be used; ours are checked by the tests, and when they are first used.

    `folder` and `variables` are for prompts that live elsewhere; ours are declared in `PROMPT_VARIABLES`.
    """
    declared = PROMPT_VARIABLES[name] if variables is None else variables
    prompt = Prompt(name, (folder,) if overrides is None else (overrides, folder), declared, dict(fixed))
    if overrides is not None or folder != FOLDER:
        prompt.check()
    return prompt


def harmless(text: str) -> str:
    """Data that goes to a model without a prompt of ours around it, such as what a tool gave: no mark of a chat format
    and no tag of ours in it can be taken for one."""
    from askwell.prompts.template import harmless_beside

    return harmless_beside((FOLDER,))(text)


def check_overrides(overrides: Path) -> None:
    """Whether every file of the folder stands in for one of ours. Raises `ConfigurationError`."""
    if not overrides.is_dir():
        raise ConfigurationError(*say("prompts.no_folder", overrides=overrides))
    ours = _files(FOLDER)
    for name in _files(overrides):
        if name not in ours:
            near = get_close_matches(name, ours, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise ConfigurationError(*say("prompts.stands_for_none", overrides=overrides / name, meant=meant))


def _files(folder: Path) -> Sequence[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jinja"))


def _tidy(text: str) -> str:
    """Without the empty lines that absent sections leave."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    kept = [line for at, line in enumerate(lines) if line or lines[at - 1]]
    return "\n".join(kept) + "\n"
