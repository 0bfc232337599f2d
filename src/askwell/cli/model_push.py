"""`askwell model push`: a semantic model for a running service, with what people wrote of the one before."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.messages import INTERRUPTED, counted, give_up, print_json, shown, status_of_work
from askwell.cli.options import LOCAL_SERVICE, Url
from askwell.cli.service import HttpTransport, NoService
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say

if TYPE_CHECKING:
    from askwell.mdl.kept_texts import KeptTexts

# How often a stage is printed where no line can change.
_NOTES = 10
_MOST_NAMED = 10
_IN_WORDS = {"description": "description", "display_name": "display name", "synonyms": "synonym list", "unit": "unit"}


def push(
    file: Annotated[Path, typer.Argument(help="The semantic model, as MDL JSON.")],
    url: Url = None,
    project: Annotated[str, typer.Option(help="The project of the service.")] = "default",
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Send the file as it is, without texts and units of the current model.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the last status of the preparation as JSON.")] = False,
) -> None:
    """Send a model to a running service and follow its preparation. Status 0 when it is ready, 1 when it is refused.

    Descriptions, display names, synonyms and units of the current model are kept where the file has none.
    """
    from askwell.cli.progress import Progress

    printed: tuple[str, int] | None = None

    def on_event(_: str, status: Mapping[str, Any]) -> None:
        nonlocal printed
        stage, done, total = _made(status)
        line = f"{stage} {done:,} of {total:,}" if total else stage
        progress.step(line)
        # Where no line can change, as in a log: each stage, and each tenth of it.
        mark = (stage, done * _NOTES // total if total else 0)
        if mark != printed:
            progress.note(line)
        printed = mark

    try:
        service = HttpTransport(url or LOCAL_SERVICE)
        model, kept = _model_in(file), None
        if not replace:
            kept = _with_current_texts(service, project, model)
        if kept is not None:
            _tell(kept)
            model = _encoded(kept.manifest) if kept.kept else model
        with Progress() as progress:
            label, status = service.push_model(project, model, on_event=on_event)
    except KeyboardInterrupt:
        typer.echo("Stopped looking; what was sent is prepared all the same.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except AskwellError as error:
        give_up(error, status_of_work(error))
    for warning in status.get("warnings") or ():
        typer.echo(shown(f"warning: {warning}"), err=True)
    if as_json:
        print_json({"id": label, **status, **(_as_json(kept) if kept is not None else {})})
    if status["status"] != "finished":
        said = status.get("error") or {}
        give_up(AskwellError(shown(str(said.get("message", "The model was refused."))), str(said.get("hint") or "")))
    if not as_json:
        typer.echo(f"The model is in use for project {project} (label {label}).")


def _model_in(file: Path) -> bytes:
    """The JSON object in a file; it is sent as it is, so it has to be one, and no more. Raises `ConfigurationError`."""
    try:
        content = file.read_bytes().removeprefix(codecs.BOM_UTF8)
        if not isinstance(json.loads(content.decode("utf-8")), dict):
            raise ConfigurationError(*say("cli.model_no_object", file=file))
    except OSError as error:
        raise ConfigurationError(*say("cli.model_file_unreadable", file=file, strerror=error.strerror)) from None
    except (ValueError, RecursionError):
        raise ConfigurationError(*say("cli.model_no_json", file=file)) from None
    return content


def _with_current_texts(service: HttpTransport, project: str, model: bytes) -> KeptTexts | None:
    """The model with the texts of the current one; None where there is no current one. Raises `AskwellError` where that
    cannot be read: nobody would know then what is lost."""
    from askwell.mdl.kept_texts import with_texts_of

    try:
        current = service.current_model(project)
    except (ConfigurationError, NoService):
        raise
    except AskwellError as error:
        raise AskwellError(*say("cli.model_current_unreadable", project=project, message=error.message)) from None
    return None if current is None else with_texts_of(current, json.loads(model))


def _encoded(manifest: Mapping[str, Any]) -> bytes:
    # What UTF-8 has no bytes for is escaped, as in the file.
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _tell(kept: KeptTexts) -> None:
    """What became of the texts of the current model."""
    if kept.kept:
        counts = [counted(kept.kept[name], word) for name, word in _IN_WORDS.items() if name in kept.kept]
        typer.echo(f"Kept of the current model, as the file has none there: {', '.join(counts)}.", err=True)
    if kept.replaced:
        _warn("the file has other texts than the current model, and those of the file count, for", kept.replaced)
    if kept.lost:
        _warn("what people wrote is not kept, as the file does not have them:", kept.lost)


def _warn(what: str, names: Sequence[str]) -> None:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    typer.echo(shown(f"warning: {what} {', '.join(names[:_MOST_NAMED])}{more}"), err=True)


def _as_json(kept: KeptTexts) -> dict[str, Any]:
    return {"kept": {name: kept.kept.get(name, 0) for name in _IN_WORDS}, "not_kept": [*kept.lost, *kept.replaced]}


def _made(status: Mapping[str, Any]) -> tuple[str, int, int]:
    """The stage of a preparation, and how many of its parts are done; 0 of 0 where nothing is counted."""
    made = status.get("progress") or {}
    stage = str(made.get("stage") or status.get("status", ""))
    return stage, int(made.get("done") or 0), int(made.get("total") or 0)
