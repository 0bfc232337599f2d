"""The services as one caller may use them: each door asks who calls, and gives only what is theirs.

A project that is not the caller's, and anything of somebody else, is `NotFound` in the same words as what there is not.
"""

from askwell.web.guard.services import GuardedServices

__all__ = ["GuardedServices"]
