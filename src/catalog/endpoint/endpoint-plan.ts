import type { JsonSchema } from '../../base/json/json.js';
import { groupBy } from '../../base/lib/collections.js';
import {
  CATEGORIES,
  CATEGORY_PERMISSIONS,
  type Category,
  dangerRank,
  type Operation,
} from '../../base/protocol/operation.js';
import type { Diagnostic, ToolSet } from '../../base/protocol/tools.js';
import type { EndpointMode, FamilyDefinition, GatewayConfig } from '../../config/gateway-config.js';
import type { Catalog } from '../catalog.js';
import { ToolRecords } from '../integrity/tool-record.js';
import { describeTool } from './describe-tool.js';
import { listPassthroughTools, type PassthroughTool } from './passthrough-tools.js';
import { compilePlacement } from './place-operation.js';

/** Which operation belongs to which family, and how families become MCP tools. Built once per catalog. */
export interface EndpointPlan {
  readonly mode: EndpointMode;
  /** The name of the profile that the families belong to. */
  readonly profile: string;
  /** Whether an UPDATE's fields may lie beside its identifiers. */
  readonly flatUpdates: boolean;
  readonly families: readonly FamilyDefinition[];
  /** The gateway's own tools. */
  readonly tools: readonly ToolDefinition[];
  /** The upstreams' tools under their own names, those that are not listed included; none where they are not passed through. */
  readonly passthrough: readonly PassthroughTool[];
  /** What was done to the upstreams' tools so that all clients can read them. */
  readonly diagnostics: readonly Diagnostic[];
  /** The array of all tools as JSON text, written once, when it is first asked for. */
  readonly toolsJson: string;
  /** The same for clients that want structured content: the gateway's own tools have an output schema. */
  readonly structuredToolsJson: string;
  familyOf(operation: Operation): FamilyDefinition;
  /** The MCP tool through which the operation is called: its family's wherever there are tools of families. */
  toolFor(operation: Operation): string;
  /** The MCP tool of a family, by the family's name. */
  toolOfFamily(family: string): string;
  reachOf(tool: string): ToolReach;
  /** Whether policy refuses every call of the operation, so that it is offered to nobody. */
  isRefused(operation: Operation): boolean;
}

/** How tools are shown. */
export type PlanConfig = Omit<
  GatewayConfig['endpoint'],
  'errors' | 'structuredContent' | 'longestName' | 'flatUpdates'
> &
  Partial<Pick<GatewayConfig['endpoint'], 'structuredContent' | 'longestName' | 'flatUpdates'>> & {
    /** The share of their usual space that descriptions take for names, 0 to 1; 1 where absent. */
    readonly detail?: number;
    /** The categories that there can be, whatever operations there are now; all where absent. */
    readonly categories?: readonly Category[] | undefined;
  };

/** What a plan is made of beside the catalog. */
export interface PlanSource {
  /** The upstreams that the tools name, by slug: connected or not, so that the tools do not change with connections. */
  readonly servers: readonly string[];
  /** What the upstreams sent; read where their tools are passed through. */
  readonly toolSets: readonly ToolSet[];
  readonly records: ToolRecords;
  /** Whether policy refuses every call of the operation. */
  readonly isRefused: (operation: Operation) => boolean;
}

/** What an MCP tool can reach: one family, everything, one tool of an upstream, or nothing (undefined) because there is no such tool. */
type ToolReach = FamilyDefinition | 'everything' | PassthroughTool | undefined;

/**
 * These budgets keep five families under 900 tokens and the single tool under 300, the server's instructions included, even with
 * the most costly names.
 */
const FAMILY_BUDGET = 60;
const INTROSPECTING_FAMILY_BUDGET = 165;
const SINGLE_BUDGET = 88;

/** What the APIs of models take. */
const LONGEST_NAME = 64;

const SINGLE_PURPOSE = 'Call any operation of the connected servers.';
const SINGLE_TITLE = 'MCP-AQL';

