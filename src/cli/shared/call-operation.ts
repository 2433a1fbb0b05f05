import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { findChangedNumbers } from '../../base/json/changed-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { formatPath } from '../../base/json/json-path.js';
import { faultCode } from '../../base/lib/fault-code.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { UserChannel } from '../../base/protocol/consent.js';
import type { Reply } from '../../base/protocol/result.js';
import type { Gateway, Inspected } from '../../gateway/gateway.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import type { Terminal } from './terminal.js';

/** One run of the command line is one session, so that confirmation tokens of another run are not valid in it. */
const SESSION = `cli-${randomUUID()}`;

/** Calls an MCP tool of the gateway as a client would. */
export function callAsCli(gateway: Inspected, tool: string, args: JsonObject, user?: UserChannel): Promise<Reply> {
  return gateway.handle({
    tool,
    arguments: args,
    caller: { sessionId: SESSION, clientName: 'mcp-aql-gateway', transport: 'cli' },
    cancellation: new Cancellation(),
    user,
  });
}

/** Ends the session of this run, so that no operator is asked about a call that is not repeated. */
export function endCliSession(gateway: Gateway): void {
  gateway.endSession(SESSION);
}

/** Calls `introspect` exactly as a model would. */
export function introspect(gateway: Inspected, params: JsonObject): Promise<Reply> {
  assertOffered(gateway);
  const placed = gateway.operations().find(({ operation }) => operation.name === 'introspect');
  return callAsCli(gateway, placed?.tool ?? 'introspect', { operation: 'introspect', params });
}

/** @throws CliError where the gateway's own operations are not offered */
export function assertOffered(gateway: Inspected): void {
  if (gateway.shown().mode !== 'passthrough') return;
  const what = "In the mode 'passthrough' the gateway offers the servers' tools alone, and none of its own operations";
  throw new CliError(EXIT_CODE.usage, `${what}. Add --mode semantic to this command`);
}

/** The channel to the person at the terminal; undefined where there is no terminal. */
export function terminalUser(terminal: Terminal): UserChannel | undefined {
  if (process.stdin.isTTY !== true || terminal.err.isTTY !== true) return undefined;
  return {
    kind: 'live',
    async ask(question, cancellation) {
      const abort = new AbortController();
      cancellation.onCancel(() => abort.abort());
      const lines = createInterface({ input: process.stdin, output: terminal.err });
      try {
        const answer = await lines.question(`${question}\nApprove? [y/N] `, { signal: abort.signal });
        return /^y(es)?$/i.test(answer.trim()) ? 'accept' : 'decline';
      } finally {
        lines.close();
      }
    },
  };
}

const EXPECTED = `a JSON object, for example '{"path": "notes.txt"}', or @FILE`;

/** Reads `--params`: JSON, or `@FILE` with JSON in it. */
export function parseParams(given: string): JsonObject {
  const text = given.startsWith('@') ? readParams(given.slice(1)) : given;
  const value = parseJson(text);
  const [changed] = findChangedNumbers(text);
  if (changed !== undefined) {
    const { path, literal } = changed;
    const why = `'${formatPath(path)}' is ${literal}, which cannot be carried exactly: send it as text if the operation takes text`;
    throw new CliError(EXIT_CODE.usage, `--params: ${why}`);
  }
  if (!isJsonObject(value)) throw new CliError(EXIT_CODE.usage, `--params must be ${EXPECTED}`);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(EXIT_CODE.usage, `--params is not JSON: ${text}\nExpected: ${EXPECTED}`, { cause });
  }
}

function readParams(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    throw new CliError(EXIT_CODE.usage, `--params: '${file}' cannot be read (${faultCode(cause)})`, { cause });
  }
}
