import { WebSocket } from 'undici';

const DEBUGGER_URL = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/;
const ANSWER_TIMEOUT_MS = 30_000;

/** The node option that lets `openHeapInspector` in, on a port of its own choice. */
export const INSPECT_OPTION = '--inspect=127.0.0.1:0';

/**
 * Looks into the heap of a node process started with `INSPECT_OPTION`, from outside and without any help of its program.
 * `liveKilobytes()` collects garbage first, so what it reports is in use.
 */
export async function openHeapInspector({ log }) {
  const url = DEBUGGER_URL.exec(log())?.[0];
  if (url === undefined) throw new Error(`the process does not listen for a debugger\n${log()}`);
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no debugger at ${url}`));
  });
  const waiting = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  let lastId = 0;
  const ask = (method, params = {}) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), ANSWER_TIMEOUT_MS);
      waiting.set(lastId, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      socket.send(JSON.stringify({ id: lastId, method, params }));
    });
  return {
    async liveKilobytes() {
      await ask('HeapProfiler.collectGarbage');
      const expression = 'JSON.stringify(process.memoryUsage())';
      const { result } = await ask('Runtime.evaluate', { expression });
      const { heapUsed, external } = JSON.parse(result.value);
      return (heapUsed + external) / 1024;
    },
    close: () => socket.close(),
  };
}
