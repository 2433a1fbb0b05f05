/** Asks a gateway's /healthz every 10 ms and reports, when asked, the longest that an answer took since the last report. */
import { Agent, get } from 'node:http';

const url = process.argv[2];
const agent = new Agent({ keepAlive: true, maxSockets: 512 });
/** When the questions that wait were asked. */
const waiting = new Set();
let longest = 0;

const since = (asked) => performance.now() - asked;

setInterval(() => {
  const asked = performance.now();
  waiting.add(asked);
  const done = () => {
    waiting.delete(asked);
    longest = Math.max(longest, since(asked));
  };
  get(url, { agent }, (response) => response.resume().on('end', done)).on('error', done);
}, 10);

process.on('message', () => {
  process.send(Math.max(longest, ...Array.from(waiting, since)));
  longest = 0;
});
process.on('disconnect', () => process.exit());
