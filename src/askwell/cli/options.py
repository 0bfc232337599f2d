"""Options that belong together, declared once as a dataclass and taken by several commands as one value."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from askwell.errors import ConfigurationError
from askwell.messages import say

# Where what belongs to a project is kept: a service, or a database in this process.
_SERVICE, _DATABASE = "ASKWELL_URL", "ASKWELL_DATABASE"
# Where a service runs that nobody named.
LOCAL_SERVICE = "http://127.0.0.1:5555"
Url = Annotated[str | None, typer.Option(envvar=_SERVICE, help="The address of a running service.")]
Database = Annotated[
    str | None,
    typer.Option(envvar=_DATABASE, help="A database, without a service: a file, a URL or env:NAME."),
]
GivenDatabase = Annotated[
    str | None,
    typer.Argument(
        help="A SQLite or DuckDB file, the URL of a server, or env:NAME for what that variable holds; "
        "$ASKWELL_DATABASE without it."
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="The configuration file."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """A running service to ask. Both are None where nothing was said."""

    url: Annotated[str | None, typer.Option(help="The address of a running service.")] = None
    project: Annotated[str | None, typer.Option(help="The project of the service.")] = None


@dataclass(frozen=True, kw_only=True)
class ProjectOptions:
    """Whose lessons or documents: a project's of a service, or those of a database in this process."""

    url: Url = None
    project: Annotated[str, typer.Option(help="The project of the service.")] = "default"
    database: Database = None


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """Whose record: that of a running service, or of a configuration."""

    url: Url = None
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Without a service: the configuration, whose record is used."),
    ] = None

    @property
    def service(self) -> str | None:
        """The service to go to; None for the record of a configuration, which says more than a service that the
        environment names for all commands. Raises `ConfigurationError` where options name both."""
        if self.url is None or self.config is None:
            return self.url
        if self.url != os.environ.get(_SERVICE):
            raise ConfigurationError(*say("cli.url_and_config"))
        return None


@dataclass(frozen=True, kw_only=True)
class PreparationOptions:
    """How a database is made ready to be asked in this process."""

    model: Annotated[
        Path | None,
        typer.Option(
            help="A semantic model (MDL JSON) for the database, in place of the one that Askwell makes.", dir_okay=False
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="The configuration with the language model and settings, for a database."),
    ] = None
    refresh: Annotated[bool, typer.Option("--refresh", help="Read the database, or load its CSV files, again.")] = False


@dataclass(frozen=True, kw_only=True)
class DatabaseOptions(PreparationOptions):
    """How a database is asked in this process."""

    timezone: Annotated[
        str | None,
        typer.Option(help='The time zone for days and "today", such as Europe/Berlin; by default this machine\'s.'),
    ] = None


def command_group(help_text: str) -> typer.Typer:
    """A command that has commands of its own."""
    return typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        help=help_text,
    )


def with_environment(service: ServiceOptions, database: str | None) -> tuple[ServiceOptions, str | None]:
    """The options with the service or, where it names none, the database that the environment names for all commands:
    where the command names neither."""
    if service.url is not None or database is not None:
        return service, database
    service = replace(service, url=os.environ.get(_SERVICE) or None)
    return service, None if service.url else os.environ.get(_DATABASE) or None


def options_given(group: Any) -> list[str]:
    """Those of a group that are not at their defaults, as people type them."""
    given = [one.name for one in fields(group) if getattr(group, one.name) != one.default]
    return [f"--{name.replace('_', '-')}" for name in given]


def with_option_groups(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, whose parameters that are dataclasses are spread out for Typer: each field is an option."""
    parameters = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Any] = {name: p.annotation for name, p in parameters.items() if is_dataclass(p.annotation)}
    options = {
        name: one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, one in parameters.items() if name not in groups
    }
    for group in groups.values():
        options |= {one.name: one for one in _options_of(group)}

    @wraps(command)
    def run(**given: Any) -> Any:
        values = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return command(**values, **given)

    run.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {name: one.annotation for name, one in options.items()}
    return run


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