/** Places every operation of a catalog in one family of the configured profile and defines the MCP tools that reach them. */
export function buildEndpointPlan(
  catalog: Catalog,
  config: PlanConfig,
  source: Partial<PlanSource> = {},
): EndpointPlan {
  const { servers = [], toolSets = [], records = new ToolRecords(), isRefused = () => false } = source;
  const { mode, toolPrefix, detail = 1, categories = CATEGORIES } = config;
  const { families } = config.profile;
  const place = compilePlacement(config.profile);
  const placed = new Map(catalog.operations.map((operation) => [operation, place(operation)]));
  const familyOf = (operation: Operation) => placed.get(operation) ?? place(operation);

  const single = toolPrefix.replace(/_+$/, '');
  const toolOfFamily = (family: string) => (mode === 'single' ? single : `${toolPrefix}${family}`);
  const introspect = catalog.find('introspect');
  const introspectTool = introspect === undefined ? single : toolOfFamily(familyOf(introspect).name);

  const exposed = mode === 'single' || mode === 'passthrough' ? [] : families;
  const members = groupBy(catalog.operations, familyOf);
  const context = { introspectTool, servers, detail, isRefused };
  const tools = exposed.map((family) =>
    defineFamilyTool(toolOfFamily(family.name), family, members.get(family) ?? [], context),
  );
  const reach = new Map<string, ToolReach>(exposed.map((family) => [toolOfFamily(family.name), family]));
  if (mode === 'single' || mode === 'all') {
    // In mode `all` the family of `introspect` names the servers.
    const ofSingle = { ...context, introspectTool: single, servers: mode === 'single' ? servers : [] };
    tools.push(defineSingleTool(categories, catalog.operations, ofSingle));
    reach.set(single, 'everything');
  }
  const { longestName = LONGEST_NAME } = config;
  const names = { taken: new Set(reach.keys()), longestName };
  const passthrough = config.passthrough
    ? listPassthroughTools(catalog, toolSets, { ...names, records, isRefused })
    : [];
  const nameOfTool = new Map<string, string>();
  const offered = passthrough.filter(({ isOffered }) => isOffered);
  // What is shown under a name comes before what only has it in full.
  for (const tool of passthrough) if (!reach.has(tool.fullName)) reach.set(tool.fullName, tool);
  for (const tool of passthrough) {
    reach.set(tool.name, tool);
    for (const { qualifiedName } of tool.operations) nameOfTool.set(qualifiedName, tool.name);
  }
  const { structuredContent = false } = config;
  const structured = tools.map((tool) => ({ ...tool, outputSchema: ENVELOPE_SCHEMA }));
  const listed = structuredContent ? structured : tools;
  let toolsJson: string | undefined;
  let structuredToolsJson: string | undefined;
  return {
    mode,
    profile: config.profile.name,
    flatUpdates: config.flatUpdates ?? false,
    families,
    tools: listed,
    passthrough,
    get diagnostics() {
      return passthrough.flatMap(({ diagnostics }) => diagnostics);
    },
    get toolsJson() {
      toolsJson ??= writeTools(listed, offered);
      return toolsJson;
    },
    get structuredToolsJson() {
      if (structuredContent) return this.toolsJson;
      structuredToolsJson ??= writeTools(structured, offered);
      return structuredToolsJson;
    },
    familyOf,
    toolFor: (operation) =>
      operation.passthrough ??
      (mode === 'passthrough' ? nameOfTool.get(operation.qualifiedName) : undefined) ??
      toolOfFamily(familyOf(operation).name),
    toolOfFamily,
    reachOf: (tool) => reach.get(tool),
    isRefused,
  };
}

/** The array of tools as JSON text. */
function writeTools(own: readonly ToolDefinition[], passthrough: readonly PassthroughTool[]): string {
  return `[${[...own.map((tool) => JSON.stringify(tool)), ...passthrough.map(({ json }) => json)].join(',')}]`;
}

interface ToolContext {
  readonly introspectTool: string;
  readonly servers: readonly string[];
  readonly detail: number;
  readonly isRefused: PlanSource['isRefused'];
}

function defineFamilyTool(
  name: string,
  family: FamilyDefinition,
  operations: readonly Operation[],
  { introspectTool, servers, detail, isRefused }: ToolContext,
): ToolDefinition {
  const categories = reachedCategories(family, operations);
  const { name: endpoint } = family;
  const onlyAdds = categories.includes('CREATE') && !isDestructive(categories);
  const replaces = onlyAdds && operations.some(mayReplace);
  const promise = replaces ? ' May replace what exists.' : ' Never changes what exists.';
  const purpose = onlyAdds ? `${family.purpose}${promise}` : family.purpose;
  const description = describeTool({
    name,
    purpose,
    categories,
    operations,
    introspectTool,
    endpoint,
    budget: detail * (name === introspectTool ? INTROSPECTING_FAMILY_BUDGET : FAMILY_BUDGET),
    servers,
    isRefused,
  });
  return defineTool(name, titleOf(endpoint), description, categories, replaces);
}

