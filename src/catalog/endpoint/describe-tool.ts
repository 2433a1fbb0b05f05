import {
  type Category,
  GATEWAY_SOURCE,
  NAME_PATTERN,
  type Operation,
  type Parameter,
} from '../../base/protocol/operation.js';
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
   * The cost of the example, the named servers and the named operations together, as `textCost` counts. The rest of a description
   * has a fixed length, so this bounds its size, whatever names upstreams choose.
   */
  readonly budget: number;
  /** The servers to name; for the tool of `introspect` alone. */
  readonly servers: readonly string[];
  /** Whether policy refuses every call of the operation: then it is counted, and not named. */
  readonly isRefused: (operation: Operation) => boolean;
}

/**
 * Describes to a model what a tool is for, how to call it, which servers and operations it has and how to find the others (companion
 * document "MCP integration"). Only names of servers, operations and parameters appear: every model reads the description, and
 * other texts of upstreams are not trusted.
 */
export function describeTool(contents: ToolContents): string {
  const { purpose, categories, budget } = contents;
  const served = contents.operations.filter(({ upstream, appOnly }) => upstream !== GATEWAY_SOURCE && appOnly !== true);
  const offered = offerOperations(served.filter((operation) => !contents.isRefused(operation)));
  // Names of random letters can make an example cost more than everything else.
  const first = offered
    .slice(0, MOST_EXAMPLES)
    .find((operation) => textCost(sketchRequest(operation)) <= Math.min(budget, EXAMPLE_BUDGET));
  const left = first === undefined ? budget : budget - textCost(sketchRequest(first));
  const servers = contents.name === contents.introspectTool ? takeAffordable(contents.servers, left) : [];
  const others = offered.filter((operation) => operation !== first).map(({ name }) => name);
  const names = takeAffordable(others, left - textCost(servers.join(' ')));
  return [
    `${purpose} [${categories.join(', ')}]`,
    describeOperations(served.length, first, names),
    describeDiscovery(contents, servers),
  ].join(' ');
}

const EXAMPLE_BUDGET = 75;

/** The best operation as an example, the names of the next ones, and the number of all others. */
function describeOperations(count: number, first: Operation | undefined, names: readonly string[]): string {
  if (first === undefined) return count === 0 ? 'No operations yet.' : `Operations: ${count}.`;
  const also = countOthers(names, count - names.length - 1);
  return `Example: ${sketchRequest(first)}.${also === '' ? '' : ` Also ${also}.`}`;
}

/** `a, b and 3 more` */
function countOthers(names: readonly string[], more: number): string {
  return [...(names.length > 0 ? [names.join(', ')] : []), ...(more > 0 ? [`${more} more`] : [])].join(' and ');
}

/** How many operations are tried as the example. */
const MOST_EXAMPLES = 10;

function takeAffordable(names: readonly string[], budget: number): readonly string[] {
  let left = budget;
  return names.filter((name) => {
    const cost = textCost(name);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/**
 * The tool of `introspect` shows the first call, and names the servers; the others only where they stand in it. The quotes are
 * single, because the escaped double quotes of JSON inside JSON cost half as many tokens again.
 */
function describeDiscovery(
  { name, introspectTool, endpoint, servers: all }: ToolContents,
  servers: readonly string[],
): string {
  const scope = endpoint === undefined ? '' : `,endpoint:'${endpoint}'`;
  if (name !== introspectTool) return `Find more: ${introspectTool} introspect {query:'operations'${scope}}`;
  const named = servers.length === 0 ? '' : `: ${countOthers(servers, all.length - servers.length)}`;
  const first = `First: {operation:'introspect',params:{query:'upstreams'}} maps the servers${named}.`;
  return `${first} Then query:'operations'${scope} with search:'…', or name:'…' for parameters`;
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
