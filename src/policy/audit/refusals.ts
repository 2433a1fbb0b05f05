import type { AuditEvent } from './audit-event.js';

/** What one source left out, as the journal says it. */
interface SkippedRefusals {
  readonly source: string;
  readonly count: number;
  /** ISO 8601. */
  readonly since: string;
}

interface Window {
  readonly endsAt: number;
  characters: number;
  skipped: SkippedRefusals | undefined;
}

const WINDOW_MS = 3_600_000;

/** More sources than this share one window: sources are the configured clients and operators. */
const MAX_SOURCES = 1_000;

/**
 * Bounds what the refusals of one source may write in an hour. Calls that ran are always recorded; a refused call costs its
 * caller nothing, so that without a bound one caller could fill the journals and have other callers' records removed.
 */
export class RefusalShares {
  readonly #characters: number;
  readonly #windows = new Map<string, Window>();

  constructor(charactersPerHour: number) {
    this.#characters = charactersPerHour;
  }

  /** Whether the refusal may be recorded; it is counted otherwise. @param now milliseconds since the epoch */
  admits(source: string, characters: number, now: number): boolean {
    const name = this.#windows.has(source) || this.#windows.size < MAX_SOURCES ? source : 'others';
    const window = this.#windows.get(name) ?? { endsAt: now + WINDOW_MS, characters: 0, skipped: undefined };
    this.#windows.set(name, window);
    if (window.characters + characters <= this.#characters) {
      window.characters += characters;
      return true;
    }
    const { count, since } = window.skipped ?? { count: 0, since: new Date(now).toISOString() };
    window.skipped = { source: name, count: count + 1, since };
    return false;
  }

  /** Ends the windows that are over, and returns what was left out in them. */
  end(now: number): readonly SkippedRefusals[] {
    const over = [...this.#windows].filter(([, { endsAt }]) => endsAt <= now);
    for (const [source] of over) this.#windows.delete(source);
    return over.flatMap(([, { skipped }]) => (skipped === undefined ? [] : [skipped]));
  }
}

const REFUSED_BEFORE_IT_RAN = /^(?:PERMISSION|TOKEN|CONFIRMATION|RATE_LIMIT|VALIDATION)_/;

/** Whether an event costs whoever causes it nothing: a call that did not run, or a sign-in that was refused. */
export function isRefusal(event: AuditEvent): boolean {
  if (event.type === 'decision') return event.outcome === 'denied' || event.outcome === 'confirmation_required';
  if (event.type === 'token') return event.event === 'TOKEN_REJECTED' || event.event === 'TOKEN_ISSUED';
  if (event.type === 'sign_in') return event.event === 'refused';
  return event.type === 'call' && REFUSED_BEFORE_IT_RAN.test(event.code);
}

/** Who causes an event. All unauthenticated callers are one source, because anybody can open another session; those who fail to sign in are another. */
export function sourceOf(event: AuditEvent): string {
  if (!('actor' in event)) return 'gateway';
  if (event.type === 'sign_in' && event.event === 'refused') return 'sign-ins';
  const { client, user, operator } = event.actor;
  if (user !== undefined) return `user/${user}`;
  if (client !== undefined) return `client/${client}`;
  return operator === undefined ? 'anonymous' : `operator/${operator}`;
}
