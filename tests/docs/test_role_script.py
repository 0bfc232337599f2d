"""The role script of docs/deployment.md, run as it stands on a database of its own."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from sqlalchemy.engine import make_url

from askwell.config import load_config
from askwell.diagnosis import checks
from askwell.providers.engine.base import QueryFailure, QueryRows, RoleRights
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.services.health.finding import examine
from tests.support.servers import new_postgresql

_PAGE = Path(__file__).parents[2] / "docs" / "deployment.md"


def _script(database: str, reader: str) -> list[str]:
    """Its two parts, for another database and a role of another name."""
    section = _PAGE.read_text(encoding="utf-8").split("PostgreSQL, as a superuser", 1)[1].split("MySQL and MariaDB:")[0]
    parts = re.findall(r"```sql\n(.*?)```", section, re.DOTALL)
    return [part.replace("askwell_reader", reader).replace("DATABASE sales", f"DATABASE {database}") for part in parts]


def _for_schema(part: str, schema: str) -> str:
    """The lines of a part that its page says are to be repeated for another schema."""
    lines = [line for line in part.splitlines() if "SCHEMA public" in line]
    assert len(lines) >= 2
    return "\n".join(lines).replace("SCHEMA public", f"SCHEMA {schema}")


async def _doctor_says(folder: Path, url: str) -> str:
    """Of a data source that lists a table of the second schema."""
    source = {"engine": "sqlalchemy", "url_env": "SALES_URL", "tables": ["crm.visits"]}
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump({"data_sources": {"sales": source}}))
    part = "data_source.sales"
    found = await examine({part: checks(load_config(path, {"SALES_URL": url}), path)[part]})
    return f"{found[part].message} {found[part].hint}"


async def test_after_it_the_role_reads_and_nothing_else(tmp_path: Path) -> None:
    database = new_postgresql()
    reader = f"{database.name[:40]}_r"
    try:
        database.ask("CREATE TABLE orders (id integer); INSERT INTO orders VALUES (1)")
        database.ask("CREATE SCHEMA crm; CREATE TABLE crm.visits AS SELECT 1 AS id")
        database.ask("CREATE FUNCTION crm.visit() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
        first, second = _script(database.name, reader)
        url = make_url(database.url).set(username=reader).render_as_string(hide_password=False)

        database.ask(first)
        engine = SQLAlchemyEngine(url)
        before = await engine.rights()
        seen = {(table.schema, table.name) for table in (await engine.introspect()).tables}
        await engine.close()
        assert ("crm", "visits") not in seen
        unseen = await _doctor_says(tmp_path, url)
        assert {"pg_sleep", "ts_stat", "pg_advisory_lock"} <= set(before.needless_functions)

        database.ask(second)
        database.ask(_for_schema(first, "crm"))
        database.ask(_for_schema(second, "crm"))
        engine = SQLAlchemyEngine(url)
        after = await engine.rights()
        read = await engine.execute("SELECT count(*) FROM orders", row_limit=1, timeout=20)
        seen = {(table.schema, table.name) for table in (await engine.introspect()).tables}
        visits = await engine.execute("SELECT count(*) FROM crm.visits", row_limit=1, timeout=20)
        called = await engine.execute("SELECT crm.visit()", row_limit=1, timeout=20)
        slept = await engine.execute("SELECT pg_sleep(0)", row_limit=1, timeout=20)
        await engine.close()
    finally:
        database.ask(f"DROP OWNED BY {reader}; DROP ROLE {reader}")
        database.drop()
    assert after == RoleRights()
    assert isinstance(read, QueryRows)
    assert read.rows == ((1,),)
    assert "`tables` lists what is not there: crm.visits" in unseen
    assert "USAGE on the schema and SELECT on the table" in unseen
    assert ("crm", "visits") in seen
    assert isinstance(visits, QueryRows)
    for refused in (called, slept):
        assert isinstance(refused, QueryFailure)
        assert "permission denied" in refused.message
