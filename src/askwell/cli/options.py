"""Options that belong together, declared once as a dataclass and taken by several commands as one value."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from askwell.cli.messages import failures_told
from askwell.csv_files import CSV_SUFFIXES
from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.providers.engine.worker.database_file import kind_of_file
from askwell.providers.engine.worker.outcomes import Unusable

# Where what belongs to a project is kept: a service, or a database in this process.
_SERVICE, _DATABASE = "ASKWELL_URL", "ASKWELL_DATABASE"
# Where a service runs that nobody named.
LOCAL_SERVICE = "http://127.0.0.1:5555"
Url = Annotated[str | None, typer.Option(envvar=_SERVICE, help="The address of a running service.")]
# How names of database files end; others are known by what is in them.
_FILE_ENDINGS = (".db", ".sqlite", ".sqlite3", ".duckdb")
_KINDS = ("sqlite", "duckdb")
_ADDRESS = re.compile(r"env:\w+|[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
GivenDatabase = Annotated[
    str | None,
    typer.Argument(
        metavar="DATABASE",
        help="A SQLite or DuckDB file, a CSV file or a folder of them, the URL of a server, or env:NAME; "
        "$ASKWELL_DATABASE without it.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="The configuration file."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, kw_only=True)
class ProjectOptions:
    """What is asked: a project of a service, or a database in this process."""

    url: Annotated[str | None, typer.Option(help="The address of a running service.")] = None
    project: Annotated[str, typer.Option(help="The project of the service.")] = "default"
    database: Annotated[str | None, typer.Option(help="The database, in place of the first argument.")] = None

    def at(self, place: str | None) -> ProjectOptions:
        """For the database of an argument. Where neither that nor an option names anything, it is the service or, where
        it names none, the database that the environment names for all commands. Raises `ConfigurationError` where two
        are named."""
        if place is not None and self.database is not None:
            raise ConfigurationError(*say("cli.database_twice", place=place, database=self.database))
        url, database = self.url, place if place is not None else self.database
        if url is not None and database is not None:
            raise ConfigurationError(*say("cli.url_and_database"))
        if url is None and database is None:
            url = os.environ.get(_SERVICE) or None
            database = None if url else os.environ.get(_DATABASE) or None
        if database is not None and self.project != ProjectOptions.project:
            raise ConfigurationError(*say("cli.option_with_database", option="--project"))
        return replace(self, url=url, database=database)

    def asked(self, place: str | None, local: DatabaseOptions) -> ProjectOptions:
        """As `at`, where options say how a database is asked. Raises `ConfigurationError` also where nothing is named,
        and for such options with a service."""
        of = self.at(place)
        if of.database is None and of.url is None:
            raise ConfigurationError(*say("cli.nothing_named"))
        if of.url is not None and (unfit := options_given(local)):
            raise ConfigurationError(*say("cli.option_with_url", unfit=unfit[0]))
        return of

    def at_first(self, words: Sequence[str], *, csv: bool = True) -> tuple[ProjectOptions, Sequence[str]]:
        """As `at`, for the first of several words where it names a database, and the others. Without `csv`, CSV files
        are no databases."""
        is_named = len(words) > 1 and names_database(words[0], csv=csv)
        return self.at(words[0] if is_named else None), words[is_named:]

    def at_pair(self, words: Sequence[str]) -> tuple[ProjectOptions, str]:
        """As `at`, for the first of two words, and the last word. Raises `ConfigurationError` for more."""
        if len(words) > 2:
            raise ConfigurationError(*say("cli.too_many_arguments", word=words[2]))
        return self.at(words[0] if len(words) == 2 else None), words[-1]


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


def sorted_words(words: Sequence[str], *, question: bool = True) -> tuple[str | None, str]:
    """The database that is named by the first word, or else None, and a `question`, which is "" where there is none: in
    the other order where only the second word names a database, or could. Raises `ConfigurationError`."""
    if len(words) > 2 or (len(words) == 2 and not question):
        raise ConfigurationError(*say("cli.too_many_arguments", word=words[-1]))
    if len(words) < 2:
        is_place = bool(words) and (not question or names_database(words[0]))
        return (words[0], "") if is_place else (None, "".join(words))
    first, second = ((names_database(word), not any(map(str.isspace, word))) for word in words)
    return (words[1], words[0]) if second > first else (words[0], words[1])


def names_database(text: str, *, csv: bool = True) -> bool:
    """Whether this is a URL, env:NAME, a folder, a SQLite or DuckDB file or, with `csv`, a CSV file, and no words. What
    ends like the name of such a file is one, whether it is there or not."""
    try:
        path = Path(text).expanduser()
        if any(map(str.isspace, text)) and not path.exists():
            return False
        if (ending := path.suffix.lower()) in CSV_SUFFIXES:
            return csv
        return (
            ending in _FILE_ENDINGS
            or _ADDRESS.fullmatch(text) is not None
            or path.is_dir()
            or kind_of_file(str(path)) in _KINDS
        )
    except (OSError, RuntimeError, ValueError, Unusable):  # longer than a name may be, or with NUL in it
        return False


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
        with failures_told():
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
