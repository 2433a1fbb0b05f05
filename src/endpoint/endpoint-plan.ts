import type { FamilyDefinition } from '../config/gateway-config.js';
import type { JsonSchema } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';

/** An MCP tool as the gateway's own `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** What a called MCP tool may reach: one family, everything, or nothing because there is no such tool. */
export type ToolReach = FamilyDefinition | 'everything' | undefined;

/** Which operation stands in which family, and how families become MCP tools. Built once per catalog. */
export interface EndpointPlan {
  readonly mode: 'semantic' | 'single' | 'all';
  readonly families: readonly FamilyDefinition[];
  readonly tools: readonly ToolDefinition[];
  /** The array of tools as JSON text, written once. */
  readonly toolsJson: string;
  familyOf(operation: Operation): FamilyDefinition;
  /** The MCP tool through which the operation is called; in mode `all` its family's. */
  toolFor(operation: Operation): string;
  /** The MCP tool of a family, by the family's name. */
  toolOfFamily(family: string): string;
  reachOf(tool: string): ToolReach;
}
