"""An answer for people: the SQL, the rows, and everything that lets one judge whether to believe it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from askwell.cli.messages import shown, sql_of

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
        show_rows(console, result["data"], rows, sql=sql_of(result), more=more)
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
        from rich.syntax import Syntax  # its lexers take long to import

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
        yield f"learned: {one['note']} `askwell lessons revert {one['id']}`, or .unteach in the shell, takes it back."
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


_CELL_WIDTH = 60
# What rich's simple boxes take beside the cells: for each column, and for the table.
_GAP, _EDGE = 3, 1
_PAIR = 2
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d(:?\d\d)?|Z)?")
_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?")
# Databases give averages with sixteen digits behind the point; amounts of money and degrees keep what they have.
_LONG_FRACTION = re.compile(r"-?\d+\.\d{7,}")
_ZEROS = re.compile(r"-?\d+\.\d{5,}")
# Digits behind the point that people read, and digits in all of what is smaller than one.
_DIGITS = 4
_CLAUSES = ("order", "where", "having", "group")


def show_rows(console: Console, data: Mapping[str, Any], limit: int, *, sql: str = "", more: str = "") -> None:
    """The first rows as a table, and how much there is in all. Where not all columns fit, those that the statement
    `sql` sorts, filters or groups by come before others. `more` says how to see more rows."""
    columns, rows = data["columns"], data["rows"][:limit]
    if not rows:
        console.print(Text("\n0 rows\n"))
        return
    values = [[row[index] for row in rows] for index in range(len(columns))]
    cells = [_cells(each) for each in values]
    headings = [_cut(shown(column.get("heading") or column["name"], lines=False)) for column in columns]
    widths = [
        max(Text(name).cell_len, *(cell.cell_len for cell in each)) for name, each in zip(headings, cells, strict=True)
    ]
    fitting = _fitting([column["name"] for column in columns], widths, console.width, sql)
    table = Table(box=box.SIMPLE, pad_edge=True)
    # What is still too wide goes on in the next line; numbers stay whole.
    folds = _width([widths[index] for index in fitting]) > console.width
    for index in fitting:
        numbers = _are_numbers(values[index])
        least = max(cell.cell_len for cell in cells[index]) if numbers else None
        justify: Literal["left", "right"] = "right" if numbers else "left"
        heading = Text(headings[index], overflow="fold")
        table.add_column(heading, justify=justify, no_wrap=not folds, overflow="fold", min_width=least)
    for row in zip(*(cells[index] for index in fitting), strict=True):
        table.add_row(*row)
    console.print(table)
    left_out = [heading for index, heading in enumerate(headings) if index not in fitting]
    for note in _notes(data, len(rows), left_out, more):
        console.print(Text(note), soft_wrap=True)


def _notes(data: Mapping[str, Any], printed: int, left_out: Sequence[str], how: str) -> Iterator[str]:
    count = data["row_count"]
    rows = "1 row" if count == 1 else f"{count} rows"
    more = ", more were cut off (settings.row_limit)" if data["truncated"] else ""
    yield rows + more if printed == count else f"{rows}{more}; the first {printed} are shown{how}"
    if left_out:
        columns = "1 column does" if len(left_out) == 1 else f"{len(left_out)} columns do"
        yield f"{columns} not fit into this terminal: {', '.join(left_out)}"


def _fitting(names: Sequence[str], widths: Sequence[int], width: int, sql: str) -> list[int]:
    """The columns that are shown, at least one, in their own order."""
    every = list(range(len(names)))
    if _width(widths) <= width:
        return every
    wanted = _asked_about(sql)
    used = _EDGE
    kept: list[int] = []
    for index in sorted(every, key=lambda index: names[index].lower() not in wanted):
        if not kept or used + widths[index] + _GAP <= width:
            used += widths[index] + _GAP
            kept.append(index)
    # A figure without what it is about, or that without its figure, answers nothing.
    return every if len(names) == _PAIR and len(kept) < _PAIR else sorted(kept)


def _width(widths: Sequence[int]) -> int:
    """What a table with columns of these widths takes."""
    return sum(widths) + _GAP * len(widths) + _EDGE


def _asked_about(sql: str) -> set[str]:
    """The columns, in lower case, that a statement sorts, filters or groups by."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        tree = parse_one(sql)
    except (SqlglotError, RecursionError):
        return set()
    clauses = [clause for select in tree.find_all(exp.Select) for name in _CLAUSES if (clause := select.args.get(name))]
    return {column.name.lower() for clause in clauses for column in clause.find_all(exp.Column)}


def _cells(values: Sequence[Any]) -> list[Text]:
    """A column's values in one form."""
    moments = [value for value in values if value is not None]
    if moments and all(isinstance(value, str) and _MOMENT.fullmatch(value) for value in moments):
        if all(_MIDNIGHT.fullmatch(value[10:]) for value in moments):
            return [_cell(value and value[:10]) for value in values]
        return [_cell(value and value.replace("T", " ")) for value in values]
    return [_cell(value) for value in values]


def _cell(value: Any) -> Text:
    if value is None:
        return Text("NULL", "dim italic")
    if isinstance(value, bool):
        return Text("true" if value else "false")
    if isinstance(value, float):
        # Sums of binary fractions end in digits that mean nothing.
        value = _rounded(format(value, ".15g"))
    if isinstance(value, str) and _ZEROS.fullmatch(value):
        value = _rounded(value.rstrip("0").rstrip("."))
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return Text(_cut(shown(str(value), lines=False)))


def _rounded(number: str) -> str:
    """A number as it is written, without the digits behind the point that nobody reads."""
    if "e" in number:
        return format(float(number), f".{_DIGITS + 1}g")
    if not _LONG_FRACTION.fullmatch(number):
        return number
    exact = Decimal(number)
    digits = _DIGITS if abs(exact) >= 1 else _DIGITS - 1 - exact.adjusted()
    return format(round(exact, digits).normalize(), "f")


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
