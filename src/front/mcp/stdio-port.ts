import { Cancellation } from '../../protocol/cancellation.js';
import type { AnswerPort } from './calls-in-flight.js';
import type { LineWriter } from './line-writer.js';

/** A request that is answered with a line. */
export class StdioPort implements AnswerPort {
  readonly cancellation = new Cancellation();
  readonly canNotify = true;
  readonly #writer: LineWriter;
  #done = false;

  constructor(writer: LineWriter) {
    this.#writer = writer;
  }

  notify(text: string): void {
    if (!this.#done) this.#writer.write(text);
  }

  answer(text: string): void {
    if (this.#done) return;
    this.#done = true;
    this.#writer.write(text);
  }

  cancel(reason: string): void {
    if (this.#done) return;
    this.#done = true;
    this.cancellation.cancel(reason);
  }
}
