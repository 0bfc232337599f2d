"""Which functions a statement may call.

Functions of an engine's own catalogue that no statement may call, and why. Reviewed by hand, name by name.

What a catalogue has and this list does not is allowed, so the list errs on the long side: it also names functions that
are harmless today but show internals, and whole families by prefix.

Functions that the parser knows by type, and that a statement may call in any dialect.

An allow-list: what reads files, talks to a network or a model, tells who and where the server is, draws from a
generator of its own or decrypts is simply not here, nor is anything a later parser adds.

Which functions a statement of a dialect may call.

The rule: a function is called only if it was reviewed for its dialect (`catalogues/`) and nothing is held against its
name (the denied ones, which always wins). Where the engine lists all its functions, it also has to be among these.
What a database has besides is not callable, least of all what people wrote themselves: a catalogue tells that a
function is there, but not what it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from askwell.resources import words_file
from askwell.sql.guard.catalogues import REVIEWED
from askwell.sql.guard.nodes import types_named

_FILE = words_file("askwell.sql.guard", "denied_functions.yaml")
DENIED_PREFIXES: tuple[str, ...] = tuple(_FILE["prefixes"])
DENIED: frozenset[str] = frozenset(_FILE["names"].split())


def denied_reason(name: str) -> str | None:
    """Why a function of this lower-case name is not allowed, or None if nothing is held against it."""
    if name in DENIED:
        return next(
            (why for why, names in _FILE["reasons"].items() if name in names.split()),
            "it is on the reviewed list of denied functions",
        )
    if name.startswith(DENIED_PREFIXES):
        return "its family reads files, settings, the catalogue or the server"
    return None


_NAMES = """
And Or Xor Case If Coalesce Nullif Nvl2 Nanvl Greatest Least Cast TryCast Try Convert Collate Exists Columns
Decode DecodeCase EqualNull IsNullValue Typeof CastToStrType

Abs Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Ceil Cos Cosh Cot Coth Csc Csch Degrees Exp Floor Ln Log Pi Pow Radians
Rand Randn Rint Round Sec Sech Sign Sin Sinh Sqrt Tan Tanh Trunc Negative SafeAdd SafeDivide SafeMultiply SafeNegate
SafeSubtract SafeFunc WidthBucket RangeBucket BitwiseCount Getbit IsInf IsNan CosineDistance EuclideanDistance
ManhattanDistance DotProduct

AnyValue ApproxDistinct ApproxQuantile ApproxQuantiles ApproxTopK ApproxTopSum ApproxPercentileEstimate ArgMax ArgMin
ArrayAgg ArrayConcatAgg ArrayUnionAgg ArrayUniqueAgg Avg BitwiseAndAgg BitwiseOrAgg BitwiseXorAgg BoolxorAgg Booland
Boolnot Boolor Corr Count CountIf CovarPop CovarSamp CumeDist DenseRank First FirstValue GroupConcat Grouping GroupingId
HashAgg Hll JSONArrayAgg JSONBObjectAgg JSONObjectAgg Kurtosis Lag Last LastValue Lead LogicalAnd LogicalOr Max Median
Min Mode NthValue Ntile ObjectAgg PercentRank PercentileCont PercentileDisc Quantile Rank RegrAvgx RegrAvgy RegrCount
RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy RegrValx RegrValy RowNumber Skewness Stddev StddevPop StddevSamp
Sum Variance VariancePop

Ascii BitLength ByteLength Chr CodePointsToBytes CodePointsToString Concat ConcatWs Contains ConvertToCharset Elt Encode
EndsWith Format Hex HexDecodeString Initcap IsAscii JarowinklerSimilarity Left Length Levenshtein Lower LowerHex
Normalize NumberToStr Overlay Pad RegexpCount RegexpExtract RegexpExtractAll RegexpFullMatch RegexpILike RegexpInstr
RegexpLike RegexpReplace RegexpSplit RegexpSubstr Repeat Replace Reverse Right RtrimmedLength Soundex SoundexP123 Space
Split SplitPart StartsWith StrPosition String StringToArray Strtok StrtokToArray Stuff Substring SubstringIndex
ToCodePoints Translate Trim TryHexDecodeString Unhex Unicode Upper WeightString MatchAgainst
Base64DecodeBinary Base64DecodeString Base64Encode FromBase FromBase32 FromBase64 ToBase32 ToBase64
TryBase64DecodeBinary TryBase64DecodeString MD5 MD5Digest MD5NumberLower64 MD5NumberUpper64 SHA SHA1Digest SHA2
SHA2Digest StandardHash
FarmFingerprint CityHash64 ParseUrl NetFunc Host RegDomain ToBinary ToBoolean ToChar ToDecfloat ToDouble ToNumber
TryToDecfloat SafeConvertBytesToString Uuid

