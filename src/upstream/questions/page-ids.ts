import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.js';
import type { AskChannel, Question } from '../../base/protocol/ask.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';

/**
 * Carries the questions of a server of 2026-07-28, which gives a page no id. Clients of the earlier revisions know each page by one, and are
 * told by it that what their user did there is done.
 */
export class PageIds implements AskChannel {
  readonly #ask: AskChannel;
  readonly #opened = new Set<string>();

  constructor(ask: AskChannel) {
    this.#ask = ask;
  }

  get caller(): AskChannel['caller'] {
    return this.#ask.caller;
  }

  get abilities(): AskChannel['abilities'] {
    return this.#ask.abilities;
  }

  async ask(question: Question, cancellation: Cancellation): Promise<JsonObject> {
    const { params } = question;
    if (this.#ask.completed === undefined || params['mode'] !== 'url' || params['elicitationId'] !== undefined)
      return this.#ask.ask(question, cancellation);
    const elicitationId = randomUUID();
    const answer = await this.#ask.ask({ ...question, params: { ...params, elicitationId } }, cancellation);
    if (answer['action'] === 'accept') this.#opened.add(elicitationId);
    return answer;
  }

  /** To be called when the server has gone on: it has what it wanted of the pages. */
  settle(): void {
    for (const id of this.#opened) this.#ask.completed?.(id, false);
    this.#opened.clear();
  }
}
