import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GatewayFolder, prepareFolder, type RunningGateway, type StartReport } from './gateway-folder.js';

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
export const BINARY = join(REPOSITORY, 'dist/cli/main.js');

/** A gateway in a process of its own: the shipped binary. */
export interface ServedGateway extends RunningGateway {
  readonly process: ChildProcess;
  /** Everything logged so far. */
  stderr(): string;
  /** Resolves when the log contains the text; text that is already logged counts. */
  logged(text: string): Promise<void>;
}

export interface ServeOptions extends GatewayFolder {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** The Node.js that runs it; that of the tests where absent. */
  readonly node?: string;
}

/** Starts the shipped binary with a configuration and resolves when it is ready. */
export async function serveGateway(config: object, options: ServeOptions = {}): Promise<ServedGateway> {
  const folder = await prepareFolder(config, options);
  const child = spawn(
    options.node ?? process.execPath,
    [
      ...(options.nodeArgs ?? []),
      BINARY,
      'serve',
      '--json',
      '--config',
      folder.file,
      '--port',
      '0',
      ...(options.args ?? []),
    ],
    { cwd: folder.path, env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
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
    directory: folder.path,
    stderr: () => stderr,
    async logged(text) {
      while (!stderr.includes(text)) await once(child.stderr as NonNullable<typeof child.stderr>, 'data');
    },
    async [Symbol.asyncDispose]() {
      await stop(child);
      await folder[Symbol.asyncDispose]();
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
