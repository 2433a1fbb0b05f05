import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { escapeInvisible } from '../lib/text.js';
import type { JsonSchema } from '../protocol/json.js';
import { CATEGORIES, DANGER_LEVELS } from '../protocol/operation.js';
import type { ConfigReport } from './diagnostics.js';
import type { LockContent } from './gateway-config.js';
import { faultCode } from './secrets.js';

/** The name of the lock, a file beside the main file. */
export const LOCK_FILE_NAME = 'gateway.lock.json';

const OPERATION: JsonSchema = {
  type: 'object',
  required: ['category', 'danger', 'family'],
  properties: { category: { enum: [...CATEGORIES] }, danger: { enum: [...DANGER_LEVELS] }, family: { type: 'string' } },
};

const TOOL: JsonSchema = {
  type: 'object',
  required: ['fingerprint', 'operations', 'definition'],
  properties: {
    fingerprint: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
    operations: { type: 'object', additionalProperties: OPERATION },
    definition: { type: 'object' },
  },
};

const DEFINITIONS: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: TOOL },
};

const LOCK_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['version', 'upstreams'],
  properties: {
    version: { const: 1 },
    upstreams: DEFINITIONS,
    others: DEFINITIONS,
  },
};

const NEXT_STEP = "restore it from version control, or remove it and write a new one with 'mcp-aql-gateway lock'";

/**
 * Reads a lock. Null when there is none. A lock that cannot be read is a problem in the report, because without it the
 * gateway would allow tools that the lock withholds.
 */
export async function readLockFile(file: string, cwd: string, report: ConfigReport): Promise<LockContent | null> {
  const problem = (path: string, message: string): null => {
    report.problems.push({ file: relative(cwd, file) || file, path, message, suggestion: NEXT_STEP });
    return null;
  };
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    return faultCode(cause) === 'ENOENT' ? null : problem('', `the lock cannot be read (${faultCode(cause)})`);
  }
  const content = parse(text);
  if (content === undefined) return problem('', 'the lock is not JSON');
  // Loaded only where there is a lock.
  const { Ajv } = await import('ajv');
  const ajv = new Ajv({ validateSchema: false });
  if (ajv.validate(LOCK_SCHEMA, content)) return content as LockContent;
  const [fault] = ajv.errors ?? [];
  return problem(fault?.instancePath ?? '', `the lock ${fault?.message ?? 'is not valid'}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports it.
    return undefined;
  }
}

/**
 * Writes a lock so that it can be reviewed: upstreams and tools in order, invisible characters escaped. A reader sees the
 * old file or the new one, never a part.
 * @throws the system's error when the file cannot be written
 */
export async function writeLockFile(file: string, content: LockContent): Promise<void> {
  const sort = (definitions: LockContent['upstreams']) =>
    sortKeys(definitions, (tools) =>
      sortKeys(tools, ({ fingerprint, operations, definition }) => ({
        fingerprint,
        operations: sortKeys(operations, (operation) => operation),
        definition,
      })),
    );
  const { version, upstreams, others = {} } = content;
  const beside = Object.keys(others).length === 0 ? {} : { others: sort(others) };
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, escapeInvisible(renderJson({ version, upstreams: sort(upstreams), ...beside })));
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
}

function sortKeys<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Readonly<Record<string, R>> {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value)]));
}

const LINE_WIDTH = 120;

/** JSON text as the project's formatter writes it, so that generated files pass it: short lists stay on one line. */
export function renderJson(value: unknown): string {
  return `${renderValue(value, '', 0)}\n`;
}

/** @param before characters that stand before the value on its line, beyond the indent. */
function renderValue(value: unknown, indent: string, before: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(([key, member]) => {
      const head = `${JSON.stringify(key)}: `;
      return `${inner}${head}${renderValue(member, inner, head.length)}`;
    });
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
  }
  const items = value.map((item) => renderValue(item, inner, 0));
  const line = `[${items.join(', ')}]`;
  // One more for the comma that may follow.
  const fits = !line.includes('\n') && indent.length + before + line.length + 1 <= LINE_WIDTH;
  return fits ? line : `[\n${items.map((item) => `${inner}${item}`).join(',\n')}\n${indent}]`;
}
