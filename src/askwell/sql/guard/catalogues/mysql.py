"""MySQL's and MariaDB's functions that were reviewed: they read their arguments and nothing else.

Neither lists all of its own functions, so this is all that is known; what a server lacks, it says itself. Left out on
purpose: locks, sleeping, files, sessions, encryption, XML, and whatever people wrote themselves.
"""

from __future__ import annotations

NAMES = """
abs acos add_months adddate addtime any_value ascii asin atan atan2 avg bin bin_to_uuid bit_and bit_count bit_length
bit_or bit_xor cast ceil ceiling char char_length character_length charset chr coalesce coercibility collation
column_check column_exists column_get column_json column_list concat concat_ws conv convert convert_tz cos cot count
crc32 crc32c cume_dist curdate current_date current_time current_timestamp curtime date date_add date_format date_sub
datediff day dayname dayofmonth dayofweek dayofyear degrees dense_rank elt exp extract field find_in_set first_value
floor format format_bytes format_pico_time from_base64 from_days from_unixtime get_format greatest group_concat
grouping hex hour if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr interval is_ipv4 is_ipv4_compat
is_ipv4_mapped is_ipv6 is_uuid isnull json_array json_array_append json_array_insert json_array_intersect
json_arrayagg json_compact json_contains json_contains_path json_depth json_detailed json_equals json_exists
json_extract json_insert json_key_value json_keys json_length json_loose json_merge json_merge_patch
json_merge_preserve json_normalize json_object json_object_filter_keys json_object_to_array json_objectagg
json_overlaps json_pretty json_query json_quote json_remove json_replace json_schema_valid json_search json_set
json_storage_size json_table json_type json_unquote json_valid json_value lag last_day last_value lcase lead least
left length lengthb ln localtime localtimestamp locate log log10 log2 lower lpad ltrim make_set makedate maketime max
md5 median microsecond mid min minute mod month monthname months_between natural_sort_key now nth_value ntile nullif
nvl nvl2 oct octet_length ord percent_rank percentile_cont percentile_disc period_add period_diff pi point position
pow power quarter quote radians rand rank regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse
right round row row_number rpad rtrim sec_to_time second sha sha1 sha2 sign sin soundex space sqrt st_area
st_asgeojson st_astext st_centroid st_contains st_distance st_distance_sphere st_geomfromtext st_intersects st_length
st_within st_x st_y std stddev stddev_pop stddev_samp str_to_date strcmp subdate substr substring substring_index
subtime sum sysdate tan time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_char
to_date to_days to_number to_seconds trim trunc truncate ucase unhex unix_timestamp upper utc_date utc_time
utc_timestamp uuid uuid_to_bin uuid_v4 uuid_v7 var_pop var_samp variance week weekday weekofyear
weight_string year yearweek
"""
