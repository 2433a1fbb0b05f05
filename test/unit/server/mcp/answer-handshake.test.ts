import { describe, expect, it } from 'vitest';
import { NO_ABILITIES } from '../../../../src/base/protocol/ask.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { createHandshakeAnswerer } from '../../../../src/server/mcp/answer-handshake.js';
import { CallsInFlight, type Responder } from '../../../../src/server/mcp/calls-in-flight.js';
import { LogLevels } from '../../../../src/server/mcp/log-levels.js';
import { createSdkServerFactory } from '../../../../src/server/mcp/sdk-server.js';
import { createSdkAnswerer } from '../../../../src/server/mcp/sdk-transport.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

const caller = { sessionId: 's', clientName: 'c', transport: 'http' } as const;

function openHandshakes() {
  const asked: string[] = [];
  const answerWithSdk = createSdkAnswerer(
    createSdkServerFactory(createFakeGateway(), SERVER_INFO, new LogLevels(createFakeGateway())),
    (observation) => {
      throw new Error(observation.kind);
    },
  );
  const capabilities = { now: {} };
  const answer = createHandshakeAnswerer(
    (message, peer, responder) => {
      asked.push(JSON.stringify(message));
      answerWithSdk(message, peer, responder);
    },
    () => capabilities.now,
  );
  const shake = (id: number | string, protocolVersion: string): Promise<unknown> =>
    new Promise((resolve) => {
      const nothing = (): void => undefined;
      const responder: Responder = {
        cancellation: new Cancellation(),
        canNotify: false,
        notify: nothing,
        answer: (message) => resolve(JSON.parse(String(message))),
        cancel: nothing,
        interrupt: nothing,
        onInterrupt: nothing,
      };
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      const message = { jsonrpc: '2.0', id, method: 'initialize', params } as const;
      answer(message, { caller, calls: new CallsInFlight(), abilities: NO_ABILITIES, structured: false }, responder);
    });
  return { asked, shake, capabilities };
}

describe('the handshake of a session', () => {
  it('is answered anew once the gateway has other capabilities', async () => {
    const { asked, shake, capabilities } = openHandshakes();
    await shake(1, '2025-06-18');
    capabilities.now = { prompts: {} };
    await shake(2, '2025-06-18');
    await shake(3, '2025-06-18');
    expect(asked).toHaveLength(2);
  });

  it('is answered by the SDK once for each protocol version, and alike after that', async () => {
    const { asked, shake } = openHandshakes();
    const first = await shake(1, '2025-06-18');
    expect(first).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18', serverInfo: SERVER_INFO } });
    expect(await shake('b', '2025-06-18')).toEqual({ ...(first as object), id: 'b' });
    expect(await shake(1, '2025-03-26')).toMatchObject({ result: { protocolVersion: '2025-03-26' } });
    expect(asked).toHaveLength(2);
  });

  it('remembers nothing of versions that clients make up', async () => {
    const { asked, shake } = openHandshakes();
    expect(await shake(1, 'mine')).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect(await shake(2, 'mine')).toMatchObject({ id: 2, result: { protocolVersion: '2025-11-25' } });
    expect(asked).toHaveLength(2);
  });
});
