"""The question that a statement answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from askwell.pipelines.dag import Dag
from askwell.pipelines.generation.dialects import dialect_name
from askwell.pipelines.generation.model_call import TEXT, ModelCall, object_schema
from askwell.pipelines.generation.question import WrittenText
from askwell.pipelines.generation.reading import is_one_question, read_object
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply

_SCHEMA = object_schema("sql_question", question=TEXT)


def prompt_text(prompt: Prompt, sql: str, words: str, language: str, dialect: str) -> PromptText:
    return prompt.write(
        {"sql": sql, "words": words, "language": language, "dialect_name": dialect_name(dialect)},
    )


async def model_reply(call: ModelCall, prompt_text: PromptText) -> ModelReply:
    return await call.ask(prompt_text, _SCHEMA)


def question(model_reply: ModelReply) -> WrittenText:
    found = read_object(model_reply.text, "question")
    written = found["question"] if found else model_reply.text
    usable = isinstance(written, str) and not model_reply.truncated and is_one_question(written.strip())
    return WrittenText(written.strip() if usable else "", model_reply.usage)


class SqlQuestion:
    """Writes the question for one statement."""

    def __init__(self, llm: LanguageModel, *, prompts: PromptSet = OURS, adapters: Sequence[Any] = ()) -> None:
        self._llm = llm
        self._prompt = prompts.load("sql_question")
        self._dag = Dag(sys.modules[__name__], result=question, adapters=adapters)

    async def run(
        self, *, sql: str, words: str = "", language: str = "English", dialect: str = "", timeout: float | None = None
    ) -> WrittenText:
        """The question; empty where no question fits, or the reply cannot be used. `words` say what the statement does,
        as `describe_sql` does."""
        return await self._dag.run(
            call=ModelCall(self._llm, timeout),
            prompt=self._prompt,
            sql=sql,
            words=words,
            language=language,
            dialect=dialect,
        )
