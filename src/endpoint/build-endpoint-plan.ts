import type { Catalog } from '../catalog/catalog.js';
import type { FamilyDefinition, GatewayConfig } from '../config/gateway-config.js';
import { CATEGORIES, type Category } from '../protocol/category.js';
import { groupBy } from '../protocol/group-by.js';
import type { Operation } from '../protocol/operation.js';
import { defineTool } from './define-tool.js';
import { describeTool } from './describe-tool.js';
import type { EndpointPlan, ToolDefinition, ToolReach } from './endpoint-plan.js';
import { compilePlacement } from './place-operation.js';

/** Keep five families under 900 tokens and the single tool under 300, with the hardest names there are. */
const FAMILY_BUDGET = 75;
const SINGLE_BUDGET = 150;

const SINGLE_PURPOSE = 'Call any operation of the connected servers.';
const SINGLE_TITLE = 'MCP-AQL';

/** Places every operation of a catalog in one family of the configured profile and makes the MCP tools that reach them. */
export function buildEndpointPlan(catalog: Catalog, config: GatewayConfig['endpoint']): EndpointPlan {
  const { mode, toolPrefix } = config;
  const { families } = config.profile;
  const place = compilePlacement(config.profile);
  const placed = new Map(catalog.operations.map((operation) => [operation, place(operation)]));
  const familyOf = (operation: Operation) => placed.get(operation) ?? place(operation);

  const single = toolPrefix.replace(/_+$/, '');
  const toolOfFamily = (family: string) => (mode === 'single' ? single : `${toolPrefix}${family}`);
  const introspect = catalog.find('introspect');
  const introspectTool = introspect === undefined ? single : toolOfFamily(familyOf(introspect).name);

  const exposed = mode === 'single' ? [] : families;
  const members = groupBy(catalog.operations, familyOf);
  const tools = exposed.map((family) =>
    defineFamilyTool(toolOfFamily(family.name), family, members.get(family) ?? [], introspectTool),
  );
  const reach = new Map<string, ToolReach>(exposed.map((family) => [toolOfFamily(family.name), family]));
  if (mode !== 'semantic') {
    tools.push(defineSingleTool(single, catalog.operations));
    reach.set(single, 'everything');
  }
  return {
    mode,
    families,
    tools,
    toolsJson: JSON.stringify(tools),
    familyOf,
    toolFor: (operation) => toolOfFamily(familyOf(operation).name),
    toolOfFamily,
    reachOf: (tool) => reach.get(tool),
  };
}

function defineFamilyTool(
  name: string,
  family: FamilyDefinition,
  operations: readonly Operation[],
  introspectTool: string,
): ToolDefinition {
  const categories = reachedCategories(family, operations);
  const { purpose, name: endpoint } = family;
  const description = describeTool({
    name,
    purpose,
    categories,
    operations,
    introspectTool,
    endpoint,
    budget: FAMILY_BUDGET,
  });
  return defineTool(name, titleOf(endpoint), description, categories);
}

/** The one tool promises nothing but the worst, whatever stands behind it today (companion document "MCP integration"). */
function defineSingleTool(name: string, operations: readonly Operation[]): ToolDefinition {
  const description = describeTool({
    name,
    purpose: SINGLE_PURPOSE,
    categories: CATEGORIES,
    operations,
    introspectTool: name,
    budget: SINGLE_BUDGET,
  });
  return defineTool(name, SINGLE_TITLE, description, CATEGORIES);
}

/**
 * What the operations are, in the specification's order; while there are none, what the family takes; and anything at all
 * where verbs or patterns alone decide: an empty family must not look harmless.
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
