import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { UserChannel } from '../../base/protocol/consent.js';
import type { Reply } from '../../base/protocol/result.js';
import type { Gateway } from '../../gateway/gateway.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import type { Terminal } from './terminal.js';

/** One run of the command line is one session, so that confirmation tokens of another run are not valid in it. */
const SESSION = `cli-${randomUUID()}`;

/** Calls an operation through the pipeline as a client would, by the MCP tool that offers it. */
export function callAsCli(
  gateway: Gateway,
  tool: string,
  operation: string,
  params: JsonObject,
  user?: UserChannel,
): Promise<Reply> {
  return gateway.handle({
    tool,
    arguments: { operation, params },
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
export function introspect(gateway: Gateway, params: JsonObject): Promise<Reply> {
  const placed = gateway.operations().find(({ operation }) => operation.name === 'introspect');
  return callAsCli(gateway, placed?.tool ?? 'introspect', 'introspect', params);
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

/** Reads `--params`. */
export function parseParams(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new CliError(EXIT_CODE.usage, `--params is not JSON: ${text}`, { cause });
  }
  throw new CliError(EXIT_CODE.usage, '--params must be a JSON object, for example \'{"path": "notes.txt"}\'');
}
