"""`python -m askwell` is `askwell`."""

from __future__ import annotations

from askwell.cli.main import app

if __name__ == "__main__":
    app()
