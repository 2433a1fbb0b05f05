import type { JsonObject } from '../base/json/json.js';
import type { Gateway } from '../gateway/gateway.js';

/** An operation of the gateway, with the MCP tool that offers it. */
export type OfferedOperation = ReturnType<Gateway['operations']>[number];

/** The revisions of MCP with sessions, and those without; a client negotiates within its era. */
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

/** The faces of the gateway that are held against the server. */
export const FACES = ['passthrough', 'semantic', 'single'] as const;
export type Face = (typeof FACES)[number];

/** `refused`: it works directly and is refused. `changed`: something else comes. `lost`: something does not come. `slower`: much later. */
export type DifferenceKind = 'refused' | 'changed' | 'lost' | 'slower';

/** One thing that a client gets otherwise through the gateway. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly face: Face;
  readonly era: Era;
  /** What is different, as "tool 'get_x'". */
  readonly subject: string;
  /** What came directly and what came through, in words. */
  readonly message: string;
  /** The page of the documentation that says so, where it is decided. */
  readonly decision?: string;
}

/** What was found of one server. */
export interface ServerComparison {
  readonly server: string;
  /** Why it was not compared; absent where it was. */
  readonly problem?: string;
  /** How many of each were compared, over all faces and eras. */
  readonly compared: { readonly listed: number; readonly calls: number };
  /** Calls of which two direct ones differ, so that only their outcome was compared. */
  readonly varying: number;
  readonly differences: readonly Difference[];
}

/** A call by the server's own names. */
export interface PlannedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What a client gets of a list, by the identity of its items. */
export type Listed = ReadonlyMap<string, JsonObject>;

/** The lists of a server or of a face: tools by name, resources by URI, templates by theirs, prompts by name. */
export interface Lists {
  readonly tools: Listed;
  readonly resources: Listed;
  readonly templates: Listed;
  readonly prompts: Listed;
}

/** What a call came to. */
export interface Outcome {
  /** The result as the client got it; undefined where the call failed with an error of JSON-RPC. */
  readonly result?: JsonObject;
  readonly error?: string;
  readonly tookMs: number;
}
