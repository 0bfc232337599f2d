"""`askwell docs`: documents on the command line, of a database and of a service."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path

import pytest

from tests.support.commands import run_askwell
from tests.support.service import running_service, write_config
from tests.support.tiny_shop import make_database

from .making import encrypted_pdf

HANDBOOK = "# Loans\n\nA book may be kept for three weeks.\n\n# Fees\n\nA day costs ten cents."
ASKED = "how long may a book be kept?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_database(tmp_path / "shop.sqlite")
    (tmp_path / "handbook.md").write_text(HANDBOOK)
    (tmp_path / "locked.pdf").write_bytes(encrypted_pdf())
    return tmp_path


def environ(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}


def test_documents_of_a_database(folder: Path) -> None:
    """Added, listed, found, removed; what cannot be read says why, beside what can."""
    at = ("--database", str(folder / "shop.sqlite"))
    said = partial(run_askwell, "docs", cwd=folder, environ=environ(folder))
    added = said("add", "handbook.md", "locked.pdf", "--tag", "rules", *at)
    assert added.returncode == 1
    assert "handbook.md: 2 passages." in added.stdout
    assert "locked.pdf: The document was not read: it is encrypted." in added.stderr
    found = said("search", ASKED, *at)
    assert (found.returncode, "handbook, Loans" in found.stdout) == (0, True), found.stdout
    listed = said("list", *at).stdout.splitlines()
    assert [line.split()[1] for line in listed] == ["indexed", "failed"]
    assert said("remove", "handbook.md", *at).returncode == 0
    gone = said("search", ASKED, *at)
    assert (gone.returncode, gone.stdout) == (1, "")


async def test_documents_of_a_service(folder: Path) -> None:
    """The same through HTTP, and what is not there."""
    async with running_service(write_config(folder)) as service:
        at = ("--url", service.url)
        said = partial(run_askwell, "docs", cwd=folder, environ=environ(folder))
        added = await asyncio.to_thread(said, "add", "handbook.md", *at)
        assert (added.returncode, added.stdout) == (0, "handbook.md: 2 passages.\n"), added.stderr
        found = await asyncio.to_thread(said, "search", ASKED, "--top", "1", *at)
        assert "three weeks" in found.stdout
        removed = await asyncio.to_thread(said, "remove", "nothing.md", *at)
        assert (removed.returncode, "This document doesn't exist." in removed.stderr) == (3, True)
