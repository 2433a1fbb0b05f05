import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toSnakeCase } from '../../src/lib/names.js';

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
export const BINARY = join(REPOSITORY, 'dist/cli/main.js');

/** What `serve --json` prints once it is ready. */
export interface StartReport {
  readonly url: string;
  readonly status: {
    readonly operations: number;
    readonly upstreams: readonly { readonly name: string; readonly state: string; readonly problem?: string }[];
    readonly families: readonly { readonly name: string; readonly tool: string; readonly operations: number }[];
  };
}

export interface ServedGateway extends AsyncDisposable {
  readonly url: string;
  readonly report: StartReport;
  readonly process: ChildProcess;
  readonly directory: string;
  /** Everything logged so far. */
  stderr(): string;
  /** Resolves when the log contains the text; text that is already logged counts. */
  logged(text: string): Promise<void>;
}

export interface ServeOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** Texts of other files beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** The folder of an earlier or another gateway, whose state this one uses; the caller removes it. */
  readonly directory?: string;
  /** The upstreams that a last run has seen, so that new names do not wait for them; all where absent. */
  readonly seen?: readonly string[];
}

/** A new folder for one test's configuration and data. */
export async function makeDirectory(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'aql-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function existingDirectory(path: string): Awaited<ReturnType<typeof makeDirectory>> {
  return { path, [Symbol.asyncDispose]: async () => undefined };
}

function serversOf(config: object): readonly string[] {
  return 'mcpServers' in config && typeof config.mcpServers === 'object' ? Object.keys(config.mcpServers ?? {}) : [];
}

/** Writes the catalog of a last run in which these upstreams were seen and offered nothing. */
async function pretendSeen(servers: readonly string[], directory: string): Promise<void> {
  const upstreams = Object.fromEntries(servers.map((name) => [toSnakeCase(name), []]));
  await mkdir(join(directory, '.mcp-aql'), { recursive: true, mode: 0o700 });
  await writeFile(join(directory, '.mcp-aql', 'catalog.json'), JSON.stringify({ version: 1, names: {}, upstreams }));
}

/** Starts the shipped binary with a configuration and resolves when it is ready. */
export async function serveGateway(config: object, options: ServeOptions = {}): Promise<ServedGateway> {
  const directory = options.directory === undefined ? await makeDirectory() : existingDirectory(options.directory);
  const file = join(directory.path, 'gateway.config.json');
  await writeFile(file, JSON.stringify(config));
  if (options.directory === undefined) await pretendSeen(options.seen ?? serversOf(config), directory.path);
  for (const [name, text] of Object.entries(options.files ?? {})) await writeFile(join(directory.path, name), text);
  const child = spawn(
    process.execPath,
    [...(options.nodeArgs ?? []), BINARY, 'serve', '--json', '--config', file, '--port', '0', ...(options.args ?? [])],
    { cwd: directory.path, env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const report = await readReport(child, () => stderr);
  return {
    url: report.url,
    report,
    process: child,
    directory: directory.path,
    stderr: () => stderr,
    async logged(text) {
      while (!stderr.includes(text)) await once(child.stderr as NonNullable<typeof child.stderr>, 'data');
    },
    async [Symbol.asyncDispose]() {
      await stop(child);
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The start report is the only thing on stdout. */
function readReport(child: ChildProcess, stderr: () => string): Promise<StartReport> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const report = tryParse(stdout);
      if (report !== undefined) resolve(report);
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code} before it was ready: ${stderr()}`)));
  });
}

function tryParse(text: string): StartReport | undefined {
  try {
    return JSON.parse(text) as StartReport;
  } catch {
    return undefined;
  }
}

/** The configuration that is shipped, with the upstream files beside it. */
export function shippedConfig() {
  const main = JSON.parse(readFileSync(join(REPOSITORY, 'gateway.config.json'), 'utf8')) as { mcpServers: object };
  return { ...main, upstreamsDir: join(REPOSITORY, 'upstreams') };
}
