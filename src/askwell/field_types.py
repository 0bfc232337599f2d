"""Types of fields that people fill in, as they reach the record: they can be stored, sent on, and put into prompts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, Strict

MAX_TEXT = 10_000
MAX_SQL = 100_000


def storable(value: str) -> str:
    # Neither can be stored or sent on, and nobody types them.
    if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError("must not contain NUL characters or halves of surrogate pairs")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value.strip()


def _one_line(value: str) -> str:
    # Names like this go into prompts, where a line of their own would look like an instruction.
    if not value.isprintable():
        raise ValueError("must be one line of printable text")
    return value


def _looks(pattern: str) -> Any:
    # For the OpenAPI page, as near as a pattern comes to what the validators beside it say in words.
    return Field(json_schema_extra={"pattern": pattern})


_STORABLE = _looks(r"^[^\u0000]*$")
_NOT_BLANK = _looks(r"^[^\u0000]*[^\s\u0000][^\u0000]*$")
_ONE_LINE = _looks(r"^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$")
_IN_AN_ADDRESS = Field(pattern=r"^[^/\x00-\x1f\x7f]*[^/.\s\x00-\x1f\x7f][^/\x00-\x1f\x7f]*$", max_length=128)

Flag = Annotated[bool, Strict()]
Text = Annotated[str, Field(max_length=MAX_TEXT), _STORABLE, AfterValidator(storable)]
Question = Annotated[Text, _NOT_BLANK, AfterValidator(_not_blank)]
Sql = Annotated[str, Field(max_length=MAX_SQL), _NOT_BLANK, AfterValidator(storable), AfterValidator(_not_blank)]
Identifier = Annotated[str, Field(max_length=128), _ONE_LINE, AfterValidator(_one_line), AfterValidator(_not_blank)]
# Of what has an address of its own: without a slash, and not dots alone.
PathId = Annotated[str, _IN_AN_ADDRESS, AfterValidator(_one_line), AfterValidator(_not_blank)]
Language = Annotated[str, Field(max_length=64), _ONE_LINE, AfterValidator(_one_line), AfterValidator(_not_blank)]