/** Whether a CREATE may overwrite: an upsert, or one that an argument makes replace. */
function mayReplace({ classification: { category, danger, risks = [] } }: Operation): boolean {
  if (category !== 'CREATE') return false;
  return [danger.level, ...risks.map((risk) => risk.danger)].some((level) => dangerRank(level) >= REPLACING_FROM);
}

const REPLACING_FROM = dangerRank('destructive');

function isDestructive(categories: readonly Category[]): boolean {
  return categories.some((category) => CATEGORY_PERMISSIONS[category].destructive);
}

/**
 * The single tool has the annotations of the most dangerous category that there can be, whatever operations there are now (companion
 * document "MCP integration").
 */
function defineSingleTool(
  possible: readonly Category[],
  operations: readonly Operation[],
  { introspectTool: name, servers, detail, isRefused }: ToolContext,
): ToolDefinition {
  const categories = CATEGORIES.filter((category) => possible.includes(category));
  const description = describeTool({
    name,
    purpose: SINGLE_PURPOSE,
    categories,
    operations,
    introspectTool: name,
    budget: detail * SINGLE_BUDGET,
    servers,
    isRefused,
  });
  return defineTool(name, SINGLE_TITLE, description, categories, operations.some(mayReplace));
}

/**
 * The categories of the operations, in the specification's order; without operations, the categories of the family; and all
 * categories where only verbs or patterns place operations, because an empty family must not look harmless.
 */
function reachedCategories(family: FamilyDefinition, operations: readonly Operation[]): readonly Category[] {
  const reached = new Set(operations.map((operation) => operation.classification.category));
  if (reached.size > 0) return CATEGORIES.filter((category) => reached.has(category));
  return family.categories.length > 0 ? family.categories : CATEGORIES;
}

function titleOf(family: string): string {
  const words = family.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An MCP tool in the gateway's own `tools/list`. */
interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Only where clients get structured content. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/**
 * The request of specification 4.1, or a batch of them (operations document, 7.1). There is no enum of names, so that the
 * schema does not grow with the catalog. Nothing is required, since a batch has no `operation`, and model APIs refuse
 * alternatives at the top level of a schema, and arrays without `items` (https://github.com/microsoft/vscode/issues/246119).
 */
const REQUEST_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    operation: { type: 'string' },
    params: { type: 'object' },
    operations: { type: 'array', items: { type: 'object' } },
  },
};

/** An MCP tool with the annotations of the most dangerous category that it reaches. */
function defineTool(
  name: string,
  title: string,
  description: string,
  categories: readonly Category[],
  replaces = false,
): ToolDefinition {
  const readOnly = categories.every((category) => CATEGORY_PERMISSIONS[category].readOnly);
  return {
    name,
    title,
    description,
    inputSchema: REQUEST_SCHEMA,
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: replaces || isDestructive(categories),
      idempotentHint: readOnly,
      openWorldHint: true,
    },
  };
}

/**
 * The answer of an operation or of a batch (specification 5.1; operations document, 7.5), as the output schema of the gateway's own tools.
 * It forbids no other member: later versions may have more. `data` may be any JSON value, which the schema of an object says by leaving
 * its type out; strict clients refuse lists of types. Refusals that carry `isError` need not match, and do.
 */
const ENVELOPE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    data: { description: 'What the operation gave: any JSON value.' },
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, details: { type: 'object' } },
      required: ['code', 'message'],
    },
    warnings: {
      type: 'array',
      items: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' } },
        required: ['code', 'message'],
      },
    },
    results: { type: 'array', items: { type: 'object' }, description: 'Of a batch: what each operation gave.' },
    summary: { type: 'object', description: 'Of a batch.' },
    halted_at: { type: 'object', description: 'Of a batch that stopped: the operation that needs a confirmation.' },
    pending_operations: { type: 'array', items: { type: 'object' }, description: 'Of a batch that stopped.' },
    _meta: { type: 'object' },
  },
  required: ['success'],
};