AddMonths ConvertTimezone CurrentDate CurrentDatetime CurrentTime CurrentTimestamp CurrentTimestampLTZ CurrentTimezone
Date DateAdd DateBin DateDiff DateFromParts DateFromUnixDate DateStrToDate DateSub DateToDateStr DateToDi DateTrunc
Datetime DatetimeAdd DatetimeDiff DatetimeSub DatetimeTrunc Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Dayname
DiToDate Extract FromISO8601Date FromISO8601Timestamp FromISO8601TimestampNanos Hour JustifyDays JustifyHours
JustifyInterval LastDay Localtime Localtimestamp MakeInterval Minute Month Monthname MonthsBetween NextDay ParseDatetime
ParseTime PreviousDay Quarter Second StrToDate StrToTime StrToUnix Systimestamp Time TimeAdd TimeDiff TimeFromParts
TimeSlice TimeStrToDate TimeStrToTime TimeStrToUnix TimeSub TimeToStr TimeToTimeStr TimeToUnix TimeTrunc Timestamp
TimestampAdd TimestampDiff TimestampFromParts TimestampLtzFromParts TimestampSub TimestampTrunc TimestampTzFromParts
ToDays TsOrDiToDi TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToDateStr TsOrDsToDatetime TsOrDsToTime TsOrDsToTimestamp
UnixDate UnixMicros UnixMillis UnixSeconds UnixToStr UnixToTime UnixToTimeStr UtcDate UtcTime UtcTimestamp Week
WeekOfYear WeekStart Year YearOfWeek YearOfWeekIso

Array ArrayAll ArrayAny ArrayAppend ArrayCompact ArrayConcat ArrayConstructCompact ArrayContainedBy ArrayContains
ArrayContainsAll ArrayDistinct ArrayExcept ArrayFilter ArrayFirst ArrayInsert ArrayIntersect ArrayLast ArrayMax ArrayMin
ArrayOverlaps ArrayPosition ArrayPrepend ArrayRemove ArrayRemoveAt ArrayReverse ArraySize ArraySlice ArraySort ArraySum
ArrayToString ArraysZip List Map MapCat MapContainsKey MapDelete MapFromEntries MapInsert MapKeys MapPick MapSize
ObjectInsert Reduce StarMap StrToMap Struct StructExtract ToArray ToMap ToVariant Transform VarMap
FromJson GetExtract GetIgnoreCase IsArray JSONArray JSONArrayAppend JSONArrayContains JSONArrayInsert JSONBContains
JSONBContainsAllTopKeys JSONBContainsAnyTopKeys JSONBContainsTopKey JSONBDeleteAtPath JSONBExists JSONBExtract
JSONBExtractScalar JSONBPathExists JSONBool JSONCast JSONExists JSONExtract JSONExtractArray JSONExtractScalar
JSONFormat JSONKeys JSONKeysAtDepth JSONObject JSONRemove JSONSet JSONStripNulls JSONType JSONValueArray LaxBool
LaxFloat64 LaxInt64 LaxString Float64 Int64 ParseBignumeric ParseJSON ParseNumeric CheckJson StripNullValue
StDistance StPoint
Factorial
ApproxPercentileAccumulate ApproxPercentileCombine ApproxTopKAccumulate ApproxTopKCombine ApproxTopKEstimate
ApproximateSimilarity Minhash MinhashCombine BitmapBitPosition BitmapBucketNumber BitmapConstructAgg BitmapCount
BitmapOrAgg Collation Normal Uniform Zipf Seq1 Seq2 Seq4 Seq8 ParseIp Shuffle TryHexDecodeBinary
"""

# Rows out of one value. These, and the series, may also stand where a table stands.
EXPANDERS: frozenset[type[exp.Expr]] = types_named(
    "Unnest Explode Posexplode Inline JSONTable OpenJSON Flatten ExplodeOuter PosexplodeOuter SplitToTable "
    "StrtokSplitToTable"
)
SERIES: frozenset[type[exp.Expr]] = types_named(
    "GenerateSeries ExplodingGenerateSeries GenerateDateArray GenerateTimestampArray Generator"
)

TYPED: frozenset[type[exp.Expr]] = types_named(_NAMES) | EXPANDERS | SERIES


# Parts of the grammar that look like functions and that no catalogue lists, where the catalogue is else complete.
_CONSTRUCTS = {
    "duckdb": "all any cast coalesce columns extract grouping grouping_id if ifnull nullif try_cast unnest",
    "sqlite": "cast coalesce ifnull iif nullif",
    "postgres": "all any coalesce current_date current_time current_timestamp greatest grouping json json_array "
    "json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize json_table json_value "
    "least localtime localtimestamp nullif row some trim",
}


@dataclass(frozen=True, slots=True)
class Functions:
    """`callable` may be called; `unreviewed` are there, but nobody has looked at them."""

    callable: frozenset[str]
    unreviewed: frozenset[str]


@lru_cache(maxsize=64)
def functions_of(dialect: str, live: frozenset[str] | None) -> Functions:
    """What may be called in `dialect`; `live` is the engine's own catalogue in lower case, where it can be asked."""
    reviewed = frozenset(name for name in REVIEWED[dialect] if not denied_reason(name))
    if not live:
        return Functions(reviewed, frozenset())
    constructs = _CONSTRUCTS.get(dialect)
    if constructs is None:
        return Functions(reviewed, live - reviewed)
    return Functions(reviewed & live.union(constructs.split()), live - reviewed)
