import type { RequestId } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../protocol/json.js';

/** What SDKs and the examples after them say of a session that they do not know. */
const SESSION_REFUSAL =
  /no valid session|mcp-session-id|session (?:id )?(?:not found|does not exist|has expired|expired|terminated|is (?:invalid|unknown|required))|(?:invalid|unknown|missing|expired) session/i;

/**
 * 404 is the specified answer to an unknown session. Many servers were built after an example that answers 400 with a text
 * about the session id instead, and would otherwise stay unreachable after each of their restarts.
 */
export function mayBeForgottenSession(status: number, text: string): boolean {
  return status === 404 || (status === 400 && SESSION_REFUSAL.test(text));
}

/** Whether the body of a refusal is the JSON-RPC error that answers the request. */
export function isErrorFor(text: string, requestId: RequestId | undefined): boolean {
  if (requestId === undefined) return false;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value['id'] === requestId && isJsonObject(value['error']);
  } catch {
    return false;
  }
}
