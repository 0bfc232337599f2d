"""A model whose SQL reaches for more than its data is refused when it is prepared."""

from __future__ import annotations

from tests.services.conftest import Desk
from tests.support import tiny_shop


async def test_a_model_that_reads_files_or_the_catalogue_is_refused_and_replaces_nothing(desk: Desk) -> None:
    await desk.prepare(tiny_shop.manifest())
    before = await desk.projects.get("default", None)
    bad = tiny_shop.manifest()
    columns = [{"name": "name", "type": "VARCHAR"}]
    bad["models"] += [
        {"name": "files", "refSql": "SELECT * FROM read_csv('/etc/passwd')", "columns": columns},
        {"name": "catalogue", "refSql": "SELECT name FROM sqlite_master", "columns": columns},
    ]
    status = await desk.prepare(bad, "m2")
    assert (status["status"], status["error"]["code"]) == ("failed", "MDL_PARSE_ERROR")
    assert '"files" . refSql: it cannot be used' in status["error"]["message"]
    assert '"catalogue" . refSql: it reads "sqlite_master"' in status["error"]["message"]
    assert await desk.projects.get("default", None) is before
