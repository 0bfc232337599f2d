"""What the events of a run tell people, for clients that know other protocols."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# How what follows the words of an answer begins: see `end_of_answer`.
from askwell.asks.rows_in_words import in_markdown

_SQL, _SOURCES, _SUGGESTIONS = "\n\n<details>\n<summary>SQL", "\n\n**Sources**\n", "\n\n**You could ask next**\n"
_USAGE = {"inputTokens": "prompt_tokens", "outputTokens": "completion_tokens"}


@dataclass
class Told:
    """What was told so far. `message` are the words alone; `interrupts` what was asked back, as AG-UI has it; `error`
    is `{code, message}`."""

    message: str = ""
    sql: list[Mapping[str, Any]] = field(default_factory=list)
    citations: list[Mapping[str, Any]] = field(default_factory=list)
    suggested_questions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    interrupts: list[Mapping[str, Any]] = field(default_factory=list)
    usage: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    _gap: str = ""

    def hear(self, event: Mapping[str, Any]) -> str:
        """Take in an event; the words that it adds to the answer."""
        match event["type"]:
            case "TEXT_MESSAGE_START":
                self._gap = "\n\n" if self.message else ""
            case "TEXT_MESSAGE_CONTENT":
                words = self._gap + event["delta"]
                self._gap = ""
                self.message += words
                return str(words)
            case "CUSTOM":
                self._custom(event["name"], event["value"])
            case "RUN_FINISHED":
                self.interrupts = list(event["outcome"].get("interrupts") or ())
                self.usage = next(iter(event.get("usage") or ()), {})
            case "RUN_ERROR":
                self.error = {"code": event["code"], "message": event["message"]}
        return ""

    def _custom(self, name: str, value: Any) -> None:
        match name:
            case "askwell.sql":
                if all(one["sql"] != value["sql"] for one in self.sql):
                    self.sql.append(value)
            case "askwell.citations":
                self.citations += value
            case "askwell.suggestions":
                self.suggested_questions += value
            case "askwell.warning":
                self.warnings.append(value["message"])

    def openai_usage(self) -> dict[str, Any]:
        """The tokens that were used, as OpenAI counts them."""
        counts = {theirs: int(self.usage.get(ours) or 0) for ours, theirs in _USAGE.items()}
        cached = int(self.usage.get("cachedInputTokens") or 0)
        return {**counts, "total_tokens": sum(counts.values()), "prompt_tokens_details": {"cached_tokens": cached}}

    def for_programs(self) -> dict[str, Any]:
        """Everything but the usage, without what there is none of."""
        names = ("message", "sql", "citations", "suggested_questions", "warnings", "interrupts")
        return {name: value for name in names if (value := getattr(self, name))}


def end_of_answer(told: Told) -> str:
    """What follows the words, in Markdown: what is asked back, the SQL of the figures, sources, and what could be asked
    next."""
    return "".join(_ends(told))


def _ends(told: Told) -> Iterator[str]:
    gap = "\n\n" if told.message else ""
    if told.interrupts:
        yield gap + question_in_words(told.interrupts[0])
    for number, one in enumerate(told.sql, 1):
        count = f" {number}" if len(told.sql) > 1 else ""
        yield f"{_SQL}{count}</summary>\n\n{_fenced(one['sql'])}\n\n</details>"
    if told.citations:
        cited = {one["n"]: one for one in told.citations}
        # Titles and quotations are whatever a document says, an image or a link too.
        quoted = {number: in_markdown(f"{_place(one)}: “{_line(one['quote'])}”") for number, one in cited.items()}
        lines = [f"- [{number}] {text}" for number, text in sorted(quoted.items())]
        yield _SOURCES + "".join(f"\n{line}" for line in lines)
    if told.suggested_questions:
        yield _SUGGESTIONS + "".join(f"\n- {_line(one)}" for one in told.suggested_questions)


def question_in_words(interrupt: Mapping[str, Any]) -> str:
    """What is asked back, with its options numbered and its values listed: a number is an answer too."""
    asked = interrupt["metadata"]["clarification"]
    lines = [str(asked["question"]).strip(), ""]
    for number, option in enumerate(asked.get("options") or (), 1):
        detail = f" ({_line(option['detail'])})" if option.get("detail") else ""
        lines.append(f"{number}. {_line(option['label'])}{detail}")
    for one in asked.get("fields") or ():
        about = f": {_line(one['description'])}" if one.get("description") else ""
        default = f" (else {_line(str(one['default']))})" if one.get("default") is not None else ""
        lines.append(f"- {_line(one['name'])}{about}{default}")
    return "\n".join(lines).rstrip()


def words_of_answer(text: str) -> str:
    """The words of an answer that was told with an end: a model that reads the rest imitates it."""
    ends = [place for mark in (_SQL, _SOURCES, _SUGGESTIONS) if (place := text.find(mark)) >= 0]
    return text[: min(ends, default=len(text))]


def _fenced(sql: str) -> str:
    longest: Sequence[str] = re.findall(r"`{3,}", sql)
    fence = "`" * max([3, *(len(run) + 1 for run in longest)])
    return f"{fence}sql\n{sql}\n{fence}"


def _place(citation: Mapping[str, Any]) -> str:
    return ", ".join(_line(one) for one in (citation["title"], citation["locator"]) if one)


def _line(text: str) -> str:
    return " ".join(text.split())
