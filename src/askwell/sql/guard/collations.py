"""Which collations and character sets a statement may name: those that come with the database.

One that somebody made could be anything, in SQLite a function of the program that opened the file.
"""

from __future__ import annotations

import re

from sqlglot import exp

from askwell.sql.guard.outcome import Refused, Rule

_LANGUAGE = r"[a-z]{2,3}"
# https://mariadb.com/kb/en/supported-character-sets-and-collations/
_CHARACTER_SET = (
    r"utf8|utf8mb3|utf8mb4|latin[12579]|ascii|ucs2|utf16|utf16le|utf32|cp\d{3,4}|koi8[ru]|greek|hebrew|armscii8|big5|gb2312"
    r"|gbk|gb18030|sjis|ujis|euckr|eucjpms|tis620|macce|macroman|geostd8|keybcs2|hp8|dec8|swe7"
)
_KNOWN = {
    # https://www.postgresql.org/docs/current/collation.html: standard, of the operating system, of ICU
    "postgres": rf"default|C|POSIX|unicode|ucs_basic|pg_c_utf8|C\.(utf8|UTF-8)|{_LANGUAGE}_[A-Z]{{2}}(\.(utf8|UTF-8))?"
    rf"|(und|{_LANGUAGE})(-[A-Za-z0-9]+)*-x-icu",
    # https://duckdb.org/docs/stable/sql/expressions/collations
    "duckdb": rf"(?i:NOCASE|NOACCENT|NFC|C|POSIX|BINARY|{_LANGUAGE}(_[a-z]{{2,4}})?)",
    # https://www.sqlite.org/datatype3.html#collating_sequences
    "sqlite": r"(?i:BINARY|NOCASE|RTRIM)",
    "mysql": rf"(?i:binary|({_CHARACTER_SET}|uca1400)_\w+)",
    # https://learn.microsoft.com/sql/t-sql/statements/windows-collation-name-transact-sql
    "tsql": r"(?i:database_default|catalog_default|\w+_(C[IS]_A[IS]\w*|BIN2?)(_UTF8)?)",
}
_KNOWN_SET = re.compile(rf"(?i:binary|{_CHARACTER_SET})")
_PLAIN = {dialect: re.compile(pattern) for dialect, pattern in _KNOWN.items()}
# Names of languages and their options, in a text: 'en-ci', 'und:ci'.
_IN_TEXT = re.compile(r"[A-Za-z]{2,3}([-_:][A-Za-z0-9]{2,8})*|utf8")


def check_collation(collate: exp.Expr, dialect: str) -> None:
    """Refuse a collation that does not come with the database; raises `Refused`."""
    named = collate.expression
    parts = _parts(named)
    if dialect == "postgres" and len(parts) == 2 and parts[0] == "pg_catalog":
        parts = parts[1:]
    pattern = _PLAIN.get(dialect, _IN_TEXT)
    # DuckDB's are combined with dots, those of others have one name.
    if not parts or (len(parts) > 1 and dialect != "duckdb") or not all(map(pattern.fullmatch, parts)):
        raise Refused(Rule.ARGUMENT, collate, "A collation has to be one that comes with the database.")


def is_known_character_set(name: str) -> bool:
    """Whether MySQL or MariaDB comes with a character set of that name."""
    return _KNOWN_SET.fullmatch(name) is not None


def _parts(named: exp.Expr | None) -> list[str]:
    match named:
        case exp.Column():
            return [
                part.name for key in ("catalog", "db", "table", "this") if (part := named.args.get(key)) is not None
            ]
        case exp.Dot():
            return [*_parts(named.this), *_parts(named.expression)]
        case exp.Identifier() | exp.Var() | exp.Literal():
            return [named.name]
    return []
