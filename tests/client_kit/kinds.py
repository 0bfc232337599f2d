"""What the contract says of each kind of job, as data: route, name of the id, states in their order, error codes
(closed sets), needed fields.

The names are CONTRACTS 0 to 2; API.md where that page is silent."""

from __future__ import annotations

from dataclasses import dataclass

OTHERS = frozenset({"OTHERS"})
ASKED = frozenset({"NO_RELEVANT_DATA", "NO_RELEVANT_SQL", "OTHERS"})
CHARTED = frozenset({"NO_CHART", "OTHERS"})
RECOMMENDED = frozenset({"MDL_PARSE_ERROR", "RESOURCE_NOT_FOUND", "OTHERS"})


@dataclass(frozen=True)
class Kind:
    """One kind of job of the compatible contract."""

    name: str
    route: str
    id_name: str
    running: tuple[str, ...]
    good: str
    codes: frozenset[str]
    # What a poll's path ends with after the id.
    poll: str = ""
    ends: frozenset[str] = frozenset({"failed", "stopped"})
    needed: tuple[str, ...] = ()
    # Names that a result may have beside the id, status, response, error and trace_id.
    fields: frozenset[str] = frozenset()
    takes_mdl: bool = False
    # A body of a wrong type for one field each.
    wrong: tuple[tuple[str, object], ...] = ()
    # Answered by the model or by rules, and so worth stopping and failing.
    is_job: bool = True

    @property
    def terminal(self) -> frozenset[str]:
        return self.ends | {self.good}

    @property
    def statuses(self) -> frozenset[str]:
        """Every status that the client's enum for this kind has."""
        return frozenset(self.running) | self.terminal

    def poll_path(self, job_id: str) -> str:
        return f"{self.route}/{job_id}{self.poll}"

    def events_path(self, job_id: str) -> str:
        return f"{self.route}/{job_id}/events"


# Fields that are ours on an ask's result; absent when not known.
ASK_OURS = frozenset(
    {
        "nl2sql_code",
        "planned_sql",
        "repairs",
        "reading",
        "assumptions",
        "alternatives",
        "verdict",
        "sureness",
        "findings",
        "warnings",
        "sql_source",
        "sql_pair_id",
        "verified",
        "lessons_used",
        "usage",
        "timings",
        "clarification",
        "suggested_questions",
        "data",
        "requirements",
        "citations",
    }
)
ASK_FIELDS = frozenset(
    {
        "rephrased_question",
        "intent_reasoning",
        "sql_generation_reasoning",
        "type",
        "retrieved_tables",
        "invalid_sql",
        "is_followup",
        "general_type",
    }
)
SHARED_OURS = frozenset({"warnings", "usage", "timings"})

