"""`askwell keys`: the keys of people and programs, in the record of a configuration or through a running service."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from askwell.cli.client import Item
from askwell.cli.messages import print_items, print_json, shown
from askwell.cli.options import AsJson, RecordOptions, command_group, with_option_groups
from askwell.cli.service import HttpTransport
from askwell.cli.waiting import run
from askwell.errors import ConfigurationError, RecordUnavailable
from askwell.messages import say
from askwell.principal import ROLES

_SPAN = re.compile(r"(\d{1,5})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_EXAMPLE = "Write 90d, 12h or 30m, or a day such as 2027-01-31."

app = command_group("Keys of people and programs, for services that people sign in to.")
KeyId = Annotated[str, typer.Argument(help="Its id, as `askwell keys list` shows it.")]


@app.command()
@with_option_groups
def create(
    name: Annotated[str, typer.Argument(help="The person or program that gets the key.")],
    of: RecordOptions,
    role: Annotated[
        str, typer.Option(help=f"What the key may do: {', '.join(ROLES)}; each includes those before it.")
    ] = "ask",
    project: Annotated[
        list[str] | None, typer.Option(help="A project that the key may use, repeat for more; by default all.")
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="name=text, for session properties and database roles; repeat for more.")
    ] = None,
    expires: Annotated[str | None, typer.Option(help=f"When the key expires. {_EXAMPLE}")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key, and print it: this is the only time."""

    def body() -> dict[str, Any]:
        key: dict[str, Any] = {"name": name, "role": _role(role), "attributes": _attributes(attribute or [])}
        return key | ({"projects": project} if project else {}) | _end(expires)

    key = _call(of, "POST /keys", {}, body)
    _print_key(key, f"for {shown(key['name'], lines=False)}, role {key['role']}", as_json=as_json)


@app.command("list")
@with_option_groups
def list_(of: RecordOptions, as_json: AsJson = False) -> None:
    """List the keys, oldest first, those that were revoked too."""

    def line(key: Item) -> str:
        projects = ", ".join(key["projects"]) if key["projects"] is not None else "all projects"
        return f"{key['id']}  {key['role']:<6} {_state(key):<20} {key['name']}  ({projects})"

    keys = _call(of, "GET /keys", {})["keys"]
    print_items(keys, line, as_json=as_json, nothing="There are no keys yet.")


@app.command()
@with_option_groups
def rotate(
    key: KeyId,
    of: RecordOptions,
    grace: Annotated[str, typer.Option(help="How long the old secret still works, such as 1h or 0m.")] = "1h",
    expires: Annotated[str | None, typer.Option(help=f"When the key expires from now on. {_EXAMPLE}")] = None,
    as_json: AsJson = False,
) -> None:
    """Make another key in the place of one, with its rights, and print it."""

    def body() -> dict[str, Any]:
        return {"grace": int(span(grace).total_seconds())} | _end(expires)

    made = _call(of, "POST /keys/{key_id}/rotate", {"key_id": key}, body)
    _print_key(made, "has another secret", as_json=as_json)


@app.command()
@with_option_groups
def revoke(key: KeyId, of: RecordOptions) -> None:
    """Let a key work no more."""
    gone = _call(of, "DELETE /keys/{key_id}", {"key_id": key})
    typer.echo(f"{gone['id']} is revoked.")


def _print_key(key: Item, what: str, *, as_json: bool) -> None:
    """The only time that it can be seen."""
    if as_json:
        print_json(key)
        return
    typer.echo(f"Key {key['id']} {what}. Keep it now:", err=True)
    typer.echo(key["key"])


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


def _end(expires: str | None) -> dict[str, str]:
    return {"expires_at": (datetime.now(UTC) + span(expires)).isoformat()} if expires else {}


def _call(of: RecordOptions, route: str, given: Item, body: Callable[[], Item] | None = None) -> Any:
    """What a service answers, or the record of a configuration. Ends the command with a reason where it cannot be
    done, or where `body` cannot be made of what was given."""

    async def done() -> Any:
        service = of.service
        sent = body() if body is not None else None
        if service is not None:
            return await HttpTransport(service).call(route, given, sent)
        from askwell.cli.local.record import keys_of_record

        try:
            async with keys_of_record(of.config) as keys:
                return await keys.call(route, given, sent)
        except RecordUnavailable as error:
            hint = f"{error.hint} Where a service runs on it, add --url with its address."
            raise RecordUnavailable(error.message, hint) from None

    return run(done())
