"""What each prompt is given, and how long its reply may be. A template that uses another name, or leaves one of these
unused, does not load."""

from __future__ import annotations

from collections.abc import Mapping

_ASKED = frozenset({"question", "language", "now"})
_KNOWN = frozenset({"schema", "samples", "instructions", "custom_instruction"})
_RESULT = frozenset({"question", "sql", "columns", "sample_rows", "row_count", "instructions", "custom_instruction"})
# What stands before the task wherever SQL is written, planned or explained.
_FRAME = frozenset({"schema", "dialect", "dialect_name", "lean", "ranking_style"})
_WRITING = _ASKED | _KNOWN | _FRAME | {"functions", "values", "histories", "lessons", "requirements", "passages"}
# What a prompt of table selection is given beside its tables.
_SELECTING = frozenset({"question", "language", "instructions", "custom_instruction", "histories"})
_LINES = frozenset({"schema_lines", "samples", "instructions", "custom_instruction", "histories", "lean", "passages"})

PROMPT_VARIABLES: Mapping[str, frozenset[str]] = {
    "intent_classification": _ASKED | _LINES,
    "intent_classification_fast": _LINES | {"question", "language"},
    "column_pruning": frozenset(
        {"question", "language", "schema", "instructions", "custom_instruction", "values", "lean"}
    ),
    "table_relevance": _SELECTING | {"ddl", "schema", "values"},
    "table_refinement": _SELECTING | {"judged"},
    "query_requirements": _SELECTING | {"schema", "values", "now", "lean"},
    "question_reformulation": _ASKED | {"histories"},
    "field_extraction": _ASKED | {"said", "fields", "known"},
    "choice_matching": frozenset({"question", "language", "clarification", "options", "said"}),
    "join_inference": frozenset({"question", "language", "ddl", "pairs", "instructions", "custom_instruction"}),
    "sql_generation": _WRITING | {"asks_intent", "asks_plan"},
    "sql_diagnosis": _ASKED | _FRAME | {"rejected"},
    "sql_correction": _WRITING | {"plan", "rejected", "diagnosis", "earlier", "anew"},
    "sql_regeneration": _WRITING | {"plan", "sql"},
    "sql_summaries": frozenset({"question", "language", "sql", "words", "steps"}),
    "sql_question": frozenset({"language", "dialect_name", "sql", "words"}),
    "sql_answer": _ASKED | {"timezone", "sql", "rows", "instructions", "custom_instruction"},
    "data_assistance": _ASKED | _KNOWN | _FRAME | {"histories", "passages"},
    "misleading_assistance": _ASKED | _KNOWN | _FRAME | {"histories"},
    "chart_generation": _RESULT | {"language", "problem"},
    "chart_adjustment": _RESULT | {"language", "chart_type", "placed", "open_channels"},
    "user_guide": _ASKED | {"tables", "histories"},
    "question_recommendation": frozenset({"language", "ddl", "categories", "count", "previous"}),
    "question_suggestion": frozenset({"question", "language", "ddl", "sql", "histories"}),
    "relationship_recommendation": frozenset({"language", "ddl"}),
    "conversation": _ASKED | {"name", "persona", "variables", "passages", "looked_up", "seen"},
    "conversation_routing": frozenset({"question", "language", "ways", "reasons", "earlier"}),
    "conversation_suggestion": frozenset({"question", "language", "answer", "tables", "asked", "persona"}),
    "semantics_description": frozenset({"language", "ddl", "column_names", "column_values", "about"}),
}

# Several times what a good reply takes, also in scripts of which a word is many tokens: a model that does not find an
# end is stopped, and no other.
REPLY_TOKENS: Mapping[str, int] = {
    "intent_classification": 500,
    "intent_classification_fast": 100,
    "column_pruning": 4_000,
    "table_relevance": 1_000,
    "table_refinement": 2_000,
    "query_requirements": 2_000,
    "question_reformulation": 500,
    "field_extraction": 1_000,
    "choice_matching": 100,
    "join_inference": 1_000,
    "sql_generation": 3_000,
    "sql_diagnosis": 600,
    "sql_correction": 2_000,
    "sql_regeneration": 2_000,
    "sql_summaries": 3_000,
    "sql_question": 400,
    "sql_answer": 2_000,
    "data_assistance": 1_500,
    "misleading_assistance": 1_000,
    "chart_generation": 2_000,
    "chart_adjustment": 400,
    "user_guide": 1_500,
    "question_recommendation": 4_000,
    "question_suggestion": 600,
    "relationship_recommendation": 4_000,
    "semantics_description": 4_000,
    "conversation": 2_000,
    "conversation_routing": 300,
    "conversation_suggestion": 600,
}
