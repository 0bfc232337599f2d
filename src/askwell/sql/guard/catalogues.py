"""Functions of dialects whose catalogue is not at hand.

For DuckDB and SQLite the engine itself is asked (`Engine.functions`). For the others this is a reviewed selection of
what analysts use and what the parser does not know by type; a function that is missing here is refused as unknown.
"""

from __future__ import annotations

_POSTGRES = """
abs age array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions
array_prepend array_remove array_replace array_to_json array_to_string array_to_tsvector array_upper ascii bit_count
bit_length btrim cardinality ceiling chr clock_timestamp concat_ws convert_from convert_to cosd cume_dist date_add
date_bin date_part date_subtract date_trunc decode div encode erf erfc every format gcd get_bit get_byte initcap
isempty isfinite json_agg json_array_elements json_array_elements_text json_array_length json_build_array
json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object json_object_agg
json_object_keys json_populate_record json_scalar json_strip_nulls json_to_record json_to_recordset json_typeof
jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object
jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg
jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first
jsonb_pretty jsonb_set jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days justify_hours
justify_interval lcm log10 lower_inc lower_inf ltrim make_date make_interval make_time make_timestamp make_timestamptz
min_scale num_nonnulls num_nulls numrange daterange int4range int8range tsrange tstzrange octet_length parse_ident
phraseto_tsquery plainto_tsquery power quote_ident quote_literal quote_nullable random range_agg range_merge
regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
regexp_split_to_table regexp_substr reverse round row_to_json rtrim scale setweight sha224 sha256 sha384 sha512 sind
sinh split_part starts_with string_to_array string_to_table strip strpos substr tand timeofday timezone to_ascii
to_char to_date to_hex to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector transaction_timestamp
statement_timestamp translate trim_array trim_scale ts_headline ts_rank ts_rank_cd tsvector_to_array unaccent
similarity word_similarity soundex metaphone dmetaphone levenshtein upper_inc upper_inf websearch_to_tsquery
width_bucket bool_and bool_or bit_and bit_or bit_xor corr covar_pop covar_samp mode percentile_cont percentile_disc
regr_slope regr_intercept regr_r2 stddev variance gen_random_uuid
"""

_MYSQL = """
abs adddate addtime bin bit_count bit_length bit_and bit_or bit_xor ceiling char_length character_length concat_ws
conv convert_tz crc32 curdate curtime date_format dayname dayofmonth dayofweek dayofyear elt field find_in_set format
format_bytes format_pico_time from_days from_unixtime get_format greatest hex hour ifnull inet6_aton inet6_ntoa
inet_aton inet_ntoa insert instr interval is_ipv4 is_ipv6 is_uuid isnull json_array json_array_append
json_array_insert json_arrayagg json_contains json_contains_path json_depth json_exists json_extract json_insert
json_keys json_length json_merge_patch json_merge_preserve json_object json_objectagg json_overlaps json_pretty
json_quote json_remove json_replace json_schema_valid json_search json_set json_storage_size json_type json_unquote
json_valid json_value last_day lcase locate log10 log2 ltrim makedate maketime make_set microsecond mid minute mod
month monthname now nullif oct octet_length ord period_add period_diff position pow power quarter quote radians rand
regexp_instr regexp_like regexp_replace regexp_substr rtrim sec_to_time second sha1 sha2 soundex std stddev stddev_pop
stddev_samp str_to_date strcmp subdate substr substring_index subtime sysdate time_format time_to_sec timediff
timestampadd timestampdiff to_base64 to_days to_seconds truncate ucase uncompressed_length unix_timestamp utc_date
utc_time utc_timestamp uuid uuid_short uuid_to_bin bin_to_uuid var_pop var_samp variance week weekday weekofyear
yearweek any_value percentile_cont median
"""

