import type { Category, DangerLevel } from '../protocol/operation.js';

/**
 * How often a word of a tool's name is a noun although it is a verb too: `never` (delete), `often` (list, run: a verb when
 * the name has no clearer one), `mostly` (issue, log: a verb only where the grammar leaves no choice).
 */
export type Nounness = 'never' | 'often' | 'mostly';

export interface Verb {
  readonly lemma: string;
  readonly effect: Effect;
  readonly nounness: Nounness;
}

/** What one effect means for an operation. */
export interface EffectTraits {
  /** How strongly it counts for each category, 0 to 1. */
  readonly votes: Readonly<Partial<Record<Category, number>>>;
  /** The lowest danger of an operation that plainly has this effect. */
  readonly danger: DangerLevel;
  /** How it is worded in evidence: "verb 'list' reads". */
  readonly phrase: string;
}

/** How a verb is inflected; coordinated verbs of one sentence share it ("Gets ... or creates"). */
export type VerbForm = 'base' | 'third' | 'gerund';

export interface InflectedVerb extends Verb {
  readonly form: VerbForm;
}

/** English API verbs by effect, in their base form. Each word is in one list. */
const VERBS: Readonly<Record<Nounness, Readonly<Partial<Record<Effect, string>>>>> = {
  never: {
    read: `get fetch retrieve read find lookup describe inspect browse explore discover enumerate peek poll observe listen
      ping whoami echo identify locate obtain gather collect aggregate summarize summarise return show display explain
      compare contrast analyze analyse diagnose investigate introspect determine ask learn think reason wait sleep
      await scrape demonstrate illustrate examine interrogate recall reveal grep glob traverse consult advise
      brainstorm correlate crosscheck provide contain tell whois nslookup traceroute`,
    check: 'validate verify assess typecheck lint prove',
    compute: `calculate compute convert parse encode decode translate estimate predict forecast simulate suggest recommend
      rerank classify detect autodetect extract tokenize tokenise geocode transcribe paraphrase infer derive interpolate
      extrapolate serialize deserialize stringify prettify beautify minify visualize visualise render humanize quantify
      approximate disassemble unescape transform rephrase produce subtract multiply divide solve differentiate simplify factorize
      randomize escape proofread transpile decompile ocr`,
    download: 'download export',
    create: `create generate register upload import define instantiate provision compose author initialize initialise init
      bootstrap scaffold establish enroll enrol mint spawn synthesize synthesise duplicate replicate clone introduce ingest
      subscribe enqueue onboard allocate reserve compile propose prepare persist memorize memorise remember
      preallocate prepopulate crosspost compress decompress zip unzip pack unpack concatenate concat`,
    add: 'add insert append prepend attach contribute enrich ensure',
    upsert: 'upsert',
    update: `update modify edit alter amend adjust rename move relocate transfer assign reassign configure reconfigure enable
      disable activate deactivate reactivate toggle reorder rearrange prioritize prioritise reprioritize mark unmark archive
      unarchive approve unapprove reject decline deny accept dismiss acknowledge snooze unsnooze mute unmute hide unhide
      unset customize customise extend shorten renew upgrade downgrade demote grant permit allow enlarge shrink resize
      restyle annotate associate bind prolong reopen resolve unresolve undo redo revert rollback restore recover
      recategorize relabel retag adapt refactor fix autofix repair correct apply unlock unblock unban unpin unstar unstage
      set setup increment decrement bump align complete finish finalize finalise categorize categorise localize localise
      improve enhance mutate swap reposition crop optimize optimise deprecate undeprecate protect unprotect retitle
      freeze unfreeze unmerge checkout raise lower encrypt defer postpone reschedule withdraw bookmark favorite favourite
      unfavorite upvote downvote inactivate suppress unsuppress quarantine unquarantine reclassify reconcile redact
      anonymize anonymise normalize normalise populate expand clamp dedupe deduplicate consolidate
      trim recolor sanitize tailor reassemble relink triage checkin whitelist blacklist allowlist denylist reseat impose soften harden tune calibrate rebrand reparent regroup override`,
    sync: 'synchronize synchronise push rebase squash resync',
    overwrite: 'write overwrite rewrite replace put supersede rotate regenerate',
    reset: 'reset reinitialize reinitialise',
    detach: `unassign unlink dissociate disassociate unbind unmap disown unfollow unwatch unsubscribe unshare untag unlabel
      detach disinvite uninvite uncheck leave ungroup`,
    delete: `delete remove erase uninstall destroy unregister deregister discard revoke teardown cleanup evict expire
      invalidate decommission deprovision unlearn forget retract rescind deallocate clear unenroll flush drop
      expunge delist dequeue unstash trash burn undefine dispose`,
    purge: 'purge wipe truncate obliterate nuke annihilate empty shred',
    send: `send answer forward reply notify broadcast invite reinvite resend dispatch submit announce share escalate remit
      solicit react respond`,
    publish: 'publish republish unpublish deploy redeploy undeploy promote',
    lifecycle: `start stop restart pause resume suspend unsuspend abort terminate kill cancel trigger launch relaunch shutdown
      reboot boot retry rerun requeue rebalance failover migrate resubmit reconnect disconnect connect mount unmount login
      logout authenticate reauthenticate reauthorize reauthorise authorize authorise deauthorize impersonate refresh reload
      reindex recalculate recompute retrain finetune drain cordon uncordon install scale autoscale cherrypick bisect
      interrupt resurrect halt hibernate wake unpause preempt crawl initiate continue proceed ban kick evacuate
      orchestrate fulfil fulfill delegate handoff steer hijack`,
    interact: 'navigate click doubleclick tap press hover swipe drag focus blur emulate rightclick longpress unhover',
    run: 'benchmark execute exec eval evaluate invoke perform backtest fuzz enforce remediate automate interact operate',
    rebuild: 'recreate reinstall rebuild reimage reprovision reformat',
    pay: 'purchase buy pay refund payout preorder redeem chargeback prepay reimburse wager',
    manage: 'manage maintain administer handle organize organise curate moderate',
  },
  often: {
    read: `list search query view count monitor tail trace scan probe preview filter ls cat blame diff
      hint capture help dir research audit screenshot guide`,
    check: 'check healthcheck',
    compute: 'format plot hash embed rank sort group measure round',
    create: 'draw make new copy fork commit draft schedule save seed backup mirror book',
    add: 'post store',
    update: `change patch follow stage stash pop lock block unread pin star vote split switch turn flag sign transition paste cut tweak adopt
      claim arrange fill track watch merge style highlight join link watermark stamp shuffle`,
    sync: 'sync pull',
    publish: 'release ship rollout',
    delete: 'clean prune',
    send: 'email mail tweet whisper',
    lifecycle: 'build skip play load unload queue power train step seek rewind checkpoint',
    interact: 'open close select go back type scroll pan touch print',
    run: 'run call test job take do conduct carry roll flip',
    pay: 'charge order trade bet donate tip stake unstake bid',
    manage: 'control review',
  },
  mostly: {
    read: 'access',
    compute: 'chart graph sum map score match sample profile',
    create: 'comment branch tag label record log snapshot issue note event',
    add: 'reaction like',
    send: 'request report message text feedback signal chat alert',
    update: 'index rate color title name place',
    lifecycle: 'stream process',
  },
};

