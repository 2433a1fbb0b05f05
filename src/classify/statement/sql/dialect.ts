import type { SqlDialect } from '../../../base/protocol/operation.js';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

/** Functions that only compute or look something up, and that mean so in every dialect. */
const COMMON_FUNCTIONS = `
  abs avg cast ceil ceiling coalesce concat concat_ws count cume_dist dense_rank exp extract first_value floor lag last_value lead length ln
  log lower ltrim max min mod nth_value ntile nullif percent_rank pi power rank replace round row_number rtrim sign sqrt substr
  substring sum trim upper acos asin atan atan2 cos cot degrees radians sin tan pow`;

const SQLITE_FUNCTIONS = `
  acosh asinh atanh cosh sinh tanh log10 log2 trunc char glob group_concat hex ifnull iif if instr json json_array json_array_length
  json_each json_extract json_group_array json_group_object json_object json_patch json_pretty json_quote json_remove
  json_replace json_set json_insert json_tree json_type json_valid likelihood likely unlikely like octet_length printf format
  quote random randomblob soundex string_agg total typeof unhex unicode unistr zeroblob date time datetime julianday
  strftime unixepoch timediff last_insert_rowid changes total_changes sqlite_version sqlite_source_id bm25 highlight snippet
  generate_series jsonb jsonb_array jsonb_extract jsonb_object jsonb_group_array jsonb_group_object
  pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info pragma_index_xinfo
  pragma_foreign_key_list pragma_database_list pragma_collation_list pragma_compile_options pragma_function_list
  pragma_module_list pragma_query_only`;

const POSTGRESQL_FUNCTIONS = `
  acosh asinh atanh cosh sinh tanh cbrt div factorial gcd lcm log10 trunc width_bucket random scale min_scale
  trim_scale ascii bit_length btrim char_length character_length chr format initcap left lpad md5 octet_length overlay position
  row quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
  regexp_split_to_array regexp_split_to_table regexp_substr repeat reverse right rpad split_part starts_with string_to_array
  string_to_table strpos to_hex translate unistr sha224 sha256 sha384 sha512 encode decode get_bit get_byte
  age clock_timestamp date_bin date_part date_trunc isfinite justify_days justify_hours justify_interval make_date
  make_interval make_time make_timestamp make_timestamptz now statement_timestamp timeofday transaction_timestamp to_char to_date
  to_number to_timestamp array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims
  array_position array_positions array_prepend array_remove array_replace array_to_string array_upper cardinality
  trim_array unnest generate_series generate_subscripts bit_and bit_or bit_xor bool_and bool_or every string_agg corr covar_pop
  covar_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop
  stddev_samp variance var_pop var_samp mode percentile_cont percentile_disc grouping greatest least num_nulls num_nonnulls
  to_json to_jsonb array_to_json row_to_json json_build_array jsonb_build_array json_build_object jsonb_build_object json_object
  jsonb_object json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_array_length
  jsonb_array_length json_each jsonb_each json_each_text jsonb_each_text json_extract_path jsonb_extract_path
  json_extract_path_text jsonb_extract_path_text json_object_keys jsonb_object_keys json_strip_nulls
  jsonb_strip_nulls json_typeof jsonb_typeof jsonb_set jsonb_insert jsonb_path_exists jsonb_path_match jsonb_path_query
  jsonb_path_query_array jsonb_path_query_first jsonb_pretty json_agg jsonb_agg json_object_agg jsonb_object_agg
  to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline
  gen_random_uuid uuidv4 uuidv7 host masklen network family isempty lower_inc upper_inc lower_inf upper_inf range_merge daterange int4range
  int8range numrange tsrange tstzrange version current_database current_schema current_schemas current_setting pg_typeof
  pg_column_size pg_database_size pg_indexes_size pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size
  pg_get_constraintdef pg_get_expr pg_get_functiondef pg_get_indexdef pg_get_ruledef pg_get_triggerdef pg_get_userbyid
  pg_get_viewdef pg_get_serial_sequence format_type obj_description col_description shobj_description
  has_table_privilege has_column_privilege has_any_column_privilege has_schema_privilege has_database_privilege has_sequence_privilege
  has_function_privilege pg_has_role pg_table_is_visible to_regclass to_regtype to_regproc pg_backend_pid pg_postmaster_start_time pg_is_in_recovery`;

