import type { Effect } from './effects.js';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Two words that make one verb, in names (`roll_back`) and in sentences ("rolls back"), by the lemma they become. */
export const PHRASAL_VERBS: ReadonlyMap<string, string> = new Map([
  ['set up', 'setup'],
  ['check out', 'checkout'],
  ['look up', 'lookup'],
  ['shut down', 'shutdown'],
  ['clean up', 'cleanup'],
  ['tear down', 'teardown'],
  ['roll back', 'rollback'],
  ['roll out', 'rollout'],
  ['back up', 'backup'],
  ['log in', 'login'],
  ['log out', 'logout'],
  ['sign in', 'login'],
  ['sign out', 'logout'],
  ['sign up', 'register'],
  ['turn on', 'enable'],
  ['turn off', 'disable'],
  ['switch on', 'enable'],
  ['switch off', 'disable'],
  ['opt in', 'enable'],
  ['opt out', 'disable'],
  ['spin up', 'provision'],
  ['kick off', 'start'],
  ['cherry pick', 'cherrypick'],
  ['fine tune', 'finetune'],
  ['double click', 'click'],
  ['double tap', 'tap'],
  ['long press', 'press'],
  ['dry run', 'simulate'],
  ['hand off', 'handoff'],
  ['fail over', 'failover'],
  ['auto fix', 'autofix'],
  ['auto detect', 'autodetect'],
  ['re run', 'rerun'],
  ['check in', 'checkin'],
  ['check off', 'mark'],
  ['find replace', 'replace'],
  ['search replace', 'replace'],
  ['un archive', 'unarchive'],
  ['soft delete', 'delete'],
  ['hard delete', 'delete'],
  ['hard reset', 'reset'],
  ['health check', 'healthcheck'],
  ['take over', 'claim'],
  ['read write', 'write'],
]);

