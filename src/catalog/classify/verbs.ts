import type { Effect } from './effects.js';

/**
 * How often a word of a tool's name is a noun although it is a verb too: `never` (delete), `often` (list, run: a verb when
 * nothing better stands in the name), `mostly` (issue, log: a verb only where the grammar leaves no choice).
 */
export type Nounness = 'never' | 'often' | 'mostly';

export interface Verb {
  readonly lemma: string;
  readonly effect: Effect;
  readonly nounness: Nounness;
}

/** English API verbs by effect, in their base form. A word stands in one list. */
const VERBS: Readonly<Record<Nounness, Readonly<Partial<Record<Effect, string>>>>> = {
  never: {
    read: `get fetch retrieve read find lookup describe inspect browse explore discover enumerate peek poll observe listen
      ping whoami echo identify locate obtain gather collect aggregate summarize summarise return show display explain
      compare contrast analyze analyse diagnose investigate introspect determine ask answer learn think reason wait sleep
      await scrape demonstrate illustrate examine interrogate recall reveal grep glob traverse consult advise
      brainstorm correlate crosscheck provide contain tell`,
    check: 'validate verify assess typecheck lint prove',
    compute: `calculate compute convert parse encode decode translate estimate predict forecast simulate suggest recommend
      rerank classify detect autodetect extract tokenize tokenise geocode transcribe paraphrase infer derive interpolate
      extrapolate serialize deserialize stringify prettify beautify minify visualize visualise render humanize quantify
      approximate disassemble unescape transform rephrase produce`,
    download: 'download export',
    create: `create generate register upload import define instantiate provision compose author initialize initialise init
      bootstrap scaffold establish enroll enrol mint spawn synthesize synthesise duplicate replicate clone introduce ingest
      subscribe enqueue onboard allocate reserve compile propose prepare persist memorize memorise remember
      preallocate prepopulate crosspost compress decompress decompile unzip`,
    add: 'add insert append prepend attach contribute enrich',
    upsert: 'upsert ensure',
    update: `update modify edit alter amend adjust rename move relocate transfer assign reassign configure reconfigure enable
      disable activate deactivate reactivate toggle reorder rearrange prioritize prioritise reprioritize mark unmark archive
      unarchive approve unapprove reject decline deny accept dismiss acknowledge snooze unsnooze mute unmute hide unhide
      unset customize customise extend shorten renew upgrade downgrade demote grant permit allow enlarge shrink resize
      restyle annotate link associate bind prolong reopen resolve unresolve undo redo revert rollback restore recover
      recategorize relabel retag adapt refactor fix autofix repair correct apply unlock unblock unban unpin unstar unstage
      set setup increment decrement bump align complete finish finalize finalise categorize categorise localize localise
      improve enhance mutate swap reposition crop optimize optimise deprecate undeprecate protect unprotect retitle
      freeze unfreeze unmerge checkout raise lower encrypt defer postpone reschedule withdraw bookmark favorite favourite
      unfavorite upvote downvote inactivate suppress unsuppress quarantine unquarantine reclassify reconcile redact
      anonymize anonymise normalize normalise populate expand clamp dedupe deduplicate consolidate
      triage checkin whitelist blacklist allowlist denylist reseat impose soften harden tune calibrate rebrand reparent regroup`,
    sync: 'synchronize synchronise push rebase squash resync',
    overwrite: 'write overwrite rewrite replace put supersede rotate regenerate override',
    reset: 'reset reinitialize reinitialise',
    detach: `unassign unlink dissociate disassociate unbind unmap disown unfollow unwatch unsubscribe unshare untag unlabel
      detach disinvite uninvite uncheck leave ungroup`,
    delete: `delete remove erase uninstall destroy unregister deregister discard revoke teardown cleanup evict expire
      invalidate decommission deprovision unlearn forget retract rescind deallocate clear unenroll flush drop
      expunge delist dequeue unstash trash burn`,
    purge: 'purge wipe truncate obliterate nuke annihilate empty shred',
    send: `send forward reply notify broadcast invite reinvite resend dispatch submit announce share escalate remit
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
    read: `list search query view count watch monitor tail trace scan probe preview filter ls cat blame diff
      hint capture help dir research audit`,
    check: 'check healthcheck',
    compute: 'format plot hash embed rank sort group measure',
    create: 'draw make new copy fork commit draft schedule save seed backup mirror book',
    add: 'post store',
    update: `change patch follow stage stash pop lock block unread pin star vote split switch turn flag sign transition paste cut tweak adopt
      claim arrange fill track`,
    sync: 'sync pull',
    publish: 'release merge ship rollout',
    delete: 'clean prune',
    send: 'email mail tweet whisper',
    lifecycle: 'build skip play load unload queue power train',
    interact: 'open close select go back type scroll pan touch print',
    run: 'run call test job take do conduct carry',
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
