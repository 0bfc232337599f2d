"""What databases say when the record cannot be used, what it means, and what to do."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from askwell.errors import RecordUnavailable
from askwell.messages import say
from askwell.resources import words_file

# Read at once: where nothing can be opened any more, it is too late.
_TROUBLES = words_file("askwell.knowledge", "troubles.yaml")["troubles"]


class PassingTrouble(RecordUnavailable):
    """Nothing can be done with the record now, whatever is asked of it; it may be well again by itself."""


def trouble(name: str, error: SQLAlchemyError, setting: str) -> RecordUnavailable:
    """The sentences for an error of the database; `name` is how the record is called in them, `setting` what
    says where it is."""
    words = str(error.orig).lower() if isinstance(error, DBAPIError) else ""
    for one in _TROUBLES:
        ended = one.get("ended", False) and isinstance(error, DBAPIError) and error.connection_invalidated
        if ended or any(sign in words for sign in one["signs"]):
            kind = PassingTrouble if one.get("passes") else RecordUnavailable
            return kind(f"{name} {one['what']}.", one["hint"].format(setting=setting))
    reason = type(getattr(error, "orig", None) or error).__name__
    return RecordUnavailable(*say("record.unusable", name=name, reason=reason, setting=setting))
