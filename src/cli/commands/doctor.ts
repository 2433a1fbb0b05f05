import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { PACKAGE_DIRECTORY } from '../../base/asset.js';
import { faultCode } from '../../base/lib/fault-code.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { ConfigError } from '../../config/load/diagnostics.js';
import { reviewUpstream, type UpstreamReview } from '../../gateway/review/upstream-review.js';
import { type CommonFlags, chooseServers, readCliConfig, readPackageInfo } from '../shared/context.js';
import { CliError, EXIT_CODE, type ExitCode } from '../shared/exit-code.js';
import { listRunning } from '../shared/running.js';
import { oneLine, paintFor, printJson, printLine, type Terminal } from '../shared/terminal.js';
import { tryListen } from '../shared/try-listen.js';

/** One thing that was looked at beside the servers. */
interface Finding {
  readonly what: 'runtime' | 'configuration' | 'data directory' | 'port' | 'running';
  readonly state: 'ok' | 'failed' | 'warning';
  readonly message: string;
  readonly cure?: string;
}

/** The result of `doctor`; the shape of `doctor --json`. */
interface DoctorReport {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  readonly upstreams: readonly UpstreamReview[];
}

/** Servers that are examined at once. */
const AT_ONCE = 4;

const LEAST_NODE = [20, 19] as const;

export function registerDoctor(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('examine the runtime, the configuration and each server step by step, and name the cure of what fails')
    .argument('[names...]', 'the servers to examine; all unless given')
    .action(async (names: readonly string[], _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      const printer = createPrinter(terminal);
      const silent = { finding: () => undefined, upstream: () => undefined };
      const { report, code } = await examine(names, flags, flags.json === true ? silent : printer);
      if (flags.json === true) printJson(terminal, report);
      else printSummary(report, terminal);
      process.exitCode = code;
    });
}

/** Takes what is found as soon as it is known: a server may take a minute. */
interface Listener {
  finding(finding: Finding): void;
  upstream(review: UpstreamReview): void;
}

async function examine(
  names: readonly string[],
  flags: CommonFlags,
  listener: Listener,
): Promise<{ readonly report: DoctorReport; readonly code: ExitCode }> {
  const runtime = examineRuntime();
  const read = await readCliConfig(flags).catch((error: unknown) => {
    if (error instanceof CliError && error.cause instanceof ConfigError) return error.cause;
    throw error;
  });
  if (read instanceof ConfigError) {
    const findings = [runtime, ...read.problems.map(describeProblem)];
    for (const finding of findings) listener.finding(finding);
    return { report: { ok: false, findings, upstreams: [] }, code: EXIT_CODE.config };
  }
  const { config, warnings } = read;
  const chosen = chooseServers(config, names);
  const findings: readonly Finding[] = [
    runtime,
    { what: 'configuration', state: 'ok', message: config.file ?? 'none; the defaults are used' },
    ...warnings.map((message): Finding => ({ what: 'configuration', state: 'warning', message })),
    await examineDataDirectory(config),
    ...(await examinePort(config)),
  ];
  const deps = { clientInfo: readPackageInfo(), packageDirectory: PACKAGE_DIRECTORY };
  for (const finding of findings) listener.finding(finding);
  const upstreams = await inParallel(chosen, async (upstream) => {
    const review = await reviewUpstream(upstream, config, deps);
    listener.upstream(review);
    return review;
  });
  const failed = upstreams.filter(({ state }) => state === 'failed');
  const own = findings.some(({ state }) => state === 'failed');
  const code = own ? EXIT_CODE.failure : failed.length > 0 ? EXIT_CODE.unreachable : EXIT_CODE.ok;
  return { report: { ok: code === EXIT_CODE.ok, findings, upstreams }, code };
}

function describeProblem({ file, path, message, suggestion }: ConfigError['problems'][number]): Finding {
  const cure = suggestion ?? 'correct it there; mcp-aql-gateway validate shows whether it is right';
  return { what: 'configuration', state: 'failed', message: `${file}: ${path}: ${message}`, cure };
}

