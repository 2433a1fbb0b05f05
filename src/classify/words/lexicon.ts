import type { Category, DangerLevel } from '../../base/protocol/operation.js';

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
    read: `get fetch retrieve read find describe inspect browse explore discover enumerate peek observe listen
      ping whoami echo identify locate obtain gather collect aggregate summarize summarise return show display explain
      compare contrast analyze analyse diagnose investigate introspect determine ask learn think reason wait sleep
      await scrape demonstrate illustrate examine interrogate recall reveal grep glob traverse consult advise
      brainstorm correlate crosscheck provide contain whois nslookup traceroute
      pinpoint depict portray denote envision discern decipher interpret deduce elucidate clarify recap scrutinize scrutinise ascertain
      characterize characterise peruse foresee hypothesize speculate recount geolocate exemplify skim eyeball doublecheck`,
    check: 'validate verify assess typecheck lint prove',
    compute: `calculate compute convert parse encode decode translate estimate predict forecast simulate suggest recommend
      rerank classify detect autodetect extract tokenize tokenise geocode transcribe paraphrase infer derive interpolate
      extrapolate serialize deserialize stringify prettify beautify minify visualize visualise render humanize quantify
      approximate disassemble unescape transform rephrase produce solve differentiate weigh critique tally transliterate canonicalize canonicalise reword restate pluralize lemmatize capitalize slugify
      recognize recognise tabulate itemize reckon simplify factorize
      randomize escape appraise conjugate inflect prorate amortize annualize disambiguate spellcheck romanize syllabify checksum nowcast
      abridge condense dissect proofread reproject transpile decompile ocr transcode resample denoise upscale`,
    download: 'download export',
    create: `create generate register upload import define instantiate provision compose author initialize initialise init
      bootstrap scaffold establish enroll enrol mint declare spawn synthesize synthesise duplicate replicate clone introduce ingest
      subscribe enqueue onboard allocate reserve compile propose prepare persist memorize memorise remember
      preallocate prepopulate crosspost compress decompress zip unzip pack unpack concatenate concat`,
    add: 'add insert append prepend contribute enrich ensure',
    upsert: 'upsert',
    update: `update modify edit alter amend adjust rename move relocate transfer assign reassign configure reconfigure enable
      disable activate deactivate reactivate toggle reorder rearrange prioritize prioritise reprioritize mark unmark
      unarchive approve unapprove reject decline deny accept dismiss acknowledge snooze unsnooze mute unmute hide unhide
      untrash undelete unsuspend uncancel unset customize customise extend shorten renew upgrade downgrade demote grant permit allow enlarge shrink resize
      restyle annotate associate bind attach prolong reopen resolve unresolve undo redo revert rollback restore recover
      recategorize relabel retag adapt refactor fix autofix repair correct apply unlock unblock unban unpin unstar unstage
      set setup increment decrement bump align complete finish finalize finalise categorize categorise localize localise
      improve enhance mutate swap reposition crop optimize optimise deprecate undeprecate protect unprotect retitle
      freeze unfreeze unmerge checkout raise lower encrypt defer postpone reschedule withdraw bookmark favorite favourite
      unfavorite upvote downvote inactivate suppress unsuppress quarantine unquarantine reclassify reconcile redact
      anonymize anonymise normalize normalise populate expand clamp dedupe deduplicate consolidate
      trim recolor sanitize tailor reassemble relink triage checkin whitelist blacklist allowlist denylist reseat impose soften harden tune calibrate rebrand reparent regroup override
      subtract multiply divide extrude bevel invert flatten mask tint dim brighten sharpen blur rearm disarm rehome
      arm equip unequip heal whiten darken smooth subdivide weld triangulate remesh endorse postdate backdate confirm waive certify`,
    sync: 'synchronize synchronise push rebase squash resync',
    overwrite: 'write overwrite rewrite replace put supersede rotate regenerate',
    reset: 'reset reinitialize reinitialise',
    detach: `unassign unlink dissociate disassociate unbind unmap disown unfollow unwatch unsubscribe unshare untag unlabel
      detach disinvite uninvite uncheck leave ungroup`,
    delete: `delete remove erase uninstall destroy unregister deregister discard revoke teardown cleanup evict expire
      invalidate decommission deprovision unlearn forget retract rescind deallocate clear unenroll flush drop
      expunge delist dequeue unstash trash burn undefine dispose writeoff`,
    purge: 'purge wipe truncate obliterate nuke annihilate empty shred',
    send: `send answer forward reply notify broadcast invite reinvite resend dispatch submit announce share escalate remit dial speak tell say distribute
      solicit react respond deliver warn remind inform summon congratulate`,
    publish: 'publish republish unpublish deploy redeploy undeploy promote',
    lifecycle: `start stop restart pause resume suspend unsuspend abort terminate kill cancel trigger launch relaunch shutdown
      reboot boot retry rerun requeue rebalance failover migrate resubmit reconnect disconnect connect mount unmount login
      logout authenticate reauthenticate reauthorize reauthorise authorize authorise deauthorize impersonate refresh reload
      reindex recalculate recompute retrain finetune cordon uncordon install scale autoscale cherrypick bisect
      interrupt resurrect halt hibernate wake unpause preempt crawl initiate continue proceed ban kick
      orchestrate fulfil fulfill delegate handoff steer hijack
      begin backfill redrive preheat heat cool defrost dock undock park takeoff vacuum compact defragment defrag reclaim ring vibrate
      brake accelerate eject dispense brew mow unpark fastforward`,
    interact: 'navigate click doubleclick tap press hover swipe drag focus emulate rightclick longpress unhover',
    run: 'benchmark execute exec eval evaluate invoke perform backtest fuzz enforce remediate automate interact operate',
    rebuild: 'recreate reinstall rebuild reimage reprovision reformat',
    pay: 'buy pay refund payout preorder redeem chargeback prepay reimburse wager',
    end: 'drain evacuate',
    manage: 'manage maintain administer handle organize organise curate moderate',
  },
  often: {
    read: `list lookup poll search query view count monitor tail trace scan probe preview filter ls cat blame diff
      hint capture help dir outline gauge research audit screenshot guide`,
    check: 'check healthcheck',
    compute: 'format plot hash embed rank sort group measure round',
    create: 'draw make new copy fork commit draft schedule save seed backup mirror book',
    add: 'post store',
    update: `archive change patch follow stage stash pop lock block unread pin star vote split switch turn flag sign transition paste cut tweak adopt
      claim arrange fill track watch merge style highlight join link watermark stamp shuffle`,
    sync: 'sync pull',
    publish: 'release ship rollout',
    delete: 'clean prune void cascade',
    send: 'email mail tweet whisper',
    lifecycle: 'land build skip play load unload queue power train step seek rewind checkpoint',
    interact: 'open close select go back type scroll pan touch print',
    run: 'run call test job take do conduct carry roll flip',
    pay: 'settle charge order trade purchase bet donate tip stake unstake bid',
    manage: 'control review',
  },
  mostly: {
    read: 'access',
    compute: 'chart graph sum map score match sample profile',
    create: 'comment branch tag label record log snapshot issue note event',
    add: 'reaction like hold',
    send: 'request report message text feedback signal chat alert',
    update: 'index rate color title name place',
    lifecycle: 'stream process end',
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
  /** A deed of which English says that it is one, and no more. */
  act: effect({ EXECUTE: 1, UPDATE: 0.6, CREATE: 0.6 }, 'does something'),
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

export const setOfWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
