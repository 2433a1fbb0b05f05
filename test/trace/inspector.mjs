import { WebSocket } from 'undici';

/** The inspector of a process: sends a command, resolves with its result. */
export async function connectInspector(url) {
  const socket = new WebSocket(url);
  const waiting = new Map();
  let id = 0;
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  socket.addEventListener('message', ({ data }) => {
    const { id: answered, result } = JSON.parse(data);
    waiting.get(answered)?.(result);
    waiting.delete(answered);
  });
  return {
    send(method, params = {}) {
      id += 1;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    close: () => socket.close(),
  };
}
