import { type Operation, QUALIFIER } from '../base/protocol/operation.js';
import type { Diagnostic } from '../base/protocol/tools.js';
import type { WithheldTool } from './integrity/guard-tools.js';
import type { NameHolders } from './names.js';

/** What a name means. Only `found` may be called. */
export type Resolution =
  | { readonly kind: 'found'; readonly operation: Operation }
  /** Several upstreams offer the bare name, or offered it when it was first seen; the gateway does not guess. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Operation[] }
  /** The bare name is not given yet, as an upstream that may own it has never been seen. */
  | { readonly kind: 'waiting'; readonly candidates: readonly Operation[] }
  /** The bare name belongs to an upstream that does not offer it now; others may offer it under qualified names. */
  | { readonly kind: 'held'; readonly owner: string; readonly candidates: readonly Operation[] }
  /** The name is qualified with a configured upstream that has no such operation; the most similar ones of that upstream. */
  | { readonly kind: 'absent'; readonly upstream: string; readonly nearest: readonly Operation[] }
  /** The name is qualified with something that is no upstream; similar slugs, or all of a few. */
  | { readonly kind: 'unknown-upstream'; readonly prefix: string; readonly nearest: readonly string[] }
  /** The protocol keeps the name for operations that this gateway does not have (specification 8.5.4). */
  | { readonly kind: 'reserved' }
  /** The name is another spelling of these operations, such as the upstream's own. */
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
  /** The slugs of all configured upstreams, with or without operations. */
  readonly upstreams: readonly string[];
  /** Who holds which bare name; the next catalog starts from this. */
  readonly holders: NameHolders;
  /** The operation of an exposed or qualified name: one map look-up. */
  find(name: string): Operation | undefined;
  /** The same with an explanation when there is none; slower, so not for the fast path. */
  resolve(name: string): Resolution;
  /** Of a part: the catalog that it is taken from. */
  readonly whole?: Catalog;
}

/** A catalog that is no part of another. */
export interface WholeCatalog extends Catalog {
  /** The catalog of a part. Names mean the same in it as here, or nothing. */
  within(part: CatalogPart): Catalog;
}

/** What a catalog shows where it does not show everything. */
export interface CatalogPart {
  /** The operation as the part has it; undefined for one that is outside. */
  readonly show: (operation: Operation) => Operation | undefined;
  /** The slugs of the upstreams that exist in it, with or without operations. */
  readonly upstreams: ReadonlySet<string>;
}

/**
 * An upstream's operation by a name from the configuration: its qualified name, its name within the upstream, or the name of
 * its tool. Undefined where there is none, and where the tool is offered in several parts.
 */
export function findOperation({ find, operations }: Catalog, upstream: string, name: string): Operation | undefined {
  const named = [find(name), find(`${upstream}${QUALIFIER}${name}`)].find((found) => found?.upstream === upstream);
  if (named !== undefined) return named;
  const ofTool = operations.filter((operation) => operation.upstream === upstream && operation.tool === name);
  return ofTool.length === 1 ? ofTool[0] : undefined;
}
