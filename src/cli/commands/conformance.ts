import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { RoundTripPlan, Subject } from '../../conformance/conformance.js';
import { type CommonFlags, loadCliConfig, NAMES_OF_COMMAND, readPackageInfo, startGateway } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';

interface ConformanceFlags extends CommonFlags {
  readonly url: readonly string[];
  readonly token?: string;
  readonly evidence?: string;
  readonly level: string;
  readonly roundTrips?: string;
}

export function registerConformance(program: Command, terminal: Terminal): void {
  program
    .command('conformance')
    .description('measure over MCP which conformance level a gateway meets')
    .option(
      '--url <url>',
      'a running gateway, again for its other endpoint mode; without it the configured one is started in both modes',
      (url: string, urls: readonly string[]) => [...urls, url],
      [],
    )
    .option('--token <token>', "a client's bearer token")
    .option('--evidence <file>', 'write the evidence, as the published conformance runner reads it')
    .option('--level <level>', 'the level that is asked for: 1 or 2', '2')
    .option('--round-trips <file>', 'round trips over operations of your own, as JSON')
    .action(async (_own: unknown, command: Command) => {
      await measure(command.optsWithGlobals<ConformanceFlags>(), terminal);
    });
}

/** Prints a line for each clause. The exit code is 0 when the level that was asked for is met. */
async function measure(flags: ConformanceFlags, terminal: Terminal): Promise<void> {
  const level = readLevel(flags.level);
  const plans = await readPlans(flags.roundTrips);
  const subjects = flags.url.length > 0 ? flags.url.map(running) : await startable(flags, terminal);
  const { measureConformance, reaches, renderReport } = await import('../../conformance/conformance.js');
  const { token } = flags;
  const { judgement, bundle } = await measureConformance(subjects, {
    level,
    plans,
    token,
  });
  if (flags.evidence !== undefined) await writeFile(flags.evidence, `${JSON.stringify(bundle, null, 2)}\n`);
  if (flags.json === true) printJson(terminal, judgement);
  else for (const line of renderReport(judgement)) printLine(terminal, line);
  if (!reaches(judgement, level)) process.exitCode = EXIT_CODE.unmet;
}

function readLevel(text: string): 1 | 2 {
  if (text === '1') return 1;
  if (text === '2') return 2;
  throw new CliError(EXIT_CODE.usage, `--level expected 1 or 2, got '${text}'`);
}

async function readPlans(file: string | undefined): Promise<readonly RoundTripPlan[]> {
  if (file === undefined) return [];
  const { parsePlans } = await import('../../conformance/conformance.js');
  try {
    return parsePlans(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT_CODE.usage, `--round-trips ${file}: ${reason}`, { cause });
  }
}

type OpenSubject = () => Promise<Subject>;

function running(url: string): OpenSubject {
  return async () => ({ url, close: async () => undefined });
}

/** The configured gateway on a free port of this machine, in one endpoint mode after the other. */
async function startable(flags: CommonFlags, terminal: Terminal): Promise<readonly OpenSubject[]> {
  const config = await loadCliConfig({ ...flags, logLevel: flags.logLevel ?? 'error' }, terminal);
  return (['semantic', 'single'] as const).map((mode) => () => start(config, mode));
}

async function start(config: GatewayConfig, mode: 'semantic' | 'single'): Promise<Subject> {
  const { gateway, observe, log } = await startGateway(
    {
      ...config,
      server: { ...config.server, host: '127.0.0.1', port: 0 },
      endpoint: { ...config.endpoint, mode },
    },
    'conformance',
    // Names that change in the middle would be measured as two operations.
    { names: NAMES_OF_COMMAND },
  );
  const close = async (): Promise<void> => {
    await gateway.close();
    log.flush();
  };
  try {
    await gateway.settled;
    const { openHttpServer } = await import('../../server/http/http-server.js');
    const { mountPages } = await import('../../console/mount.js');
    const server = await openHttpServer(gateway, { observe, serverInfo: readPackageInfo(), mount: mountPages });
    return {
      url: server.url,
      async close() {
        await server.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
