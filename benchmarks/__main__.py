"""Everything that is measured, in one table by part: five minutes or so on a quiet machine.

    python -m benchmarks [--json FILE]

Machines are noisy: compare the figures of one run with each other, and look at the load that the table ends with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import platform
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import asks, commands, parts, row_rules, statements
from benchmarks.figures import Figure

SIZES = (10, 200, 1_000)
_STATEMENT_REPEATS = 60
_ASKS = 64


def main() -> None:
    parser = argparse.ArgumentParser(description="What an ask and its parts cost on this machine.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    found = asyncio.run(_measure(Console(stderr=True)))
    machine = {
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load_before": round(load, 2),
        "load_after": round(os.getloadavg()[0], 2),
    }
    _show(found, machine)
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": machine, "figures": [asdict(one) for one in found]}, indent=1))


async def _measure(said: Console) -> list[Figure]:
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        await asks.export_embedder(folder)
        models = str(folder / "models")
        said.print("the service over HTTP ...")
        found += asks.figures(await asks.measure("minilm", _ASKS))
        said.print("parts ...")
        found += await _alone(parts.measure_small, models)
        async with asks.scripted_model(folder) as api_base:
            for size in SIZES:
                said.print(f"a model of {size:,} tables ...")
                found += await _alone(parts.measure, size, api_base, models)
    for size in SIZES:
        said.print(f"statements over {size:,} models ...")
        found += statements.figures(await _alone(statements.measure, size, _STATEMENT_REPEATS))
    said.print("row rules ...")
    found += await _alone(row_rules.figures)
    said.print("askwell ask --database ...")
    return found + await asyncio.to_thread(commands.measure)


async def _alone(measure: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own, so that nothing is warm and memory can be told apart."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, measure, *arguments)


def _show(found: list[Figure], machine: dict[str, Any]) -> None:
    """A section for each group: its parts below each other, its sizes beside each other."""
    table = Table(title="What it costs: p50 / p95", show_header=False)
    for justify in ("left", "right", "right", "right", "left"):
        table.add_column(justify=justify)
    for group in dict.fromkeys(one.group for one in found):
        mine = [one for one in found if one.group == group]
        sizes = list(dict.fromkeys(one.size for one in mine))
        table.add_section()
        table.add_row(f"[bold]{group}", *(f"[bold]{size}" for size in [*sizes, "", ""][:3]))
        for part, unit in dict.fromkeys((one.part, one.unit) for one in mine):
            cells = {one.size: _cell(one) for one in mine if one.part == part}
            table.add_row(f"  {part}", *[*(cells.get(size, "") for size in sizes), "", ""][:3], unit)
    console = Console()
    console.print(table)
    console.print(
        f"{machine['processors']} processors, Python {machine['python']}. Load {machine['load_before']} when it began, "
        f"{machine['load_after']} at the end, of which one or two are its own.\n"
        "CPU ms, CPU s: processor time. ms, s: the time that passes. Without p95: one value, or a mean."
    )


def _cell(one: Figure) -> str:
    return _number(one.p50) if one.p95 is None else f"{_number(one.p50)} / {_number(one.p95)}"


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


if __name__ == "__main__":
    main()
