import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../base/protocol/caller.js';
import { decodeHeaderValue, findHeaderMismatch } from '../../base/protocol/header-parameters.js';
import type { Gateway } from '../../gateway/gateway.js';
import { type Fault, isModernRevision, type McpRequest, type Received } from '../mcp/read-message.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { MODERN_REVISION } from '../mcp/write-result.js';

const VERSION = 'MCP-Protocol-Version';
const METHOD = 'Mcp-Method';

/**
 * How the headers of a message contradict its body: proxies route by them, so that both have to say the same. Revision 2026-07-28 wants
 * them with every request; a notification need not have them, and of earlier ones a handshake alone must not name that revision.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function findMismatch({ era, requests, notices }: Received, headers: IncomingHttpHeaders): Fault | undefined {
  const [request] = requests;
  const why =
    era === 'legacy'
      ? ofHandshake(request, headers)
      : request === undefined
        ? (compare(VERSION, headers, MODERN_REVISION) ?? compare(METHOD, headers, notices[0]?.['method']))
        : ofRequest(request, headers);
  return why === undefined ? undefined : mismatch(why);
}

/** The same of the arguments that a tool repeats in headers; which they are depends on whose tool it is. */
export function findArgumentMismatch(
  { method, name, params }: McpRequest,
  headers: IncomingHttpHeaders,
  caller: Caller,
  gateway: Pick<Gateway, 'headerParametersOf'>,
): Fault | undefined {
  if (method !== 'tools/call') return undefined;
  const why = findHeaderMismatch(gateway.headerParametersOf(caller, name), params['arguments'], headers);
  return why === undefined ? undefined : mismatch(why);
}

function mismatch(why: string): Fault {
  return { status: 400, code: RPC_ERROR.headerMismatch, message: `Bad Request: ${why}` };
}

function ofHandshake(request: McpRequest | undefined, headers: IncomingHttpHeaders): string | undefined {
  if (request?.method !== 'initialize' || !isModernRevision(revisionOf(headers))) return undefined;
  return `the header ${VERSION} names ${revisionOf(headers)}, which has no 'initialize'`;
}

/** Node joins repeated headers of this name into one text. */
export function revisionOf(headers: IncomingHttpHeaders): string | undefined {
  return headers['mcp-protocol-version'] as string | undefined;
}

function ofRequest(
  { revision = MODERN_REVISION, method, name }: McpRequest,
  headers: IncomingHttpHeaders,
): string | undefined {
  return (
    repeats(VERSION, headers, revision) ??
    repeats(METHOD, headers, method) ??
    (name === '' ? undefined : repeats('Mcp-Name', headers, name))
  );
}

function repeats(header: string, headers: IncomingHttpHeaders, said: string): string | undefined {
  const isMissing = headers[header.toLowerCase()] === undefined;
  return isMissing ? `the header ${header} is missing: the body says '${said}'` : compare(header, headers, said);
}

function compare(header: string, headers: IncomingHttpHeaders, said: unknown): string | undefined {
  const field = headers[header.toLowerCase()];
  if (typeof field !== 'string' || field === said) return undefined;
  const decoded = decodeHeaderValue(field.trim());
  if (decoded === undefined) return `the header ${header} is marked as Base64 and is not valid Base64`;
  return decoded === said ? undefined : `the header ${header} differs from the body, which says '${String(said)}'`;
}
