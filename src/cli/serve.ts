import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { type CommonFlags, loadCliConfig, startGateway } from './context.js';
import { readPackageInfo } from './package-info.js';
import { describeStart, printStartReport } from './start-report.js';
import { untilAskedToStop } from './stop-signal.js';
import { printJson, type Terminal } from './terminal.js';
import { watchUpstreams } from './watch-upstreams.js';

/** The start report tells what became of every upstream, unless one keeps everybody waiting. */
const REPORT_PATIENCE_MS = 10_000;

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
  // On a terminal the progress line and the report tell how the upstreams start; log lines in between would tear them.
  let starting = terminal.err.isTTY === true;
  const { gateway, log } = await startGateway(config, 'serve', ({ kind }) => !starting || kind !== 'upstream-state');
  const watching = watchUpstreams(gateway, terminal);
  try {
    // While the upstreams start, the front's libraries are loaded.
    const { openHttpFront } = await import('../front/mcp/http-front.js');
    await Promise.race([gateway.warmedUp, stop.asked]);
    const front = await openHttpFront(gateway, { observe: log.observe, serverInfo: readPackageInfo() });
    try {
      await Promise.race([gateway.settled, stop.asked, delay(REPORT_PATIENCE_MS, undefined, { ref: false })]);
      watching.end();
      starting = false;
      const report = describeStart(gateway, front.url);
      if (flags.json === true) printJson(terminal, report);
      else printStartReport(report, terminal);
      await stop.asked;
    } finally {
      await front.close();
    }
  } finally {
    watching.end();
    await gateway.close();
    log.flush();
  }
}
