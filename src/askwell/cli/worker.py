"""`askwell worker`: a process that takes jobs and no requests, beside others that share its record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askwell.cli.messages import give_up
from askwell.cli.serve import LogFormat, LogLevel, run_service
from askwell.config import Config
from askwell.errors import ConfigurationError


def worker(
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="The configuration file. Without it ./config.yaml, when there is one."),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Where /health and /metrics answer; wins over server.host.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Wins over server.port; 0 takes a free one.")
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(help="At debug, logs may hold questions, SQL and tracebacks.")
    ] = LogLevel.info,
    log_format: Annotated[
        LogFormat, typer.Option(help="auto: text on a terminal, JSON lines elsewhere.")
    ] = LogFormat.auto,
) -> None:
    """Work on what other processes accept, until it is told to stop (SIGTERM or Ctrl-C)."""
    run_service(config, host, port, log_level, log_format, only_works=_at_work)


def _at_work(config: Config) -> Config:
    if config.jobs.redis is None:
        missing = ConfigurationError(
            "A worker takes jobs that other processes accept, and jobs.redis names no Redis to hear of them by.",
            "Set jobs.redis (ASKWELL_JOBS__REDIS), or start the service alone: askwell serve",
        )
        give_up(missing, status=2)
    return config.model_copy(update={"jobs": config.jobs.model_copy(update={"work": True})})