ASK = Kind(
    "ask",
    "/v1/asks",
    "query_id",
    ("understanding", "searching", "planning", "generating", "correcting"),
    "finished",
    ASKED,
    poll="/result",
    needed=("query",),
    fields=ASK_FIELDS | ASK_OURS,
    wrong=(
        ("query", 7),
        ("query", None),
        ("histories", "none"),
        ("histories", [{"sql": 1, "question": []}]),
        ("id", {"a": 1}),
    ),
)
FEEDBACK = Kind(
    "feedback",
    "/v1/ask-feedbacks",
    "query_id",
    ("searching", "generating", "correcting"),
    "finished",
    ASKED,
    needed=("question", "tables", "sql_generation_reasoning", "sql"),
    fields=SHARED_OURS | {"invalid_sql"},
    wrong=(("tables", "orders"), ("tables", [1, {}]), ("sql", 3), ("sql_generation_reasoning", ["a"])),
)
DETAILS = Kind(
    "details",
    "/v1/ask-details",
    "query_id",
    ("understanding", "searching", "generating"),
    "finished",
    ASKED,
    poll="/result",
    needed=("query", "sql"),
    fields=SHARED_OURS,
    wrong=(("sql", 3), ("query", ["a"])),
)
ANSWER = Kind(
    "answer",
    "/v1/sql-answers",
    "query_id",
    ("preprocessing",),
    "succeeded",
    OTHERS,
    ends=frozenset({"failed"}),
    needed=("query", "sql"),
    fields=SHARED_OURS | {"num_rows_used_in_llm"},
    wrong=(
        ("sql", 3),
        ("sql_data", "rows"),
        ("sql_data", {"columns": "a", "data": [[1]]}),
        ("sql_data", {"columns": [], "data": 5}),
    ),
)
SQL_QUESTION = Kind(
    "sql_question",
    "/v1/sql-questions",
    "query_id",
    ("generating",),
    "succeeded",
    OTHERS,
    ends=frozenset({"failed"}),
    needed=("sqls",),
    fields=SHARED_OURS | {"questions"},
    wrong=(("sqls", "SELECT 1"), ("sqls", [1, 2]), ("sqls", []), ("sqls", ["SELECT 1"] * 51)),
)
SQL_CORRECTION = Kind(
    "sql_correction",
    "/v1/sql-corrections",
    "event_id",
    ("correcting",),
    "finished",
    OTHERS,
    ends=frozenset({"failed"}),
    needed=("sql", "error"),
    fields=SHARED_OURS | {"invalid_sql"},
    wrong=(("sql", 3), ("error", {"text": "a"}), ("retrieved_tables", "orders"), ("use_dry_plan", "perhaps")),
)
CHART = Kind(
    "chart",
    "/v1/charts",
    "query_id",
    ("fetching", "generating"),
    "finished",
    CHARTED,
    needed=("query", "sql"),
    fields=SHARED_OURS,
    wrong=(("sql", 3), ("data", "rows"), ("remove_data_from_chart_schema", "perhaps")),
)
CHART_ADJUSTMENT = Kind(
    "chart_adjustment",
    "/v1/chart-adjustments",
    "query_id",
    ("fetching", "generating"),
    "finished",
    CHARTED,
    needed=("query", "sql", "chart_schema", "adjustment_option"),
    fields=SHARED_OURS,
    wrong=(
        ("chart_schema", "a bar"),
        ("adjustment_option", "pie"),
        ("adjustment_option", {}),
        ("adjustment_option", {"chart_type": "spiral"}),
        ("adjustment_option", {"chart_type": "bar", "x_axis": 5}),
    ),
)
QUESTION_REC = Kind(
    "question_rec",
    "/v1/question-recommendations",
    "id",
    ("generating",),
    "finished",
    RECOMMENDED,
    ends=frozenset({"failed"}),
    fields=SHARED_OURS,
    takes_mdl=True,
    wrong=(
        ("mdl", 5),
        ("previous_questions", "none"),
        ("max_questions", "many"),
        ("max_categories", {}),
        ("regenerate", "perhaps"),
    ),
)
RELATIONSHIP_REC = Kind(
    "relationship_rec",
    "/v1/relationship-recommendations",
    "id",
    ("generating",),
    "finished",
    RECOMMENDED,
    ends=frozenset({"failed"}),
    fields=SHARED_OURS,
    takes_mdl=True,
    wrong=(("mdl", 5), ("mdl", ["a"])),
)
DESCRIPTION = Kind(
    "description",
    "/v1/semantics-descriptions",
    "id",
    ("generating",),
    "finished",
    RECOMMENDED,
    ends=frozenset({"failed"}),
    needed=("selected_models", "user_prompt"),
    fields=SHARED_OURS,
    takes_mdl=True,
    wrong=(("mdl", 5), ("selected_models", "orders"), ("selected_models", [1]), ("user_prompt", ["a"])),
)
SQL_PAIR = Kind(
    "sql_pair",
    "/v1/sql-pairs",
    "event_id",
    ("indexing", "deleting"),
    "finished",
    OTHERS,
    ends=frozenset({"failed"}),
    needed=("sql_pairs",),
    fields=SHARED_OURS,
    wrong=(
        ("sql_pairs", "pairs"),
        ("sql_pairs", [{"id": "1"}]),
        ("sql_pairs", [{"id": "1", "sql": 4, "question": "a"}]),
    ),
    is_job=False,
)
INSTRUCTION = Kind(
    "instruction",
    "/v1/instructions",
    "event_id",
    ("indexing", "deleting"),
    "finished",
    OTHERS,
    ends=frozenset({"failed"}),
    needed=("instructions",),
    fields=SHARED_OURS,
    wrong=(
        ("instructions", "be brief"),
        ("instructions", [{"id": "1"}]),
        ("instructions", [{"id": "1", "instruction": "a", "questions": "q"}]),
        ("instructions", [{"id": "1", "instruction": "a", "questions": [], "scope": "moon"}]),
    ),
    is_job=False,
)
PREPARATION = Kind(
    "preparation",
    "/v1/semantics-preparations",
    "id",
    ("indexing",),
    "finished",
    # No set is given for preparations; these two are the ones that fit (see "ambiguities" in README.md).
    frozenset({"OTHERS", "MDL_PARSE_ERROR"}),
    poll="/status",
    ends=frozenset({"failed"}),
    needed=("mdl",),
    fields=SHARED_OURS | {"progress"},
    wrong=(("mdl", 5), ("mdl_hash", {"a": 1})),
    is_job=False,
)

JOBS: tuple[Kind, ...] = (
    ASK,
    FEEDBACK,
    DETAILS,
    ANSWER,
    SQL_QUESTION,
    SQL_CORRECTION,
    CHART,
    CHART_ADJUSTMENT,
    QUESTION_REC,
    RELATIONSHIP_REC,
    DESCRIPTION,
)
ALL: tuple[Kind, ...] = (*JOBS, SQL_PAIR, INSTRUCTION, PREPARATION)
BY_NAME: dict[str, Kind] = {kind.name: kind for kind in ALL}
# The kinds whose table of states has "stopped".
STOPPABLE: tuple[Kind, ...] = tuple(kind for kind in ALL if "stopped" in kind.ends)
