"""PostgreSQL's own ways: what its errors mean, how its values come, and what its catalogue says.

Most values come in the database's own text, which is exact and never fails to convert; Python's own date types know
neither infinity nor the years before Christ, its decimals no more than the text does, and its intervals no months.
"""

from __future__ import annotations

import datetime
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Buffer, Loader
from psycopg.types import TypeInfo

from askwell.providers.engine.worker.outcomes import Rejected, Trouble, Unusable, about_rows, in_its_words
from askwell.providers.engine.worker.session import Columns

# -- errors -----------------------------------------------------------------------------------------------------------

# SQLSTATE codes and classes: https://www.postgresql.org/docs/current/errcodes-appendix.html
_OUT_OF_TIME = {
    "57014": "The statement ran out of time.",
    "55P03": "The statement waited too long for a table that somebody else has locked.",
}
_OUT_OF_RESOURCES = ("53", "54", "XX")
_ENDED = {"57P01": "dropped", "57P02": "dropped", "57P03": "starting", "57P05": "dropped", "25P03": "dropped"}
# Errors about the text of the statement quote its names, and never values of rows; but functions that parse texts of
# their own, such as to_tsquery, have the same code as a statement that cannot be parsed.
_ABOUT_THE_TEXT = "42"
_SYNTAX_ERROR = "42601"
# By code, or else by class.
_TROUBLES = {
    "0A": Trouble.UNSUPPORTED,
    "22003": Trouble.RANGE,
    "22008": Trouble.RANGE,
    "22012": Trouble.ZERO,
    "22": Trouble.VALUE,
    "42P01": Trouble.NO_SUCH_NAME,
    "42703": Trouble.NO_SUCH_NAME,
    "42501": Trouble.RIGHTS,
    _SYNTAX_ERROR: Trouble.SYNTAX,
    "42": Trouble.NAMES,
    **dict.fromkeys(_OUT_OF_RESOURCES, Trouble.RESOURCES),
}

# A refused connection has no code, only the words of the driver and the server. Matched in this order.
_CONNECTING: tuple[tuple[str, str], ...] = (
    ("failed to resolve host", "unknown_host"),
    ("could not translate host name", "unknown_host"),
    ("connection refused", "refused"),
    ("no such file or directory", "refused"),
    ("timeout expired", "unreachable"),
    ("timed out", "unreachable"),
    ("no route to host", "unreachable"),
    ("network is unreachable", "unreachable"),
    ("too many", "too_many_connections"),
    ("remaining connection slots", "too_many_connections"),
    ("no pg_hba.conf entry", "not_allowed"),
    ("permission denied for database", "not_allowed"),
    ("is not permitted to log in", "not_allowed"),
    ("password", "login"),
    ("authentication failed", "login"),
    ("role", "login"),
    ("database", "unknown_database"),
    ("starting up", "starting"),
    ("shutting down", "starting"),
    ("recovery mode", "starting"),
    ("ssl", "tls"),
    ("certificate", "tls"),
    ("server closed the connection", "dropped"),
)


def outcome_of(error: psycopg.Error, sql: str) -> Rejected | Unusable:
    """What an error that a statement met means. Only the primary message is kept: detail and context quote rows."""
    code = error.sqlstate or ""
    if code in _OUT_OF_TIME:
        return Rejected("timeout", _OUT_OF_TIME[code])
    if code in _ENDED:
        return Unusable(_ENDED[code])
    message = error.diag.message_primary or ""
    if code.startswith(_OUT_OF_RESOURCES):
        return about_rows("resources", message, sql, Trouble.RESOURCES)
    if not code:
        # From the driver, not from the server.
        if "memory" in str(error):
            return Rejected("resources", "The result needs more memory than it may use.")
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return Unusable("dropped")
        return Rejected("error", "The database's driver refused the statement.")
    if code.startswith("08"):
        return Unusable("dropped")
    trouble = _TROUBLES.get(code) or _TROUBLES.get(code[:2], Trouble.OTHER)
    if code.startswith(_ABOUT_THE_TEXT) and code != _SYNTAX_ERROR:
        return in_its_words("error", message, trouble)
    return about_rows("error", message, sql, trouble)


def connecting_trouble(error: Exception) -> Unusable:
    """Why there is no connection. The driver's words name host and user, so they are only for the service's log."""
    words = " ".join(str(error).split())
    if isinstance(error, psycopg.Error) and error.sqlstate == "22023":
        return Unusable("timezone")
    lowered = words.lower()
    # The host and the port stand in front of what happened.
    said = lowered.rpartition(" failed: ")[2]
    if isinstance(error, psycopg.ProgrammingError):
        return Unusable("other", words)
    return Unusable(next((reason for sign, reason in _CONNECTING if sign in said), "other"), words)


