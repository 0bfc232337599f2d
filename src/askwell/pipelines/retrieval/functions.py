"""Functions worth telling a language model about: those that dialects differ in, and that this engine has."""

from __future__ import annotations

_WORTH_TELLING = """
    abs age array_agg avg bool_and bool_or ceil ceiling coalesce concat concat_ws contains count current_date
    current_timestamp date date_add date_bin date_diff date_format date_part date_sub date_trunc datediff datepart
    datetime day dayname dayofmonth dayofweek dayofyear dense_rank epoch extract first_value floor format group_concat
    hour ifnull iif instr json_array_length json_each json_extract json_extract_path_text json_extract_string julianday
    lag last_day last_value lead left length lower ltrim make_date max median min minute month monthname now ntile
    nullif percentile_cont percentile_disc position power quantile_cont quarter rank regexp_extract
    regexp_matches regexp_replace replace right round row_number rtrim second split_part sqrt starts_with stddev
    str_to_date strftime string_agg
    strptime strpos substr substring sum time to_char to_date to_timestamp trim try_cast unixepoch upper
    variance week weekday year
"""
_NAMES = tuple(_WORTH_TELLING.split())


def functions_worth_telling(known: frozenset[str]) -> tuple[str, ...]:
    """The ones of a reviewed list that an engine has, in alphabetical order."""
    return tuple(name for name in _NAMES if name in known)
