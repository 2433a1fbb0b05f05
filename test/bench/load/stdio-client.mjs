import { startNode } from '../process/children.mjs';
import { INITIALIZE, INITIALIZED } from './write-request.mjs';

const ID = /"id":(\d+|"initialize")/;

/** An MCP client that owns a stdio server; the same shape as the HTTP client. */
export async function openStdioClient(target) {
  const waiting = new Map();
  const server = startNode(target.args, {
    onLine(line) {
      const id = ID.exec(line)?.[1];
      const done = waiting.get(id);
      waiting.delete(id);
      done?.({ status: 200, contentType: 'application/json', body: line });
    },
  });
  server.child.on('exit', () => {
    for (const done of waiting.values()) done({ fault: 'the server exited' });
    waiting.clear();
  });
  const send = (text, _tool, done) => {
    waiting.set(ID.exec(text)[1], done);
    server.child.stdin.write(`${text}\n`);
  };
  await new Promise((resolve) => send(INITIALIZE, undefined, resolve));
  server.child.stdin.write(`${INITIALIZED}\n`);
  return { send, close: () => server.stop() };
}
