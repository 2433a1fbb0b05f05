/** A thread that shapes large answers, one message for each. */
import { parentPort } from 'node:worker_threads';
import { type LargeAnswerJob, shapeLargeAnswer } from './shape-large.js';
import { transferable } from './thread-pool.js';

const port = parentPort;
port?.on('message', (job: LargeAnswerJob) => {
  void shapeLargeAnswer(job).then((shaped) => {
    const { written, finished } = shaped;
    port.postMessage(shaped, transferable([...written, ...finished.entries.map(({ content }) => content)]));
  });
});