const MYSQL_FUNCTIONS = `
  adddate addtime ascii bin bin_to_uuid bit_and bit_count bit_length bit_or bit_xor char char_length character_length
  charset coercibility collation conv convert convert_tz crc32 curdate current_role curtime database date date_add date_format date_sub datediff day
  dayname dayofmonth dayofweek dayofyear elt export_set extract field find_in_set format format_bytes from_base64 from_days
  from_unixtime get_format greatest group_concat grouping hex hour if ifnull inet6_aton inet6_ntoa inet_aton
  inet_ntoa instr interval isnull is_ipv4 is_ipv6 is_uuid json_array json_arrayagg json_array_append json_array_insert json_contains
  json_contains_path json_depth json_extract json_insert json_keys json_length json_merge_patch json_merge_preserve
  json_object json_objectagg json_overlaps json_pretty json_quote json_remove json_replace json_search json_set
  json_storage_size json_type json_unquote json_valid json_value last_day lcase least left locate log10 log2 lpad
  make_set makedate maketime md5 microsecond mid minute month monthname now octet_length oct ord period_add period_diff
  position quarter quote rand regexp_instr regexp_like regexp_replace regexp_substr repeat reverse right row rpad schema
  sec_to_time second sha sha1 sha2 soundex space std stddev stddev_pop stddev_samp str_to_date strcmp subdate
  substring_index subtime sysdate time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64
  to_days to_seconds truncate ucase unhex unix_timestamp utc_date utc_time utc_timestamp uuid uuid_to_bin values
  variance var_pop var_samp version week weekday weekofyear year yearweek any_value connection_id session_user system_user user
  current_user row_count found_rows st_astext st_distance st_distance_sphere st_geomfromtext st_within st_contains st_x st_y point`;

const common = COMMON_FUNCTIONS;

const FUNCTIONS: Readonly<Record<SqlDialect, ReadonlySet<string>>> = {
  sqlite: setOf(common + SQLITE_FUNCTIONS),
  postgresql: setOf(common + POSTGRESQL_FUNCTIONS),
  mysql: setOf(common + MYSQL_FUNCTIONS),
  mariadb: setOf(common + MYSQL_FUNCTIONS),
};

/** Whether a function of this name only computes in every dialect in question. */
export function isPureFunction(name: string, dialects: readonly SqlDialect[]): boolean {
  return dialects.every((dialect) => FUNCTIONS[dialect].has(name));
}

/**
 * Types that a value may be converted to: a type of the database's own users has functions of theirs. Each is one word; the words of
 * a longer name follow each other.
 */
export const PURE_TYPES = setOf(`
  bigint int integer smallint tinyint mediumint int2 int4 int8 numeric decimal dec real float float4 float8 double precision text
  varchar nvarchar char nchar character varying boolean bool date time timetz timestamp timestamptz datetime interval
  year json jsonb uuid bytea blob binary varbinary inet cidr macaddr money signed unsigned name oid regclass regtype tsvector
  tsquery bit int4range int8range numrange daterange tsrange tstzrange any`);

/**
 * Words that stand for no table, column or alias unless they are quoted. The first lines are the grammar's; the others begin or
 * mark what does more than reading in some dialect.
 */
export const RESERVED = setOf(`
  all and any as asc between both by case cast collate cross current_date current_time current_timestamp desc distinct else
  end escape except exists extract false fetch filter for from full group having ilike in inner intersect is isnull join lateral
  leading left like limit localtime localtimestamp minus natural not notnull null offset on or order outer over partition qualify
  regexp right rlike select similar some then to trailing true union unique using values when where window with
  alter analyse analyze attach call create deallocate delete detach drop dumpfile exec execute explain grant handler insert into
  lock merge outfile pragma procedure reindex revoke returning set truncate update upsert vacuum`);

