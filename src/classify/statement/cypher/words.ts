const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

/** Functions that only compute or look something up, in lower case. What has another namespace is a user's or a plugin's. */
export const PURE_FUNCTIONS = setOf(`
  abs acos asin atan atan2 avg btrim ceil ceiling char_length character_length coalesce collect cos cosh cot coth count
  date date.realtime date.statement date.transaction date.truncate datetime datetime.fromepoch datetime.fromepochmillis datetime.realtime
  datetime.statement datetime.transaction datetime.truncate degrees duration duration.between duration.indays duration.inmonths
  duration.inseconds e elementid endnode exists exp floor haversin head id isempty isnan keys labels last left length localdatetime
  localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate localtime localtime.realtime
  localtime.statement localtime.transaction localtime.truncate log log10 lower ltrim max min nodes normalize nullif percentilecont percentiledisc
  pi point point.distance point.withinbbox properties radians rand randomuuid range relationships replace reverse right round
  rtrim sign sin sinh size split sqrt startnode stdev stdevp substring sum tail tan tanh time time.realtime time.statement
  time.transaction time.truncate timestamp toboolean tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger
  tointegerlist tointegerornull tolower tostring tostringlist tostringornull toupper trim type upper valuetype
  vector.similarity.cosine vector.similarity.euclidean`);

/** Procedures that only look something up, in lower case. */
export const READING_PROCEDURES = setOf(`
  db.labels db.relationshiptypes db.propertykeys db.indexes db.indexdetails db.constraints db.info db.ping
  db.schema.visualization db.schema.nodetypeproperties db.schema.reltypeproperties
  db.index.fulltext.querynodes db.index.fulltext.queryrelationships db.index.vector.querynodes db.index.vector.queryrelationships
  db.index.fulltext.listavailableanalyzers dbms.components dbms.procedures dbms.functions dbms.info`);

/** What SHOW may be followed by; nothing else than these words stands between it and YIELD or WHERE. */
export const SHOWN = setOf(`
  all built in user defined default home current executable by functions function procedures procedure indexes index constraints constraint
  databases database fulltext vector range text point lookup unique uniqueness key existence exist node relationship rel property type`);

/** Words that stand for no variable unless they are quoted: the grammar's own, and those that begin a clause which does more than reading. */
export const RESERVED = setOf(`
  all and as asc ascending by call case contains desc descending detach distinct else false for foreach from in is limit load match not
  null offset on optional or order profile return skip then true union unwind use using when where with xor yield
  create delete drop explain finish insert let merge nodetach remove set terminate`);

/** Functions of which the parentheses hold `x IN list WHERE ..`. */
export const PREDICATES = setOf('all any none single');

/** Words that are followed by a query, or a pattern, in braces. */
export const SUBQUERIES = setOf('exists count collect');

export const CONSTANTS = setOf('true false null');

/** Operators between two operands; a minus may also begin a relationship. */
export const BINARY_SYMBOLS = setOf('+ - * / % ^ = <> < > <= >= =~ ||');
export const BINARY_WORDS = setOf('and or xor in contains');
