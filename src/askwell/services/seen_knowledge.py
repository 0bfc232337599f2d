"""What of saved knowledge may be used for whom, where not everybody may read the same.

A saved question, with its SQL, is shown to people and to language models, and may have been written from rows that
others may not see. What a curator wrote is for everybody unless its SQL may tell of a value of a private column. What
became a saved question by a person's feedback is theirs alone. Words of people that became lessons by themselves are
nobody's.
"""

from __future__ import annotations

import hashlib

from sqlglot import exp

from askwell.errors import InvalidRequest
from askwell.knowledge.lessons import Lesson, Lessons
from askwell.knowledge.saved import SqlPair
from askwell.principal import Person
from askwell.services.pair_parameters import with_defaults
from askwell.sql.private_values import PrivateValues

_FEEDBACK = "feedback-"
_OWNED = "feedback-of-"


def own_prefix(owner: Person) -> str:
    """How the ids of pairs begin that a person's feedback made; of theirs alone, where they signed in."""
    if not owner.has_signed_in:
        return _FEEDBACK
    return f"{_OWNED}{hashlib.sha256(owner.id.encode()).hexdigest()[:24]}-"


def may_use(person: Person, pair: SqlPair, private: PrivateValues) -> bool:
    """Whether a saved question may be used for this person, and shown to them. May take some milliseconds the first
    time that it is asked of a statement."""
    if not private.are_any:
        return True
    if pair.id.startswith(_OWNED):
        return person.has_signed_in and pair.id.startswith(own_prefix(person))
    try:
        # As it was written too: its comments may get lost on the way.
        return not (private.in_sql(pair.sql) or private.in_sql(with_defaults(pair, private.dialect)))
    except InvalidRequest:  # a default that is none of the type
        return False


def lessons_for_all(lessons: Lessons, private: PrivateValues) -> Lessons:
    """The lessons that hold no value that someone may not know, of a project in which not everybody reads the
    same."""
    return {id: lesson for id, lesson in lessons.items() if not _may_hold_values(lesson, private)}


def _may_hold_values(lesson: Lesson, private: PrivateValues) -> bool:
    match lesson.kind:
        case "error_pattern":
            return lesson.origin != "manual"
        case "query_pattern":
            sql = lesson.body.get("sql")
            return lesson.origin != "manual" or (sql is not None and private.in_sql(sql))
        case "metric":
            formula, table = lesson.body["formula"], lesson.body.get("table")
            quoted = exp.to_identifier(table, quoted=True).sql(dialect=private.dialect) if table else ""
            return not quoted or private.in_sql(f"SELECT {formula} FROM {quoted}")
        case _:
            return False
