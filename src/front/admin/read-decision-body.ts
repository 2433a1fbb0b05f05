import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject } from '../../protocol/json.js';
import { cutOffAfterAnswer, readBody } from '../mcp/request-body.js';
import { type ApprovalsProblem, badRequest, bodyTooLarge } from './approvals-problem.js';

/** In bytes. */
const MAX_BODY = 16 * 1024;

const EXPECTED = 'Send nothing, or a JSON object with "reason", a text: {"reason": "Agreed with the release team"}.';

export type DecisionBody =
  | { readonly kind: 'reason'; readonly reason: string | undefined }
  | { readonly kind: 'problem'; readonly problem: ApprovalsProblem };

/** Reads what comes with a decision. Never resolves when the client goes away before the body's end. */
export function readDecisionBody(request: IncomingMessage, response: ServerResponse): Promise<DecisionBody> {
  return new Promise((resolve) => {
    readBody(request, MAX_BODY, (body) => {
      if (body.kind === 'complete') {
        resolve(parseReason(body.bytes));
        return;
      }
      if (body.cutOff) cutOffAfterAnswer(request, response);
      resolve({ kind: 'problem', problem: bodyTooLarge(MAX_BODY) });
    });
  });
}

function parseReason(bytes: Buffer): DecisionBody {
  if (bytes.length === 0) return { kind: 'reason', reason: undefined };
  const body = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  const fault = findFault(body);
  if (fault !== undefined) return { kind: 'problem', problem: badRequest(`${fault} ${EXPECTED}`) };
  const { reason = '' } = body as { readonly reason?: string };
  return { kind: 'reason', reason: reason.trim() === '' ? undefined : reason.trim() };
}

function findFault(body: unknown): string | undefined {
  if (!isJsonObject(body)) return 'The body is no JSON object.';
  const unknown = Object.keys(body).filter((key) => key !== 'reason');
  if (unknown.length > 0) return `Unknown members: ${unknown.map((key) => `'${key.slice(0, 100)}'`).join(', ')}.`;
  const { reason } = body;
  return reason === undefined || typeof reason === 'string' ? undefined : "The member 'reason' is no text.";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
