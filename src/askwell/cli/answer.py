"""An answer for people: the SQL, the rows, and everything that lets one judge whether to believe it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from askwell.cli.plain_text import shown

_CELL_WIDTH = 60
# Two spaces on either side of a column, as rich's simple boxes have them.
_GAP = 2
_NEAREST = 5
_SOURCES = {
    "rules": "Answered by rules, without a language model",
    "llm": "Written by the language model{name}, checked and repaired by Askwell",
    "history": "Answered by a saved question",
    "view": "Answered by a saved view",
}


def with_sql(result: dict[str, Any]) -> dict[str, Any]:
    """The result object with its statement as `sql` too, where it has one."""
    answers = result.get("response") or []
    return result | {"sql": answers[0]["sql"]} if answers else result


def show_answer(result: Mapping[str, Any], *, rows: int, quiet: bool = False, words: str = "") -> None:
    """Print an answer on standard output. `rows` are shown at most; with `quiet`, only what answers and what warns.
    `words` is an answer that is none in SQL."""
    console = console_for_output()
    if words:
        console.print(Text(shown(words)), soft_wrap=True)
    for answer in result.get("response", ()):
        console.print()
        show_sql(console, answer["sql"])
    if "data" in result:
        show_rows(console, result["data"], rows, " (--rows shows more)")
    for line in _remarks(result, quiet=quiet):
        console.print(Text(shown(line)), soft_wrap=True)


def console_for_output() -> Console:
    """Standard output; elsewhere than on a terminal nothing is cut to a width."""
    console = Console(highlight=False)
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


def show_rows(console: Console, data: Mapping[str, Any], limit: int, more: str = "") -> None:
    """The first rows as a table, with the columns that fit, and how much there is in all. `more` says how to see it."""
    columns, rows = data["columns"], data["rows"][:limit]
    if not rows:
        console.print(Text("\n0 rows\n"))
        return
    cells = [[_cell(value) for value in row] for row in rows]
    headings = [_cut(shown(column["name"], lines=False)) for column in columns]
    fitting = _fitting(headings, cells, console.width)
    table = Table(box=box.SIMPLE, pad_edge=True)
    for index in range(fitting):
        values = [row[index] for row in rows]
        table.add_column(Text(headings[index]), justify="right" if _are_numbers(values) else "left", no_wrap=True)
    for row in cells:
        table.add_row(*row[:fitting])
    console.print(table)
    for note in _notes(data, len(rows), headings[fitting:], more):
        console.print(Text(note), soft_wrap=True)


def _notes(data: Mapping[str, Any], printed: int, left_out: Sequence[str], how: str) -> Iterator[str]:
    count = data["row_count"]
    rows = "1 row" if count == 1 else f"{count} rows"
    more = ", more were cut off (settings.row_limit)" if data["truncated"] else ""
    yield rows + more if printed == count else f"{rows}{more}; the first {printed} are shown{how}"
    if left_out:
        columns = "1 column is" if len(left_out) == 1 else f"{len(left_out)} columns are"
        yield f"{columns} too wide for this terminal and not shown: {', '.join(left_out)}"


def _fitting(headings: Sequence[str], cells: Sequence[Sequence[Text]], width: int) -> int:
    """How many columns fit, at least one."""
    used = 0
    for index, heading in enumerate(headings):
        used += max(Text(heading).cell_len, *(row[index].cell_len for row in cells), 0) + _GAP
        if used + _GAP > width and index:
            return index
    return len(headings)


def _cell(value: Any) -> Text:
    if value is None:
        return Text("NULL", "dim italic")
    if isinstance(value, bool):
        return Text("true" if value else "false")
    if isinstance(value, float):
        # Sums of binary fractions end in digits that mean nothing.
        value = format(value, ".15g")
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return Text(_cut(shown(str(value), lines=False)))


def _cut(text: str) -> str:
    return text if len(text) <= _CELL_WIDTH else text[: _CELL_WIDTH - 1] + "…"


def _are_numbers(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(_is_number(value) for value in known)


def _is_number(value: Any) -> bool:
    """Decimals come as text, since JSON's numbers would round them."""
    if isinstance(value, str):
        digits = value.removeprefix("-").replace(".", "", 1)
        return digits.isascii() and digits.isdigit() and (digits == "0" or not _is_code(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_code(text: str) -> bool:
    """`00123` is no number."""
    return text.startswith("0") and not text.startswith("0.")


def _remarks(result: Mapping[str, Any], *, quiet: bool) -> Iterator[str]:
    for name in ("warnings",) if quiet else ("assumptions", "repairs", "warnings"):
        for line in result.get(name, ()):
            yield f"{name.removesuffix('s')}: {line}"
    if not quiet and (source := _SOURCES.get(result.get("sql_source", ""))):
        sure = result.get("confidence")
        certain = f" ({sure:.0%} sure)" if isinstance(sure, int | float) else ""
        took = sum(timing["ms"] for timing in result.get("timings", ()))
        duration = f"{took / 1000:.1f} s" if took >= 1000 else f"{took:.0f} ms"
        name = f" {result['language_model']}" if result.get("language_model") else ""
        yield f"{source.format(name=name)}{certain}{_cost(result)}, in {duration}."


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


def show_failure(result: Mapping[str, Any], console: Console, *, quiet: bool = False) -> None:
    """Why there is no answer, and what to do, on `console`."""
    error = result.get("error", {})
    console.print(Text(shown(error.get("message", f"The ask was {result.get('status')}.")), "red"), soft_wrap=True)
    if error.get("hint"):
        console.print(Text(shown(error["hint"])), soft_wrap=True)
    if quiet:
        return
    if cost := _cost(result):
        console.print(Text(f"This took{cost.removeprefix(',')}."), soft_wrap=True)
    if result.get("invalid_sql"):
        console.print(
            Text(shown(f"The last SQL that was tried: {' '.join(result['invalid_sql'].split())}")), soft_wrap=True
        )
    if tables := result.get("retrieved_tables") if error.get("code") != "NO_RELEVANT_DATA" else None:
        console.print(Text(shown(f"The nearest tables: {', '.join(tables[:_NEAREST])}.")), soft_wrap=True)
