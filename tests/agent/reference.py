"""The judge of event streams: the models of AG-UI 1.0 as its own package has them, and the order that it asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ag_ui.core import Event
from pydantic import BaseModel, TypeAdapter

_READ: TypeAdapter[Any] = TypeAdapter(Event)
_ENDS = ("RUN_FINISHED", "RUN_ERROR")
# What opens, what goes on and what closes, and by which field they belong together.
_SPANS = {
    "TEXT_MESSAGE": ("START", "CONTENT", "END", "messageId"),
    "TOOL_CALL": ("START", "ARGS", "END", "toolCallId"),
    "STEP": ("STARTED", "", "FINISHED", "stepName"),
}
_OURS = ("sql", "data", "chart", "citations", "suggestions", "progress", "warning", "route", "question")


def verified(events: Sequence[Mapping[str, Any]], *, whole: bool = True) -> None:
    """Fails unless these are events of AG-UI, in an order that it allows: those of one segment or of several. `whole`:
    from the beginning of a run to an end of it."""
    for one in events:
        _read(one)
    segments = list(_segments(events))
    for number, segment in enumerate(segments):
        is_whole = whole or (0 < number < len(segments) - 1)
        _in_order(segment, is_whole=is_whole)
    opened: set[str] = set()
    for one in events:
        if one["type"] in ("TEXT_MESSAGE_START", "TOOL_CALL_START"):
            key = one.get("toolCallId") or one["messageId"]
            assert key not in opened, f"{key} was opened twice: {_outline(events)}"
            opened.add(key)
    told = [one["messageId"] for one in events if one["type"] == "TOOL_CALL_RESULT"]
    assert len(set(told)) == len(told), told
    assert not opened.intersection(told), told


def _read(one: Mapping[str, Any]) -> None:
    found = _READ.validate_python(dict(one))
    strange = list(_unknown(found, one["type"]))
    assert not strange, f"AG-UI has no {', '.join(strange)}: {one}"
    if one["type"] == "CUSTOM":
        prefix, _, name = one["name"].partition(".")
        assert (prefix, name in _OURS) == ("askwell", True), one
    if one["type"] == "TEXT_MESSAGE_CONTENT":
        assert one["delta"], one


def _unknown(found: BaseModel, where: str) -> Iterator[str]:
    """Fields that the protocol does not have."""
    yield from (f"{where}.{name}" for name in found.model_extra or ())
    for name in type(found).model_fields:
        value = getattr(found, name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, BaseModel):
                yield from _unknown(one, f"{where}.{name}")


def _segments(events: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    segment: list[Mapping[str, Any]] = []
    for one in events:
        segment.append(one)
        if one["type"] in _ENDS:
            yield segment
            segment = []
    if segment:
        yield segment


def _in_order(segment: Sequence[Mapping[str, Any]], *, is_whole: bool) -> None:
    outline = _outline(segment)
    if is_whole:
        first, last = segment[0], segment[-1]
        assert first["type"] == "RUN_STARTED", outline
        assert last["type"] in _ENDS, outline
        if last["type"] == "RUN_FINISHED":
            assert (last["threadId"], last["runId"]) == (first["threadId"], first["runId"]), outline
        assert [one["type"] for one in segment].count("RUN_STARTED") == 1, outline
    opened: list[tuple[str, str]] = []
    calls: dict[str, str] = {}
    answered: list[str] = []
    for one in segment:
        kind = one["type"]
        for span, (start, middle, end, key) in _SPANS.items():
            if kind == f"{span}_{start}":
                assert (span, one[key]) not in opened, f"{one[key]} is open already: {outline}"
                opened.append((span, one[key]))
            elif is_whole and kind in (f"{span}_{middle}", f"{span}_{end}"):
                assert (span, one[key]) in opened, f"{one[key]} is not open: {outline}"
            if kind == f"{span}_{end}" and (span, one[key]) in opened:
                opened.remove((span, one[key]))
        if kind == "TOOL_CALL_ARGS":
            calls[one["toolCallId"]] = calls.get(one["toolCallId"], "") + one["delta"]
        if kind == "TOOL_CALL_RESULT":
            assert ("TOOL_CALL", one["toolCallId"]) not in opened, outline
            answered.append(one["toolCallId"])
        if kind in _ENDS:
            assert not opened, f"{opened} open at the end: {outline}"
    assert len(set(answered)) == len(answered), f"answered twice: {answered}"
    for call, arguments in calls.items():
        assert isinstance(json.loads(arguments), dict), (call, arguments)
    if is_whole and (pending := segment[-1].get("outcome", {}).get("pendingToolCallIds")):
        assert not set(pending) & set(answered), outline
        assert set(pending) <= calls.keys(), outline


def _outline(events: Sequence[Mapping[str, Any]]) -> str:
    return " ".join(str(one.get("name", one["type"])) for one in events)