_TRINO = """
abs all_match any_match approx_distinct approx_most_frequent approx_percentile approx_set arbitrary array_agg
array_average array_distinct array_except array_frequency array_histogram array_intersect array_join array_max
array_min array_position array_remove array_sort array_sum array_union arrays_overlap at_timezone bar beta_cdf
bing_tile bit_count bitwise_and bitwise_and_agg bitwise_left_shift bitwise_not bitwise_or bitwise_or_agg
bitwise_right_shift bitwise_xor bitwise_xor_agg bool_and bool_or cardinality ceiling char2hexint checksum chr
codepoint color combinations concat_ws contains contains_sequence convex_hull_agg cosine_similarity count_if crc32
date date_add date_diff date_format date_parse date_trunc day day_of_month day_of_week day_of_year degrees dow doy e
element_at empty_approx_set every filter flatten format format_datetime format_number from_base from_base32
from_base64 from_base64url from_big_endian_32 from_big_endian_64 from_hex from_ieee754_32 from_ieee754_64
from_iso8601_date from_iso8601_timestamp from_iso8601_timestamp_nanos from_unixtime from_unixtime_nanos from_utf8
geometric_mean great_circle_distance hamming_distance hash_counts histogram hmac_md5 hmac_sha256 hour
human_readable_seconds infinity intersection_cardinality inverse_beta_cdf inverse_normal_cdf is_finite is_infinite
is_json_scalar is_nan jaccard_index json_array_contains json_array_get json_array_length json_exists json_extract
json_extract_scalar json_format json_parse json_query json_size json_value kurtosis last_day_of_month length
levenshtein_distance listagg ln log log10 log2 lower ltrim luhn_check make_set_digest map map_agg map_concat
map_entries map_filter map_from_entries map_keys map_union map_values map_zip_with max_by md5 merge min_by millisecond
minute mod month multimap_agg multimap_from_entries murmur3 nan ngrams none_match normal_cdf normalize now
numeric_histogram parse_data_size parse_datetime parse_duration pi pow power qdigest_agg quantile_at_value quarter
radians random reduce reduce_agg regexp_count regexp_extract regexp_extract_all regexp_like regexp_position
regexp_replace regexp_split regr_intercept regr_slope replace reverse round rtrim second sequence sha1 sha256 sha512
shuffle sign simplify_geometry skewness slice soundex spatial_partitioning split split_part split_to_map
split_to_multimap spooky_hash_v2_32 spooky_hash_v2_64 sqrt st_distance st_point starts_with strpos substr substring
sum tdigest_agg timestamp_objectid timezone_hour timezone_minute to_base to_base32 to_base64 to_big_endian_32 to_char
to_date to_hex to_ieee754_32 to_iso8601 to_milliseconds to_timestamp to_unixtime to_utf8 transform transform_keys
transform_values translate trim trim_array truncate typeof upper url_decode url_encode url_extract_fragment
url_extract_host url_extract_parameter url_extract_path url_extract_port url_extract_protocol url_extract_query
value_at_quantile values_at_quantiles week week_of_year width_bucket wilson_interval_lower wilson_interval_upper
with_timezone word_stem xxhash64 year year_of_week yow zip zip_with
"""

_BIGQUERY = """
abs approx_count_distinct approx_quantiles approx_top_count approx_top_sum array_concat array_first array_includes
array_last array_length array_reverse array_slice array_to_string bit_and bit_count bit_or bit_xor bool byte_length
ceiling char_length character_length chr code_points_to_bytes code_points_to_string collate contains_substr
cosine_distance count_if countif date_add date_diff date_from_unix_date date_sub date_trunc datetime_add datetime_diff
datetime_sub datetime_trunc div edit_distance ends_with extract farm_fingerprint float64 format format_date
format_datetime format_time format_timestamp from_base32 from_base64 from_hex generate_uuid greatest ieee_divide
initcap instr int64 is_inf is_nan json_array json_extract json_extract_array json_extract_scalar
json_extract_string_array json_keys json_object json_query json_query_array json_remove json_set json_strip_nulls
json_type json_value json_value_array justify_days justify_hours justify_interval last_day lax_bool lax_float64
lax_int64 lax_string left length log10 logical_and logical_or lower ltrim make_interval max_by md5 min_by mod
normalize normalize_and_casefold octet_length parse_bignumeric parse_date parse_datetime parse_json parse_numeric
parse_time parse_timestamp percentile_cont percentile_disc pow power range_bucket regexp_contains regexp_extract
regexp_extract_all regexp_instr regexp_replace regexp_substr replace reverse right round rtrim safe_add safe_cast
safe_convert_bytes_to_string safe_divide safe_multiply safe_negate safe_subtract sha1 sha256 sha512 sign soundex split
st_area st_astext st_contains st_distance st_dwithin st_geogfromtext st_geogpoint st_intersects st_length st_within
st_x st_y starts_with string strpos substr substring time_add time_diff time_sub time_trunc timestamp_add
timestamp_diff timestamp_micros timestamp_millis timestamp_seconds timestamp_sub timestamp_trunc to_base32 to_base64
to_code_points to_hex to_json to_json_string translate trim trunc unicode unix_date unix_micros unix_millis
unix_seconds upper
"""

