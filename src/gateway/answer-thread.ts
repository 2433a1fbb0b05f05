/** A thread that shapes large answers, one message for each. */
import { parentPort, type TransferListItem } from 'node:worker_threads';
import { type LargeAnswerJob, type ShapedLarge, shapeLargeAnswer } from './shape-large.js';

/** Smaller pieces may lie in a pool that others use, and cost little to copy. */
const LEAST_TRANSFERRED = 64 * 1024;

const port = parentPort;
port?.on('message', (job: LargeAnswerJob) => {
  void shapeLargeAnswer(job).then((shaped) => port.postMessage(shaped, transfersOf(shaped)));
});

/** The memory that changes hands without being copied. What threads share need not. */
function transfersOf({ written, finished }: ShapedLarge): TransferListItem[] {
  const pieces = [...written, ...finished.entries.map(({ content }) => content)];
  const buffers = pieces.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
  return [...new Set(buffers)].filter(({ byteLength }) => byteLength >= LEAST_TRANSFERRED);
}
