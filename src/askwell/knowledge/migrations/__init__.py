"""How records of earlier versions become today's, one step a file of `versions/`.

A step only goes forwards, and within one version of the record it only adds: tables, indexes, and columns that may be
null. So an Askwell that does not know the step goes on beside one that does. What is not used any more is taken away
later, by a step that also raises `SCHEMA_VERSION`, once no Askwell is left that used it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
# Where it is counted which steps were taken. Alembic's usual name may be another program's in the same database.
STEPS = "askwell_steps"
_NAME = re.compile(r"r(\d{4})_\w+\.py")


@cache
def head() -> str:
    """The number of the last step, by the names of the files: nothing of Alembic is loaded where there is no step to
    take."""
    return max(found[1] for path in (FOLDER / "versions").iterdir() if (found := _NAME.fullmatch(path.name)))
