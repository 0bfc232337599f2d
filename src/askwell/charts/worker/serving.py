"""The loop of a process that draws charts: one Vega-Lite chart in, one picture out, until the service closes the pipe.

The renderer is a JavaScript engine. What reaches it has passed the list of what a chart may hold; should it break out
all the same, it finds no network, no environment and no file that it may write.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any

from askwell.providers.engine.wire import pack, read_frame
from askwell.providers.engine.worker import limits
from askwell.providers.engine.worker.serving import begin, write_all

# Beyond what the JavaScript engine has reserved when it starts, which is tens of gigabytes of addresses.
_MEMORY_MIB = 1024
_PNG_SCALE = 2.0
_TINY = {"mark": "point", "data": {"values": []}}


def main() -> None:
    """Read the settings, then serve until the pipe closes."""
    requests, replies, _ = begin()
    limits.leave_network()
    limits.restrict_process()
    import vl_convert

    vl_convert.vegalite_to_svg(_TINY, allowed_base_urls=[])
    limits.tighten_address_space(_MEMORY_MIB)
    while (request := read_frame(requests)) is not None:
        limits.allow_cpu_seconds(request["timeout"] * 2)
        write_all(replies, pack(_answer(vl_convert, request) | {"end": True}))


def _answer(vl_convert: Any, request: dict[str, Any]) -> dict[str, Any]:
    if request["op"] == "start":
        return {"network": _interfaces()}
    chart = json.dumps(request["chart"])
    try:
        if request["format"] == "svg":
            picture = vl_convert.vegalite_to_svg(chart, config=request["config"], allowed_base_urls=[]).encode()
        else:
            picture = vl_convert.vegalite_to_png(
                chart, scale=_PNG_SCALE, config=request["config"], allowed_base_urls=[]
            )
    except (ValueError, TypeError, OSError):
        return {"failed": True}  # its words may quote a value
    return {"picture": base64.b64encode(picture).decode("ascii")}


def _interfaces() -> list[str]:
    """The network interfaces that this process sees."""
    try:
        return sorted(os.listdir("/proc/self/net/dev_snmp6")) if sys.platform == "linux" else []
    except OSError:
        return []
