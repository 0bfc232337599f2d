"""How many examples a property is tried on: all of them by `make test-deep`, an eighth by `make test`. Both take the
same ones in every run, so that a change is at fault when one fails; `make explore` takes others each time."""

from __future__ import annotations

from hypothesis import settings

DEEP = "askwell-deep"
EXPLORE = "askwell-explore"
QUICK = "askwell"
_ALL = 100


def examples(number: int) -> int:
    """Of `number` examples, those that this run is for: by the profile, which `--hypothesis-profile` chooses."""
    return number if settings.get_current_profile_name() in (DEEP, EXPLORE) else max(5, number // 8)


# Machines are busy: how long an example takes says nothing about what is tested.
settings.register_profile(DEEP, deadline=None, max_examples=_ALL, derandomize=True)
settings.register_profile(EXPLORE, deadline=None, max_examples=_ALL)
settings.register_profile(QUICK, deadline=None, max_examples=_ALL // 8, derandomize=True)
