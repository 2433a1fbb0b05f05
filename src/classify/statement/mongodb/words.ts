const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

const named = (words: string): readonly string[] => [...setOf(words)].map((word) => `$${word}`);

/** Stages of a pipeline that only read. */
export const STAGES: ReadonlySet<string> = new Set(
  named(`
    match project addFields set unset group sort limit skip unwind count facet bucket bucketAuto lookup graphLookup unionWith
    replaceRoot replaceWith sample sortByCount redact geoNear densify fill setWindowFields search searchMeta vectorSearch
    rankFusion scoreFusion listSearchIndexes collStats indexStats planCacheStats documents currentOp listSessions
    listLocalSessions`),
);

/** Operators that compare. */
const COMPARING = `
  eq ne gt gte lt lte in nin and or not nor exists type expr jsonSchema mod regex options text language caseSensitive
  diacriticSensitive comment all elemMatch size bitsAllClear bitsAllSet bitsAnyClear bitsAnySet geoIntersects geoWithin
  geometry near nearSphere maxDistance minDistance box center centerSphere polygon uniqueDocs rand sampleRate cmp`;

/** Operators that compute. `$function` and `$accumulator` run JavaScript, and so does `$where`. */
const COMPUTING = `
  abs add ceil divide exp floor ln log log10 multiply pow round sqrt subtract trunc arrayElemAt arrayToObject concatArrays
  filter first firstN indexOfArray isArray last lastN map maxN minN objectToArray range reduce reverseArray slice sortArray zip
  cond ifNull switch convert isNumber toBool toDate toDecimal toDouble toInt toLong toObjectId toString toUUID dateAdd dateDiff
  dateFromParts dateFromString dateSubtract dateToParts dateToString dateTrunc dayOfMonth dayOfWeek dayOfYear hour isoDayOfWeek
  isoWeek isoWeekYear millisecond minute month second week year literal mergeObjects getField setField unsetField
  allElementsTrue anyElementTrue setDifference setEquals setIntersection setIsSubset setUnion concat indexOfBytes indexOfCP
  ltrim regexFind regexFindAll regexMatch replaceOne replaceAll rtrim split strLenBytes strLenCP strcasecmp substr substrBytes
  substrCP toLower toUpper trim meta acos acosh asin asinh atan atan2 atanh cos cosh degreesToRadians radiansToDegrees sin sinh
  tan tanh bitAnd bitOr bitXor bitNot let binarySize bsonSize tsIncrement tsSecond toHashedIndexKey addToSet avg bottom bottomN
  max median min percentile push stdDevPop stdDevSamp sum top topN covariancePop covarianceSamp denseRank derivative
  documentNumber expMovingAvg integral linearFill locf rank shift minMaxScaler`;

/** Values in extended JSON. `$code` is JavaScript. */
const VALUES = `
  oid date numberInt numberLong numberDouble numberDecimal binary uuid timestamp regularExpression minKey maxKey symbol
  undefined ref id db`;

/** What the name of a member may be where it begins with a dollar sign; no stage or operator that writes or runs code is here. */
export const READING: ReadonlySet<string> = new Set([
  ...STAGES,
  ...named(COMPARING),
  ...named(COMPUTING),
  ...named(VALUES),
]);

/** What a member must be for the command, beside being a value that only reads. */
export type Demand = 'any' | 'document' | 'pipeline' | 'command' | 'collection';

const options = (words: string): readonly (readonly [string, Demand])[] =>
  [...setOf(words)].map((word) => [word, 'any'] as const);

const COMMON = options('comment maxTimeMS readConcern');
const COLLATED = options('collation hint');

const command = (
  name: string,
  subject: Demand,
  ...members: readonly (readonly [string, Demand])[]
): readonly [string, ReadonlyMap<string, Demand>] => [name, new Map([[name, subject], ...COMMON, ...members])];

/**
 * Commands that only read, with their members. The name of a command is the first member of its document; none of the other members
 * has the name of a command that writes, so that it does not matter if a server sorts them otherwise.
 */
export const COMMANDS: ReadonlyMap<string, ReadonlyMap<string, Demand>> = new Map([
  command(
    'find',
    'collection',
    ...COLLATED,
    ['filter', 'document'],
    ['projection', 'document'],
    ['sort', 'document'],
    ...options('skip limit batchSize singleBatch max min returnKey showRecordId allowDiskUse let'),
  ),
  command(
    'aggregate',
    'collection',
    ...COLLATED,
    ['pipeline', 'pipeline'],
    ['cursor', 'document'],
    ...options('explain allowDiskUse let'),
  ),
  command('count', 'collection', ...COLLATED, ['query', 'document'], ...options('limit skip')),
  command('distinct', 'collection', ...COLLATED, ['query', 'document'], ...options('key')),
  command('explain', 'command', ...options('verbosity')),
  command('listCollections', 'any', ['filter', 'document'], ...options('nameOnly authorizedCollections')),
  command('listIndexes', 'collection', ['cursor', 'document']),
  command('listDatabases', 'any', ['filter', 'document'], ...options('nameOnly authorizedDatabases')),
  command('collStats', 'collection', ...options('scale')),
  command('dbStats', 'any', ...options('scale freeStorage')),
  command('dataSize', 'collection', ...options('estimate')),
  ...'buildInfo buildinfo connectionStatus hello hostInfo isMaster ismaster ping serverStatus listCommands whatsmyuri'
    .split(' ')
    .map((name) => command(name, 'any')),
]);

/** Collections that hold what proves an identity. Reading them changes nothing, but it is no everyday read. */
export const CREDENTIAL_COLLECTION = /(?:^|\.)system\.(?:users|roles|keys|backup_users|new_users|preimages)$/i;