/**
 * Words that begin a statement in products which need no semicolon between statements. They are names, but without AS none of them is
 * read as the alias of what stands before.
 */
export const STATEMENT_WORDS = setOf(`
  abort backup begin break bulk cascade checkpoint close cluster commit connect continue copy dbcc declare deny disable discard do
  dump enable flush go goto if import install kill listen load notify open prepare print purge raise raiserror readtext
  reassign reconfigure refresh release rename replace reset resignal restore return revert rollback savepoint share shutdown signal source start stop
  sync system tee throw trigger unlisten unload unlock unset updatetext use waitfor while writetext xa`);

/** Names that change a sequence in some product by being read. They count quoted too. */
export const SEQUENCE_NAMES = setOf('nextval currval lastval setval nextvalue');

/** Tables of SQLite, its shell and known extensions that are there without being made: they read files and raw pages, or send requests. */
export const EPONYMOUS_TABLES = setOf(
  'fsdir zipfile dbstat sqlite_dbpage sqlite_stmt sqlite_memstat bytecode tables_used fileio_ls fileio_scan lsdir lsmode http_do http_get http_post http_request http_headers_each define eval shell exec',
);

/** Tables that hold what proves an identity. Reading them changes nothing, but it is no everyday read. */
export const CREDENTIAL_TABLES = setOf(
  'pg_authid pg_shadow pg_user_mapping pg_user_mappings mysql.user mysql.global_priv',
);

/** What `PRAGMA name` shows, without an argument. */
export const READING_PRAGMAS = setOf(`
  application_id auto_vacuum busy_timeout cache_size collation_list compile_options data_version database_list encoding
  foreign_key_check foreign_keys freelist_count function_list journal_mode journal_size_limit max_page_count
  module_list page_count page_size pragma_list query_only read_uncommitted recursive_triggers schema_version
  synchronous table_list temp_store user_version wal_autocheckpoint integrity_check quick_check`);

/** Those that show something about their argument. */
export const DESCRIBING_PRAGMAS = setOf(`
  foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check table_info table_list table_xinfo`);

/** What `SHOW` may begin with. No `SHOW` changes anything; these are those that everybody needs. */
export const SHOWN = setOf(`
  all character charset collation columns count create databases engine engines errors extended fields full function global
  grants index indexes keys master plugins privileges processlist replica schemas search_path server_version session slave status
  storage table tables time timezone transaction triggers variables warnings max_connections datestyle
  default_transaction_isolation statement_timeout server_encoding client_encoding work_mem shared_buffers`);

const setOfWords = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const SET_OPERATORS = setOfWords('union intersect except minus');
export const QUERY_STARTS = setOfWords('select with values');
export const JOINS = setOfWords('join inner left right full cross natural');
export const BINARY_WORDS = setOfWords('and or xor div mod like ilike rlike regexp glob match between escape');
export const NEGATABLE = setOfWords('like ilike rlike regexp glob match between in similar');
export const PREFIX_OPERATORS = new Set(['+', '-', '~']);
export const NOT_BINARY = new Set(['(', ')', ',', '.', ';', '[', ']', '::']);
export const QUANTIFIERS = setOfWords('any all some');
export const VALUE_WORDS = setOfWords(
  'null true false current_date current_time current_timestamp localtime localtimestamp default unknown',
);
export const UNITS = setOfWords(
  `microsecond second minute hour day week month quarter year minute_second hour_minute hour_second day_hour day_minute day_second
    year_month`.replaceAll(/\s+/g, ' '),
);
export const LITERAL_TYPES = setOfWords('date time timestamp timestamptz');
export const FRAMES = setOfWords('rows range groups');
