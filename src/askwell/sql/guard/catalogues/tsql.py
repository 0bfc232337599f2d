"""SQL Server's functions that were reviewed: they read their arguments and nothing else.

Left out on purpose: sessions, logins and permissions, metadata, errors of a batch, cryptography with keys, XML, and
whatever people wrote themselves.
"""

from __future__ import annotations

NAMES = """
abs acos any_value approx_count_distinct approx_percentile_cont approx_percentile_disc ascii asin atan atn2 avg
base64_decode base64_encode binary_checksum bit_count cast ceiling char charindex checksum checksum_agg choose
coalesce concat concat_ws convert cos cot count count_big cume_dist current_date current_timestamp current_timezone
current_timezone_id datalength date_bucket dateadd datediff datediff_big datefromparts datename datepart
datetime2fromparts datetimefromparts datetimeoffsetfromparts datetrunc day degrees dense_rank difference edit_distance
edit_distance_similarity eomonth exp first_value floor format generate_series get_bit getdate getutcdate greatest
grouping grouping_id hashbytes iif isdate isjson isnull isnumeric jaro_winkler_distance jaro_winkler_similarity
json_array json_arrayagg json_contains json_modify json_object json_objectagg json_path_exists json_query json_value
lag last_value lead least left left_shift len log log10 lower ltrim max min month nchar newid ntile nullif openjson
parse parsename patindex percent_rank percentile_cont percentile_disc pi power product quotename radians rand rank
regexp_count regexp_instr regexp_like regexp_matches regexp_replace regexp_split_to_table regexp_substr replace
replicate reverse right right_shift round row_number rtrim set_bit sign sin smalldatetimefromparts soundex space sqrt
square stdev stdevp str string_agg string_escape string_split stuff substring sum switchoffset sysdatetime
sysdatetimeoffset sysutcdatetime tan timefromparts todatetimeoffset translate trim try_cast try_convert try_parse
unicode unistr upper var varp vector_distance vector_norm vector_normalize year
"""
