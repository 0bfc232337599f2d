"""The kinds of jobs of the compatible contract, as `kinds.yaml` lists them."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict


class Kind(BaseModel):
    """One kind of job."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    route: str
    id_name: str
    running: tuple[str, ...]
    good: str
    codes: frozenset[str]
    # What a poll's path ends with after the id.
    poll: str = ""
    ends: frozenset[str]
    needed: tuple[str, ...]
    fields: frozenset[str]
    takes_mdl: bool = False
    # Fields with a value of a wrong type.
    wrong: tuple[tuple[str, object], ...]
    # Answered by the model or by rules, and so worth stopping and failing.
    is_job: bool = True

    @property
    def terminal(self) -> frozenset[str]:
        return self.ends | {self.good}

    @property
    def statuses(self) -> frozenset[str]:
        """Every status that the client's enum for this kind has."""
        return frozenset(self.running) | self.terminal

    def poll_path(self, job_id: str) -> str:
        return f"{self.route}/{job_id}{self.poll}"

    def events_path(self, job_id: str) -> str:
        return f"{self.route}/{job_id}/events"


_TABLE = yaml.load(Path(__file__).with_name("kinds.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
BY_NAME: dict[str, Kind] = {name: Kind(name=name, **facts) for name, facts in _TABLE.items()}
ALL: tuple[Kind, ...] = tuple(BY_NAME.values())
JOBS: tuple[Kind, ...] = tuple(kind for kind in ALL if kind.is_job)
# The kinds whose table of states has "stopped".
STOPPABLE: tuple[Kind, ...] = tuple(kind for kind in ALL if "stopped" in kind.ends)
ASK = BY_NAME["ask"]
ANSWER = BY_NAME["answer"]
CHART = BY_NAME["chart"]
PREPARATION = BY_NAME["preparation"]