function buildLexicon(): ReadonlyMap<string, Verb> {
  const lexicon = new Map<string, Verb>();
  for (const [nounness, groups] of Object.entries(VERBS) as [Nounness, Partial<Record<Effect, string>>][]) {
    for (const [effect, words] of Object.entries(groups) as [Effect, string][]) {
      for (const lemma of words.trim().split(/\s+/)) lexicon.set(lemma, { lemma, effect, nounness });
    }
  }
  return lexicon;
}

/** Every known verb by its base form. */
export const LEXICON: ReadonlyMap<string, Verb> = buildLexicon();

const effect = (votes: EffectTraits['votes'], phrase: string, danger: DangerLevel = 'reversible'): EffectTraits => ({
  votes,
  danger,
  phrase,
});

/**
 * What verbs do, finer than the five categories: two effects of one category can differ in danger, and some verbs are
 * between two categories. Votes follow MCP-AQL 8.1 and the CRUDE guide 6.4 (an upsert creates, sending is external).
 */
export const EFFECTS = {
  read: effect({ READ: 1 }, 'reads', 'safe'),
  check: effect({ READ: 1 }, 'checks without changing', 'safe'),
  compute: effect({ READ: 1 }, 'computes an answer', 'safe'),
  download: effect({ READ: 1 }, 'hands out a copy', 'safe'),
  create: effect({ CREATE: 1 }, 'creates'),
  add: effect({ CREATE: 1, UPDATE: 0.4 }, 'adds'),
  upsert: effect({ CREATE: 1, UPDATE: 0.6 }, 'creates or updates', 'destructive'),
  update: effect({ UPDATE: 1 }, 'changes'),
  sync: effect({ UPDATE: 1, EXECUTE: 0.6 }, 'brings another side up to date'),
  overwrite: effect({ UPDATE: 1 }, 'overwrites', 'destructive'),
  reset: effect({ UPDATE: 1, EXECUTE: 0.4 }, 'throws away the present state', 'destructive'),
  detach: effect({ UPDATE: 1, DELETE: 0.5 }, 'takes apart what belonged together'),
  delete: effect({ DELETE: 1 }, 'removes', 'destructive'),
  purge: effect({ DELETE: 1 }, 'removes everything', 'destructive'),
  send: effect({ EXECUTE: 1, CREATE: 0.4 }, 'sends to others'),
  publish: effect({ EXECUTE: 1, UPDATE: 0.6 }, 'makes effective for others'),
  lifecycle: effect({ EXECUTE: 1 }, 'drives something that runs'),
  interact: effect({ EXECUTE: 1 }, 'acts on a user interface'),
  run: effect({ EXECUTE: 1 }, 'runs'),
  rebuild: effect({ EXECUTE: 1, UPDATE: 0.4 }, 'replaces by a rebuilt one', 'destructive'),
  pay: effect({ EXECUTE: 1 }, 'commits money or a contract', 'destructive'),
  /** A write of an unknown kind. */
  write: effect({ EXECUTE: 1, UPDATE: 0.9, CREATE: 0.7, DELETE: 0.5 }, 'writes'),
  end: effect({ EXECUTE: 1, DELETE: 0.6 }, 'ends for good', 'destructive'),
  manage: effect({ UPDATE: 1, EXECUTE: 0.6 }, 'manages'),
} as const satisfies Readonly<Record<string, EffectTraits>>;