_SNOWFLAKE = """
abs add_months any_value approx_count_distinct approx_percentile approx_top_k array_agg array_append array_cat
array_compact array_construct array_construct_compact array_contains array_distinct array_except array_flatten
array_insert array_intersection array_max array_min array_position array_prepend array_remove array_size array_slice
array_sort array_to_string array_unique_agg arrays_overlap arrays_to_object as_array as_boolean as_char as_date
as_decimal as_double as_integer as_number as_object as_varchar bitand bitor bitxor bitand_agg bitor_agg booland_agg
boolor_agg boolxor_agg ceil charindex chr collate concat_ws conditional_change_event conditional_true_event contains
convert_timezone count_if date_from_parts date_part date_trunc dateadd datediff dayname decode div0 div0null
editdistance endswith equal_null get get_ignore_case get_path greatest_ignore_nulls haversine hex_encode
hex_decode_string hour iff ilike_any insert is_array is_boolean is_char is_date is_decimal is_double is_integer
is_null_value is_object is_timestamp_ntz is_varchar jarowinkler_similarity kurtosis last_day least_ignore_nulls len
like_any like_all listagg ltrim max_by md5 median min_by minute mode month monthname months_between next_day
nullifzero nvl nvl2 object_agg object_construct object_construct_keep_null object_delete object_insert object_keys
object_pick parse_json parse_url percentile_cont percentile_disc previous_day quarter ratio_to_report regexp_count
regexp_instr regexp_like regexp_replace regexp_substr regexp_substr_all regr_slope regr_valx regr_valy rlike round
rtrim rtrimmed_length second sha1 sha2 skew soundex split split_part split_to_table square startswith strip_null_value
strtok strtok_to_array sysdate time_from_parts time_slice timeadd timediff timestamp_from_parts
timestamp_ntz_from_parts timestampadd timestampdiff to_array to_binary to_boolean to_char to_date to_decimal to_double
to_json to_number to_numeric to_object to_time to_timestamp to_timestamp_ltz to_timestamp_ntz to_timestamp_tz
to_varchar to_variant translate trunc truncate try_cast try_parse_json try_to_boolean try_to_date try_to_decimal
try_to_double try_to_number try_to_numeric try_to_time try_to_timestamp try_to_timestamp_ntz typeof unicode
uuid_string week weekiso weekofyear width_bucket year yearofweek yearofweekiso zeroifnull dayofweekiso dayofweek
dayofyear hll corr covar_pop covar_samp
"""

_TSQL = """
abs approx_count_distinct ascii atn2 avg bit_count ceiling charindex checksum_agg choose concat concat_ws cot
count_big cume_dist current_timezone current_timezone_id date_bucket datalength dateadd datediff datediff_big
datefromparts datename datepart datetime2fromparts datetimefromparts datetimeoffsetfromparts datetrunc day difference
eomonth first_value format getdate getutcdate greatest iif isdate isjson isnull isnumeric json_array json_object
json_path_exists json_query json_value lag last_value lead least left len log10 lower ltrim max min month nchar newid
ntile nullif parse parsename patindex percent_rank percentile_cont percentile_disc power quotename radians rand rank
regexp_like regexp_replace regexp_substr replace reverse right round row_number rtrim sign smalldatetimefromparts
soundex square stdev stdevp str string_agg string_escape string_split stuff substring switchoffset sysdatetime
sysdatetimeoffset sysutcdatetime timefromparts todatetimeoffset translate trim try_cast try_convert try_parse unicode
upper var varp year
"""

BUNDLED: dict[str, frozenset[str]] = {
    dialect: frozenset(names.split())
    for dialect, names in (
        ("postgres", _POSTGRES),
        ("mysql", _MYSQL),
        ("trino", _TRINO),
        ("bigquery", _BIGQUERY),
        ("snowflake", _SNOWFLAKE),
        ("tsql", _TSQL),
    )
}
