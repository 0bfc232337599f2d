"""An answer for people: the SQL, the rows, and everything that lets one judge whether to believe it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from askwell.cli.plain_text import shown
from askwell.cli.rows_table import show_rows

_MOST_TABLES = 5
_RENAMED = "(This is over the semantic model; the database has other names, and got what --planned shows.)"
_SOURCES = {
    "rules": "Answered by rules, without a language model",
    "llm": "Written by the language model{name}, checked by Askwell",
    "history": "Answered by a saved question (verified)",
    "view": "Answered by a saved view (verified)",
}


def with_sql(result: dict[str, Any]) -> dict[str, Any]:
    """The result object with its statement as `sql` too, where it has one."""
    answers = result.get("response") or []
    return result | {"sql": answers[0]["sql"]} if answers else result


def show_answer(
    result: Mapping[str, Any],
    *,
    rows: int,
    quiet: bool = False,
    words: str = "",
    planned: bool = False,
    more: str = " (--rows shows more)",
) -> None:
    """Print an answer on standard output. `rows` are shown at most, and `more` says how to see more of them; with
    `quiet`, only what answers and what warns. `words` is an answer that is none in SQL. The statement is the one that
    the database got where it is `planned`."""
    console = console_for_output()
    if words:
        _say(console, words)
    for answer in result.get("response", ()):
        console.print()
        show_sql(console, (planned and result.get("planned_sql")) or answer["sql"])
        if result.get("renamed") and not planned and not quiet:
            _say(console, _RENAMED)
    if "data" in result:
        show_rows(console, result["data"], rows, sql=_sql(result), more=more)
    show_remarks(result, console, quiet=quiet)


def show_remarks(result: Mapping[str, Any], console: Console, *, quiet: bool = False) -> None:
    """What lets one judge whether to believe an answer, on `console`; with `quiet` only what warns."""
    for line in _remarks(result, quiet=quiet):
        _say(console, line)


def tables_of(sql: str) -> list[str]:
    """The tables that a statement over the model reads, in its own order; none where it cannot be parsed."""
    from sqlglot import parse_one
    from sqlglot.errors import SqlglotError

    from askwell.sql.guard.tables import named_tables

    try:
        return list(dict.fromkeys(table.name for table in named_tables(parse_one(sql), "")))
    except (SqlglotError, RecursionError):
        return []


def _sql(result: Mapping[str, Any]) -> str:
    return "".join(answer["sql"] for answer in result.get("response", ())[:1])


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Left to the command, which knows its status; Rich would end the process with 1."""
        raise BrokenPipeError


def console_for_output() -> Console:
    """Standard output; elsewhere than on a terminal nothing is cut to a width."""
    console = _Output(highlight=False)
    if not console.is_terminal:
        console.width = 100_000
    return console


def show_sql(console: Console, sql: str, indent: int = 0) -> None:
    """A statement, coloured on a terminal."""
    if console.is_terminal:
        padding = (0, indent)
        console.print(
            Syntax(shown(sql), "sql", theme="ansi_dark", background_color="default", word_wrap=True, padding=padding)
        )
    else:  # highlighting pads every line to the full width
        prefix = " " * indent
        console.print(Text("\n".join(prefix + line for line in shown(sql).splitlines())), soft_wrap=True)


def _remarks(result: Mapping[str, Any], *, quiet: bool) -> Iterator[str]:
    for name in ("warnings",) if quiet else ("assumptions", "repairs", "warnings"):
        for line in result.get(name, ()):
            yield f"{name.removesuffix('s')}: {line}"
    if not quiet and result.get("type") == "GENERAL":  # the plan of a statement, which may cite too, is not printed
        yield from sources_of(result)
    for one in () if quiet else result.get("lessons_learnt", ()):
        yield f"learnt: {one['note']} `askwell lessons revert {one['id']}`, or .unteach in the shell, takes it back."
    if not quiet and (source := _SOURCES.get(result.get("sql_source", ""))):
        certain = {"clear": ", clear", "guess": ", a guess"}.get(result.get("verdict", ""), "")
        took = sum(timing["ms"] for timing in result.get("timings", ()))
        duration = f"{took / 1000:.1f} s" if took >= 1000 else f"{took:.0f} ms"
        name = f" {result['language_model']}" if result.get("language_model") else ""
        yield f"{source.format(name=name)}{certain}{_cost(result)}, in {duration}."


def sources_of(result: Mapping[str, Any]) -> Iterator[str]:
    """A line for each passage that the marks of an answer name."""
    cited = {one["n"]: one for one in result.get("citations", ())}
    for number, one in sorted(cited.items()):
        place = ", ".join(filter(None, (one["title"], one["locator"])))
        yield f"[{number}] {place}: “{one['quote']}”"


def _cost(result: Mapping[str, Any]) -> str:
    """What was asked of language models, and what that cost where prices are configured; "" where nothing was."""
    usage = result.get("usage", {})
    calls = usage.get("llm_calls") or 0
    if not calls:
        return ""
    tokens = (usage.get("prompt_tokens") or 0) + (usage.get("completion_tokens") or 0)
    price = usage.get("cost_usd") or 0
    said = f", {calls} model {'call' if calls == 1 else 'calls'}"
    return said + (f", {tokens} tokens" if tokens else "") + (f", ${price:.4f}" if price else "")


def show_failure(
    result: Mapping[str, Any], console: Console, *, quiet: bool = False, told: set[str] | None = None
) -> None:
    """Why there is no answer, and what to do, on `console`. Sentences of advice that are in `told` are not said again;
    those that are said are put there."""
    error = result.get("error", {})
    _say(console, error.get("message", f"The ask was {result.get('status')}."), "red")
    for option in result.get("clarification", {}).get("options", ()):
        detail = f"  ({option['detail']})" if option.get("detail") else ""
        _say(console, shown(f"  - {option['label']}{detail}", lines=False))
    said = told if told is not None else set()
    fresh = [one for one in re.split(r"(?<=\.) (?=[A-Z])", error.get("hint") or "") if one and one not in said]
    said.update(fresh)
    if fresh:
        _say(console, " ".join(fresh))
    if quiet:
        return
    if cost := _cost(result):
        _say(console, f"This took{cost.removeprefix(',')}.")
    if result.get("invalid_sql"):
        _say(console, f"The last SQL that was tried: {' '.join(result['invalid_sql'].split())}")
    if tables := result.get("retrieved_tables") if result.get("usage", {}).get("llm_calls") else None:
        named = ", ".join(tables[:_MOST_TABLES]) + (", …" if len(tables) > _MOST_TABLES else "")
        _say(console, f"The language model was shown these tables: {named}.")


def _say(console: Console, text: str, style: str = "") -> None:
    """Sentences, whole words on each line of a terminal; elsewhere a line stays one."""
    console.print(Text(shown(text), style), soft_wrap=not console.is_terminal)
