"""The vault of the job that is being worked on, for whoever writes prompts or reads replies for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from askwell.privacy.vault import Vault

_AS_IT_IS: ContextVar[bool] = ContextVar("askwell_leaves_as_it_is", default=False)
_CURRENT: ContextVar[Vault | None] = ContextVar("askwell_vault")


def current_vault() -> Vault | None:
    """The vault of this job; None where values may leave."""
    return _CURRENT.get(None)


def is_decided() -> bool:
    """Whether someone has said here if values may leave: work outside of a job has no vault for want of one."""
    try:
        _CURRENT.get()
    except LookupError:
        return False
    return True


def values_leave() -> bool:
    """Whether someone has said here that values may leave."""
    return is_decided() and current_vault() is None


@contextmanager
def holding(vault: Vault | None) -> Iterator[None]:
    """What is sent inside, in this task and the tasks it starts, is masked by this vault."""
    token = _CURRENT.set(vault)
    try:
        yield
    finally:
        _CURRENT.reset(token)


@contextmanager
def as_it_is() -> Iterator[None]:
    """Texts that are embedded inside, in this task and the tasks it starts, hold no values: they leave as they are."""
    token = _AS_IT_IS.set(True)
    try:
        yield
    finally:
        _AS_IT_IS.reset(token)


def leaves_as_it_is() -> bool:
    """Whether it is so here."""
    return _AS_IT_IS.get()


def masked_statement(sql: str) -> str:
    """A statement as it may leave."""
    vault = current_vault()
    return sql if vault is None else vault.sql(sql)


def masked_json(text: str) -> str:
    """A text of JSON as it may leave."""
    vault = current_vault()
    return text if vault is None else vault.json(text)


def masked(text: str) -> str:
    """A text in words as it may leave."""
    vault = current_vault()
    return text if vault is None else vault.words(text)


def restored_statement(sql: str) -> str:
    """A statement that a model wrote, with the values that its tokens stand for."""
    vault = current_vault()
    return sql if vault is None else vault.restored_sql(sql)


def invented_tokens(sql: str) -> tuple[str, ...]:
    """Words of a restored statement that look like tokens and that the model was not given."""
    vault = current_vault()
    return () if vault is None else vault.invented(sql)
