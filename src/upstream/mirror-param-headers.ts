import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { encodeHeaderValue } from './header-value.js';

const KEYWORD = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data and not schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** A parameter whose value a header repeats. */
export interface HeaderParameter {
  readonly path: readonly string[];
  /** Lower case, with its prefix. */
  readonly header: string;
}

export interface HeaderScan {
  readonly parameters: readonly HeaderParameter[];
  /** Why the tool must not be used over HTTP; undefined when all is well. */
  readonly fault?: string;
}

/**
 * The parameters that a tool wants repeated as `Mcp-Param-*` headers, so that proxies can route without reading bodies.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers from tool parameters)
 */
export function scanHeaderParameters(inputSchema: unknown): HeaderScan {
  const parameters: HeaderParameter[] = [];
  const faults: string[] = [];
  // Most tools declare none; the text is searched first because a schema may be large.
  if (!isJsonObject(inputSchema) || !JSON.stringify(inputSchema).includes(`"${KEYWORD}"`)) return { parameters };

  const visit = (node: unknown, path: readonly string[], reachable: boolean): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, path, false);
    if (!isJsonObject(node)) return;
    if (KEYWORD in node) {
      const fault = faultOf(node, path, reachable, parameters);
      if (fault === undefined) parameters.push({ path, header: headerName(node[KEYWORD]) });
      else faults.push(`${path.join('.') || 'the schema'}: ${fault}`);
    }
    for (const [key, child] of Object.entries(node)) {
      if (key === 'properties' && isJsonObject(child)) {
        for (const [name, property] of Object.entries(child)) visit(property, [...path, name], reachable);
      } else if (!DATA_KEYWORDS.has(key)) {
        visit(child, path, false);
      }
    }
  };
  visit(inputSchema, [], true);
  const [fault] = faults;
  return fault === undefined ? { parameters } : { parameters, fault };
}

function headerName(declared: unknown): string {
  return `mcp-param-${String(declared).toLowerCase()}`;
}

function faultOf(
  node: JsonObject,
  path: readonly string[],
  reachable: boolean,
  seen: readonly HeaderParameter[],
): string | undefined {
  const name = node[KEYWORD];
  if (!reachable || path.length === 0) return `${KEYWORD} stands where no single argument can be meant`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${KEYWORD} is not a header name`;
  if (!TYPES.has(node['type'])) return `${KEYWORD} needs the type string, integer or boolean`;
  if (seen.some(({ header }) => header === headerName(name))) return `${KEYWORD} '${name}' is declared twice`;
  return undefined;
}

/** The headers of one call. Absent, null and non-primitive arguments have none. */
export function paramHeaders(parameters: readonly HeaderParameter[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const value = path.reduce<unknown>((node, key) => (isJsonObject(node) ? node[key] : undefined), args);
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)) {
      headers[header] = encodeHeaderValue(String(value));
    }
  }
  return headers;
}
