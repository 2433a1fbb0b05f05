import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { Answer } from './evidence.js';
import type { Probe } from './probe.js';

/** A parameter as introspection documents it. */
export interface DocumentedParameter extends JsonObject {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** An operation as introspection documents it, and where it comes from. */
export interface DocumentedOperation {
  readonly name: string;
  readonly category: string;
  /** The MCP tool to call it through. */
  readonly tool: string;
  readonly parameters: readonly DocumentedParameter[];
  /** The parameters of the first example of its own: valid, as far as introspection knows. */
  readonly example: JsonObject;
  readonly upstream: string;
  /** The tool's own name behind the gateway. */
  readonly upstreamTool: string;
  readonly details: JsonObject;
}

/** What introspection says of a gateway, whole. */
export interface CatalogView {
  readonly operations: readonly DocumentedOperation[];
  readonly operationsList: Answer;
  readonly typesList: Answer;
  readonly typeDetails: readonly JsonObject[];
}

/** More on a page than any catalog that is served in one piece has; further pages are asked for where there are any. */
const PAGE_SIZE = 500;

/** Reads the whole of introspection: both lists, every operation's details, every type's details. */
export async function readCatalog(probe: Probe): Promise<CatalogView> {
  const operationsList = await readWholeList(probe, 'operations');
  const typesList = await readWholeList(probe, 'types');
  const operations: DocumentedOperation[] = [];
  for (const { name } of namedItems(operationsList, 'operations')) {
    const operation = await readOperation(probe, name);
    if (operation !== undefined) operations.push(operation);
  }
  const typeDetails: JsonObject[] = [];
  for (const { name } of namedItems(typesList, 'types')) {
    const details = dataOf(await probe.introspect({ query: 'types', name }))['type'];
    if (isJsonObject(details)) typeDetails.push(details);
  }
  return { operations, operationsList, typesList, typeDetails };
}

/** The first page's answer with the items of all pages. */
async function readWholeList(probe: Probe, query: 'operations' | 'types'): Promise<Answer> {
  const first = await probe.introspect({ query, first: PAGE_SIZE });
  if (!first.success) return first;
  const items: JsonObject[] = [...namedItems(first, query)];
  let after = nextCursor(first);
  while (after !== undefined) {
    const page = await probe.introspect({ query, first: PAGE_SIZE, after });
    items.push(...namedItems(page, query));
    after = nextCursor(page);
  }
  return { ...first, data: { ...dataOf(first), [query]: items } };
}

/** The cursor of the next page: among the paging facts of `_protocol`, or for types of the answer's `_meta`. */
function nextCursor(answer: Answer): string | undefined {
  const facts = dataOf(answer)['_protocol'] ?? answer['_meta'];
  const page = isJsonObject(facts) ? facts['page'] : undefined;
  return isJsonObject(page) && typeof page['after'] === 'string' ? page['after'] : undefined;
}

async function readOperation(probe: Probe, name: string): Promise<DocumentedOperation | undefined> {
  const query = { query: 'operations', name };
  const details = dataOf(await probe.introspect(query))['operation'];
  if (!isJsonObject(details)) return undefined;
  const withOrigin = dataOf(await probe.introspect({ ...query, include: ['classification'] }))['operation'];
  const origin =
    isJsonObject(withOrigin) && isJsonObject(withOrigin['classification']) ? withOrigin['classification'] : {};
  return {
    name,
    category: textOf(details['semantic_category']),
    tool: textOf(details['mcpTool']),
    parameters: Array.isArray(details['parameters']) ? details['parameters'].filter(isParameter) : [],
    example: exampleOf(details),
    upstream: textOf(origin['upstream']),
    upstreamTool: textOf(origin['tool']),
    details,
  };
}

function exampleOf(details: JsonObject): JsonObject {
  const examples: unknown[] = Array.isArray(details['examples']) ? details['examples'] : [];
  for (const example of examples) {
    const request = isJsonObject(example) ? example['request'] : undefined;
    if (isJsonObject(request) && isJsonObject(request['params'])) return request['params'];
  }
  return {};
}

function isParameter(value: unknown): value is DocumentedParameter {
  return (
    isJsonObject(value) &&
    typeof value['name'] === 'string' &&
    typeof value['type'] === 'string' &&
    typeof value['required'] === 'boolean'
  );
}

/** The `data` of an answer where it is an object. */
export function dataOf(answer: Answer): JsonObject {
  return isJsonObject(answer.data) ? answer.data : {};
}

/** The items of a list answer that have a name. */
export function namedItems(answer: Answer, member: string): readonly (JsonObject & { readonly name: string })[] {
  const items = dataOf(answer)[member];
  return Array.isArray(items) ? items.filter(hasName) : [];
}

function hasName(value: unknown): value is JsonObject & { readonly name: string } {
  return isJsonObject(value) && typeof value['name'] === 'string';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
