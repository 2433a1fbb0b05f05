import { isJsonObject } from '../../base/json/json.js';
import { echoName, escapeInvisible } from '../../base/lib/text.js';
import type { RequestNotes } from '../../base/protocol/call.js';
import type { RequestAnswerer } from './answer-request.js';
import { declaresTasks, taskCapabilities } from './answer-task.js';
import { applyCancellation, type Peer, type RequestId, type Responder, readId, splitBatch } from './calls-in-flight.js';
import type { OpenQuestions } from './elicitation.js';
import { findRetryFaults } from './elicitation-form.js';
import { findMethod, METHODS } from './methods.js';
import {
  declaredBy,
  type Fault,
  findUnsupported,
  isFault,
  type McpRequest,
  type Received,
  readMessage,
} from './read-message.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';

/** What a transport does for one message. */
export interface Way {
  /** The revision that it names beside the message. */
  readonly revision: string | undefined;
  /** Present where requests are logged. */
  readonly notes?: RequestNotes | undefined;
  /** How what it says beside the message contradicts that. */
  findMismatch?(received: Received): Fault | undefined;
  /** Finds whose message it is, at once or later; refuses it itself where it is nobody's. */
  enter(received: Received, goOn: (sender: Sender) => void): void;
  refuse(fault: Fault, id: RequestId | null): void;
}

/** Whose message it is, and how it is answered. */
export interface Sender {
  readonly peer: Peer;
  /** Begins the answer to its requests. */
  open(): Responder;
  /** Ends a message that wants no answer. */
  acknowledge(): void;
}

export type MessageReceiver = (message: unknown, way: Way) => void;

/**
 * The one way of every message of MCP: of both eras, over HTTP and stdio, alone or in a batch. Each step refuses, or goes on to the next;
 * what a request is answered is the same whatever carries it.
 */
export function createMessageReceiver(answer: RequestAnswerer, questions: OpenQuestions): MessageReceiver {
  return (message, way) => {
    if (way.notes !== undefined) noteMethod(way.notes, message);
    const received = readMessage(message, way.revision);
    if (isFault(received)) {
      way.refuse(received, readId(message));
      return;
    }
    const mismatch = way.findMismatch?.(received) ?? findUnsupported(received);
    if (mismatch !== undefined) {
      way.refuse(mismatch, readId(message));
      return;
    }
    way.enter(received, ({ peer, open, acknowledge }) => {
      for (const notice of received.notices) take(notice, peer, questions);
      if (received.requests.length === 0) {
        acknowledge();
        return;
      }
      const responder = open();
      const responders = received.isBatch ? splitBatch(received.requests.length, responder) : [responder];
      for (const [at, request] of received.requests.entries()) {
        const each = responders[at] ?? responder;
        if (each.notes !== undefined) noteSender(each.notes, request, peer);
        const refusal = findRefusal(request);
        if (refusal === undefined) answer(request, peer, each);
        else each.answer(writeFault(refusal, request.id), refusal.status);
      }
    });
  };
}

/** Takes what is not answered. */
function take(notice: unknown, { caller, calls }: Peer, questions: OpenQuestions): void {
  if (calls !== undefined) applyCancellation(notice, calls);
  questions.noteChange(caller.sessionId, notice);
  questions.takeResponse(caller.sessionId, notice);
}

/** Why a request is not answered: there is no such method in its era, its params have another form, or its client lacks what it needs. */
export function findRefusal(request: McpRequest): Fault | undefined {
  const { era, method: name, params, retry } = request;
  const method = findMethod(name);
  if (method === undefined || !method.eras.includes(era)) {
    const message = `Method not found: '${echoName(name)}'`;
    return { status: era === 'modern' ? 404 : 200, code: RPC_ERROR.methodNotFound, message };
  }
  const ofParams = method.form(params, '');
  const faults = retry === undefined ? ofParams : [...ofParams, ...findRetryFaults(retry)];
  if (faults.length > 0)
    return { status: 200, code: RPC_ERROR.invalidParams, message: `Invalid params: ${faults.join('; ')}` };
  if (era === 'legacy' || method.needsTasks?.(params) !== true || declaresTasks(declaredBy(request))) return undefined;
  const message = `'${name}' is for clients that declare the tasks extension`;
  const data = { requiredCapabilities: taskCapabilities(era) };
  return { status: 400, code: RPC_ERROR.missingCapability, message, data };
}

export function writeFault({ code, message, data }: Fault, id: RequestId | null): string {
  return writeRpcError(id, code, message, data);
}

/** A client may call a method whatever it likes. */
const MOST_METHOD_CHARACTERS = 64;

/** What the log says of a message before it is known whose it is. */
function noteMethod(notes: RequestNotes, message: unknown): void {
  const method = isJsonObject(message) ? message['method'] : undefined;
  if (typeof method === 'string') notes.note({ mcpMethod: nameOf(method) });
}

function noteSender(notes: RequestNotes, { method }: McpRequest, { caller: { sessionId, client, user } }: Peer): void {
  const identity = { ...(client === undefined ? {} : { client }), ...(user === undefined ? {} : { user }) };
  notes.note({ mcpMethod: nameOf(method), session: sessionId, ...identity });
}

function nameOf(method: string): string {
  return METHODS.has(method) ? method : escapeInvisible(method.slice(0, MOST_METHOD_CHARACTERS));
}
