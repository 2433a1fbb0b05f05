import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { buildGuardedCatalog } from '../../../../src/catalog/build-guarded-catalog.js';
import { operationOfCall } from '../../../../src/catalog/operation.js';
import {
  type AuthorizedCall,
  authorize as authorizeNow,
  dispatch,
  requireUnchanged,
} from '../../../../src/gateway/pipeline/authorize.js';
import type { Snapshot } from '../../../../src/gateway/pipeline/snapshot.js';
import type { ValidatedCall } from '../../../../src/gateway/pipeline/validate.js';
import type { Gatekeeper, PolicyRequest } from '../../../../src/policy/rules/policy-types.js';
import { STILL_HOST } from '../../../support/a-handler-host.js';
import { anOperation } from '../../../support/an-operation.js';
import { anUpstream, aTool, buildTestCatalog } from '../../../support/build-test-catalog.js';

/** A call that is refused at once rejects, as one that is refused later. */
const authorize = async (...given: Parameters<typeof authorizeNow>): Promise<AuthorizedCall> => authorizeNow(...given);

const CALL: ValidatedCall = {
  raw: {
    tool: 'mcp_aql_read',
    arguments: {},
    caller: { sessionId: 's', clientName: 'c', transport: 'http' },
    cancellation: new Cancellation(),
  },
  operation: anOperation(),
  arguments: { id: 1 },
  directives: { params: { id: 1 } },
};

const gatekeeper = (admit: Gatekeeper['admit']): Gatekeeper => ({
  admit,
  decide: () => expect.unreachable(),
  staticDecision: () => ({ effect: 'allow', requires: 'token', conditional: false }),
  recall: async () => undefined,
  recallOperation: async () => undefined,
});
const OPEN = gatekeeper(() => ({ outcome: 'allowed' }));
const unchanged = () => CALL.operation;

it('authorize passes on a call that the gatekeeper admits, unchanged', async () => {
  const call = await authorize(CALL, OPEN, unchanged);
  expect([call.raw, call.operation, call.arguments]).toEqual([CALL.raw, CALL.operation, CALL.arguments]);
});

it('authorize rejects a call that the gatekeeper refuses, at once or later', async () => {
  const refusal = new Error('no');
  await expect(
    authorize(
      CALL,
      gatekeeper(() => {
        throw refusal;
      }),
      unchanged,
    ),
  ).rejects.toBe(refusal);
  await expect(
    authorize(
      CALL,
      gatekeeper(() => Promise.reject(refusal)),
      unchanged,
    ),
  ).rejects.toBe(refusal);
});

it('authorize gives the gatekeeper the whole call, including its token and its user channel', async () => {
  const requests: PolicyRequest[] = [];
  const user = { kind: 'retry' } as const;
  const watching = gatekeeper((request) => {
    requests.push(request);
    return { outcome: 'allowed' };
  });
  await authorize(
    { ...CALL, raw: { ...CALL.raw, user }, directives: { params: { id: 1 }, confirmation: 'conf_1' } },
    watching,
    unchanged,
  );
  const { operation, arguments: args, raw } = CALL;
  const { caller, cancellation } = raw;
  const params = { id: 1 };
  expect(requests).toEqual([
    { operation, arguments: args, params, caller, cancellation, user, confirmation: 'conf_1' },
  ]);
});

it('authorize includes if_match in the confirmation and passes on the arguments without it', async () => {
  const asked: unknown[] = [];
  const watching = gatekeeper((request) => {
    asked.push(request.arguments);
    return { outcome: 'allowed' };
  });
  const ifMatch = { status: 'open' };
  const call = await authorize({ ...CALL, directives: { params: { id: 1 }, ifMatch } }, watching, unchanged);
  expect(asked).toEqual([{ ...CALL.arguments, if_match: ifMatch }]);
  expect(call.arguments).toBe(CALL.arguments);
});

