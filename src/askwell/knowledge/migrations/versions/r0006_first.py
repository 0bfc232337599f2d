"""The first step: the tables, keys and indexes of the first release. Steps of lower numbers were those of development
versions, and are no longer taken.

Revision: 0006, after none
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
    text,
)
from sqlalchemy.schema import SchemaItem

revision = "0006"
down_revision: str | None = None

# As they were then, however `schema.py` makes its tables by now.
metadata = MetaData()
_STILL_OPEN = text("finished_at IS NULL")
_TYPES = {"text": Text, "json": JSON, "number": Integer, "moment": BigInteger, "content": LargeBinary}


def _table(name: str, key: str = "", *more: SchemaItem, **columns: str) -> None:
    keys = [Column(one, Text, primary_key=True) for one in key.split()]
    written = [(kind, one) for kind, names in columns.items() for one in names.split()]
    others: list[SchemaItem] = [
        Column(one.rstrip("?"), _TYPES[kind], nullable=one.endswith("?")) for kind, one in written
    ]
    # Constraints and indexes name columns that are there.
    Table(name, metadata, *sorted([*keys, *more, *others], key=lambda one: not isinstance(one, Column)))


_table("record_version", "", Column("version", Integer, primary_key=True))
_table("write_check", "", Column("id", Integer, primary_key=True), content="content")
_table(
    "jobs",
    "id",
    UniqueConstraint("project_id", "kind", "idempotency_key"),
    Index("jobs_by_end", "finished_at"),
    Index("jobs_of_project", "project_id", "kind", "accepted_at"),
    Index("open_jobs", "kind", "accepted_at", postgresql_where=_STILL_OPEN, sqlite_where=_STILL_OPEN),
    text="kind project_id idempotency_key? body_hash status? label? owner? worker?",
    json="request result? parked? person?",
    number="attempts",
    moment="accepted_at finished_at? parked_until?",
)
_table("workers", "id", text="host? version?", moment="seen_at")
_table(
    "manifests",
    "project_id content_hash",
    text="manifest",
    moment="stored_at",
    json="sampled_values? warnings? link_candidates?",
)
_table("labels", "project_id label", text="content_hash")
_table("current_models", "project_id", text="content_hash label")
_table(
    "sql_pairs",
    "project_id id",
    Index("sql_pairs_by_question", "project_id", "question_key"),
    text="question question_key sql",
    json="parameters",
    moment="stored_at",
)
_table(
    "instructions",
    "project_id id",
    text="instruction scope",
    json="questions",
    number="is_default",
    moment="stored_at",
)
_table("keywords", "project_id id", text="pattern", json="tables", moment="stored_at")
_table(
    "lessons",
    "project_id id",
    text="kind about origin status note",
    json="body sources replaces",
    number="uses successes",
    moment="created_at",
)
_table(
    "documents",
    "project_id id",
    text="title source format content_hash? status",
    json="tags error?",
    number="chunks",
    moment="bytes created_at",
)
_table("uploads", "project_id document_id", text="format content_hash", content="content")
_table("chunks", "project_id document_id", Column("place", Integer, primary_key=True), text="locator heading text")
_table(
    "threads",
    "project_id id",
    Index("threads_by_time", "project_id", "updated_at"),
    text="agent_id title owner?",
    json="variables",
    moment="created_at updated_at",
)
_table(
    "messages",
    "",
    Column("place", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    UniqueConstraint("project_id", "thread_id", "id"),
    text="project_id thread_id id run_id role",
    json="parts",
    moment="created_at",
)
_table("run_events", "run_id", Column("place", Integer, primary_key=True), number="segment", json="event")
_table("client_runs", "project_id client_id", text="run_id", number="segment")
_table("agents", "project_id id", json="definition", moment="updated_at")
_table("embeddings", "embedder", Column("text_hash", LargeBinary(32), primary_key=True), content="vector")
_table("texts_in_use", "project_id shelf edition", content="hashes", moment="noted_at")
_table(
    "api_keys",
    "id",
    text="name role hash former_hash? made_by?",
    json="projects? attributes",
    moment="former_until? created_at expires_at? used_at? revoked_at?",
)
_table("ended_tokens", "id", moment="until")


def upgrade() -> None:
    """Create all tables."""
    metadata.create_all(op.get_bind(), checkfirst=False)
