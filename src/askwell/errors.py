"""The error tree: breakage is an exception named by what broke; an expected rejection is a value, never one of these.

    AskwellError
    ├── ConfigurationError      the operator has to change config.yaml or the environment        500
    │   └── NotInstalled        it takes an extra that is not installed                          501
    ├── InvalidRequest          the caller sent something that cannot be served                  422
    │   ├── InvalidModel        a semantic model with problems, all of them listed               422
    │   ├── StatementRejected   a statement that is refused, fails or takes too long             422
    │   └── ResultTooLarge      more rows, or longer values, than fit into what was asked for    422
    ├── NotFound                unknown, or another project's (which looks the same)             404
    ├── Busy                    the queue is full, come back later                               429
    └── Unavailable             a dependency is down or too slow                                 503
        ├── EngineUnavailable   the database file, server or its child process
        ├── ModelUnavailable    the language model server
        ├── EmbedderUnavailable the embedder
        ├── RecordUnavailable   the system of record
        └── ShuttingDown        this service itself: it takes nothing new, and is about to end

Every one carries `message` (what happened and where) and `hint` (what to do next). Neither holds a secret, a prompt,
a row or a traceback: both are shown to users. `HTTP_STATUS` is the one table from this tree to HTTP.
"""

from __future__ import annotations


class AskwellError(Exception):
    """Base of all breakage. `code` is stable and machine readable; `message` and `hint` are for people."""

    code = "OTHERS"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigurationError(AskwellError):
    """The configuration cannot be used as it stands."""

    code = "CONFIGURATION"


class NotInstalled(ConfigurationError):
    """It takes an extra that is not installed."""

    code = "NOT_INSTALLED"


class InvalidRequest(AskwellError):
    """The request is understood and cannot be served as it is."""

    code = "INVALID_REQUEST"


class InvalidModel(InvalidRequest):
    """A semantic model that does not validate. `problems` lists each: where, what, what to do."""

    code = "INVALID_MODEL"

    def __init__(self, message: str, hint: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.problems = problems


class StatementRejected(InvalidRequest):
    """A statement that does not pass the check (`SQL_REFUSED` where the guard says no), that the database turns away
    (`SQL_FAILED`), or that takes too long (`SQL_TIMED_OUT`). All are the statement's own: the same one again does no
    better, so that none is an error of the server's, which clients and proxies try again. Of one that came
    over HTTP the code is left."""

    codes = frozenset({"SQL_REFUSED", "SQL_FAILED", "SQL_TIMED_OUT"})

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.code = code


class ResultTooLarge(InvalidRequest):
    """The result does not fit into what was asked for."""

    code = "RESULT_TOO_LARGE"


class Unauthorized(AskwellError):
    """It is not known who calls."""

    code = "UNAUTHORIZED"


class Forbidden(AskwellError):
    """The caller may not do this."""

    code = "FORBIDDEN"


class NotFound(AskwellError):
    """No such thing, or not this project's."""

    code = "NOT_FOUND"


class Conflict(AskwellError):
    """It does not fit what has happened meanwhile."""

    code = "CONFLICT"


class Busy(AskwellError):
    """Too much accepted work is waiting. `retry_after` is in seconds."""

    code = "BUSY"

    def __init__(self, message: str, hint: str = "", retry_after: int = 1) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class Unavailable(AskwellError):
    """Something this service depends on does not answer."""

    code = "UNAVAILABLE"


class EngineUnavailable(Unavailable):
    """The database cannot be reached, opened or kept running. `reason` is a sentence that says what is wrong with it,
    without its name."""

    code = "ENGINE_UNAVAILABLE"

    def __init__(self, message: str, hint: str = "", reason: str | None = None) -> None:
        super().__init__(message, hint)
        self.reason = reason


class ModelUnavailable(Unavailable):
    """The language model server cannot be reached, refuses us, or does not answer in time."""

    code = "MODEL_UNAVAILABLE"


class ModelTimedOut(ModelUnavailable):
    """The language model server did not answer within the time limit of a call."""


class EmbedderUnavailable(Unavailable):
    """The embedder cannot be loaded or reached."""

    code = "EMBEDDER_UNAVAILABLE"


class RecordUnavailable(Unavailable):
    """The system of record cannot be read or written."""

    code = "RECORD_UNAVAILABLE"


class ShuttingDown(Unavailable):
    """The service was told to stop. `retry_after` is in seconds: another one may serve by then."""

    code = "SHUTTING_DOWN"

    def __init__(self, message: str, hint: str = "", retry_after: int = 5) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


# Looked up along the class's own ancestry, so a new leaf inherits its parent's status.
HTTP_STATUS: dict[type[AskwellError], int] = {
    AskwellError: 500,
    ConfigurationError: 500,
    NotInstalled: 501,
    InvalidRequest: 422,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Busy: 429,
    Unavailable: 503,
}


def http_status(error: AskwellError) -> int:
    """The HTTP status for an error of the tree."""
    return next(HTTP_STATUS[cls] for cls in type(error).__mro__ if cls in HTTP_STATUS)
