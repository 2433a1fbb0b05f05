import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { MCP_PATH, withFastMcp } from '../../../../src/server/http/http-server.js';
import { sendHttp } from '../../../support/raw-http.js';

it('a request to the path of MCP whose handling throws is answered with 500, and the log has the cause', async () => {
  const cause = new Error('a defect');
  const observations: Observation[] = [];
  const fail = (): never => {
    throw cause;
  };
  const server = createServer(
    withFastMcp(
      { serveMcp: fail, serveView: fail, serveOthers: () => undefined },
      () => true,
      (observation) => observations.push(observation),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${MCP_PATH}`;
  const { status, json } = await sendHttp(url, { body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  server.close();
  expect(status).toBe(500);
  expect(json.error.message).toBe('Internal error');
  expect(observations).toEqual([{ kind: 'defect', where: MCP_PATH, cause }]);
});
