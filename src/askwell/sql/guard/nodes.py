"""Which parts of speech a statement may be made of: node types, and which of their arguments may be filled.

Everything that is not named here is refused, so a node type or an argument that a later parser invents is refused too.
Functions have a list of their own.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp


def types_named(names: str) -> frozenset[type[exp.Expr]]:
    # A name that this version of the parser does not know cannot occur in its trees either.
    found = (getattr(exp, name, None) for name in names.split())
    return frozenset(t for t in found if t is not None)


ROOTS = types_named("Select Union Except Intersect Subquery Values Pivot")

# Operators, literals and small grammar that carry no right of their own: their children are checked like any other.
PLAIN = types_named(
    """
    Add Sub Mul Div IntDiv Mod Neg Not Paren DPipe EQ NEQ NullSafeEQ NullSafeNEQ GT GTE LT LTE Is Null Boolean
    BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift
    Between In Like ILike Glob SimilarTo Escape Any All Overlaps Adjacent
    Alias Aliases PivotAlias PivotAny UnpivotColumns Dot Bracket Slice Tuple Lambda Kwarg PropertyEQ Comprehension
    AtTimeZone FromTimeZone Interval IntervalSpan
    Literal RawString National HexString BitString ByteString Identifier Var
    DataType DataTypeParam Distinct Filter WithinGroup IgnoreNulls RespectNulls HavingMax OverflowTruncateBehavior
    JSON JSONColumnDef OpenJSONColumnDef JSONKeyValue JSONSchema JSONValue JSONExtractQuote JSONPath JSONPathFilter
    JSONPathKey
    JSONPathPart JSONPathRecursive JSONPathRoot JSONPathScript JSONPathSelector JSONPathSlice JSONPathSubscript
    JSONPathUnion JSONPathWildcard FormatJson OnCondition
    From Where Having Qualify Order Limit Fetch Offset LimitOptions Group Cube Rollup GroupingSets
    With CTE TableAlias RecursiveWithSearch Values Star ProjectionDef
    """
)

# The node types through which a statement reaches tables, locks, targets or history: for these, each argument is named.
ARGUMENTS: dict[type[exp.Expr], frozenset[str]] = {
    node: frozenset(arguments.split())
    for names, arguments in (
        (
            "Select",
            # Absent: into, locks, hint, options, operation_modifiers, settings, for_, connect, match, cluster, …
            "with_ kind expressions distinct from_ laterals joins pivots where group having "
            "qualify windows order limit offset sample",
        ),
        (
            "Union Except Intersect",
            "with_ this expression distinct by_name side kind on laterals joins pivots where order limit offset",
        ),
        ("Subquery", "this alias with_ laterals joins pivots where order limit offset sample"),
        # Absent: time travel (version, when, system_time, changes), hints, patterns, partitions, ONLY, ROWS FROM.
        ("Table", "this alias db catalog laterals joins pivots ordinality sample"),
        ("TableFromRows", "this alias joins pivots sample"),
        ("CTE", "this alias materialized"),
        ("With", "expressions recursive search cycle"),
        ("TableAlias", "this columns"),
        ("Join", "this on side kind using method match_condition expressions pivots"),
        ("Lateral", "this view outer alias cross_apply ordinality"),
        (
            "Pivot",
            "this alias expressions fields unpivot using group columns include_nulls default_on_null into with_ "
            "identify_pivot_strings prefixed_pivot_columns pivot_column_naming value_columns_first",
        ),
        ("Column", "this table db catalog"),
        ("Identifier", "this quoted"),
        ("Window", "this partition_by order spec alias over first"),
        ("WindowSpec", "kind start start_side end end_side exclude"),
        ("Ordered", "this desc nulls_first"),
        ("Order", "this expressions"),
        ("TableSample", "expressions method percent rows size seed"),
        ("Star", "except_ replace rename ilike"),
        ("ColumnDef", "this kind"),
        ("Schema", "this expressions"),
        ("Values", "expressions alias order limit offset"),
        ("DataType", "this expressions nested values kind nullable"),
        ("Interval", "this unit fraction_in_string"),
        ("Cast", "this to format safe default"),
        ("TryCast", "this to format safe default requires_string null_on_text_overflow"),
        ("Unnest", "expressions alias offset explode_array"),
    )
    for node in types_named(names)
}

STRUCTURE: frozenset[type[exp.Expr]] = PLAIN | ARGUMENTS.keys()

# Arguments whose value is a flag or a word of the grammar may be any short run of plain words; these hold free text
# that the generator escapes or that is checked on its own.
FREE_TEXT: frozenset[type[exp.Expr]] = types_named(
    "Literal Identifier RawString National HexString BitString ByteString JSONPathKey JSONPathSubscript JSONPathFilter "
    "JSONPathScript JSONPathUnion Anonymous AnonymousAggFunc"
)

# Where a bare identifier stands for a name that is being given or for a field, not for a column that is read.
NAMING: frozenset[tuple[type[exp.Expr], str]] = frozenset(
    (node, key)
    for names, key in (
        ("Column Table", "this"),
        ("Column Table", "db"),
        ("Column Table", "catalog"),
        ("Column", "table"),
        ("TableAlias", "this"),
        ("TableAlias", "columns"),
        ("Alias PivotAlias Pivot Window Subquery Unnest Lateral", "alias"),
        ("Aliases Lambda", "expressions"),
        ("Pivot", "columns"),
        ("Comprehension", "expression"),
        ("Comprehension", "position"),
        ("Dot", "expression"),
        ("Join", "using"),
        (
            "Kwarg PropertyEQ ColumnDef JSONColumnDef OpenJSONColumnDef Window UnpivotColumns JSONKeyValue Schema",
            "this",
        ),
        ("Unnest", "offset"),
        ("Star", "except_"),
        ("Star", "rename"),
        ("Collate", "expression"),
        ("Anonymous AnonymousAggFunc", "this"),
        ("StructExtract JSONExtract JSONExtractScalar", "expression"),
        ("UnpivotColumns Schema", "expressions"),
        ("RecursiveWithSearch", "this"),
        ("RecursiveWithSearch", "to"),
        ("RecursiveWithSearch", "using"),
        ("RecursiveWithSearch", "expression"),
        ("RecursiveWithSearch", "default"),
        ("WeekStart", "this"),
    )
    for node in types_named(names)
)

_REFUSED_TYPES = frozenset(
    {"USERDEFINED", "OBJECT_IDENTIFIER", "UNKNOWN", "HLLSKETCH", "IMAGE", "FILE", "XML", "VARIADIC"}
)
# PostgreSQL's own types whose input functions look nothing up, and those of usual extensions. Any other name can be a
# type that somebody made, with a function of theirs that reads its values.
_POSTGRES_TYPES = frozenset(
    """
    BIGINT BIT BOOLEAN BPCHAR BYTEA CHAR DATE DATEMULTIRANGE DATERANGE DECIMAL GEOGRAPHY GEOMETRY HSTORE INET INT
    INT4MULTIRANGE INT4RANGE INT8MULTIRANGE INT8RANGE INTERVAL JSON JSONB MONEY NAME NUMMULTIRANGE NUMRANGE POINT
    POLYGON REAL SMALLINT TEXT TIME TIMESTAMP TIMESTAMPTZ TIMETZ TSMULTIRANGE TSRANGE TSTZMULTIRANGE TSTZRANGE UUID
    VARCHAR VECTOR
    """.split()  # noqa: SIM905 - a list of names reads better as words
) | {"DOUBLE PRECISION"}
# DuckDB's own. The parser knows names of other databases' types, which DuckDB would take for one that somebody made.
_DUCKDB_TYPES = frozenset(
    """
    BIGINT BIGNUM BIT BLOB BOOLEAN DATE DECIMAL DOUBLE ENUM GEOMETRY INT INT128 INTERVAL JSON MAP REAL SMALLINT STRUCT
    TEXT TIME TIMESTAMP TIMESTAMPTZ TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_S TIMETZ TIME_NS TINYINT UBIGINT UINT128
    UINTEGER UNION USMALLINT UTINYINT UUID VARBINARY VARIANT
    """.split()  # noqa: SIM905 - a list of names reads better as words
)


def _written(kind: exp.DType, dialect: str) -> str:
    return exp.DataType(this=kind).sql(dialect)


_KNOWN_TYPES = frozenset(t for t in exp.DataType.Type if t.name not in _REFUSED_TYPES)
_TYPES = {
    dialect: frozenset(t for t in _KNOWN_TYPES if _written(t, dialect).partition("(")[0] in names) | {exp.DType.ARRAY}
    for dialect, names in (("postgres", _POSTGRES_TYPES), ("duckdb", _DUCKDB_TYPES))
}


def data_types(dialect: str) -> frozenset[exp.DType]:
    """The types that a value may be cast to."""
    return _TYPES.get(dialect, _KNOWN_TYPES)


DIALECTS = ("duckdb", "sqlite", "postgres", "mysql", "trino", "bigquery", "snowflake", "tsql")


def dialect_of(name: str) -> sqlglot.Dialect:
    """The parser's dialect, for one of `DIALECTS`."""
    if name not in DIALECTS:
        raise ValueError(f"the guard knows no dialect {name!r}; it knows {', '.join(DIALECTS)}")
    return sqlglot.Dialect.get_or_raise(name)
