import { isJsonObject } from '../../base/json/json.js';
import { isLogLevel, type LogLevel } from '../../base/protocol/log-message.js';
import type { Replicas } from '../../gateway/gateway.js';

/** What a replica needs to know of a session to go on with it, beside what its id says. */
export interface SessionRecord {
  readonly clientName: string;
  /** Which of the servers' log messages the client has asked for. */
  readonly logLevel?: LogLevel;
}

/** What is kept of a session that its client has ended. */
const ENDED = Buffer.from('ended');

/** A session is not lost because the store was slow to hear of it. */
const SLACK_MS = 120_000;

/**
 * The sessions of authenticated legacy clients, as every replica finds them. A replica that is sent a request of a session that it
 * does not know goes on with it, where the record says that it has not ended. What cannot move stays where it was: the client's open
 * stream, a question that it is being asked, and its own instances of isolated upstreams.
 */
export class SharedSessions {
  readonly #replicas: Replicas;
  readonly #lifeMs: number;

  /** @param idleMs after which a session that is not used has ended */
  constructor(replicas: Replicas, idleMs: number) {
    this.#replicas = replicas;
    this.#lifeMs = idleMs + SLACK_MS;
  }

  /** Signs the ids of sessions in every replica; undefined while it is not known. */
  get key(): Buffer | undefined {
    return this.#replicas.keyFor('sessions');
  }

  /** Resolves when other replicas can go on with the session, or cannot because the store is away. Never rejects. */
  async keep(sessionId: string, owner: string, record: SessionRecord): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(record));
    const expiresAt = Date.now() + this.#lifeMs;
    await this.#replicas.sessions.put(sessionId, bytes, { owner, expiresAt }).catch(ignore);
  }

  /** `ended` where there is no record; `unknown` where the store cannot say. */
  async find(sessionId: string): Promise<SessionRecord | 'ended' | 'unknown'> {
    try {
      const bytes = await this.#replicas.sessions.get(sessionId);
      return bytes === undefined || bytes.equals(ENDED) ? 'ended' : readRecord(bytes);
    } catch {
      return 'unknown';
    }
  }

  /** Whether the client has ended the session in any replica. A store that was emptied, or is away, does not say so. */
  async hasEnded(sessionId: string): Promise<boolean> {
    const bytes = await this.#replicas.sessions.get(sessionId).catch(ignore);
    return bytes?.equals(ENDED) === true;
  }

  renew(sessionId: string): void {
    this.#replicas.sessions.renew(sessionId, Date.now() + this.#lifeMs).catch(ignore);
  }

  /** Resolves when no replica takes the session over any more, and those that have it can know. Never rejects. */
  async end(sessionId: string, owner: string): Promise<void> {
    const expiresAt = Date.now() + this.#lifeMs;
    await this.#replicas.sessions.put(sessionId, ENDED, { owner, expiresAt }).catch(ignore);
  }
}

/** The store's own state says what is wrong. */
function ignore(): void {}

function readRecord(bytes: Buffer): SessionRecord | 'unknown' {
  const record: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isJsonObject(record) || typeof record['clientName'] !== 'string') return 'unknown';
  const { clientName, logLevel } = record;
  return { clientName, ...(isLogLevel(logLevel) && { logLevel }) };
}
