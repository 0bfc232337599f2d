"""The shared error body, for the OpenAPI page."""

from __future__ import annotations

from pydantic import BaseModel


class ErrorBody(BaseModel):
    """What every error answers: a stable code, what happened, what to do next, and the request's id."""

    code: str
    message: str
    hint: str
    request_id: str


class FieldError(BaseModel):
    """One field that does not suit, in FastAPI's form."""

    type: str
    loc: list[str | int]
    msg: str


class InvalidBody(ErrorBody):
    """A request that cannot be served as it is; `detail` lists the fields at fault, when they can be named."""

    detail: list[FieldError] = []
