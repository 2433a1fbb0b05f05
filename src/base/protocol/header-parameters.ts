import { isJsonObject, type JsonObject } from '../json/json.js';

/** A parameter of a tool whose value an HTTP header repeats. */
export interface HeaderParameter {
  readonly path: readonly string[];
  /** Lower case, with its prefix. */
  readonly header: string;
}

const HEADER_KEYWORD = 'x-mcp-header';
const HEADER_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data and not schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples']);

interface HeaderScan {
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
  if (!isJsonObject(inputSchema) || !JSON.stringify(inputSchema).includes(`"${HEADER_KEYWORD}"`)) return { parameters };

  const visit = (node: unknown, path: readonly string[], reachable: boolean): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, path, false);
    if (!isJsonObject(node)) return;
    if (HEADER_KEYWORD in node) {
      const fault = faultOf(node, path, reachable, parameters);
      if (fault === undefined) parameters.push({ path, header: headerName(node[HEADER_KEYWORD]) });
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
  const name = node[HEADER_KEYWORD];
  if (!reachable || path.length === 0) return `${HEADER_KEYWORD} stands where no single argument can be meant`;
  if (typeof name !== 'string' || !HEADER_TOKEN.test(name)) return `${HEADER_KEYWORD} is not a header name`;
  if (!HEADER_TYPES.has(node['type'])) return `${HEADER_KEYWORD} needs the type string, integer or boolean`;
  if (seen.some(({ header }) => header === headerName(name))) return `${HEADER_KEYWORD} '${name}' is declared twice`;
  return undefined;
}

/** The headers of one call. Absent, null and non-primitive arguments have none. */
export function paramHeaders(parameters: readonly HeaderParameter[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const text = textOf(path, args);
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}

/** The value that a header repeats, as text. */
function textOf(path: readonly string[], args: unknown): string | undefined {
  const value = path.reduce<unknown>((node, key) => (isJsonObject(node) ? node[key] : undefined), args);
  const isRepeated = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
  return isRepeated ? String(value) : undefined;
}

/** How the headers of a call contradict its arguments; undefined where they repeat them. */
export function findHeaderMismatch(
  parameters: readonly HeaderParameter[],
  args: unknown,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | undefined {
  for (const { path, header } of parameters) {
    const expected = textOf(path, args);
    const field = headers[header];
    const name = path.join('.');
    if (expected === undefined && field === undefined) continue;
    if (expected === undefined) return `the header ${header} is given, the parameter '${name}' is not`;
    if (typeof field !== 'string')
      return `the header ${header} is missing: it must carry the value of parameter '${name}'`;
    const said = decodeHeaderValue(field.trim());
    if (said === undefined) return `the header ${header} is marked as Base64 and is not valid Base64`;
    if (said !== expected) return `the header ${header} differs from the parameter '${name}'`;
  }
  return undefined;
}

const ENCODED_PREFIX = '=?base64?';
const ENCODED_SUFFIX = '?=';
/** A field value that needs no encoding: printable ASCII or tab, not empty, no space at either end (RFC 9110, section 5.5). */
const PLAIN_VALUE = /^(?! |\t)[\t\x20-\x7e]+(?<! |\t)$/;

/**
 * A string as an HTTP field value: as it is where that is safe, else as `=?base64?...?=`.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (value encoding)
 */
export function encodeHeaderValue(value: string): string {
  const ambiguous = value.startsWith(ENCODED_PREFIX) && value.endsWith(ENCODED_SUFFIX);
  return PLAIN_VALUE.test(value) && !ambiguous
    ? value
    : `${ENCODED_PREFIX}${Buffer.from(value, 'utf8').toString('base64')}${ENCODED_SUFFIX}`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What a field value says, the other way round; undefined where it is marked as Base64 and is none. */
export function decodeHeaderValue(field: string): string | undefined {
  const isEncoded = field.startsWith(ENCODED_PREFIX) && field.endsWith(ENCODED_SUFFIX);
  if (!isEncoded) return field;
  const encoded = field.slice(ENCODED_PREFIX.length, -ENCODED_SUFFIX.length);
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}