export type Effect = keyof typeof EFFECTS;

/** Writes from the least to the most dangerous, READ first: doubt takes the later one. */
export const CATEGORY_SEVERITY: readonly Category[] = ['READ', 'CREATE', 'UPDATE', 'EXECUTE', 'DELETE'];

/** How strongly an effect counts for READ, 0 to 1. */
export function readShare(name: Effect): number {
  const votes: EffectTraits['votes'] = EFFECTS[name].votes;
  return votes.READ ?? 0;
}

/** How strongly an effect counts for any write, 0 to 1. */
export function writeShare(name: Effect): number {
  const votes: EffectTraits['votes'] = EFFECTS[name].votes;
  return Math.max(votes.CREATE ?? 0, votes.UPDATE ?? 0, votes.DELETE ?? 0, votes.EXECUTE ?? 0);
}

/** The category that an effect counts for most; a tie takes the more dangerous. */
export function leadingCategory(name: Effect): Category {
  const votes: EffectTraits['votes'] = EFFECTS[name].votes;
  const strength = (category: Category): number => votes[category] ?? 0;
  return CATEGORY_SEVERITY.reduce((best, category) => (strength(category) >= strength(best) ? category : best));
}

/** What a second verb means behind a first: "create or update" is one upsert. */
export function joinEffects(first: Effect, second: Effect, word: string): Effect {
  const creates = first === 'create' || first === 'add' || first === 'upsert';
  return creates && second === 'update' && REPLACING.has(word) ? 'upsert' : second;
}

