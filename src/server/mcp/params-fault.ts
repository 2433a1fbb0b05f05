import { isJSONRPCErrorResponse, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../protocol/json.js';
import { RPC_ERROR } from './rpc-error.js';

const MAX_FAULTS = 5;
const MAX_LENGTH = 200;

/**
 * The SDK answers malformed parameters with an internal error whose message is its validator's list of issues, as JSON. This
 * makes it what JSON-RPC specifies, in words. All other messages stay as they are.
 */
export function explainParamsFault(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message) || message.error.code !== RPC_ERROR.internal) return message;
  const issues = readIssues(message.error.message);
  if (issues === undefined) return message;
  const text = `Invalid request: ${issues.slice(0, MAX_FAULTS).join('; ')}`;
  return { ...message, error: { code: RPC_ERROR.invalidParams, message: text } };
}

function readIssues(text: string): readonly string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const issues: unknown = JSON.parse(text);
    if (!Array.isArray(issues) || issues.length === 0 || !issues.every(isJsonObject)) return undefined;
    return issues.map(({ path, message }) => {
      const place = Array.isArray(path) && path.length > 0 ? `'${path.join('.')}': ` : '';
      return `${place}${String(message)}`.slice(0, MAX_LENGTH);
    });
  } catch {
    return undefined;
  }
}
