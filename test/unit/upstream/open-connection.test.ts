import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../src/base/observe/observation.js';
import type { UpstreamConfig } from '../../../src/config/gateway-config.js';
import type { Connection, EraMemory } from '../../../src/upstream/connection.js';
import { openConnection } from '../../../src/upstream/open-connection.js';
import { createBehaviours } from '../../fixtures/servers/behaviours.mjs';
import { serveSse } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, behaviourServer } from './opened-pool.js';

interface Opened {
  readonly connection: Connection;
  readonly memory: EraMemory;
  readonly observations: readonly Observation[];
}

async function open(
  server: readonly string[] | UpstreamConfig,
  memory: EraMemory = {},
  probeTimeoutMs = 5_000,
): Promise<Opened> {
  const observations: Observation[] = [];
  const connection = await openConnection({
    config: 'slug' in server ? server : anUpstream(behaviourServer(...server)),
    around: {
      observe: (observation) => observations.push(observation),
      binDirectories: [],
      clientInfo: { name: 'connection-test', version: '0.0.0' },
    },
    memory,
    tools: new Map(),
    probeTimeoutMs,
    signal: new AbortController().signal,
    onTools: () => {},
    onCapabilities: () => {},
    news: { onListChanged: () => {}, onResourceUpdated: () => {} },
    onDiagnostic: () => {},
  });
  return { connection, memory, observations };
}

describe('openConnection', () => {
  it('does not wait for ever for a legacy server that is silent when it is probed', async () => {
    const { connection, memory } = await open(['--hang', 'server/discover'], {}, 100);
    expect(connection.era).toBe('legacy');
    expect(memory.prior).toEqual({ kind: 'legacy' });
    await connection.close();
  });

  it('does not probe a server whose era it remembers', async () => {
    // A server that exits when probed would have to be started twice.
    const { connection } = await open(['--exit-on-probe'], { prior: { kind: 'legacy' } });
    expect(connection.era).toBe('legacy');
    await connection.close();
  });

  it('remembers of a modern server that it is one, and not what it said of itself', async () => {
    const { connection, memory } = await open(['--modern']);
    expect(memory).toEqual({ prior: undefined, modern: true });
    await connection.close();
  });

  it('connects a modern server that is slow to answer the probe, within the same attempt', async () => {
    const { connection, memory } = await open(['--modern'], {}, 1);
    expect(connection.era).toBe('modern');
    expect(memory.modern).toBe(true);
    await connection.close();
  });

  it('finds a server of the older HTTP transport by its address alone, and remembers it', async () => {
    const server = await serveSse(createBehaviours());
    const memory: EraMemory = {};
    const config = anUpstream({ type: 'http', url: server.url, headers: {} });
    const { connection } = await open(config, memory);
    expect(connection.transport).toBe('sse');
    expect(memory.sse).toBe(true);
    await connection.close();
    const first = server.requests.length;
    const again = await open(config, memory);
    // The POST to an address that takes none is not repeated.
    expect(server.requests.length - first).toBeLessThan(first);
    await again.connection.close();
    await server.close();
  });

  it('says so when it has ended', async () => {
    const { connection } = await open([]);
    expect(connection.usable).toBe(true);
    const closed = connection.close();
    await Promise.all([connection.closed, closed]);
    expect(connection.usable).toBe(false);
    expect((await connection.lost).connectionLost).toBe(true);
  });
});
