import { fileURLToPath } from 'node:url';
import { startListening } from './children.mjs';

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

const HTTP_UPSTREAM = fileOf('../server/http-upstream.mjs');
const STDIO_UPSTREAM = fileOf('../server/stdio-upstream.mjs');
const HTTP_FLOOR = fileOf('../floor/http-floor.mjs');
const STDIO_FLOOR = fileOf('../floor/stdio-floor.mjs');

/** The gateway as it is shipped. */
export const GATEWAY = fileOf('../../../dist/cli/main.js');

/** Node's arguments for a stdio upstream with so many tools. */
export function stdioUpstreamArgs(tools, pidFile) {
  return [STDIO_UPSTREAM, '--tools', String(tools), ...(pidFile === undefined ? [] : ['--pid-file', pidFile])];
}

export async function startHttpUpstream(tools, port = 0) {
  return withUrl(await startListening([HTTP_UPSTREAM, '--tools', String(tools), '--port', String(port)]));
}

/** `readyMs` is from spawn until it has read the upstream's tools and listens. */
export function startHttpFloor(upstreamUrl) {
  return startTimed([HTTP_FLOOR, upstreamUrl]);
}

export function startStdioFloor(upstreamArgs) {
  return startTimed([STDIO_FLOOR, process.execPath, ...upstreamArgs]);
}

async function startTimed(args) {
  const spawned = performance.now();
  const started = await startListening(args);
  return { ...withUrl(started), readyMs: performance.now() - spawned };
}

function withUrl(started) {
  return { ...started, url: `http://127.0.0.1:${started.port}/mcp` };
}
