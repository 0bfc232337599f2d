"""How both databases compare the names of tables."""

from __future__ import annotations


def fold(name: str) -> str:
    """Lower case for ASCII letters only: `str.lower` would take two different tables for one."""
    return name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
