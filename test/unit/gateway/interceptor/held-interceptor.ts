import type { HandlerCall, HandlerOutcome, OperationHandler } from '../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import type { ToolCallResult } from '../../../../src/base/protocol/result.js';
import { STILL_HOST } from '../../../support/a-handler-host.js';
import { anOperation } from '../../../support/an-operation.js';

/** A call that reached the upstream and is answered when the test says so. */
export interface HeldCall extends HandlerCall {
  answer(result: ToolCallResult): void;
  fail(error: unknown): void;
}

/** An upstream that answers nothing by itself. */
export function createHeldInterceptor(): { readonly handle: OperationHandler; readonly calls: HeldCall[] } {
  const calls: HeldCall[] = [];
  const handle: OperationHandler = (call) =>
    new Promise<HandlerOutcome>((resolve, reject) => {
      calls.push({ ...call, answer: (toolResult) => resolve({ toolResult }), fail: reject });
    });
  return { handle, calls };
}

/** A call with plain values for everything that does not matter to a test. */
export function aCall(operation: Operation, changes: Partial<HandlerCall> = {}): HandlerCall {
  return {
    operation,
    arguments: {},
    caller: { sessionId: 's', clientName: 'test', transport: 'http' },
    cancellation: new Cancellation(),
    host: STILL_HOST,
    ...changes,
  };
}

export function aWrite(changes: Partial<Operation> = {}): Operation {
  const classification = { ...anOperation().classification, category: 'UPDATE' } as const;
  return anOperation({ name: 'update_item', classification, ...changes });
}

export function aText(text: string): ToolCallResult {
  return { content: [{ type: 'text', text }] };
}
