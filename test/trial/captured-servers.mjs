import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Serves captured tool lists as MCP servers, one path for each, so that calls can be refused and confirmed without anything that
 * could run.
 * @param toolsByServer tools by the server's name
 */
export async function serveCaptured(toolsByServer) {
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url.slice(1));
    const message = request.method === 'POST' ? JSON.parse(await text(request)) : {};
    if (message.id === undefined) {
      response.writeHead(request.method === 'POST' ? 202 : 405).end();
      return;
    }
    const answer = answerTo(message, toolsByServer.get(name) ?? []);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return {
    mcpServers: Object.fromEntries(
      [...toolsByServer.keys()].map((name) => [name, { url: `http://127.0.0.1:${port}/${encodeURIComponent(name)}` }]),
    ),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answerTo({ method }, tools) {
  if (method === 'initialize') {
    const serverInfo = { name: 'captured', version: '1.0.0' };
    return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools } };
  if (method === 'ping') return { result: {} };
  return { error: { code: -32601, message: 'A captured tool list cannot be called' } };
}
