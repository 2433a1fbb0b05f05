/**
 * Counts what one call runs through: starts the gateway over a stdio server, opens a session over HTTP, warms up, and lists the
 * own files and functions that V8 saw run during one READ (precise coverage over the inspector's protocol).
 *
 *   npm run trace               counts, and the files
 *   npm run trace -- --functions  the functions of each file too
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { WebSocket } from 'undici';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WARM_UP_CALLS = 20;
/** What each of so many calls runs through is counted. */
const COUNTED_CALLS = 5;
/** The most own files that one READ may touch, and the most named functions that it may run. */
const BAR = { files: 45, functions: 219 };

const DIST = new URL('../../dist/', import.meta.url).href;

/** The inspector of a process: sends a command, resolves with its result. */
async function connectInspector(url) {
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

/** Starts the gateway with its inspector open; resolves with the addresses of both. */
async function startGateway(directory) {
  const notes = join(directory, 'note.txt');
  await writeFile(notes, 'one line');
  const config = join(directory, 'gateway.config.json');
  const files = { command: 'mcp-server-filesystem', args: [directory] };
  await writeFile(config, JSON.stringify({ dataDir: join(directory, 'data'), mcpServers: { files } }));
  const args = [
    '--inspect=127.0.0.1:0',
    join(ROOT, 'test/trace/entry.mjs'),
    'serve',
    '--json',
    '--config',
    config,
    '--port',
    '0',
  ];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  const inspector = new Promise((resolve) => {
    let words = '';
    child.stderr.on('data', (chunk) => {
      words += chunk;
      const found = /Debugger listening on (ws:\S+)/.exec(words)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const url = new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      try {
        resolve(JSON.parse(text).url);
      } catch {
        // The report is not complete yet.
      }
    });
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}`)));
  });
  return { child, url: await url, inspector: await inspector, notes };
}

function listRun(coverage) {
  const files = coverage.result
    .filter(({ url }) => url.startsWith(DIST))
    .map(({ url, functions }) => ({
      file: url.slice(DIST.length),
      functions: functions
        .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
        .map(({ functionName, ranges }) => ({ name: functionName, at: ranges[0].startOffset })),
      ran: functions.some(({ ranges }) => ranges[0].count > 0),
    }))
    .filter(({ ran }) => ran);
  return files.sort((a, b) => a.file.localeCompare(b.file));
}

const directory = await mkdtemp(join(tmpdir(), 'aql-trace-'));
const gateway = await startGateway(directory);
try {
  const client = new Client({ name: 'trace', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const read = () =>
    client.callTool({
      name: 'mcp_aql_read',
      arguments: { operation: 'read_text_file', params: { path: gateway.notes } },
    });
  for (let call = 0; call < WARM_UP_CALLS; call += 1) await read();
  const inspector = await connectInspector(gateway.inspector);
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const runs = [];
  for (let call = 0; call < COUNTED_CALLS; call += 1) {
    await inspector.send('Profiler.takePreciseCoverage');
    const answer = await read();
    const coverage = await inspector.send('Profiler.takePreciseCoverage');
    if (answer.isError === true || !JSON.stringify(answer).includes('one line'))
      throw new Error(JSON.stringify(answer));
    runs.push(listRun(coverage));
  }
  // What ran beside one call alone, such as the journal that is written now and then, is no part of its way.
  const [first = [], ...others] = runs;
  const files = first.flatMap(({ file, functions }) => {
    const again = others.map((run) => run.find((other) => other.file === file)?.functions);
    if (again.includes(undefined)) return [];
    const ranAlways = ({ at }) => again.every((each) => each.some((other) => other.at === at));
    return [{ file, names: functions.filter(ranAlways).map(({ name }) => name) }];
  });
  const functions = files.reduce((sum, { names }) => sum + names.length, 0);
  for (const file of files) {
    console.log(`  ${file.file}${process.argv.includes('--functions') ? `: ${file.names.join(', ')}` : ''}`);
  }
  const isWithin = files.length <= BAR.files && functions <= BAR.functions;
  const bar = `${isWithin ? 'within' : 'over'} the bar of ${BAR.files} and ${BAR.functions}`;
  console.log(`${files.length} own files, ${functions} named functions (${bar})`);
  if (!isWithin) process.exitCode = 1;
  inspector.close();
  await client.close();
} finally {
  gateway.child.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
}
