"""`make migration MESSAGE=…`: the step from the last one to today's schema."""

from __future__ import annotations

import sys

from askwell.knowledge.migrations.running import write_step

if __name__ == "__main__":
    print(write_step(" ".join(sys.argv[1:])))  # noqa: T201
