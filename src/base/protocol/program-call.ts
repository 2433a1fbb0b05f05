import type { JsonObject } from '../json/json.js';
import type { Caller } from './caller.js';
import type { Cancellation } from './cancellation.js';
import type { Category } from './operation.js';

/** Which operations a call may reach that a program makes. */
export interface ProgramReach {
  /** The family whose tool the call stands for; absent where it may be any. */
  readonly family?: string | undefined;
  /** Set where it may do nothing but read. */
  readonly readsOnly: boolean;
}

/** One call as a program makes it; what it names is unchecked. */
export interface ProgramCall extends ProgramReach {
  readonly operation: unknown;
  readonly params: unknown;
  /** The program's caller, with the program's id. */
  readonly caller: Caller;
  /** Of the program: with it, all of its calls end. */
  readonly cancellation: Cancellation;
}

/** What a call would be, and what policy says of its operation. */
export interface ForeseenCall {
  readonly operation: string;
  readonly category: Category;
  readonly params: JsonObject;
  readonly effect: 'allow' | 'confirm' | 'deny';
}
