import fastify from 'fastify';

const BODY_LIMIT = 16 * 1024 * 1024;

/**
 * The floor: the least a Node proxy of JSON messages can be on fastify. Each message is parsed and written once in each
 * direction and nothing is looked at.
 * @param forward takes the parsed message and the request's headers, resolves with `{status, headers, body}`
 */
export async function serveFloor(forward) {
  const app = fastify({ bodyLimit: BODY_LIMIT, keepAliveTimeout: 60_000 });
  app.get('/readyz', (_request, reply) => reply.send({ ready: true }));
  app.delete('/mcp', (_request, reply) => reply.send());
  app.post('/mcp', async (request, reply) => {
    const { status, headers, body } = await forward(request.body, request.headers);
    reply.code(status).headers(headers);
    return reply.send(body);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.stdout.write(`${JSON.stringify({ listening: app.server.address().port })}\n`);
}

/** What every proxy has to do before it is ready: greet the upstream and read its tools. */
export const OPENING = {
  initialize: {
    jsonrpc: '2.0',
    id: 'floor-initialize',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench-floor', version: '1.0.0' } },
  },
  initialized: { jsonrpc: '2.0', method: 'notifications/initialized' },
  list: { jsonrpc: '2.0', id: 'floor-list', method: 'tools/list' },
};