describe('an operation that changes while its confirmation is pending', () => {
  const WAITING = gatekeeper(async () => ({ outcome: 'confirmed', tokenId: 't', by: 'user' }));
  const { operation } = CALL;

  it.each([
    ['one with another description', anOperation({ ...operation, description: 'Deletes all items.' })],
    [
      'one with other parameters',
      anOperation({ ...operation, inputSchema: { type: 'object', properties: { all: {} } } }),
    ],
    ['unknown, because it is quarantined or removed', undefined],
  ])('is not run once it has become %s', async (_what, now) => {
    await expect(authorize(CALL, WAITING, () => now)).rejects.toMatchObject({ code: 'TOKEN_SCOPE_MISMATCH' });
  });

  it('runs when the catalog was rebuilt without a change to it', async () => {
    const call = await authorize(CALL, WAITING, () => ({ ...operation }));
    expect(call.operation).toBe(operation);
  });

  it('is not looked up when no confirmation was needed', async () => {
    const call = await authorize(CALL, OPEN, () => undefined);
    expect(call.operation).toBe(operation);
  });
});

it('authorize is the only source of the calls that dispatch accepts: others do not compile', async () => {
  const snapshot: Pick<Snapshot, 'handlerOf'> = { handlerOf: () => async () => ({ data: null }) };
  const send = (call: AuthorizedCall) => dispatch(call, snapshot, STILL_HOST);
  const authorized = await authorize(CALL, OPEN, unchanged);
  await expect(send(authorized)).resolves.toEqual({ data: null });
  // @ts-expect-error: a validated call is not an authorised one.
  void (() => send(CALL));
  // @ts-expect-error: nor is an object of the same shape.
  void (() => send({ raw: CALL.raw, operation: CALL.operation, arguments: {} }));
  // @ts-expect-error: nor is the spread of an authorised one.
  void (() => send({ ...authorized }));
});

const before = buildTestCatalog({ notes: [aTool('create_note')] });
const [operation] = before.operations;

function check(after: Parameters<typeof requireUnchanged>[1]['catalog']): void {
  if (operation === undefined) throw new Error('there is no operation');
  requireUnchanged(operation, { catalog: after });
}

it('a call may be sent while its operation is what it was, read anew or not', () => {
  expect(() => check(before)).not.toThrow();
  expect(() => check(buildTestCatalog({ notes: [aTool('create_note')], others: [aTool('x')] }))).not.toThrow();
});

it('a call may be sent whose arguments made its operation more dangerous, or less', () => {
  const removed = aTool('remove_notes', {
    type: 'object',
    properties: { force: { type: 'boolean' }, dry_run: { type: 'boolean' } },
  });
  const pushed = aTool('push_notes', { type: 'object', properties: { force: { type: 'boolean' } } });
  const catalog = buildTestCatalog({ notes: [removed, pushed] });
  for (const each of catalog.operations) {
    const used = operationOfCall(each, { [each.tool === 'push_notes' ? 'force' : 'dry_run']: true });
    expect(used).not.toBe(each);
    expect(() => requireUnchanged(used, { catalog })).not.toThrow();
  }
});

it('a call is refused that waited while its operation changed', () => {
  const changed = buildTestCatalog({ notes: [aTool('create_note', { type: 'object', properties: { evil: {} } })] });
  expect(() => check(changed)).toThrow("Operation 'create_note' changed while the call waited and did not run");
});

it('a call is refused that waited while its operation went away', () => {
  expect(() => check(buildTestCatalog({ notes: [] }))).toThrow(
    'Its upstream stopped offering it while the call waited',
  );
});

it('a call is refused that waited while its operation was quarantined', () => {
  const quarantined = buildGuardedCatalog({
    toolSets: [{ upstream: 'notes', tools: [aTool('create_note')] }],
    upstreams: [anUpstream('notes', { integrity: 'quarantine' })],
    builtins: [],
    pins: {},
    lock: null,
    firstToolSets: new Map(),
  });
  expect(() => check(quarantined)).toThrow(/'create_note' is quarantined/);
});
