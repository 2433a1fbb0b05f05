import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 100;

const readBody = async (message) => {
  const parts = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts);
};

/**
 * A load balancer as docs/deployment.md asks for: it looks at each replica's readiness, sends the requests to the ready ones in turn,
 * whatever their session, and to the next one where a connection cannot be made.
 */
export async function startBalancer(replicas) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set(replicas);
  const watching = new AbortController();
  for (const replica of replicas)
    void watch(replica, watching.signal, (isReady) => ready[isReady ? 'add' : 'delete'](replica));
  const balancer = { url: '', retried: 0, close };
  let turn = 0;
  const server = createServer(async (incoming, outgoing) => {
    const body = await readBody(incoming).catch(() => undefined);
    if (body === undefined) return;
    turn += 1;
    const first = turn % replicas.length;
    const inTurn = [...replicas.slice(first), ...replicas.slice(0, first)];
    const targets = [...inTurn.filter((each) => ready.has(each)), ...inTurn.filter((each) => !ready.has(each))];
    const tryNext = () => {
      const target = targets.shift();
      if (target === undefined) return outgoing.writeHead(502).end('no replica listens');
      const { url: path, method, headers } = incoming;
      const sent = request({ host: '127.0.0.1', port: target.port, path, method, headers, agent });
      sent.once('response', (answer) => answer.pipe(outgoing.writeHead(answer.statusCode, answer.headers)));
      sent.once('error', (cause) => {
        if (cause.syscall === 'connect') {
          balancer.retried += 1;
          tryNext();
        } else if (!outgoing.headersSent) outgoing.writeHead(502).end(String(cause));
      });
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) sent.destroy();
      });
      sent.end(body);
    };
    tryNext();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Clients reuse connections: one that closes for idleness in that moment would be a fault of the balancer's own.
  server.keepAliveTimeout = 0;
  balancer.url = `http://127.0.0.1:${server.address().port}`;
  return balancer;

  function close() {
    watching.abort();
    agent.destroy();
    server.closeAllConnections();
    server.close();
  }
}

/** Asks a replica for its readiness again and again. */
async function watch(replica, signal, note) {
  while (!signal.aborted) {
    note(await replica.isReady());
    await delay(LOOK_MS);
  }
}
