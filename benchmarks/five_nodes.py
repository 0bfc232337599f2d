"""A pipeline of five nodes in a row, each of which does next to nothing."""

from __future__ import annotations


async def first(start: int) -> int:
    return start + 1


async def second(first: int) -> int:
    return first + 1


async def third(second: int) -> int:
    return second + 1


async def fourth(third: int) -> int:
    return third + 1


async def fifth(fourth: int) -> int:
    return fourth + 1
