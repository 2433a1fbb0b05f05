import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { StateStore, StoredRecord } from '../../store/state-store.js';

/** One agent that may do nothing until a person has lifted it. */
export interface Block {
  readonly subject: string;
  readonly agent: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The challenge whose code lifts it. */
  readonly challenge: string;
}

/** A block ends when a person ends it. */
const FOR_GOOD_MS = 100 * 365 * 86_400_000;

/**
 * The blocks of all gateways that share the store. They are kept by subject, not by the name that a client gives its agent: another name, session
 * or execution of the same client is blocked as well.
 */
export class Blocks {
  readonly #store: Pick<StateStore, 'insert' | 'get' | 'replace' | 'remove' | 'list'>;

  constructor(store: Pick<StateStore, 'insert' | 'get' | 'replace' | 'remove' | 'list'>) {
    this.#store = store;
  }

  async of(subject: string): Promise<readonly Block[]> {
    const record = await this.#store.get('agent_block', subject);
    return record === undefined ? [] : readBlocks(record);
  }

  async all(): Promise<readonly Block[]> {
    return (await this.#store.list('agent_block')).flatMap(readBlocks);
  }

  add(block: Block): Promise<void> {
    return this.#change(block.subject, (blocks) => [...blocks, block]);
  }

  /** A new challenge takes the place of one that is used up. */
  rechallenge(subject: string, before: string, after: string): Promise<void> {
    return this.#change(subject, (blocks) =>
      blocks.map((block) => (block.challenge === before ? { ...block, challenge: after } : block)),
    );
  }

  /** Lifts the block of a challenge, or those of an agent, or all of a subject. */
  lift(subject: string, which: Partial<Pick<Block, 'challenge' | 'agent'>> = {}): Promise<void> {
    const isMeant = ({ challenge, agent }: Block): boolean =>
      (which.challenge ?? challenge) === challenge && (which.agent ?? agent) === agent;
    return this.#change(subject, (blocks) => blocks.filter((block) => !isMeant(block)));
  }

  /** Tries again where another process changed the record at the same time. */
  async #change(subject: string, change: (blocks: readonly Block[]) => readonly Block[]): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      if (await this.#tryChange(subject, change)) return;
    }
    throw new OperationError('INTERNAL_ERROR', `Internal error: 'the block of an agent could not be kept'`, {
      reason: 'unavailable',
      retryable: true,
    });
  }

  async #tryChange(subject: string, change: (blocks: readonly Block[]) => readonly Block[]): Promise<boolean> {
    const record = await this.#store.get('agent_block', subject);
    const after = change(record === undefined ? [] : readBlocks(record));
    const value: JsonObject = { blocks: after.map(({ subject: _subject, ...block }) => block) };
    if (record !== undefined) return this.#store.replace('agent_block', subject, record.version, value);
    return (
      after.length === 0 || this.#store.insert('agent_block', subject, value, { expiresAt: Date.now() + FOR_GOOD_MS })
    );
  }
}

const MOST_ATTEMPTS = 20;

function readBlocks({ key, value }: StoredRecord): readonly Block[] {
  const { blocks } = value;
  if (!Array.isArray(blocks)) return [];
  return blocks.filter(isJsonObject).map(({ agent, reason, since, challenge }) => ({
    subject: key,
    agent: String(agent),
    reason: String(reason),
    since: Number(since),
    challenge: String(challenge),
  }));
}
