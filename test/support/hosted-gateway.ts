import { writeFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { Observation } from '../../src/base/observe/observation.js';
import { readCliConfig, readPackageInfo, startGateway } from '../../src/cli/shared/context.js';
import { mountPages } from '../../src/console/mount.js';
import type { Gateway, ReloadState } from '../../src/gateway/gateway.js';
import { openHttpServer } from '../../src/server/http/http-server.js';
import { serveStdio } from '../../src/server/stdio/stdio-server.js';
import { type GatewayFolder, prepareFolder, type RunningGateway } from './gateway-folder.js';

/** A gateway in this process. */
export interface HostedGateway extends RunningGateway {
  readonly gateway: Gateway;
  /** Writes another configuration and has it read. */
  reload(config: object): Promise<ReloadState>;
  /** Serves a client on a pair of streams, until its input ends. */
  serveStdio(input: Readable, output: Writable): void;
}

export interface HostSettings extends GatewayFolder {
  /** Hands the gateway over as soon as clients may connect, rather than when all servers have been tried. */
  readonly atOnce?: boolean;
  /** Where it listens, when its address must be known before. */
  readonly port?: number;
}

/** Reads the configuration, opens and serves a gateway as `serve` does, in this process, where it takes a fraction of the time. */
export async function hostGateway(config: object, given: HostSettings = {}): Promise<HostedGateway> {
  const folder = await prepareFolder(config, given);
  const load = async () => (await readCliConfig({ config: folder.file, port: String(given.port ?? 0) })).config;
  const defects: Observation[] = [];
  const { gateway, observe, monitoring } = await startGateway(await load(), 'serve', {
    servesClients: true,
    load,
    isLogged: () => false,
    observers: [(observation) => void (observation.kind === 'defect' && defects.push(observation))],
  });
  await gateway.warmedUp;
  const { monitor } = monitoring;
  const serverInfo = readPackageInfo();
  const server = await openHttpServer(gateway, { observe, serverInfo, monitor, mount: mountPages });
  await monitoring.follow(gateway, server);
  if (given.atOnce !== true) await gateway.settled;
  return {
    gateway,
    url: server.url,
    report: { url: server.url, status: gateway.status() },
    directory: folder.path,
    async reload(next) {
      await writeFile(folder.file, JSON.stringify(next));
      return gateway.reload('test');
    },
    serveStdio(input, output) {
      serveStdio(gateway, { input, output, observe, serverInfo });
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await gateway.close();
      await monitoring.close();
      await folder[Symbol.asyncDispose]();
      if (defects.length > 0) throw new Error(`a defect: ${describeDefect(defects[0])}`);
    },
  };
}

function describeDefect(defect: Observation | undefined): string {
  const cause = defect?.kind === 'defect' ? defect.cause : undefined;
  return `${JSON.stringify(defect)}${cause instanceof Error ? ` ${cause.stack}` : ''}`;
}
