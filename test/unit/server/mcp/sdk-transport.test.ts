import { expect, it } from 'vitest';
import { NO_ABILITIES } from '../../../../src/base/protocol/ask.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { CallsInFlight, type Responder, splitBatch } from '../../../../src/server/mcp/calls-in-flight.js';
import { OpenQuestions } from '../../../../src/server/mcp/elicitation.js';
import { LogLevels } from '../../../../src/server/mcp/log-levels.js';
import { ParkedCalls } from '../../../../src/server/mcp/parked-calls.js';
import { createSdkServerFactory } from '../../../../src/server/mcp/sdk-server.js';
import { createSdkAnswerer } from '../../../../src/server/mcp/sdk-transport.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

const caller = { sessionId: 's', clientName: 'c', transport: 'http' } as const;
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } } as const;

function silentResponder(): Responder {
  const nothing = (): void => undefined;
  const batch = {
    cancellation: new Cancellation(),
    canNotify: false,
    notify: nothing,
    answer: nothing,
    cancel: nothing,
    interrupt: nothing,
    onInterrupt: nothing,
  };
  return splitBatch(1, batch)[0]!;
}

it('cancels and forgets a call whose client disconnected', async () => {
  const gateway = createFakeGateway({ handle: () => new Promise(() => undefined) });
  const createServer = createSdkServerFactory(gateway, SERVER_INFO, {
    parked: new ParkedCalls(),
    logs: new LogLevels(createFakeGateway()),
  });
  const answer = createSdkAnswerer(
    createServer,
    { questions: new OpenQuestions(300_000), logs: new LogLevels(createFakeGateway()) },
    (observation) => {
      throw new Error(observation.kind);
    },
  );
  const calls = new CallsInFlight();
  const responder = silentResponder();
  const arrived = gateway.nextCall();
  answer(call, { caller, calls, abilities: NO_ABILITIES, structured: false }, responder);
  const { cancellation } = await arrived;
  expect(calls.size).toBe(1);
  const told = new Promise<void>((resolve) => cancellation.onCancel(resolve));
  responder.cancel('gone');
  await told;
  expect(calls.size).toBe(0);
});
