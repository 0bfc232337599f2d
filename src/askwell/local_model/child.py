"""The child process that runs a language model by llama.cpp, behind its own server on loopback.

It imports only what it needs: Askwell's side of a child process, and xllamacpp.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from typing import Any

from askwell.child_process import limits
from askwell.child_process.child import Child, Refused, Request

# Prompts of several kinds take turns in the one slot; what it has read of each is kept here meanwhile.
_KEPT_MIB = 512
_LOOK_SECONDS = 1.0


def main() -> None:
    """Load the model, say where its server listens, and live as long as the owner does."""
    child = Child()
    limits.die_first()
    settings = child.settings

    def run(_: Request) -> Generator[dict[str, Any] | bytes, None, dict[str, Any] | None]:
        server = _server(settings)
        yield {"rows": [[server.listening_address]]}
        # The kernel ends this with its owner on Linux, and a look at the parent elsewhere.
        while os.getppid() == settings["parent"]:
            time.sleep(_LOOK_SECONDS)
        os._exit(0)

    child.serve(run)


def _server(settings: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["file"]
    params.model_alias = {settings["name"]}
    params.n_ctx = settings["context_window"]
    params.n_parallel = 1
    params.cache_ram_mib = _KEPT_MIB
    params.cpuparams.n_threads = _cores()
    params.hostnames = ["127.0.0.1"]
    params.port = settings["port"]
    # Without a key, pages of all origins could ask it.
    params.api_keys = [settings["key"]]
    params.cors_origins = ""
    params.ui = False
    try:
        return xllamacpp.Server(params)
    except RuntimeError:
        # It says why on standard error only.
        raise Refused("llama.cpp does not load it") from None


def _cores() -> int:
    """How many this process may use: two threads on one core only get in each other's way."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    cores = set()
    for number in usable:
        try:
            with open(f"/sys/devices/system/cpu/cpu{number}/topology/core_cpus_list") as siblings:
                cores.add(siblings.read())
        except OSError:
            cores.add(str(number))
    return len(cores)
