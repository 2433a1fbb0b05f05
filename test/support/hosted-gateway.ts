import type { Observation } from '../../src/base/observe/observation.js';
import { readCliConfig, readPackageInfo, startGateway } from '../../src/cli/shared/context.js';
import { mountPages } from '../../src/console/mount.js';
import { openHttpServer } from '../../src/server/http/http-server.js';
import { type GatewayFolder, prepareFolder, type RunningGateway } from './gateway-folder.js';

/** Reads the configuration, opens and serves a gateway as `serve` does, in this process, where it takes a fraction of the time. */
export async function hostGateway(config: object, given: GatewayFolder = {}): Promise<RunningGateway> {
  const folder = await prepareFolder(config, given);
  const load = async () => (await readCliConfig({ config: folder.file, port: '0' })).config;
  const defects: Observation[] = [];
  const { gateway, observe, monitoring } = await startGateway(await load(), 'serve', {
    servesClients: true,
    load,
    isLogged: () => false,
    observers: [(observation) => void (observation.kind === 'defect' && defects.push(observation))],
  });
  await gateway.warmedUp;
  const { monitor } = monitoring;
  const server = await openHttpServer(gateway, { observe, serverInfo: readPackageInfo(), monitor, mount: mountPages });
  await monitoring.follow(gateway, server);
  await gateway.settled;
  return {
    url: server.url,
    report: { url: server.url, status: gateway.status() },
    directory: folder.path,
    async [Symbol.asyncDispose]() {
      await server.close();
      await gateway.close();
      await monitoring.close();
      await folder[Symbol.asyncDispose]();
      if (defects.length > 0) throw new Error(`a defect: ${JSON.stringify(defects[0])}`);
    },
  };
}
