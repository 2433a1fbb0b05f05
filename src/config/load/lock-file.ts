import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { ValidateFunction } from 'ajv';
import type { JsonSchema } from '../../base/json/json.js';
import { deepFreeze } from '../../base/lib/collections.js';
import { faultCode } from '../../base/lib/fault-code.js';
import { readBounded } from '../../base/lib/read-bounded.js';
import { replaceFile } from '../../base/lib/replace-file.js';
import { escapeInvisible } from '../../base/lib/text.js';
import { CATEGORIES, DANGER_LEVELS } from '../../base/protocol/operation.js';
import { parseBounded } from '../../base/protocol/weigh-text.js';
import type { ConfigLock, LockContent, LockedTool } from '../gateway-config.js';
import type { ConfigReport } from './diagnostics.js';

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
    fingerprint: { type: 'string', pattern: '^sha256(/2)?:[0-9a-f]{64}$' },
    operations: { type: 'object', additionalProperties: OPERATION },
    definition: { type: 'object' },
  },
};

const DEFINITIONS: JsonSchema = { type: 'object', additionalProperties: { type: 'object' } };

/** Without the tools, which may be thousands. */
const LOCK: JsonSchema = {
  type: 'object',
  required: ['version', 'upstreams'],
  properties: { version: { const: 1 }, upstreams: DEFINITIONS, others: DEFINITIONS },
};

const NEXT_STEP = "restore it from version control, or remove it and write a new one with 'mcp-aql-gateway lock'";

/** A lock as it was read; nulls where there is none. */
type ReadLock = Pick<ConfigLock, 'content' | 'digest'>;

/** Ten thousand definitions take a third of it. */
const MOST_LOCK_BYTES = 67_108_864;
const MOST_LOCK_VALUES = 2_000_000;

const NO_LOCK: ReadLock = { content: null, digest: null };

/**
 * Reads a lock, which may hold ten thousand definitions. A lock that cannot be read is a problem in the report, because
 * without it the gateway would allow tools that the lock withholds.
 */
export async function readLockFile(file: string, cwd: string, report: ConfigReport): Promise<ReadLock> {
  const problem = (path: string, message: string): ReadLock => {
    report.problems.push({ file: relative(cwd, file) || file, path, message, suggestion: NEXT_STEP });
    return NO_LOCK;
  };
  let text: Buffer;
  try {
    text = await readBounded(file, MOST_LOCK_BYTES);
  } catch (cause) {
    return faultCode(cause) === 'ENOENT' ? NO_LOCK : problem('', `the lock cannot be read (${faultCode(cause)})`);
  }
  const content = parse(text);
  if (content === undefined) return problem('', 'the lock is not JSON, or holds more than a lock does');
  // Loaded only where there is a lock.
  const { Ajv } = await import('ajv');
  const ajv = new Ajv({ validateSchema: false });
  const fault = findFault(content, ajv.compile<LockContent>(LOCK), ajv.compile(TOOL));
  if (fault !== undefined) return problem(fault.path, `the lock ${fault.message ?? 'is not valid'}`);
  return { content: content as LockContent, digest: digestOf(text) };
}

interface LockFault {
  /** A JSON Pointer. */
  readonly path: string;
  readonly message: string | undefined;
}

type Check<T> = ValidateFunction<T>;

/** What is wrong with a lock; what is right is frozen on the way. */
function findFault(content: unknown, isLock: Check<LockContent>, isTool: Check<unknown>): LockFault | undefined {
  if (!isLock(content)) return faultOf('', isLock);
  let fault: LockFault | undefined;
  for (const part of ['upstreams', 'others'] as const) {
    for (const [upstream, tools] of Object.entries(content[part] ?? {})) {
      for (const [name, tool] of Object.entries(tools)) {
        if (isTool(tool)) deepFreeze(tool);
        else fault ??= faultOf(`/${[part, upstream, name].map(escapePointer).join('/')}`, isTool);
      }
      Object.freeze(tools);
    }
  }
  return fault;
}

function faultOf(at: string, { errors }: Pick<Check<unknown>, 'errors'>): LockFault {
  const [fault] = errors ?? [];
  return { path: `${at}${fault?.instancePath ?? ''}`, message: fault?.message };
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function parse(text: Buffer): unknown {
  try {
    return parseBounded(text.toString('utf8'), { values: MOST_LOCK_VALUES });
  } catch {
    // The caller reports it.
    return undefined;
  }
}

/** Version control may end the lines in another way on another machine. */
function digestOf(text: Buffer): string {
  const lines = text.includes('\r\n') ? text.toString('utf8').replaceAll('\r\n', '\n') : text;
  return createHash('sha256').update(lines).digest('base64url');
}

/** It holds no secrets, and is reviewed and kept under version control. */
const READ_BY_ALL = 0o666;

/**
 * Writes a lock so that it can be reviewed: upstreams and tools in order, invisible characters escaped. A reader sees the
 * old file or the new one, never a part.
 * @throws the system's error when the file cannot be written
 */
export async function writeLockFile(file: string, content: LockContent): Promise<void> {
  await replaceFile(file, renderLock(content), READ_BY_ALL);
}

function renderLock({ version, upstreams, others = {} }: LockContent): string {
  const own = renderDefinitions(upstreams);
  const beside = Object.keys(others).length === 0 ? {} : { others: renderDefinitions(others) };
  return `${joinMembers({ version: String(version), upstreams: own, ...beside }, '')}\n`;
}

/** By upstream and tool, in order. */
function renderDefinitions(definitions: LockContent['upstreams']): string {
  const renderTool = ({ fingerprint, operations, definition }: LockedTool): string => {
    const tool = { fingerprint, operations: Object.fromEntries(sortEntries(operations)), definition };
    return escapeInvisible(renderValue(tool, '      ', 0));
  };
  const upstreams = sortEntries(definitions).map(([upstream, tools]) => {
    const rendered = sortEntries(tools).map(([name, tool]) => [name, renderTool(tool)] as const);
    return [upstream, joinMembers(Object.fromEntries(rendered), '    ')] as const;
  });
  return joinMembers(Object.fromEntries(upstreams), '  ');
}

function sortEntries<T>(record: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** An object whose members are written already. */
function joinMembers(members: Readonly<Record<string, string>>, indent: string): string {
  const lines = Object.entries(members).map(
    ([name, text]) => `${indent}  ${escapeInvisible(JSON.stringify(name))}: ${text}`,
  );
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
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
