import { createHash, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { StateStore } from '../../store/state-store.js';
import { type Challenge, readChallenge, stateOf, writeChallenge } from './challenge.js';

/** What a challenge is about. */
export type ChallengeSubject = Omit<Challenge, 'id' | 'issuedAt' | 'expiresAt' | 'digest' | 'end' | 'by'>;

/** Brings codes to people in ways that no model can read. Never throws, and is not waited for. */
export type Announce = (challenge: Challenge, code: string) => void;

interface ChallengesDeps {
  readonly store: Pick<StateStore, 'insert' | 'get' | 'replace' | 'list' | 'increment'>;
  readonly expiresSeconds: number;
  readonly announce: Announce;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** How long a challenge is known after its code has expired, so that a late code is answered as such. */
const KEPT_MS = 3_600_000;

/** A pause or a block outlives its code: what a person decides about it is kept so long. */
const HELD_MS = 30 * 86_400_000;

/** The challenges of all gateways that share the store. Of a code only the digest is kept, and it is good for one attempt. */
export class Challenges {
  readonly #deps: ChallengesDeps;
  readonly #now: () => number;
  readonly #attempts: Attempts;

  constructor(deps: ChallengesDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#attempts = new Attempts(deps.store, this.#now);
  }

  /** Asks people about an action. */
  async issue(about: ChallengeSubject): Promise<Challenge> {
    const { store, expiresSeconds, announce } = this.#deps;
    const code = makeCode();
    const issuedAt = this.#now();
    const expiresAt = issuedAt + expiresSeconds * 1_000;
    const challenge: Challenge = { ...about, id: randomUUID(), issuedAt, expiresAt, digest: digestCode(code) };
    const keptUntil = about.kind === 'verify' ? expiresAt + KEPT_MS : issuedAt + HELD_MS;
    await store.insert('challenge', challenge.id, writeChallenge(challenge), { expiresAt: keptUntil });
    if (await this.#attempts.mayAnnounce(about.subject)) announce(challenge, code);
    return challenge;
  }

  /** Another challenge about the same, where the last one is used up; undefined where there were too many. */
  async renew(used: Challenge): Promise<Challenge | undefined> {
    if (!(await this.#attempts.mayRenew(used.subject))) return undefined;
    const { id: _id, issuedAt: _issued, expiresAt: _expires, digest: _digest, end: _end, by: _by, ...about } = used;
    return this.issue(about);
  }

  async find(id: string): Promise<Challenge | undefined> {
    const record = await this.#deps.store.get('challenge', id);
    return record === undefined ? undefined : readChallenge(id, record.value);
  }

  /** Those that wait for a person. */
  async open(): Promise<readonly Challenge[]> {
    const records = await this.#deps.store.list('challenge');
    return records
      .flatMap(({ key, value }) => readChallenge(key, value) ?? [])
      .filter(({ kind, end, expiresAt }) => end === undefined && (kind !== 'verify' || expiresAt > this.#now()));
  }

  /**
   * Takes a code, which is good for one attempt: a wrong or late one uses the challenge up. Another subject's challenge is not found, as its
   * attempts would use up codes that are not its own. Rejects with the failure.
   * @param kinds those that the caller may answer in this way
   */
  async redeem(id: string, code: string, subject: string, kinds: readonly Challenge['kind'][]): Promise<Challenge> {
    const attempt = await this.#attempts.begin(subject);
    const record = await this.#deps.store.get('challenge', id);
    const challenge = record === undefined ? undefined : readChallenge(id, record.value);
    if (
      record === undefined ||
      challenge === undefined ||
      challenge.subject !== subject ||
      !kinds.includes(challenge.kind)
    )
      throw unknownChallenge(id);
    const state = stateOf(challenge, this.#now());
    const isRight = isCode(code, challenge.digest);
    const agreed = state === 'open' && isRight;
    const ended: Challenge = { ...challenge, end: agreed ? 'agreed' : 'failed', ...(agreed ? { by: 'code' } : {}) };
    const isFirst =
      challenge.end === undefined &&
      (await this.#deps.store.replace('challenge', id, record.version, writeChallenge(ended)));
    if (!isFirst) throw usedChallenge(id);
    if (state === 'expired') throw expiredChallenge(id);
    if (!isRight) throw wrongCode(id);
    await attempt.takeOff();
    return ended;
  }

  /** An operator agrees without a code; undefined where there is nothing to agree to any more. */
  async settle(id: string, by: string): Promise<Challenge | undefined> {
    const record = await this.#deps.store.get('challenge', id);
    const challenge = record === undefined ? undefined : readChallenge(id, record.value);
    if (record === undefined || challenge === undefined || challenge.end === 'agreed') return undefined;
    const agreed: Challenge = { ...challenge, end: 'agreed', by };
    const isDone = await this.#deps.store.replace('challenge', id, record.version, writeChallenge(agreed));
    return isDone ? agreed : undefined;
  }

  /** A new code for an operator to read; the one before no longer counts. Undefined where the challenge does not wait. */
  async showCode(id: string): Promise<string | undefined> {
    const record = await this.#deps.store.get('challenge', id);
    const challenge = record === undefined ? undefined : readChallenge(id, record.value);
    if (record === undefined || challenge === undefined || stateOf(challenge, this.#now()) !== 'open') return undefined;
    const code = makeCode();
    const next = writeChallenge({ ...challenge, digest: digestCode(code) });
    return (await this.#deps.store.replace('challenge', id, record.version, next)) ? code : undefined;
  }
}

function unknownChallenge(id: string): OperationError {
  return new OperationError(
    'NOT_FOUND_RESOURCE',
    `Unknown challenge: '${id}'. Use the 'verificationId' of your last directive or refusal`,
    { resource_type: 'challenge', resource_id: id },
  );
}

function wrongCode(id: string): OperationError {
  const message = `Wrong code: it used up challenge '${id}'. Report your next step again to get another challenge, and ask a person for its code`;
  return new OperationError('TOKEN_INVALID', message, { challenge_id: id });
}

function expiredChallenge(id: string): OperationError {
  const message = `Challenge '${id}' has expired. Report your next step again to get another challenge, and ask a person for its code`;
  return new OperationError('TOKEN_EXPIRED', message, { challenge_id: id });
}

function usedChallenge(id: string): OperationError {
  const message = `Challenge '${id}' was answered before, and a code counts once. Report your next step again to learn how things stand`;
  return new OperationError('TOKEN_ALREADY_USED', message, { challenge_id: id });
}

/** Crockford's alphabet: no letter that people take for another one or for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 28 characters of 5 bits each are 140 bits; the specification asks for 128. */
const GROUPS = 7;
const GROUP_LENGTH = 4;

/** What a code begins with, so that it is known wherever it stands and never recorded (`protocol/secret-forms.ts`). */
const PREFIX = 'VC';

/** A new code from the system's source of randomness: `VC-7K2M-...`. */
export function makeCode(): string {
  const group = (): string => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return [PREFIX, ...Array.from({ length: GROUPS }, group)].join('-');
}

/** What is kept of a code. A code has too many possible values for its digest to be searched. */
function digestCode(code: string): string {
  return createHash('sha256').update(spell(code)).digest('hex');
}

/** Whether a person's spelling of a code is the one with this digest; takes as long for each. */
function isCode(entered: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestCode(entered), 'hex'), Buffer.from(digest, 'hex'));
}

/** In capitals and without hyphens and blanks, with the letters that stand for digits read as these. */
function spell(code: string): string {
  return code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
}

/** Failed attempts in one minute of one subject (specification, section 8.8.5). */
const MOST_FAILURES = 10;

/** Challenges that replace used-up ones, of one subject in one minute: each of them reaches people. */
const MOST_RENEWALS = 5;

/** Challenges of one subject in one minute that are brought to people; operators see the others when they look. */
const MOST_ANNOUNCED = 20;

const MINUTE_MS = 60_000;

/** Counts what could be used for guessing, in minutes of the clock, over all processes and restarts. */
class Attempts {
  readonly #store: Pick<StateStore, 'increment'>;
  readonly #now: () => number;

  constructor(store: Pick<StateStore, 'increment'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Counts an attempt before its code is looked at, so that attempts at one time cannot exceed the limit together; an attempt with the right
   * code is taken off again. Rejects with RATE_LIMIT_EXCEEDED.
   */
  async begin(subject: string): Promise<{ readonly takeOff: () => Promise<void> }> {
    const expiresAt = endOfMinute(this.#now());
    const counter = `challenge-failures/${subject}/${expiresAt}`;
    const { added } = await this.#store.increment([{ counter, by: 1, expiresAt, limit: MOST_FAILURES }]);
    if (!added) throw limitExceeded(expiresAt, this.#now());
    return { takeOff: async () => void (await this.#store.increment([{ counter, by: -1, expiresAt }])) };
  }

  /** Whether one more challenge may take the place of one that is used up. */
  mayRenew(subject: string): Promise<boolean> {
    return this.#count(`challenge-renewals/${subject}`, MOST_RENEWALS);
  }

  /** Whether one more code may be sent to people, so that an agent that starts again and again does not flood them. */
  mayAnnounce(subject: string): Promise<boolean> {
    return this.#count(`challenge-announcements/${subject}`, MOST_ANNOUNCED);
  }

  async #count(name: string, limit: number): Promise<boolean> {
    const expiresAt = endOfMinute(this.#now());
    return (await this.#store.increment([{ counter: `${name}/${expiresAt}`, by: 1, expiresAt, limit }])).added;
  }
}

function endOfMinute(now: number): number {
  return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
}

function limitExceeded(resetsAt: number, now: number): OperationError {
  const seconds = Math.ceil((resetsAt - now) / 1_000);
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `Limit of ${MOST_FAILURES} failed verifications per minute reached. Try again in ${seconds} seconds`,
    {
      limit: MOST_FAILURES,
      remaining: 0,
      window: 'minute',
      resets_at: new Date(resetsAt).toISOString(),
      retry_after_seconds: seconds,
    },
  );
}
