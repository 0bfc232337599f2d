"""`askwell project`: a project in a file, for backups and to move it, over a service or over its record."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from askwell.cli.messages import Force, confirm_overwriting, failures_told, print_json, shown
from askwell.cli.options import AsJson, RecordOptions, command_group, with_option_groups
from askwell.cli.service import HttpTransport
from askwell.cli.waiting import in_own_thread
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say
from askwell.whole_files import whole_file

app = command_group("Whole projects in files: models, saved knowledge, lessons, documents and agents.")


@app.command("export")
@with_option_groups
def export_(
    project: Annotated[str, typer.Argument(help="The project.")],
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    of: RecordOptions,
    with_history: Annotated[
        bool, typer.Option("--with-history", help="Include conversations and their messages.")
    ] = False,
    with_asks: Annotated[
        bool, typer.Option("--with-asks", help="Include questions that have ended, with their answers.")
    ] = False,
    force: Force = False,
) -> None:
    """Write a project to a file. Without --url the record is read, which may be in use."""

    async def done(service: str | None, target: IO[bytes]) -> None:
        if service is not None:
            wanted = {"with_history": with_history, "with_asks": with_asks}
            await in_own_thread(partial(HttpTransport(service).fetch_archive, project, target, wanted))
            return
        from askwell.cli.local.record import archives_of_record

        options = [*(["history"] if with_history else []), *(["asks"] if with_asks else [])]
        async with archives_of_record(of.config, changing=False) as archives:
            counts = await archives.write(project, target, options)  # type: ignore[arg-type]
            if not any(counts.values()):
                raise AskwellError(*say("cli.project_not_in_record", project=project))

    with failures_told():
        try:
            service = of.service
            if file.exists() and not file.is_file():
                raise ConfigurationError(*say("cli.no_regular_file", file=file))
            confirm_overwriting(file, force=force)
            # Its owner alone may read it: it is as confidential as the record.
            with whole_file(file, "wb", rights=0o600, keeps_rights=False) as target:
                asyncio.run(done(service, target))
            size = file.stat().st_size
        except OSError as error:
            raise ConfigurationError(*say("cli.archive_not_writable", file=file, strerror=error.strerror)) from None
    typer.echo(shown(f"{file}: {size:,} bytes."))


@app.command("import")
@with_option_groups
def import_(
    file: Annotated[Path, typer.Argument(help="What `askwell project export` wrote.", exists=True, dir_okay=False)],
    of: RecordOptions,
    project: Annotated[
        str | None, typer.Option(help="The project to write to; by default the one in the file.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace what the project has.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read a project from a file, all of it or nothing. Without --url the record is written, which no service may have
    in use."""

    async def done(service: str | None, source: IO[bytes]) -> Mapping[str, Any]:
        from askwell.archives import Archive

        into = project or Archive(source).header.project_id
        if service is not None:
            send = partial(HttpTransport(service).send_archive, into, source, replace=replace)
            return await in_own_thread(send)
        from askwell.cli.local.record import archives_of_record

        async with archives_of_record(of.config, changing=True) as archives:
            read = await archives.read(into, source, replace=replace)
        return {"project_id": into, "made_of": read.made_of, "parts": dict(read.parts), "warnings": list(read.warnings)}

    with failures_told():
        try:
            with file.open("rb") as source:
                read = asyncio.run(done(of.service, source))
        except OSError as error:
            raise ConfigurationError(*say("cli.archive_unreadable", file=file, strerror=error.strerror)) from None
    if as_json:
        print_json(read)
        return
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in read["parts"].items() if count)
    typer.echo(shown(f"{read['project_id']}: {counts or 'an empty project'}, from {read['made_of']}."))
    for warning in read["warnings"]:
        typer.secho(shown(warning), fg=typer.colors.YELLOW, err=True)