/** Where a verb means something else beside certain words. The first sense that fits wins over the verb's own effect. */
export const VERB_SENSES: readonly {
  readonly verb: string;
  readonly near: ReadonlySet<string>;
  readonly effect: Effect;
}[] = [
  {
    verb: 'generate',
    near: words(
      `chart charts diagram diagrams map maps graph plot histogram treemap spreadsheet summary preview schema snippet
        explanation uuid hash palette statistics insights suggestions qr`,
    ),
    effect: 'compute',
  },
  {
    verb: 'resolve',
    near: words('issue thread conflict comment alert incident ticket discussion finding alarm bug dispute task todo'),
    effect: 'update',
  },
  {
    verb: 'resolve',
    near: words(
      `id ids identifier name names library package address host hostname dns domain path url uri ref reference symbol
        option options alias coordinates location dependency dependencies`,
    ),
    effect: 'read',
  },
  { verb: 'drop', near: words('onto element drag cursor mouse'), effect: 'interact' },
  {
    verb: 'close',
    near: words('browser tab page window connection session app application dialog modal stream'),
    effect: 'lifecycle',
  },
  {
    verb: 'close',
    near: words('issue ticket pull request milestone deal case account epic position'),
    effect: 'update',
  },
  { verb: 'open', near: words('issue ticket pull request dispute case'), effect: 'create' },
  { verb: 'post', near: words('message messages tweet tweets chat channel status notification'), effect: 'send' },
  { verb: 'push', near: words('notification notifications message messages sms'), effect: 'send' },
  {
    verb: 'cancel',
    near: words(
      'order subscription booking reservation appointment renewal payment invoice service account plan domain membership ticket',
    ),
    effect: 'end',
  },
  { verb: 'capture', near: words('payment charge order authorization funds intent'), effect: 'pay' },
  { verb: 'book', near: words('flight hotel appointment reservation table ticket trip ride'), effect: 'pay' },
  { verb: 'transfer', near: words('funds money balance payment payout tokens coins'), effect: 'pay' },
  { verb: 'apply', near: words('migration migrations manifest plan terraform'), effect: 'lifecycle' },
  { verb: 'fill', near: words('form forms input inputs textbox'), effect: 'interact' },
  { verb: 'handle', near: words('dialog alert prompt popup'), effect: 'interact' },
  { verb: 'produce', near: words('message messages event topic record'), effect: 'send' },
  { verb: 'evaluate', near: words('mathematical math arithmetic formula'), effect: 'compute' },
  { verb: 'sign', near: words('transaction transactions'), effect: 'pay' },
  { verb: 'withdraw', near: words('funds balance coins crypto cash'), effect: 'pay' },
  { verb: 'swap', near: words('token tokens coin coins currency'), effect: 'pay' },
  { verb: 'renew', near: words('subscription domain plan license membership'), effect: 'pay' },
  { verb: 'checkout', near: words('cart basket payment'), effect: 'pay' },
  { verb: 'collect', near: words('payment payments'), effect: 'pay' },
  { verb: 'place', near: words('order orders bid bet trade'), effect: 'pay' },
  { verb: 'terminate', near: words('instance instances vm vms server servers cluster machine account'), effect: 'end' },
  {
    verb: 'merge',
    near: words(
      'contact contacts record records company companies customer customers duplicate duplicates person people',
    ),
    effect: 'rebuild',
  },
  { verb: 'provide', near: words('feedback rating'), effect: 'send' },
  { verb: 'show', near: words('notification dialog toast popup'), effect: 'interact' },
  { verb: 'make', near: words('payment payments purchase'), effect: 'pay' },
  { verb: 'display', near: words('alert notification dialog toast popup'), effect: 'interact' },
  { verb: 'capture', near: words('event events lead leads exception'), effect: 'create' },
  { verb: 'watch', near: words('repository repo issue thread ticket'), effect: 'update' },
  { verb: 'convert', near: words('lead leads draft issue task prospect opportunity'), effect: 'update' },
  { verb: 'convert', near: words('file files video pdf audio folder'), effect: 'create' },
  { verb: 'simulate', near: words('click touch tap key keyboard keypress gesture swipe'), effect: 'interact' },
  { verb: 'export', near: words('bucket drive repository warehouse disk'), effect: 'create' },
  { verb: 'download', near: words('local locally disk folder directory'), effect: 'create' },
  { verb: 'report', near: words('status statistics progress whether summary metrics'), effect: 'read' },
  { verb: 'record', near: words('video screen audio macro'), effect: 'lifecycle' },
  { verb: 'snapshot', near: words('accessibility page dom browser screen ui'), effect: 'read' },
  { verb: 'extract', near: words('archive zip tarball tar unzip'), effect: 'create' },
  { verb: 'restore', near: words('backup backups snapshot snapshots database'), effect: 'rebuild' },
  { verb: 'format', near: words('disk drive volume partition'), effect: 'purge' },
  { verb: 'format', near: words('cell cells range paragraph file files document'), effect: 'update' },
  { verb: 'sort', near: words('range rows sheet table in-place column'), effect: 'update' },
  { verb: 'group', near: words('nodes layers shapes elements'), effect: 'update' },
  { verb: 'draw', near: words('chart graph plot diagram histogram'), effect: 'compute' },
  { verb: 'transform', near: words('node layer shape object'), effect: 'update' },
  { verb: 'embed', near: words('store index upsert'), effect: 'create' },
  { verb: 'verify', near: words('code otp challenge phone payment ownership'), effect: 'lifecycle' },
  { verb: 'answer', near: words('call callback'), effect: 'send' },
  { verb: 'ask', near: words('human user team approval confirmation permission'), effect: 'send' },
  { verb: 'wake', near: words('device machine'), effect: 'lifecycle' },
  { verb: 'map', near: words('field fields column columns'), effect: 'update' },
  { verb: 'leave', near: words('comment review note'), effect: 'create' },
  { verb: 'write', near: words('issue request item items comment review'), effect: 'update' },
];

/** Verbs that only carry a noun that says the deed: "perform a search", "make edits", "take a screenshot". */
export const LIGHT_VERBS: ReadonlySet<string> = words('perform make do conduct take carry issue');

