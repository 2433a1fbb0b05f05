import { randomUUID } from 'node:crypto';
import { isJSONRPCErrorResponse, isJSONRPCResponse, type JSONRPCResponse } from '@modelcontextprotocol/server';
import type { Cancellation } from '../../protocol/cancellation.js';
import type { ConsentAnswer, UserChannel } from '../../protocol/consent.js';
import type { Peer, Responder } from './calls-in-flight.js';
import { readConsent, writeConsentParams } from './elicitation-form.js';

interface OpenQuestion {
  /** Only this session may answer. */
  readonly sessionId: string;
  readonly settle: (response: JSONRPCResponse) => void;
}

/**
 * The questions to clients' users that wait for an answer, of all sessions together: a session without questions costs no
 * memory. Each question is a request by the gateway, sent through the responder of the call.
 */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();

  get size(): number {
    return this.#open.size;
  }

  /** The channel to the user of a waiting request; undefined where the client declares none, or no message can be sent. */
  channel({ caller, elicits }: Peer, responder: Responder): UserChannel | undefined {
    if (elicits !== true || !responder.canNotify) return undefined;
    const { sessionId } = caller;
    return { kind: 'live', ask: (question, cancellation) => this.#ask(sessionId, responder, question, cancellation) };
  }

  /** Takes a response to an open question of this session; false for any other message. */
  takeResponse(sessionId: string, message: unknown): boolean {
    if (this.#open.size === 0 || !isJSONRPCResponse(message) || typeof message.id !== 'string') return false;
    const question = this.#open.get(message.id);
    if (question?.sessionId !== sessionId) return false;
    this.#open.delete(message.id);
    question.settle(message);
    return true;
  }

  #ask(sessionId: string, responder: Responder, question: string, cancellation: Cancellation): Promise<ConsentAnswer> {
    const id = `consent-${randomUUID()}`;
    return new Promise((resolve, reject) => {
      if (cancellation.cancelled || responder.cancellation.cancelled) {
        reject(new Error('the call has ended'));
        return;
      }
      const settle = (response: JSONRPCResponse): void => {
        const answer = isJSONRPCErrorResponse(response) ? undefined : readConsent(response.result);
        if (answer === undefined) reject(new Error('the client could not ask its user'));
        else resolve(answer);
      };
      this.#open.set(id, { sessionId, settle });
      responder.notify(writeRequest(id, question));
      const withdraw = (): void => {
        if (!this.#open.delete(id)) return;
        responder.notify(writeWithdrawal(id));
        reject(new Error('the question was withdrawn'));
      };
      cancellation.onCancel(withdraw);
      responder.cancellation.onCancel(withdraw);
    });
  }
}

function writeRequest(id: string, question: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params: writeConsentParams(question) });
}

/** Lets the client close its dialog. */
function writeWithdrawal(id: string): string {
  const params = { requestId: id, reason: 'the call was cancelled or took too long' };
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
}
