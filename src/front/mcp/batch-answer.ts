import { Cancellation } from '../../protocol/cancellation.js';
import type { AnswerPort } from './calls-in-flight.js';

/**
 * Splits one port into one per request of a JSON-RPC batch (protocol 2025-03-26) and answers with an array once each
 * request is answered or cancelled. Progress inside a batch is not passed on: which request it belongs to is the only
 * thing that the client could not tell.
 *
 * @param count how many requests, at least one.
 * @param batch answered with the array, or cancelled when nothing is left to answer.
 */
export function splitBatch(count: number, batch: AnswerPort): readonly AnswerPort[] {
  const answers: string[] = [];
  let open = count;
  const settle = (): void => {
    open -= 1;
    if (open > 0) return;
    if (answers.length > 0) batch.answer(`[${answers.join(',')}]`);
    else batch.cancel('every request of the batch was cancelled');
  };
  const ports = Array.from({ length: count }, () => createPart(answers, settle));
  batch.cancellation.onCancel(() => {
    for (const port of ports) port.cancel('the client closed the connection');
  });
  return ports;
}

function createPart(answers: string[], settle: () => void): AnswerPort {
  const cancellation = new Cancellation();
  let done = false;
  const finish = (): boolean => {
    const first = !done;
    done = true;
    return first;
  };
  return {
    cancellation,
    canNotify: false,
    notify: () => undefined,
    answer(text) {
      if (!finish()) return;
      answers.push(text);
      settle();
    },
    cancel(reason) {
      if (!finish()) return;
      cancellation.cancel(reason);
      settle();
    },
  };
}