# -- values -----------------------------------------------------------------------------------------------------------

# What the driver would turn into something less exact, or fail to convert. Text stays text too, whatever its bytes.
_AS_TEXT = """
text varchar bpchar name json jsonb numeric uuid inet cidr date interval record int4range int8range numrange daterange
tsrange tstzrange int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange
""".split()  # noqa: SIM905 - a list of names reads better as words
_OTHER_TYPES = 0

# Types that this database has of its own, whose arrays are lists of them; not those that every table has for its rows.
_OWN_TYPES = """
SELECT t.oid, t.typarray, format_type(t.oid, NULL)
FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.oid >= 16384 AND t.typelem = 0 AND t.typarray <> 0 AND t.typtype IN ('b', 'c', 'd', 'e', 'm', 'r')
  AND (c.oid IS NULL OR c.relkind = 'c')
LIMIT 2000
"""


class _TextLoader(Loader):
    """The database's own text; bytes that are not UTF-8 (an SQL_ASCII database has them) as replacement characters."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


class _DatetimeLoader(Loader):
    """ISO 8601 for what Python can represent; the database's own text for infinity, BC and the far future."""

    kind: type[datetime.datetime] | type[datetime.time] = datetime.datetime

    def load(self, data: Buffer) -> str:
        text = bytes(data).decode("ascii", "replace")
        try:
            return self.kind.fromisoformat(text).isoformat()
        except ValueError:
            return text


class _TimeLoader(_DatetimeLoader):
    """The same for times of day, of which the database has one more: 24:00."""

    kind = datetime.time


def prepare_values(connection: psycopg.Connection[Any]) -> None:
    """Make a connection hand values over as this module says. Asks the database for its own types."""
    for oid, array_oid, name in connection.execute(_OWN_TYPES).fetchall():
        TypeInfo(str(name), oid, array_oid).register(connection)
    adapters = connection.adapters
    adapters.register_loader(_OTHER_TYPES, _TextLoader)
    for name in _AS_TEXT:
        adapters.register_loader(name, _TextLoader)
    for name in ("timestamp", "timestamptz"):
        adapters.register_loader(name, _DatetimeLoader)
    for name in ("time", "timetz"):
        adapters.register_loader(name, _TimeLoader)


def columns_of(result: pq.abc.PGresult, connection: psycopg.Connection[Any]) -> Columns:
    """Names and type names of a result, which may have no rows."""
    return [
        (
            (result.fname(index) or b"").decode("utf-8", "replace"),
            _type_name(connection, result.ftype(index), result.fmod(index)),
        )
        for index in range(result.nfields)
    ]


def _type_name(connection: psycopg.Connection[Any], oid: int, modifier: int) -> str:
    info = connection.adapters.types.get(oid)
    return info.get_type_display(oid, modifier) if info is not None else "unknown"


# -- the catalogue ----------------------------------------------------------------------------------------------------

# The settings a person made say which schemas are meant; by default it is every schema that the role may use.
_SCHEMAS = """
  n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
  AND ((SELECT source FROM pg_settings WHERE name = 'search_path') IN ('default', 'configuration file')
       OR n.nspname = ANY (current_schemas(false)))
"""

# Without the partitions of a table, and without what an extension brought along for itself. A domain is the type that
# it is made of, at any depth; an enum is its values, in the spelling of MySQL.
COLUMNS = f"""
WITH RECURSIVE domains(oid, base, modifier) AS (
  SELECT oid, typbasetype, typtypmod FROM pg_type WHERE typtype = 'd'
  UNION ALL
  SELECT d.oid, t.typbasetype, t.typtypmod FROM domains d JOIN pg_type t ON t.oid = d.base AND t.typtype = 'd'),
bases AS (
  SELECT d.oid, d.base, d.modifier FROM domains d JOIN pg_type t ON t.oid = d.base AND t.typtype <> 'd'),
enums AS (
  SELECT enumtypid AS oid,
    string_agg('''' || replace(enumlabel, '''', '''''') || '''', ',' ORDER BY enumsortorder) AS labels
  FROM pg_enum GROUP BY enumtypid)
SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'), a.attname,
  coalesce('enum(' || e.labels || ')', format_type(coalesce(b.base, a.atttypid), coalesce(b.modifier, a.atttypmod))),
  a.attnotnull, col_description(c.oid, a.attnum), obj_description(c.oid, 'pg_class')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN bases b ON b.oid = a.atttypid
LEFT JOIN enums e ON e.oid = coalesce(b.base, a.atttypid)
WHERE {_SCHEMAS} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY n.nspname, c.relname, a.attnum
"""

