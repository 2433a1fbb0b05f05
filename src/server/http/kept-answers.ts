import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Replicas } from '../../gateway/gateway.js';
import { lengthOf, type MessageText, piecesOf } from '../mcp/message-text.js';

/** The session of a call whose client may come back for its answer. */
export interface AnswerOwner {
  readonly caller: { readonly sessionId: string };
  /** Who was authenticated; absent where nobody is, and such a session is known to one process alone. */
  readonly holder: { readonly owner: string } | undefined;
}

/** A call that goes on, whoever reads its stream. */
interface OngoingCall {
  /** Sends what follows over this event stream. */
  moveTo(response: ServerResponse): void;
}

/** What a client finds that names the last event which it has read. */
export type FoundAnswer = OngoingCall | readonly Buffer[] | undefined;

/** Of the answers that are kept: how many and how much, of one session and of all, and for how long. */
const MOST_OF_SESSION = 8;
const BYTES_OF_SESSION = 4 * 1_048_576;
const MOST_BYTES = 32 * 1_048_576;
const LIFE_MS = 300_000;

/** Calls that go on without their clients, of one session and of all; beyond it, a lost connection ends the call. */
const MOST_LOST_OF_SESSION = 32;
const MOST_LOST = 1_024;

/** How often it is asked whether another replica has the answer by now. */
const LOOK_MS = 1_000;

interface Kept {
  readonly session: string;
  readonly bytes: Buffer;
  readonly expiresAt: number;
}

/**
 * The calls of sessions whose answers came, or will come, over an event stream: a client that has lost the stream names its last event
 * and reads on (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery). With a shared
 * store any replica finds the answers of authenticated clients. docs/adr/0041-a-lost-connection-cancels-nothing.md
 */
export class KeptAnswers {
  readonly #shared: Pick<Replicas['results'], 'get' | 'put'> | undefined;
  readonly #ongoing = new Map<string, { readonly session: string; readonly call: OngoingCall }>();
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #lost = new Map<string, number>();
  #bytes = 0;
  #allLost = 0;

  /** @param shared where replicas find answers; undefined where there are none */
  constructor(shared?: Pick<Replicas['results'], 'get' | 'put'>) {
    this.#shared = shared;
  }

  /** Notes the stream of a call; returns the key that its events' ids begin with. */
  begin({ caller, holder }: AnswerOwner, call: OngoingCall): string {
    const key = randomBytes(16).toString('hex');
    this.#ongoing.set(key, { session: caller.sessionId, call });
    if (holder !== undefined) this.#share(key, caller.sessionId, holder.owner, PENDING);
    return key;
  }

  /** The call has ended, with an answer or without one. */
  end(key: string, { caller: { sessionId }, holder }: AnswerOwner, answer: MessageText = ''): void {
    this.#ongoing.delete(key);
    const isKept = answer.length > 0 && lengthOf(answer) <= BYTES_OF_SESSION;
    if (!isKept && holder === undefined) return;
    const bytes = Buffer.concat(piecesOf(answer));
    if (holder !== undefined) this.#share(key, sessionId, holder.owner, bytes);
    if (!isKept) return;
    this.#dropOld(Date.now());
    const own = [...this.#kept].filter(([, { session }]) => session === sessionId);
    let ownBytes = own.reduce((sum, [, each]) => sum + each.bytes.length, bytes.length);
    for (const [index, [oldest, each]] of own.entries()) {
      if (own.length - index < MOST_OF_SESSION && ownBytes <= BYTES_OF_SESSION) break;
      ownBytes -= each.bytes.length;
      this.#drop(oldest);
    }
    this.#kept.set(key, { session: sessionId, bytes, expiresAt: Date.now() + LIFE_MS });
    this.#bytes += bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#drop(oldest);
    }
  }

  /** Where the stream goes on that had this event; a promise where another replica has to be asked. */
  find(eventId: string, { caller: { sessionId }, holder }: AnswerOwner): FoundAnswer | Promise<FoundAnswer> {
    const [key = ''] = eventId.split('.');
    const ongoing = this.#ongoing.get(key);
    if (ongoing !== undefined) return ongoing.session === sessionId ? ongoing.call : undefined;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.expiresAt > Date.now()) return kept.session === sessionId ? [kept.bytes] : undefined;
    return holder === undefined || this.#shared === undefined ? undefined : this.#ask(key, sessionId, this.#shared);
  }

  /** Whether a call may go on whose client is gone; counts it until `found`. */
  lose({ caller: { sessionId } }: AnswerOwner): boolean {
    const own = this.#lost.get(sessionId) ?? 0;
    if (own >= MOST_LOST_OF_SESSION || this.#allLost >= MOST_LOST) return false;
    this.#lost.set(sessionId, own + 1);
    this.#allLost += 1;
    return true;
  }

  found({ caller: { sessionId } }: AnswerOwner): void {
    const own = (this.#lost.get(sessionId) ?? 1) - 1;
    if (own === 0) this.#lost.delete(sessionId);
    else this.#lost.set(sessionId, own);
    this.#allLost -= 1;
  }

  /** What others have of it in the store ends by itself, and is found by nobody else. */
  endSession(sessionId: string): void {
    for (const [key, { session }] of [...this.#kept]) if (session === sessionId) this.#drop(key);
  }

  /** Drops what has been kept long enough. @param now in milliseconds since the epoch */
  #dropOld(now: number): void {
    for (const [key, { expiresAt }] of this.#kept) {
      if (expiresAt > now) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes.length ?? 0;
    this.#kept.delete(key);
  }

  #share(key: string, sessionId: string, owner: string, bytes: Buffer): void {
    // A call takes at most an hour; its answer is kept as long as here.
    const expiresAt = Date.now() + (bytes === PENDING ? 12 * LIFE_MS : LIFE_MS);
    // Where the store is away, the answer is found in this process alone.
    this.#shared?.put(nameOf(key, sessionId), bytes, { owner, expiresAt }).catch(() => undefined);
  }

  async #ask(key: string, sessionId: string, shared: Pick<Replicas['results'], 'get'>): Promise<FoundAnswer> {
    const read = (): Promise<Buffer | undefined> => shared.get(nameOf(key, sessionId)).catch(() => undefined);
    const bytes = await read();
    if (bytes === undefined || bytes.length === 0) return undefined;
    if (!bytes.equals(PENDING)) return [bytes];
    return { moveTo: (response) => void this.#follow(response, read) };
  }

  /** Waits for the answer of a call that another replica has. */
  async #follow(response: ServerResponse, read: () => Promise<Buffer | undefined>): Promise<void> {
    for (let bytes: Buffer | undefined = PENDING; !response.destroyed; bytes = await read()) {
      if (bytes === undefined || bytes.length === 0) break;
      if (!bytes.equals(PENDING)) {
        response.end(Buffer.concat([Buffer.from('event: message\ndata: '), bytes, Buffer.from('\n\n')]));
        return;
      }
      await delay(LOOK_MS, undefined, { ref: false });
    }
    response.end();
  }
}

/** In place of an answer that is to come: no JSON is so. */
const PENDING = Buffer.from('pending');

function nameOf(key: string, sessionId: string): string {
  return `answer ${sessionId} ${key}`;
}
