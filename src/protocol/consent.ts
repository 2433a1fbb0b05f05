import type { Cancellation } from './cancellation.js';

/** What the person behind a client answered. A closed window is a `cancel`: no answer, and so no consent. */
export type ConsentAnswer = 'accept' | 'decline' | 'cancel';

/**
 * A way to the person behind the client that the model cannot take: MCP elicitation. Absent from a call whose client has not
 * declared that capability.
 *
 * - `live`: the question goes out while the call waits (`elicitation/create` before 2026-07-28). Rejects when the client
 *   fails to ask.
 * - `retry`: the call is answered with the question (`input_required`) and comes back with `state` and the answer.
 */
export type UserChannel =
  | { readonly kind: 'live'; readonly ask: (question: string, cancellation: Cancellation) => Promise<ConsentAnswer> }
  | {
      readonly kind: 'retry';
      /** What came back: the state that went out with the question, and the answer. Absent on a first attempt. */
      readonly returned?: { readonly state: string; readonly answer: ConsentAnswer };
    };

/** Thrown up the hallway when a client of the `retry` kind must ask its user and call again. */
export class InputRequired extends Error {
  /** For the person. */
  readonly question: string;
  /** Opaque to the client, which sends it back with the answer. */
  readonly state: string;

  constructor(question: string, state: string) {
    super('the client must ask its user and call again');
    this.name = 'InputRequired';
    this.question = question;
    this.state = state;
  }
}
