/**
 * What reading texts as lines, cells and rows takes: each form of 6 MB is sorted alone, then six at once. Prints what the process has when it
 * is idle and with one thread (whose own memory belongs to no text), the most that it had then, how much that is beyond the thread's by bytes
 * of the texts, and how the calls ended. Ends with 1 where six logs take more than the bar. Linux only.
 *
 *   npm run soak:memory [-- part of a form's name]
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send, startGateway } from './soak-gateway.mjs';

const MB = 1_000_000;
const BYTES = 6 * MB;
const LOGS_BAR = 400;
const AT_ONCE = 6;
const FORMS = { get_log: '-value', get_csv: '-a', get_rows: '-a', get_short: '-value', get_tiny: '-value' };
const [wanted = ''] = process.argv.slice(2);

let failed = false;
for (const [tool, sort] of Object.entries(FORMS)) {
  if (!tool.includes(wanted)) continue;
  for (const calls of [1, AT_ONCE]) {
    const { idle, before, peak, codes } = await measure(tool, sort, calls);
    const factor = ((peak - before) / (BYTES / MB) / calls).toFixed(1);
    process.stdout.write(
      `${tool.padEnd(10)} ${calls} at once: ${idle}, with a thread ${before}, -> ${peak} MB, ${factor} times the bytes of all; ${codes.join(' ')}\n`,
    );
    if (tool === 'get_log' && (peak > LOGS_BAR || codes.some((code) => code !== 'OK'))) failed = true;
  }
}
process.exitCode = failed ? 1 : 0;

async function measure(tool, sort, calls) {
  const directory = await mkdtemp(join(tmpdir(), 'soak-memory-'));
  const inputSchema = { type: 'object', properties: {} };
  const annotations = { readOnlyHint: true };
  const tools = [...Object.keys(FORMS), 'get_start'].map((name) => ({
    name,
    description: 'Read a text.',
    inputSchema,
    annotations,
  }));
  const { gateway, url, ready } = await startGateway({ tools, program: 'text-upstream.mjs' }, directory);
  try {
    await ready();
    await send(url, { operation: 'introspect', params: { query: 'upstreams' } }, 1);
    const idle = await memoryOf(gateway.pid, 'VmRSS');
    await send(url, { operation: 'get_start', params: { sort: '-value', first: 5 } }, 2);
    const before = await memoryOf(gateway.pid, 'VmRSS');
    await writeFile(`/proc/${gateway.pid}/clear_refs`, '5');
    const request = { operation: tool, params: { sort, first: 5 } };
    const answers = await Promise.all(Array.from({ length: calls }, (_, id) => send(url, request, id + 3)));
    return { idle, before, peak: await memoryOf(gateway.pid, 'VmHWM'), codes: answers.map(({ code }) => code) };
  } finally {
    gateway.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
}

/** In megabytes. @param field `VmRSS`: now; `VmHWM`: at most since the last look */
async function memoryOf(pid, field) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1_024) / MB);
}
