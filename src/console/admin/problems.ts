import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject, parseJson } from '../../base/json/json.js';
import type { Approval, DecisionFault } from '../../base/protocol/approval.js';
import { createBodyReader, cutOffAfterAnswer, isEncoded } from '../../server/http/receive-post.js';

/** Why a request to the approvals API was refused, as the person who sent it sees it. */
export interface ApprovalsProblem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const UNAUTHORIZED: ApprovalsProblem = {
  status: 401,
  code: 'UNAUTHORIZED',
  message: "Send the header 'Authorization: Bearer <token>' with an operator's token.",
};

export const INTERNAL_ERROR: ApprovalsProblem = {
  status: 500,
  code: 'INTERNAL_ERROR',
  message: "The gateway failed to do this. Try again; the gateway's log says why.",
};

const LIST_PENDING = 'Refresh the list to see what waits for a decision (GET /admin/approvals?status=pending).';

type Explain = (id: string, approval: Approval | undefined) => ApprovalsProblem;

const FAULTS: Readonly<Record<DecisionFault, Explain>> = {
  unknown: (id) => notFound(id),
  expired: (id, approval) => ({
    status: 410,
    code: 'APPROVAL_EXPIRED',
    message: `Approval '${id}' expired${at(approval?.expiresAt)}. The client has to send its call again, which creates a new request.`,
  }),
  decided: (id, approval) => ({
    status: 409,
    code: 'APPROVAL_DECIDED',
    message: `Approval '${id}' was already ${describeDecision(approval)}. A decision is final. ${LIST_PENDING}`,
  }),
  'own-request': (id) => ({
    status: 403,
    code: 'APPROVAL_OWN_REQUEST',
    message: `Approval '${id}' was requested under your own name. Another operator has to decide.`,
  }),
};

/** @param approval the stored approval, where there still is one. */
export function explainFault(fault: DecisionFault, id: string, approval?: Approval): ApprovalsProblem {
  return FAULTS[fault](id, approval);
}

export function notFound(id: string): ApprovalsProblem {
  return { status: 404, code: 'APPROVAL_NOT_FOUND', message: `There is no approval '${id}'. ${LIST_PENDING}` };
}

/** The request is not the one that the operator has read. */
export function changed(id: string): ApprovalsProblem {
  const message = `Approval '${id}' is not what you were shown. Read it again (GET /admin/approvals/${id}), then decide.`;
  return { status: 409, code: 'APPROVAL_CHANGED', message };
}

export function unavailable(seconds: number): ApprovalsProblem {
  const message = `The state store cannot be reached. Try again in ${seconds} seconds.`;
  return { status: 503, code: 'UNAVAILABLE', message };
}

export function tooManyAttempts(seconds: number): ApprovalsProblem {
  const message = `Too many wrong tokens came from your address. Try again in ${seconds} seconds.`;
  return { status: 429, code: 'TOO_MANY_ATTEMPTS', message };
}

export function badRequest(message: string): ApprovalsProblem {
  return { status: 400, code: 'INVALID_REQUEST', message };
}

function bodyTooLarge(limit: number): ApprovalsProblem {
  return { status: 413, code: 'BODY_TOO_LARGE', message: `The body exceeds ${limit} bytes. Shorten the reason.` };
}

const ENCODED: ApprovalsProblem = {
  status: 415,
  code: 'INVALID_REQUEST',
  message: 'The body is encoded. Send it as plain JSON, without Content-Encoding.',
};

function describeDecision(approval: Approval | undefined): string {
  if (approval?.decision == null) return 'decided';
  return `${approval.status} by '${approval.decision.by}'${at(approval.decision.at)}`;
}

function at(time: string | undefined): string {
  return time === undefined ? '' : ` at '${time}'`;
}

/** The largest body of a decision, in bytes. */
const MAX_BODY = 16 * 1024;

const EXPECTED_BODY =
  'Send nothing, or a JSON object with the string "reason", and "digest" as you read it: {"reason": "Agreed with the release team"}.';

const MEMBERS: readonly string[] = ['reason', 'digest'];

type DecisionBody =
  | { readonly kind: 'reason'; readonly reason: string | undefined; readonly digest: string | undefined }
  | { readonly kind: 'problem'; readonly problem: ApprovalsProblem };

/** A person's browser sends a decision at once. */
const readBody = createBodyReader({ maxBytes: () => MAX_BODY, smallBodyMs: 10_000 });

type RawBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'problem'; readonly problem: ApprovalsProblem };

/** Never resolves when the client disconnects before the body ends. */
function readBytes(request: IncomingMessage, response: ServerResponse): Promise<RawBody> {
  if (isEncoded(request)) return Promise.resolve({ kind: 'problem', problem: ENCODED });
  return new Promise((resolve) => {
    readBody(request, (body) => {
      if (body.kind === 'complete') {
        resolve({ kind: 'bytes', bytes: body.bytes });
        return;
      }
      const isRead = body.kind === 'too-large' && !body.cutOff;
      if (!isRead) cutOffAfterAnswer(request, response);
      const problem = body.kind === 'too-large' ? bodyTooLarge(MAX_BODY) : badRequest('The body came too slowly.');
      resolve({ kind: 'problem', problem });
    });
  });
}

/** Reads the body of a request that brings a JSON object. Never resolves when the client disconnects before the body ends. */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'problem'; readonly problem: ApprovalsProblem }
> {
  const body = await readBytes(request, response);
  if (body.kind === 'problem') return body;
  const value = isUtf8(body.bytes) ? parseJson(body.bytes.toString('utf8')) : undefined;
  if (isJsonObject(value)) return { kind: 'object', value };
  return { kind: 'problem', problem: badRequest('The body is not a JSON object.') };
}

/** Reads the body of a decision. Never resolves when the client disconnects before the body ends. */
export async function readDecisionBody(request: IncomingMessage, response: ServerResponse): Promise<DecisionBody> {
  const body = await readBytes(request, response);
  return body.kind === 'problem' ? body : parseReason(body.bytes);
}

function parseReason(bytes: Buffer): DecisionBody {
  if (bytes.length === 0) return { kind: 'reason', reason: undefined, digest: undefined };
  const body = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  const fault = findFault(body);
  if (fault !== undefined) return { kind: 'problem', problem: badRequest(`${fault} ${EXPECTED_BODY}`) };
  const { reason = '', digest } = body as { readonly reason?: string; readonly digest?: string };
  return { kind: 'reason', reason: reason.trim() === '' ? undefined : reason.trim(), digest };
}

function findFault(body: unknown): string | undefined {
  if (!isJsonObject(body)) return 'The body is not a JSON object.';
  const unknown = Object.keys(body).filter((key) => !MEMBERS.includes(key));
  if (unknown.length > 0) return `Unknown members: ${unknown.map((key) => `'${key.slice(0, 100)}'`).join(', ')}.`;
  const wrong = MEMBERS.find((name) => body[name] !== undefined && typeof body[name] !== 'string');
  return wrong === undefined ? undefined : `The member '${wrong}' is not a string.`;
}
