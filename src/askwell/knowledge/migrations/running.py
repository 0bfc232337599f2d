"""Steps of the record, taken by Alembic, and written by it for `make migration MESSAGE=…`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from alembic.autogenerate import compare_metadata
from alembic.command import revision, upgrade
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import BigInteger, Connection, create_engine

from askwell.knowledge.migrations import FOLDER, STEPS, step_numbers
from askwell.knowledge.schema import Moment, metadata


def take_steps(connection: Connection) -> None:
    """Take the steps that the record has not taken, in the transaction that is open."""
    upgrade(_config(connection), "head")


def differences(connection: Connection) -> list[str]:
    """What of a record's tables, columns and indexes is not as the schema says; nothing where all is."""
    options = {"compare_type": True, "version_table": STEPS}
    found = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
    return [str(one) for one in found]


def write_step(message: str) -> Path:
    """Write the step from the last one to today's schema, next to the others, for someone to read and correct."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        take_steps(connection)
        made = revision(_config(connection), message, autogenerate=True, rev_id=f"{int(step_numbers()[-1]) + 1:04}")
    assert not isinstance(made, list)
    assert made is not None
    return Path(made.path)


def render(kind: str, thing: object, _: object) -> str | Literal[False]:
    """How a step writes what is ours: as what the database has."""
    return f"sa.{BigInteger.__name__}()" if kind == "type" and isinstance(thing, Moment) else False


def _config(connection: Connection) -> Config:
    config = Config()
    config.attributes["connection"] = connection
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "r%%(rev)s_%%(slug)s")
    config.set_main_option("truncate_slug_length", "80")
    return config


if __name__ == "__main__":
    print(write_step(" ".join(sys.argv[1:])))  # noqa: T201
