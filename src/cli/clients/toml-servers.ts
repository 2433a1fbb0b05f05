import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { getOrMake } from '../../base/lib/collections.js';
import { readToml, type TomlStatement } from './toml.js';

/** The table of Codex that holds its servers. */
const ROOT = 'mcp_servers';

/** The servers of a Codex configuration, by name. @throws TomlFault */
export function readTomlServers(text: string): JsonObject {
  const servers = new Map<string, Map<string, unknown>>();
  for (const { path, ...statement } of readToml(text)) {
    const [root, name, ...keys] = path;
    if (root !== ROOT || name === undefined) continue;
    const server = getOrMake(servers, name, () => new Map<string, unknown>());
    if (statement.kind === 'value') setAt(server, keys, statement.value);
  }
  return Object.fromEntries([...servers].map(([name, members]) => [name, Object.fromEntries(members)]));
}

function setAt(server: Map<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (key === undefined) {
    if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) server.set(name, member);
    return;
  }
  if (rest.length === 0) {
    server.set(key, value);
    return;
  }
  const known = server.get(key);
  server.set(key, { ...(isJsonObject(known) ? known : {}), [rest.join('.')]: value });
}

/**
 * Writes, replaces or removes the table of one server, and leaves the rest of the text as it is. @throws TomlFault
 * @param entry undefined removes it
 */
export function editTomlServer(text: string, name: string, entry: JsonObject | undefined): string {
  const statements = readToml(text);
  if (statements.some((statement) => isInline(statement, name))) {
    throw new Error(`'${ROOT}.${name}' is not written as a table of its own; change it by hand`);
  }
  const parts = ownParts(statements, name, text);
  const table = entry === undefined ? '' : writeTable(name, entry);
  const [first] = parts;
  if (first === undefined) return table === '' ? text : `${withLineEnd(text)}${text.trim() === '' ? '' : '\n'}${table}`;
  const kept = parts.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
  return table === '' ? kept : kept.slice(0, first.start) + table + kept.slice(first.start);
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/** From the header of each table of the server to the next header. */
function ownParts(statements: readonly TomlStatement[], name: string, text: string): readonly Part[] {
  const tables = statements.filter(({ kind }) => kind === 'table');
  return tables.flatMap(({ path, start }, index) => {
    if (path[0] !== ROOT || path[1] !== name) return [];
    const next = tables[index + 1];
    return [{ start, end: next === undefined ? text.length : beforeComments(text, start, next.start) }];
  });
}

/** Comments above a header belong to what follows them. */
function beforeComments(text: string, start: number, end: number): number {
  const comments = /(?:^[ \t]*#[^\n]*\n)+$/m.exec(text.slice(start, end));
  return comments === null ? end : start + comments.index;
}

/** A server that is written in another table: `mcp_servers = { aql = {} }`, or `[mcp_servers]` with `aql.url = ""`. */
function isInline({ kind, path, start }: TomlStatement, name: string): boolean {
  if (kind !== 'value' || path[0] !== ROOT) return false;
  return (path.length === 1 && start >= 0) || (path.length === 2 && path[1] === name);
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function writeTable(name: string, entry: JsonObject): string {
  const members = Object.entries(entry).map(([key, value]) => `${writeKey(key)} = ${writeValue(value)}\n`);
  return `[${ROOT}.${writeKey(name)}]\n${members.join('')}`;
}

function writeKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** JSON's strings, numbers and lists are TOML's too. */
function writeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${writeKey(key)} = ${writeValue(member)}`)
    .join(', ')} }`;
}
