"""What servers of OpenAI's protocol say when they refuse a request."""

from __future__ import annotations

import json

from openai import APIStatusError


def words_of(error: APIStatusError) -> str:
    """Everything that the server said, for looking for words in it: some say it as a plain text or under names of their
    own, which the SDK leaves out of its message. Never for people: servers quote keys and prompts."""
    return f"{error.message} {json.dumps(error.body, default=str)}"
