"""`askwell keys`: the keys of people and programs, in the record of a configuration or through a running service."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from askwell.cli.client import Keys
from askwell.cli.messages import print_json, shown
from askwell.cli.options import AsJson, Url, chosen_service, command_group
from askwell.cli.service import HttpTransport
from askwell.cli.waiting import run
from askwell.errors import ConfigurationError, RecordUnavailable
from askwell.messages import say
from askwell.principal import ROLES

Found = TypeVar("Found")
_SPAN = re.compile(r"(\d{1,5})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_EXAMPLE = "Write 90d, 12h or 30m, or a day such as 2027-01-31."

app = command_group("Keys of people and programs, where a service wants to know who calls.")
Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="Without a service: the configuration whose record has the keys."),
]
KeyId = Annotated[str, typer.Argument(help="Its id, as `askwell keys list` shows it.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what it is for.")],
    role: Annotated[str, typer.Option(help=f"What it may: {', '.join(ROLES)}, each with what stands before.")] = "ask",
    project: Annotated[list[str] | None, typer.Option(help="A project that it is for; may be repeated.")] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="name=text, of which session properties are made; may be repeated.")
    ] = None,
    expires: Annotated[str | None, typer.Option(help=f"When it is over. {_EXAMPLE}")] = None,
    url: Url = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Make a key, and print it: this is the only time."""

    async def made(keys: Keys) -> Mapping[str, Any]:
        key: dict[str, Any] = {"name": name, "role": _role(role), "attributes": _attributes(attribute or [])}
        key |= {"projects": project} if project else {}
        key |= {"expires_at": (datetime.now(UTC) + span(expires)).isoformat()} if expires else {}
        return await keys.create(key)

    key = _with_keys(url, config, made)
    if as_json:
        print_json(key)
        return
    typer.echo(f"Key {key['id']} for {shown(key['name'], lines=False)}, role {key['role']}. Keep it now:", err=True)
    typer.echo(key["key"])


@app.command("list")
def list_(url: Url = None, config: Config = None, as_json: AsJson = False) -> None:
    """List the keys, oldest first, those that were revoked too."""
    keys = _with_keys(url, config, lambda keys: keys.all())
    if as_json:
        print_json(keys)
        return
    for key in keys:
        projects = ", ".join(key["projects"]) if key["projects"] is not None else "all projects"
        name = shown(key["name"], lines=False)
        typer.echo(f"{key['id']}  {key['role']:<6} {_state(key):<20} {name}  ({shown(projects, lines=False)})")
    if not keys:
        typer.echo("There are no keys yet.", err=True)


@app.command()
def rotate(
    key: KeyId,
    grace: Annotated[str, typer.Option(help="How long the key before works too, such as 1h or 0m.")] = "1h",
    expires: Annotated[str | None, typer.Option(help=f"When it is over from now on. {_EXAMPLE}")] = None,
    url: Url = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Make another key in the place of one, with its rights, and print it."""

    async def rotated(keys: Keys) -> Mapping[str, Any]:
        until = (datetime.now(UTC) + span(expires)).isoformat() if expires else None
        return await keys.rotate(key, int(span(grace).total_seconds()), until)

    made = _with_keys(url, config, rotated)
    if as_json:
        print_json(made)
        return
    typer.echo(f"Key {made['id']} has another secret. Keep it now:", err=True)
    typer.echo(made["key"])


@app.command()
def revoke(key: KeyId, url: Url = None, config: Config = None) -> None:
    """Let a key work no more."""
    gone = _with_keys(url, config, lambda keys: keys.revoke(key))
    typer.echo(f"{gone['id']} is revoked.")


def span(text: str) -> timedelta:
    """How long from now: `90d`, or until a day. Raises `ConfigurationError`."""
    found = _SPAN.fullmatch(text.strip())
    if found is not None:
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
    try:
        day = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ConfigurationError(*say("cli.no_moment", text=text[:40])) from None
    return (day if day.tzinfo is not None else day.replace(tzinfo=UTC)) - datetime.now(UTC)


def _role(text: str) -> str:
    if text not in ROLES:
        raise ConfigurationError(*say("cli.unknown_role", text=text[:40], roles=", ".join(ROLES)))
    return text


def _attributes(said: list[str]) -> dict[str, str]:
    found = {}
    for one in said:
        name, equals, text = one.partition("=")
        if not equals or not name.strip():
            raise ConfigurationError(*say("cli.no_attribute", one=one[:40]))
        found[name.strip()] = text
    return found


def _state(key: Mapping[str, Any]) -> str:
    if key["revoked_at"] is not None:
        return "revoked"
    if key["expires_at"] is None:
        return "for good"
    until = datetime.fromisoformat(key["expires_at"])
    return f"until {until:%Y-%m-%d %H:%M}" if until > datetime.now(UTC) else "over"


def _with_keys(url: str | None, config: Path | None, action: Callable[[Keys], Awaitable[Found]]) -> Found:
    """What something done with keys comes to. Ends the command with a reason where it cannot be done."""

    async def done() -> Found:
        if (service := chosen_service(url, config)) is not None:
            return await action(Keys(HttpTransport(service)))
        from askwell.cli.local.record import keys_of_record

        try:
            async with keys_of_record(config) as keys:
                return await action(keys)
        except RecordUnavailable as error:
            hint = f"{error.hint} Where a service runs on it, add --url with its address."
            raise RecordUnavailable(error.message, hint) from None

    return run(done())
