import { rememberTexts } from '../../base/lib/remember.js';
import { isPlain } from './languages.js';

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
  ['get rid', 'remove'],
  ['take out', 'remove'],
  ['take off', 'remove'],
  ['take away', 'remove'],
  ['take down', 'remove'],
  ['throw out', 'discard'],
  ['throw away', 'discard'],
  ['strike off', 'remove'],
  ['strike out', 'remove'],
  ['wipe out', 'wipe'],
  ['ask for', 'solicit'],
  ['put back', 'restore'],
  ['call off', 'cancel'],
  ['hand in', 'submit'],
  ['hand over', 'transfer'],
  ['sign off', 'approve'],
  ['black out', 'redact'],
  ['point out', 'show'],
  ['find out', 'find'],
  ['work out', 'calculate'],
  ['lay out', 'describe'],
  ['make up', 'describe'],
  ['fire up', 'start'],
  ['look at', 'inspect'],
  ['look into', 'inspect'],
  ['look through', 'browse'],
  ['look for', 'find'],
  ['pull up', 'retrieve'],
  ['dig out', 'retrieve'],
  ['pick out', 'find'],
  ['spell out', 'explain'],
  ['sum up', 'summarize'],
  ['boil down', 'summarize'],
  ['break down', 'analyze'],
  ['add up', 'calculate'],
  ['figure out', 'determine'],
  ['size up', 'assess'],
  ['narrow down', 'filter'],
  ['track down', 'find'],
  ['bring back', 'retrieve'],
  ['cut down', 'remove'],
  ['put down', 'remove'],
  ['let out', 'release'],
  ['let in', 'accept'],
  ['put aside', 'reserve'],
  ['write off', 'writeoff'],
  ['power off', 'shutdown'],
  ['tear up', 'shred'],
  ['set aside', 'reserve'],
  ['look after', 'handle'],
  ['see off', 'send'],
  ['let know', 'notify'],
  ['count in', 'add'],
  ['count out', 'remove'],
  ['scan in', 'checkin'],
  ['scan out', 'checkout'],
  ['read in', 'import'],
  ['show in', 'accept'],
  ['ask out', 'invite'],
  ['ask in', 'invite'],
]);

/** Light verbs, whose object names the action: "perform a search", "make edits", "take a screenshot". */
export const LIGHT_VERBS: ReadonlySet<string> = words('perform make do conduct take carry issue');

/** Nouns that name an action, each with its verb. */
export const ACTION_NOUNS: ReadonlyMap<string, string> = new Map([
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

/** An ambiguous verb before one of these is part of a compound noun: merge request, test case, push notification. */
export const COMPOUND_NOUNS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['merge', words('request requests conflict conflicts train queue')],
  ['pull', words('request requests')],
  ['edit', words('distance distances history')],
  ['fill', words('level levels rate rates')],
  ['test', words('case cases run runs plan plans suite suites result results point points report cycle folder sub')],
  ['build', words('log logs id number status artifact artifacts config configuration type types')],
  ['release', words('note notes')],
  ['run', words('id history log logs step steps result results output status list')],
  ['check', words('run runs suite suites')],
  [
    'call',
    words(
      'time times center transcription log logs history transcript transcripts record records recording recordings',
    ),
  ],
  ['query', words('log history plan')],
  ['job', words('id log logs status output list artifact artifacts trace')],
  ['order', words('id status history details line item items plan')],
  ['mail', words('folder folders box attachment attachments rule rules child')],
  ['email', words('address template templates thread threads')],
  ['schedule', words('id ids item items')],
  ['search', words('index indexes engine console')],
  ['draft', words('note notes order orders')],
  ['group', words('member members milestone milestones id project projects')],
  ['map', words('tool image')],
  ['trace', words('id')],
  ['unread', words('count messages message emails mail items notifications')],
  ['post', words('comment comments id ids likes')],
  ['request', words('id body response header headers log logs history')],
  ['place', words('id details detail info')],
  ['list', words('item items view')],
  ['lookup', words('table tables')],
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

/** Words in -ly that stand before a noun. */
export const LY_ADJECTIVES: ReadonlySet<string> = words('likely early costly elderly friendly');

/** What follows has another subject or is not certain: the search for further verbs of a sentence stops here. */
export const CLAUSE_ENDS: ReadonlySet<string> = words(
  `that which who whose when where if so before after because while unless without instead can could should would must may
  might how whether like since until once rather e.g eg i.e`,
);

/** Words that say that an action concerns many things at once. */
export const BULK_WORDS: ReadonlySet<string> = words('bulk batch mass');

/** Nouns whose creation moves money irreversibly. */
export const MONEY_NOUNS: ReadonlySet<string> = words(
  'refund refunds payout payouts charge payment payments purchase purchases',
);

/** Most words begin no phrase; this set saves building a key for them. */
const FIRST_WORDS: ReadonlySet<string> = new Set([...PHRASAL_VERBS.keys()].map((phrase) => phrase.split(' ')[0] ?? ''));

/** The verb that two words in a row make ("roll back" is `rollback`), or undefined where they make none. */
export function findPhrasalVerb(first: string, second: string): string | undefined {
  return FIRST_WORDS.has(first) ? PHRASAL_VERBS.get(`${first} ${second}`) : undefined;
}

const DROPPED = /^(?:v?\d+|an?|the)$/;

/**
 * The lower-case words of an identifier in any style: `getPHPInfoV1`, `API-post-search` and `git_log` give
 * `get php info`, `api post search` and `git log`. Version marks and articles are dropped, `roll_back` becomes `rollback`.
 */
export const splitWords = rememberTexts((identifier): readonly string[] => {
  if (/^[a-z]{2,}$/.test(identifier)) return identifier === 'the' ? [] : [identifier];
  // Full-width and other displayed forms of letters are read as the letters that people see.
  const words = (isPlain(identifier) ? identifier : identifier.normalize('NFKC'))
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(isPlain(identifier) ? /[^a-z0-9]+/ : /[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !DROPPED.test(word));
  return joinPhrases(words);
});

function joinPhrases(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const phrase = findPhrasalVerb(word, words[index + 1] ?? '');
    joined.push(phrase ?? word);
    if (phrase !== undefined) index += 1;
  }
  return joined;
}
