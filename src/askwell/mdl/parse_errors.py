"""What is wrong with a piece of SQL, in words for whoever wrote it rather than in the parser's own."""

from __future__ import annotations

import re

from sqlglot.errors import ParseError, SqlglotError, TokenError

from askwell.mdl.problems import shown

# What the parser's resolver says, and how we say it.
_RESOLVING = (
    (r"Alias already used: (.+)", 'two of its tables are called "{}"'),
    (r"Unknown table: (.+)", 'it has no table or alias "{}"'),
    (r"Unknown column: (.+)", 'none of its tables has a column "{}"'),
    (r"Cannot automatically join: (.+)", 'the tables joined by USING do not all have the column "{}"'),
    (r"Unknown output column: (.+)", "it sorts or groups by column {}, which its SELECT does not have"),
    (r"Column '?(.+?)'? could not be resolved.*", 'none of its tables has a column "{}"'),
    (r"Ambiguous column:? '?(.+?)'?( \(.*)?", 'several of its tables have a column "{}"'),
)


def parse_reason(error: SqlglotError) -> str:
    """Why text cannot be read as SQL, in words that fit after "because"."""
    if isinstance(error, TokenError):
        return "a quote, bracket or comment in it is not closed"
    if not isinstance(error, ParseError) or not error.errors:
        return "it cannot be read as SQL"
    first = error.errors[0]
    description = str(first.get("description") or "")
    near = shown(str(first.get("highlight") or ""), 30)
    after = f' after "{near}"' if near else ""
    if description.startswith(("Required keyword", "Expected table name")):
        return f"something is missing{after}"
    wanted = re.match(r"Expect(?:ing|ed) ([)\]}]|END\b)", description)
    if wanted:
        return f'"{wanted[1]}" is missing{after}'
    return f'the SQL cannot be read at "{near}"' if near else "it cannot be read as SQL"


def resolve_reason(error: Exception) -> str:
    """Why the names in a statement do not fit together."""
    if isinstance(error, ParseError):
        return parse_reason(error)
    lines = str(error).splitlines()
    first = lines[0].strip().rstrip(".").split(". Line ")[0] if lines else ""
    for pattern, said in _RESOLVING:
        found = re.fullmatch(pattern, first)
        if found:
            return said.format(shown(found[1].strip("\"'")))
    return "its names do not fit together"
