/** A thread that shapes large answers, one message for each. */
import { parentPort } from 'node:worker_threads';
import { transferable } from '../base/turns/thread-pool.js';
import { type LargeAnswerJob, shapeLargeAnswer } from './shape-large.js';

const port = parentPort;
port?.on('message', (job: LargeAnswerJob) => {
  void shapeLargeAnswer(job).then((shaped) => {
    const { written, finished } = shaped;
    port.postMessage(shaped, transferable([...written, ...finished.entries.map(({ content }) => content)]));
  });
});
