"""What the configuration leaves to variables of the environment that it names: passwords, keys, URLs that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import SecretStr
from pydantic_core import PydanticCustomError

from askwell.config.problems import Origins, Path, Problem


def named_variable(
    key: Path, variable: object, environ: Mapping[str, str], origins: Origins
) -> tuple[str, list[Problem]]:
    """What the environment variable holds that is named at `key`, or by default for it; or what is wrong with it."""
    if not isinstance(variable, str) or not variable.isidentifier():
        return "", []  # said already, where it is there at all
    if not environ.get(variable):
        return "", [origins.problem(key, f"the environment variable {variable} is not set.")]
    return environ[variable], []


def named_url(
    here: Path,
    section: Mapping[str, Any],
    environ: Mapping[str, str],
    origins: Origins,
    wrong: Callable[[str, bool], str | None],
) -> tuple[SecretStr | None, list[Problem]]:
    """The URL in the variable that `url_env` of the section at `here` names, unless the section has a `url`; and what
    is wrong with either. `wrong` says that of a URL; the second argument is whether it may hold a password."""
    written, named = section.get("url"), section.get("url_env")
    in_file = written is not None and not origins.is_from_environment((*here, "url"))
    if in_file and named is not None:
        return None, [origins.problem((*here, "url_env"), "stands beside `url`: keep one of the two.")]
    if written is not None:
        # Where the environment gives a URL itself, it wins over the name of another variable.
        what = wrong(written, not in_file) if isinstance(written, str) else None
        return None, [origins.problem((*here, "url"), what)] if what else []
    text, problems = named_variable((*here, "url_env"), named, environ, origins)
    if text and (what := wrong(text, True)):
        return None, [origins.problem((*here, "url_env"), f"the environment variable {named} {what}")]
    return SecretStr(text) if text else None, problems


def named_secret(
    here: Path,
    section: Mapping[str, Any],
    environ: Mapping[str, str],
    origins: Origins,
    check: Callable[[SecretStr], SecretStr | None] = lambda value: value,
) -> tuple[dict[str, SecretStr], list[Problem]]:
    """The secret `here`, by its own name, where another variable holds it that the section names beside it with `_env`;
    and what is wrong with either, by `check` too. Empty where the environment gives the secret itself."""
    name = str(here[-1])
    if section.get(name) is not None:
        return {}, [] if origins.is_from_environment(here) else [origins.misplaced_key(here)]
    named = (*here[:-1], f"{name}_env")
    text, problems = named_variable(named, section.get(f"{name}_env"), environ, origins)
    if not text:
        return {}, problems
    secret = SecretStr(text)
    try:
        check(secret)
    except PydanticCustomError as error:
        what = f"the environment variable {section[f'{name}_env']} {error.message()}."
        return {}, [*problems, origins.problem(named, what)]
    return {name: secret}, problems
