/** The five effects an operation can have on state (MCP-AQL specification, section 6.1). */
export const CATEGORIES = ['CREATE', 'READ', 'UPDATE', 'DELETE', 'EXECUTE'] as const;

export type Category = (typeof CATEGORIES)[number];

/** What a category promises a client; the same two flags MCP calls `readOnlyHint` and `destructiveHint`. */
export interface Permissions {
  readonly readOnly: boolean;
  readonly destructive: boolean;
}

/** Specification 6.1, as data. */
export const CATEGORY_PERMISSIONS: Readonly<Record<Category, Permissions>> = {
  CREATE: { readOnly: false, destructive: false },
  READ: { readOnly: true, destructive: false },
  UPDATE: { readOnly: false, destructive: true },
  DELETE: { readOnly: false, destructive: true },
  EXECUTE: { readOnly: false, destructive: true },
};