# A key of a partitioned table is declared once more for each partition; those have a parent.
KEYS = f"""
SELECT con.contype = 'p', n.nspname, c.relname, own.names, tn.nspname, tc.relname, other.names
FROM pg_constraint con
JOIN pg_class c ON c.oid = con.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_class tc ON tc.oid = con.confrelid
LEFT JOIN pg_namespace tn ON tn.oid = tc.relnamespace
CROSS JOIN LATERAL (
  SELECT array_agg(a.attname::text ORDER BY k.position) AS names
  FROM unnest(con.conkey) WITH ORDINALITY AS k(number, position)
  JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = k.number) own
CROSS JOIN LATERAL (
  SELECT array_agg(a.attname::text ORDER BY k.position) AS names
  FROM unnest(con.confkey) WITH ORDINALITY AS k(number, position)
  JOIN pg_attribute a ON a.attrelid = con.confrelid AND a.attnum = k.number) other
WHERE {_SCHEMAS} AND con.contype IN ('p', 'f') AND NOT c.relispartition AND con.conparentid = 0
ORDER BY n.nspname, c.relname, con.conname
"""

# Functions of the system and of extensions that the role may call, without the input and output of types and other
# plumbing that no statement can call. Which of them a statement may call is the guard's to say.
FUNCTIONS = """
SELECT DISTINCT lower(p.proname)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.prokind IN ('f', 'a', 'w') AND has_function_privilege(p.oid, 'EXECUTE')
  AND NOT EXISTS (
    SELECT FROM unnest(p.proargtypes::oid[] || p.prorettype) AS t(oid)
    WHERE t.oid IN ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype, 'event_trigger'::regtype))
  AND (n.nspname = 'pg_catalog' OR EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'))
"""

# Functions that everybody may execute by default and no question needs: they wait, lock, end sessions, run SQL from
# text or write large objects. The role script in docs/deployment.md revokes them.
NEEDLESS_FUNCTIONS = """
pg_sleep pg_sleep_for pg_sleep_until
pg_advisory_lock pg_advisory_lock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared
pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared
pg_cancel_backend pg_terminate_backend pg_notify pg_export_snapshot pg_logical_emit_message
ts_stat ts_rewrite
query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml cursor_to_xmlschema
table_to_xml table_to_xmlschema table_to_xml_and_xmlschema
schema_to_xml schema_to_xmlschema schema_to_xml_and_xmlschema
database_to_xml database_to_xmlschema database_to_xml_and_xmlschema
lo_creat lo_create lo_from_bytea lo_get lo_lseek lo_lseek64 lo_open lo_put lo_tell lo_tell64 lo_truncate lo_truncate64
lo_unlink loread lowrite
""".split()  # noqa: SIM905 - a list of names reads better as words

# What the role may do besides reading tables: a row for each kind, in words that fit after "the role". The first table
# found is enough.
RIGHTS = """
SELECT 'is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper
UNION ALL
SELECT 'may change data' WHERE EXISTS (
  SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
    AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
UNION ALL
SELECT 'may make tables and functions in the schema ' || min(nspname) FROM pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND has_schema_privilege(oid, 'CREATE') HAVING count(*) > 0
UNION ALL
SELECT 'may use files or programs of the server' WHERE EXISTS (
  SELECT FROM pg_roles WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
    AND pg_has_role(oid, 'MEMBER'))
"""
# Which of the needless functions the role may execute.
NEEDLESS = """
SELECT DISTINCT proname FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY (%s) AND has_function_privilege(oid, 'EXECUTE')
ORDER BY proname
"""

# Names (ASCII letters in lower case) of what views and partitioned tables of these names are made of, at any depth.
BEHIND = """
WITH RECURSIVE behind(oid) AS (
  SELECT c.oid FROM pg_class c WHERE lower(c.relname COLLATE "C") = ANY (%s)
  UNION
  SELECT part.oid FROM behind CROSS JOIN LATERAL (
    SELECT d.refobjid AS oid FROM pg_rewrite r
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
    WHERE r.ev_class = behind.oid
    UNION ALL
    SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = behind.oid) part)
SELECT DISTINCT lower(c.relname COLLATE "C") FROM behind JOIN pg_class c USING (oid)
"""

# Views of these names, and tables that row-level policies apply to, as SQL writes them: what a plan may call functions
# for that the statement does not name.
WITH_CODE = """
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE lower(c.relname COLLATE "C") = ANY (%s) AND (c.relkind = 'v' OR c.relrowsecurity)
  AND has_schema_privilege(n.oid, 'USAGE')
LIMIT 200
"""
