import { setTimeout as delay } from 'node:timers/promises';
import { describeActor } from '../policy/rules/gatekeeper.js';
import type { Foundations } from './foundations.js';
import type { NameSettings } from './kept-catalog.js';
import type { LiveCatalog } from './live-catalog.js';
import type { OpenedCatalog } from './open-catalog.js';
import type { Parts } from './parts.js';
import { listEnabled } from './snapshot.js';

/** The longest time that clients wait for slow upstreams at start, in milliseconds. */
const WARM_UP_MS = 2_000;

/** How far the servers have come at the start. Neither rejects. */
interface Start {
  /** Resolves when every enabled upstream has connected or failed once, and the catalog has what they listed. */
  readonly tried: Promise<void>;
  /** Resolves when clients may connect: after a short time at the latest. */
  readonly warmedUp: Promise<void>;
}

/** Starts to connect every server, and passes on what they say to the parts that it concerns. */
export function connectServers(
  { live, policy, pool, links }: Foundations,
  { catalog, readerCatalog, handlers, primitives, introductions, audiences, accounts }: OpenedCatalog,
  names: NameSettings,
  parts: Parts,
): Start {
  const namesWait = new NamesWait(names.wait, catalog);
  parts.add('waiting for names', { close: () => namesWait.end() });
  const connected = pool.connect({
    onTools(upstream, tools, owner) {
      // A server that lists its tools again may have restarted, so its cached answers may be stale.
      handlers.invalidate(upstream);
      if (owner === undefined) accounts.forget(upstream);
      links.noteTools({ upstream, owner }, tools);
      readerCatalog.offer({ upstream, owner }, tools);
    },
    onStateLost: handlers.invalidate,
    onLimits: policy.quota.noteLimits,
    onConnected(upstream, owner) {
      introductions.noteConnected({ upstream, owner });
      primitives.noteChange({ upstream, owner });
    },
    onRightsChanged(upstream, owner, hasRights) {
      readerCatalog.noteRights({ upstream, owner }, hasRights);
      primitives.noteChange({ upstream, owner });
    },
    onListChanged: (upstream, kind, owner) => primitives.noteChange({ upstream, owner }, kind),
    onResourceUpdated: primitives.noteUpdate,
    onLog: (sessionId, message) => audiences.tell((listener) => listener.logged(sessionId, message)),
    onAsked: (upstream, { method, outcome, caller }) =>
      policy.audit.record({
        type: 'question',
        upstream,
        method,
        outcome,
        actor: caller === undefined ? {} : describeActor(caller),
      }),
    onFirstStart: (slug) => namesWait.started(slug),
    onCannotStart: (slug) => catalog.giveUpOn(slug),
  });
  const enabled = listEnabled(live.config.upstreams);
  const tried = connected.then(() => {
    namesWait.allTried(enabled);
    return catalog.settled();
  });
  const warmedUp = Promise.race([connected, delay(WARM_UP_MS, undefined, { ref: false })]);
  void warmedUp.then(() => namesWait.warmedUp());
  return { tried, warmedUp };
}

/**
 * The time that new names wait for upstreams: those of an earlier run have the time of the start, those never seen have their own
 * from when each is started, so that one which hangs costs the others no more than that (docs/adr/0016-names-belong-to-upstreams.md).
 */
export class NamesWait {
  readonly #wait: NameSettings['wait'];
  readonly #catalog: LiveCatalog;
  readonly #timers = new Set<NodeJS.Timeout>();
  #isEnded = false;

  constructor(wait: NameSettings['wait'], catalog: LiveCatalog) {
    this.#wait = wait;
    this.#catalog = catalog;
  }

  started(slug: string): void {
    if (this.#isEnded || this.#wait === 'until tried') return;
    this.#timers.add(setTimeout(() => this.#catalog.giveUpOn(slug), this.#wait).unref());
  }

  allTried(slugs: readonly string[]): void {
    if (this.#isEnded || this.#wait !== 'until tried') return;
    for (const slug of slugs) this.#catalog.giveUpOn(slug);
  }

  warmedUp(): void {
    if (!this.#isEnded) this.#catalog.stopWaitingForKnown();
  }

  end(): void {
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
