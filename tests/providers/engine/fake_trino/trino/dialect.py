"""The dialect that SQLAlchemy finds for `trino://` where this package is on the path."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite


class FakeTrinoDialect(SQLiteDialect_pysqlite):
    name = "trino"
    driver = "rest"
    supports_statement_cache = False

    @classmethod
    def import_dbapi(cls) -> Any:
        import trino.dbapi

        return trino.dbapi

    def create_connect_args(self, url: Any) -> Any:
        return [url.query["file"]], {}

    def on_connect(self) -> None:
        return None
