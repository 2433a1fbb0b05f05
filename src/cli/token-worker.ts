import { parentPort, workerData } from 'node:worker_threads';
import { loadTokenCounter } from './token-count.js';

// Started by `countInWorker`: counts the tokens of each text that it is given.
const count = await loadTokenCounter();
parentPort?.postMessage((workerData as readonly string[]).map(count));
