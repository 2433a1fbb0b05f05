import { createHash, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import type { ErrorCode } from '../../base/protocol/error-table.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { UsedTokens } from '../../policy/confirmation/kept-calls.js';
import { seal, unseal } from '../../policy/confirmation/seal.js';
import { keyOfCaller, ownerOf } from '../../policy/rules/caller-key.js';
import { failClosed } from '../../store/fail-closed.js';
import type { StateStore } from '../../store/state-store.js';

interface StoppedProgramsOptions {
  readonly store: StateStore;
  /** The digest of the configuration that is in force: what stopped under another one does not go on. */
  readonly configuration: () => string;
  readonly keptMs: () => number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Which program may go on, and for whom. */
interface ProgramOwner {
  /** The operation that ran it. */
  readonly operation: string;
  readonly caller: Caller;
}

interface OpenedProgram {
  /** As it was kept. */
  readonly state: JsonObject;
  /** Takes it, atomically over processes: of many attempts one resolves, and the others reject. Nothing gives it back. */
  take(): Promise<void>;
}

/** Who sees a token's form knows what it is for. */
const PREFIX = 'program_';
const RANDOM_BYTES = 32;
const PURPOSE = 'mcp-aql-gateway: a stopped program';

/** Of all programs of one caller within an hour, in characters. */
const MOST_OF_CALLER = 268_435_456;
const HOUR_MS = 3_600_000;

/** How long a token that was used or has expired is told from an unknown one. */
const REMEMBERED_MS = HOUR_MS;

/**
 * The programs that have stopped for a confirmation, with the answers that they got. They are encrypted with a key that follows from the
 * token, of which the store has a digest only, so that each gateway of the store can let one go on when its token comes back, and a stolen
 * store holds nothing to read.
 */
export class StoppedPrograms {
  readonly #store: StateStore;
  readonly #configuration: () => string;
  readonly #keptMs: () => number;
  readonly #now: () => number;
  readonly #used = new UsedTokens();

  constructor({ store, configuration, keptMs, now = Date.now }: StoppedProgramsOptions) {
    this.#store = failClosed(store);
    this.#configuration = configuration;
    this.#keptMs = keptMs;
    this.#now = now;
  }

  /** Rejects with RATE_LIMIT_EXCEEDED where the caller keeps too much. @returns the token, and when it expires in milliseconds since the epoch */
  async keep(state: JsonObject, { operation, caller }: ProgramOwner): Promise<{ token: string; expiresAt: number }> {
    const token = `${PREFIX}${randomBytes(RANDOM_BYTES).toString('base64url')}`;
    const now = this.#now();
    const sealed = seal(JSON.stringify(state), token, PURPOSE);
    await this.#count(sealed.length, caller, now);
    const expiresAt = now + this.#keptMs();
    const session = ownerOf(caller);
    const record = { session, operation, configuration: this.#configuration(), expiresAt, usedAt: null, sealed };
    const options = { expiresAt: expiresAt + REMEMBERED_MS, tag: session };
    if (!(await this.#store.insert('program', keyOf(token), record, options)))
      throw new Error('two programs have the same token');
    return { token, expiresAt };
  }

  /** Rejects with a TOKEN_* error for a token of another caller, operation or configuration, and for one that was used or has expired. */
  async open(token: string, owner: ProgramOwner): Promise<OpenedProgram> {
    const key = keyOf(token);
    const record = await this.#store.get('program', key);
    const value = record?.value;
    if (record === undefined || value?.['session'] !== ownerOf(owner.caller))
      throw refuse('TOKEN_INVALID', 'is unknown');
    if (value['usedAt'] !== null || this.#used.usedAt(key) !== undefined) throw alreadyUsed();
    if (value['operation'] !== owner.operation)
      throw refuse('TOKEN_SCOPE_MISMATCH', `is for '${String(value['operation'])}'`);
    if (value['configuration'] !== this.#configuration())
      throw refuse('TOKEN_INVALID', "is void, because the gateway's configuration has changed");
    const state =
      this.#now() < Number(value['expiresAt']) ? unseal(String(value['sealed']), token, PURPOSE) : undefined;
    if (!isJsonObject(state)) throw refuse('TOKEN_EXPIRED', 'has expired');
    return {
      state,
      take: async () => {
        const usedAt = this.#now();
        const { sealed: _sealed, ...rest } = value;
        const isTaken = await this.#store.replace('program', key, record.version, { ...rest, usedAt });
        if (!isTaken || this.#used.usedAt(key) !== undefined) throw alreadyUsed();
        // A store that is put back to an earlier state would let it go on twice.
        this.#used.note(key, usedAt, Number(value['expiresAt']) + REMEMBERED_MS);
      },
    };
  }

  async endSession(sessionId: string): Promise<void> {
    await this.#store.removeTagged('program', sessionId);
  }

  async #count(characters: number, caller: Caller, now: number): Promise<void> {
    const hour = Math.floor(now / HOUR_MS);
    const counter = `programs/kept/${hour}/${keyOfCaller(caller)}`;
    const step = { counter, by: characters, expiresAt: (hour + 2) * HOUR_MS, limit: MOST_OF_CALLER };
    const { added } = await this.#store.increment([step]);
    if (added) return;
    throw new OperationError(
      'RATE_LIMIT_EXCEEDED',
      'The stopped programs of this caller hold too much within this hour to keep another one',
      { reason: 'programs_kept', retry_after_seconds: Math.ceil(((hour + 1) * HOUR_MS - now) / 1_000) },
    );
  }
}

/** A digest, so that a stolen store holds no token that can be used. */
function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function alreadyUsed(): OperationError {
  return refuse('TOKEN_ALREADY_USED', 'was used: its program has gone on, and its calls do not run twice');
}

/** Why a program does not go on. */
export function refuse(code: ErrorCode, why: string): OperationError {
  return new OperationError(
    code,
    `The program token ${why}. Nothing has run. Find out which calls the program has made before you run it from its beginning`,
    { param_name: 'program_token' },
  );
}
