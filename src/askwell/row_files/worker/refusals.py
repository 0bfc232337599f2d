"""Why a file is not written."""


class Refused(Exception):
    """The rows do not fit into a file of this format, for the `reason`, a sentence without any value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
