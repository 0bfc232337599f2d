"""What each prompt is given. A template that uses another name, or leaves one of these unused, does not load."""

from __future__ import annotations

from collections.abc import Mapping

_ASKED = frozenset({"question", "language", "now"})
_KNOWN = frozenset({"schema", "samples", "instructions", "custom_instruction"})
_WRITING = _ASKED | _KNOWN | {"timezone", "dialect", "dialect_name", "functions", "values", "plan"}

PROMPT_VARIABLES: Mapping[str, frozenset[str]] = {
    "intent_classification": _ASKED | _KNOWN | {"histories"},
    "intent_classification_fast": _KNOWN | {"question", "language", "histories", "labels"},
    "column_pruning": frozenset({"question", "language", "schema", "instructions", "custom_instruction", "values"}),
    "question_reformulation": _ASKED | {"histories"},
    "join_inference": frozenset({"question", "language", "ddl", "pairs", "instructions", "custom_instruction"}),
    "sql_reasoning": _ASKED | _KNOWN | {"timezone", "values", "histories"},
    "sql_generation": _WRITING,
    "sql_diagnosis": _ASKED | {"schema", "timezone", "dialect_name", "rejected"},
    "sql_correction": _WRITING | {"rejected", "diagnosis", "earlier"},
    "data_assistance": _ASKED | _KNOWN | {"histories"},
    "misleading_assistance": _ASKED | _KNOWN | {"histories"},
    "user_guide": _ASKED | {"tables", "histories"},
}
