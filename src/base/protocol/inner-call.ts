import type { JsonObject } from '../json/json.js';
import type { Caller } from './caller.js';
import type { Cancellation } from './cancellation.js';
import type { Category, Operation } from './operation.js';

/** Which operations a call may reach that a handler makes. */
export interface InnerReach {
  /** The family whose tool the call stands for; absent where it may be any. */
  readonly family?: string | undefined;
  /** Throws where the call may not be made. @param operation as the call uses it */
  readonly admits: (operation: Operation) => void;
}

/** The characters that a call has got of others, by their operations: its own answer is made of them. */
export type AnswerParts = Map<Operation, number>;

/** What a call within a call belongs to. */
export interface Within extends InnerReach {
  readonly parts: AnswerParts | undefined;
}

/** One call as a handler makes it; what it names is unchecked. */
export interface InnerCall extends InnerReach {
  /** What stands for the tool in refusals. */
  readonly tool: string;
  readonly operation: unknown;
  readonly params: unknown;
  /** Of the call that makes it, with what tells its calls apart. */
  readonly caller: Caller;
  /** With it, all of its calls end. */
  readonly cancellation: Cancellation;
}

/** What a call would be, and what policy says of its operation. */
export interface ForeseenCall {
  readonly operation: string;
  readonly category: Category;
  readonly params: JsonObject;
  readonly effect: 'allow' | 'confirm' | 'deny';
}
