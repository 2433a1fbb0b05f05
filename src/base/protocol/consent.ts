import type { JsonObject } from '../json/json.js';
import type { Cancellation } from './cancellation.js';

/** The answer of the person who uses the client. `cancel` means that the question was closed without an answer: no consent. */
export type ConsentAnswer = 'accept' | 'decline' | 'cancel';

/**
 * A channel to the person who uses the client, which the model cannot answer: MCP elicitation. Absent from a call whose
 * client has not declared that capability.
 *
 * - `live`: the question is sent while the call waits (`elicitation/create` before 2026-07-28). Rejects when the client
 *   fails to ask.
 * - `retry`: the call is answered with the question (`input_required`) and the client calls again with `state` and the answer.
 */
export type UserChannel =
  | { readonly kind: 'live'; readonly ask: (question: string, cancellation: Cancellation) => Promise<ConsentAnswer> }
  | {
      readonly kind: 'retry';
      /** The state that was sent with the question, and the answer. Absent on a first attempt. */
      readonly returned?: { readonly state: string; readonly answer: ConsentAnswer };
    };

/**
 * The answer to one question about several calls, given before they run. Policy makes it and reads it; what lies between hands it
 * on with each of the calls.
 */
export interface SharedConsent {
  /** The answer for this call, once; undefined where the question was not about it. @param call policy's key of the call */
  take(call: string): SharedAnswer | undefined;
}

export type SharedAnswer =
  | { readonly agreed: true; readonly tokenId: string; readonly by: string }
  | { readonly agreed: false; readonly reason: string; readonly details: JsonObject };

/** Thrown through the pipeline when a client of the `retry` kind must ask its user and call again. */
export class InputRequired extends Error {
  /** The text that the person reads. */
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
