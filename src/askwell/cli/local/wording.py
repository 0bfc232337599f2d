"""What an engine says to whoever runs a service, said to somebody at the command line, who has no configuration of data
sources and no log."""

from __future__ import annotations

from askwell.errors import EngineUnavailable

_INSTEAD = (
    ("the url of this data source", "the URL that you gave"),
    ("the path of this data source in the configuration", "the path that you gave"),
    ("the path and the engine of this data source in the configuration", "the path that you gave"),
    ("The path of this data source", "The path"),
    ("the driver of this data source", "its driver"),
    ("; the service's log says more", ""),
    ("; the service's log says which process it is", ""),
    ("the service's machine", "this machine"),
    ("the user that runs the service", "this user"),
    ("that this service cannot read", "that Askwell cannot read yet"),
    ("Upgrade the service", "Upgrade Askwell"),
    ("Raise the memory limit of this data source.", "Close other programs, and try again."),
    (", lower pool_size,", ""),
)


def at_the_command_line(text: str) -> str:
    """`text` without what only a service has."""
    for said, instead in _INSTEAD:
        text = text.replace(said, instead)
    return text


def explained(error: EngineUnavailable) -> EngineUnavailable:
    """The error in these words."""
    return EngineUnavailable(at_the_command_line(error.message), at_the_command_line(error.hint))
