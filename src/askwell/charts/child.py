"""The process that draws charts: one Vega-Lite chart comes in, one picture goes out.

The renderer is a JavaScript engine. What reaches it has passed the list of what a chart may hold; should it break out
all the same, it finds no network, no environment and no file that it may write.
"""

from __future__ import annotations

import base64
import json
from functools import partial
from typing import Any

from askwell.child_process import limits
from askwell.child_process.child import Child, Refused, Request

# Beyond what the JavaScript engine has reserved when it starts, which is tens of gigabytes of addresses.
_MEMORY_MIB = 1024
_PNG_SCALE = 2.0
_TINY = {"mark": "point", "data": {"values": []}}


def main() -> None:
    """Start the JavaScript engine, then serve until the pipe closes."""
    child = Child()
    limits.leave_network()
    limits.restrict_process()
    import vl_convert

    vl_convert.vegalite_to_svg(_TINY, allowed_base_urls=[])
    limits.tighten_address_space(_MEMORY_MIB)
    child.serve(partial(_draw, vl_convert))


def _draw(vl_convert: Any, request: Request) -> dict[str, Any]:
    chart = json.dumps(request["chart"])
    try:
        if request["format"] == "svg":
            picture = vl_convert.vegalite_to_svg(chart, config=request["config"], allowed_base_urls=[]).encode()
        else:
            picture = vl_convert.vegalite_to_png(
                chart, scale=_PNG_SCALE, config=request["config"], allowed_base_urls=[]
            )
    except (ValueError, TypeError, OSError):
        raise Refused("it does not fit the renderer") from None  # whose words may quote a value
    return {"picture": base64.b64encode(picture).decode("ascii")}
