"""From a prompt's folder to the two texts that a model gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwell.errors import ConfigurationError
from askwell.prompts.variables import PROMPT_VARIABLES
from askwell.providers import telemetry

if TYPE_CHECKING:
    from askwell.prompts.template import PromptTemplate

FOLDER = Path(__file__).parent
_PARTS = ("system.md.jinja", "user.md.jinja")


@dataclass(frozen=True, slots=True)
class PromptText:
    """What goes to a model: the rules, and the question with its context."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A loaded prompt. `variables` are the names it needs."""

    name: str
    variables: frozenset[str]
    system: PromptTemplate
    user: PromptTemplate

    def write(self, values: Mapping[str, Any]) -> PromptText:
        """The two texts. `values` may hold more than the prompt needs; a name that is missing raises `KeyError`."""
        needed = {name: values[name] for name in self.variables}
        return PromptText(_tidy(self.system.run(**needed)["prompt"]), _tidy(self.user.run(**needed)["prompt"]))


def load_prompt(name: str, *, folder: Path = FOLDER, variables: frozenset[str] | None = None) -> Prompt:
    """The prompt of that name. Raises `ConfigurationError` when its templates and its declared variables differ.

    `folder` and `variables` are for prompts that live elsewhere; ours are declared in `PROMPT_VARIABLES`.
    """
    telemetry.switch_off()
    from askwell.prompts.template import PromptTemplate, variables_used

    declared = PROMPT_VARIABLES[name] if variables is None else variables
    used = frozenset().union(*(variables_used(folder, f"{name}/{part}") for part in _PARTS))
    if used != declared:
        found = [f"uses {v}, which is not declared" for v in sorted(used - declared)]
        found += [f"does not use {v}, which is declared" for v in sorted(declared - used)]
        raise ConfigurationError(
            f"The prompt {name} {'; '.join(found)}.", "Correct its templates, or its variables in prompts/variables.py."
        )
    system, user = (PromptTemplate(folder, f"{name}/{part}", declared) for part in _PARTS)
    return Prompt(name, declared, system, user)


def _tidy(text: str) -> str:
    """Without the empty lines that absent sections leave."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    kept = [line for at, line in enumerate(lines) if line or lines[at - 1]]
    return "\n".join(kept) + "\n"
