"""What is wrong with a manifest, said so that its author can put it right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

# Nobody reads on after so many, and most come from one mistake of a generator: the reader stops looking.
MAX_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """`where` in the manifest (`models[2] "orders" . columns[1] "totl"`), `what` is wrong there, and what `todo`."""

    where: str
    what: str
    todo: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.todo}"


AND_MORE = Problem(
    "manifest", f"it has more than {MAX_PROBLEMS} problems, and these are the first", "Correct them, then try again."
)


class TooManyProblems(Exception):
    """Raised by `Findings` to stop looking; never leaves `read_manifest`."""


@dataclass(slots=True)
class Findings:
    """Collects problems (the manifest is refused) and warnings (it is not) in the order in which they are met."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def refuse(self, where: str, what: str, todo: str) -> None:
        """Add a problem."""
        if len(self.problems) == MAX_PROBLEMS:
            raise TooManyProblems
        self.problems.append(Problem(where, what, todo.strip()))

    @property
    def enough_warnings(self) -> bool:
        """Whether a further warning would be dropped, so that nothing need be worked out for it."""
        return len(self.warnings) >= MAX_PROBLEMS

    def warn(self, where: str, what: str, todo: str) -> None:
        """Add a warning; past the bound further ones are dropped."""
        if not self.enough_warnings:
            self.warnings.append(Problem(where, what, todo.strip()))


def first_of(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """As many problems as are told, and a line that says that there are more where there are: no further one is looked
    for."""
    found = tuple(islice(problems, MAX_PROBLEMS + 1))
    return found if len(found) <= MAX_PROBLEMS else (*found[:MAX_PROBLEMS], AND_MORE)


def place(*parts: str) -> str:
    """A path in the manifest, outermost part first."""
    return " . ".join(part for part in parts if part)


def item(kind: str, position: int, name: object = None) -> str:
    """One member of a list: `models[2] "orders"`."""
    label = f"{kind}[{position}]"
    return f'{label} "{shown(name)}"' if isinstance(name, str) and name.strip() else label


def shown(text: str, limit: int = 60) -> str:
    """Someone else's text, made fit for a one-line message."""
    if len(text) <= limit and text.isprintable() and "  " not in text:
        return text.strip()
    line = "".join(character if character.isprintable() else "�" for character in " ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"
