import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import type { UpstreamConfig } from '../../../src/config/gateway-config.js';
import { createBehaviours } from '../../fixtures/servers/behaviours.mjs';
import { listen, type ServedHttp, serveLegacyHttp } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, openPool } from './opened-pool.js';

/** A server of both eras, whose sessions offer this more. */
function serveBoth(more: ServerCapabilities): Promise<ServedHttp> {
  const handler = createMcpHandler(
    ({ era }) => {
      const capabilities = { tools: {}, ...(era === 'legacy' ? more : {}) };
      const server = new Server({ name: 'both', version: '1' }, { capabilities });
      server.setRequestHandler('tools/list', () => ({ tools: [] }));
      return server;
    },
    { legacy: 'stateless' },
  );
  return listen(toNodeHandler(handler) as unknown as RequestListener, 0);
}

async function eraOf(served: ServedHttp, protocol: UpstreamConfig['protocol']) {
  await using opened = openPool(anUpstream({ type: 'http', url: served.url, headers: {} }, { protocol }));
  await opened.settled;
  const [status] = opened.pool.statuses();
  const capabilities = opened.pool.upstreams.get('one')?.capabilities(undefined);
  const said = opened.observations.flatMap((seen) => (seen.kind === 'diagnostic' ? [seen.message] : []));
  await opened.pool.close();
  await served.close();
  return { state: status?.state, era: status?.era, version: status?.protocolVersion, capabilities, said };
}

describe('a server that speaks both eras', () => {
  it('is spoken to in both, and its capabilities are those of either', async () => {
    const { state, version, capabilities, said } = await eraOf(
      await serveBoth({ completions: {}, resources: {} }),
      'auto',
    );
    expect({ state, version, said }).toEqual({ state: 'ready', version: '2026-07-28 and 2025-11-25', said: [] });
    expect(capabilities).toMatchObject({ tools: {}, completions: {}, resources: {} });
  });

  it('is spoken to as the configuration says', async () => {
    expect(await eraOf(await serveBoth({}), '2025-11-25')).toMatchObject({ state: 'ready', era: 'legacy', said: [] });
    expect(await eraOf(await serveBoth({ prompts: {} }), '2026-07-28')).toMatchObject({
      state: 'ready',
      era: 'modern',
      said: [],
    });
  });
});

it('a server that has sessions alone is not connected where the configuration wants 2026-07-28', async () => {
  const { state } = await eraOf(await serveLegacyHttp(createBehaviours()), '2026-07-28');
  expect(state).toBe('waiting');
});
