"""What dialects write differently, by what a question may need it for: an example a line, with what it gives.

In the examples `day` is a date, `moment` a timestamp, `words` a text, `n` a number, `doc` JSON; the prompt says so. A
test runs each of them on its database. For dialects without examples there are names only.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Topic(StrEnum):
    """What a question may need functions for."""

    GENERAL = "general"
    DATES = "dates"
    TEXT = "text"
    SPREAD = "spread"
    RANKING = "ranking"
    LISTS = "lists"
    JSON = "json"


_RANKING = """
    row_number() OVER (PARTITION BY words ORDER BY n DESC): 1, 2, 3 … within each; for one row of each keep 1, outside
    rank() OVER (ORDER BY n DESC): the same place for equals, then a gap; dense_rank() has none
    lag(n) OVER (ORDER BY day): the value of the row before; lead(n) of the one after
    sum(n) OVER (ORDER BY day ROWS UNBOUNDED PRECEDING): running total
    avg(n) OVER (ORDER BY day ROWS 2 PRECEDING): moving average of three rows
    n * 100.0 / sum(n) OVER (): percent of all
    ntile(4) OVER (ORDER BY n): quarters of equal size
"""
_WHOLE_DIVISION = "1.0 * n / nullif(n, 0): a ratio; of two whole numbers it would be a whole number"

HINTS: Mapping[str, Mapping[Topic, str]] = {
    "duckdb": {
        Topic.GENERAL: """
            n / nullif(n, 0): a ratio; // is the division of whole numbers
            coalesce(n, 0): in place of an unknown value
            round(n, 2)
        """,
        Topic.DATES: """
            date_trunc('month', day): the first day of its month; also 'year', 'quarter', 'week', 'day', 'hour'
            extract(year FROM day): a number; also quarter, month, week, day, isodow (1 is Monday), hour
            day - INTERVAL 3 MONTH
            date_diff('day', day, moment): how many days the second is later; also 'month', 'hour' …
            strftime(day, '%Y-%m'): as text
            strptime(words, '%d.%m.%Y'): a timestamp from text
            dayname(day): the weekday's name
            monthname(day)
            last_day(day): of its month
            make_date(2024, 5, 1)
        """,
        Topic.TEXT: """
            lower(words) LIKE '%part%'
            starts_with(words, 'Ab')
            split_part(words, '@', 2): the second part
            regexp_matches(words, '[0-9]+'): whether it occurs
            regexp_extract(words, '[0-9]+'): what was found
            strpos(words, 'a'): the place, 0 for none
            substring(words, 1, 3)
            length(words)
            trim(words)
        """,
        Topic.SPREAD: """
            median(n)
            quantile_cont(n, 0.9): the 90th percentile
            stddev_samp(n)
            var_samp(n)
            corr(n, n): correlation
            mode(words): the most frequent value
        """,
        Topic.RANKING: _RANKING,
        Topic.LISTS: """
            string_agg(words, ', ' ORDER BY words): one text of many
            list(words ORDER BY words): one list of many
        """,
        Topic.JSON: """
            json_extract_string(doc, '$.path'): a field as text
            json_extract(doc, '$.path'): a field as JSON
            json_array_length(doc)
        """,
    },
    "sqlite": {
        Topic.GENERAL: f"""
            {_WHOLE_DIVISION}
            coalesce(n, 0): in place of an unknown value
            round(n, 2)
        """,
        Topic.DATES: """
            strftime('%Y-%m', day): its month as text; %Y year, %m month, %d day, %w weekday (0 is Sunday), %H hour
            date(day, 'start of month'): the first day of its month; also 'start of year'
            date(day, '-3 months'): also '+7 days', '-1 year'
            julianday(moment) - julianday(day): days between, with a fraction
            (CAST(strftime('%m', day) AS INTEGER) + 2) / 3: the quarter
            CAST(strftime('%Y', day) AS INTEGER): the year as a number
        """,
        Topic.TEXT: """
            lower(words) LIKE '%part%': LIKE takes no notice of upper and lower case
            words GLOB 'Ab*': takes notice of it
            instr(words, '@'): the place, 0 for none
            substr(words, instr(words, '@') + 1): what comes after it
            substr(words, 1, 3)
            length(words)
            replace(words, 'a', 'b')
            trim(words)
        """,
        Topic.SPREAD: """
            avg(n * n) - avg(n) * avg(n): the variance; there is no function for it, and sqrt may be missing
            ntile(100) OVER (ORDER BY n): percentiles; there is no median(): take the middle of row_number()
        """,
        Topic.RANKING: _RANKING,
        Topic.LISTS: "group_concat(words, ', '): one text of many",
        Topic.JSON: """
            json_extract(doc, '$.path'): a field
            json_array_length(doc)
        """,
    },
    "postgres": {
        Topic.GENERAL: f"""
            {_WHOLE_DIVISION}
            coalesce(n, 0): in place of an unknown value
            round(CAST(n AS NUMERIC), 2): only NUMERIC can be rounded to places
        """,
        Topic.DATES: """
            date_trunc('month', day): the first day of its month; also 'year', 'quarter', 'week', 'day', 'hour'
            extract(year FROM day): a number; also quarter, month, week, day, isodow (1 is Monday), hour
            day - INTERVAL '3 months'
            CAST(moment AS DATE) - day: days between
            extract(epoch FROM moment - day) / 3600: hours between
            to_char(day, 'YYYY-MM'): as text; 'FMDay' the weekday's name, 'FMMonth' the month's
            to_date(words, 'DD.MM.YYYY'): a date from text
            age(moment, day): years, months and days between
            make_date(2024, 5, 1)
        """,
        Topic.TEXT: """
            words ILIKE '%part%': takes no notice of upper and lower case
            starts_with(words, 'Ab')
            split_part(words, '@', 2): the second part
            words ~ '[0-9]+': whether a regular expression occurs
            substring(words FROM '[0-9]+'): what it found
            strpos(words, 'a'): the place, 0 for none
            "left"(words, 3)
            length(words)
            trim(words)
        """,
        Topic.SPREAD: """
            percentile_cont(0.5) WITHIN GROUP (ORDER BY n): the median; 0.9 the 90th percentile
            stddev_samp(n)
            var_samp(n)
            corr(n, n): correlation
            mode() WITHIN GROUP (ORDER BY words): the most frequent value
        """,
        Topic.RANKING: _RANKING,
        Topic.LISTS: """
            string_agg(words, ', ' ORDER BY words): one text of many
            array_agg(words ORDER BY words): one array of many
        """,
        Topic.JSON: """
            doc #>> '{path,to,field}': a field as text
            jsonb_array_length(doc)
        """,
    },
    "mysql": {
        Topic.GENERAL: """
            n / nullif(n, 0): a ratio
            coalesce(n, 0): in place of an unknown value
            round(n, 2)
        """,
        Topic.DATES: """
            date_format(day, '%Y-%m'): its month as text; '%Y-%m-01' the first day of it
            year(day): a number; also quarter(day), month(day), hour(moment)
            weekday(day): 0 is Monday
            day - INTERVAL 3 MONTH
            timestampdiff(DAY, day, moment): how many days the second is later; also MONTH, HOUR …
            str_to_date(words, '%d.%m.%Y'): a date from text
            dayname(day): the weekday's name
            last_day(day): of its month
        """,
        Topic.TEXT: """
            lower(words) LIKE '%part%'
            substring_index(words, '@', -1): what comes after the last one; 1 before the first
            words REGEXP '[0-9]+': whether it occurs
            regexp_substr(words, '[0-9]+'): what was found
            locate('a', words): the place, 0 for none
            concat(words, ' ', words): || is no concatenation here
            char_length(words)
            trim(words)
        """,
        Topic.SPREAD: """
            stddev_samp(n)
            var_samp(n)
            percent_rank() OVER (ORDER BY n): 0 to 1; there is no median(): take the middle of row_number()
        """,
        Topic.RANKING: _RANKING,
        Topic.LISTS: "group_concat(words ORDER BY words SEPARATOR ', '): one text of many",
        Topic.JSON: """
            json_unquote(json_extract(doc, '$.path')): a field as text
            json_length(doc)
        """,
    },
}

NAMES: Mapping[Topic, str] = {
    Topic.GENERAL: "coalesce nullif round iff iif ifnull cast try_cast",
    Topic.DATES: "current_date current_timestamp date_add date_diff date_format date_part date_sub date_trunc dateadd "
    "datediff datepart datetrunc day_of_week dayname dayofweek eomonth extract format_date last_day month monthname "
    "parse_date quarter to_char to_date week year",
    Topic.TEXT: "charindex contains endswith ends_with initcap left length len lower regexp_contains regexp_extract "
    "regexp_like regexp_replace regexp_substr replace right split_part starts_with startswith strpos substr substring "
    "trim upper",
    Topic.SPREAD: "approx_percentile approx_quantiles corr median percentile_cont percentile_disc stddev stddev_samp "
    "var_samp variance",
    Topic.RANKING: "dense_rank first_value lag last_value lead ntile rank row_number",
    Topic.LISTS: "array_agg array_join group_concat listagg string_agg",
    Topic.JSON: "get_path json_extract json_extract_scalar json_query json_value openjson parse_json",
}
