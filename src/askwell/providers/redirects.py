"""Redirects of the servers that we call: none is followed, because it would take what was sent to someone else."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# What a host's name or address may consist of: nothing else of the server's words is passed on.
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}")


def sends_on(status: int, location: str | None) -> str | None:
    """What a server did, to come after its name, where `status` is a redirect; None for any other. Of `location`, the
    header of that name, only the host is named."""
    if not 300 <= status < 400:
        return None
    return f"sends us on to {_place(location or '')} (HTTP {status}), and no redirect is followed"


def _place(location: str) -> str:
    try:
        host = urlsplit(location).hostname or ""
    except ValueError:
        host = ""
    if _HOST.fullmatch(host):
        return host
    return "another path of its own" if location.startswith("/") and not location.startswith("//") else "another place"
