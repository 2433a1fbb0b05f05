import type { Operation } from '../protocol/operation.js';
import type { Diagnostic } from '../protocol/tools.js';
import type { WithheldTool } from './integrity/guard-tools.js';

/** What a name turned out to mean. Only `found` may be called. */
export type Resolution =
  | { readonly kind: 'found'; readonly operation: Operation }
  /** Several upstreams offer the bare name; none may be guessed. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Operation[] }
  /** The name is an upstream's own spelling of these operations. */
  | { readonly kind: 'raw-name'; readonly candidates: readonly Operation[] }
  /** The name is a tool's that became these operations: each fixes another value of one parameter (`fixedArguments`). */
  | { readonly kind: 'grouped'; readonly candidates: readonly Operation[] }
  /** The tool behind the name is not what an operator accepted. */
  | { readonly kind: 'quarantined'; readonly tool: WithheldTool }
  /** Nothing has the name; the nearest ones, best first, at most five. */
  | { readonly kind: 'unknown'; readonly nearest: readonly Operation[] };

/** Every operation at one moment. Immutable: a change builds a new one, and a call keeps the one it began with. */
export interface Catalog {
  /** Ordered by name, built-ins included. */
  readonly operations: readonly Operation[];
  readonly diagnostics: readonly Diagnostic[];
  /** The operation of an exposed or qualified name: one map look-up. */
  find(name: string): Operation | undefined;
  /** The same with an explanation when there is none; off the hot path. */
  resolve(name: string): Resolution;
}
