// The floor in front of an HTTP upstream. node http-floor.mjs URL; prints {"listening":port} once it serves.
import { Pool } from 'undici';
import { OPENING, serveFloor } from './serve-floor.mjs';

const upstream = new URL(process.argv[2]);
const pool = new Pool(upstream.origin, { pipelining: 1, keepAliveTimeout: 60_000 });

async function forward(message, { 'mcp-session-id': sessionId }) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  if (sessionId !== undefined) headers['mcp-session-id'] = sessionId;
  const answer = await pool.request({
    path: upstream.pathname,
    method: 'POST',
    headers,
    body: JSON.stringify(message),
  });
  const text = await answer.body.text();
  const session = answer.headers['mcp-session-id'];
  return {
    status: answer.statusCode,
    headers: session === undefined ? {} : { 'mcp-session-id': session },
    body: text === '' ? undefined : JSON.parse(text),
  };
}

const { headers } = await forward(OPENING.initialize, {});
await forward(OPENING.initialized, headers);
await forward(OPENING.list, headers);
await serveFloor(forward);
