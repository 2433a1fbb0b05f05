import type { JsonObject } from '../json/json.js';

/** One value that an update changes. */
export interface ValueChange {
  /** The names of members that lead to it from the resource. */
  readonly path: readonly string[];
  /** Absent where there is none. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What an update that merges would make of the resource as it is now. */
export type UpdatePreview =
  | {
      readonly known: true;
      /** The name of the READ that found the resource. */
      readonly read: string;
      readonly before: JsonObject;
      /** As far as the gateway can know: what a server does beyond the call is not in it. */
      readonly after: JsonObject;
      /** How they differ: members of objects one by one, lists as a whole. */
      readonly changes: readonly ValueChange[];
      /** Equal for equal changes, without revealing them. */
      readonly digest: string;
    }
  | {
      readonly known: false;
      /** Why the resource could not be read. */
      readonly why: string;
    };
