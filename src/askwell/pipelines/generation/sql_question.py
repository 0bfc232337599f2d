"""The question that a statement answers."""

from __future__ import annotations

from askwell.pipelines.generation.dialects import dialect_name
from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.question import WrittenText
from askwell.pipelines.generation.reading import is_one_question, read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply

_SCHEMA = object_schema("sql_question", question=TEXT)


def prompt_text(prompt: Prompt, sql: str, words: str, language: str, dialect: str) -> PromptText:
    return prompt.write(
        {"sql": sql, "words": words, "language": language, "dialect_name": dialect_name(dialect)},
    )


def question(model_reply: ModelReply) -> WrittenText:
    found = read_object(model_reply.text, "question")
    written = found["question"] if found else model_reply.text
    usable = isinstance(written, str) and not model_reply.truncated and is_one_question(written.strip())
    return WrittenText(written.strip() if usable else "", model_reply.usage)


class SqlQuestion(ModelPipeline[WrittenText], result=question, schema=_SCHEMA):
    """Writes the question for one statement."""

    async def run(
        self, *, sql: str, words: str = "", language: str = "English", dialect: str = "", timeout: float | None = None
    ) -> WrittenText:
        """The question; empty where no question fits, or the reply cannot be used. `words` say what the statement does,
        as `describe_sql` does."""
        return await self._ask(timeout, sql=sql, words=words, language=language, dialect=dialect)
