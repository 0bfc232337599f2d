"""Semantic models made from something else than MDL JSON."""

from __future__ import annotations

from askwell.mdl.importers.introspected import manifest_from_schema

__all__ = ["manifest_from_schema"]
