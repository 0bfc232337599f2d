"""What records of version 2 had before migrations were counted. Whatever an earlier Askwell did not know is added to
what is there: such columns may all be null.

Revision: 0001, after none
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    select,
)

revision = "0001"
down_revision: str | None = None

# As they were then; `schema.py` has gone on since.
metadata = MetaData()

record_version = Table("record_version", metadata, Column("version", Integer, primary_key=True))
write_check = Table(
    "write_check", metadata, Column("id", Integer, primary_key=True), Column("content", LargeBinary, nullable=False)
)
jobs = Table(
    "jobs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("request", JSON, nullable=False),
    Column("idempotency_key", Text),
    Column("body_hash", Text, nullable=False),
    Column("accepted_at", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("status", Text),
    Column("result", JSON),
    Column("finished_at", BigInteger),
    Column("label", Text),
    Column("parked", JSON),
    UniqueConstraint("project_id", "kind", "idempotency_key"),
)
Index("jobs_by_end", jobs.c.finished_at)
Index("jobs_of_project", jobs.c.project_id, jobs.c.kind, jobs.c.accepted_at)

manifests = Table(
    "manifests",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("content_hash", Text, primary_key=True),
    Column("manifest", Text, nullable=False),
    Column("stored_at", BigInteger, nullable=False),
    Column("sampled_values", JSON),
    Column("warnings", JSON),
    Column("link_candidates", JSON),
)
labels = Table(
    "labels",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("label", Text, primary_key=True),
    Column("content_hash", Text, nullable=False),
)

current_models = Table(
    "current_models",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("content_hash", Text, nullable=False),
    Column("label", Text, nullable=False),
)

sql_pairs = Table(
    "sql_pairs",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("question", Text, nullable=False),
    Column("question_key", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("parameters", JSON, nullable=False),
    Column("stored_at", BigInteger, nullable=False),
)
Index("sql_pairs_by_question", sql_pairs.c.project_id, sql_pairs.c.question_key)

instructions = Table(
    "instructions",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("instruction", Text, nullable=False),
    Column("questions", JSON, nullable=False),
    Column("is_default", Integer, nullable=False),
    Column("scope", Text, nullable=False),
    Column("stored_at", BigInteger, nullable=False),
)

keywords = Table(
    "keywords",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("pattern", Text, nullable=False),
    Column("tables", JSON, nullable=False),
    Column("stored_at", BigInteger, nullable=False),
)

lessons = Table(
    "lessons",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("origin", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("uses", Integer, nullable=False),
    Column("successes", Integer, nullable=False),
    Column("sources", JSON, nullable=False),
    Column("replaces", JSON, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)
documents = Table(
    "documents",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("content_hash", Text),
    Column("chunks", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("error", JSON),
    Column("created_at", BigInteger, nullable=False),
)
uploads = Table(
    "uploads",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("format", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

chunks = Table(
    "chunks",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("locator", Text, nullable=False),
    Column("heading", Text, nullable=False),
    Column("text", Text, nullable=False),
)
threads = Table(
    "threads",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("agent_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("variables", JSON, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
Index("threads_by_time", threads.c.project_id, threads.c.updated_at)

messages = Table(
    "messages",
    metadata,
    Column("place", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("project_id", Text, nullable=False),
    Column("thread_id", Text, nullable=False),
    Column("id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("parts", JSON, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("project_id", "thread_id", "id"),
)
run_events = Table(
    "run_events",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("segment", Integer, nullable=False),
    Column("event", JSON, nullable=False),
)
client_runs = Table(
    "client_runs",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("segment", Integer, nullable=False),
)

agents = Table(
    "agents",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("definition", JSON, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("embedder", Text, primary_key=True),
    Column("text_hash", LargeBinary(32), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)
texts_in_use = Table(
    "texts_in_use",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("shelf", Text, primary_key=True),
    Column("edition", Text, primary_key=True),
    Column("hashes", LargeBinary, nullable=False),
    Column("noted_at", BigInteger, nullable=False),
)


def upgrade() -> None:
    """Make the tables and columns that are not there, and note the version in a record that has none."""
    connection = op.get_bind()
    found = inspect(connection).get_multi_columns()
    there = {table: {column["name"] for column in columns} for (_, table), columns in found.items()}
    metadata.create_all(
        connection, [table for table in metadata.sorted_tables if table.name not in there], checkfirst=False
    )
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.name not in there.get(table.name, table.columns.keys()):
                op.add_column(table.name, Column(column.name, column.type))
    if connection.scalar(select(record_version.c.version)) is None:
        connection.execute(record_version.insert().values(version=2))