function examineRuntime(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const message = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  return isOld
    ? { what: 'runtime', state: 'failed', message, cure: `install Node ${LEAST_NODE.join('.')} or newer` }
    : { what: 'runtime', state: 'ok', message };
}

async function examineDataDirectory({ dataDir }: GatewayConfig): Promise<Finding> {
  const existing = await nearestFolder(dataDir);
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable
    ? { what: 'data directory', state: 'ok', message: dataDir }
    : {
        what: 'data directory',
        state: 'failed',
        message: `${existing} cannot be written by this user`,
        cure: `chown it to this user, or set 'dataDir' to another folder`,
      };
}

async function nearestFolder(folder: string): Promise<string> {
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

/** The port is free, or a gateway with this data directory has it. */
async function examinePort({ server: { host, port }, dataDir }: GatewayConfig): Promise<readonly Finding[]> {
  const running = await listRunning(dataDir);
  const serving = running.filter(({ address }) => address !== 'stdio');
  const found = serving.map(
    ({ address, pid }): Finding => ({
      what: 'running',
      state: 'ok',
      message: `a gateway serves ${address} (process ${pid})`,
    }),
  );
  if (port === 0 || found.length > 0) return found;
  const refused = await tryListen(host, port);
  if (refused === undefined) return [{ what: 'port', state: 'ok', message: `${host}:${port} is free` }];
  const fault = faultCode(refused);
  const cure =
    fault === 'EADDRINUSE'
      ? `end the program that has it (lsof -i :${port}), or choose another in server.port`
      : 'choose another address in server.host and server.port';
  const why = fault === 'EADDRINUSE' ? 'is taken by another program' : `cannot be listened on (${fault})`;
  return [{ what: 'port', state: 'failed', message: `${host}:${port} ${why}`, cure }];
}

async function inParallel<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = [...items.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results.set(next[0], await task(next[1]));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return items.flatMap((_item, index) => {
    const result = results.get(index);
    return result === undefined ? [] : [result];
  });
}

function createPrinter(terminal: Terminal): Listener {
  const paint = paintFor(terminal.out);
  const marks = {
    ok: paint.green('ok'),
    failed: paint.red('FAILED'),
    refused: paint.yellow('refused'),
    warning: paint.yellow('warning'),
    skipped: paint.dim('skipped'),
  } as const;
  const verdicts = {
    ok: 'ok',
    disabled: 'disabled',
    failed: marks.failed,
    refused: paint.yellow('ok, but its call was refused'),
  } as const;
  const line = (indent: string, what: string, state: keyof typeof marks, message: string, cure?: string): void => {
    printLine(terminal, `${indent}${what}: ${marks[state]}: ${oneLine(message)}`);
    if (cure !== undefined) printLine(terminal, `${indent}  ${paint.bold('->')} ${oneLine(cure)}`);
  };
  return {
    finding: ({ what, state, message, cure }) => line('', what, state, message, cure),
    upstream({ name, state, steps }) {
      printLine(terminal, `${paint.bold(oneLine(name))}: ${verdicts[state]}`);
      for (const step of steps) {
        line('  ', step.step, step.state, step.message, step.cure);
        for (const printed of step.printed ?? []) printLine(terminal, paint.dim(`       | ${oneLine(printed)}`));
      }
    },
  };
}

function printSummary({ ok, upstreams }: DoctorReport, terminal: Terminal): void {
  const count = (wanted: UpstreamReview['state']): number => upstreams.filter(({ state }) => state === wanted).length;
  const [failed, refused] = [count('failed'), count('refused')];
  const words = [
    ok ? 'Everything works.' : 'Something does not work.',
    failed === 0 ? '' : `${failed} of ${upstreams.length} servers cannot be used as they are.`,
    refused === 0 ? '' : `${refused} answered a call with an error: often a key that is none.`,
  ];
  printLine(terminal, words.filter((each) => each !== '').join(' '));
}