/** Nouns of deeds, by their verb. */
export const DEED_NOUNS: ReadonlyMap<string, string> = new Map([
  ['screenshot', 'capture'],
  ['screenshots', 'capture'],
  ['aggregation', 'aggregate'],
  ['analysis', 'analyze'],
  ['validation', 'validate'],
  ['comparison', 'compare'],
  ['diagnostic', 'diagnose'],
  ['diagnostics', 'diagnose'],
  ['evals', 'assess'],
  ['evaluation', 'assess'],
  ['inspection', 'inspect'],
  ['calculation', 'calculate'],
  ['simulation', 'simulate'],
  ['deletion', 'delete'],
  ['creation', 'create'],
  ['migration', 'migrate'],
  ['deployment', 'deploy'],
  ['update', 'update'],
]);

/** Verbs with which a sentence after the first tells the caller what to do, not what the tool does. */
export const CALLER_VERBS: ReadonlySet<string> = words(
  'call note see prefer ensure include provide remember check make ask set get learn validate verify read find put',
);

/** What a name ends in when it hands out information: `pg_info`, `directory_tree`. */
export const INFORMATION_NOUNS: ReadonlySet<string> = words(
  `info information details detail status stats statistics summary history logs docs documentation tree schema metrics
  version versions help count overview list report reports usage diff diffs analytics directions elevation distance
  matrix screenshot weather forecast quote quotes price prices trends results catalog capabilities changelog insights
  reference guide instructions definition definitions examples activity timeline health ranking leaderboard reflog
  isochrone search geocode profile locks outliers`,
);

/** An ambiguous verb before one of these is half of a noun: merge request, test case, push notification. */
export const COMPOUND_NOUNS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['merge', words('request requests conflict conflicts train queue')],
  ['pull', words('request requests')],
  ['test', words('case cases run runs plan plans suite suites result results point points report cycle folder sub')],
  ['build', words('log logs id number status artifact artifacts config configuration type types')],
  ['release', words('note notes')],
  ['run', words('id history log logs step steps result results output status list')],
  ['check', words('run runs suite suites')],
  ['call', words('log logs history transcript transcripts record records recording recordings')],
  ['query', words('log history plan')],
  ['job', words('id log logs status output list artifact artifacts trace')],
  ['order', words('id status history details line item items plan')],
  ['mail', words('folder folders box attachment attachments rule rules child')],
  ['email', words('address template templates thread threads')],
  ['schedule', words('id ids item items')],
  ['search', words('index indexes engine console')],
  ['draft', words('note notes order orders')],
  ['code', words('reference')],
  ['group', words('member members milestone milestones id project projects')],
  ['map', words('tool image')],
  ['trace', words('id')],
  ['request', words('id body response header headers log logs history')],
  ['place', words('id details detail info')],
  ['list', words('item items view')],
  ['back', words('office end')],
  ['forward', words('geocode geocoding pass rate')],
]);

/** Words that open a sentence without being its verb. */
export const SENTENCE_ADVERBS: ReadonlySet<string> = words(
  `also then now first optionally simply just please deep full bulk batch force async soft quick fast safe alpha beta
  experimental can will may you it this once always`,
);

/** Words in -ly that are verbs. */
export const LY_VERBS: ReadonlySet<string> = words('apply reply supply multiply comply rely');

/** What follows belongs to another subject or is no promise: the search for further verbs of a sentence stops here. */
export const CLAUSE_ENDS: ReadonlySet<string> = words(
  `that which who whose when where if so before after because while unless without instead can could should would must may
  might how whether like since until once rather e.g eg i.e`,
);

/** Words that make a deed concern many things at once. */
export const BULK_WORDS: ReadonlySet<string> = words('bulk batch mass');

/** What, created, moves money for good. */
export const MONEY_NOUNS: ReadonlySet<string> = words(
  'refund refunds payout payouts charge payment payments purchase purchases',
);
