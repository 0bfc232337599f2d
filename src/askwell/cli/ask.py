"""`askwell ask`: one question to a running service, over HTTP."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Annotated, Any

import typer

from askwell.cli.messages import give_up
from askwell.errors import AskwellError

_ENDS = ("finished", "failed", "stopped")
_POLL_SECONDS = 0.1


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know, in plain language.")],
    url: Annotated[str, typer.Option(help="Where the service runs.")] = "http://127.0.0.1:5555",
    project: Annotated[str, typer.Option(help="The project whose data is asked.")] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result object on the last line.")] = False,
    dry: Annotated[bool, typer.Option("--dry", help="Write and check the SQL without running it.")] = False,
) -> None:
    """Ask a running service a question: shows its progress, the SQL and the first rows. Status 1 without an answer."""
    try:
        body = {"query": question, "project_id": project, "execute": not dry, "request_from": "api"}
        ask_id = _call(f"{url}/v1/asks", body)["query_id"]
        result = _follow(f"{url}/v1/asks/{ask_id}/result")
        words = _words(f"{url}/v1/asks/{ask_id}/streaming-result") if result.get("type") == "GENERAL" else ""
    except AskwellError as error:
        give_up(error)
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        _show(result, words)
    raise typer.Exit(0 if result["status"] == "finished" else 1)


def _follow(address: str) -> dict[str, Any]:
    shown = ""
    while True:
        result = _call(address)
        if result["status"] != shown:
            shown = result["status"]
            typer.secho(shown, dim=True, err=True)
        if shown in _ENDS:
            return result
        time.sleep(_POLL_SECONDS)


def _show(result: dict[str, Any], words: str) -> None:
    if words:
        typer.echo(words)
    for answer in result.get("response", []):
        typer.echo(f"\n{answer['sql']}\n")
    if "data" in result:
        _show_rows(result["data"])
    for name in ("assumptions", "warnings"):
        for line in result.get(name, []):
            typer.echo(f"{name.removesuffix('s')}: {line}")
    if "error" in result:
        typer.secho(result["error"]["message"], fg=typer.colors.RED, err=True)
        typer.echo(result["error"].get("hint", ""), err=True)


def _show_rows(data: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    table = Table(*[escape(column["name"]) for column in data["columns"]], box=box.SIMPLE)
    for row in data["rows"][:20]:
        table.add_row(*[Text("" if cell is None else str(cell)) for cell in row])
    Console().print(table)
    count = "1 row" if data["row_count"] == 1 else f"{data['row_count']} rows"
    typer.echo(f"{count}, more were cut off" if data["truncated"] else count)


def _call(address: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(_read(address, body))
    return answer


def _words(address: str) -> str:
    lines = _read(address).decode().splitlines()
    return "".join(json.loads(line[len("data: ") :])["message"] for line in lines if line.startswith("data: "))


def _read(address: str, body: dict[str, Any] | None = None) -> bytes:
    data = json.dumps(body).encode() if body is not None else None
    try:
        request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            content: bytes = response.read()
            return content
    except urllib.error.HTTPError as error:
        raise _refusal(error) from None
    except (OSError, ValueError) as error:
        raise AskwellError(
            f"No service answers at {address.partition('/v1/')[0]} ({type(error).__name__}).",
            "Start one with `askwell serve`, or name another with --url.",
        ) from None


def _refusal(error: urllib.error.HTTPError) -> AskwellError:
    try:
        said = json.loads(error.read())
        return AskwellError(said["message"], said["hint"])
    except (ValueError, KeyError, TypeError):
        return AskwellError(f"The server answered {error.code}, and not as Askwell would.", "Check --url.")
