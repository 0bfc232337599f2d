"""The tables of the record, and the version they are at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Dialect,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

# Raised when an older Askwell could no longer use the record. New tables, indexes and columns that may be null leave it
# as it is. Every change of this file needs a step in `migrations/`: `make migration MESSAGE="what is new"`.
SCHEMA_VERSION = 2

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(TypeDecorator[datetime]):
    """An aware moment, kept as microseconds since 1970: exact, sortable, and the same on every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + timedelta(microseconds=value)


metadata = MetaData()


def _of_project(name: str, *columns: Column[Any]) -> Table:
    """A table whose rows belong to a project, and whose key begins with it."""
    return Table(name, metadata, Column("project_id", Text, primary_key=True), *columns)


record_version = Table("record_version", metadata, Column("version", Integer, primary_key=True))

# One row, written over to see whether writing works.
write_check = Table(
    "write_check", metadata, Column("id", Integer, primary_key=True), Column("content", LargeBinary, nullable=False)
)

# Jobs of every kind, and how they ended. `kind` says what `request` and `result` look like.
jobs = Table(
    "jobs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("request", JSON, nullable=False),
    Column("idempotency_key", Text),
    Column("body_hash", Text, nullable=False),
    Column("accepted_at", Moment, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("status", Text),
    Column("result", JSON(none_as_null=True)),
    Column("finished_at", Moment),
    # What clients call it, where that is not its id.
    Column("label", Text),
    # What it waits for, where somebody has to say more before work on it goes on.
    Column("parked", JSON(none_as_null=True)),
    # For whom: an id by which jobs are looked for, and what of the person goes along with the work. Both are null in
    # records of earlier versions; the id is empty where nobody had to sign in.
    Column("owner", Text),
    Column("person", JSON(none_as_null=True)),
    # The process that works on it, where several share the record; and until when it waits.
    Column("worker", Text),
    Column("parked_until", Moment),
    UniqueConstraint("project_id", "kind", "idempotency_key"),
)
Index("jobs_by_end", jobs.c.finished_at)
Index("jobs_of_project", jobs.c.project_id, jobs.c.kind, jobs.c.accepted_at)
# Few of many: what has not ended.
Index(
    "open_jobs",
    jobs.c.kind,
    jobs.c.accepted_at,
    postgresql_where=jobs.c.finished_at.is_(None),
    sqlite_where=jobs.c.finished_at.is_(None),
)

# The processes that share the record, where several do. `seen_at` is when each was heard of last.
workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("seen_at", Moment, nullable=False),
    Column("host", Text),
    Column("version", Text),
)

manifests = _of_project(
    "manifests",
    Column("content_hash", Text, primary_key=True),
    Column("manifest", Text, nullable=False),
    Column("stored_at", Moment, nullable=False),
    # JSON list of [table, column, [values…]]; null until sampling has been done for this content.
    Column("sampled_values", JSON(none_as_null=True)),
    Column("warnings", JSON(none_as_null=True)),
    # JSON list of links that nobody declared, each with the fields of `LinkCandidate`; null where nobody looked.
    Column("link_candidates", JSON(none_as_null=True)),
)

# A label points at content only once that content has been prepared.
labels = _of_project(
    "labels",
    Column("label", Text, primary_key=True),
    Column("content_hash", Text, nullable=False),
)

current_models = _of_project(
    "current_models",
    Column("content_hash", Text, nullable=False),
    Column("label", Text, nullable=False),
)

sql_pairs = _of_project(
    "sql_pairs",
    Column("id", Text, primary_key=True),
    Column("question", Text, nullable=False),
    Column("question_key", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("parameters", JSON, nullable=False),
    Column("stored_at", Moment, nullable=False),
)
Index("sql_pairs_by_question", sql_pairs.c.project_id, sql_pairs.c.question_key)

instructions = _of_project(
    "instructions",
    Column("id", Text, primary_key=True),
    Column("instruction", Text, nullable=False),
    Column("questions", JSON, nullable=False),
    Column("is_default", Integer, nullable=False),
    Column("scope", Text, nullable=False),
    Column("stored_at", Moment, nullable=False),
)

keywords = _of_project(
    "keywords",
    Column("id", Text, primary_key=True),
    Column("pattern", Text, nullable=False),
    Column("tables", JSON, nullable=False),
    Column("stored_at", Moment, nullable=False),
)

lessons = _of_project(
    "lessons",
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
    Column("created_at", Moment, nullable=False),
)

# Documents of words. `content_hash` is that of the content whose passages are in `chunks`; null until there are any.
documents = _of_project(
    "documents",
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("content_hash", Text),
    Column("chunks", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("error", JSON(none_as_null=True)),
    Column("created_at", Moment, nullable=False),
)

# Content that came and was not read yet.
uploads = _of_project(
    "uploads",
    Column("document_id", Text, primary_key=True),
    Column("format", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

chunks = _of_project(
    "chunks",
    Column("document_id", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("locator", Text, nullable=False),
    Column("heading", Text, nullable=False),
    Column("text", Text, nullable=False),
)

# Conversations. Deleting one deletes its messages, its runs and their events.
threads = _of_project(
    "threads",
    Column("id", Text, primary_key=True),
    Column("agent_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("variables", JSON, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    # Whose it is: null in records of earlier versions, empty where nobody had to sign in.
    Column("owner", Text),
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
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("project_id", "thread_id", "id"),
)

# What clients were told of a run, in order. A run that was interrupted goes on in another segment.
run_events = Table(
    "run_events",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("segment", Integer, nullable=False),
    Column("event", JSON, nullable=False),
)

# The ids that clients gave to segments of runs.
client_runs = _of_project(
    "client_runs",
    Column("client_id", Text, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("segment", Integer, nullable=False),
)

agents = _of_project(
    "agents",
    Column("id", Text, primary_key=True),
    Column("definition", JSON, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

# Keys of people and programs. Of the key itself only a hash is kept; `attributes` are texts by name, `projects` those
# that it is for, null for all. After a rotation the hash before counts until `former_until`.
api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("projects", JSON(none_as_null=True)),
    Column("attributes", JSON, nullable=False),
    Column("hash", Text, nullable=False),
    Column("former_hash", Text),
    Column("former_until", Moment),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("used_at", Moment),
    Column("revoked_at", Moment),
    Column("made_by", Text),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("embedder", Text, primary_key=True),
    Column("text_hash", LargeBinary(32), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

# What an edition of a project's index is made of: the hashes of its texts, one after the other. Embeddings of texts
# that none is made of are of no use any more.
texts_in_use = _of_project(
    "texts_in_use",
    Column("shelf", Text, primary_key=True),
    Column("edition", Text, primary_key=True),
    Column("hashes", LargeBinary, nullable=False),
    Column("noted_at", Moment, nullable=False),
)

# Names of what may not be used any more and would be valid by itself until then: sessions of browsers that were ended,
# sign-ins that were completed.
ended_tokens = Table(
    "ended_tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("until", Moment, nullable=False),
)
