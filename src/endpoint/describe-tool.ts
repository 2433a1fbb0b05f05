import type { Category } from '../protocol/category.js';
import { GATEWAY_SOURCE, type Operation } from '../protocol/operation.js';
import { offerOperations } from './offer-operations.js';
import { sketchRequest } from './sketch-request.js';
import { textCost } from './text-cost.js';

/** What a tool's description is made of. */
export interface ToolContents {
  /** The tool's own name. */
  readonly name: string;
  /** What the tool is for, in one sentence. */
  readonly purpose: string;
  readonly categories: readonly Category[];
  readonly operations: readonly Operation[];
  /** The MCP tool that answers `introspect`. */
  readonly introspectTool: string;
  /** The family to ask `introspect` for; everything where absent. */
  readonly endpoint?: string;
  /**
   * What the example and the named operations may cost, as `textCost` counts. Everything else is fixed, so this is what
   * keeps a description flat, whoever chose the names.
   */
  readonly budget: number;
}

/**
 * Tells a model what a tool is for, how to call it, what else it can do and how to see the rest (companion document "MCP
 * integration"). Of operations only their names and parameter names appear: a description is read before anybody has
 * asked for it, and other texts of a server are not ours to vouch for.
 */
export function describeTool(contents: ToolContents): string {
  const { purpose, categories } = contents;
  return `${purpose} [${categories.join(', ')}] ${describeOperations(contents)} ${describeDiscovery(contents)}`;
}

/** The best operation as an example, the names of the next ones, and how many there are beyond them. */
function describeOperations({ operations, budget }: ToolContents): string {
  const served = operations.filter(({ upstream }) => upstream !== GATEWAY_SOURCE);
  const [first, ...others] = offerOperations(served);
  if (first === undefined) return served.length === 0 ? 'No operations yet.' : `Operations: ${served.length}.`;
  const example = sketchRequest(first);
  const names = takeAffordable(others, budget - textCost(example));
  const more = served.length - names.length - 1;
  const parts = [...(names.length > 0 ? [names.join(', ')] : []), ...(more > 0 ? [`${more} more`] : [])];
  return `Example: ${example}.${parts.length > 0 ? ` Also ${parts.join(' and ')}.` : ''}`;
}

function takeAffordable(operations: readonly Operation[], budget: number): readonly string[] {
  const names: string[] = [];
  let left = budget;
  for (const { name } of operations) {
    const cost = textCost(name);
    if (cost > left) continue;
    left -= cost;
    names.push(name);
  }
  return names;
}

/**
 * Every tool shows the call; how to narrow it down is told once, where `introspect` is called. Single quotes, because the
 * escaped double quotes of JSON inside JSON cost half as many tokens again.
 */
function describeDiscovery({ name, introspectTool, endpoint }: ToolContents): string {
  const scope = endpoint === undefined ? '' : `,endpoint:'${endpoint}'`;
  const call = `Find more: ${introspectTool} {operation:'introspect',params:{query:'operations'${scope}}}`;
  return name === introspectTool ? `${call}; add search:'…', or name:'…' for its parameters` : call;
}
