const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const SET_OPERATORS = setOf('union intersect except minus');
export const QUERY_STARTS = setOf('select with values');
export const JOINS = setOf('join inner left right full cross natural');
export const BINARY_WORDS = setOf('and or xor div mod like ilike rlike regexp glob match between escape');
export const NEGATABLE = setOf('like ilike rlike regexp glob match between in similar');
export const PREFIX_OPERATORS = new Set(['+', '-', '~']);
export const NOT_BINARY = new Set(['(', ')', ',', '.', ';', '[', ']', '::']);
export const QUANTIFIERS = setOf('any all some');
export const VALUE_WORDS = setOf(
  'null true false current_date current_time current_timestamp localtime localtimestamp default unknown',
);
export const UNITS = setOf(
  `microsecond second minute hour day week month quarter year minute_second hour_minute hour_second day_hour day_minute day_second
    year_month`.replaceAll(/\s+/g, ' '),
);
export const LITERAL_TYPES = setOf('date time timestamp timestamptz');
export const FRAMES = setOf('rows range groups');
