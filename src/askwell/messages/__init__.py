"""What Askwell says to people, by code. Words change in the catalogues; code and tests know codes and values only.

A code is `area.what`. `cli.…` stands in `command_line.yaml`, every other one in `service.yaml`, each as a message and,
where there is something to do about it, a hint. Values fill the places of both (`str.format`).
"""

from __future__ import annotations

from typing import NamedTuple

from askwell.resources import words_file


class Message(NamedTuple):
    """What happened, and what to do next ("" where there is nothing to do)."""

    message: str
    hint: str = ""


def say(code: str, /, **values: object) -> Message:
    """The message of a code. Raises KeyError where there is none, or where it has a place that no value fills."""
    area, what = code.split(".")
    texts = words_file("askwell.messages", "command_line.yaml" if area == "cli" else "service.yaml")[area][what]
    return Message(texts["message"].format(**values), texts.get("hint", "").format(**values))
