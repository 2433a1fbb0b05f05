import type { Command } from 'commander';
import type { Observer } from '../../observe/observation.js';
import { protectStdout } from '../../server/stdio/protect-stdout.js';
import {
  type CommonFlags,
  gatewayIn,
  loadCliConfig,
  RELOAD_IGNORED,
  readPackageInfo,
  startGateway,
  untilAskedToStop,
  VIEW_OPTION,
} from '../context.js';
import { announceRunning } from '../running.js';
import type { Terminal } from '../terminal.js';

interface StdioFlags extends CommonFlags {
  readonly view?: string;
}

export function registerStdio(program: Command, terminal: Terminal): void {
  program
    .command('stdio')
    .description('serve every upstream over stdin and stdout, for a client that starts the gateway itself')
    .option(...VIEW_OPTION)
    .action(async (_own: unknown, command: Command) => {
      await serveOverStdio(command.optsWithGlobals<StdioFlags>(), terminal);
    });
}

/** Runs until the client closes stdin or the process is asked to stop. stdout carries only the protocol. */
async function serveOverStdio(flags: StdioFlags, terminal: Terminal): Promise<void> {
  protectStdout();
  const config = await loadCliConfig(flags, terminal);
  let observe: Observer = () => undefined;
  const stop = untilAskedToStop(config.server, () => observe(RELOAD_IGNORED));
  const started = await startGateway(config, 'stdio', { oneClient: true, servesClients: true });
  const { gateway, log } = started;
  observe = started.observe;
  try {
    const shown = gatewayIn(gateway, flags.view ?? config.server.defaultView);
    const { serveStdio } = await import('../../server/stdio/stdio-server.js');
    // Messages that the client sends meanwhile wait in the pipe.
    await Promise.race([gateway.warmedUp, stop.asked]);
    const server = serveStdio(shown, {
      input: process.stdin,
      output: process.stdout,
      observe,
      serverInfo: readPackageInfo(),
    });
    const running = await announceRunning(config, 'stdio', observe);
    await Promise.race([server.done, stop.asked]);
    running.end();
    await server.close();
  } finally {
    await gateway.close();
    log.flush();
  }
}
