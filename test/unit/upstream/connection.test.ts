import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../src/observe/observation.js';
import type { JsonObject } from '../../../src/protocol/json.js';
import { type Connection, type EraMemory, openConnection } from '../../../src/upstream/connection.js';
import { anUpstream, behaviourServer } from './opened-pool.js';

interface Opened {
  readonly connection: Connection;
  readonly memory: EraMemory;
  readonly observations: readonly Observation[];
}

async function open(flags: readonly string[], memory: EraMemory = {}, probeTimeoutMs = 5_000): Promise<Opened> {
  const observations: Observation[] = [];
  const connection = await openConnection({
    config: anUpstream(behaviourServer(...flags)),
    around: {
      observe: (observation) => observations.push(observation),
      binDirectories: [],
      clientInfo: { name: 'connection-test', version: '0.0.0' },
    },
    memory,
    probeTimeoutMs,
    signal: new AbortController().signal,
    onTools: () => {},
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

  it('remembers what a modern server said of itself', async () => {
    const { connection, memory } = await open(['--modern']);
    expect(memory.prior).toMatchObject({ kind: 'modern', discover: { capabilities: { tools: {} } } as JsonObject });
    await connection.close();
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
