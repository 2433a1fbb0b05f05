import { type Category, GATEWAY_SOURCE, NAME_PATTERN, type Operation, type Parameter } from '../protocol/operation.js';
import { offerOperations } from './order-by-use.js';

/** The parts of a tool's description. */
interface ToolContents {
  /** The tool's own name. */
  readonly name: string;
  /** What the tool is for, in one sentence. */
  readonly purpose: string;
  readonly categories: readonly Category[];
  readonly operations: readonly Operation[];
  /** The MCP tool that answers `introspect`. */
  readonly introspectTool: string;
  /** The family to give to `introspect`; all families where absent. */
  readonly endpoint?: string;
  /**
   * The cost of the example and the named operations together, as `textCost` counts. The rest of a description has a fixed
   * length, so this bounds its size, whatever names upstreams choose.
   */
  readonly budget: number;
}

/**
 * Describes to a model what a tool is for, how to call it, which operations it has and how to find the others (companion
 * document "MCP integration"). Only names of operations and parameters appear: every model reads the description, and other
 * texts of upstreams are not trusted.
 */
export function describeTool(contents: ToolContents): string {
  const { purpose, categories } = contents;
  return `${purpose} [${categories.join(', ')}] ${describeOperations(contents)} ${describeDiscovery(contents)}`;
}

/** The best operation as an example, the names of the next ones, and the number of all others. */
function describeOperations({ operations, budget }: ToolContents): string {
  const served = operations.filter(({ upstream }) => upstream !== GATEWAY_SOURCE);
  const offered = [...offerOperations(served)];
  // Names of random letters can make an example cost more than everything else.
  const first = offered.slice(0, MOST_EXAMPLES).find((each) => textCost(sketchRequest(each)) <= budget);
  if (first === undefined) return served.length === 0 ? 'No operations yet.' : `Operations: ${served.length}.`;
  const example = sketchRequest(first);
  const others = offered.filter((each) => each !== first);
  const names = takeAffordable(others, budget - textCost(example));
  const more = served.length - names.length - 1;
  const parts = [...(names.length > 0 ? [names.join(', ')] : []), ...(more > 0 ? [`${more} more`] : [])];
  return `Example: ${example}.${parts.length > 0 ? ` Also ${parts.join(' and ')}.` : ''}`;
}

/** How many operations are tried as the example. */
const MOST_EXAMPLES = 10;

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
 * Every tool shows the call; only the tool of `introspect` explains how to narrow it down. The quotes are single, because
 * the escaped double quotes of JSON inside JSON cost half as many tokens again.
 */
function describeDiscovery({ name, introspectTool, endpoint }: ToolContents): string {
  const scope = endpoint === undefined ? '' : `,endpoint:'${endpoint}'`;
  const call = `Find more: ${introspectTool} {operation:'introspect',params:{query:'operations'${scope}}}`;
  return name === introspectTool ? `${call}; add search:'…', or name:'…' for its parameters` : call;
}

/** The most parameters in `params` and in `input` each; an ellipsis stands for the others. */
const MOST_FIELDS = 2;

/** Longer parameter names are left out: they come from upstreams that are not trusted. */
const LONGEST_PARAMETER_NAME = 20;

/** A request with ellipses for its values: `{operation:'update_issue',params:{id:…,input:{title:…}}}`. */
export function sketchRequest({ name, classification, parameters }: Operation): string {
  const required = parameters.filter((parameter) => parameter.required);
  const fields = sketchFields(required.filter(({ place }) => place === 'params'));
  const input = sketchFields(required.filter(({ place }) => place === 'input'));
  // An UPDATE has an `input` even where no single field of it is required (specification 4.5).
  if (classification.category === 'UPDATE') fields.push(`input:{${input.join(',') || '…'}}`);
  return `{operation:'${name}',params:{${fields.join(',')}}}`;
}

function sketchFields(parameters: readonly Parameter[]): string[] {
  const sketched = parameters
    .slice(0, MOST_FIELDS)
    .filter(({ name }) => name.length <= LONGEST_PARAMETER_NAME && NAME_PATTERN.test(name));
  const fields = sketched.map(({ name }) => `${name}:…`);
  return sketched.length < parameters.length ? [...fields, '…'] : fields;
}

/**
 * An upper estimate, in characters, of the token cost of a text made of names: words of fewer than three letters count as
 * three, since a token is seldom shorter. Counting tokens exactly takes longer than building a catalog.
 */
function textCost(text: string): number {
  return text.split(/[^a-z0-9]+/).reduce((cost, word) => cost + (word === '' ? 0 : Math.max(3, word.length + 1)), 0);
}
