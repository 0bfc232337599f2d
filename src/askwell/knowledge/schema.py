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
from sqlalchemy.schema import SchemaItem

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
_TYPES = {"text": Text, "json": JSON, "number": Integer, "size": BigInteger, "moment": Moment, "content": LargeBinary}


def _table(name: str, key: str = "", *more: SchemaItem, **columns: str) -> Table:
    """A table with text columns as its `key`, and `more` columns, constraints or indexes; `columns` are names by type,
    with `?` where they may be null. A column of JSON that may be null has no other nothing."""

    def column(kind: str, written: str) -> Column[Any]:
        may_be_null = written.endswith("?")
        of_type = JSON(none_as_null=True) if kind == "json" and may_be_null else _TYPES[kind]
        return Column(written.rstrip("?"), of_type, nullable=may_be_null)

    keys = [Column(one, Text, primary_key=True) for one in key.split()]
    others = [column(kind, one) for kind, names in columns.items() for one in names.split()]
    # Constraints and indexes name columns that are there.
    return Table(name, metadata, *sorted([*keys, *more, *others], key=lambda one: not isinstance(one, Column)))


record_version = _table("record_version", "", Column("version", Integer, primary_key=True))

# One row, written over to see whether writing works.
write_check = _table("write_check", "", Column("id", Integer, primary_key=True), content="content")

# Jobs of every kind, and how they ended. `kind` says what `request` and `result` look like; `label` is what clients
# call a job, where that is not its id. `parked` is what it waits for, where a person has to say more before work on
# it goes on, and `parked_until` until when. `owner` is an id by which a person's jobs are looked for, `person` what
# of them goes along with the work. Both are null in records of earlier versions; the id is empty where nobody had to
# sign in. `worker` is the process that works on it, where several share the record.
jobs = _table(
    "jobs",
    "id",
    Column("attempts", Integer, nullable=False, default=0),
    UniqueConstraint("project_id", "kind", "idempotency_key"),
    text="kind project_id idempotency_key? body_hash status? label? owner? worker?",
    json="request result? parked? person?",
    moment="accepted_at finished_at? parked_until?",
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
workers = _table("workers", "id", text="host? version?", moment="seen_at")

# `sampled_values`: list of [table, column, [values…]]; null until sampling has been done for this content.
# `link_candidates`: links that nobody declared, each with the fields of `LinkCandidate`; null where nobody looked.
manifests = _table(
    "manifests",
    "project_id content_hash",
    text="manifest",
    json="sampled_values? warnings? link_candidates?",
    moment="stored_at",
)

# A label points at content only once that content has been prepared.
labels = _table("labels", "project_id label", text="content_hash")
current_models = _table("current_models", "project_id", text="content_hash label")

sql_pairs = _table(
    "sql_pairs", "project_id id", text="question question_key sql", json="parameters", moment="stored_at"
)
Index("sql_pairs_by_question", sql_pairs.c.project_id, sql_pairs.c.question_key)

instructions = _table(
    "instructions",
    "project_id id",
    text="instruction scope",
    json="questions",
    number="is_default",
    moment="stored_at",
)

keywords = _table("keywords", "project_id id", text="pattern", json="tables", moment="stored_at")

lessons = _table(
    "lessons",
    "project_id id",
    text="kind about origin status note",
    json="body sources replaces",
    number="uses successes",
    moment="created_at",
)

# Documents of words. `content_hash` is that of the content whose passages are in `chunks`; null until there are any.
documents = _table(
    "documents",
    "project_id id",
    text="title source format content_hash? status",
    json="tags error?",
    number="chunks",
    size="bytes",
    moment="created_at",
)

# Content that came and was not read yet.
uploads = _table("uploads", "project_id document_id", text="format content_hash", content="content")

chunks = _table(
    "chunks", "project_id document_id", Column("place", Integer, primary_key=True), text="locator heading text"
)

# Conversations. Deleting one deletes its messages, its runs and their events. `owner` is null in records of earlier
# versions, and empty where nobody had to sign in.
threads = _table(
    "threads", "project_id id", text="agent_id title owner?", json="variables", moment="created_at updated_at"
)
Index("threads_by_time", threads.c.project_id, threads.c.updated_at)

messages = _table(
    "messages",
    "",
    Column("place", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    UniqueConstraint("project_id", "thread_id", "id"),
    text="project_id thread_id id run_id role",
    json="parts",
    moment="created_at",
)

# What clients were told of a run, in order. A run that was interrupted goes on in another segment.
run_events = _table("run_events", "run_id", Column("place", Integer, primary_key=True), number="segment", json="event")

# The ids that clients gave to segments of runs.
client_runs = _table("client_runs", "project_id client_id", text="run_id", number="segment")

agents = _table("agents", "project_id id", json="definition", moment="updated_at")

# Keys of people and programs. Of the key itself only a hash is kept; `attributes` are texts by name, `projects` those
# that it is for, null for all. After a rotation the hash before counts until `former_until`.
api_keys = _table(
    "api_keys",
    "id",
    text="name role hash former_hash? made_by?",
    json="projects? attributes",
    moment="former_until? created_at expires_at? used_at? revoked_at?",
)

embeddings = _table("embeddings", "embedder", Column("text_hash", LargeBinary(32), primary_key=True), content="vector")

# What an edition of a project's index is made of: the hashes of its texts, one after the other. Embeddings of texts
# that none is made of are of no use any more.
texts_in_use = _table("texts_in_use", "project_id shelf edition", content="hashes", moment="noted_at")

# Names of what may not be used any more and would be valid by itself until then: sessions of browsers that were ended,
# sign-ins that were completed.
ended_tokens = _table("ended_tokens", "id", moment="until")
