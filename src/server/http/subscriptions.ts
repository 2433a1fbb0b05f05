import type { ServerResponse } from 'node:http';
import { isJsonObject } from '../../base/json/json.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Authenticated } from '../auth/authenticated.js';
import type { LogLevels } from '../mcp/log-levels.js';
import type { ModernHandler } from '../mcp/sdk-handler.js';
import { isStreamSubscriber } from '../mcp/stream-watches.js';
import { writeListChanged, writeResourceUpdated } from '../mcp/write-result.js';
import type { LegacySessions } from './sessions.js';

/** Open subscriptions of one client; a client needs one, and a second while it reconnects. */
const MAX_PER_CLIENT = 16;

const TOO_MANY_OF_CLIENT = `You have ${MAX_PER_CLIENT} open subscriptions, as many as one client may have. Close one before you open another.`;

/** Counts the open `subscriptions/listen` streams of each client and of all together. */
export class Subscriptions {
  readonly #counts = new Map<string, number>();
  readonly #max: number;
  readonly #open = new Map<ServerResponse, Authenticated | undefined>();

  /** @param max of all clients together. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a subscription until its response closes; says why where there are too many. */
  open(sessionId: string, response: ServerResponse, client?: Authenticated): string | undefined {
    const count = this.#counts.get(sessionId) ?? 0;
    if (count >= MAX_PER_CLIENT) return TOO_MANY_OF_CLIENT;
    if (this.#open.size >= this.#max) {
      return `Every one of ${this.#max} subscriptions is in use. Try again later; the operator can raise server.maxSessions.`;
    }
    this.#counts.set(sessionId, count + 1);
    this.#open.set(response, client);
    response.once('close', () => this.#close(sessionId, response));
    return undefined;
  }

  /** Ends the streams of these clients, who open them again where they still may. */
  endStreams(isOf: (client: Authenticated | undefined) => boolean): void {
    for (const [response, client] of this.#open) if (isOf(client)) response.end();
  }

  #close(sessionId: string, response: ServerResponse): void {
    this.#open.delete(response);
    const count = (this.#counts.get(sessionId) ?? 1) - 1;
    if (count === 0) this.#counts.delete(sessionId);
    else this.#counts.set(sessionId, count);
  }
}

export function isSubscription(message: unknown): boolean {
  return isJsonObject(message) && message['method'] === 'subscriptions/listen';
}

/** Where news goes. */
interface Listening {
  readonly sessions: LegacySessions;
  readonly modern: ModernHandler;
  readonly logs: LogLevels;
}

/** Sends news of changes to those who listen. Returns a function that ends it. */
export function passNewsOn(gateway: Gateway, { sessions, modern, logs }: Listening): () => void {
  const stopTools = gateway.onToolsChanged(() => {
    sessions.notify(writeListChanged('tools'));
    modern.notify.toolsChanged();
  });
  const stopOthers = gateway.native.listen({
    listChanged(kind) {
      sessions.notify(writeListChanged(kind));
      if (kind === 'prompts') modern.notify.promptsChanged();
      else modern.notify.resourcesChanged();
    },
    resourceUpdated(uri, subscribers) {
      // The SDK finds the streams that have named it.
      if ([...subscribers].some(isStreamSubscriber)) modern.notify.resourceUpdated(uri);
      sessions.notify(writeResourceUpdated(uri), (sessionId) => subscribers.has(sessionId));
    },
    logged(sessionId, message) {
      const text = sessionId === undefined ? undefined : logs.messageFor(sessionId, message);
      if (text !== undefined) sessions.notify(text, (id) => id === sessionId);
    },
  });
  return () => {
    stopTools();
    stopOthers();
  };
}
