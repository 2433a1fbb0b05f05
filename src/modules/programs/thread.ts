/** The thread of one program. It begins when it starts, and answers each delivery with a turn. */
import { parentPort, workerData } from 'node:worker_threads';
import { Sandbox } from './sandbox.js';
import type { Delivery, ThreadStart } from './thread-messages.js';

const port = parentPort;
const start: ThreadStart = workerData;
stopClock(start.started);
const sandbox = await Sandbox.open(start);
port?.on('message', (delivery: Delivery) => port.postMessage(sandbox.deliver(delivery)));
port?.postMessage(sandbox.begin());

/** The engine asks its thread for the time, and has nothing else to seed its random numbers with: a replay has the same. */
function stopClock(now: number): void {
  Date.now = () => now;
  for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds'] as const)
    Date.prototype[`get${part}`] = Date.prototype[`getUTC${part}`];
  Date.prototype.getTimezoneOffset = () => 0;
}
