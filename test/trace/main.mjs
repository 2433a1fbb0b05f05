/**
 * Counts the own files that each of eight calls runs through, as V8 saw them run (precise coverage over the inspector's
 * protocol), and holds each count against the table of the decision that names them.
 *
 *   npm run trace               the counts
 *   npm run trace -- --files    the files of each way too
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { allowedFiles, readBounds } from '../../.ci/bounds.mjs';
import { connectInspector } from './inspector.mjs';
import { WAYS } from './ways.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WARM_UP_CALLS = 10;
/** Files that run in each of so many calls are counted: the journal, which is written now and then, is no part of a way. */
const COUNTED_CALLS = 4;

const DIST = new URL('../../dist/', import.meta.url).href;

/** Starts the gateway with its inspector open; resolves with the addresses of both. */
async function startGateway(directory) {
  const note = join(directory, 'note.txt');
  await writeFile(note, 'one line');
  const config = join(directory, 'gateway.config.json');
  const mcpServers = {
    files: { command: 'mcp-server-filesystem', args: [directory] },
    memory: { command: 'mcp-server-memory', env: { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') } },
  };
  const programs = { enabled: true };
  await writeFile(config, JSON.stringify({ dataDir: join(directory, 'data'), programs, mcpServers }));
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
  return { child, url: await url, inspector: await inspector, note };
}

function filesRun({ result }) {
  const ran = result.filter(
    ({ url, functions }) => url.startsWith(DIST) && functions.some(({ ranges }) => ranges[0].count > 0),
  );
  return ran.map(({ url }) => url.slice(DIST.length));
}

/** A way's calls, each with what it needs of an answer before it. */
function callerOf(way, { client, note }) {
  const request = way.request(note);
  const send = (given) => client.callTool({ name: request.tool, arguments: given }).then(JSON.stringify);
  /** Resolves with what sends the call that counts. */
  const prepare = async () => {
    if (way.isConfirmed !== true) return () => send(request.arguments);
    const token = /conf_[\w-]+/.exec(await send(request.arguments))?.[0];
    return () => send({ ...request.arguments, params: { ...request.arguments.params, _confirmation: token } });
  };
  return async () => {
    const call = await prepare();
    return async () => {
      const answer = await call();
      if (!answer.includes(way.holds)) throw new Error(`${way.name}: ${answer.slice(0, 1_000)}`);
    };
  };
}

async function countFiles(way, { client, note, inspector }) {
  const next = callerOf(way, { client, note });
  for (let call = 0; call < WARM_UP_CALLS; call += 1) await (await next())();
  const runs = [];
  for (let call = 0; call < COUNTED_CALLS; call += 1) {
    const counted = await next();
    await inspector.send('Profiler.takePreciseCoverage');
    await counted();
    runs.push(filesRun(await inspector.send('Profiler.takePreciseCoverage')));
  }
  const [first = [], ...others] = runs;
  return first.filter((file) => others.every((run) => run.includes(file))).sort();
}

const directory = await mkdtemp(join(tmpdir(), 'aql-trace-'));
const gateway = await startGateway(directory);
try {
  const client = new Client({ name: 'trace', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const inspector = await connectInspector(gateway.inspector);
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const bounds = readBounds();
  for (const way of WAYS) {
    const files = await countFiles(way, { client, note: gateway.note, inspector });
    const most = allowedFiles(bounds, way.name);
    const isOver = files.length > most;
    console.log(`${String(files.length).padStart(4)} ${way.name} (${isOver ? 'over' : 'at most'} ${most})`);
    if (process.argv.includes('--files')) for (const file of files) console.log(`       ${file}`);
    if (isOver) process.exitCode = 1;
  }
  inspector.close();
  await client.close();
} finally {
  gateway.child.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
}
if (process.exitCode === 1)
  console.error('A call has a longer way: shorten it, or say in the decision why it is right.');
