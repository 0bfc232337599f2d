"""From what is known of a person, the claims of their token or the attributes of their key, to what they may read.

A claim is data: it becomes one SQL literal, whatever is written in it, or the person is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqlglot import exp

from askwell.config import SignInConfig
from askwell.config.sign_in import PropertyFromClaim, RoleFromClaim
from askwell.principal import Person, Principal, Role

_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?", re.ASCII)
_ROLE = re.compile(r"[A-Za-z_][A-Za-z0-9_$-]{0,62}", re.ASCII)
_BOOLEANS = {"true": True, "false": False}
_LONGEST_TEXT = 1_000


class UnusableClaim(ValueError):
    """A claim is there and cannot be made into what the configuration wants of it. The message names it, and never says
    its value."""


def principal_from(
    attributes: Mapping[str, Any],
    *,
    id: str,
    name: str,
    role: Role,
    projects: frozenset[str] | None,
    mapping: SignInConfig,
) -> Principal:
    """The principal with the session properties and the database role that `mapping` makes of claims or attributes. A
    claim that is missing leaves its property out, and so refuses whatever needs it. Raises `UnusableClaim`."""
    properties = {}
    for wanted, source in mapping.properties.items():
        value = attributes.get(source.claim)
        if value is not None:
            properties[wanted] = _literal(value, source)
    person = Person(id, properties, _database_role(attributes, mapping.database_role), may_curate=role != "ask")
    return Principal(person, name, role, projects)


def _literal(value: object, source: PropertyFromClaim) -> str:
    if source.type == "boolean":
        flag = _BOOLEANS.get(value) if isinstance(value, str) else value
        if isinstance(flag, bool):
            return "TRUE" if flag else "FALSE"
    elif source.type == "number":
        number = _number(value)
        if number is not None:
            return number
    elif isinstance(value, str | int) and not isinstance(value, bool):
        text = str(value)
        if len(text) <= _LONGEST_TEXT and "\0" not in text:
            return exp.Literal.string(text).sql()
    raise UnusableClaim(f'The claim "{source.claim}" is not a {source.type} that a rule can be given.')


def _number(value: object) -> str | None:
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    # A float is written with the digits that it was read from, and without an exponent.
    number = Decimal(repr(value)) if isinstance(value, float) else value
    text = format(number, "f") if isinstance(number, Decimal) else str(number) if isinstance(number, int | str) else ""
    return text if _NUMBER.fullmatch(text) else None


def _database_role(attributes: Mapping[str, Any], source: RoleFromClaim | None) -> str | None:
    if source is None:
        return None
    value = attributes.get(source.claim)
    if value is None:
        if source.default is None:
            raise UnusableClaim(f'The claim "{source.claim}" is missing, from which the database role comes.')
        return source.default
    role = source.roles.get(value) if source.roles and isinstance(value, str) else value
    if not isinstance(role, str) or not _ROLE.fullmatch(role):
        raise UnusableClaim(f'The claim "{source.claim}" gives no role of the database.')
    return role
