"""BigQuery's functions that were reviewed: they read their arguments and nothing else.

Left out on purpose: what calls a model or another service (`AI`, `ML`, `EXTERNAL_QUERY`, `SEARCH` over tables), keys
and encryption, sessions, and routines of data sets.
"""

from __future__ import annotations

NAMES = """
abs acos acosh any_value approx_count_distinct approx_quantiles approx_top_count approx_top_sum array array_agg
array_concat array_concat_agg array_filter array_first array_includes array_includes_all array_includes_any
array_is_distinct array_last array_length array_max array_min array_offset array_offsets array_reverse array_slice
array_to_string array_transform array_zip ascii asin asinh atan atan2 atanh avg bag_concat bit_and bit_cast_to_int32
bit_count bit_or bit_xor bool bool_array byte_length cast cbrt ceil ceiling char_length character_length chr coalesce
code_points_to_bytes code_points_to_string collate concat contains_substr corr cos cosh cosine_distance cot coth count
count_if countif covar_pop covar_samp csc csch cume_dist current_date current_datetime current_time current_timestamp
date date_add date_bucket date_diff date_from_unix_date date_sub date_trunc datetime datetime_add datetime_bucket
datetime_diff datetime_sub datetime_trunc dense_rank div edit_distance ends_with euclidean_distance exp extract
farm_fingerprint first_value flatten float64 float64_array floor format format_date format_datetime format_time
format_timestamp from_base32 from_base64 from_hex generate_array generate_date_array
generate_timestamp_array generate_uuid greatest grouping ieee_divide if ifnull initcap instr int64 int64_array is_inf
is_nan json_array json_array_append json_array_insert json_contains json_extract json_extract_array
json_extract_scalar json_extract_string_array json_flatten json_keys json_object json_query json_query_array
json_remove json_set json_strip_nulls json_type json_value json_value_array justify_days justify_hours
justify_interval lag last_day last_value lax_bool lax_bool_array lax_float64 lax_float64_array lax_int64
lax_int64_array lax_string lax_string_array lead least left length ln log log10 logical_and logical_or lower lpad
ltrim make_interval max max_by md5 min min_by mod normalize normalize_and_casefold nth_value ntile nullif nullifzero
octet_length offset ordinal parse_bignumeric parse_date parse_datetime parse_json parse_numeric parse_time
parse_timestamp percent_rank percentile_cont percentile_disc pow power rand range range_bucket range_contains
range_end range_intersect range_overlaps range_sessionize range_start rank regexp_contains regexp_extract
regexp_extract_all regexp_instr regexp_replace regexp_substr repeat replace reverse right round row_number rpad rtrim
s2_cellidfrompoint s2_coveringcellids safe_add safe_cast safe_convert_bytes_to_string safe_divide safe_multiply
safe_negate safe_offset safe_ordinal safe_subtract sec sech session_window sha1 sha256 sha512 sign sin sinh soundex
split sqrt st_area st_asgeojson st_astext st_azimuth st_boundary st_boundingbox st_buffer st_centroid st_closestpoint
st_clusterdbscan st_contains st_convexhull st_coveredby st_covers st_difference st_dimension st_disjoint st_distance
st_dwithin st_endpoint st_equals st_geogfrom st_geogfromgeojson st_geogfromtext st_geogpoint st_geohash
st_geometrytype st_intersection st_intersects st_isclosed st_iscollection st_isempty st_length st_linelocatepoint
st_makeline st_makepolygon st_maxdistance st_npoints st_numpoints st_perimeter st_pointn st_simplify st_snaptogrid
st_startpoint st_touches st_union st_union_agg st_within st_x st_y starts_with stddev stddev_pop stddev_samp string
string_agg string_array strpos struct substr substring sum tan tanh time time_add time_diff time_sub time_trunc
timestamp timestamp_add timestamp_bucket timestamp_diff timestamp_micros timestamp_millis timestamp_seconds
timestamp_sub timestamp_trunc to_base32 to_base64 to_code_points to_hex to_json to_json_string translate trim trunc
unicode unix_date unix_micros unix_millis unix_seconds unnest upper var_pop var_samp variance zeroifnull
"""

# Functions with a place before their name.
NAMESPACES = {
    "hll_count": "extract init merge merge_partial",
    "net": "host ip_from_string ip_net_mask ip_to_string ip_trunc ipv4_from_int64 ipv4_to_int64 public_suffix "
    "reg_domain safe_ip_from_string",
    "kll_quantiles": "extract_float64 extract_int64 extract_point_float64 extract_point_int64 init_float64 init_int64 "
    "merge_float64 merge_int64 merge_partial merge_point_float64 merge_point_int64",
}
