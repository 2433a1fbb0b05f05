import type { ServerResponse } from 'node:http';
import { isJsonObject } from '../../protocol/json.js';
import type { Authenticated } from '../auth/authenticated.js';

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
