import type { Command } from 'commander';
import { openHttpFront } from '../front/mcp/http-front.js';
import { type CommonFlags, loadCliConfig, startGateway } from './context.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import { readPackageInfo } from './package-info.js';
import { describeStart, printStartReport } from './start-report.js';
import { untilAskedToStop } from './stop-signal.js';
import { printJson, type Terminal } from './terminal.js';
import { watchUpstreams } from './watch-upstreams.js';

export function registerServe(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('serve every upstream over Streamable HTTP')
    .option('--host <address>', 'the address to listen on')
    .option('--port <number>', 'the port to listen on; 0 takes a free one')
    .action(async (_own: unknown, command: Command) => {
      await serve(command.optsWithGlobals<CommonFlags>(), terminal);
    });
}

/** Runs until the process is asked to stop, then closes the front before the upstreams so that answers still get out. */
async function serve(flags: CommonFlags, terminal: Terminal): Promise<void> {
  const config = await loadCliConfig(flags, terminal);
  const stop = untilAskedToStop();
  const { gateway, log } = await startGateway(config);
  try {
    const front = await openHttpFront(gateway, { observe: log.observe, serverInfo: readPackageInfo() }).catch(
      (cause: unknown) => {
        throw explainListenFault(cause, config.server.host, config.server.port);
      },
    );
    const watching = watchUpstreams(gateway, terminal);
    try {
      await Promise.race([gateway.settled, stop.asked]);
      watching.end();
      const report = describeStart(gateway, front.url);
      if (flags.json === true) printJson(terminal, report);
      else printStartReport(report, terminal);
      await stop.asked;
    } finally {
      watching.end();
      await front.close();
    }
  } finally {
    await gateway.close();
    log.flush();
  }
}

function explainListenFault(cause: unknown, host: string, port: number): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is taken; choose another with --port`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; choose another with --host`,
    EACCES: `port ${port} needs more rights; choose one above 1023 with --port`,
  };
  const message = typeof code === 'string' ? why[code] : undefined;
  return message === undefined ? cause : new CliError(EXIT_CODE.failure, `Cannot listen: ${message}`, { cause });
}
