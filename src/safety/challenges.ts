import { randomUUID } from 'node:crypto';
import { OperationError } from '../protocol/operation-error.js';
import type { StateStore } from '../store/state-store.js';
import { Attempts } from './attempts.js';
import { type Challenge, readChallenge, stateOf, writeChallenge } from './challenge.js';
import { digestCode, isCode, makeCode } from './code.js';

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

export function unknownChallenge(id: string): OperationError {
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
