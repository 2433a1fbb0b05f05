import type { Command } from 'commander';
import type { Observer } from '../../base/observe/observation.js';
import { digestConfigFiles } from '../../config/config-files.js';
import type { Gateway } from '../../gateway/gateway.js';
import { protectStdout } from '../../server/stdio/protect-stdout.js';
import {
  type CommonFlags,
  gatewayIn,
  loadCliConfig,
  readCliConfig,
  readPackageInfo,
  startGateway,
  VIEW_OPTION,
} from '../shared/context.js';
import { announceRunning } from '../shared/running.js';
import { closeInSteps, type StopStep, untilAskedToStop } from '../shared/stopping.js';
import type { Terminal } from '../shared/terminal.js';

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
  const digest = await digestConfigFiles(config);
  let reload = (_by: string): void => undefined;
  const stop = untilAskedToStop(config.server, () => reload('SIGHUP'));
  const { gateway, log, observe, monitoring } = await startGateway(config, 'stdio', {
    oneClient: true,
    servesClients: true,
    load: async () => (await readCliConfig(flags)).config,
  });
  const open: StopStep[] = [
    ['the gateway', () => gateway.close()],
    ['monitoring', () => monitoring.close()],
  ];
  try {
    const view = flags.view ?? config.server.defaultView;
    const shown = gatewayIn(gateway, view);
    const { serveStdio } = await import('../../server/stdio/stdio-server.js');
    // Messages that the client sends meanwhile wait in the pipe.
    await Promise.race([gateway.warmedUp, stop.asked]);
    const server = serveStdio(shown, {
      input: process.stdin,
      output: process.stdout,
      observe,
      serverInfo: readPackageInfo(),
    });
    // Several clients may each start a gateway of one configuration: the first has the listener.
    await monitoring.follow(gateway).catch(({ message }: Error) => observe({ kind: 'notice', level: 'warn', message }));
    const running = announceRunning(gateway, { address: 'stdio', digest });
    reload = running.reload;
    const why = await Promise.race([
      server.done.then(() => 'its client has closed the connection'),
      stop.asked.then(() => 'it was asked to'),
      untilRemoved(gateway, view, observe).then(() => 'its view is gone'),
    ]);
    open.unshift(['what says that it runs', running.end], ['the server', () => server.close()]);
    observe({ kind: 'notice', level: 'info', message: `stopping, as ${why}` });
  } finally {
    await closeInSteps(open, config.server, observe);
    log.flush();
  }
  process.exit();
}

/** Resolves when a reload has removed the view that is served: what its client saw is not to be seen any more. */
function untilRemoved(gateway: Gateway, view: string | undefined, observe: Observer): Promise<void> {
  return new Promise((resolve) => {
    if (view === undefined) return;
    gateway.onReloaded(() => {
      if (gateway.inView(view) !== undefined) return;
      const message = `The view '${view}' has been removed from the configuration, so this process ends.`;
      observe({ kind: 'notice', level: 'error', message });
      resolve();
    });
  });
}
