import { describe, expect, it } from 'vitest';
import { startErasServer } from '../support/eras-server.js';
import { hostGateway } from '../support/hosted-gateway.js';

describe('a server that takes whatever has `_meta` for 2026-07-28', () => {
  it.each(['auto', '2025-11-25', '2026-07-28'])('connects with the protocol %s', async (protocol) => {
    await using server = await startErasServer();
    await using gateway = await hostGateway({ mcpServers: { one: { url: server.url, protocol } } });
    expect(gateway.gateway.status().upstreams).toMatchObject([{ state: 'ready' }]);
    expect(server.sessionsOpened).toBe(protocol === '2026-07-28' ? 0 : 1);
  });
});
