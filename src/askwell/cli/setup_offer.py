"""The offer of `askwell setup` to somebody who asks a first question without a language model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import typer

from askwell.cli.messages import INTERRUPTED
from askwell.errors import AskwellError
from askwell.resources import words_file


def offer_setup(config: Path | None) -> None:
    """Offer the setup, once, to somebody at a terminal who has no language model and has said nothing of one. The
    question that they came with is answered by rules where it comes to nothing."""
    from askwell.config.user_files import state_file, write_whole

    mark = state_file(os.environ, "setup_offered")
    if mark is None or mark.exists() or not (sys.stdin.isatty() and sys.stderr.isatty()) or _has_said(config):
        return
    words = words_file("askwell.cli", "words.yaml")["setup"]
    try:
        write_whole(mark, "")
        if not typer.confirm(words["offer"], err=True):
            typer.echo(words["later"], err=True)
        # Apart: what it imports would be in the way of what follows.
        elif subprocess.run([sys.executable, "-m", "askwell", "setup"], check=False).returncode == INTERRUPTED:
            raise typer.Exit(INTERRUPTED)
    except AskwellError:
        return  # where nothing can be remembered, it would be offered again and again
    except (KeyboardInterrupt, typer.Abort):
        raise typer.Exit(INTERRUPTED) from None


def _has_said(config: Path | None) -> bool:
    """Whether there is a model, or a configuration that says that there is to be none, or one that is broken."""
    from askwell.config import configuration_file, load_config
    from askwell.config.user_files import models_in

    try:
        file = configuration_file(config, os.environ)
        said = any(name.startswith("ASKWELL_LLM") for name in os.environ) or bool(file and models_in(file.read_text()))
        return said or load_config(config, os.environ).has_language_model
    except (AskwellError, OSError, ValueError):
        return True  # the command says so