/** "Create or update" is one upsert; "creates and moves" is none. */
const REPLACING: ReadonlySet<string> = new Set(['update', 'modify', 'edit', 'change', 'set', 'replace', 'patch']);

/** Stands among the words of a tool that its author calls read-only. */
export const READ_ONLY = '(read-only)';
/** Stands among the words of a tool that takes nothing but numbers. */
export const NUMBERS = '(numbers)';
/** Stands among the words of a tool that is given an id. */
export const IDENTIFIED = '(id)';
/** Stands among the words of a tool that takes nothing at all. */
export const NO_INPUT = '(no input)';
/** Stands among the words of a tool that takes nothing but a text or data to work on, and neither a path nor an id. */
export const GIVEN = '(given)';

export const setOfWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Beside these, "open" and "select" act on a user interface or a device, and do not read data. */
const ON_SCREEN: ReadonlySet<string> = setOfWords(
  `browser tab tabs page pages window windows app apps application simulator emulator editor device url session connection dialog modal
    element elements option options dropdown click checkbox ui cursor screen menu button context`,
);

/** Verbs that mean something else beside certain words. The first sense that fits replaces the verb's own effect. */
export const VERB_SENSES: readonly {
  readonly verb: string;
  readonly near: ReadonlySet<string>;
  /** Words beside which the sense does not fit. */
  readonly unless?: ReadonlySet<string>;
  /** Set where the tool must work on nothing but what it is given, and neither on a path nor an id. */
  readonly given?: true;
  readonly effect: Effect;
}[] = [
  {
    verb: 'generate',
    near: setOfWords(
      `chart charts diagram diagrams map maps graph plot histogram treemap spreadsheet summary preview schema snippet
        explanation embedding embeddings completion completions answer response uuid hash palette statistics insights suggestions qr
        sql regex regexp query queries xpath code instructions guidance prompt prompts ideas outline caption types slug`,
    ),
    effect: 'compute',
  },
  {
    verb: 'generate',
    near: setOfWords('password passwords passphrase'),
    unless: setOfWords('app user account application id reset'),
    effect: 'compute',
  },
  { verb: 'create', near: setOfWords('instructions guidance guidelines'), effect: 'compute' },
  {
    verb: 'create',
    near: setOfWords('query queries expression regex regexp xpath prompt snippet'),
    given: true,
    effect: 'compute',
  },
  {
    verb: 'answer',
    near: setOfWords('question questions query queries'),
    unless: new Set([IDENTIFIED]),
    effect: 'read',
  },
  {
    verb: 'expand',
    near: setOfWords(
      'query url urls link abbreviation acronym graph citation citations macro neighbors synonyms papers',
    ),
    effect: 'read',
  },
  { verb: 'solve', near: setOfWords('ticket tickets case cases issue issues incident'), effect: 'update' },
  { verb: 'check', near: setOfWords('checkbox checkboxes radio'), effect: 'interact' },
  {
    verb: 'capture',
    near: setOfWords('thought thoughts idea ideas task tasks memory decision decisions'),
    effect: 'create',
  },
  { verb: 'recall', near: setOfWords('message email mail'), effect: 'end' },
  { verb: 'tell', near: setOfWords('user human team channel'), effect: 'send' },
  { verb: 'ping', near: setOfWords('user users channel team person member'), effect: 'send' },
  { verb: 'build', near: setOfWords('prompt query url expression'), effect: 'compute' },
  { verb: 'orchestrate', near: setOfWords('guidance instructions'), effect: 'compute' },
  { verb: 'turn', near: setOfWords('question sql query regex'), effect: 'compute' },
  {
    verb: 'select',
    near: new Set([READ_ONLY, ...setOfWords('row rows record records column columns')]),
    unless: ON_SCREEN,
    effect: 'read',
  },
  { verb: 'add', near: new Set([NUMBERS]), effect: 'compute' },
  {
    verb: 'resolve',
    near: setOfWords(
      'issue thread conflict comment alert incident ticket discussion finding alarm bug dispute task todo',
    ),
    effect: 'update',
  },
  {
    verb: 'resolve',
    near: setOfWords(
      `id ids identifier name names library package address host hostname dns domain path url uri ref reference symbol
        option options alias coordinates location dependency dependencies`,
    ),
    effect: 'read',
  },
  {
    verb: 'generate',
    near: setOfWords('image images video videos audio speech music voice'),
    effect: 'run',
  },
  {
    verb: 'clear',
    near: setOfWords('setting selection focus highlight highlights override overrides emulation mock'),
    effect: 'update',
  },
  { verb: 'drop', near: setOfWords('onto element drag cursor mouse'), effect: 'interact' },
  {
    verb: 'close',
    near: setOfWords('browser tab page window connection session app application dialog modal stream'),
    effect: 'lifecycle',
  },
  {
    verb: 'close',
    near: setOfWords('issue ticket pull request milestone deal case account epic position'),
    effect: 'update',
  },
  { verb: 'open', near: setOfWords('issue ticket pull request dispute case'), effect: 'create' },
  { verb: 'post', near: setOfWords('message messages tweet tweets chat channel status notification'), effect: 'send' },
  { verb: 'push', near: setOfWords('notification notifications message messages sms'), effect: 'send' },
  {
    verb: 'cancel',
    near: setOfWords(
      'order subscription booking reservation appointment renewal payment invoice service account plan domain membership ticket',
    ),
    effect: 'end',
  },
  { verb: 'capture', near: setOfWords('payment charge order authorization funds intent'), effect: 'pay' },
  { verb: 'book', near: setOfWords('flight hotel appointment reservation table ticket trip ride'), effect: 'pay' },
  { verb: 'transfer', near: setOfWords('funds money balance payment payout tokens coins'), effect: 'pay' },
  { verb: 'apply', near: setOfWords('migration migrations manifest plan'), effect: 'lifecycle' },
  { verb: 'fill', near: setOfWords('form forms input inputs textbox element elements'), effect: 'interact' },
  { verb: 'handle', near: setOfWords('dialog alert prompt popup'), effect: 'interact' },
  { verb: 'produce', near: setOfWords('message messages event topic record'), effect: 'send' },
  {
    verb: 'evaluate',
    near: setOfWords('mathematical math arithmetic formula calculate calculates'),
    effect: 'compute',
  },
  { verb: 'sign', near: setOfWords('transaction transactions'), effect: 'pay' },
  { verb: 'withdraw', near: setOfWords('funds balance coins crypto cash'), effect: 'pay' },
  { verb: 'swap', near: setOfWords('token tokens coin coins currency'), effect: 'pay' },
  { verb: 'renew', near: setOfWords('subscription domain plan license membership'), effect: 'pay' },
  { verb: 'checkout', near: setOfWords('cart basket payment'), effect: 'pay' },
  { verb: 'collect', near: setOfWords('payment payments'), effect: 'pay' },
  { verb: 'place', near: setOfWords('order orders bid bet trade'), effect: 'pay' },
  {
    verb: 'terminate',
    near: setOfWords('instance instances vm vms server servers cluster machine account'),
    effect: 'end',
  },
  { verb: 'merge', near: setOfWords('cell cells range ranges'), effect: 'overwrite' },
  {
    verb: 'merge',
    near: setOfWords(
      'contact contacts record records company companies customer customers duplicate duplicates person people',
    ),
    effect: 'rebuild',
  },
  {
    verb: 'merge',
    near: setOfWords('pull request requests branch branches fork pr mr main upstream revision'),
    effect: 'publish',
  },
  {
    verb: 'open',
    near: new Set([
      READ_ONLY,
      ...setOfWords('node nodes record records entity entities row rows note notes entry entries'),
    ]),
    unless: ON_SCREEN,
    effect: 'read',
  },
  { verb: 'provide', near: setOfWords('feedback rating'), effect: 'send' },
  { verb: 'set', near: setOfWords('reaction reactions'), effect: 'add' },
  { verb: 'upload', near: setOfWords('browser chooser'), effect: 'interact' },
  { verb: 'list', near: setOfWords('sale marketplace'), effect: 'create' },
  { verb: 'show', near: setOfWords('notification dialog toast popup'), effect: 'interact' },
  { verb: 'make', near: setOfWords('payment payments purchase'), effect: 'pay' },
  { verb: 'display', near: setOfWords('alert notification dialog toast popup'), effect: 'interact' },
  { verb: 'capture', near: setOfWords('event events lead leads exception'), effect: 'create' },
  {
    verb: 'watch',
    near: setOfWords(
      'log logs pod pods build deployment rollout run runs job jobs progress execution stream video status output',
    ),
    effect: 'read',
  },
  {
    verb: 'convert',
    near: setOfWords(
      `lead leads draft issue task prospect opportunity position positions order orders account quote subscription trial deal user
        member ticket booking`,
    ),
    effect: 'update',
  },
  { verb: 'patch', near: setOfWords('byte bytes memory binary instruction instructions'), effect: 'overwrite' },
  { verb: 'shuffle', near: setOfWords('copy list items cards deck array'), effect: 'compute' },
  { verb: 'solve', near: setOfWords('captcha challenge'), effect: 'interact' },
  { verb: 'convert', near: setOfWords('file files video pdf audio folder'), effect: 'create' },
  { verb: 'simulate', near: setOfWords('click touch tap key keyboard keypress gesture swipe'), effect: 'interact' },
  { verb: 'export', near: setOfWords('bucket drive repository warehouse disk'), effect: 'create' },
  { verb: 'download', near: setOfWords('local locally disk folder directory'), effect: 'create' },
  {
    verb: 'track',
    near: setOfWords('changes progress maintenance status shipment package flight delivery'),
    effect: 'read',
  },
  { verb: 'report', near: setOfWords('status statistics progress whether summary metrics'), effect: 'read' },
  { verb: 'record', near: setOfWords('video screen audio macro'), effect: 'lifecycle' },
  { verb: 'snapshot', near: setOfWords('accessibility page dom browser screen ui'), effect: 'read' },
  { verb: 'extract', near: setOfWords('archive zip tarball tar unzip'), effect: 'create' },
  { verb: 'restore', near: setOfWords('backup backups snapshot snapshots database'), effect: 'rebuild' },
  { verb: 'format', near: setOfWords('disk drive volume partition'), effect: 'purge' },
  { verb: 'format', near: setOfWords('cell cells range paragraph file files document'), effect: 'update' },
  { verb: 'sort', near: setOfWords('range rows sheet table in-place column'), effect: 'update' },
  { verb: 'group', near: setOfWords('nodes layers shapes elements'), effect: 'update' },
  { verb: 'draw', near: setOfWords('chart graph plot diagram histogram'), effect: 'compute' },
  { verb: 'transform', near: setOfWords('node layer shape object'), effect: 'update' },
  { verb: 'embed', near: setOfWords('store index upsert'), effect: 'create' },
  { verb: 'verify', near: setOfWords('code otp challenge phone payment ownership'), effect: 'lifecycle' },
  { verb: 'ask', near: setOfWords('human user team approval confirmation permission'), effect: 'send' },
  { verb: 'wake', near: setOfWords('device machine'), effect: 'lifecycle' },
  { verb: 'map', near: setOfWords('field fields column columns'), effect: 'update' },
  { verb: 'leave', near: setOfWords('comment review note'), effect: 'create' },
  { verb: 'write', near: setOfWords('issue request item items comment review'), effect: 'update' },
];
