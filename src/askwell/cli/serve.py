"""`askwell serve` and `askwell worker`: a process that takes requests, and one that only works beside others."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import resource
import signal
import socket
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from askwell.cli.messages import UNUSABLE, failures_told, give_up, status_of_work
from askwell.cli.options import Config, PreparationOptions, options_given, with_option_groups
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

    from askwell.cli.graceful_server import GracefulServer
    from askwell.config import Config as Settings
    from askwell.config import ServerConfig
    from askwell.container import Container


# Seconds after which a thread that works lets others in. With Python's own 5 ms the event loop, which has to get in
# several times for one request, waits for a tenth of a second while a large model is prepared on other threads.
SWITCH_SECONDS = 0.001
# What else is open than connections: databases and their processes, the record, servers of models, the log.
_OTHER_FILES = 256


LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["auto", "text", "json"]


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """How a process that serves is run."""

    config: Config = None
    host: Annotated[str | None, typer.Option(help="The address to listen on; wins over server.host.")] = None
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="The port to listen on; wins over server.port. 0 takes a free one."),
    ] = None
    log_level: Annotated[
        LogLevel,
        typer.Option(help="debug, info, warning or error. At debug, logs may hold questions, SQL and tracebacks."),
    ] = "info"
    log_format: Annotated[
        LogFormat, typer.Option(help="text, json, or auto: text at a terminal, JSON lines elsewhere.")
    ] = "auto"


@with_option_groups
def serve(
    options: ServerOptions,
    database: Annotated[
        str | None,
        typer.Argument(
            metavar="DATABASE",
            help="Serve this database, as `askwell open` does, at port 5555 and without a browser.",
        ),
    ] = None,
) -> None:
    """Start the service and keep it running until SIGTERM or Ctrl-C."""
    if database is None:
        _run_service(options, takes_requests=True)
        return
    from askwell.cli.open import serve_database
    from askwell.config import ServerConfig

    if given := options_given(replace(options, config=None, port=None)):
        raise ConfigurationError(*say("cli.option_with_served_database", option=given[0]))
    port = ServerConfig().port if options.port is None else options.port
    serve_database(database, PreparationOptions(config=options.config), port, browser=False)


@with_option_groups
def worker(options: ServerOptions) -> None:
    """Work on what other processes accept, until SIGTERM or Ctrl-C."""
    _run_service(options, takes_requests=False)


def _run_service(options: ServerOptions, *, takes_requests: bool) -> None:
    # What a start makes stays: looking through it for garbage takes a sixth of its time. `server_of` begins again.
    gc.disable()
    # The first process of a container hears no signal that it does not handle.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # Configuration and port are checked before anything heavy is imported: a mistake is answered at once.
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging(options.log_level, as_json={"text": False, "json": True}.get(options.log_format))
    with failures_told():
        settings = load_config(options.config, os.environ)
    port = settings.server.port if options.port is None else options.port
    listening = {"host": options.host or settings.server.host, "port": port}
    settings = settings.model_copy(update={"server": settings.server.model_copy(update=listening)})
    if not takes_requests:
        settings = _at_work(settings)
    from askwell.services.health.databases import listen, require_sign_in

    doctor = "askwell doctor" if options.config is None else f"askwell doctor --config {options.config}"
    try:
        where = listen(settings.server)
        require_sign_in(where.getsockname()[0], settings.sign_in)
        _describe(settings, where, doctor)
        _run(settings, where, takes_requests=takes_requests)
    except AskwellError as error:
        hint = f"{error.hint}\nTo look at every part: {doctor}"
        give_up(AskwellError(error.message, hint), status_of_work(error))


def _describe(config: Settings, listener: socket.socket, doctor: str) -> None:
    """What this service is made of, so that a wrong configuration is seen before the first question; `doctor` is the
    command that says whether it works."""
    from askwell.config import record_place, whereabouts
    from askwell.config.hosts import is_loopback, without_secrets

    model = config.llm["default"]
    served_by = f" at {without_secrets(model.api_base)}" if model.api_base else ""
    lines = {
        "language model": f"{model.model}{served_by}" if config.has_language_model else "none (rules answer alone)",
        "rules": config.rules_mode,
        "embedder": _embedder(config),
        "document store": config.document_store.name,
        "record": record_place(config.knowledge) or str(config.home),
        "jobs": "in this process",
    }
    if (redis := config.jobs.redis) is not None:
        shared = "shared" if config.jobs.work else "taken by others"
        lines["jobs"] = f"{shared}, by way of {without_secrets(redis.get_secret_value())}"
    for name, value in lines.items():
        typer.echo(f"  {name:<15} {value}")
    for project, source in config.data_sources.items():
        missing = "  (no such file yet)" if source.path is not None and not source.path.exists() else ""
        typer.echo(f"  {'data source':<15} {project}: {whereabouts(source)}{missing}")
    if not config.data_sources:
        typer.echo(f"  {'data source':<15} none: name a database under `data_sources` before asking")
    typer.echo(f"  {'does it work?':<15} {doctor}")
    if config.is_shared:
        named = ", ".join(dict.fromkeys((*config.data_sources, *(config.projects or ()))))
        typer.echo(f"  {'projects':<15} {'any' if config.open_to_any_project else named}")
    if config.server.allowed_hosts:
        typer.echo(f"  {'answers to':<15} {', '.join(('localhost', *config.server.allowed_hosts))}")
    if config.sign_in.is_on:
        typer.echo(f"  {'sign-in':<15} on: callers need a key or a sign-in")
    elif not is_loopback(listener.getsockname()[0]):
        typer.secho(
            "  Anyone who reaches this address may do everything: sign_in.open is on. Put something with a sign-in in "
            "front.",
            fg=typer.colors.YELLOW,
            err=True,
        )


def _embedder(config: Settings) -> str:
    from askwell.providers.embedder.minilm_files import MinilmFiles

    provider = config.embedder.default.provider
    is_missing = provider == "minilm" and not MinilmFiles.of_home(config.home).present()
    return f"{provider}  (its files are made first, once: some ten seconds)" if is_missing else provider


def _run(config: Settings, listener: socket.socket, *, takes_requests: bool) -> None:
    from askwell.container import Container
    from askwell.web.app import create_app, create_worker_app

    sys.setswitchinterval(SWITCH_SECONDS)
    # A driver or library in C that crashes takes the process with it: its end says at least where that was.
    if sys.stderr is not None:
        faulthandler.enable()
    container = Container(config, lasting=True)
    if takes_requests:
        app = create_app(container, config.server, config.settings.compatibility, config.sign_in)
    else:
        app = create_worker_app(container, config.server, config.sign_in)

    def ready() -> None:
        what = f"(routes: {url_of(listener)}/docs)" if takes_requests else "(a worker: /health and /metrics alone)"
        typer.echo(f"Askwell is ready at {url_of(listener)} {what}")

    server = server_of(app, container, config.server, ready)
    with contextlib.suppress(SystemExit):
        server.run(sockets=[listener])
    if server.told_to_stop and not server.started:
        typer.echo("Stopping.")
    elif not server.started:
        unknown = AskwellError(*say("cli.service_did_not_start"))
        raise getattr(app.state, "start_error", unknown)


def server_of(app: FastAPI, services: Container, server: ServerConfig, on_ready: Callable[[], None]) -> GracefulServer:
    """The HTTP server of an application over these services, with a start that `on_ready` hears of."""
    import uvicorn

    from askwell.cli.graceful_server import CONNECTIONS_SECONDS, GracefulServer
    from askwell.web.connections import Connection

    connections = connections_within(server.max_connections)
    if connections < server.max_connections:
        typer.echo(f"  {'connections':<15} {connections} at most: the system lets this process open no more files")
    settings = uvicorn.Config(
        app,
        http=Connection,
        limit_concurrency=connections,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        # Else uvicorn believes everybody on this machine who they ask for.
        proxy_headers=bool(server.trusted_proxies),
        forwarded_allow_ips=list(server.trusted_proxies),
        loop="asyncio",  # where uvloop is installed too: docs/architecture.md says why
        ws="none",  # there are none here, and looking for them costs memory
        timeout_graceful_shutdown=CONNECTIONS_SECONDS,
    )

    def ready() -> None:
        # A full collection holds up all asks, and takes half as long without what the start made.
        gc.freeze()
        gc.enable()
        on_ready()

    return GracefulServer(settings, services, on_ready=ready)


def url_of(listener: socket.socket) -> str:
    """Where the socket listens, as people write it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _at_work(config: Settings) -> Settings:
    if config.jobs.redis is None:
        give_up(ConfigurationError(*say("cli.worker_without_redis")), UNUSABLE)
    return config.model_copy(update={"jobs": config.jobs.model_copy(update={"work": True})})


def connections_within(wanted: int) -> int:
    """Asks the system for as many files as that many connections need; how many of these are possible. Many systems let
    a process have 1,024 until it asks for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        more = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
        except (OSError, ValueError):  # macOS has a lower limit than it tells
            more = soft
        needed = min(needed, more)
    return max(needed - _OTHER_FILES, needed // 2)
