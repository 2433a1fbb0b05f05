/** A thread that reads parts of large stored results, one message for each. */
import { parentPort } from 'node:worker_threads';
import { OperationError } from '../base/protocol/operation-error.js';
import type { StoredPart } from '../results/query/result-types.js';
import { readStoredPart } from '../results/stored/read-part.js';

/** The part's JSON text, or why there is none. */
export type ReadPart =
  | { readonly text: string }
  | { readonly failure: Pick<OperationError, 'code' | 'message' | 'details'> }
  | { readonly defect: string };

const port = parentPort;
port?.on('message', (part: StoredPart) => port.postMessage(read(part)));

function read(part: StoredPart): ReadPart {
  try {
    return { text: readStoredPart(part) };
  } catch (thrown) {
    if (!(thrown instanceof OperationError)) return { defect: String(thrown) };
    const { code, message, details } = thrown;
    return { failure: { code, message, details } };
  }
}
