import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { ApprovalsProblem } from './problems.js';

/** What an operator may say of a server over the network. The others name programs, files or variables of this machine. */
const HARMLESS: readonly string[] = ['type', 'url', 'headers', 'description', 'disabled', 'timeoutMs'];

/**
 * Why an entry is not taken over the network: a token that is stolen must not be enough to run programs here, or to send this
 * machine's variables and files to a server. @param allowsAll what the configuration says (server.allowRemoteCommands)
 */
export function findEntryFault(entry: JsonObject, allowsAll: boolean): ApprovalsProblem | undefined {
  if (allowsAll) return undefined;
  const keys = Object.keys(entry).filter((key) => !HARMLESS.includes(key));
  if (keys.length > 0) return refused(keys.map((key) => `'${key.slice(0, 100)}'`).join(', '));
  const { headers } = entry;
  const files = isJsonObject(headers) ? Object.keys(headers).filter((name) => name.endsWith('_FILE')) : [];
  if (files.length > 0) return refused('headers that are read from files');
  return JSON.stringify(entry).includes('${') ? refused('references to variables') : undefined;
}

function refused(what: string): ApprovalsProblem {
  return {
    status: 403,
    code: 'REMOTE_COMMANDS_NOT_ALLOWED',
    message: `Over the network a server cannot be added with ${what}. Add it on the machine (mcp-aql-gateway add), or set server.allowRemoteCommands.`,
  };
}
