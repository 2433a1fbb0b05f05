import type { AskChannel, Question } from '../../protocol/ask.js';
import type { Cancellation } from '../../protocol/cancellation.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { UpstreamFault } from '../fault.js';
import { answerRound, MAX_ROUNDS } from '../questions/answer-rounds.js';
import type { AskSettings } from '../questions/ask-client.js';

/** A channel that knows how many questions wait for an answer. */
export class CountedAsk implements AskChannel {
  open = 0;
  readonly #ask: AskChannel;

  constructor(ask: AskChannel) {
    this.#ask = ask;
  }

  get caller(): AskChannel['caller'] {
    return this.#ask.caller;
  }

  get abilities(): AskChannel['abilities'] {
    return this.#ask.abilities;
  }

  completed(elicitationId: string, isOver: boolean): void {
    this.#ask.completed?.(elicitationId, isOver);
  }

  async ask(question: Question, cancellation: Cancellation): Promise<JsonObject> {
    this.open += 1;
    try {
      return await this.#ask.ask(question, cancellation);
    } finally {
      this.open -= 1;
    }
  }
}

interface TaskQuestionsOptions {
  readonly ask: AskChannel | undefined;
  readonly settings: AskSettings;
  readonly ended: Cancellation;
  /** Sends answers to the task. */
  readonly update: (responses: unknown) => Promise<unknown>;
}

/** What a task of 2026-07-28 asks: its status holds the questions, each of which is asked once. */
export class TaskQuestions {
  readonly #options: TaskQuestionsOptions;
  readonly #asked = new Set<string>();
  #rounds = 0;
  #open = 0;
  #failure: unknown;

  constructor(options: TaskQuestionsOptions) {
    this.#options = options;
  }

  /**
   * Asks what a status has that was not asked yet. Returns whether any question waits.
   * @throws UpstreamFault where a question has no answer
   */
  take({ status, inputRequests }: JsonObject): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (status !== 'input_required' || !isJsonObject(inputRequests)) return this.#open > 0;
    const fresh = Object.entries(inputRequests).filter(([key]) => !this.#asked.has(key));
    if (fresh.length > 0) void this.#answer(fresh);
    return this.#open > 0;
  }

  async #answer(fresh: readonly (readonly [string, unknown])[]): Promise<void> {
    const { ask, settings, ended, update } = this.#options;
    for (const [key] of fresh) this.#asked.add(key);
    this.#rounds += 1;
    this.#open += 1;
    const input = { inputRequests: Object.fromEntries(fresh) };
    try {
      if (ask === undefined) throw new UpstreamFault('input-required', 'it asks the client for input', { input });
      if (this.#rounds > MAX_ROUNDS)
        throw new UpstreamFault('input-required', `it asked in more than ${MAX_ROUNDS} rounds`);
      const { inputResponses } = await answerRound(input, ended, ask, settings);
      await update(inputResponses);
    } catch (failure) {
      this.#failure = failure;
    } finally {
      this.#open -= 1;
    }
  }
}
