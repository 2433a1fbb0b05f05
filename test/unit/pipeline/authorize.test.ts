import { expect, it } from 'vitest';
import { type AuthorizedCall, authorize } from '../../../src/pipeline/authorize.js';
import { dispatch } from '../../../src/pipeline/dispatch.js';
import type { Snapshot } from '../../../src/pipeline/snapshot.js';
import type { ValidatedCall } from '../../../src/pipeline/validate.js';
import { Cancellation } from '../../../src/protocol/cancellation.js';
import { anOperation } from '../../support/an-operation.js';

const CALL: ValidatedCall = {
  raw: {
    tool: 'mcp_aql_read',
    arguments: {},
    caller: { sessionId: 's', clientName: 'c', transport: 'http' },
    cancellation: new Cancellation(),
  },
  operation: anOperation(),
  arguments: { id: 1 },
};

it('hands on what the gatekeeper lets through, unchanged', async () => {
  const call = await authorize(CALL, () => undefined);
  expect([call.raw, call.operation, call.arguments]).toEqual([CALL.raw, CALL.operation, CALL.arguments]);
});

it('hands on nothing that the gatekeeper refuses, at once or later', async () => {
  const refusal = new Error('no');
  await expect(
    authorize(CALL, () => {
      throw refusal;
    }),
  ).rejects.toBe(refusal);
  await expect(authorize(CALL, () => Promise.reject(refusal))).rejects.toBe(refusal);
});

it('is the only way to what dispatch takes: nothing else compiles', async () => {
  const snapshot: Pick<Snapshot, 'handlerOf'> = { handlerOf: () => async () => ({ data: null }) };
  const send = (call: AuthorizedCall) => dispatch(call, snapshot as Snapshot);
  const authorized = await authorize(CALL, () => undefined);
  await expect(send(authorized)).resolves.toEqual({ data: null });
  // @ts-expect-error: a validated call is not an authorised one.
  void (() => send(CALL));
  // @ts-expect-error: nor is an object of the same shape.
  void (() => send({ raw: CALL.raw, operation: CALL.operation, arguments: {} }));
  // @ts-expect-error: nor is the spread of an authorised one.
  void (() => send({ ...authorized }));
});
