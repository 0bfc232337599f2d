"""What a check knows of the running service: no more than this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

Failure = Literal["429", "500", "cut_json", "hang"]


class ModelServer(Protocol):
    """The scripted model server behind the service. `fail_next(n, how)`: the next n calls fail so; n = 0 takes back
    what is left."""

    def fail_next(self, n: int, how: Failure) -> None: ...


@dataclass
class Service:
    """A running service. The owner of the project gives one of these (or anything with the same names) as the fixture
    `service`."""

    url: str
    mode: Literal["model", "no_model"]
    wren_ui: bool
    model_server: ModelServer | None = None
    # Sent with every call, where the service wants a key.
    headers: dict[str, str] = field(default_factory=dict)
    # A key bound to another project; without one, a foreign reader is one that says `?project_id=` of another project.
    foreign_headers: dict[str, str] = field(default_factory=dict)
    # What the client's model builder writes as `dataSource`.
    data_source: str = "DUCKDB"
