"""From a prompt's folder to the two texts that a model gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import TemplateError, TemplateSyntaxError

from askwell.errors import ConfigurationError
from askwell.privacy import current_vault
from askwell.prompts.masking import NOTE, masked_values
from askwell.prompts.variables import PROMPT_VARIABLES, REPLY_TOKENS
from askwell.providers import telemetry

if TYPE_CHECKING:
    from askwell.prompts.template import PromptTemplate

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


@dataclass(frozen=True, slots=True)
class Prompt:
    """A loaded prompt. `variables` are the names it needs, `fixed` the values of some of them."""

    name: str
    variables: frozenset[str]
    system: PromptTemplate
    user: PromptTemplate
    fixed: Mapping[str, Any]

    def write(self, values: Mapping[str, Any]) -> PromptText:
        """The two texts, without values where these stay. `values` may hold more than the prompt needs; a name that is
        missing raises `KeyError`, and a template that does not fit its values `ConfigurationError`."""
        given = {**values, **self.fixed}
        needed = {name: given[name] for name in self.variables}
        vault = current_vault()
        if vault is not None:
            needed = masked_values(needed, vault)
        try:
            system, user = (_tidy(part.run(**needed)["prompt"]) for part in (self.system, self.user))
        except TemplateError as error:
            raise _unusable(self.name, str(error)) from None
        if vault is not None:
            system += NOTE
            vault.wrote(system, user)
        return PromptText(system, user, REPLY_TOKENS.get(self.name))


@cache
def load_prompt(
    name: str,
    *,
    folder: Path = FOLDER,
    overrides: Path | None = None,
    variables: frozenset[str] | None = None,
    fixed: tuple[tuple[str, Any], ...] = (("lean", False), ("ranking_style", "limit")),
) -> Prompt:
    """The prompt of that name, read once: its files do not change while it is in use. Raises `ConfigurationError` when
    its templates and its declared variables differ; a template in `overrides` may leave out all but the question.

    `folder` and `variables` are for prompts that live elsewhere; ours are declared in `PROMPT_VARIABLES`.
    """
    telemetry.switch_off()
    from askwell.prompts.template import PromptTemplate, variables_used

    declared = PROMPT_VARIABLES[name] if variables is None else variables
    folders = (folder,) if overrides is None else (overrides, folder)
    try:
        used = frozenset().union(*(variables_used(folders, f"{name}/{part}") for part in _PARTS))
        found = [f"uses {v}, which is not declared" for v in sorted(used - declared)]
        needed = declared if overrides is None else declared & {"question"}
        found += [f"does not use {v}, which is declared" for v in sorted(needed - used)]
        if found:
            raise _unusable(name, "; ".join(found))
        system, user = (PromptTemplate(folders, f"{name}/{part}", used) for part in _PARTS)
    except TemplateSyntaxError as error:
        raise _unusable(name, f"{error.name}, line {error.lineno}: {error.message}") from None
    except (TemplateError, OSError, ValueError) as error:
        raise _unusable(name, str(error)) from None
    return Prompt(name, used, system, user, {key: value for key, value in fixed if key in used})


def harmless(text: str) -> str:
    """Data that goes to a model without a prompt of ours around it, such as what a tool gave: no mark of a chat format
    and no tag of ours in it can be taken for one."""
    return _beside_ours()(text)


@cache
def _beside_ours() -> Callable[[Any], str]:
    telemetry.switch_off()
    from askwell.prompts.template import harmless_beside

    return harmless_beside((FOLDER,))


def check_overrides(overrides: Path) -> None:
    """Whether every file of the folder stands in for one of ours. Raises `ConfigurationError`."""
    if not overrides.is_dir():
        raise ConfigurationError(
            f"prompts_path: there is no folder {overrides}.", "Correct prompts_path, or leave it out."
        )
    ours = _files(FOLDER)
    for name in _files(overrides):
        if name not in ours:
            near = get_close_matches(name, ours, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise ConfigurationError(
                f"prompts_path: {overrides / name} stands in for no prompt of ours.{meant}",
                "Give it the folder and the name that it has in src/askwell/prompts, or remove it.",
            )


def _files(folder: Path) -> Sequence[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jinja"))


def _unusable(name: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"The prompt {name} cannot be used: {reason.rstrip('.')}.",
        "Correct its templates, in prompts_path if that is set; prompts/variables.py says what they may name.",
    )


def _tidy(text: str) -> str:
    """Without the empty lines that absent sections leave."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    kept = [line for at, line in enumerate(lines) if line or lines[at - 1]]
    return "\n".join(kept) + "\n"
