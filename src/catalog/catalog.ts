import type { Operation } from '../protocol/operation.js';
import type { Diagnostic } from '../protocol/tools.js';
import type { WithheldTool } from './integrity/guard-tools.js';

/** What a name means. Only `found` may be called. */
export type Resolution =
  | { readonly kind: 'found'; readonly operation: Operation }
  /** Several upstreams offer the bare name; the gateway does not guess. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Operation[] }
  /** The name is an upstream's own spelling of these operations. */
  | { readonly kind: 'raw-name'; readonly candidates: readonly Operation[] }
  /** The name is a tool's that became these operations: each fixes another value of one parameter (`fixedArguments`). */
  | { readonly kind: 'grouped'; readonly candidates: readonly Operation[] }
  /** The definition of the tool differs from what an operator accepted. */
  | { readonly kind: 'quarantined'; readonly tool: WithheldTool }
  /** No operation has the name; the most similar ones, best first, at most five. */
  | { readonly kind: 'unknown'; readonly nearest: readonly Operation[] };

/** Every operation at one moment. Immutable: a change builds a new one, and a call keeps the one it began with. */
export interface Catalog {
  /** Ordered by name, built-ins included. */
  readonly operations: readonly Operation[];
  readonly diagnostics: readonly Diagnostic[];
  /** The operation of an exposed or qualified name: one map look-up. */
  find(name: string): Operation | undefined;
  /** The same with an explanation when there is none; slower, so not for the fast path. */
  resolve(name: string): Resolution;
}
