import type { Caller } from '../protocol/caller.js';
import type { Operation } from '../protocol/operation.js';

/** Counts a call against its budgets before it runs; says no by throwing an `OperationError`. */
export type Quota = (operation: Operation, caller: Caller) => void | Promise<void>;

/** The quota of a gateway that has none configured. */
export const unlimitedQuota: Quota = () => undefined;
