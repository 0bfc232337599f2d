"""Where the person at the command line is, as far as days and hours go."""

from __future__ import annotations

import os
from collections.abc import Mapping
from zoneinfo import ZoneInfo

from askwell.errors import ConfigurationError

_LOCAL_TIME = "/etc/localtime"


def time_zone(written: str | None, environ: Mapping[str, str]) -> str:
    """The IANA name of the zone that `--timezone` names, or else of this machine's own; UTC where it does not say.
    Raises `ConfigurationError` for a name that is none."""
    if written is not None:
        if not _is_zone(written):
            raise ConfigurationError(
                f"--timezone: there is no time zone {written[:64]}.", "Use a name such as Europe/Berlin, or UTC."
            )
        return written
    # As the C library looks for it; the file is a link into its own folder of zones.
    names = (environ.get("TZ", "").removeprefix(":"), os.path.realpath(_LOCAL_TIME).rpartition("/zoneinfo/")[2])
    found = next(filter(_is_zone, names), "UTC")
    return "UTC" if found == "Etc/UTC" else found


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return bool(name)
